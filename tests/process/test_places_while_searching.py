"""No control moves while a user types, searches, selects and reads."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.concordance.view import ConcordanceView
from app.views.read.model import Place
from app.views.read.view import ReadView
from app.views.search.view import SearchView
from app.views.shell.application import begin, make_window
from app.views.shell.inspector import Inspector
from app.views.shell.main_window import MainWindow
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.theme import Theme
from tests.process.small_window import open_demo, settle, shown
from tests.process.test_every_view_fits import QUERY
from tests.process.user import describe
from tests.process.windows import WAIT_MS

CONTROLS = (QAbstractButton, QLineEdit, QPlainTextEdit)
LONG_QUERY = (
    "The ferry did not sail because of the storm, the harbour office says. " * 3
)


class Watcher:
    """Compares the places of the controls from one step to the next."""

    def __init__(self, window: MainWindow):
        self.faults: list[str] = []
        self._window, self._before = window, dict[int, tuple[str, QRect]]()

    def begin(self) -> None:
        """Start in another view."""
        settle()
        self._before = self._places()

    def check(self, step: str) -> None:
        """Compare the controls with those before a step."""
        settle()
        now = self._places()
        for key, (name, place) in self._before.items():
            if key in now and now[key][1] != place:
                self.faults.append(f"{step}: {name}: {place} -> {now[key][1]}")
        self._before = now

    def _places(self) -> dict[int, tuple[str, QRect]]:
        """Return the controls, except cards: they are what is selected or found."""
        window = self._window
        return {
            id(one): (
                describe(one),
                QRect(one.mapTo(self._window, QPoint()), one.size()),
            )
            for kind in CONTROLS
            for one in window.findChildren(kind)
            if one.isVisible() and not isinstance(one, SentenceCard)
        }


def search(view: SearchView, watcher: Watcher, qtbot: QtBot, text: str) -> None:
    view.bar.field.setText(text)
    with qtbot.waitSignal(view.hits_shown, timeout=WAIT_MS):
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
        watcher.check(f"sent {text!r}")
    watcher.check(f"hits of {text!r}")


def wait_for_neighbours(window: MainWindow, watcher: Watcher, qtbot: QtBot) -> None:
    inspector = window.inspector_dock.widget()
    assert isinstance(inspector, Inspector)
    watcher.check("selected")
    with qtbot.waitSignal(inspector.neighbours_shown, timeout=WAIT_MS):
        inspector.ask_neighbours()
    watcher.check("neighbours of the selected sentence")


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("size", "scale"), [((1100, 700), 150), ((1440, 900), 100)])
def test_controls_stay_in_place(
    qtbot: QtBot,
    qapp: QApplication,
    data_dir: Path,
    tmp_path: Path,
    size: tuple[int, int],
    scale: int,
) -> None:
    theme = Theme(qapp, Settings(theme="light", text_scale=scale))
    window = make_window(Settings(theme="light", text_scale=scale), theme)
    window.resize(*size)
    window.show()
    begin(window)
    open_demo(window, qtbot, tmp_path)
    watcher = Watcher(window)
    check_search(window, watcher, qtbot)
    check_read(window, watcher, qtbot)
    check_concordance(window, watcher, qtbot)
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    settle()
    theme.apply(Settings(theme="light"))
    theme.deleteLater()
    assert watcher.faults == []


def check_search(window: MainWindow, watcher: Watcher, qtbot: QtBot) -> None:
    view = shown(window, "search", SearchView)
    watcher.begin()
    for letter in "ferry":
        QTest.keyClicks(view.bar.field, letter)
        watcher.check(f"typed {letter}")
    for text in ("ferry", QUERY, LONG_QUERY):
        search(view, watcher, qtbot, text)
    column = view.columns.columns[0]
    by_length = sorted(column.hits, key=lambda hit: len(hit.sentence.text))
    for hit in (by_length[0], by_length[-1], by_length[len(by_length) // 2]):
        view.columns.select_hit(hit.sentence.id)
        wait_for_neighbours(window, watcher, qtbot)
    while view.controller.more.isEnabled() and len(column.hits) < 40:
        with qtbot.waitSignal(view.hits_shown, timeout=WAIT_MS):
            view.controller.more.trigger()
        watcher.check("more hits")
    search(view, watcher, qtbot, "Die Fähre fährt morgen nicht.")


def check_read(window: MainWindow, watcher: Watcher, qtbot: QtBot) -> None:
    view = shown(window, "read", ReadView)
    watcher.begin()
    qtbot.waitUntil(lambda: view.session.rows.n_rows > 0, timeout=WAIT_MS)
    watcher.check("rows")
    for row, column in ((0, 1), (5, 0), (3, 1)):
        view.board.select(Place(row, column))
        wait_for_neighbours(window, watcher, qtbot)


def check_concordance(window: MainWindow, watcher: Watcher, qtbot: QtBot) -> None:
    view = shown(window, "concordance", ConcordanceView)
    watcher.begin()
    QTest.keyClicks(view.bar.field, "water")
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    watcher.check("sent")
    qtbot.waitUntil(lambda: view.table.lines.rowCount() > 2, timeout=WAIT_MS)
    watcher.check("lines")
    for row in range(3):
        view.table.select_row(row)
        wait_for_neighbours(window, watcher, qtbot)
