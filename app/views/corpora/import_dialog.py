"""The import dialog: previews that follow the settings of one or several imports."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.languages import language_name
from app.params import build_params
from app.params.corpora import ImportCorpus
from app.params.flags import command_text
from app.protocol.answers.corpora import ImportPreview
from app.protocol.queries.corpora import PreviewQuery
from app.views.client.state import AppState
from app.views.corpora.import_form import (
    MAX_SIDES,
    NO_DEFAULTS,
    ImportDefaults,
    ImportForm,
)
from app.views.corpora.import_preview import (
    DocumentPreviewPanel,
    PreviewTable,
    are_pair,
)
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import (
    copy_text,
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.number_format import format_bytes, format_count, format_estimate
from app.views.widgets.project_place import ProjectPlace
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled


class FileGrouping(QWidget):
    """Asks how several files belong together; hidden for one file.

    Attributes:
        as_pair, as_documents, as_separate: the buttons.
        is_guess: nothing but the lines can show whether the files are aligned.
    """

    changed = Signal()

    def __init__(self, paths: list[Path], parent: QWidget | None = None):
        super().__init__(parent)
        self._paths = paths
        self.as_pair = QRadioButton(self.tr("Parallel text (aligned line by line)"))
        self.as_documents = QRadioButton(
            self.tr("One corpus (each file is a document)")
        )
        self.as_separate = QRadioButton(self.tr("Separate texts (a corpus each)"))
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for button in (self.as_pair, self.as_documents, self.as_separate):
            group.addButton(button)
            describe(button, button.text(), self.tr("How the files belong together."))
            layout.addWidget(button)
        many = len(paths) > 1
        has_folder = any(path.is_dir() for path in paths)
        is_named = many and are_pair(paths) and not has_folder
        can_guess = many and len(paths) <= MAX_SIDES and not has_folder
        self.is_guess = can_guess and not is_named
        self.as_pair.setChecked(is_named or self.is_guess)
        self.as_separate.setChecked(not self.as_pair.isChecked())
        self.as_pair.setVisible(not has_folder)
        self.setVisible(many)
        group.buttonToggled.connect(self._on_toggled)

    @property
    def groups(self) -> list[list[Path]]:
        """The files of each import: all in one, or each separate text in its own."""
        if self.as_separate.isChecked():
            return [[path] for path in self._paths]
        return [self._paths]

    @property
    def are_documents(self) -> bool:
        """Whether each file is a document of one corpus."""
        return self.as_documents.isChecked()

    def settle(self, *, are_aligned: bool) -> bool:
        """Replace the guess by what the lines show; returns whether it was right."""
        is_guess, self.is_guess = self.is_guess, False
        if is_guess and not are_aligned:
            self.as_separate.setChecked(True)
        return not is_guess or are_aligned

    def _on_toggled(self, _: object, is_on: bool) -> None:
        self.is_guess = False
        if is_on:
            self.changed.emit()


class ImportPart:
    """One import of a dialog: its files, its form, and what was read of them.

    Attributes:
        asked: values of the newest preview that was asked for.
        is_read: the preview, or the problem, is that of the form.
    """

    def __init__(self, paths: list[Path], form: ImportForm):
        self.paths, self.form = paths, form
        self.preview: ImportPreview | None = None
        self.problem = ""
        self.asked: dict[str, Any] = {}
        self.is_read = False

    @property
    def has_text(self) -> bool:
        """Whether there is something to import."""
        preview = self.preview
        return preview is not None and not self.problem and preview.n_rows > 0

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported as it is."""
        languages = self.form.languages
        return self.has_text and bool(languages) and all(languages)


ASK_AFTER_MS = 250  # after the last change
FORM_WIDTH = 42 * GRID
N_NAMED = 4  # files in the heading
N_NAMED_LANGUAGES = 3  # on the button


class ImportDialog(QDialog):
    """Import settings with a preview; the button shows what will be imported.

    Attributes:
        place: where the project of a first import will be; None: one is open.
        files: selects one of several separate texts.
    """

    import_chosen = Signal(list, bool)  # of ImportCorpus; encode afterwards
    defaults_chosen = Signal(object)  # ImportDefaults of the next import
    preview_shown = Signal()

    def __init__(
        self,
        state: AppState,
        paths: list[Path],
        parent: QWidget | None = None,
        *,
        defaults: ImportDefaults = NO_DEFAULTS,
        place: ProjectPlace | None = None,
    ):
        """Make a dialog.

        Args:
            state: of the window.
            paths: the files or the folder to import.
            parent: the view.
            defaults: initial settings, from the previous import.
            place: of the project that is made for the files.
        """
        super().__init__(parent)
        self._state = state
        self._defaults = defaults
        self._paths = paths
        self.place = place
        self._parts: list[ImportPart] = []
        self._current = 0  # part whose form is shown
        self._submission = Submission(self, state, self._show_problem)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.setWindowTitle(self.tr("Import"))
        fit_dialog(self, 130 * GRID, 84 * GRID)
        self._make_parts()
        self._lay_out()
        self._begin()

    # --- making ---

    def _make_parts(self) -> None:
        self._heading = make_label("", "heading")
        self._facts = make_label("", "secondary", wraps=True)
        self.together = FileGrouping(self._paths)
        self.together.changed.connect(self._begin)
        self.files = QComboBox()
        describe(self.files, self.tr("File"), self.tr("Show the settings of a file."))
        self.files.currentIndexChanged.connect(self._show_part)
        self._scrolled = QScrollArea()
        self._scrolled.setWidgetResizable(True)
        self._scrolled.setFixedWidth(scaled(FORM_WIDTH))
        self.table = PreviewTable()
        self.documents = DocumentPreviewPanel()
        self._problem = make_label("", "warning", wraps=True)
        self._notes = make_label("", "secondary", wraps=True)
        words = self.tr("Encode after the import")
        if self.place is not None:
            self.place.changed.connect(self._refresh_button)
            words = self.tr("Encode after the import, then show nearest translations")
        self._encodes = QCheckBox(words)
        self._encodes.setChecked(True)
        describe(
            self._encodes,
            self._encodes.text(),
            self.tr("Encode the sentences so that you can search them by meaning."),
        )
        self.ok = make_button(
            "", self.tr("Start the import."), self._on_ok, kind="primary"
        )

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(3 * GRID)
        middle.addWidget(self._scrolled)
        right = QVBoxLayout()
        right.setSpacing(GRID)
        right.addWidget(make_label(self.tr("First rows"), "section"))
        right.addWidget(self.table, 1)
        right.addWidget(self.documents)
        right.addWidget(self._problem)
        right.addWidget(self._notes)
        middle.addLayout(right, 1)
        layout = lay_out_dialog(self)
        layout.addWidget(self._heading)
        layout.addWidget(self._facts)
        if self.place is not None:
            layout.addWidget(self.place)
        layout.addWidget(self.together)
        layout.addWidget(self.files)
        layout.addLayout(middle, 1)
        layout.addWidget(self._encodes)
        layout.addLayout(self._make_buttons())

    def _make_buttons(self) -> QHBoxLayout:
        self._copy: QPushButton = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the terminal command that runs this import."),
            self.copy_command,
            kind="quiet",
        )
        return lay_out_buttons(self, self.ok, left=[self._copy])

    # --- the previews ---

    @property
    def form(self) -> ImportForm:
        """The form that is shown."""
        return self._part.form

    @property
    def _part(self) -> ImportPart:
        return self._parts[self._current]

    def _begin(self) -> None:
        """Make the forms for the files and ask for previews."""
        self._scrolled.takeWidget()
        for part in self._parts:
            part.form.deleteLater()
        self._parts = [self._make_part(paths) for paths in self.together.groups]
        names = [part.paths[0].name for part in self._parts]
        self._current = 0
        with QSignalBlocker(self.files):
            self.files.clear()
            self.files.addItems(names)
        self.files.setVisible(len(names) > 1)
        self._heading.setText(
            self.tr("Import {names}").format(
                names=_name_files([one for part in self._parts for one in part.paths])
            )
        )
        self._show_part(0)
        self._refresh_button()
        self._ask()

    def _make_part(self, paths: list[Path]) -> ImportPart:
        are_documents = self.together.are_documents or paths[0].is_dir()
        form = ImportForm(paths, are_documents=are_documents)
        form.use_defaults(self._defaults)
        form.setObjectName("scrolled")
        part = ImportPart(paths, form)
        form.changed.connect(partial(self._on_changed, part))
        return part

    def _on_changed(self, part: ImportPart) -> None:
        part.is_read = False
        self.ok.setEnabled(False)
        self._timer.start()

    def _ask(self) -> None:
        """Ask for a preview of the part that is shown, then of the others."""
        self._timer.stop()
        parts = [self._part, *self._parts]
        part = next((one for one in parts if not one.is_read), None)
        if part is not None:
            values = part.form.values(is_final=False)
            part.asked = values
            query = PreviewQuery(params=values)
            self._state.ask(query, partial(self._on_answer, part, values))

    def _on_answer(
        self,
        part: ImportPart,
        values: dict[str, Any],
        answer: ImportPreview | ErrorInfo,
    ) -> None:
        is_old = part not in self._parts or values is not part.asked
        if is_old or (isinstance(answer, ErrorInfo) and answer.kind == "superseded"):
            return
        part.is_read = True
        part.preview = None if isinstance(answer, ErrorInfo) else answer
        problem = answer.message if isinstance(answer, ErrorInfo) else answer.problem
        part.problem = problem
        preview = part.preview
        are_aligned = preview is not None and preview.are_aligned
        if not self.together.settle(are_aligned=are_aligned):
            return  # they are read one by one now
        if preview is not None:
            part.form.show_preview(preview)
        if part is self._part:
            self._show_part(self._current)
        self._refresh_button()
        if not self._timer.isActive():
            self._ask()
        if part is self._part:
            self.preview_shown.emit()

    def _show_part(self, place: int) -> None:
        """Show the form and the preview of a part."""
        self._current = place
        part = self._part
        if self._scrolled.widget() is not part.form:
            self._scrolled.takeWidget()
            self._scrolled.setWidget(part.form)
            part.form.show()
        preview = part.preview or ImportPreview()
        self.table.show_preview(preview, part.form.languages, part.form.label)
        self.documents.show_preview(preview)
        self._show_problem(part.problem)
        self._notes.setText("\n".join(preview.notes))
        self._notes.setVisible(bool(preview.notes))
        self._show_facts()

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    def _show_facts(self) -> None:
        paths, preview = self._part.paths, self._part.preview
        size = sum(path.stat().st_size for path in paths if path.is_file())
        facts = [str(paths[0].parent)]
        if size:
            facts.append(format_bytes(size))
        if preview is not None and preview.n_rows:
            is_one = preview.n_rows == 1
            words = self.tr("{n} sentence") if is_one else self.tr("{n} sentences")
            facts.append(words.format(n=_count(preview)))
        self._facts.setText(" · ".join(facts))

    def _refresh_button(self) -> None:
        """Show on the button what it will import, or what is missing."""
        place_problem = self.place.problem if self.place is not None else ""
        are_ready = all(part.is_ready for part in self._parts)
        self.ok.setEnabled(are_ready and not place_problem)
        self._copy.setEnabled(are_ready)
        self._name_parts()
        if are_ready:
            words = self._import_words()
        elif all(part.has_text for part in self._parts):
            words = self.tr("Select the language")
        else:
            words = self.tr("Import")
        self.ok.setText(words)
        self.ok.setAccessibleName(words)

    def _import_words(self) -> str:
        previews = [part.preview for part in self._parts if part.preview is not None]
        codes = [code for part in self._parts for code in part.form.languages]
        if len(self._parts) > 1:
            codes = list(dict.fromkeys(codes))
        names = " + ".join(map(language_name, codes))
        if len(codes) > N_NAMED_LANGUAGES:
            words = self.tr("{n} languages")
            names = words.format(n=format_count(len(codes)))
        whole = ImportPreview(
            n_rows=sum(one.n_rows for one in previews),
            is_estimate=any(one.is_estimate for one in previews),
        )
        is_one = whole.n_rows == 1
        words = (
            self.tr("Import {n} sentence in {languages}")
            if is_one
            else self.tr("Import {n} sentences in {languages}")
        )
        if any(len(part.form.languages) > 1 for part in self._parts):
            words = (
                self.tr("Import {n} pair in {languages}")
                if is_one
                else self.tr("Import {n} pairs in {languages}")
            )
        return words.format(n=_count(whole), languages=names)

    def _name_parts(self) -> None:
        """Show what is known of each separate text in the list of files."""
        total = len(self._parts)
        for place, part in enumerate(self._parts):
            if part.is_ready and part.preview is not None:
                what = self.tr("{n} sentences in {languages}").format(
                    n=_count(part.preview),
                    languages=" + ".join(map(language_name, part.form.languages)),
                )
            elif part.has_text:
                what = self.tr("select the language")
            elif part.problem:
                what = self.tr("can't be imported")
            else:
                what = self.tr("reading…")
            words = self.tr("File {place} of {total}: {name} ({what})")
            name = part.paths[0].name
            self.files.setItemText(
                place,
                words.format(place=place + 1, total=total, name=name, what=what),
            )

    # --- what the user does ---

    def params(self) -> ImportCorpus:
        """Return the params of the import whose form is shown.

        Raises:
            msgspec.ValidationError: a field is out of its bounds.
        """
        return _params_of(self._part)

    def _on_ok(self) -> None:
        try:
            every = [_params_of(part) for part in self._parts]
        except msgspec.ValidationError as error:
            words = self.tr("Can't import with these settings: {error}.")
            self._show_problem(words.format(error=error))
            return
        self.defaults_chosen.emit(self.form.next_defaults(self._defaults))
        encodes = self._encodes.isChecked()
        self._submission.submit(lambda: self.import_chosen.emit(every, encodes))

    def show_again(self, message: str) -> None:
        """Show the dialog with its input and an error."""
        self._submission.show_again(message)

    def copy_command(self) -> None:
        """Copy the terminal commands of these imports."""
        project = self._state.project
        folder = project.folder if project is not None else None
        if self.place is not None:
            folder = self.place.path
        commands = [command_text(_params_of(part), folder) for part in self._parts]
        copy_text("\n".join(commands))
        self._copy.setText(self.tr("Copied"))


def _params_of(part: ImportPart) -> ImportCorpus:
    params: ImportCorpus = build_params(ImportCorpus, part.form.values(is_final=True))
    return params


def _count(preview: ImportPreview) -> str:
    if preview.is_estimate:
        words = QCoreApplication.translate("ImportDialog", "about {n}")
        return words.format(n=format_estimate(preview.n_rows))
    return format_count(preview.n_rows)


def _name_files(paths: list[Path]) -> str:
    """Return the names of the first files and the number of the others."""
    named = ", ".join(path.name for path in paths[:N_NAMED])
    return named if len(paths) <= N_NAMED else f"{named} + {len(paths) - N_NAMED:,}"
