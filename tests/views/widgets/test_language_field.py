"""The language field takes names and codes."""

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.views.widgets.language_field import LanguageField, LanguageList


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


def buttons_of(languages: LanguageList) -> dict[str, QPushButton]:
    QCoreApplication.processEvents()  # a layout shows what it was given
    buttons = languages.findChildren(QPushButton)
    return {one.text(): one for one in buttons if not one.isHidden()}


def test_several_languages_are_added_and_removed(qtbot: QtBot) -> None:
    languages = LanguageList("Languages", "")
    qtbot.addWidget(languages)
    languages.show()
    languages.write(["deu", "x-lunar"])
    assert list(buttons_of(languages)) == ["Add", "German ×", "x-lunar ×"]
    languages.field.setText("Greek")
    assert languages.read() == ["deu", "x-lunar", "el"], "what is typed counts too"
    buttons_of(languages)["Add"].click()
    assert not languages.field.text()
    assert list(buttons_of(languages))[-1] == "Greek ×"
    languages.field.setText("Elbish")
    assert languages.field.problem in [
        label.text() for label in languages.findChildren(QLabel)
    ]
    buttons_of(languages)["Add"].click()
    assert languages.field.text() == "Elbish", "it stays, to be corrected"
    languages.field.clear()
    buttons_of(languages)["German ×"].click()
    assert languages.read() == ["x-lunar", "el"]


def test_a_language_of_the_list_is_added_when_it_is_chosen(qtbot: QtBot) -> None:
    languages = LanguageList("Languages", "")
    qtbot.addWidget(languages)
    languages.show()
    with qtbot.waitSignal(languages.changed):
        languages.field.setText("Welsh (cy)")
        languages.field.completer().activated.emit("Welsh (cy)")
    qtbot.waitUntil(lambda: languages.items == ["cy"])
    assert not languages.field.text()
