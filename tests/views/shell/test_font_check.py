"""A script of the project's texts that no font can draw is said in one sentence."""

from pathlib import Path

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.views.client.state import AppState
from app.views.shell import font_check
from app.views.shell.font_check import FontChecker
from app.views.welcome.sample_card import GOLD, read_sentence

TEXTS = {"am": "ጤና ይስጥልኝ", "ti": "ሰላም", "de": "Guten Tag"}


def add_corpora(folder: Path) -> None:
    with open_project(folder) as project, project.store.begin() as connection:
        for language, text in TEXTS.items():
            corpus = {
                "name": language,
                "language": language,
                "language_given": language,
                "state": "ready",
                "n_sentences": 1,
                "created_at": 0.0,
            }
            key = connection.execute(insert(schema.corpus).values(**corpus))
            sentence = {
                "id": first_sentence_id(int(key.lastrowid)),
                "text": text,
                "language": language,
                "line": 1,
                "length": len(text),
                "hash": 0,
            }
            connection.execute(insert(schema.sentence).values(**sentence))


def test_missing_script_of_a_corpus_is_said_and_others_are_not(
    state: AppState, folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpora(folder)
    monkeypatch.setattr(font_check, "can_draw_character", lambda c: c < "\u1200")
    FontChecker(state)
    notices = QSignalSpy(state.condition_found)
    state.open_project(folder)
    qtbot.waitUntil(lambda: notices.count() >= 2, timeout=5_000)
    sentences = [notices.at(i)[0] for i in range(notices.count())]
    assert all("can draw Ethiopic" in sentence for sentence in sentences)


def test_scripts_of_the_first_page_are_checked_without_a_project(
    state: AppState, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(font_check, "can_draw_character", lambda c: c < "\u1200")
    notices = QSignalSpy(state.condition_found)
    FontChecker(state, [text for _, text in read_sentence(GOLD)])
    qtbot.waitUntil(lambda: notices.count() >= 2, timeout=5_000)
    chinese, japanese = (notices.at(i)[0] for i in range(notices.count()))
    assert "can draw Chinese" in chinese
    assert "can draw Japanese" in japanese
