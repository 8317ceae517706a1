"""A label of a sentence breaks long words, and is painted only when it changes."""

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets.boxes import make_column
from app.views.widgets.sentence_label import SentenceLabel
from app.views.widgets.theme import Theme

TEXTS = ("A short one.", "A longer sentence. " * 20, "Donaudampfschifffahrt" * 30)
N_ROUNDS = 50


class _CountingLabel(SentenceLabel):
    n_painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.n_painted += 1
        super().paintEvent(event)


@pytest.mark.parametrize("width", [200, 413])
@pytest.mark.parametrize("text", TEXTS)
def test_a_label_at_rest_is_not_painted_again(
    text: str, width: int, qtbot: QtBot, theme: Theme
) -> None:
    window, label = QWidget(), _CountingLabel()
    make_column(label, parent=window)
    label.show_sentence(text, "en")
    window.resize(width, 300)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: label.n_painted > 0)
    for _ in range(N_ROUNDS):
        QCoreApplication.processEvents()
    assert label.n_painted <= 3
    label.show_sentence(text[::-1], "en")  # a change is painted
    before = label.n_painted
    qtbot.waitUntil(lambda: label.n_painted > before)


def test_a_word_longer_than_the_line_is_broken(qtbot: QtBot, theme: Theme) -> None:
    label = SentenceLabel()
    qtbot.addWidget(label)
    label.show_sentence("x" * 400, "en")
    line = label.fontMetrics().height()
    n_lines = label.fontMetrics().horizontalAdvance("x" * 400) / 200
    assert label.heightForWidth(200) >= n_lines * line * 0.9
