"""Returned judgements: merged, in conflict, resolved, in agreement."""

from pathlib import Path

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.pairs.history import (
    count_changes_since,
    read_judged_steps,
    read_merges,
)
from app.engine.store.pairs.sets import read_current_judgements
from app.protocol.answers.pairs import AgreementAnswer, AgreementFigure, AnnotatorCount
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, SwapRunnerUp, Verdict
from app.protocol.queries.pairs import AgreementQuery, ThresholdQuery
from tests.engine.review.made import edit, verdicts
from tests.engine.review.packages.handing import (
    FIRST,
    conflicts,
    count,
    hand_back,
    hand_over,
    merge,
    places,
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
    edit(there, SwapRunnerUp(pair=ids[1]))
    edit(there, JudgePairs(pairs=tuple(ids[:3]), verdict="accept"))
    edit(
        there, JudgePairs(pairs=(ids[3],), verdict="reject", note="no", add_tags=("x",))
    )
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
    assert found.text.startswith("7 pairs were judged by both you and Ben; 86\u00a0%")
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


def test_pairs_that_the_other_judged_as_a_range_are_no_evidence(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "a.pairs")
    row, ids = take(there, tmp_path / "a.pairs")
    edit(here, JudgePairs(pairs=tuple(range(FIRST, FIRST + 3)), verdict="accept"))
    edit(there, JudgeRange(mining=row.id, verdict="accept"))
    edit(there, JudgePairs(pairs=(ids[0], ids[5]), verdict="reject"))
    hand_back(there, tmp_path / "b.judged")
    assert merge(here, tmp_path / "b.judged").new == len(ids)
    session = SearchSession(here)
    assert answer_query(session, AgreementQuery(mining=1)).n_shared == 1
    # three were read here, one there
    assert answer_query(session, ThresholdQuery(mining=1)).n_judged == 4
    assert merge(here, tmp_path / "b.judged").new == 0


def test_undo_takes_back_the_merge_and_not_an_own_judgement(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=6)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:2]), verdict="accept"))
    edit(there, JudgePairs(pairs=tuple(ids[2:5]), verdict="reject"))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST + 2,), verdict="accept"))
    merge(here, tmp_path / "b")
    merged = ["accept", "accept", "accept", "reject", "reject", ""]
    assert verdicts(here, 1, 6) == merged
    assert edit(here, Undo()).text == "Undone. Removed 5 judgements of Ben."
    assert verdicts(here, 1, 6) == ["", "", "accept", "", "", ""]
    assert conflicts(here) == []
    assert ask(here).n_shared == 0
    edit(here, Redo())
    assert verdicts(here, 1, 6) == merged
    assert conflicts(here) == [2]
    edit(here, Undo(n=2))
    assert verdicts(here, 1, 6) == [""] * 6


def test_a_merge_that_was_undone_can_be_merged_again(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=3)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids), verdict="reject"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    edit(here, Undo())
    assert merge(here, tmp_path / "b").new == 3
    assert verdicts(here, 1, 3) == ["reject"] * 3


def test_the_history_lists_a_merge_with_its_judgements(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=6)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:2]), verdict="reject"))
    edit(there, JudgePairs(pairs=tuple(ids[2:6]), verdict="accept"))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    (step,) = read_judged_steps(here.store)
    (listed,) = read_merges(here.store, 1)
    assert (step.n, listed.n, listed.step, listed.who) == (6, 6, step.row.step, "Ben")
    assert (listed.n_texts, listed.after_id) == (0, 0)
    assert count_changes_since(here.store, step.row.step) == 0
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    assert count_changes_since(here.store, step.row.step) == 1


def test_a_merge_that_changes_no_pair_is_listed_until_it_is_undone(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(
        there, JudgePairs(pairs=tuple(ids[:1]), verdict="reject", source_text="of Ben")
    )
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    (listed,) = read_merges(here.store, 1)
    (step,) = read_judged_steps(here.store)
    assert (listed.step, listed.n, listed.n_texts) == (0, 1, 1)
    assert listed.after_id == step.row.id
    assert count_changes_since(here.store, step.row.step) == 1
    assert count_changes_since(here.store, 0, merge=listed.id) == 0
    edit(here, Undo())
    assert read_merges(here.store, 1) == []
    edit(here, Redo())
    assert read_merges(here.store, 1) == [listed]
    assert read_merges(here.store, 2) == []


@pytest.mark.parametrize(
    ("theirs", "share", "bounds"),
    # Wilson (1927): for n = 1 the bounds are 0 and z² / (1 + z²), or 1 minus these
    [("reject", 0.0, (0.0, 0.793)), ("accept", 1.0, (0.207, 1.0))],
)
def test_one_shared_pair_has_a_wide_interval_and_no_coefficient(
    here: Project,
    there: Project,
    tmp_path: Path,
    theirs: Verdict,
    share: float,
    bounds: tuple[float, float],
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept"))
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:1]), verdict=theirs))
    hand_back(there, tmp_path / "b")
    merge(here, tmp_path / "b")
    found = ask(here)
    assert (found.n_shared, found.kappa, found.alpha) == (1, None, None)
    assert found.raw is not None
    assert found.raw.value == share
    assert (found.raw.low, found.raw.high) == pytest.approx(bounds, abs=1e-3)


def test_a_text_that_only_the_other_corrected_is_taken_over_with_its_author(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=(ids[0],), target_text="ship 0 new"))
    edit(there, JudgePairs(pairs=tuple(ids[:2]), verdict="accept"))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    result = merge(here, tmp_path / "b")
    assert (result.texts, result.holding) == (1, 0)
    assert result.message == (
        "Merged 2 judgements of Ben (1 with a corrected text); 0 conflicts to resolve."
    )
    assert texts_of(here, FIRST).target.text == "ship 0 new"
    held = read_current_judgements(here.store, [FIRST, FIRST + 1])
    assert [held[FIRST + i].who for i in (0, 1)] == ["Ben", ""]
    assert verdicts(here, 1, 2) == ["accept", "accept"]
    assert ask(here).n_shared == 2  # the verdict is still one's own
    (first, *_) = read_judged_steps(here.store)
    assert (first.row.target_text, first.row.who) == ("ship 0 new", "Ben")
    edit(here, Undo())
    assert texts_of(here, FIRST).target.text == "ship 0"
    edit(here, Redo())
    assert texts_of(here, FIRST).target.text == "ship 0 new"
    edit(there, JudgePairs(pairs=(ids[0],), target_text="ship 0 newer"))
    hand_back(there, tmp_path / "c")
    assert merge(here, tmp_path / "c").conflicts == 0
    assert texts_of(here, FIRST).target.text == "ship 0 newer"


def test_texts_that_both_corrected_differently_are_a_conflict_until_one_is_chosen(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=4)
    _, ids = take(there, tmp_path / "p")
    both = tuple(ids[:3])
    edit(there, JudgePairs(pairs=both, verdict="accept", target_text="of Ben"))
    hand_back(there, tmp_path / "b")
    own = (FIRST, FIRST + 1)
    edit(here, JudgePairs(pairs=own, verdict="accept", target_text="mine"))
    edit(here, JudgePairs(pairs=(FIRST + 2,), target_text="mine"))  # no verdict
    assert merge(here, tmp_path / "b").conflicts == 3
    assert conflicts(here) == [0, 1, 2]
    assert texts_of(here, FIRST).target.text == "mine"
    edit(here, JudgePairs(pairs=(FIRST,), note="let us talk"))
    assert conflicts(here) == [0, 1, 2]
    edit(here, JudgePairs(pairs=(FIRST,), target_text="of Ben"))
    edit(here, JudgePairs(pairs=(FIRST + 1,), verdict="accept"))  # as it is
    assert conflicts(here) == [2]
    edit(here, Undo(n=2))
    assert conflicts(here) == [0, 1, 2]


def test_a_text_that_only_one_corrected_here_remains(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=tuple(ids[:2]), verdict="accept"))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept", target_text="mine"))
    edit(here, JudgePairs(pairs=(FIRST + 1,), source_text="mein"))  # not judged
    assert merge(here, tmp_path / "b").conflicts == 0
    assert texts_of(here, FIRST).target.text == "mine"
    assert texts_of(here, FIRST + 1).source.text == "mein"
    assert verdicts(here, 1, 2) == ["accept", "accept"]


def test_two_who_accepted_different_sentences_are_in_conflict(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=2)
    _, ids = take(there, tmp_path / "p")
    edit(there, SwapRunnerUp(pair=ids[0]))
    edit(there, JudgePairs(pairs=tuple(ids), verdict="accept"))
    hand_back(there, tmp_path / "b")
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    assert merge(here, tmp_path / "b").conflicts == 1
    assert conflicts(here) == [0]


def test_pairs_that_another_flagged_are_found_until_they_are_judged_again(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=tuple(FIRST + i for i in range(3)), verdict="accept"))
    hand_over(here, tmp_path / "p", n=5)
    _, ids = take(there, tmp_path / "p")
    edit(there, JudgePairs(pairs=(ids[0], ids[3]), verdict="accept"))
    edit(there, JudgePairs(pairs=(ids[1], ids[4]), verdict="flag"))
    edit(there, JudgePairs(pairs=(ids[2],), verdict="skip"))
    hand_back(there, tmp_path / "b")
    assert merge(here, tmp_path / "b").message == (
        "Merged 5 judgements of Ben (2 on pairs not judged here, 2 flagged, 1 "
        "skipped); 0 conflicts to resolve."
    )
    found = ask(here)
    # 0: both accepted; 1, 2 and 4: flagged or skipped; 3: only Ben
    counts = (found.n_shared, found.n_undecided, found.n_as_range, found.n_single)
    assert counts == (1, 3, 0, 1)
    assert places(here, "flag") == [1, 4]
    edit(here, JudgePairs(pairs=(FIRST + 1,), note="seen"))
    assert places(here, "flag") == [1, 4]
    edit(here, JudgePairs(pairs=(FIRST + 1,), verdict="accept"))
    assert places(here, "flag") == [4]
    edit(here, Undo())
    change = JudgeRange(mining=1, verdict="reject", which="flag")
    assert edit(here, change).text == "2 pairs are rejected."
    assert places(here, "flag") == []
