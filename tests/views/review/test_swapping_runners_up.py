"""The score, the neighbours and the history after a runner-up was swapped in."""

import msgspec
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.protocol import events
from app.protocol.answers.pairs import PairExplanation
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from app.protocol.queries.pairs import ExplainQuery
from app.views.review.view import ReviewView
from tests.engine.review.made import edit
from tests.views.review.reviewed import Reviewed, explain
from tests.views.reviewing import press


def explain_swapped(query: ExplainQuery) -> PairExplanation:
    """Explain the first pair with its runner-up as the target."""
    return msgspec.structs.replace(
        explain(query),
        score=0.417,
        cosine=0.25,
        target_mean=0.7,
        scored=(2**32, 2 * 2**32 + 1),
    )


def swap(stage: Reviewed, view: ReviewView, qtbot: QtBot) -> int:
    """Press X, and let the engine save the swap; returns the pair."""
    pair = view.session.queue.current
    assert pair is not None
    with open_project(stage.folder) as project:
        edit(project, SwapRunnerUp(pair=pair))
    press(view, Qt.Key.Key_X)
    stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved)
    return pair


def test_a_swap_shows_the_score_and_the_neighbours_of_the_new_sentence(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    score, page = view.page.score, view.page
    old = score.score.text()
    assert score.badge.isVisible()
    near = page.target_neighbours
    qtbot.waitUntil(lambda: page.source_neighbours.mean.text() != "")
    assert near.mean.text() != ""
    stage.client.answers[ExplainQuery] = explain_swapped
    swap(stage, view, qtbot)
    assert page.text_view.texts[1].startswith("Der Sturm hat zwei Boote")
    assert score.score.text() in ("", "margin 0.417")  # never that of the removed one
    qtbot.waitUntil(lambda: score.score.text() == "margin 0.417")
    assert score.score.text() != old
    assert score.parts.text().startswith("cosine 0.250")
    assert score.badge.accessibleName() == "0.25"
    assert near.mean.text() == "mean cosine (k = 4): 0.700"


def test_a_swapped_pair_without_a_new_score_shows_none(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    old = view.page.score.score.text()
    assert old
    swap(stage, view, qtbot)  # the explanation is still that of the mined sentences
    words = "The sentence that was swapped in has no score."
    qtbot.waitUntil(lambda: view.page.score.parts.text() == words)
    assert view.page.score.score.text() == ""
    assert not view.page.score.badge.isVisible()
    assert view.page.target_neighbours.mean.text() == ""


def test_the_history_names_a_swap_of_a_pair_that_was_never_judged(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    swap(stage, view, qtbot)
    history = view.sidebar.history
    qtbot.waitUntil(lambda: len(history.entries) == 1)
    assert history.entries[0].line.text.startswith(
        "Runner-up swapped in: “The last ferry"
    )


def test_a_swapped_pair_is_not_judged_and_its_history_remains(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    pair = view.session.queue.current
    assert pair is not None
    with open_project(stage.folder) as project:
        edit(project, JudgePairs(pairs=(pair,), verdict="reject"))
    stage.tell(events.Changed("pair", pair))
    decision = view.page.decision
    qtbot.waitUntil(lambda: decision.verdict.text() == "Rejected")
    assert view.session.verdict_counts.counts == {"": 5, "reject": 1}
    press(view, Qt.Key.Key_X)
    assert decision.verdict.text() == "Not judged"  # also before it is saved
    assert view.session.verdict_counts.counts == {"": 6, "reject": 0}
    with open_project(stage.folder) as project:
        edit(project, SwapRunnerUp(pair=pair))
    stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved)
    assert decision.verdict.text() == "Not judged"
    history = view.sidebar.history
    qtbot.waitUntil(lambda: len(history.entries) == 2)
    starts = [entry.line.text.split(" “")[0] for entry in history.entries]
    assert starts == ["Runner-up swapped in:", "Rejected"]
    with open_project(stage.folder) as project:
        edit(project, Undo())
    stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: decision.verdict.text() == "Rejected")
    assert view.page.text_view.texts[1].startswith("Die letzte Fähre")
    qtbot.waitUntil(lambda: len(history.entries) == 3)
    assert history.entries[0].line.text.startswith("Undone: Runner-up swapped in: “")


def test_the_history_names_a_swap_back(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    pair = view.session.queue.current
    assert pair is not None
    with open_project(stage.folder) as project:
        edit(project, SwapRunnerUp(pair=pair))
        edit(project, SwapRunnerUp(pair=pair))
        edit(project, Undo())
    stage.tell(events.Changed("pair", pair))
    history = view.sidebar.history
    qtbot.waitUntil(lambda: len(history.entries) == 3)
    starts = [entry.line.text.split(": “")[0] for entry in history.entries]
    assert starts == [
        "Undone: Original pair restored",
        "Original pair restored",
        "Runner-up swapped in",
    ]
