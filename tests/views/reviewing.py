"""A project with pairs to judge, and keys pressed as a person does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.engine.project.project import open_project
from app.engine.store.pairs.sets import first_pair_id
from app.views.review.view import ReviewView
from tests.engine.review.made import NEW, add_pairs
from tests.views.stage import build_project, copy_built

FIRST_SET = 1  # id of the first set of pairs of a project
SOURCES = (
    "The last ferry leaves at 9:30 in the evening.",
    "The storm tore two boats loose.",
    "Jonas stayed at the harbour all night.",
    "Nobody saw the lighthouse.",
)
TARGETS = (
    "Die letzte Fähre fährt abends um 21:00 Uhr ab.",
    "Der Sturm hat zwei Boote losgerissen.",
    "Wir blieben die ganze Nacht am Hafen.",
    "Niemand sah den Leuchtturm.",
)


def make_pairs(
    folder: Path, n: int, *, n_candidates: int = 0, report: str = "{}"
) -> int:
    """Make a project with n pairs of English and German; returns the mining's id."""
    texts = {
        name: (code, [f"{lines[i % 4]} ({i})" for i in range(n)])
        for name, code, lines in (
            ("Harbour letters", "en", SOURCES),
            ("Hafenbriefe", "de", TARGETS),
        )
    }
    new = NEW._replace(
        name="Letters", source_language="en", target_language="de", encoder="words"
    )

    def build(template: Path) -> None:
        build_project(template, texts, is_encoded=False)
        with open_project(template) as project:
            mining = add_pairs(
                project, n, n_candidates=n_candidates, new=new, report=report
            )
        assert mining == FIRST_SET

    copy_built(folder, build, key=("pairs", n, n_candidates, report))
    return FIRST_SET


def press(
    view: QWidget, key: Qt.Key, *, ctrl: bool = False, shift: bool = False
) -> None:
    """Press a key where the keyboard is."""
    modifiers = Qt.KeyboardModifier.NoModifier
    if ctrl:
        modifiers |= Qt.KeyboardModifier.ControlModifier
    if shift:
        modifiers |= Qt.KeyboardModifier.ShiftModifier
    window = view.window()
    QTest.keyClick(window.focusWidget() or window, key, modifiers)


def wait_for_queue(view: ReviewView, wait: Callable[..., Any]) -> None:
    """Wait until the queue is there and the keyboard is on its first pair."""
    wait(lambda: not view.session.queue.is_loading and view.page.pair is not None)
    view.window().activateWindow()
    view.focus_first()
    wait(view.page.text_view.hasFocus)


def pair_id(mining: int, index: int) -> int:
    """Return the id of a pair by its place."""
    return first_pair_id(mining) + index
