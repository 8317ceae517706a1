"""Card that shows one sample sentence in every bundled language."""

import csv
import unicodedata
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QWidget

from app.paths import resource_dir
from app.views.widgets.boxes import Stretch, make_column
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.fonts import sentence_font
from app.views.widgets.theme import GRID, QUERY_PX, set_text_size

RIGHT_TO_LEFT_MARK = "\u200f"
GOLD = "g09"  # a short sentence in all twelve samples
NAMES = {
    "en": "English",
    "ar": "العربية",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "es": "Español",
    "fr": "Français",
    "hi": "हिन्दी",
    "ja": "日本語",
    "ru": "Русский",
    "sw": "Kiswahili",
    "tr": "Türkçe",
    "zh": "中文",
}


class SampleCard(QFrame):
    """A card with a sentence in twelve languages, each with its native name.

    A click on a sentence emits `sentence_chosen` with its text.

    Attributes:
        texts: the sentences; empty if the samples are missing.
    """

    sentence_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self.texts: list[str] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for row, (language, text) in enumerate(read_sentence(GOLD)):
            self.texts.append(text)
            name = make_label(NAMES[language], "secondary")
            name.setAlignment(_LEFT)
            grid.addWidget(name, row, 0)
            grid.addWidget(self._make_sentence(language, text), row, 1)
        make_column(
            make_label(self.tr("One meaning, twelve languages"), "section"),
            grid,
            Stretch(),
            parent=self,
            gap=2 * GRID,
            margins=(3 * GRID, 2 * GRID, 3 * GRID, 3 * GRID),
        )

    def _make_sentence(self, language: str, text: str) -> QPushButton:
        hint = self.tr("Search for this sentence in the demo project.")
        button = make_button(text, hint, lambda: self.sentence_chosen.emit(text))
        button.setFont(sentence_font(QFont(), language))
        set_text_size(button, QUERY_PX)
        button.setProperty("sample", "left")
        if unicodedata.bidirectional(text[0]) in ("R", "AL"):
            button.setProperty("sample", "right")
            button.setText(text + RIGHT_TO_LEFT_MARK)  # puts the full stop on the left
        return button


def read_sentence(gold: str) -> list[tuple[str, str]]:
    """Read an aligned sentence of the samples as (language, text) in a fixed order."""
    found = []
    for language in NAMES:
        text = _find(resource_dir() / "samples" / f"{language}.tsv", gold)
        if text:
            found.append((language, text))
    return found


def _find(file: Path, gold: str) -> str:
    if not file.is_file():
        return ""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return next((row["text"] for row in rows if row["gold"] == gold), "")


# AlignAbsolute: a right-to-left text would mirror "left".
_CENTRE = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | _CENTRE
