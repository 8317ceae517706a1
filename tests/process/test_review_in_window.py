"""The review over the real engine: keys, kills in between, undo, the way back."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import Project, open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.history import JudgedStep, read_judged_steps
from app.engine.store.pairs.links import find_rejected_links
from app.engine.store.pairs.sets import (
    read_all_current_judgements,
    read_links,
    read_pairs,
)
from app.number_format import format_score, round_down
from app.protocol.edits.pairs import JudgePairs, RenameMining
from app.views.mining.view import MiningView
from app.views.review.dialogs import RangeDialog
from app.views.review.queue import QueueSettings
from app.views.review.session import SYNC_MS
from app.views.review.view import ReviewView
from app.views.shell.main_window import MainWindow
from tests.engine.review.made import NEW, add_pairs, edit, verdicts
from tests.process.windows import WAIT_MS, Windows
from tests.views.reviewing import make_pairs, pair_id, press, wait_for_queue

N = 60
KEYS = {
    "accept": Qt.Key.Key_A,
    "reject": Qt.Key.Key_R,
    "skip": Qt.Key.Key_Space,
    "flag": Qt.Key.Key_F,
}
MakeView = Callable[[], ReviewView]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "letters.isogloss"


@pytest.fixture
def mining(folder: Path) -> int:
    return make_pairs(folder, N)


@pytest.fixture
def make_view(windows: Windows, qtbot: QtBot, folder: Path, mining: int) -> MakeView:
    """Open the project in a new window, at the review."""

    def _make() -> ReviewView:
        view = windows.open(folder, "review").view
        assert isinstance(view, ReviewView)
        wait_for_queue(view, lambda is_so: qtbot.waitUntil(is_so, timeout=WAIT_MS))
        return view

    return _make


def wait_saved(view: ReviewView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)


def test_no_judgement_is_lost_when_the_engine_is_killed_in_between(
    make_view: MakeView, windows: Windows, qtbot: QtBot, folder: Path, mining: int
) -> None:
    view, chance = make_view(), random.Random(7)
    said: list[str] = []
    for n in range(50):
        verdict = chance.choice(list(KEYS))
        press(view, KEYS[verdict])
        said.append(verdict)
        assert view.page.pair is not None
        assert view.page.pair.id == pair_id(mining, n + 1)  # the next one, at once
        if n in (17, 34):
            view.state.client.kill()
        if n % 10 == 9:
            wait_saved(view, qtbot)
    wait_saved(view, qtbot)
    assert view.header.saved.text() == "✓ Saved"
    words = "32 judged · 8 skipped · 10 flagged · 10 to judge"
    assert view.header.counts.text() == words
    windows.close(view)
    with open_project(folder) as project:
        assert verdicts(project, mining, N) == [*said, *[""] * 10]
        rows = read_all_current_judgements(project.store, mining)
        assert len({row.step for row in rows}) == 50  # and none was made twice


@pytest.mark.parametrize("is_noticed", [True, False])
def test_place_and_judgements_survive_an_engine_killed_just_before_closing(
    make_view: MakeView,
    windows: Windows,
    qtbot: QtBot,
    folder: Path,
    mining: int,
    is_noticed: bool,
) -> None:
    first = make_view()
    for key in "accept", "reject":
        press(first, KEYS[key])
    wait_saved(first, qtbot)
    client = first.state.client
    if is_noticed:
        with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
            client.kill()
    else:
        client.kill()
    press(first, KEYS["flag"])
    windows.close(first)
    view = make_view()
    assert view.session.queue.current == pair_id(mining, 3)
    wait_saved(view, qtbot)
    windows.close(view)
    with open_project(folder) as project:
        assert verdicts(project, mining, 4) == ["accept", "reject", "flag", ""]
        assert len(read_judged_steps(project.store)) == 3  # none was made twice


def test_a_project_was_used_until_the_window_is_closed(
    make_view: MakeView, windows: Windows, folder: Path
) -> None:
    view = make_view()
    window = view.window()
    assert isinstance(window, MainWindow)
    window.projects._keep_facts(opened_at=time.time() - 3600)
    windows.close(view)
    facts = window.projects.facts_of(folder)
    assert facts is not None
    assert time.time() - facts.opened_at < 60


def test_no_answer_but_the_last_moves_the_place(
    make_view: MakeView, qtbot: QtBot, mining: int
) -> None:
    queue = make_view().session.queue
    places: list[int | None] = []
    queue.loaded.connect(lambda: places.append(queue.current))
    queue.clear()
    queue.load(mining, queue.settings)  # as on opening the project
    queue.load(mining, queue.settings, index=3, pair=pair_id(mining, 3))  # restored
    queue.reload()  # as a change made elsewhere asks for
    qtbot.waitUntil(lambda: not queue.is_loading, timeout=WAIT_MS)
    queue.reload()
    queue.go_by(2)
    qtbot.waitUntil(lambda: not queue.is_loading, timeout=WAIT_MS)
    assert places == [None, pair_id(mining, 3), pair_id(mining, 5)]


def test_a_line_of_the_history_is_returned_to_after_asking(
    make_view: MakeView, windows: Windows, qtbot: QtBot, folder: Path, mining: int
) -> None:
    view = make_view()
    for key in "accept", "reject", "flag", "skip", "accept":
        press(view, KEYS[key])
    wait_saved(view, qtbot)
    history = view.sidebar.history
    qtbot.waitUntil(lambda: len(history.entries) == 5, timeout=WAIT_MS)
    assert not history.undo_button.isEnabled()
    history.list.setCurrentRow(3)  # the newest is the first
    history.undo_button.click()
    box = view.window().findChildren(QMessageBox)[-1]
    assert box.text().startswith("Undo the 3 changes made after: Rejected “The storm")
    assert box.informativeText() == "Redo restores them one at a time."
    box.reject()
    view.state.edit(RenameMining(mining=mining, name="Letters"))
    qtbot.waitUntil(lambda: view.state.changes.is_settled, timeout=WAIT_MS)
    history.undo_button.click()
    box = view.window().findChildren(QMessageBox)[-1]
    assert box.text().startswith("Undo the 4 changes made after: Rejected “The storm")
    assert box.informativeText() == (
        "1 change is not in this history: it changed another pair set, a corpus, a "
        "note or a name. Redo restores them one at a time."
    )
    box.defaultButton().click()
    qtbot.waitUntil(lambda: "2 judged" in view.header.counts.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(history.entries) == 8, timeout=WAIT_MS)
    assert all(entry.line.mark == "↶" for entry in history.entries[:3])
    history.list.setCurrentRow(0)
    assert not history.undo_button.isEnabled()  # nothing leads back to an undoing
    windows.close(view)
    with open_project(folder) as project:
        assert verdicts(project, mining, 5) == ["accept", "reject", "", "", ""]


def test_judgements_of_the_same_sentences_are_offered_and_copied_in_one_step(
    make_view: MakeView, qtbot: QtBot, folder: Path, mining: int
) -> None:
    with open_project(folder) as project:
        ids = tuple(pair_id(mining, index) for index in range(3))
        edit(project, JudgePairs(pairs=ids, verdict="accept"))
        again = add_pairs(project, N)
    view = make_view()
    assert view.session.queue.mining == again
    text = "3 pairs to judge here are judged in Letters."
    assert view.messages.text == text
    buttons = view.messages.findChildren(QPushButton)
    next(one for one in buttons if one.text() == "Copy judgements").click()
    qtbot.waitUntil(lambda: "3 judged" in view.header.counts.text(), timeout=WAIT_MS)
    assert view.messages.text == "3 judgements copied from other pair sets."
    view.state.undo()
    qtbot.waitUntil(lambda: "0 judged" in view.header.counts.text(), timeout=WAIT_MS)
    assert view.messages.text == ""
    view.session.load(mining, QueueSettings())
    assert view.messages.text == ""  # nothing is left to judge there
    notices = QSignalSpy(view.state.notice_posted)
    view.controller.copy_judgements()
    qtbot.waitUntil(lambda: notices.count() == 1, timeout=WAIT_MS)
    assert notices.at(0)[0] == "No pair to judge is judged in another set."
    assert view.messages.text == "", "Undo would take another change back"


def test_undoing_a_judgement_of_another_pair_set_leaves_the_counts(
    make_view: MakeView, qtbot: QtBot, folder: Path, mining: int
) -> None:
    with open_project(folder) as project:
        again = add_pairs(project, N)
        edit(project, JudgePairs(pairs=(pair_id(mining, 0),), verdict="accept"))
        edit(project, JudgePairs(pairs=(pair_id(again, 0),), verdict="accept"))
    view = make_view()
    view.session.load(mining, QueueSettings())
    qtbot.waitUntil(lambda: "1 judged" in view.header.counts.text(), timeout=WAIT_MS)
    view.state.undo()
    qtbot.waitUntil(lambda: view.state.changes.is_settled, timeout=WAIT_MS)
    qtbot.wait(5 * SYNC_MS)
    assert "1 judged" in view.header.counts.text()


def test_pairs_from_mine_are_reviewed_from_its_threshold_on(
    make_view: MakeView, qtbot: QtBot, folder: Path, mining: int
) -> None:
    with open_project(folder) as project:
        (third, last) = read_pairs(
            project.store, [pair_id(mining, 2), pair_id(mining, N - 1)]
        )
    assert third is not None
    assert last is not None
    view = make_view()
    view.state.thresholds.set(mining, third.score)
    view.state.view_requests.review_requested.emit(mining, pair_id(mining, 1))
    queue = view.session.queue
    qtbot.waitUntil(lambda: len(queue) == 3, timeout=WAIT_MS)
    assert queue.current == pair_id(mining, 1)
    assert float(view.queue_bar.lowest.text()) == pytest.approx(third.score)
    view.state.view_requests.review_requested.emit(
        mining, last.id
    )  # below it, as from a note
    qtbot.waitUntil(lambda: queue.current == last.id, timeout=WAIT_MS)


def test_undo_waits_while_judgements_are_sent_again(
    make_view: MakeView, windows: Windows, qtbot: QtBot, folder: Path, mining: int
) -> None:
    view = make_view()
    press(view, KEYS["accept"])
    wait_saved(view, qtbot)
    notices = QSignalSpy(view.state.notice_posted)
    view.state.client.kill()
    for key in "reject", "flag":
        press(view, KEYS[key])
    qtbot.waitUntil(lambda: not view.state.client.is_ready, timeout=WAIT_MS)
    press(view, Qt.Key.Key_Z, ctrl=True)  # nothing older is undone in their place
    wait_saved(view, qtbot)
    said = [notices.at(row)[0] for row in range(notices.count())]
    assert any("still being saved" in words for words in said)
    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(lambda: held(view, pair_id(mining, 2)) == "", timeout=WAIT_MS)
    windows.close(view)
    with open_project(folder) as project:
        assert verdicts(project, mining, 3) == ["accept", "reject", ""]


def test_undo_and_redo_go_on_in_a_window_opened_again(
    make_view: MakeView, windows: Windows, qtbot: QtBot, folder: Path, mining: int
) -> None:
    first = make_view()
    for key in "accept", "reject", "flag":
        press(first, KEYS[key])
    wait_saved(first, qtbot)
    windows.close(first)
    view = make_view()
    assert view.session.queue.current == pair_id(mining, 3)  # where it was left
    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(lambda: held(view, pair_id(mining, 2)) == "", timeout=WAIT_MS)
    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(lambda: held(view, pair_id(mining, 1)) == "", timeout=WAIT_MS)
    project = view.state.project
    assert project is not None
    qtbot.waitUntil(lambda: project.can_redo, timeout=WAIT_MS)
    press(view, Qt.Key.Key_Z, ctrl=True, shift=True)
    wanted = pair_id(mining, 1)
    qtbot.waitUntil(lambda: held(view, wanted) == "reject", timeout=WAIT_MS)


def test_undo_and_redo_take_what_was_said_a_moment_before(
    make_view: MakeView, windows: Windows, qtbot: QtBot, folder: Path, mining: int
) -> None:
    view = make_view()
    press(view, KEYS["accept"])
    press(view, Qt.Key.Key_Z, ctrl=True)  # nothing is saved or answered yet
    press(view, Qt.Key.Key_Z, ctrl=True, shift=True)
    press(view, Qt.Key.Key_Z, ctrl=True)
    state = view.state
    wait_saved(view, qtbot)
    qtbot.waitUntil(lambda: not state.changes.can_undo, timeout=WAIT_MS)
    assert state.changes.can_redo
    qtbot.waitUntil(lambda: held(view, pair_id(mining, 0)) == "", timeout=WAIT_MS)
    windows.close(view)
    with open_project(folder) as project:
        steps = read_judged_steps(project.store)
        assert [step.row.verdict for step in steps] == ["", "accept", "", "accept"]


def test_undos_while_the_engine_starts_again_lead_to_the_last_undone_pair(
    make_view: MakeView, qtbot: QtBot, mining: int
) -> None:
    view = make_view()
    for _ in range(6):
        press(view, KEYS["accept"])
    wait_saved(view, qtbot)
    client = view.state.client
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.kill()
    for _ in range(3):
        press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(lambda: held(view, pair_id(mining, 3)) == "", timeout=WAIT_MS)
    assert view.state.changes.is_settled
    assert view.header.counts.text() == "3 judged · 57 to judge"
    press(view, KEYS["reject"])
    wait_saved(view, qtbot)
    pairs = [step.row.pair_id for step in read_steps(view)]
    assert pairs[0] == pair_id(mining, 3)


def read_steps(view: ReviewView) -> list[JudgedStep]:
    assert view.state.project is not None
    return read_judged_steps(view.state.project.store)


def held(view: ReviewView, pair: int) -> str | None:
    """Return the verdict that is shown of a pair; None while another is shown."""
    shown = view.session.shown
    return shown.verdict if shown is not None and shown.id == pair else None


def test_texts_are_edited_swapped_noted_and_tagged_by_keys(
    make_view: MakeView, qtbot: QtBot, mining: int
) -> None:
    view = make_view()
    press(view, KEYS["flag"])
    press(view, Qt.Key.Key_K)
    press(view, Qt.Key.Key_E)
    editor = view.page.text_view.target.editor
    assert editor.hasFocus()
    editor.setPlainText("Die letzte Fähre geht um 9:30.")
    press(view, Qt.Key.Key_Return, ctrl=True)
    wait_saved(view, qtbot)
    assert view.page.text_view.texts[1] == "Die letzte Fähre geht um 9:30."
    assert "edited" in view.page.text_view.target.header.text()
    press(view, Qt.Key.Key_X)
    wait_saved(view, qtbot)
    qtbot.waitUntil(
        lambda: "swapped" in view.page.text_view.target.header.text(), timeout=WAIT_MS
    )
    assert view.page.text_view.texts[1].startswith("Der Sturm hat zwei Boote")
    fill_dialog(view, Qt.Key.Key_N, "Ask Jonas.")
    fill_dialog(view, Qt.Key.Key_T, "legal, free")
    wait_saved(view, qtbot)
    qtbot.waitUntil(lambda: "#legal #free" in view.page.decision.tags.text())
    assert "Ask Jonas." in view.page.decision.note.text()
    assert view.page.decision.verdict.text() == "Not judged"
    qtbot.waitUntil(lambda: len(view.sidebar.history.entries) == 5, timeout=WAIT_MS)
    said = [entry.line.text for entry in view.sidebar.history.entries]
    assert said[0].startswith("Tags legal, free")
    assert said[1] == "Note “Ask Jonas.”"
    assert said[2].startswith("Runner-up swapped")
    assert said[3] == "Target edited: “Die letzte Fähre geht um 9:30.”"
    assert said[4].startswith("Flagged “The last ferry leaves at 9:30")


def fill_dialog(view: ReviewView, key: Qt.Key, text: str) -> None:
    """Open a dialog by its key, write into it and save."""
    press(view, key)
    dialogs: list[Any] = view.window().findChildren(QWidget, "reviewDialog")
    dialog = dialogs[-1]
    field = dialog.field
    (field.setPlainText if hasattr(field, "setPlainText") else field.setText)(text)
    dialog.accept()


def test_a_range_is_judged_at_once_after_its_number_is_said(
    make_view: MakeView, qtbot: QtBot, folder: Path, mining: int
) -> None:
    view = make_view()
    view.controller.judge_range()
    dialogs: list[Any] = view.window().findChildren(QWidget, "reviewDialog")
    dialog = dialogs[-1]
    assert dialog.lowest.text() == ""
    dialog.verdict.setCurrentIndex(dialog.verdict.findData("accept"))
    dialog.lowest.setText("-100")
    dialog.lowest.textEdited.emit("-100")
    assert not dialog.done_button.isEnabled()
    qtbot.waitUntil(dialog.done_button.isEnabled, timeout=WAIT_MS)
    assert dialog.count.text() == "60 pairs will be accepted."
    dialog.accept()
    view.window().activateWindow()
    qtbot.waitUntil(view.window().isActiveWindow, timeout=WAIT_MS)
    wait_saved(view, qtbot)
    qtbot.waitUntil(lambda: "60 judged" in view.header.counts.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not view.empty_page.isHidden(), timeout=WAIT_MS)
    assert view.empty_page.words[0] == "No pair is left to judge"
    notices = QSignalSpy(view.state.edit_reported)
    project = view.state.project
    assert project is not None
    qtbot.waitUntil(lambda: project.can_undo, timeout=WAIT_MS)
    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(
        lambda: view.header.counts.text().startswith("0 judged"), timeout=WAIT_MS
    )
    qtbot.waitUntil(lambda: notices.count() == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.session.shown is not None, timeout=WAIT_MS)


SCORES = {"low": -6.0, "high": 1.5, "counts": [N]}


def test_the_suggested_threshold_is_used_in_mine(
    windows: Windows, qtbot: QtBot, folder: Path
) -> None:
    make_pairs(folder, N, report=json.dumps({"scores": SCORES}))
    window = windows.open(folder, "mining")
    mine = window.view
    assert isinstance(mine, MiningView)
    window.show_view("review")
    view = window.view
    assert isinstance(view, ReviewView)
    wait_for_queue(view, lambda is_so: qtbot.waitUntil(is_so, timeout=WAIT_MS))
    panel = view.sidebar.threshold
    assert panel.use_button.isVisible()
    assert not panel.use_button.isEnabled()  # nothing is judged
    for _ in range(40):
        press(view, KEYS["accept"])
    for _ in range(10):
        press(view, KEYS["reject"])
    wait_saved(view, qtbot)
    qtbot.waitUntil(
        lambda: [point.n for point in panel.plot.curve][-1:] == [50], timeout=WAIT_MS
    )
    qtbot.waitUntil(panel.use_button.isEnabled, timeout=WAIT_MS)
    assert panel.suggested is not None
    assert panel.text.text().startswith(f"At {format_score(panel.suggested)}, ")
    QTest.mouseClick(panel.use_button, Qt.MouseButton.LeftButton)
    assert window.view is mine
    shown = mine.page.pairs.threshold
    assert shown.field.value() == shown.threshold == panel.suggested
    assert shown.n_above == 20
    shown.set_threshold(1.0)
    window.show_view("review")
    QTest.mouseClick(panel.use_button, Qt.MouseButton.LeftButton)
    assert shown.threshold == panel.suggested
    assert shown.n_above == 20


def test_the_pairs_that_mine_lists_are_reviewed_from_the_selected_one(
    windows: Windows, qtbot: QtBot, folder: Path
) -> None:
    report = json.dumps({"scores": SCORES})
    mining = make_pairs(folder, N, report=report)
    with open_project(folder) as project:
        edit(project, JudgePairs(pairs=(pair_id(mining, 1),), verdict="accept"))
        fifth = read_pairs(project.store, [pair_id(mining, 4)])[0]
    assert fifth is not None
    window = windows.open(folder, "review")
    view = window.view
    assert isinstance(view, ReviewView)
    wait_for_queue(view, lambda is_so: qtbot.waitUntil(is_so, timeout=WAIT_MS))
    view.session.load(mining, QueueSettings(lowest=-9.0, highest=-5.0))
    queue = view.session.queue
    window.show_view("mining")
    mine = window.view
    assert isinstance(mine, MiningView)
    mine.page.pairs.threshold.set_threshold(round_down(fifth.score))
    for place, current in ((1, 0), (3, 3)):  # the one at 1 is judged
        window.show_view("mining")
        mine.page.pairs.table.select_pair(pair_id(mining, place))
        mine.controller.actions["review"].trigger()
        qtbot.waitUntil(lambda: not queue.is_loading, timeout=WAIT_MS)
        assert window.view is view
        assert queue.ids.tolist() == [pair_id(mining, n) for n in (0, 2, 3, 4)]
        assert queue.current == pair_id(mining, current)
        assert view.queue_bar.highest.text() == ""


def test_a_scored_text_is_reviewed_below_the_threshold_the_worst_first(
    windows: Windows, qtbot: QtBot, folder: Path
) -> None:
    make_pairs(folder, 3)
    with open_project(folder) as project:
        new = NEW._replace(kind="scored")
        mining = add_pairs(project, N, new=new, report=json.dumps({"scores": SCORES}))
        fifth = read_pairs(project.store, [pair_id(mining, 4)])[0]
    assert fifth is not None
    window = windows.open(folder, "mining")
    mine = window.view
    assert isinstance(mine, MiningView)
    assert mine.page.row is not None
    assert mine.page.row.id == mining
    mine.page.pairs.threshold.set_threshold(round_down(fifth.score))
    mine.controller.actions["review"].trigger()
    view = window.view
    assert isinstance(view, ReviewView)
    queue = view.session.queue
    qtbot.waitUntil(lambda: queue.current is not None, timeout=WAIT_MS)
    assert queue.ids.tolist() == [pair_id(mining, n) for n in range(N - 1, 4, -1)]
    assert queue.current == pair_id(mining, N - 1)
    assert view.queue_bar.highest.text() == f"{round_down(fifth.score):g}"
    assert view.queue_bar.lowest.text() == ""


def add_scored_pairs(project: Project) -> int:
    """Add five scored pairs; the first four are linked."""
    mining = add_pairs(project, 5, new=NEW._replace(kind="scored"))
    links = [
        {
            "source_id": first_sentence_id(1) + n,
            "target_id": first_sentence_id(2) + n,
            "kind": "imported",
        }
        for n in range(4)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), links)
    return mining


def test_rejected_pairs_of_a_scored_text_are_unlinked_in_one_step(
    windows: Windows, qtbot: QtBot, folder: Path
) -> None:
    make_pairs(folder, 5)
    with open_project(folder) as project:
        mining = add_scored_pairs(project)
        rejected = tuple(pair_id(mining, place) for place in (1, 2, 4))
        edit(project, JudgePairs(pairs=rejected, verdict="reject"))
        edit(project, JudgePairs(pairs=(pair_id(mining, 3),), verdict="accept"))
    window = windows.open(folder, "mining")
    mine, state = window.view, window.state
    assert isinstance(mine, MiningView)
    project_of_window = state.project
    assert project_of_window is not None

    def n_links() -> int:
        return len(read_links(project_of_window.store, 1, 2)[0])

    action = mine.controller.actions["unlink_rejected"]
    assert action.isVisible()
    action.trigger()
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Remove 2 links of rejected pairs?"
    assert n_links() == 4
    box.defaultButton().click()
    qtbot.waitUntil(lambda: n_links() == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: mine.messages.text == "Removed 2 links.", timeout=WAIT_MS)
    assert find_rejected_links(project_of_window.store, mining) == []
    notices = QSignalSpy(state.notice_posted)
    action.trigger()
    assert notices.at(0)[0] == "No rejected pair of this pair set is linked."
    state.undo()
    qtbot.waitUntil(lambda: n_links() == 4, timeout=WAIT_MS)


def test_review_offers_to_unlink_a_rejected_range_of_a_scored_text(
    windows: Windows, qtbot: QtBot, folder: Path
) -> None:
    make_pairs(folder, 5)
    with open_project(folder) as project:
        mining = add_scored_pairs(project)
    window = windows.open(folder, "review")
    view, state = window.view, window.state
    assert isinstance(view, ReviewView)
    view.session.load(mining, QueueSettings())
    qtbot.waitUntil(lambda: view.session.shown is not None, timeout=WAIT_MS)
    unlink = view.commands["unlink_rejected"]
    assert not unlink.isVisible()
    view.controller.judge_range()
    (dialog,) = view.window().findChildren(RangeDialog)
    dialog.verdict.setCurrentIndex(dialog.verdict.findData("reject"))
    dialog.lowest.setText("-100")
    dialog.lowest.textEdited.emit("-100")
    qtbot.waitUntil(dialog.done_button.isEnabled, timeout=WAIT_MS)
    dialog.accept()
    kept = "Rejected pairs stay known translations until you unlink them."
    text = f"5 pairs are rejected. {kept}"
    qtbot.waitUntil(lambda: view.messages.text == text, timeout=WAIT_MS)
    qtbot.waitUntil(view.empty_page.isVisible, timeout=WAIT_MS)
    assert unlink.isVisible()
    for place in (view.messages, view.empty_page):
        buttons = place.findChildren(QPushButton)
        offers = [one for one in buttons if one.text() == unlink.text()]
        assert sum(one.isVisible() for one in offers) == 1
    offers[-1].click()
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Remove 4 links of rejected pairs?"
    box.defaultButton().click()
    qtbot.waitUntil(lambda: view.messages.text == "Removed 4 links.", timeout=WAIT_MS)
    assert state.project is not None
    assert find_rejected_links(state.project.store, mining) == []
    state.undo()
    qtbot.waitUntil(lambda: state.changes.is_settled, timeout=WAIT_MS)
    assert len(find_rejected_links(state.project.store, mining)) == 4


def test_the_estimate_is_right_again_after_the_engine_is_killed(
    make_view: MakeView, qtbot: QtBot
) -> None:
    view = make_view()
    panel = view.sidebar.threshold
    for key in "accept", "reject":
        press(view, KEYS[key])
    wait_saved(view, qtbot)
    client = view.state.client
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        panel.ask()
        client.kill()  # before it answers
    qtbot.waitUntil(
        lambda: "50\u00a0% of 2 pairs" in panel.text.text(), timeout=WAIT_MS
    )
    assert "95" in panel.text.text()
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.kill()
    panel.set_precision(0.99)
    qtbot.waitUntil(lambda: "99\u00a0%" in panel.text.text(), timeout=WAIT_MS)
    panel.show_nothing()  # as if it were asked while no engine ran
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.kill()
    client.start()
    qtbot.waitUntil(lambda: "99\u00a0%" in panel.text.text(), timeout=WAIT_MS)
