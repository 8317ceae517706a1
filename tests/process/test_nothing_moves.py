"""No control moves when answers, runs and changes come while a view is shown."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QPushButton,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.store.pairs.sets import first_pair_id, list_pair_sets
from app.engine.store.runs import RunRow, list_runs
from app.errors import ErrorInfo
from app.params import Params
from app.params.corpora import ImportCorpus
from app.protocol import events
from app.protocol.edits.pairs import JudgePairs
from app.protocol.events import Event
from app.views.classify.view import ClassifyView
from app.views.client.runs import read_params
from app.views.corpora.view import CorporaView
from app.views.shell.main_window import MainWindow
from app.views.widgets.message_bar import MessageBar
from app.views.words.view import WordsView
from tests.process.gated_client import GatedClient
from tests.process.places import Place, control_places, moved_controls
from tests.process.small_window import open_demo, open_small_window, settle, shown
from tests.process.windows import WAIT_MS

LONGEST_DELAY_MS = 400  # of timers that wait for more of the same
RUNS = {  # of the demo, by the view that follows them
    "corpora": ("import-corpus", "encode", "make-subcorpus"),
    "search": ("encode",),
    "read": ("align-documents",),
    "concordance": ("index-words", "concordance"),
    "words": ("index-words", "train-word-vectors", "map-languages"),
    "mining": ("mine-pairs",),
    "review": ("mine-pairs",),
    "alignment": ("align-documents",),
    "classify": ("train-classifier", "evaluate-transfer", "classify"),
    "evaluate": ("evaluate-retrieval", "evaluate-translation"),
    "map": ("project-map",),
    "quality": ("find-duplicates",),
    "training": ("train-encoder", "train-translation"),
    "encoders": ("measure-coverage", "map-languages"),
}
# Whoever waits for these sees their result in the place of what was shown.
SHOWN_RESULTS = (
    *("corpora import-corpus", "corpora make-subcorpus", "words map-languages"),
    *("classify classify",),
)
TRAINS = ("classify", "evaluate", "words")  # views that list classifiers, or not
LABELS, PREDICTIONS = 0, 3  # tabs of Classify
LONG = "a long note on what is done now, and on what comes after it " * 3


class DemoRun(NamedTuple):
    """A run of the demo project, to be repeated."""

    row: RunRow
    params: Params

    def events(self, ticket: int, end: str) -> Iterator[Event]:
        """Yield what the engine sends of it, from its acceptance to an end."""
        id_ = self.row.id
        yield events.Accepted(ticket, id_)
        yield events.Progress(id_, "Reading", 0, 0, "")
        stage = "Computing everything that is to be computed"
        yield events.Progress(id_, stage, 9_000, 10**7, LONG, 10**10, "cpu")
        if end == "failed":
            yield events.Failed(id_, ErrorInfo("user", LONG))
        elif end == "cancelled":
            yield events.Cancelled(id_)
        else:
            yield events.Changed("run", id_)
            yield events.Finished(id_, msgspec.json.decode(self.row.result))


class Watcher:
    """Compares the places of controls before and after something happens.

    Attributes:
        faults: the controls that have moved, and when.
    """

    def __init__(self, window: MainWindow, client: GatedClient, qtbot: QtBot):
        self.faults: list[str] = []
        self.window, self.client, self._qtbot = window, client, qtbot

    def rest(self, *, has_answers: bool = True) -> None:
        """Wait until no timer and no answer changes the layout any more."""

        def _is_at_rest() -> bool:
            settle()
            is_busy = self.window.state.is_busy or not self.client.has_answered
            return not (has_answers and is_busy) and not any(
                timer.isSingleShot()
                and timer.isActive()
                and timer.interval() < LONGEST_DELAY_MS
                for timer in self.window.findChildren(QTimer)
            )

        self._qtbot.waitUntil(_is_at_rest, timeout=WAIT_MS)
        settle()

    def compare(self, name: str, before: list[Place], widget: QWidget) -> None:
        """Note what is not where it was."""
        self.faults += [f"{name}: {it}" for it in moved_controls(before, widget)]

    def do(self, name: str, happen: Callable[[], object]) -> None:
        """Let something happen, and note what has moved when all is done."""
        before = control_places(self.window)
        happen()
        self.rest()
        self.compare(name, before, self.window)

    def answer_late(
        self,
        name: str,
        show: Callable[[], object],
        find: Callable[[], QWidget | None] | None = None,
    ) -> None:
        """Show something, and deliver the answers to its queries later.

        Args:
            find: returns the dialog that is shown; None: look at the window.
        """
        self.client.close_gate()
        show()
        self.rest(has_answers=False)
        widget = find() if find is not None else self.window
        before = control_places(widget) if widget is not None else []
        self.client.open_gate()
        self.rest()
        if widget is not None:
            self.compare(name, before, widget)

    def answer_tabs_late(self, name: str, widget: QWidget) -> None:
        """Show each tab of a view or dialog before the answers to its queries."""
        for bar in widget.findChildren(QTabBar):
            for tab in range(bar.count() if bar.isVisible() else 0):
                show = partial(bar.setCurrentIndex, tab)
                title = f"{name}, {bar.tabText(tab)}"
                self.answer_late(title, show, lambda: widget)

    def run(self, name: str, run: DemoRun, end: str) -> None:
        """Let a run come to an end, and look after each event."""
        self.clear_messages()
        before = control_places(self.window)
        ticket = self.window.state.run(run.params).ticket
        settle()
        self.compare(f"{name} is queued", before, self.window)
        for event in run.events(ticket, end):
            self.client.event_received.emit(event)
            settle()
            self.compare(f"{name}: {type(event).__name__}", before, self.window)
        self.rest()
        self.compare(f"{name} has {end}", before, self.window)

    def start(self, run: DemoRun) -> Callable[[], None]:
        """Start a run that is held back, and return what finishes it."""
        ticket = self.window.state.run(run.params).ticket

        def _finish() -> None:
            for event in run.events(ticket, "finished"):
                self.client.event_received.emit(event)
            self.rest()

        return _finish

    def clear_messages(self) -> None:
        """Close the messages: a newer one takes an older one's place."""
        for bar in self.window.findChildren(MessageBar):
            bar.clear()
        settle()


@pytest.fixture
def watcher(
    qtbot: QtBot, qapp: QApplication, data_dir: Path, tmp_path: Path
) -> Iterator[Watcher]:
    client = GatedClient()
    with open_small_window(qtbot, qapp, client) as window:
        open_demo(window, qtbot, tmp_path)
        watcher = Watcher(window, client, qtbot)
        watcher.rest()
        yield watcher
        client.open_gate()


@pytest.mark.timeout(240)
def test_late_answers_move_nothing(watcher: Watcher) -> None:
    window = watcher.window
    for entry in window.entries:
        watcher.answer_late(entry.name, partial(window.show_view, entry.name))
        watcher.answer_tabs_late(entry.name, window)
    assert watcher.faults == []


@pytest.mark.timeout(240)
def test_late_answers_move_nothing_in_dialogs(watcher: Watcher) -> None:
    window = watcher.window

    def _find_dialog() -> QDialog | None:
        dialogs = [one for one in window.findChildren(QDialog) if one.isVisible()]
        return next((it for it in dialogs if not isinstance(it, QFileDialog)), None)

    for entry in window.entries:
        window.show_view(entry.name)
        watcher.rest()
        assert window.view is not None
        for action in window.view.actions():
            if not action.text().endswith("…") or not action.isEnabled():
                continue
            name = f"{entry.name}, {action.text()}"
            watcher.answer_late(name, action.trigger, _find_dialog)
            dialog = _find_dialog()
            if dialog is not None:
                watcher.answer_tabs_late(name, dialog)
            for one in window.findChildren(QDialog):
                one.reject()
            settle()
            window.show_view(entry.name)
    assert watcher.faults == []


@pytest.mark.timeout(240)
def test_runs_and_changes_move_nothing(watcher: Watcher, tmp_path: Path) -> None:
    window, state = watcher.window, watcher.window.state
    assert state.project is not None
    runs = read_demo_runs(list_runs(state.project.store, limit=200))
    pair = first_pair_id(list_pair_sets(state.project.store)[-1].id)
    for number, entry in enumerate(window.entries):
        name = entry.name
        window.show_view(name)
        watcher.rest()
        watcher.client.holds_runs = True
        for task in RUNS[name]:
            ends = ["failed", "cancelled"] if task == RUNS[name][0] else []
            ends += ["finished"] if f"{name} {task}" not in SHOWN_RESULTS else []
            for end in ends:
                watcher.run(f"{name}, {task}", runs[task], end)
        watcher.client.holds_runs = False
        watcher.clear_messages()
        file = tmp_path / f"A text of the harbour {number}.txt"
        file.write_text(f"The harbour {number} is closed.\n" * 3)
        params = ImportCorpus(files=(file,), languages=("en",))
        if name != "corpora":
            watcher.do(f"{name}, a corpus comes", partial(state.run, params))
        judge = JudgePairs(pairs=(pair + number,), verdict="accept")
        watcher.do(f"{name}, a pair is judged", partial(state.edit, judge))
        if name in TRAINS:
            watcher.clear_messages()
            trained = runs["train-classifier"].params
            new = msgspec.structs.replace(trained, name=f"Topics {number}")
            watcher.do(f"{name}, a classifier comes", partial(state.run, new))
    assert watcher.faults == []


@pytest.mark.timeout(240)
def test_a_result_replaces_nothing_else_that_users_have_chosen(
    watcher: Watcher,
) -> None:
    window, project = watcher.window, watcher.window.state.project
    assert project is not None
    runs = read_demo_runs(list_runs(project.store, limit=200))
    watcher.client.holds_runs = True
    corpora = shown(window, "corpora", CorporaView)
    corpora.list.choose([1])
    finish = watcher.start(runs["import-corpus"])
    corpora.list.choose([3])
    finish()
    assert [row.id for row in corpora.list.chosen] == [3]
    watcher.start(runs["import-corpus"])()
    (made,) = corpora.list.chosen
    assert made.name == "Der Anzeiger"

    steps = shown(window, "classify", ClassifyView).steps
    steps.show_step(steps.training)
    finish = watcher.start(runs["classify"])
    steps.show_step(steps.labels)
    finish()
    assert steps.tab == LABELS
    watcher.start(runs["classify"])()
    assert steps.tab == PREDICTIONS

    words = shown(window, "words", WordsView)
    finish = watcher.start(runs["map-languages"])
    words.bar.field.setText("harbour")
    page = words.bar.page
    finish()
    assert words.bar.page == page
    watcher.start(runs["map-languages"])()
    assert words.bar.page == "translations"


def test_a_control_that_moves_is_noticed(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    tabs = QTabWidget(window)
    tabs.resize(200, 60)
    for title in ("Pairs", "Filters"):
        tabs.addTab(QWidget(), title)
    first, second, third = (QPushButton(name, window) for name in "abc")
    for index, button in enumerate((first, second, third)):
        button.setGeometry(0, 80 + 40 * index, 100, 30)
    window.resize(300, 300)
    window.show()
    before = control_places(window)
    assert moved_controls(before, window) == []
    first.move(0, 85)
    second.hide()
    third.deleteLater()
    tabs.setTabText(0, "Pairs of all texts")
    settle()
    faults = [fault.partition(": ")[0] for fault in moved_controls(before, window)]
    for fault in ("'a' '' moved", "'b' '' vanished", "'c' '' vanished"):
        assert any(fault in one for one in faults), faults
    assert "tab 'Filters' moved" in faults


def read_demo_runs(rows: list[RunRow]) -> dict[str, DemoRun]:
    """Return the newest run of each task of the demo."""
    return {row.task: DemoRun(row, read_params(row.params)) for row in reversed(rows)}
