"""The language field takes names and codes."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.views.widgets.language_field import LanguageField


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("de", "de"),
        ("deu", "deu"),
        ("German", "de"),
        ("german", "de"),
        ("German (de)", "de"),
        ("en", "en"),
        ("zh-Hans", "zh-Hans"),
        (" ", ""),
        ("Klingonese", "Klingonese"),
    ],
)
def test_a_name_or_a_code_gives_the_code(qtbot: QtBot, typed: str, code: str) -> None:
    field = LanguageField()
    qtbot.addWidget(field)
    field.setText(typed)
    assert field.code == code


def test_a_code_is_shown_with_its_name(qtbot: QtBot) -> None:
    field = LanguageField()
    qtbot.addWidget(field)
    field.set_code("el")
    assert field.text() == "Greek (el)"
    assert field.is_known


def test_typing_offers_languages_by_any_part_of_their_name(qtbot: QtBot) -> None:
    field = LanguageField()
    qtbot.addWidget(field)
    completer = field.completer()
    assert completer is not None
    completer.setCompletionPrefix("swahil")
    offered = [
        completer.completionModel().index(row, 0).data(Qt.ItemDataRole.DisplayRole)
        for row in range(completer.completionCount())
    ]
    assert "Swahili (sw)" in offered
