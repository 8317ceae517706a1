"""The import dialog: settings and previews of one or several imports."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
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
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.corpora.import_form import (
    NO_DEFAULTS,
    ImportDefaults,
    ImportForm,
)
from app.views.corpora.import_parts import (
    FileGrouping,
    ImportPart,
    count_texts,
    describe_parts,
)
from app.views.corpora.import_preview import DocumentPreviewPanel, PreviewTable
from app.views.widgets.boxes import make_row
from app.views.widgets.controls import ElidedLabel, describe, make_button, make_label
from app.views.widgets.dialogs import (
    copy_text,
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
    name_files,
)
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.project_place import ProjectPlace
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled

ASK_AFTER_MS = 250  # after the last change
FORM_WIDTH, LEAST_HEIGHT = 42 * GRID, 6 * GRID
N_NAMED_LANGUAGES = 3  # on the button


class ImportDialog(QDialog):
    """Import settings with a preview; the button shows what will be imported.

    Attributes:
        place: location of the new project of a first import; None: a project is open.
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
            defaults: initial settings, from the previous import.
        """
        super().__init__(parent)
        self._state = state
        self._defaults = defaults
        self._paths = paths
        self.place = place
        self._parts: list[ImportPart] = []
        self._current = 0  # index of the visible part
        self._failure = ""  # reason of the last failure
        self._submission: Submission | None = None
        if place is None:
            self._submission = Submission(self, state, self._show_failure)
        state.run_finished.connect(self._on_run_finished)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.setWindowTitle(self.tr("Import"))
        fit_dialog(self, 130 * GRID, 84 * GRID)
        self._make_parts()
        self._lay_out()
        self._begin()

    # --- layout ---

    def _make_parts(self) -> None:
        self._heading = ElidedLabel("heading")
        self._facts = make_label("", "secondary", wraps=True)
        self._file_facts = ElidedLabel("secondary")
        self.together = FileGrouping(self._paths)
        self.together.changed.connect(self._begin)
        self.files = QComboBox()
        # A long file name must not make the dialog wider than the window.
        adjust = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.files.setSizeAdjustPolicy(adjust)
        describe(self.files, self.tr("File"), self.tr("Show the settings of a file."))
        self.files.currentIndexChanged.connect(self._show_part)
        self._scrolled = QScrollArea()
        self._scrolled.setWidgetResizable(True)
        self._scrolled.setFixedWidth(scaled(FORM_WIDTH))
        self.table = PreviewTable()
        self.documents = DocumentPreviewPanel()
        # Next to wrapped texts, their preferred height would be the minimum.
        for area in (self._scrolled, self.table):
            area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
            area.setMinimumHeight(scaled(LEAST_HEIGHT))
        self._waiting = make_label(self.tr("Reading the first rows…"), "secondary")
        self._problem = make_label("", "warning", wraps=True)
        self._notes = make_label("", "secondary", wraps=True)
        self._leave_out = make_button("", "", self.leave_out_unreadable)
        words = self.tr("Encode after the import")
        if self.place is not None:
            self.place.changed.connect(self._refresh_button)
        if self.place is not None or not self._state.corpora:
            words = self.tr("Encode after the import, then show nearest translations")
        self._encodes = QCheckBox(words)
        self._encodes.setChecked(True)
        describe(
            self._encodes,
            self._encodes.text(),
            self.tr("Encode the sentences so that you can search them by meaning."),
        )
        self._fields = ElidedLabel("secondary")
        self._fields.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.skipped = make_button("", "", self.show_skipped, kind="quiet")
        self.ok = make_button(
            "", self.tr("Start the import."), self._on_ok, kind="primary"
        )

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(3 * GRID)
        middle.addWidget(self._scrolled)
        right = QVBoxLayout()
        right.setSpacing(GRID)
        rows = make_label(self.tr("First rows"), "section")
        right.addLayout(make_row(rows, (self._file_facts, 1), gap=2 * GRID))
        right.addWidget(self._waiting)
        right.addWidget(self.table, 1)
        right.addWidget(self.documents)
        right.addWidget(self._problem)
        right.addWidget(self._notes)
        right.addStretch()
        middle.addLayout(right, 1)
        layout = lay_out_dialog(self)
        layout.addWidget(self._heading)
        layout.addWidget(self._facts)
        if self.place is not None:
            layout.addWidget(self.place)
        layout.addWidget(self.together)
        layout.addLayout(make_row((self.files, 1), self._leave_out, gap=GRID))
        layout.addLayout(middle, 1)
        layout.addLayout(
            make_row(self._encodes, (self._fields, 1), self.skipped, gap=2 * GRID)
        )
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
        """The visible form."""
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
        self._show_parts()
        self._ask()

    def _show_parts(self) -> None:
        """List the parts and show the first one."""
        names = [part.paths[0].name for part in self._parts]
        self._current = 0
        with QSignalBlocker(self.files):
            self.files.clear()
            self.files.addItems(names)
        self.files.setVisible(len(names) > 1)
        self._heading.setText(
            self.tr("Import {names}").format(names=name_files(self._paths))
        )
        self._show_part(0)
        self._refresh_button()

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
        self._failure = ""
        self.ok.setEnabled(False)
        self._timer.start()

    def _ask(self) -> None:
        """Ask for a preview of the visible part, then of the other parts."""
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
            return  # each part has its own file now
        if preview is not None:
            part.form.show_preview(preview)
        if part is self._part:
            self._show_part(self._current)
        self._refresh_button()
        if not self._timer.isActive():
            self._ask()
        if part is self._part:
            self.preview_shown.emit()

    def _show_part(self, index: int) -> None:
        """Show the form and the preview of a part."""
        self._current = index
        part = self._part
        if self._scrolled.widget() is not part.form:
            self._scrolled.takeWidget()
            self._scrolled.setWidget(part.form)
            part.form.show()
        preview = part.preview or ImportPreview()
        others = [part.form.label, *part.form.imported_fields]
        self.table.show_preview(preview, part.form.languages, others)
        self.documents.show_preview(preview)
        self._show_problem(part.problem or self._failure)
        notes = [*preview.notes, *self._describe_equally_long(part)]
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))
        self._show_facts()

    def _describe_equally_long(self, part: ImportPart) -> list[str]:
        """Explain how to link a text with a corpus of the same number of sentences."""
        languages, preview = part.form.languages, part.preview
        if self.place is not None or preview is None or len(languages) != 1:
            return []
        names = [
            corpus.name
            for corpus in self._state.corpora
            if corpus.n_sentences == preview.n_rows and corpus.language != languages[0]
        ]
        if not preview.n_rows or not names:
            return []
        words = self.tr(
            "{name} has as many sentences. If this is its translation, link both in "
            "Align after the import."
        )
        return [words.format(name=names[0])]

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        is_waiting = self._part.preview is None and not problem
        self._waiting.setVisible(is_waiting)
        has_rows = not problem or self.table.rowCount() > 0
        self.table.setVisible(has_rows and not is_waiting)

    def _show_failure(self, message: str) -> None:
        self._failure = message
        self._show_problem(message)

    def _show_facts(self) -> None:
        """Show the size of all files, and facts about one of several separate texts."""
        folders = {path.parent for path in self._paths}
        facts = [str(self._paths[0].parent)] if len(folders) == 1 else []
        if len(self._paths) > 1:
            words = self.tr("{n} files")
            facts.insert(0, words.format(n=format_count(len(self._paths))))
        self._facts.setText(" · ".join([*facts, *describe_parts(self._parts)]))
        are_separate = len(self._parts) > 1
        one = describe_parts([self._part])
        self._file_facts.setText(" · ".join(one) if are_separate else "")
        self._file_facts.setVisible(are_separate)

    def _show_unreadable(self) -> None:
        """Offer to leave out the unreadable files."""
        paths = self._find_unreadable()
        self._leave_out.setVisible(bool(paths))
        names = name_files(paths)
        what = names if len(paths) == 1 else self.tr("{n} files").format(n=len(paths))
        words = self.tr("Leave out {files}").format(files=what)
        self._leave_out.setText(words)
        hint = self.tr("Import the other files without {names}, which can't be read.")
        describe(self._leave_out, words, hint.format(names=names))

    def _find_unreadable(self) -> list[Path]:
        """Return the unreadable files; empty if all files are unreadable."""
        found = [path for part in self._parts for path in part.unreadable]
        return found if len(found) < len(self._paths) else []

    def _refresh_button(self) -> None:
        """Show on the button what it imports, or what is missing."""
        place_problem = self.place.problem if self.place is not None else ""
        are_ready = all(part.is_ready for part in self._parts)
        self.ok.setEnabled(are_ready and not place_problem)
        self._copy.setEnabled(are_ready)
        self._name_parts()
        self._show_facts()
        self._show_unreadable()
        self._show_columns()
        if are_ready:
            words = self._import_words()
        elif all(part.has_text for part in self._parts):
            words = self.tr("Choose the language")
        else:
            words = self.tr("Import files")
        self.ok.setText(words)
        self.ok.setAccessibleName(words)

    def _show_columns(self) -> None:
        """Show the imported fields and the number of skipped columns."""
        forms = [part.form for part in self._parts]
        fields = dict.fromkeys(name for one in forms for name in one.imported_fields)
        words = self.tr("With {fields}").format(fields=", ".join(fields))
        self._fields.setText(words if fields else "")
        skipped = dict.fromkeys(name for one in forms for name in one.skipped_columns)
        one = self.tr("1 column is not imported")
        many = self.tr("{n} columns are not imported")
        words = pluralize(len(skipped), one, many)
        hint = self.tr("Not imported: {columns}. Show the settings of fields.")
        describe(self.skipped, words, hint.format(columns=", ".join(skipped)))
        self.skipped.setText(words)
        self.skipped.setVisible(bool(skipped))

    def show_skipped(self) -> None:
        """Open the settings for selecting further columns as fields."""
        indices = [n for n, one in enumerate(self._parts) if one.form.skipped_columns]
        if indices and self._current not in indices:
            self.files.setCurrentIndex(indices[0])
        section = self.form.documents
        section.card.set_open(True)
        section.fields.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, self._scroll_to_fields)

    def _scroll_to_fields(self) -> None:
        """Scroll to the open section after its layout."""
        self._scrolled.ensureWidgetVisible(self.form.documents)

    def _import_words(self) -> str:
        codes = [code for part in self._parts for code in part.form.languages]
        if len(self._parts) > 1:
            codes = list(dict.fromkeys(codes))
        names = " + ".join(map(language_name, codes))
        if len(codes) > N_NAMED_LANGUAGES:
            words = self.tr("{n} languages")
            names = words.format(n=format_count(len(codes)))
        words = self.tr("Import {texts} in {languages}")
        return words.format(texts=count_texts(self._parts), languages=names)

    def _name_parts(self) -> None:
        """Show the known facts about each separate text in the list of files."""
        total = len(self._parts)
        for index, part in enumerate(self._parts):
            if part.is_ready:
                what = self.tr("{texts} in {languages}").format(
                    texts=count_texts([part]),
                    languages=" + ".join(map(language_name, part.form.languages)),
                )
            elif part.has_text:
                what = self.tr("choose the language")
            elif part.problem:
                what = self.tr("can't be imported")
            else:
                what = self.tr("reading…")
            words = self.tr("File {place} of {total}: {name} ({what})")
            name = part.paths[0].name
            self.files.setItemText(
                index,
                words.format(place=index + 1, total=total, name=name, what=what),
            )

    # --- actions ---

    def leave_out_unreadable(self) -> None:
        """Leave out the unreadable files; keep the forms of the other files."""
        paths = self._find_unreadable()
        are_separate = len(self._parts) > 1
        kept = [part for part in self._parts if not part.unreadable]
        self._paths = [path for path in self._paths if path not in paths]
        with QSignalBlocker(self.together):
            for path in paths:
                self.together.leave_out(path)
        if are_separate:
            self._keep_parts(kept)
        else:
            self._begin()

    def _keep_parts(self, kept: list[ImportPart]) -> None:
        """Keep some parts; remove the other parts with their forms."""
        self._scrolled.takeWidget()
        for part in self._parts:
            if part not in kept:
                part.form.deleteLater()
        self._parts = kept
        self._show_parts()

    def params(self) -> ImportCorpus:
        """Return the params of the import with the visible form.

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
        for part, params in zip(self._parts, every, strict=True):
            part.submitted = params
        self._failure = ""
        encodes = self._encodes.isChecked()
        if self._submission is None:  # its project is made first
            self.accept()
            self.import_chosen.emit(every, encodes)
        else:
            self._submission.submit(lambda: self.import_chosen.emit(every, encodes))

    def show_again(self, message: str) -> None:
        """Show the dialog with its input and an error."""
        self.open()
        self._show_failure(message)

    def begin_in_project(self, start: Callable[[], object]) -> None:
        """Start the imports in the new project.

        If an import fails, the dialog opens again with the remaining imports.
        """
        assert self.place is not None
        self.place.hide()
        self.place = None
        self._submission = Submission(self, self._state, self._show_failure)
        self._submission.submit(start)

    def _on_run_finished(self, run: RunState, _result: object) -> None:
        """Remove an imported part; after a failure the dialog shows the rest."""
        kept = [part for part in self._parts if part.submitted is not run.params]
        if kept and len(kept) < len(self._parts):
            done = [part for part in self._parts if part not in kept]
            self._paths = [
                p for p in self._paths if all(p not in d.paths for d in done)
            ]
            with QSignalBlocker(self.together):
                for path in (path for part in done for path in part.paths):
                    self.together.leave_out(path)
            self._keep_parts(kept)

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
