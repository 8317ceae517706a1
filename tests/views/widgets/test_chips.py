"""Chips show what is taken, however narrow the row is, and never move."""

from typing import Literal

import pytest
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.widgets.chips import GAP, Chips
from app.views.widgets.theme import Theme

NAMES = ["Arabic", "German", "Greek", "English", "Spanish"]


def seen(chips: Chips) -> list[str]:
    """Return what stands in the row, from left to right."""
    buttons = [b for b in chips.findChildren(QPushButton) if not b.isHidden()]
    return [button.text() for button in sorted(buttons, key=lambda b: b.x())]


def test_what_is_taken_is_seen_in_a_narrow_row(qtbot: QtBot) -> None:
    chips = Chips("All languages")
    qtbot.addWidget(chips)
    chips.set_choices([(name, name) for name in NAMES])
    chips.resize(chips.minimumSizeHint())
    chips.show()
    assert seen(chips) == ["All languages", "+ 5"]
    chips.choose(["English", "Greek"])
    assert seen(chips) == ["All languages", "2 + 3"], "not enough room for the names"
    (more,) = [b for b in chips.findChildren(QPushButton) if b.text() == "2 + 3"]
    assert more.toolTip() == "Greek, English"
    assert more.isChecked()
    menu = more.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == NAMES
    menu.actions()[3].trigger()
    assert chips.chosen == ("Greek",)
    menu.actions()[2].trigger()
    assert seen(chips) == ["All languages", "+ 5"]


@pytest.mark.parametrize("n_missing", [20, 40, 60, 80])  # pixels
def test_no_chip_goes_when_a_choice_with_a_long_name_comes(
    qtbot: QtBot, n_missing: int
) -> None:
    chips = Chips("All corpora")
    qtbot.addWidget(chips)
    names = [f"Text {number}" for number in range(12)]
    chips.set_choices([(name, name) for name in names])
    chips.show()
    chips.resize(chips.sizeHint().width() - n_missing, chips.height())
    *before, more = seen(chips)
    longer = [*names, "The harbour in the newspapers"]
    chips.set_choices([(name, name) for name in longer])
    n_hidden = int(more.removeprefix("+ ")) + 1
    qtbot.waitUntil(lambda: seen(chips) == [*before, f"+ {n_hidden}"])


def test_no_chip_moves_when_one_is_taken_from_the_menu(qtbot: QtBot) -> None:
    chips = Chips("All languages")
    qtbot.addWidget(chips)
    chips.set_choices([(name, name) for name in NAMES])
    chips.show()
    width = {b.text(): b.sizeHint().width() for b in chips.findChildren(QPushButton)}
    n_shown = 4 * GAP + width["All languages"] + width["Arabic"] + width["German"]
    chips.resize(n_shown + width["English"] + width["Greek"], chips.height())
    before, places = seen(chips), places_of(chips)
    assert before[-1].startswith("+ ")
    more = next(b for b in chips.findChildren(QPushButton) if b.menu() is not None)
    for names in (["Spanish"], ["Arabic", "Spanish"], ["Arabic"], []):
        chips.choose(names)
        assert seen(chips)[:-1] == before[:-1]
        assert places_of(chips) == places
        assert more.isChecked() == ("Spanish" in names)
        assert (more.toolTip() == "Spanish") == ("Spanish" in names)


def test_a_long_name_taken_from_the_menu_is_shown_and_cut_at_its_end(
    qtbot: QtBot,
) -> None:
    chips = Chips("All corpora")
    qtbot.addWidget(chips)
    names = [f"news {n}" for n in range(12)]
    long = "⊂ Novels of the years from 1840 to 1860 by women"
    chips.set_choices([(name, name) for name in [*names, long, "⊂ Social novels"]])
    chips.show()
    for width in range(400, 1000, 7):
        chips.resize(width, chips.height())
        chips.choose([long])
        assert seen(chips)[-1].startswith("⊂ Nov"), width
        assert "… + " in seen(chips)[-1]
        (more,) = [b for b in chips.findChildren(QPushButton) if b.menu() is not None]
        assert more.geometry().right() < width
        assert more.toolTip() == long
        chips.choose([])


def places_of(chips: Chips) -> list[int]:
    return [b.x() for b in chips.findChildren(QPushButton) if not b.isHidden()]


def test_the_sign_of_a_subcorpus_is_explained(qtbot: QtBot) -> None:
    chips = Chips("All corpora")
    qtbot.addWidget(chips)
    chips.set_choices([("1", "News"), ("s2", "⊂ Weather")])
    tips = {b.text(): b.toolTip() for b in chips.findChildren(QPushButton)}
    assert (tips["News"], tips["⊂ Weather"]) == ("News", "Sub-corpus Weather")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chip_with_the_focus_does_not_look_selected(
    theme: Theme, qtbot: QtBot, scheme: Literal["light", "dark"]
) -> None:
    theme.apply(Settings(theme=scheme))
    chips = Chips("All languages")
    qtbot.addWidget(chips)
    chips.set_choices([("de", "German")])
    chips.resize(chips.sizeHint())
    chips.show()
    chips.activateWindow()
    (chip,) = (b for b in chips.findChildren(QPushButton) if b.text() == "German")
    middle = chip.height() // 2

    def edge() -> str:
        return chip.grab().toImage().pixelColor(0, middle).name()

    chip.setFocus()
    qtbot.waitUntil(chip.hasFocus)
    focused = edge()
    chip.clearFocus()
    chip.click()
    chip.clearFocus()
    assert chip.isChecked()
    assert edge() != focused
    theme.apply(Settings(theme="light"))
