"""Judgements that are handed back: merged, in conflict, settled, agreeing."""

from pathlib import Path

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.pairs.sets import read_current_judgements
from app.protocol.answers.pairs import AgreementAnswer, AgreementFigure, AnnotatorCount
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, SwapRunnerUp
from app.protocol.queries.pairs import AgreementQuery
from tests.engine.review.made import edit, verdicts
from tests.engine.review.packages.handing import (
    FIRST,
    conflicts,
    count,
    hand_back,
    hand_over,
    merge,
    take,
    texts_of,
)


def value(figure: AgreementFigure | None) -> float:
    assert figure is not None
    return figure.value


def ask(project: Project) -> AgreementAnswer:
    return answer_query(SearchSession(project), AgreementQuery(mining=1))


def test_judgements_come_back_and_hold_where_nobody_had_judged(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=6)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:3]), verdict="accept"))
    edit(
        there, JudgePairs(pairs=(ids[3],), verdict="reject", note="no", add_tags=("x",))
    )
    edit(there, SwapRunnerUp(pair=ids[1]))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 3), verdict="accept"))
    result = merge(here, tmp_path / "b")
    assert (result.judgements, result.new, result.holding) == (4, 4, 2)
    assert result.conflicts == 1
    assert verdicts(here, 1, 5) == ["accept"] * 4 + [""]
    assert texts_of(here, FIRST + 1).target.text == "ship 2"  # swapped there
    held = read_current_judgements(here.store, [FIRST, FIRST + 1])
    assert [held[FIRST + i].who for i in (0, 1)] == ["", "Ben"]
    assert conflicts(here) == [3]


def test_merging_again_appends_only_what_changed(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    before = count(here, schema.opinion), count(here, schema.judgement)
    again = merge(here, tmp_path / "b")
    assert (again.new, again.message) == (
        0,
        "All judgements of Ben were merged before.",
    )
    assert (count(here, schema.opinion), count(here, schema.judgement)) == before
    edit(there, JudgePairs(pairs=(ids[2],), verdict="reject"))
    hand_back(there, tmp_path / "c")
    assert merge(here, tmp_path / "c").new == 1
    assert verdicts(here, 1, 4) == ["accept", "accept", "reject", "accept"]


def test_a_conflict_is_settled_by_a_verdict_alone_and_undone(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST,), note="let us talk"))
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    assert conflicts(here) == [1]
    edit(here, Undo())
    assert conflicts(here) == [0, 1]
    edit(here, JudgePairs(pairs=(FIRST + 1,), verdict="reject"))
    assert conflicts(here) == [0]
    assert value(ask(here).raw) == 0  # what was said before they knew


def test_agreement_is_that_of_a_table_worked_out_by_hand(
    here: Project, there: Project, tmp_path: Path
) -> None:
    assert ask(here).text.startswith("No pair was judged independently by two people")
    # both accept 4, both reject 2, one accepts 1: po = 6 / 7
    edit(here, JudgePairs(pairs=tuple(FIRST + i for i in range(5)), verdict="accept"))
    edit(here, JudgePairs(pairs=(FIRST + 5, FIRST + 6), verdict="reject"))
    edit(here, JudgePairs(pairs=(FIRST + 7,), verdict="skip"))
    hand_over(here, tmp_path / "p")
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:4]), verdict="accept"))
    edit(there, JudgePairs(pairs=tuple(ids[4:]), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST + 8,), verdict="reject"))  # knowing of Ben's
    found = ask(here)
    assert found.annotators == [AnnotatorCount("", 7), AnnotatorCount("Ben", 12)]
    assert (found.n_shared, found.n_conflicts) == (7, 1)
    raw, expected = 6 / 7, (5 * 4 + 2 * 3) / 49
    assert value(found.raw) == pytest.approx(raw)
    assert value(found.kappa) == pytest.approx((raw - expected) / (1 - expected))
    # 14 values, 9 of them accept; one pair differs: De = (14² - 9² - 5²) / (14 * 13)
    assert value(found.alpha) == pytest.approx(1 - (2 / 14) / (90 / (14 * 13)))
    for figure in (found.raw, found.kappa, found.alpha):
        assert figure is not None
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high
    assert found.text.startswith("7 pairs were judged by both you and Ben; 86 %")
    assert found.text.endswith("1 conflict to resolve.")


def test_all_conflicts_are_settled_at_once_by_a_range(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    change = JudgeRange(mining=1, verdict="reject", which="conflict")
    assert edit(here, change).text == "2 pairs are rejected."
    assert conflicts(here) == []
