"""Moving in the queue of the review: judged pairs, new orders and the search."""

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.pairs.packages import (
    PackagedOpinion,
    PackageRow,
    append_opinions,
    record_package,
)
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.sentences import SentenceRow
from app.protocol import events
from app.protocol.answers.pairs import AgreementAnswer, QueueAnswer
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.pairs import AgreementQuery, QueueQuery
from app.views.review.queue import QueueSettings
from app.views.review.session import N_BEFORE_REORDER
from app.views.review.view import ReviewView
from tests.engine.review.made import edit
from tests.views.review.reviewed import Reviewed
from tests.views.reviewing import press

FIRST = first_pair_id(1)


def answer_with(
    stage: Reviewed,
    *indices: int,
    n_others: int = 0,
    in_set: dict[str, int] | None = None,
) -> None:
    """Let the engine answer with these pairs."""

    def _answer(query: QueueQuery) -> QueueAnswer:
        file = stage.folder / "arrays" / "queue.npy"
        np.save(file, np.array(indices, np.int64) + FIRST)
        counts = {"accept": n_others}
        return QueueAnswer("arrays/queue.npy", len(indices), counts, in_set or {})

    stage.client.answers[QueueQuery] = _answer


def place(view: ReviewView) -> int | None:
    current = view.session.queue.current
    return None if current is None else current - FIRST


def wait_loaded(view: ReviewView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)


def load(view: ReviewView, qtbot: QtBot, settings: QueueSettings) -> None:
    view.session.load_current(settings)
    wait_loaded(view, qtbot)
    view.focus_first()


def test_a_verdict_leads_to_the_next_pair_that_is_not_judged(
    stage: Reviewed, view: ReviewView
) -> None:
    with open_project(stage.folder) as project:  # two that are in the queue already
        edit(project, JudgePairs(pairs=(FIRST + 1, FIRST + 4), verdict="accept"))
    press(view, Qt.Key.Key_R)
    assert place(view) == 2
    for _ in range(2):
        press(view, Qt.Key.Key_K)
    assert place(view) == 0
    press(view, Qt.Key.Key_A)  # pair 0 again: it isn't saved yet, nor is pair 2 judged
    assert place(view) == 2
    press(view, Qt.Key.Key_A)
    press(view, Qt.Key.Key_A)
    assert place(view) == 5
    press(view, Qt.Key.Key_A)
    assert view.empty_page.words[0] == "End of the queue"
    judged = [one.pairs[0] - FIRST for one in stage.judged()]
    assert judged == [0, 0, 2, 3, 5]


def test_shift_j_goes_to_the_next_pair_that_is_not_judged(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    with open_project(stage.folder) as project:
        judged = tuple(FIRST + n for n in (1, 2, 4, 5))
        edit(project, JudgePairs(pairs=judged, verdict="accept"))
    load(view, qtbot, QueueSettings(which="all"))
    keys = [action.text() for action, _ in view.controller.key_hints]
    assert "Next pair not judged" in keys
    press(view, Qt.Key.Key_J, shift=True)
    assert place(view) == 3
    press(view, Qt.Key.Key_J, shift=True)  # from the end on to the start
    assert place(view) == 0
    press(view, Qt.Key.Key_A)
    assert place(view) == 1  # all pairs are shown: the next one
    press(view, Qt.Key.Key_J, shift=True)
    notices = QSignalSpy(stage.state.notice_posted)
    press(view, Qt.Key.Key_J, shift=True)
    assert place(view) == 3
    assert notices.at(0) == ["The queue has no other pair that is not judged."]


def test_previous_leads_back_to_judged_pairs_that_left_the_queue(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    for _ in range(2):
        press(view, Qt.Key.Key_A)
    press(view, Qt.Key.Key_J)  # pair 2 is left out
    answer_with(stage, 2, 3, 4, 5)
    press(view, Qt.Key.Key_F5)
    wait_loaded(view, qtbot)
    assert place(view) == 3
    press(view, Qt.Key.Key_R)
    seen = []
    for _ in range(6):
        press(view, Qt.Key.Key_K)
        seen.append(place(view))
    assert seen == [3, 1, 0, 2, 2, 2]
    press(view, Qt.Key.Key_J)
    assert place(view) == 0
    press(view, Qt.Key.Key_R)  # judged again, and on to the next without a verdict
    qtbot.waitUntil(lambda: len(stage.judged()) == 4)
    assert [one.pairs[0] - FIRST for one in stage.judged()] == [0, 1, 3, 0]
    answer_with(stage)
    press(view, Qt.Key.Key_F5)
    wait_loaded(view, qtbot)
    assert place(view) is None
    press(view, Qt.Key.Key_K)
    assert place(view) == 0, "the pair judged last"


def test_undos_whose_answers_arrive_together_lead_to_the_last_undone_pair(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    with open_project(stage.folder) as project:
        for n in range(4):
            edit(project, JudgePairs(pairs=(FIRST + n,), verdict="accept"))
        view.session.reload()
        wait_loaded(view, qtbot)
        view.session.verdict_counts.set_counts({"accept": 4, "": 2})
        view.session.queue.go(4)
        changed = [FIRST + n for n in (3, 2, 1)]
        for _ in changed:
            edit(project, Undo())
    for pair in changed:
        stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: place(view) == 1)
    wait_loaded(view, qtbot)
    assert place(view) == 1
    assert view.session.verdict_counts.counts == {"accept": 1, "": 5}
    answer_with(stage, 4, 5)  # the undone pairs are in the order no longer
    view.session.load_current(QueueSettings())
    wait_loaded(view, qtbot)
    for pair in (FIRST, FIRST + 3):  # no two single steps: the queue is read again
        stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: place(view) == 3)
    wait_loaded(view, qtbot)
    assert place(view) == 3


def test_a_new_order_is_offered_and_starts_at_its_first_pair(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    stage.commits = True
    load(view, qtbot, QueueSettings(order="value"))
    button = view.page.decision.reload_button
    assert button.isHidden()
    press(view, Qt.Key.Key_J)
    for n in range(N_BEFORE_REORDER):
        pair = FIRST + n % 2
        view.session.send(JudgePairs(pairs=(pair,), verdict="accept"))
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved)
    assert place(view) == 1  # nothing moved while judging
    assert button.isVisible()
    assert button.text() == "Reload queue"
    answer_with(stage, 4, 5, 1, 2, 3)
    stage.tell(events.Changed("judgements", 1))  # many pairs, elsewhere
    assert (place(view), view.page.decision.place.text()) == (1, "2 of 6")
    press(view, Qt.Key.Key_F5)
    wait_loaded(view, qtbot)
    assert (place(view), view.page.decision.place.text()) == (4, "1 of 5")
    assert button.isHidden()


def test_a_reload_of_another_order_keeps_the_pair(
    view: ReviewView, qtbot: QtBot
) -> None:
    press(view, Qt.Key.Key_J)
    press(view, Qt.Key.Key_F5)
    wait_loaded(view, qtbot)
    assert place(view) == 1


def search(view: ReviewView, qtbot: QtBot, text: str) -> None:
    press(view, Qt.Key.Key_F, ctrl=True)
    assert view.queue_bar.search_field.hasFocus()
    QTest.keyClicks(view.queue_bar.search_field, text)
    press(view, Qt.Key.Key_Return)
    wait_loaded(view, qtbot)


def test_enter_and_escape_leave_the_search_field(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    for _ in range(3):
        press(view, Qt.Key.Key_J)
    answer_with(stage, 1, 4, 5)
    search(view, qtbot, "boats")
    assert view.session.queue.settings.find == "boats"
    assert place(view) == 1  # the first match, not only those behind pair 3
    assert view.page.text_view.hasFocus()
    press(view, Qt.Key.Key_J)
    answer_with(stage, *range(6))
    press(view, Qt.Key.Key_F, ctrl=True)
    press(view, Qt.Key.Key_Escape)  # clears first
    wait_loaded(view, qtbot)
    assert view.queue_bar.search_field.text() == ""
    assert view.session.queue.settings.find == ""
    assert place(view) == 3  # where the search began
    assert view.queue_bar.search_field.hasFocus()
    press(view, Qt.Key.Key_Escape)
    assert view.page.text_view.hasFocus()
    press(view, Qt.Key.Key_A)
    assert stage.judged()[-1].pairs == (FIRST + 3,)


def test_a_cleared_search_of_the_most_informative_starts_at_the_first(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    load(view, qtbot, QueueSettings(order="value"))
    press(view, Qt.Key.Key_J)
    view.queue_bar.show_settings(view.session.queue.settings)
    search(view, qtbot, "boats")
    answer_with(stage, 5, 4, 3, 2, 1, 0)
    view.controller.clear_search()
    wait_loaded(view, qtbot)
    assert place(view) == 5


def test_a_search_without_matches_is_named_and_can_be_cleared(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    answer_with(stage)
    search(view, qtbot, "whale")
    assert view.empty_page.words == ("No matching pairs", "No pair contains “whale”.")
    (button,) = (
        one
        for one in view.empty_page.findChildren(QPushButton)
        if one.text() == "Clear search" and one.isVisible()
    )
    assert button.hasFocus()
    answer_with(stage, *range(6))
    button.click()
    wait_loaded(view, qtbot)
    assert view.queue_bar.search_field.text() == ""
    assert place(view) == 0
    answer_with(stage, n_others=2)
    search(view, qtbot, "ship")
    text = "2 pairs with another verdict contain “ship”."
    assert view.empty_page.words == ("No matching pairs", text)
    buttons = view.empty_page.findChildren(QPushButton)
    shown = [one for one in buttons if one.isVisible()]
    filled = [one.text() for one in shown if one.property("primary")]
    assert filled == ["Show all pairs"]  # one way is the usual one


def test_sentences_start_at_one_height_and_keep_their_width(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    texts = view.page.text_view
    source = texts.source
    pair = view.session.shown
    assert pair is not None
    long_row = SentenceRow(1, "The boats came in one by one. " * 12, "en", 1, 0)
    places = set()
    for before, text in (
        ([], "Short."),
        ([long_row._replace(text="One line.")], "Short."),
        ([long_row, long_row._replace(text="The line before.")], "Long. " * 400),
    ):
        side = pair.source._replace(before=before, text=text)
        texts.show_pair(pair._replace(source=side))
        QApplication.processEvents()  # the layout follows
        texts.verticalScrollBar().setValue(0)
        top = source.text.mapTo(texts, QPoint(0, 0)).y()
        places.add((top, source.card.width()))
    assert len(places) == 1
    # The end of the context is next to the sentence; what is cut is in the tooltip.
    box = source.before_box
    label = source.before.mapTo(box.viewport(), QPoint(0, source.before.height()))
    assert label.y() == box.viewport().height()
    assert box.toolTip() == source.before.text()


def test_nothing_moves_when_tags_or_a_new_order_become_available(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    load(view, qtbot, QueueSettings(order="value"))
    bar, decision = view.queue_bar, view.page.decision
    assert bar.tag.isVisible()
    assert not bar.tag.isEnabled()

    def _places() -> list[QRect]:
        QApplication.processEvents()  # the layout follows
        return [
            QRect(one.mapTo(view, QPoint(0, 0)), one.size())
            for one in (bar.lowest, bar.search_field, decision, view.page.text_view)
        ]

    before = _places()
    bar.set_tags(["a rather long tag"])
    view.session.order_outdated.emit(True)
    assert bar.tag.isEnabled()
    assert decision.reload_button.isVisible()
    assert _places() == before


def shown_buttons(view: ReviewView) -> list[str]:
    buttons = view.empty_page.findChildren(QPushButton)
    return [one.text() for one in buttons if one.isVisible()]


def test_skip_only_moves_on_from_a_pair_that_has_a_verdict(
    stage: Reviewed, view: ReviewView
) -> None:
    with open_project(stage.folder) as project:
        edit(project, JudgePairs(pairs=(FIRST,), verdict="flag"))
    stage.tell(events.Changed("pair", FIRST))
    press(view, Qt.Key.Key_Space)
    assert place(view) == 1
    assert stage.judged() == []
    press(view, Qt.Key.Key_Space)
    assert [one.verdict for one in stage.judged()] == ["skip"]


def test_the_end_of_a_search_names_it_and_what_is_left_of_the_set(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    answer_with(stage, 0, in_set={"": 5, "accept": 1, "flag": 2})
    load(view, qtbot, QueueSettings(find="ferry", tag="legal"))
    assert view.header.counts.text() == "1 judged · 2 flagged · 5 to judge"
    press(view, Qt.Key.Key_A)
    assert view.header.counts.text() == "2 judged · 2 flagged · 4 to judge"
    assert view.empty_page.words == (
        "End of the queue",
        "The queue had 1 pair (“ferry” · #legal). 4 of the 8 pairs of the set are not "
        "judged.",
    )
    assert {"Clear search", "Show all pairs to judge"} <= set(shown_buttons(view))
    assert not any("conflict" in text for text in shown_buttons(view))
    stage.client.answers[AgreementQuery] = lambda _: AgreementAnswer(
        [], 0, None, None, None, 1, ""
    )
    show_conflicts(stage)
    view.sidebar.agreement.request(1)
    qtbot.waitUntil(lambda: "Resolve 1 conflict" in shown_buttons(view))
    for one in view.empty_page.findChildren(QPushButton):
        assert not one.isVisible() or one.width() >= one.sizeHint().width()
    (button,) = [
        one
        for one in view.empty_page.findChildren(QPushButton)
        if one.text() == "Show all pairs to judge" and one.isVisible()
    ]
    button.click()
    assert view.session.queue.settings == QueueSettings()


def show_conflicts(stage: Reviewed) -> None:
    """Let somebody else have judged a pair."""
    row = PackageRow("p", "given", 1, np.array([FIRST], np.int64), "")
    opinion = PackagedOpinion(FIRST, 1, 1, "reject", None, None, "", (), "B", "p", 0.0)
    with open_project(stage.folder) as project, project.store.begin() as connection:
        record_package(connection, row, None)
        append_opinions(connection, [opinion], 0)


def test_all_pairs_of_a_search_are_shown_with_the_search(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    answer_with(stage, n_others=1)
    load(view, qtbot, QueueSettings(find="ferry"))
    view.controller.show_all()
    assert view.session.queue.settings == QueueSettings(which="all", find="ferry")
    wait_loaded(view, qtbot)
    answer_with(stage)
    load(view, qtbot, QueueSettings(find="nothing"))
    view.controller.show_all()
    assert view.session.queue.settings == QueueSettings(which="all")


def test_a_pair_of_the_history_clears_a_search_that_did_not_find_it(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    answer_with(stage, 0, 1)
    load(view, qtbot, QueueSettings(find="ferry"))
    view.review_pair(1, FIRST + 1)
    assert view.queue_bar.search_field.text() == "ferry"
    answer_with(stage, 0, 1, 2)
    view.review_pair(1, FIRST + 4)
    wait_loaded(view, qtbot)
    assert view.queue_bar.search_field.text() == ""
    assert view.session.queue.settings == QueueSettings()
    assert place(view) == 4
    assert len(view.session.queue) == 4
