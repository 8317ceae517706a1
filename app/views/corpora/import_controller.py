"""Asks what to import, runs the imports, and encodes the imported corpora."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.engine.store.corpora import CorpusRow
from app.params import params_to_json
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.vectors import Encode
from app.results.jobs import ImportedCorpora, MadeSubcorpus
from app.views.client.runs import RunState, read_params
from app.views.client.state import AppState
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_form import NO_DEFAULTS, ImportDefaults
from app.views.widgets.dialogs import ask_path, ask_paths
from app.views.widgets.package_files import split_packages
from app.views.widgets.run_results import ResultGate


class ImportController(QObject):
    """Opens the import dialogs and tracks the runs that make corpora."""

    corpora_imported = Signal(list)  # ids
    subcorpus_made = Signal(int)  # id of a new sub-corpus

    def __init__(
        self,
        state: AppState,
        parent: QWidget,
        read_choice: Callable[[], object] = lambda: None,
    ):
        """Initialise.

        Args:
            parent: owns the dialogs.
            read_choice: returns the user's selection, to detect that it changed.
        """
        super().__init__(parent)
        self._gate = ResultGate(state, read_choice, self)
        self._state, self._parent = state, parent
        self._defaults = NO_DEFAULTS
        self._encode_after: list[ImportCorpus] = []
        self._imported: list[int] = []  # corpora of the current batch of imports
        self._to_encode: list[int] = []  # the corpora among them to encode
        self._shows_example = False  # after encoding
        state.run_finished.connect(self._on_run_finished)
        state.run_failed.connect(self._on_run_ended)
        state.run_cancelled.connect(self._on_run_ended)

    def ask(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; ask for files if there are none."""
        project = self._state.project
        if project is None or project.is_read_only:
            self._state.notice_posted.emit(self.tr("This project is read-only."))
        elif paths:
            packages, texts = split_packages(paths)
            if packages:
                self._state.view_requests.packages_chosen.emit(packages)
            if not texts:
                return
            dialog = ImportDialog(
                self._state, texts, self._parent, defaults=self._defaults
            )
            is_first = not self._state.corpora
            dialog.import_chosen.connect(self.run_first if is_first else self.run)
            dialog.defaults_chosen.connect(self._on_defaults_chosen)
            dialog.open()
        else:
            ask_paths(self._parent, self.tr("Import files as corpora"), self.ask)

    def ask_again(self, corpora: Sequence[CorpusRow]) -> None:
        """Show the import dialog for the files of corpora that still exist, or ask."""
        found = dict.fromkeys(Path(row.source) for row in corpora if row.source)
        self.ask([path for path in found if path.exists()])

    def ask_folder(self) -> None:
        """Ask for a folder whose files become the documents of one corpus."""
        ask_path(
            self._parent,
            self.tr("Import a folder as one corpus"),
            lambda path: self.ask([path]),
            mode=QFileDialog.FileMode.Directory,
        )

    def run(self, imports: Sequence[ImportCorpus], encodes: bool) -> None:
        """Import files, or resume their interrupted import.

        Args:
            imports: one import for each separate text.
            encodes: encode the imported corpora afterwards.
        """
        self._encode_after = [one for one in self._encode_after if one not in imports]
        if encodes:
            self._encode_after += imports
        for params in imports:
            self._state.run(params, self._find_interrupted(params))

    def run_first(self, imports: Sequence[ImportCorpus], encodes: bool) -> None:
        """Run the first imports of a project; `encodes`: show an example at the end."""
        self._shows_example = encodes
        self.run(imports, encodes)

    def save_state(self) -> dict[str, Any]:
        """Return the defaults of the next import, and the corpora to encode."""
        encode_after = [params_to_json(one) for one in self._encode_after]
        return {**msgspec.structs.asdict(self._defaults), "encode_after": encode_after}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the defaults of the next import, and the corpora to encode."""
        with suppress(msgspec.ValidationError):  # of another version
            self._defaults = msgspec.convert(state, ImportDefaults)
            records = msgspec.convert(state.get("encode_after", []), list[str])
            read = [read_params(record) for record in records]
            self._encode_after += [one for one in read if isinstance(one, ImportCorpus)]

    def _find_interrupted(self, params: ImportCorpus) -> int | None:
        """Return the interrupted run of the same import, or None."""
        project = self._state.project
        runs = project.interrupted if project is not None else []
        found = (run.id for run in runs if read_params(run.params) == params)
        return next(found, None)

    def _on_defaults_chosen(self, defaults: ImportDefaults) -> None:
        self._defaults = defaults

    def _on_run_finished(self, run: RunState, result: object) -> None:
        if isinstance(run.params, MakeSubcorpus) and not run.params.again:
            made = msgspec.convert(result, MadeSubcorpus).subcorpus
            if made is not None and self._gate.may_show(run):
                self.subcorpus_made.emit(made)
        if isinstance(run.params, Encode) and not self._state.is_busy:
            self._show_example()
        if not isinstance(run.params, ImportCorpus):
            return
        ids = [one.id for one in msgspec.convert(result, ImportedCorpora).corpora]
        self._imported += ids
        if self._gate.may_show(run):
            self.corpora_imported.emit(list(self._imported))
        if run.params in self._encode_after:
            self._encode_after.remove(run.params)
            self._to_encode += ids
        self._on_run_ended()

    def _on_run_ended(self, *_: object) -> None:
        """Encode the imported corpora once the last import has ended."""
        if any(isinstance(run.params, ImportCorpus) for run in self._state.runs):
            return
        ids, self._to_encode, self._imported = self._to_encode, [], []
        if ids:
            self._state.run(Encode(corpora=tuple(map(str, ids))))

    def _show_example(self) -> None:
        """Show nearest translations after the first imports if the view is visible."""
        is_wanted, self._shows_example = self._shows_example, False
        is_here = self._parent.isVisible() and QApplication.activeModalWidget() is None
        if is_wanted and is_here:
            self._state.view_requests.example_requested.emit()
