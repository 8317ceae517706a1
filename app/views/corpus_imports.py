"""Imports of the corpora view: which files, how; and what is new is shown."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.params import Encode, ImportCorpus, MakeSubcorpus
from app.views.import_dialog import ImportDialog
from app.views.runs import RunState
from app.views.widgets.dialogs import ask_path, ask_paths
from app.views.widgets.import_form import NO_IMPORT, PastImport

if TYPE_CHECKING:
    from app.views.corpus_view import CorpusView


class CorpusImports(QObject):
    """Asks what to import; shows what was imported, and encodes it where wanted."""

    def __init__(self, view: "CorpusView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._past = NO_IMPORT
        self._encode_after: list[RunState] = []
        self._new: list[int] = []  # corpora that are to be shown once they are listed
        self._new_part: int | None = None  # a sub-corpus, the same
        self._state.run_finished.connect(self._on_run_finished)

    def ask(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; without any, ask for them first."""
        if not self._view.can_write:
            self._state.notice_posted.emit(self.tr("This project can only be read."))
        elif paths:
            past = self._past
            dialog = ImportDialog(self._state, list(paths), self._view, past=past)
            dialog.import_chosen.connect(lambda *_: self._keep(dialog.past))
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

    def show_new(self) -> None:
        """Show what was made last, from its first sentence on: corpora, or a part."""
        project = self._state.project
        listed = {row.id for row in project.corpora} if project is not None else set()
        if self._new and listed.issuperset(self._new):
            ids, self._new = self._new, []
            self._view.show_from_start(ids)
        part = self._new_part
        if part is not None and part in self._view.parts.list.ids:
            self._new_part = None
            self._view.show_part(part)

    def save_state(self) -> dict[str, Any]:
        """Give what the next import begins with."""
        return msgspec.structs.asdict(self._past)

    def restore_state(self, state: dict[str, Any]) -> None:
        """Let the next import begin so."""
        with suppress(msgspec.ValidationError):  # of another version
            self._past = msgspec.convert(state, PastImport)

    def _keep(self, past: PastImport) -> None:
        self._past = past

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if isinstance(run.params, MakeSubcorpus) and not run.params.again:
            self._new_part = result.get("subcorpus")
            self.show_new()
        if not isinstance(run.params, ImportCorpus):
            return
        self._new = ids = [corpus["id"] for corpus in result.get("corpora", [])]
        self.show_new()
        if run in self._encode_after:
            self._encode_after.remove(run)
            if ids:
                self._state.run(Encode(corpora=tuple(map(str, ids))))
