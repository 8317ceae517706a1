"""Packages of pairs: handed over, judged elsewhere, handed back, merged."""

import re
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.engine.store.pair_rows import MiningRow
from app.params import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.views.state import AppState
from app.views.widgets.task_dialog import TaskDialog

ENDING = ".pairs.gz"


class PackageDialogs:
    """Asks what a package's task needs to know, and begins it."""

    def __init__(self, state: AppState, view: QWidget):
        self._state, self._view = state, view

    def hand_over(self, mining: MiningRow) -> None:
        """Write pairs of a set for another annotator."""
        out = _offer_file(mining.name, "to-judge")
        self._open(ExportPackage(pairs=str(mining.id), out=out), "pairs")

    def hand_back(self, mining: MiningRow) -> None:
        """Write the judgements on pairs that somebody handed over."""
        out = _offer_file(mining.name, "judged")
        self._open(ReturnPackage(pairs=str(mining.id), out=out), "pairs")

    def take_package(self) -> None:
        """Take pairs that somebody handed over, to judge them."""
        self._open(OpenPackage)

    def merge_package(self) -> None:
        """Take in what another annotator judged."""
        self._open(MergePackage)

    def _open(
        self,
        task: ExportPackage | ReturnPackage | type[OpenPackage] | type[MergePackage],
        *skip: str,
    ) -> None:
        window = self._view.window()
        if isinstance(task, type):
            TaskDialog(self._state, task, parent=window).open()
        else:
            TaskDialog(self._state, type(task), task, skip=skip, parent=window).open()


def _offer_file(name: str, what: str) -> Path:
    """Offer a file in the home folder that is not there yet."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-") or "pairs"
    for number in range(1, 1000):
        mark = f"-{number}" if number > 1 else ""
        file = Path.home() / f"{stem}-{what}{mark}{ENDING}"
        if not file.exists():
            return file
    return Path.home() / f"{stem}-{what}{ENDING}"
