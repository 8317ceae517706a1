"""The history of the shown pair set, the range dialog and the empty queue."""

import time

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.pairs.sets import first_pair_id
from app.protocol import commands, events
from app.protocol.answers.pairs import PrecisionPoint, QueueAnswer, ThresholdAnswer
from app.protocol.edits.pairs import JudgePairs, JudgeRange
from app.protocol.queries.pairs import QueueQuery, ThresholdQuery
from app.views.review.dialogs import RangeDialog
from app.views.review.history import HistoryPanel
from app.views.review.queue import QueueSettings
from app.views.review.view import ReviewView
from tests.engine.review.made import NEW, add_pairs, edit
from tests.views.review.reviewed import Reviewed


def judge(stage: Reviewed, *pairs: int) -> None:
    with open_project(stage.folder) as project:
        for pair in pairs:
            edit(project, JudgePairs(pairs=(pair,), verdict="reject"))


def test_the_history_has_only_judgements_of_the_shown_pair_set(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    with open_project(stage.folder) as project:
        other = add_pairs(project, 2, new=NEW._replace(name="The Gazette"))
    judge(stage, first_pair_id(1) + 2)
    history = view.sidebar.history
    history.refresh()
    assert [one.line.text for one in history.entries] == [
        "Rejected “Jonas stayed at the harbour all night. (2)”"
    ]
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.tell(events.Changed("mining", other))
    view.session.load(other, QueueSettings())
    assert history.entries == []
    judge(stage, first_pair_id(other))
    history.refresh()
    assert [one.pair for one in history.entries] == [first_pair_id(other)]


def selected_lines(listed: QListWidget) -> list[str]:
    return [item.toolTip().split(" · ")[0] for item in listed.selectedItems()]


def test_the_selection_of_the_history_stays_on_its_entry(
    stage: Reviewed, view: ReviewView
) -> None:
    judge(stage, *(first_pair_id(1) + index for index in range(3)))
    history = view.sidebar.history
    history.refresh()
    click_row(history.list, 1)
    line = "Rejected “The storm tore two boats loose. (1)”"
    assert selected_lines(history.list) == [line]
    judge(stage, first_pair_id(1) + 3)
    history.refresh()
    assert selected_lines(history.list) == [line]
    assert history.list.currentRow() == 2
    assert history.undo_button.isEnabled()


def test_a_selected_entry_that_leaves_the_history_selects_no_other(
    stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("app.views.review.history.N_STEPS", 3)
    history = view.sidebar.history
    history.show_mining(None)
    judge(stage, *(first_pair_id(1) + index for index in range(3)))
    history.show_mining(1)
    click_row(history.list, 2)
    assert len(selected_lines(history.list)) == 1
    judge(stage, first_pair_id(1) + 3)
    stage.tell(events.Changed("pair", first_pair_id(1) + 3))
    newest = first_pair_id(1) + 3
    qtbot.waitUntil(lambda: history.entries[0].pair == newest)
    assert selected_lines(history.list) == []
    assert not history.undo_button.isEnabled()


def test_the_history_stays_at_its_newest_entry_when_the_selected_one_leaves(
    stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("app.views.review.history.N_STEPS", 30)
    history = view.sidebar.history
    history.show_mining(None)
    judge(stage, *[first_pair_id(1), first_pair_id(1) + 1] * 15)
    history.show_mining(1)
    assert history.list.verticalScrollBar().maximum() > 0
    history.list.setCurrentRow(29)
    history.list.verticalScrollBar().setValue(0)
    newest = first_pair_id(1) + 3
    judge(stage, newest)
    stage.tell(events.Changed("pair", newest))
    qtbot.waitUntil(lambda: history.entries[0].pair == newest)
    assert history.list.verticalScrollBar().value() == 0


@pytest.mark.parametrize("is_selected", [True, False])
def test_new_judgements_do_not_move_the_entry_that_is_selected_or_pointed_at(
    stage: Reviewed, view: ReviewView, is_selected: bool
) -> None:
    first = first_pair_id(1)
    judge(stage, first, first + 1)
    history = view.sidebar.history
    history.refresh()
    listed = history.list
    if is_selected:
        click_row(listed, 1)
    listed.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, not is_selected)
    before = top_of(history, first)
    for place in (2, 3):
        judge(stage, first + place)
        history.refresh()
        assert top_of(history, first) == before
    listed.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(listed, QEvent(QEvent.Type.Leave))
    is_moved = top_of(history, first) != before
    assert is_moved != is_selected  # the newest is shown as soon as nothing is in use


def top_of(history: HistoryPanel, pair: int) -> int:
    """Return the pixel that the entry of a pair begins at."""
    QApplication.processEvents()  # the layout follows
    rows = [entry.pair for entry in history.entries]
    return history.list.visualItemRect(history.list.item(rows.index(pair))).y()


def test_a_line_of_the_history_keeps_filter_and_order(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    judge(stage, first_pair_id(1) + 2)
    settings = QueueSettings(which="all", descending=False, lowest=0.5)
    view.session.load_current(settings)
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    history = view.sidebar.history
    history.refresh()
    click_row(history.list, 0)
    assert view.session.queue.current == first_pair_id(1) + 2
    assert view.session.queue.settings == settings
    assert view.queue_bar.settings() == settings
    assert len(view.session.queue) == 6


def click_row(listed: QListWidget, row: int) -> None:
    place = listed.visualItemRect(listed.item(row)).center()
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_judgements_of_another_day_show_their_date(
    stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(stage, first_pair_id(1))
    made_at = time.mktime((2024, 3, 5, 14, 3, 0, 0, 0, -1))
    with open_project(stage.folder) as project, project.store.begin() as connection:
        connection.execute(update(schema.judgement).values(created_at=made_at))
    history = view.sidebar.history
    history.refresh()
    (entry,) = history.entries
    assert entry.when == "2024-03-05 14:03"
    # A line that was read before midnight shows its date afterwards.
    today = time.localtime(made_at + 60)
    real = time.localtime
    monkeypatch.setattr(
        time, "localtime", lambda seconds=None: real(seconds) if seconds else today
    )
    assert entry.when == "14:03"


def open_range(view: ReviewView) -> RangeDialog:
    view.controller.judge_range()
    (dialog,) = view.window().findChildren(RangeDialog)
    return dialog


def choose_verdict(dialog: RangeDialog, name: str) -> None:
    dialog.verdict.setFocus()
    while dialog.verdict.currentText() != name:
        QTest.keyClick(dialog.verdict, Qt.Key.Key_Down)


def test_a_range_without_a_bound_judges_nothing(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    dialog = open_range(view)
    assert (dialog.lowest.text(), dialog.highest.text()) == ("", "")
    assert not dialog.done_button.isEnabled()
    assert dialog.count.text() == "Enter a lowest or a highest score."
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    choose_verdict(dialog, "accepted")
    QTest.keyClicks(dialog.highest, "1.1")
    qtbot.waitUntil(dialog.done_button.isEnabled)
    assert dialog.count.text() == "6 pairs will be accepted."
    for _ in "1.1":
        QTest.keyClick(dialog.highest, Qt.Key.Key_Backspace)
    assert not dialog.done_button.isEnabled()
    dialog.reject()


def test_a_range_starts_at_the_suggested_threshold(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    advice = PrecisionPoint(1.0625, 0.95, 0.9, 0.97, 40, 4)
    stage.client.answers[ThresholdQuery] = lambda query: ThresholdAnswer(
        40, [advice], advice, "At 1.06, 95 % are right."
    )
    with qtbot.waitSignal(view.sidebar.threshold.shown):
        view.sidebar.threshold.ask()
    dialog = open_range(view)
    assert dialog.lowest.text() == "1.062"
    assert dialog.highest.text() == ""
    # Enter must not judge pairs that nobody read: no verdict is prefilled
    qtbot.waitUntil(lambda: dialog.count.text().startswith("6 pairs in this range."))
    assert dialog.count.text() == "6 pairs in this range. Choose a verdict."
    assert "These pairs are not read" in dialog.note.text()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert not any(isinstance(one, JudgeRange) for one in stage.client.changes())
    choose_verdict(dialog, "rejected")
    qtbot.waitUntil(dialog.done_button.isEnabled)
    assert dialog.count.text() == "6 pairs will be rejected."
    dialog.done_button.click()
    (sent,) = (one for one in stage.client.changes() if isinstance(one, JudgeRange))
    assert (sent.verdict, sent.lowest) == ("reject", 1.062)


def test_a_range_starts_at_the_scores_shown_and_offers_undo(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    settings = QueueSettings(lowest=0.95, highest=1.13)
    view.session.load_current(settings)
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    dialog = open_range(view)
    assert (dialog.lowest.text(), dialog.highest.text()) == ("0.95", "1.13")
    choose_verdict(dialog, "accepted")
    qtbot.waitUntil(dialog.done_button.isEnabled)
    dialog.done_button.click()
    assert view.messages.text == ""  # it is not saved yet
    sent = stage.client.sent[-1]
    assert isinstance(sent, commands.Edit)
    stage.tell(events.Changed("judgements", 1))
    qtbot.waitUntil(lambda: view.messages.text == "6 pairs are accepted.")
    undo = [one for one in view.messages.findChildren(QPushButton) if one.text()]
    assert [one.text() for one in undo] == ["Undo"]


def test_the_tip_of_another_order_goes_where_that_order_is_on(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    stage.client.answers[ThresholdQuery] = lambda query: ThresholdAnswer(
        0, [], None, "No pair is judged yet.", tip="Sort otherwise."
    )
    panel = view.sidebar.threshold
    with qtbot.waitSignal(panel.shown):
        panel.ask()
    assert panel.text.text() == "No pair is judged yet. Sort otherwise."
    order = view.queue_bar.order
    order.setCurrentIndex(order.findData("value down"))
    view.queue_bar.changed.emit()
    assert panel.text.text() == "No pair is judged yet."


def test_the_history_names_a_range(stage: Reviewed, view: ReviewView) -> None:
    with open_project(stage.folder) as project:
        edit(project, JudgeRange(mining=1, verdict="accept"))
    history = view.sidebar.history
    history.refresh()
    assert history.entries[0].line.text == "Accepted as a range: 6 pairs"


def test_an_empty_queue_of_conflicts_says_that_there_are_none(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    stage.client.answers[QueueQuery] = lambda query: QueueAnswer("", 0, {"": 6})
    view.session.load_current(QueueSettings(which="conflict", order="shuffled"))
    words = ("No matching pairs", "There are no conflicts.")
    qtbot.waitUntil(lambda: view.empty_page.words == words)
    settings = QueueSettings(which="conflict", tag="legal")
    view.session.load_current(settings)
    words = (words[0], "Change the filters, or show all pairs.")
    qtbot.waitUntil(lambda: view.empty_page.words == words)
