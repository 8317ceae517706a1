"""Imports of the corpora view: which files, how, and their vectors afterwards."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.params import Encode, ImportCorpus
from app.views.import_dialog import ImportDialog
from app.views.runs import RunState
from app.views.widgets.dialogs import ask_path, ask_paths

if TYPE_CHECKING:
    from app.views.corpus_view import CorpusView


class CorpusImports(QObject):
    """Asks what to import, and encodes what was imported where that is wanted."""

    def __init__(self, view: "CorpusView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._encode_after: list[RunState] = []
        self._state.run_finished.connect(self._on_run_finished)

    def ask(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; without any, ask for them first."""
        if not self._view.can_write:
            self._state.notice_posted.emit(self.tr("This project can only be read."))
        elif paths:
            dialog = ImportDialog(self._state, list(paths), self._view)
            dialog.import_chosen.connect(self.run)
            dialog.rest_left.connect(self.ask)
            dialog.open()
        else:
            ask_paths(self._view, self.tr("Import files as corpora"), self.ask)

    def ask_folder(self) -> None:
        """Ask for a folder, each file of which is a document of one corpus."""
        ask_path(
            self._view,
            self.tr("Import a folder as one corpus"),
            lambda path: self.ask([path]),
            mode=QFileDialog.FileMode.Directory,
        )

    def run(self, params: ImportCorpus, encodes: bool) -> None:
        """Import; make the vectors of what was imported too, where that is wanted."""
        run = self._state.run(params)
        if encodes:
            self._encode_after.append(run)

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if run not in self._encode_after:
            return
        self._encode_after.remove(run)
        ids = tuple(str(corpus["id"]) for corpus in result.get("corpora", []))
        if ids:
            self._state.run(Encode(corpora=ids))
