"""The import dialog: a preview that follows the settings."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
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
from app.views.corpora.import_form import NO_DEFAULTS, ImportDefaults, ImportForm
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
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled


class FileGrouping(QWidget):
    """Asks how several files belong together; hidden for one file.

    Attributes:
        as_pair, as_documents, as_separate: the buttons.
    """

    changed = Signal()

    def __init__(self, paths: list[Path], parent: QWidget | None = None):
        super().__init__(parent)
        self._paths = paths
        self.as_pair = QRadioButton(self.tr("Parallel text (aligned line by line)"))
        self.as_documents = QRadioButton(
            self.tr("One corpus (each file is a document)")
        )
        self.as_separate = QRadioButton(self.tr("Separate texts (one after the other)"))
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
        self.as_pair.setChecked(many and are_pair(paths) and not has_folder)
        self.as_separate.setChecked(not self.as_pair.isChecked())
        self.as_pair.setVisible(not has_folder)
        self.setVisible(many)
        group.buttonToggled.connect(self._on_toggled)

    @property
    def used(self) -> list[Path]:
        """The files of this import: all of them, or the first of separate texts."""
        return self._paths[:1] if self.as_separate.isChecked() else self._paths

    @property
    def are_documents(self) -> bool:
        """Whether each file is a document of one corpus."""
        return self.as_documents.isChecked() or self.used[0].is_dir()

    def _on_toggled(self, _: object, is_on: bool) -> None:
        if is_on:
            self.changed.emit()


ASK_AFTER_MS = 250  # after the last change
FORM_WIDTH = 42 * GRID
N_NAMED = 4  # files in the heading


class ImportDialog(QDialog):
    """Import settings with a preview; the button shows what will be imported."""

    import_chosen = Signal(object, bool)  # ImportCorpus, encode afterwards
    defaults_chosen = Signal(object)  # ImportDefaults of the next import
    rest_left = Signal(list)  # separate texts that are still to be imported
    preview_shown = Signal()

    def __init__(
        self,
        state: AppState,
        paths: list[Path],
        parent: QWidget | None = None,
        *,
        defaults: ImportDefaults = NO_DEFAULTS,
    ):
        """Make a dialog.

        Args:
            state: of the window.
            paths: the files or the folder to import.
            parent: the view.
            defaults: initial settings, from the previous import.
        """
        super().__init__(parent)
        self._state = state
        self._defaults = defaults
        self._paths = paths
        self._preview: ImportPreview | None = None
        self._asked: dict[str, Any] = {}
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
        self.form = ImportForm(self._paths[:1])
        self._scrolled = QScrollArea()
        self._scrolled.setWidgetResizable(True)
        self._scrolled.setFixedWidth(scaled(FORM_WIDTH))
        self.table = PreviewTable()
        self.documents = DocumentPreviewPanel()
        self._problem = make_label("", "warning", wraps=True)
        self._notes = make_label("", "secondary", wraps=True)
        self._encodes = QCheckBox(self.tr("Encode after the import"))
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
        layout.addWidget(self.together)
        layout.addLayout(middle, 1)
        layout.addLayout(self._make_buttons())

    def _make_buttons(self) -> QHBoxLayout:
        self._copy: QPushButton = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the terminal command that runs this import."),
            self.copy_command,
            kind="quiet",
        )
        return lay_out_buttons(self, self.ok, left=[self._copy, self._encodes])

    # --- the preview ---

    def _begin(self) -> None:
        """Make the form for the files of this import and ask for a preview."""
        paths = self.together.used
        self.form = ImportForm(paths, are_documents=self.together.are_documents)
        self.form.use_defaults(self._defaults)
        self.form.setObjectName("scrolled")
        self.form.changed.connect(self._on_changed)
        self._scrolled.setWidget(self.form)
        self._heading.setText(
            self.tr("Import {names}").format(names=_name_files(paths))
        )
        self._preview = None
        self._show_facts()
        self._refresh_button()
        self._ask()

    def _on_changed(self) -> None:
        self.ok.setEnabled(False)
        self._timer.start()

    def _ask(self) -> None:
        self._timer.stop()
        values = self.form.values(is_final=False)
        self._asked = values
        query = PreviewQuery(params=values)
        self._state.ask(query, partial(self._on_answer, values))

    def _on_answer(
        self, values: dict[str, Any], answer: ImportPreview | ErrorInfo
    ) -> None:
        if values is not self._asked:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind == "superseded":
                return
            self._preview = None
            self._show_problem(answer.message)
            self._notes.setText("")
        else:
            self._show_preview(answer)
        self._show_facts()
        self._refresh_button()
        self.preview_shown.emit()

    def _show_preview(self, preview: ImportPreview) -> None:
        self._preview = preview
        self.form.show_preview(preview)
        self.table.show_preview(preview, self.form.languages, self.form.label)
        self._show_problem(preview.problem)
        self.documents.show_preview(preview)
        self._notes.setText("\n".join(preview.notes))
        self._notes.setVisible(bool(preview.notes))

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    def _show_facts(self) -> None:
        paths = self.together.used
        size = sum(path.stat().st_size for path in paths if path.is_file())
        facts = [str(paths[0].parent)]
        if size:
            facts.append(format_bytes(size))
        if self._preview is not None and self._preview.n_rows:
            is_one = self._preview.n_rows == 1
            words = self.tr("{n} sentence") if is_one else self.tr("{n} sentences")
            facts.append(words.format(n=self._count(self._preview)))
        self._facts.setText(" · ".join(facts))

    def _refresh_button(self) -> None:
        """Show on the button what it will import, or what is missing."""
        preview, languages = self._preview, self.form.languages
        can_import = bool(
            preview is not None
            and not preview.problem
            and preview.n_rows
            and languages
            and all(languages)
        )
        self.ok.setEnabled(can_import)
        self._copy.setEnabled(can_import)
        if preview is None or not can_import:
            is_readable = preview is not None and preview.n_rows and not preview.problem
            words = self.tr("Select the language") if is_readable else self.tr("Import")
            self._set_button_text(words)
            return
        is_one = preview.n_rows == 1
        words = (
            self.tr("Import {n} sentence in {languages}")
            if is_one
            else self.tr("Import {n} sentences in {languages}")
        )
        if len(languages) > 1:
            words = (
                self.tr("Import {n} pair in {languages}")
                if is_one
                else self.tr("Import {n} pairs in {languages}")
            )
        names = " + ".join(language_name(code) for code in languages)
        self._set_button_text(words.format(n=self._count(preview), languages=names))

    def _count(self, preview: ImportPreview) -> str:
        if preview.is_estimate:
            return self.tr("about {n}").format(n=format_estimate(preview.n_rows))
        return format_count(preview.n_rows)

    def _set_button_text(self, words: str) -> None:
        self.ok.setText(words)
        self.ok.setAccessibleName(words)

    # --- what the user does ---

    def params(self) -> ImportCorpus:
        """Return the params of the import.

        Raises:
            msgspec.ValidationError: a field is out of its bounds.
        """
        params: ImportCorpus = build_params(
            ImportCorpus, self.form.values(is_final=True)
        )
        return params

    def _on_ok(self) -> None:
        try:
            params = self.params()
        except msgspec.ValidationError as error:
            words = self.tr("Can't import with these settings: {error}.")
            self._show_problem(words.format(error=error))
            return
        self.defaults_chosen.emit(self.form.next_defaults(self._defaults))
        encodes = self._encodes.isChecked()
        self._submission.submit(lambda: self.import_chosen.emit(params, encodes))
        rest = [path for path in self._paths if path not in self.together.used]
        if rest:
            self.rest_left.emit(rest)

    def copy_command(self) -> None:
        """Copy the terminal command of this import."""
        project = self._state.project
        folder = project.folder if project is not None else None
        copy_text(command_text(self.params(), folder))
        self._copy.setText(self.tr("Copied"))


def _name_files(paths: list[Path]) -> str:
    """Return the names of the first files and the number of the others."""
    named = ", ".join(path.name for path in paths[:N_NAMED])
    return named if len(paths) <= N_NAMED else f"{named} + {len(paths) - N_NAMED:,}"
