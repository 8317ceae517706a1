"""Packages of pairs: handed over, judged elsewhere, handed back, merged."""

import re
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.params import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.views.review_desk import ReviewDesk
from app.views.widgets.task_dialog import TaskDialog

ENDING = ".pairs.gz"


class PackageDialogs:
    """Asks what a package's task needs to know, and begins it."""

    def __init__(self, desk: ReviewDesk, view: QWidget):
        self._desk, self._view = desk, view

    def hand_over(self) -> None:
        """Write pairs of the set under review for another annotator."""
        mining = self._desk.mining
        if mining is not None:
            out = _offer_file(mining.name, "to-judge")
            self._open(ExportPackage(pairs=str(mining.id), out=out), "pairs")

    def hand_back(self) -> None:
        """Write the judgements on pairs that somebody handed over."""
        mining = self._desk.mining
        if mining is not None:
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
        state, window = self._desk.state, self._view.window()
        if isinstance(task, type):
            TaskDialog(state, task, parent=window).open()
        else:
            TaskDialog(state, type(task), task, skip=skip, parent=window).open()


def _offer_file(name: str, what: str) -> Path:
    """Offer a file in the home folder that is not there yet."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-") or "pairs"
    for number in range(1, 1000):
        mark = f"-{number}" if number > 1 else ""
        file = Path.home() / f"{stem}-{what}{mark}{ENDING}"
        if not file.exists():
            return file
    return Path.home() / f"{stem}-{what}{ENDING}"
