"""A row of actions shows as many buttons as fit, and the rest in a menu."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.views.widgets.adaptive_rows import ActionRow


def test_the_menu_never_holds_one_action_only(qtbot: QtBot) -> None:
    row = ActionRow()
    qtbot.addWidget(row)
    names = ["Breakdown", "Save hits…", "Export…", "Copy as command"]
    row.set_actions([(QAction(name, row), name) for name in names])
    row.show()
    counts = set()
    for width in range(row.sizeHint().width() + 20, 60, -10):
        row.resize(width, row.height())
        shown = [
            button.text()
            for button in row.findChildren(QPushButton)
            if button.isVisible() and button.text() in names
        ]
        assert shown == names[: len(shown)]
        counts.add(len(shown))
    assert counts == {4, 2, 1, 0}
