"""Exported packages: the data that they contain, and the data that they omit."""

import gzip
from pathlib import Path

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import list_corpora
from app.engine.store.pairs.history import read_merges
from app.engine.store.pairs.sets import list_pair_sets
from app.engine.store.sentences import read_context
from app.engine.tasks.open_package import open_package
from app.errors import Cancelled, UserError
from app.params.pairs import OpenPackage
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from app.protocol.queries.pairs import ExplainQuery, ThresholdQuery
from tests.engine.review.made import edit, verdicts
from tests.engine.review.packages.handing import (
    FIRST,
    N,
    count,
    hand_back,
    hand_over,
    merge,
    repacked,
    take,
    texts_of,
    with_row,
)


def test_a_package_holds_pairs_with_their_surroundings_and_nothing_said_of_them(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), verdict="reject", note="no ship"))
    hand_over(here, tmp_path / "p", n=3)
    row, ids = take(there, tmp_path / "p")
    assert (row.name, row.kind, row.n_pairs, row.margin) == (
        "letters",
        "package",
        3,
        "",
    )
    assert row.report["is_blind"]
    found = [texts_of(there, id_) for id_ in ids]
    assert [(one.source.text, one.target.text) for one in found] == [
        ("Schiff 0", "ship 0"),
        ("Schiff 1", "ship 1"),
        ("Schiff 2", "ship 2"),
    ]
    assert {one.pair.score for one in found} == {0}
    assert all(one.judgement is None for one in found)
    assert (found[2].source.language, found[2].source.line) == ("de", 3)
    around = read_context(there.store, found[2].pair.source_id)
    assert [row.text for row in around] == [f"Schiff {i}" for i in range(5)]
    names = [corpus.name for corpus in list_corpora(there.store)]
    assert names == ["Hafen", "harbour"]
    told = answer_query(SearchSession(there), ExplainQuery(pair=ids[0]))
    assert told.text.startswith("The package has neither scores nor an encoder.")
    assert told.words is None
    estimate = answer_query(SearchSession(there), ThresholdQuery(mining=row.id))
    assert estimate.text.startswith("The package has no scores.")
    packed = gzip.decompress((tmp_path / "p").read_bytes())
    assert b"no ship" not in packed
    assert b"reject" not in packed
    assert b'"version":1' in packed  # which older versions read


def test_a_package_has_the_current_texts_and_the_judgements_are_of_these(
    here: Project, there: Project, tmp_path: Path
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), verdict="accept", target_text="a vessel"))
    edit(here, SwapRunnerUp(pair=FIRST + 1))
    edit(here, JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"))
    hand_over(here, tmp_path / "p", n=3)
    row, ids = take(there, tmp_path / "p")
    found = [texts_of(there, id_) for id_ in ids]
    texts = [one.target.text for one in found]
    assert texts == ["a vessel", "ship 2", "ship 2"]
    assert found[0].target.imported == "ship 0"
    assert verdicts(there, row.id, 3) == ["", "", ""]
    edit(there, JudgePairs(pairs=(ids[0], ids[1]), verdict="accept"))
    hand_back(there, tmp_path / "b")
    result = merge(here, tmp_path / "b")
    assert (result.new, result.texts, result.conflicts) == (2, 0, 0)
    assert texts_of(here, FIRST).target.text == "a vessel"
    assert texts_of(here, FIRST + 1).target.text == "ship 2"
    (merged,) = read_merges(here.store, 1)
    assert (merged.n, merged.n_texts) == (2, 0)


@pytest.mark.parametrize(
    "row",
    [
        [N, False, False, "a", None],  # there are N pairs
        [N - 1, True, False, None, None],  # it has no runner-up
        [0, False, False, "a", None, 1],
    ],
)
def test_texts_that_no_pair_can_have_are_refused(
    here: Project, there: Project, tmp_path: Path, row: list[object]
) -> None:
    edit(here, JudgePairs(pairs=(FIRST,), target_text="a vessel"))
    hand_over(here, tmp_path / "p")
    repacked(tmp_path / "p", with_row(*row))
    with pytest.raises(UserError, match="p is damaged"):
        take(there, tmp_path / "p")
    assert count(there, schema.judgement) == count(there, schema.pair) == 0


def test_scores_are_handed_over_where_they_are_asked_for(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=2, with_scores=True)
    row, ids = take(there, tmp_path / "p")
    told = answer_query(SearchSession(there), ExplainQuery(pair=ids[0]))
    assert told.text.startswith("The score 1.500 is the cosine 0.750 ")
    assert row.margin == "ratio"
    assert [texts_of(there, id_).pair.score for id_ in ids] == [1.5, 1.375]


def test_what_was_left_out_between_sentences_is_marked(
    here: Project, there: Project, tmp_path: Path
) -> None:
    for index in range(1, N - 2):
        edit(here, JudgePairs(pairs=(FIRST + index,), verdict="accept"))
    hand_over(here, tmp_path / "p", which="unjudged")
    _, ids = take(there, tmp_path / "p")
    around = read_context(
        there.store, texts_of(there, ids[1]).pair.source_id, n_around=3
    )
    # the last but one pair; before it come its runner-up's neighbours
    assert [row.text for row in around][:3] == ["[…]", "Schiff 8", "Schiff 9"]


class _Stops(Report):
    """Cancels once something was done."""

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        if done:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_package_that_was_half_opened_leaves_nothing_to_see(
    here: Project, there: Project, tmp_path: Path
) -> None:
    hand_over(here, tmp_path / "p", n=3)
    params = OpenPackage(package=tmp_path / "p")
    run = queue_run(there, params)
    with pytest.raises(Cancelled):
        open_package(there, params, _Stops(run=run))
    assert list_corpora(there.store) == []
    assert list_pair_sets(there.store) == []
    open_package(there, params, Report(run=run))
    assert count(there, schema.corpus) == 2
    assert len(list_pair_sets(there.store)) == 1
