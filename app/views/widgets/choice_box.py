"""Choices of a box: found by typing; others are offered, what was chosen stays so."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
)
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

SIGN = "⊂ "  # before the name of a sub-corpus


class ChoiceModel(QStandardItemModel):
    """Choices; a sub-corpus is found by its name, without the sign before it."""

    def __init__(self, box: QComboBox):
        super().__init__(0, 1, box)

    def match(
        self,
        start: QModelIndex | QPersistentModelIndex,
        role: int,
        value: Any,
        hits: int = 1,
        flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith,
    ) -> list[QModelIndex]:
        """Find choices from one on; the keys that are typed are matched by this."""
        found = super().match(start, role, value, hits, flags)
        if role == Qt.ItemDataRole.DisplayRole and flags & Qt.MatchFlag.MatchStartsWith:
            found += super().match(start, role, f"{SIGN}{value}", hits, flags)
            n = self.rowCount()
            found.sort(key=lambda index: (index.row() - start.row()) % n)
        return found if hits < 0 else found[:hits]


def make_box() -> QComboBox:
    """Make a box whose choices are found by typing, sub-corpora too."""
    box = QComboBox()
    box.setModel(ChoiceModel(box))
    return box


def refill(box: QComboBox, choices: Sequence[tuple[str, str]]) -> None:
    """Offer others, pairs of words and key; tell nobody of it."""
    kept = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for words, key in choices:
            box.addItem(words, key)
        box.setCurrentIndex(max(box.findData(kept), 0))


def choose(box: QComboBox, key: str) -> None:
    """Choose a key, the first one where it is not offered; tell nobody of it."""
    with QSignalBlocker(box):
        box.setCurrentIndex(max(box.findData(key), 0))
