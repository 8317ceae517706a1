"""The threshold: estimates, their intervals, and the next pair to judge."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.review.threshold import (
    JudgedPairs,
    describe_point,
    estimate_threshold,
    judge_strata,
    order_by_value,
    precision_curve,
    stratum_ends,
)
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import first_pair_id
from app.number_format import round_down
from app.protocol.answers.pairs import PrecisionPoint
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, SwapRunnerUp, Verdict
from app.protocol.queries.pairs import QueueQuery, ThresholdQuery
from tests.engine.review.made import add_corpora, add_pairs, edit

N = 3_000
WANTED = 0.95


class World:
    """Scored pairs of which it is known whether they are right."""

    def __init__(self, seed: int, *, is_turned: bool = False):
        rng = np.random.default_rng(seed)
        self.places = np.arange(N)
        self.scores = np.sort(rng.normal(1.05, 0.08, N))[::-1]
        rises = 1 / (1 + np.exp(-(self.scores - 1.05) * 40))
        share = 0.02 + 0.96 * (1 - rises if is_turned else rises)
        self.is_right = rng.random(N) < share
        self.true_precision = np.cumsum(self.is_right) / np.arange(1, N + 1)

    def judged(self, indices: NDArray[np.int64]) -> JudgedPairs:
        is_decided = np.isin(self.places, indices)
        is_right = is_decided & self.is_right
        return judge_strata(self.places, self.scores, is_decided, is_right)

    def at_random(self, n: int, seed: int) -> JudgedPairs:
        return self.judged(np.random.default_rng(seed).permutation(N)[:n])

    def by_value(self, n: int, seed: int) -> JudgedPairs:
        """Judge what is asked, twenty at a time."""
        decided = np.empty(0, np.int64)
        while len(decided) < n:
            judged = self.judged(decided)
            asked = judged.places[order_by_value(judged, WANTED, seed)]
            decided = np.concatenate([decided, asked[:20]])
        return self.judged(decided)

    def width(self, judged: JudgedPairs) -> float:
        """Measure the interval at the true threshold of the wanted precision."""
        (reached,) = np.nonzero(self.true_precision >= WANTED)
        curve = precision_curve(judged)
        point = min(curve, key=lambda one: abs(one.n_kept - reached[-1]))
        return point.high - point.low


class GoodWorld(World):
    """Most pairs are right, so the threshold is below most scores."""

    def __init__(self, seed: int):
        super().__init__(seed)
        rng = np.random.default_rng(seed)
        self.scores = np.sort(rng.normal(1.35, 0.22, N))[::-1]
        share = 0.02 + 0.97 / (1 + np.exp(-(self.scores - 1.02) * 25))
        self.is_right = rng.random(N) < share
        self.true_precision = np.cumsum(self.is_right) / np.arange(1, N + 1)


def test_strata_hold_all_pairs_and_never_part_equal_scores() -> None:
    scores = np.repeat([3.0, 2.0, 1.0], [30, 500, 70])
    assert stratum_ends(scores).tolist() == [30, 530, 600]
    assert stratum_ends(np.linspace(2, 1, 5)).tolist() == [5]
    assert stratum_ends(np.empty(0)).tolist() == []


@pytest.mark.parametrize("order", ["random", "value"])
def test_the_intervals_hold_the_truth_as_often_as_they_say(order: str) -> None:
    is_in = []
    for seed in range(25):
        world = World(seed)
        ask = world.at_random if order == "random" else world.by_value
        is_in += [
            point.low <= world.true_precision[point.n_kept - 1] <= point.high
            for point in precision_curve(ask(120, seed))
            if point.n >= 5
        ]
    assert 0.92 <= np.mean(is_in) <= 0.99


def test_asking_by_value_narrows_the_interval_faster_than_by_lot() -> None:
    worlds = [World(seed) for seed in range(12)]
    by_lot = [world.width(world.at_random(120, 1)) for world in worlds]
    by_value = [world.width(world.by_value(120, 1)) for world in worlds]
    assert np.mean(by_value) < 0.75 * np.mean(by_lot)


def test_among_many_right_pairs_asking_by_value_is_no_worse_than_by_lot() -> None:
    worlds = [GoodWorld(seed) for seed in range(12)]
    by_lot = [world.width(world.at_random(120, 1)) for world in worlds]
    by_value = [world.width(world.by_value(120, 1)) for world in worlds]
    assert np.mean(by_value) < 0.95 * np.mean(by_lot)


@pytest.mark.parametrize("n", [30, 60, 180])
def test_doubtful_pairs_near_the_threshold_are_asked_first(n: int) -> None:
    offsets, best = [], []
    for seed in range(6):
        world = GoodWorld(seed)
        judged = world.at_random(n, seed)
        advice = estimate_threshold(judged, WANTED).advice
        assert advice is not None
        asked = judged.places[order_by_value(judged, WANTED, 1)][:20]
        offsets.append(np.median(world.scores[asked]) - advice.threshold)
        best.append(np.median(world.scores[:300]) - advice.threshold)
    # The best tenth of the pairs is right, whatever is judged.
    assert np.mean(np.abs(offsets)) < 0.6 * np.mean(best)


def test_the_advice_is_the_lowest_threshold_with_the_wanted_precision() -> None:
    world = World(1)
    answer = estimate_threshold(world.by_value(300, 1), WANTED)
    advice = answer.advice
    (reached,) = np.nonzero(world.true_precision >= WANTED)
    assert advice is not None
    assert advice.threshold == pytest.approx(world.scores[reached[-1]], abs=0.02)
    assert advice.precision >= WANTED
    kept = int((world.scores >= advice.threshold).sum())
    assert advice.n_kept == kept
    assert answer.n_judged == 300
    assert answer.warning == ""
    assert answer.text.startswith(f"At {round_down(advice.threshold):.3f}, ")


def test_nothing_is_said_of_scores_below_the_judged_ones() -> None:
    world = World(3)
    judged = world.judged(world.places[:60])  # the best only, as in a queue by score
    answer = estimate_threshold(judged, WANTED)
    assert answer.curve[-1].n_kept < 150
    lowest = round_down(answer.curve[-1].threshold)
    assert answer.text.endswith(
        f" A lower threshold may be enough: no pair below {lowest:.3f} is accepted or "
        "rejected yet."
    )
    assert answer.tip.startswith("Choose “Most informative first”")
    whole = estimate_threshold(world.at_random(600, 1), WANTED)
    assert "judged yet" not in whole.text
    # What is right above the lowest judged score is too little already.
    enough = estimate_threshold(
        world.judged(world.places[: len(world.places) // 2]), WANTED
    )
    assert enough.advice not in (None, enough.curve[-1])
    assert enough.curve[-1].n_kept < len(world.scores)
    assert "judged yet" not in enough.text
    assert enough.tip == ""


def judge_at(
    scores: NDArray[np.float64], right: list[float], wrong: list[float]
) -> JudgedPairs:
    """Judge the pairs next to some scores."""
    indices = np.arange(len(scores))
    is_right, is_wrong = (
        np.isin(indices, [np.abs(scores - score).argmin() for score in wanted])
        for wanted in (right, wrong)
    )
    return judge_strata(indices, scores, is_right | is_wrong, is_right)


@pytest.mark.parametrize(
    "right",
    [
        np.linspace(1.96, 2.4, 9).tolist(),
        [1.138, *np.linspace(1.3, 2.4, 20)],
    ],
)
def test_no_threshold_is_suggested_among_scores_that_nobody_judged(
    right: list[float],
) -> None:
    scores = np.sort(np.random.default_rng(4).normal(1.5, 0.32, 2_600))[::-1]
    judged = judge_at(scores, right, [0.6, 0.75, 0.82])
    answer = estimate_threshold(judged, WANTED)
    assert answer.advice is not None
    assert answer.advice.threshold == pytest.approx(right[0], abs=0.005)
    lowest = round_down(answer.advice.threshold)
    wrong = scores[np.abs(scores - 0.82).argmin()]
    assert answer.text.endswith(
        f" A lower threshold may be enough: no pair between {wrong:.3f} and "
        f"{lowest:.3f} is accepted or rejected yet."
    )
    assert answer.tip.startswith("Choose “Most informative first”")


def test_one_judgement_says_as_little_of_many_pairs_as_of_few() -> None:
    scores = np.linspace(2.5, 0.5, 1_500)
    top = estimate_threshold(judge_at(scores, [2.48], []), WANTED)
    wide = estimate_threshold(judge_at(scores, [1.212], [0.6, 0.55]), WANTED)
    for answer in (top, wide):
        assert answer.advice is not None
        assert answer.advice.n == 1
        assert answer.advice.low == pytest.approx(0.21, abs=0.01)
    assert " About 966 pairs reach this score." in wide.text


def test_one_figure_names_the_lowest_judged_score() -> None:
    scores = np.sort(np.random.default_rng(4).normal(1.5, 0.32, 1_500))[::-1]
    right = [2.0638, 2.2, 2.3]
    answer = estimate_threshold(judge_at(scores, right, []), WANTED)
    assert answer.advice is not None
    lowest = f"{round_down(answer.advice.threshold):.3f}"
    assert answer.advice.threshold == scores[np.abs(scores - right[0]).argmin()]
    assert answer.text.startswith(f"At {lowest}, 100")
    assert f"no pair below {lowest} is accepted or rejected yet." in answer.text


def test_a_warning_comes_where_better_scores_are_worse_pairs() -> None:
    world = World(2, is_turned=True)
    answer = estimate_threshold(world.at_random(120, 1), WANTED)
    assert answer.warning.startswith("Higher scores do not have a higher precision")
    assert answer.advice is None
    assert answer.text.startswith("No threshold reaches 95\u00a0%. At ")
    quiet = [World(seed).at_random(120, seed) for seed in range(20)]
    warned = [estimate_threshold(judged, WANTED).warning != "" for judged in quiet]
    assert sum(warned) <= 3


def test_a_point_is_said_in_a_sentence() -> None:
    point = PrecisionPoint(1.0612, 0.93, 0.89, 0.97, 120, 4_117)
    assert describe_point(point) == (
        "At 1.061, 93\u00a0% ± 4 of the pairs are correct, from 120 judgements. "
        "About 4,120 pairs reach this score."
    )
    uneven = msgspec.structs.replace(
        point, precision=0.99, low=0.91, high=1.0, n=1, n_kept=7
    )
    assert describe_point(uneven) == (
        "At 1.061, 99\u00a0% (91 to 100\u00a0%) of the pairs are correct, from 1 "
        "judgement. About 7 pairs reach this score."
    )
    sure = msgspec.structs.replace(point, precision=0.997, low=0.994, high=1.0)
    assert describe_point(sure).startswith("At 1.061, 99.7\u00a0% ± 0.3 of the pairs")
    known = msgspec.structs.replace(point, precision=1, low=1, high=1, n=21, n_kept=21)
    assert describe_point(known) == (
        "At 1.061, 100\u00a0% of 21 pairs are correct. All of them are judged."
    )


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project, 40)
        add_pairs(project, 40, scores=[2 - i / 32 for i in range(40)])
        yield project


def test_what_counts_is_whether_the_machine_was_right(project: Project) -> None:
    first = first_pair_id(1)
    empty = answer_query(SearchSession(project), ThresholdQuery(mining=1))
    assert empty.text.startswith("No pair is accepted or rejected yet")
    assert (empty.curve, empty.advice) == ([], None)
    edit(project, SwapRunnerUp(pair=first + 1))
    everything = tuple(range(first, first + 40))
    edit(project, JudgePairs(pairs=everything, verdict="accept"))
    edit(project, JudgePairs(pairs=(first,), target_text="edited"))
    edit(project, JudgePairs(pairs=(first + 2,), verdict="reject"))
    edit(project, JudgePairs(pairs=(first + 3,), verdict="flag"))
    edit(project, JudgePairs(pairs=(first + 4,), verdict="skip"))
    answer = answer_query(
        SearchSession(project), ThresholdQuery(mining=1, precision=0.8)
    )
    assert answer.n_judged == 38
    top, bottom = answer.curve
    assert (top.n, top.n_kept) == (18, 20)
    assert top.precision == pytest.approx(16 / 18)
    assert answer.advice == bottom


def test_a_range_of_pairs_that_nobody_read_is_not_evidence(project: Project) -> None:
    first = first_pair_id(1)
    for n in range(11):
        verdict: Verdict = "reject" if n == 4 else "accept"
        edit(project, JudgePairs(pairs=(first + n,), verdict=verdict))
    session = SearchSession(project)
    read = answer_query(session, ThresholdQuery(mining=1))
    edit(project, JudgeRange(mining=1, verdict="accept", lowest=2 - 27 / 32))
    answer = answer_query(session, ThresholdQuery(mining=1))
    assert (answer.n_judged, answer.curve) == (11, read.curve)
    assert answer.text == (
        f"{read.text} 17 more pairs were judged as a range without being read, and do "
        "not count here."
    )
    # a verdict on one of them is evidence; its undo makes it one of the range again
    edit(project, JudgePairs(pairs=(first + 20,), verdict="reject"))
    answer = answer_query(session, ThresholdQuery(mining=1))
    assert answer.n_judged == 12
    assert " 16 more pairs were" in answer.text
    edit(project, Undo())
    assert answer_query(session, ThresholdQuery(mining=1)).n_judged == 11
    # a range over pairs that were read with the same verdict leaves them read
    edit(project, JudgeRange(mining=1, verdict="accept", which="all"))
    assert answer_query(session, ThresholdQuery(mining=1)).n_judged == 10


def test_only_a_range_is_no_judgement_of_single_pairs(project: Project) -> None:
    edit(project, JudgeRange(mining=1, verdict="reject", which="all"))
    answer = answer_query(SearchSession(project), ThresholdQuery(mining=1))
    assert answer.text == (
        "No pair is accepted or rejected one by one yet. Judge a few pairs to estimate "
        "the precision above each score. 40 pairs were judged as a range without being "
        "read, and do not count here."
    )


def test_a_queue_by_value_asks_each_stratum_and_the_judged_last(
    project: Project,
) -> None:
    edit(project, JudgePairs(pairs=(first_pair_id(1) + 3,), verdict="accept"))
    query = QueueQuery(mining=1, order="value")
    answer = answer_query(SearchSession(project), query)
    ids = np.load(project.folder / answer.file) - first_pair_id(1)
    assert sorted(ids.tolist()) == list(range(40))
    assert ids[-1] == 3
    assert len({index < 20 for index in ids[:4].tolist()}) == 2
