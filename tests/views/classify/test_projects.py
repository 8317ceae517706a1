"""The classify view after a project switch, with everything clicked, and at 150 %."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QAbstractButton, QDialog, QPushButton, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.classify.view import ClassifyView
from tests.views import classified
from tests.views.classify.opened import open_view
from tests.views.stage import Stage, build_project

SMALL = {"Notes": ("fr", ["Le vent tourne."])}
CENTRE = (900, 640)  # what a window of 1100×700 leaves for a view
TOLERANCE = 2  # pixels


@pytest.fixture
def filled(folder: Path) -> Path:
    """A project with a test, a check, a curve, two classifiers and predictions."""
    classified.add_transfer(folder, {"en": 3, "de": 2, "ar": 1})
    classified.add_transfer(folder, {"de": 3, "ar": 1}, head="knn")
    classified.add_check(folder)
    classified.add_few_shot(folder, "Hafenbriefe")
    for name in ("Topics", "Topics 2"):
        classified.add_predictions(folder, classified.add_trained(folder, name), 2)
    return folder


def pages(view: ClassifyView) -> Iterator[QWidget]:
    """Show each tab of each step."""
    for tabs in view.findChildren(QTabWidget)[:1]:
        for index in range(tabs.count()):
            tabs.setCurrentIndex(index)
            page = tabs.widget(index)
            assert page is not None
            inner = page.findChildren(QTabWidget)
            yield page
            for part in inner:
                for number in range(part.count()):
                    if part.isTabVisible(number):
                        part.setCurrentIndex(number)
                        yield page


def click_everything(view: ClassifyView, qtbot: QtBot) -> int:
    """Click each button and trigger each action; close the dialogs that open."""
    clicked: set[QAbstractButton] = set()
    for page in pages(view):
        for button in page.findChildren(QPushButton):
            if not shiboken6.isValid(button) or button in clicked:
                continue  # another click replaced it
            if button.isVisible() and button.isEnabled() and button.menu() is None:
                clicked.add(button)
                button.click()
                close_dialogs(view, qtbot)
    for action in view.actions():
        action.trigger()
        close_dialogs(view, qtbot)
    return len(clicked)


def close_dialogs(view: ClassifyView, qtbot: QtBot) -> None:
    qtbot.wait(1)
    for dialog in view.findChildren(QDialog):
        dialog.close()


def test_another_project_is_opened_and_everything_clicked(
    stage: Stage, filled: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    stage.open(qtbot)
    view = ClassifyView(stage.state)  # it is deleted as the window deletes it
    view.resize(*CENTRE)
    view.show()
    qtbot.waitUntil(lambda: stage.state.labels.is_counted and view.steps.is_complete)
    assert click_everything(view, qtbot) > 15
    state = view.save_state()
    view.refresh()  # with answers on their way
    view.deleteLater()
    other = build_project(tmp_path / "other.isogloss", SMALL)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    again = ClassifyView(stage.state)
    qtbot.addWidget(again)
    again.resize(*CENTRE)
    again.show()
    again.restore_state(state)
    assert again.steps.transfer.shown is None
    assert [row.title for row in again.steps.labels.corpora.rows] == ["Notes"]
    assert click_everything(again, qtbot) > 3


def test_no_button_is_clipped_at_large_text(
    stage: Stage, filled: Path, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="dark", text_scale=150))
    try:
        view = open_view(stage, qtbot)
        view.resize(*CENTRE)
        qtbot.wait(1)
        clipped = {
            button.text()
            for page in pages(view)
            for button in page.findChildren(QPushButton)
            if button.isVisible() and _is_clipped(button, view)
        }
    finally:
        stage.theme.apply(Settings(theme="light"))
    assert clipped == set()


def _is_clipped(button: QPushButton, view: ClassifyView) -> bool:
    if button.width() + TOLERANCE < button.minimumSizeHint().width():
        return True
    corner = button.mapTo(view, button.rect().bottomRight())
    return corner.x() > view.width() + TOLERANCE
