"""Choices of a box: others are offered, and what was chosen stays so."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox


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
