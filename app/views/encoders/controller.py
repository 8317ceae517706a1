"""Controller of the encoders view: add, use, measure, export and remove encoders."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.engine.store.words.indexes import list_table_names
from app.errors import ErrorInfo
from app.params import build_params
from app.params.base import TaskParams
from app.params.encoders import (
    AddEncoder,
    ImportVectors,
    MeasureCoverage,
)
from app.params.vectors import Encode
from app.protocol.answers.edits import EditAnswer
from app.protocol.answers.encoders import EncoderInfo
from app.protocol.edits.encoders import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
)
from app.views.encoders.add_language import (
    AddLanguageDialog,
    list_translated_corpora,
)
from app.views.encoders.export_dialog import EncoderExportDialog
from app.views.encoders.selection import EncoderSelection, vector_bytes
from app.views.encoders.sources import (
    SourceKind,
    describe_source,
    guess_kind,
    guess_params,
    unused_fields,
)
from app.views.widgets.controls import add_action, add_synonyms, make_button
from app.views.widgets.corpus_choices import describe_corpus, name_corpus
from app.views.widgets.dialogs import (
    ask_name,
    ask_path,
    ask_question,
    copy_text,
    open_path,
)
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.model_card import read_card
from app.views.widgets.number_format import format_bytes, pluralize
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import offer_undo

ENCODER_TOPIC = "encoder"  # of messages about encoders
FOLDER_MODE = QFileDialog.FileMode.Directory


class EncoderController(QObject):
    """Creates and runs the actions of the encoders view."""

    def __init__(
        self, selection: EncoderSelection, messages: MessageBar, view: QWidget
    ):
        """Add the actions, which apply to the selected encoder, to the view."""
        super().__init__(view)
        self._selection, self._state = selection, selection.state
        self._messages, self._view = messages, view
        self._had_vectors = False  # of the encoder being removed
        self._make_add_actions()
        self._make_use_actions()
        self._make_file_actions()
        self._make_copy_actions()

    # --- actions ---

    def _make_add_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.add_file_action = add(
            tr("Add a LASER encoder…"),
            tr("Add a LASER encoder from its .pt file."),
            self.add_file,
            "Ctrl+Shift+A",
        )
        self.add_folder_action = add(
            tr("Add an encoder folder…"),
            tr("Add a sentence-transformers or Isogloss encoder folder."),
            self.add_folder,
            "Ctrl+Shift+O",
        )
        self.fine_tune_action = add(
            tr("Fine-tune on my pairs…"),
            tr("Train this encoder further on linked corpora or pair files."),
            self.fine_tune,
        )
        self.add_language_action = add(
            tr("Add a language…"),
            tr(
                "Train an encoder for another language, in the vector space of this "
                "one."
            ),
            self.add_language,
        )
        self.add_words_action = add(
            tr("Add averaged word vectors…"),
            tr("Add an encoder that averages the word vectors of a file."),
            self.add_word_vectors,
        )
        self.add_stored_words_action = add(
            tr("Add averaged word vectors of the project…"),
            tr("Add an encoder that averages word vectors of this project."),
            self.add_stored_word_vectors,
        )
        self.import_action = add(
            tr("Import vectors…"),
            tr("Import vectors of a corpus that another program computed."),
            self.import_vectors,
        )

    def _make_use_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.use_action = add(
            tr("Use the encoder in this project"),
            tr("Use this encoder for search and encoding."),
            self.use,
            "Ctrl+Return",
        )
        self.measure_action = add(
            tr("Measure coverage"),
            tr(
                "Measure the speed of the encoder, and how well it covers the "
                "languages of this project."
            ),
            self.measure,
            "Ctrl+M",
        )
        add_synonyms(self.measure_action, tr("languages worst best poor quality"))
        self.measure_files_action = add(
            tr("Measure coverage on files…"),
            tr("Measure how well the encoder covers the languages of text files."),
            self.measure_files,
        )
        self.encode_action = add(
            tr("Encode corpora"),
            tr("Encode the corpora that have no vectors from this encoder."),
            self.encode,
        )

    def _make_file_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.rename_action = add(
            tr("Rename encoder…"), tr("Rename the encoder."), self.rename, "F2"
        )
        self.export_action = add(
            tr("Export encoder folder…"),
            tr("Copy the encoder's folder, with its model card."),
            self.export,
        )
        self.remove_action = add(
            tr("Remove encoder"),
            tr("Remove the encoder from the project. You can undo this."),
            self.remove,
            QKeySequence.StandardKey.Delete,
            is_local=True,  # active in the list only, not in a field
        )
        self.remove_vectors_action = add(
            tr("Remove vectors of missing encoders…"),
            tr("Delete the vectors of encoders that this project no longer has."),
            self.remove_orphaned_vectors,
        )

    def _make_copy_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.open_action = add(
            tr("Open encoder folder"),
            tr("Show the encoder's files in the file manager."),
            self.open_folder,
        )
        self.copy_hash_action = add(
            tr("Copy SHA-256 of the encoder"),
            tr("Copy the SHA-256 hash of the weights and the vocabulary."),
            self.copy_hash,
        )
        self.copy_card_action = add(
            tr("Copy model card"),
            tr("Copy the model card as Markdown."),
            self.copy_card,
        )

    @property
    def add_actions(self) -> list[QAction]:
        """The actions that add an encoder or vectors."""
        return [
            self.fine_tune_action,
            self.add_language_action,
            self.add_file_action,
            self.add_folder_action,
            self.add_words_action,
            self.add_stored_words_action,
            self.import_action,
        ]

    @property
    def button_actions(self) -> list[tuple[QAction, str]]:
        """The actions with a button, and their short texts."""
        return [
            (self.measure_action, self.tr("Measure coverage")),
            (self.encode_action, self.tr("Encode corpora")),
            (self.fine_tune_action, self.tr("Fine-tune…")),
            (self.rename_action, self.tr("Rename…")),
            (self.export_action, self.tr("Export…")),
            (self.open_action, self.tr("Open folder")),
            (self.copy_hash_action, self.tr("Copy SHA-256")),
            (self.remove_action, self.tr("Remove")),
        ]

    def refresh(self) -> None:
        """Enable the actions that apply to the current encoder."""
        selection, encoder = self._selection, self._selection.encoder
        can_write, has_encoder = selection.state.can_write, encoder is not None
        is_own = can_write and encoder is not None and not encoder.bundled
        can_encode = encoder is not None and encoder.architecture != "vectors"
        for action in self.add_actions:
            action.setEnabled(can_write)
        self.use_action.setEnabled(
            can_write and has_encoder and not selection.is_in_use
        )
        self.measure_action.setEnabled(
            can_write
            and has_encoder
            and selection.has_corpora
            and selection.measurement is None
        )
        self.measure_files_action.setEnabled(can_write and can_encode)
        self.encode_action.setEnabled(
            can_write and can_encode and bool(selection.missing_corpora)
        )
        self.rename_action.setEnabled(is_own)
        self.remove_action.setEnabled(is_own)
        self.remove_vectors_action.setEnabled(
            can_write and bool(selection.orphaned_vectors)
        )
        for action in (
            self.export_action,
            self.open_action,
            self.copy_hash_action,
            self.copy_card_action,
        ):
            action.setEnabled(has_encoder)

    @property
    def _encoder(self) -> EncoderInfo:
        encoder = self._selection.encoder
        assert encoder is not None, "the actions are disabled without an encoder"
        return encoder

    @property
    def _base_encoder(self) -> str:
        """Name of the current encoder, or of the one in use if it has only vectors."""
        encoder = self._selection.encoder
        is_usable = encoder is not None and encoder.architecture != "vectors"
        chosen = self._state.encoders.chosen
        return encoder.name if encoder is not None and is_usable else chosen

    # --- add ---

    def add_file(self) -> None:
        """Ask for a LASER file, and then for its settings."""
        ask_path(
            self._view,
            self.tr("Choose a LASER .pt file"),
            self.add_path,
            filters=self.tr("LASER (*.pt);;All files (*)"),
        )

    def add_folder(self) -> None:
        """Ask for an encoder's folder, and then for its settings."""
        title = self.tr("Choose an encoder folder")
        ask_path(self._view, title, self.add_path, mode=FOLDER_MODE)

    def add_word_vectors(self) -> None:
        """Ask for a file of word vectors, and then for the weights."""
        ask_path(
            self._view,
            self.tr("Choose a file of word vectors"),
            partial(self.add_path, kind="word-vectors"),
            filters=self.tr("Word vectors (*.vec *.vec.gz *.txt *.bin);;All files (*)"),
        )

    def add_stored_word_vectors(self) -> None:
        """Ask which word vectors of the project to average, and for the weights."""
        project = self._state.project
        names = list_table_names(project.folder) if project is not None else []
        if not names:
            self._notify(self.tr("Train or import word vectors in Words first."))
            return
        values = {"source": names[0], "name": names[0], "kind": "word-vectors"}
        dialog = self._show_task(
            AddEncoder,
            build_params(AddEncoder, values),
            skip=unused_fields("word-vectors"),
        )
        dialog.form.set_choices("source", [(name, name) for name in names])

    def add_path(self, path: Path, kind: SourceKind | None = None) -> None:
        """Show the dialog that adds a file or folder as an encoder.

        Args:
            kind: kind of source; None to guess it.
        """
        kind = kind or guess_kind(path)
        values = build_params(AddEncoder, guess_params(path, kind))
        note = describe_source(path, kind)
        self._show_task(AddEncoder, values, skip=unused_fields(kind), note=note)

    def fine_tune(self) -> None:
        """Show the dialog for fine-tuning the current encoder or the one in use."""
        FineTuneDialog(self._state, self._base_encoder, self._view).open()

    def add_language(self) -> None:
        """Ask for the settings; without linked corpora, first for a file of pairs."""
        if list_translated_corpora(self._state):
            self.add_language_of(None)
            return
        ask_path(
            self._view,
            self.tr("Choose a file of translations with English in the first column"),
            self.add_language_of,
            filters=self.tr("Pairs (*.tsv *.tsv.xz *.tsv.gz);;All files (*)"),
        )

    def add_language_of(self, pairs: Path | None) -> None:
        """Show the dialog that adds the language of a file or corpus."""
        AddLanguageDialog(self._state, self._base_encoder, pairs, self._view).open()

    def import_vectors(self, file: Path | None = None) -> None:
        """Ask for vectors and their corpus."""
        corpora = self._state.corpora
        choices = [(describe_corpus(row), name_corpus(corpora, row)) for row in corpora]
        if not choices:
            self._notify(self.tr("Import the corpus of the vectors first."))
            return
        first = choices[0][1]
        values = {"file": file or Path(), "corpus": first, "encoder": "imported"}
        dialog = self._show_task(ImportVectors, build_params(ImportVectors, values))
        dialog.form.set_choices("corpus", choices)

    def add_dropped(self, paths: Sequence[Path]) -> None:
        """Show the dialog for the first path that contains an encoder or vectors."""
        for path in paths:
            kind = guess_kind(path)
            if kind == "vectors":
                self.import_vectors(path)
            elif kind is not None:
                self.add_path(path)
            if kind is not None:
                return

    # --- use ---

    def use(self) -> None:
        """Use the encoder for search, and report the corpora to encode first."""
        self._state.edit(ChooseEncoder(self._encoder.name), self._on_chosen)

    def measure(self) -> None:
        """Measure the coverage of the encoder on every corpus."""
        self._state.run(MeasureCoverage(encoder=self._encoder.name))

    def evaluate(self) -> None:
        """Ask how to measure the retrieval error of the encoder."""
        self._state.view_requests.evaluation_requested.emit(self._encoder.name)

    def measure_files(self) -> None:
        """Ask for text files to measure on."""
        values = MeasureCoverage(encoder=self._encoder.name)
        self._show_task(MeasureCoverage, values, skip=("encoder", "corpora"))

    def encode(self) -> None:
        """Encode the corpora that have no vectors from the encoder."""
        ids = tuple(map(str, self._selection.missing_corpora))
        if ids:
            self._state.run(Encode(corpora=ids, encoder=self._encoder.name))

    # --- rename, export, remove ---

    def rename(self) -> None:
        """Ask for a new name."""
        old = self._encoder.name
        ask_name(
            self._state,
            self._view,
            self.tr("New name for the encoder {name}").format(name=old),
            old,
            lambda name: self._state.edit(RenameEncoder(old, name), self._on_done),
        )

    def export(self) -> None:
        """Ask where to export the encoder's folder."""
        EncoderExportDialog(self._state, self._encoder, self._view).open()

    def remove(self) -> None:
        """Remove the encoder, and offer to undo the removal."""
        self._had_vectors = bool(self._selection.vectors)
        self._state.edit(RemoveEncoder(self._encoder.name), self._on_removed)

    def remove_orphaned_vectors(self) -> None:
        """Ask whether to remove the vectors of encoders that are not available."""
        rows = self._selection.orphaned_vectors
        names = self._selection.orphaned_names
        change = DropVectors(tuple(sorted({row.fingerprint for row in rows})))
        words = self.tr("Remove the vectors of {names}? This frees {size}.")
        ask_question(
            self._view,
            words.format(names=names, size=format_bytes(vector_bytes(rows))),
            {self.tr("Remove"): lambda: self._state.edit(change, self._on_done)},
            details=self.tr(
                "This can't be undone. To get the vectors back, encode the corpora "
                "again, or import the vectors again."
            ),
        )

    # --- open and copy ---

    def open_folder(self) -> None:
        """Open the encoder's folder."""
        open_path(self._state, Path(self._encoder.folder))

    def copy_hash(self) -> None:
        """Copy the SHA-256."""
        copy_text(self._encoder.fingerprint)
        self._notify(self.tr("SHA-256 copied."))

    def copy_card(self) -> None:
        """Copy the model card."""
        copy_text(read_card(Path(self._encoder.folder)))
        self._notify(self.tr("Model card copied."))

    # --- answers of the engine ---

    def _on_chosen(self, answer: EditAnswer | ErrorInfo) -> None:
        text, buttons = self._text(answer), []
        n_missing = len(self._selection.missing_corpora)
        if text and n_missing and self._encoder.architecture != "vectors":
            missing = pluralize(
                n_missing,
                self.tr("1 corpus is not encoded yet."),
                self.tr("{n} corpora are not encoded yet."),
            )
            text = f"{text} {missing}"
            hint = self.tr("Encode these corpora with this encoder.")
            buttons = [make_button(self.tr("Encode"), hint, self.encode)]
        self._post(text, buttons)

    def _on_removed(self, answer: EditAnswer | ErrorInfo) -> None:
        text = self._text(answer)
        if text:
            if self._had_vectors:
                words = self.tr("{text} Its vectors stay until you remove them.")
                text = words.format(text=text)
            hint = self.tr("Restore the encoder (Ctrl+Z).")
            offer_undo(self._state, self._messages, text, hint)

    def _on_done(self, answer: EditAnswer | ErrorInfo) -> None:
        self._post(self._text(answer))

    def _text(self, answer: EditAnswer | ErrorInfo) -> str:
        """Describe the result; if the change was refused, show why and return ""."""
        if isinstance(answer, ErrorInfo):
            self._state.error_posted.emit(answer)
            return ""
        return answer.text

    def _post(self, text: str, buttons: Sequence[QPushButton] = ()) -> None:
        if text:
            self._messages.clear()
            self._messages.post(text, buttons=buttons, topic=ENCODER_TOPIC)

    def _notify(self, text: str) -> None:
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
