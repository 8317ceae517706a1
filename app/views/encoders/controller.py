"""Actions of the encoders view: add, use, measure, export and remove encoders."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QFileDialog, QPushButton

from app.errors import ErrorInfo
from app.params import build_params
from app.params.base import TaskParams
from app.params.encoders import (
    AddEncoder,
    ExportEncoder,
    ImportVectors,
    MeasureCoverage,
)
from app.params.vectors import Encode
from app.protocol.edits.encoders import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
)
from app.views.client.encoders import EncoderInfo
from app.views.encoders.facts import vector_bytes
from app.views.encoders.sources import describe_source, guess_kind, guess_params
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.corpus_choices import describe_corpus, name_corpus
from app.views.widgets.dialogs import ask_name, ask_path, ask_question, copy_text
from app.views.widgets.model_card import read_card
from app.views.widgets.number_format import format_bytes
from app.views.widgets.table_export import export_table
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import offer_undo

if TYPE_CHECKING:
    from app.views.client.encoders import EncoderInfo
    from app.views.encoders.view import EncodersView


class EncoderActions(QObject):
    """Makes the actions of the encoders view."""

    def __init__(self, view: "EncodersView"):
        super().__init__(view)
        self._view = view
        self._make_adding(view.jobs)
        self._make_using(view.jobs)
        self._make_keeping(view.jobs)
        self._make_reading(view.jobs)
        # Only in the list: in a field Del must not remove the encoder.
        self.removing.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def _make_adding(self, jobs: "EncoderController") -> None:
        self.adding_file = self._add(
            self.tr("Add LASER from a file…"),
            self.tr("Add a LASER encoder: a .pt file with its pieces."),
            jobs.add_file,
            keys="Ctrl+Shift+A",
        )
        self.adding_folder = self._add(
            self.tr("Add an encoder's folder…"),
            self.tr("Add a sentence-transformers folder, or one of Isogloss."),
            jobs.add_folder,
            keys="Ctrl+Shift+O",
        )
        self.importing = self._add(
            self.tr("Import vectors…"),
            self.tr("Take vectors made elsewhere as those of a corpus."),
            jobs.import_vectors,
        )

    def _make_using(self, jobs: "EncoderController") -> None:
        self.using = self._add(
            self.tr("Use the encoder in this project"),
            self.tr("Search and encode with this encoder from now on."),
            jobs.use,
            keys="Ctrl+Return",
        )
        self.measuring = self._add(
            self.tr("Measure coverage and speed"),
            self.tr("Measure how it covers the languages of this project."),
            jobs.measure,
            keys="Ctrl+M",
        )
        self.measuring_files = self._add(
            self.tr("Measure coverage on files…"),
            self.tr("Measure how it covers languages of text files."),
            jobs.measure_files,
        )
        self.encoding = self._add(
            self.tr("Encode the corpora with it"),
            self.tr("Make the vectors that the project lacks by this encoder."),
            jobs.encode,
        )

    def _make_keeping(self, jobs: "EncoderController") -> None:
        self.renaming = self._add(
            self.tr("Rename the encoder…"),
            self.tr("Give the encoder another name."),
            jobs.rename,
            keys="F2",
        )
        self.exporting = self._add(
            self.tr("Export the encoder's folder…"),
            self.tr("Write the encoder to another place, with its card."),
            jobs.export,
        )
        self.removing = self._add(
            self.tr("Remove the encoder"),
            self.tr("Remove it from the project; this can be undone."),
            jobs.remove,
            keys=QKeySequence.StandardKey.Delete,
        )
        self.dropping = self._add(
            self.tr("Remove the vectors of encoders that are not here…"),
            self.tr("Free the disk of vectors that no encoder here can search."),
            jobs.drop_strange_vectors,
        )

    def _make_reading(self, jobs: "EncoderController") -> None:
        self.opening = self._add(
            self.tr("Open the encoder's folder"),
            self.tr("Show the encoder's files in the file manager."),
            jobs.open_folder,
        )
        self.copying_hash = self._add(
            self.tr("Copy the encoder's SHA-256"),
            self.tr("Copy the hash of weights and vocabulary."),
            jobs.copy_hash,
        )
        self.copying_card = self._add(
            self.tr("Copy the model card"),
            self.tr("Copy the card as Markdown."),
            jobs.copy_card,
        )

    def short_names(self) -> list[tuple[QAction, str]]:
        """Return the actions that have a button, with its words."""
        return [
            (self.measuring, self.tr("Measure coverage")),
            (self.encoding, self.tr("Encode corpora")),
            (self.renaming, self.tr("Rename…")),
            (self.exporting, self.tr("Export…")),
            (self.opening, self.tr("Open folder")),
            (self.copying_hash, self.tr("Copy SHA-256")),
            (self.removing, self.tr("Remove")),
        ]

    def refresh(self, card: "EncoderInfo | None") -> None:
        """Enable what can be done with the encoder that is shown."""
        view, writable = self._view, self._view.can_write
        for action in (self.adding_file, self.adding_folder, self.importing):
            action.setEnabled(writable)
        is_own = writable and card is not None and not card.bundled
        makes_vectors = card is not None and card.architecture != "vectors"
        is_used = card is not None and card.name == view.book.chosen
        self.using.setEnabled(writable and card is not None and not is_used)
        self.measuring.setEnabled(
            writable and card is not None and view.has_corpora and not view.measurement
        )
        self.measuring_files.setEnabled(writable and makes_vectors)
        self.encoding.setEnabled(
            writable and makes_vectors and bool(view.missing_corpora)
        )
        self.renaming.setEnabled(is_own)
        self.removing.setEnabled(is_own)
        self.dropping.setEnabled(writable and bool(view.strange_vectors))
        for action in (
            self.exporting,
            self.opening,
            self.copying_hash,
            self.copying_card,
        ):
            action.setEnabled(card is not None)

    def _add(
        self,
        text: str,
        hint: str,
        slot: Callable[[], object],
        *,
        keys: str | QKeySequence.StandardKey = "",
    ) -> QAction:
        return add_action(self._view, text, slot, keys=keys, hint=hint)


FOLDER_MODE = QFileDialog.FileMode.Directory


class EncoderController(QObject):
    """Does what the actions of the encoders view say."""

    def __init__(self, view: "EncodersView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._has_vectors = False  # the encoder that is being removed

    @property
    def _card(self) -> EncoderInfo:
        card = self._view.card
        assert card is not None, "the actions are disabled without an encoder"
        return card

    # --- adding ---

    def add_file(self) -> None:
        """Ask for a LASER file, then for its settings."""
        ask_path(
            self._view,
            self.tr("Choose LASER's .pt file"),
            self.add_path,
            filters=self.tr("LASER (*.pt);;All files (*)"),
        )

    def add_folder(self) -> None:
        """Ask for an encoder's folder, then for its settings."""
        title = self.tr("Choose the folder of an encoder")
        ask_path(self._view, title, self.add_path, mode=FOLDER_MODE)

    def add_path(self, path: Path) -> None:
        """Show what is known of a file or folder, to be added as an encoder."""
        values = build_params(AddEncoder, guess_params(path))
        skip = () if guess_kind(path) == "laser" else ("pieces", "dictionary")
        self._show_task(AddEncoder, values, skip=skip, note=describe_source(path))

    def import_vectors(self, file: Path | None = None) -> None:
        """Ask for vectors and the corpus they belong to."""
        project = self._state.project
        corpora = project.corpora if project is not None else []
        choices = [(describe_corpus(row), name_corpus(corpora, row)) for row in corpora]
        if not choices:
            self._say(self.tr("Vectors belong to a corpus: import its texts first."))
            return
        first = choices[0][1]
        values = {"file": file or Path(), "corpus": first, "encoder": "imported"}
        dialog = self._show_task(ImportVectors, build_params(ImportVectors, values))
        dialog.form.set_choices("corpus", choices)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Offer to add the first path that is an encoder, or vectors."""
        for path in paths:
            kind = guess_kind(path)
            if kind == "vectors":
                self.import_vectors(path)
            elif kind is not None:
                self.add_path(path)
            if kind is not None:
                return

    # --- using ---

    def use(self) -> None:
        """Take the encoder into use; say which corpora it must encode first."""
        self._state.edit(ChooseEncoder(self._card.name), self._on_chosen)

    def measure(self) -> None:
        """Measure what the encoder covers, on every corpus."""
        self._state.run(MeasureCoverage(encoder=self._card.name))

    def measure_files(self) -> None:
        """Ask for text files to measure on."""
        values = MeasureCoverage(encoder=self._card.name)
        self._show_task(MeasureCoverage, values, skip=("encoder", "corpora"))

    def encode(self) -> None:
        """Encode the corpora that lack vectors by it."""
        ids = tuple(map(str, self._view.missing_corpora))
        if ids:
            self._state.run(Encode(corpora=ids, encoder=self._card.name))

    # --- keeping ---

    def rename(self) -> None:
        """Ask for another name."""
        old = self._card.name
        ask_name(
            self._view,
            self.tr("What shall {name} be called?").format(name=old),
            old,
            lambda name: self._state.edit(RenameEncoder(old, name), self._on_done),
        )

    def export(self) -> None:
        """Ask where to write the encoder's folder."""
        name = self._card.name
        ask_path(
            self._view,
            self.tr("Choose the folder that {name} is written into").format(name=name),
            lambda folder: self.export_to(folder / name),
            mode=FOLDER_MODE,
        )

    def export_to(self, folder: Path) -> None:
        """Write the encoder's folder."""
        self._state.run(ExportEncoder(encoder=self._card.name, out=folder))

    def export_coverage(self) -> None:
        """Ask where to write the table of coverage."""
        ask_path(
            self._view,
            self.tr("Export coverage"),
            self.export_coverage_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"coverage of {self._card.name}.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def export_coverage_to(self, file: Path) -> None:
        """Write the table of coverage as a TSV."""
        export_table(self._state, file, self._view.coverage.table.lines())

    def remove(self) -> None:
        """Remove the encoder; a message offers to undo it."""
        self._has_vectors = bool(self._view.vectors)
        name = self._card.name
        self._state.edit(RemoveEncoder(name), self._on_removed)

    def drop_strange_vectors(self) -> None:
        """Ask whether to remove the vectors of encoders that are not here."""
        rows = self._view.strange_vectors
        names = self._view.strange_names
        size = format_bytes(sum(map(vector_bytes, rows)))
        change = DropVectors(tuple(sorted({row.fingerprint for row in rows})))
        words = self.tr("Remove the vectors of {names}? That frees {size}.")
        ask_question(
            self._view,
            words.format(names=names, size=size),
            {self.tr("Remove"): lambda: self._state.edit(change, self._on_done)},
            details=self.tr(
                "This can't be undone: the encoder must encode the corpora again. "
                "Vectors that were made elsewhere must be imported again."
            ),
        )

    # --- reading ---

    def open_folder(self) -> None:
        """Show the encoder's files."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._card.folder))

    def copy_hash(self) -> None:
        """Copy the SHA-256."""
        copy_text(self._card.fingerprint)
        self._say(self.tr("The SHA-256 is copied."))

    def copy_card(self) -> None:
        """Copy the model card."""
        copy_text(read_card(Path(self._card.folder)))
        self._say(self.tr("The model card is copied."))

    # --- what the engine says ---

    def _on_chosen(self, answer: dict[str, Any] | ErrorInfo) -> None:
        text, buttons = self._text(answer), []
        missing = self._view.missing_corpora
        if text and missing and self._card.architecture != "vectors":
            words = self.tr("{text} It has not encoded {n} of the corpora yet.")
            text = words.format(text=text, n=len(missing))
            hint = self.tr("Make the vectors that are missing.")
            buttons = [make_button(self.tr("Encode"), hint, self.encode)]
        self._post(text, buttons)

    def _on_removed(self, answer: dict[str, Any] | ErrorInfo) -> None:
        text = self._text(answer)
        if text:
            if self._has_vectors:
                words = self.tr("{text} Its vectors stay until you remove them.")
                text = words.format(text=text)
            hint = self.tr("Bring it back (Ctrl+Z).")
            offer_undo(self._state, self._view.messages, text, hint)

    def _on_done(self, answer: dict[str, Any] | ErrorInfo) -> None:
        self._post(self._text(answer))

    def _text(self, answer: dict[str, Any] | ErrorInfo) -> str:
        """Return what was done; a refusal is shown, and gives nothing."""
        if isinstance(answer, ErrorInfo):
            self._state.error_posted.emit(answer)
            return ""
        return str(answer.get("text", ""))

    def _post(self, text: str, buttons: Sequence[QPushButton] = ()) -> None:
        if text:
            self._view.messages.clear()
            self._view.messages.post(text, buttons=buttons)

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)

    def _show_task(
        self,
        struct: type[TaskParams],
        values: TaskParams,
        *,
        skip: Sequence[str] = (),
        note: str = "",
    ) -> TaskDialog:
        dialog = TaskDialog(
            self._state, struct, values, skip=skip, note=note, parent=self._view
        )
        dialog.open()
        return dialog
