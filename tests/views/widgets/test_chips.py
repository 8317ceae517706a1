"""Chips show what is taken, however narrow the row is."""

from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.views.widgets.chips import Chips

NAMES = ["Arabic", "German", "Greek", "English", "Spanish"]


def seen(chips: Chips) -> list[str]:
    """Return what stands in the row, from left to right."""
    buttons = [b for b in chips.findChildren(QPushButton) if not b.isHidden()]
    return [button.text() for button in sorted(buttons, key=lambda b: b.x())]


def test_what_is_taken_is_seen_in_a_narrow_row(qtbot: QtBot) -> None:
    chips = Chips("All languages")
    qtbot.addWidget(chips)
    chips.set_choices([(name, name) for name in NAMES])
    chips.resize(190, chips.sizeHint().height())
    chips.show()
    assert seen(chips) == ["All languages", "+ 5"]
    chips.choose(["English"])
    assert seen(chips) == ["English", "+ 4"]
    (more,) = [b for b in chips.findChildren(QPushButton) if b.text() == "+ 4"]
    menu = more.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    names = [action.text() for action in menu.actions()]
    assert names == ["All languages", "Arabic", "German", "Greek", "Spanish"]
    menu.actions()[0].trigger()
    assert chips.chosen == ()
    assert "English" not in seen(chips)
