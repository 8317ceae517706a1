"""What can be done in the encoders view: actions, enabled when they are possible."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.encoder_book import EncoderCard
    from app.views.encoder_jobs import EncoderJobs
    from app.views.encoders_view import EncodersView


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

    def _make_adding(self, jobs: "EncoderJobs") -> None:
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

    def _make_using(self, jobs: "EncoderJobs") -> None:
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

    def _make_keeping(self, jobs: "EncoderJobs") -> None:
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

    def _make_reading(self, jobs: "EncoderJobs") -> None:
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
        """Give the actions that have a button, with its words."""
        return [
            (self.measuring, self.tr("Measure coverage")),
            (self.encoding, self.tr("Encode corpora")),
            (self.renaming, self.tr("Rename…")),
            (self.exporting, self.tr("Export…")),
            (self.opening, self.tr("Open folder")),
            (self.copying_hash, self.tr("Copy SHA-256")),
            (self.removing, self.tr("Remove")),
        ]

    def refresh(self, card: "EncoderCard | None") -> None:
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
