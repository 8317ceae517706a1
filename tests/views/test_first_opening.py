"""A view is quick to open for the first time: Qt styles few widgets more than once.

Qt styles a widget, and all that is inside it, again whenever it gets another parent. A
view that is built from the outermost widget inwards therefore opens much faster.
"""

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.views.client.state import AppState
from app.views.shell.view_registry import list_views

MAX_STYLED = 4.5  # times that a widget is styled, on average
VIEWS = ("mining", "review", "classify", "evaluate", "map", "quality", "training")


class StyleCounter(QObject):
    """Counts how often any widget is styled."""

    n = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n += event.type() == QEvent.Type.StyleChange
        return False


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_built_from_the_outside(
    name: str, open_state: AppState, qapp: QApplication, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    entry = next(one for one in list_views(open_state) if one.name == name)
    counter = StyleCounter()
    qapp.installEventFilter(counter)
    view = entry.make(window)
    qapp.removeEventFilter(counter)
    n_widgets = len(view.findChildren(QWidget))
    assert counter.n <= MAX_STYLED * n_widgets
