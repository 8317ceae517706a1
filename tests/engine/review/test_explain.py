"""Explanation of a pair's score: the same neighbours and components as in mining."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.review.explanation import compare_words
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import position_of
from app.engine.store.pairs.sets import first_pair_id, read_pairs
from app.engine.tasks.encode import encode
from app.engine.tasks.mine_pairs import mine_pairs
from app.errors import UserError
from app.number_format import format_score
from app.params import build_params
from app.params.mining import MarginName, MinePairs
from app.params.vectors import Encode
from app.protocol.answers.pairs import MatchedWord, PairExplanation
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from app.protocol.queries.pairs import ExplainQuery
from tests.engine.review.made import edit
from tests.engine.search.made import WordEncoder, add_corpus

SOURCE = ["boat on water", "cow in barn", "moon over sea 7", "bread", "cow in barn"]
TARGET = ["red moon over sea 8", "cow in a barn", "boat on water", "wine", "wine"]
FIRST = first_pair_id(1)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchSession]:
    encoder = WordEncoder(dim=64)
    for place in ("tasks.encode", "tasks.mine_pairs"):
        name = f"app.engine.{place}.load_encoder"
        monkeypatch.setattr(name, lambda *_, **__: encoder)
    monkeypatch.setattr(SearchSession, "encoder", lambda *_: encoder)
    with create_project(tmp_path / "coast.isogloss") as project:
        add_corpus(project, "Küste", "de", SOURCE)
        add_corpus(project, "coast", "en", TARGET)
        encode(project, Encode(corpora=("Küste", "coast")), Report())
        yield SearchSession(project, device="cpu")


def mine(project: Project, **fields: Any) -> None:
    values = {"source": "Küste", "target": "coast", "k": 2, **fields}
    mine_pairs(project, build_params(MinePairs, values), Report())


def explain(desk: SearchSession, pair: int = FIRST, k: int = 2) -> PairExplanation:
    return answer_query(desk, ExplainQuery(pair=pair, k=k))


@pytest.mark.parametrize("margin", ["ratio", "distance", "absolute"])
def test_the_parts_make_the_score_and_the_neighbours_their_means(
    desk: SearchSession, margin: str
) -> None:
    mine(desk.project, margin=margin)
    (pair,) = read_pairs(desk.project.store, [FIRST])
    assert pair is not None
    told = explain(desk)
    score = told.cosine
    if margin == "absolute":
        assert told.denominator is None
    else:
        assert told.denominator is not None
        is_ratio = margin == "ratio"
        score = score / told.denominator if is_ratio else score - told.denominator
    assert score == pytest.approx(pair.score, rel=1e-5)
    for neighbours, mean in (
        (told.source_neighbours, pair.source_mean),
        (told.target_neighbours, pair.target_mean),
    ):
        cosines = [one.cosine for one in neighbours]
        assert cosines == sorted(cosines, reverse=True)
        assert np.mean(cosines) == pytest.approx(mean, abs=1e-5)
    assert told.source_neighbours[0].sentence == pair.target_id
    assert told.target_neighbours[0].sentence == pair.source_id
    assert told.runner_up is not None
    assert told.runner_up.sentence == pair.runner_up_id
    assert told.text.startswith(f"The score {format_score(pair.score)} is the cosine")
    assert told.notes == []


def test_neighbours_are_those_who_took_part(desk: SearchSession) -> None:
    mine(desk.project)
    indices = [
        position_of(one.sentence) for one in explain(desk, k=9).source_neighbours
    ]
    assert sorted(indices) == [0, 1, 2, 3]  # the second wine did not


def test_words_are_matched_and_the_texts_are_those_of_now(desk: SearchSession) -> None:
    mine(desk.project)
    pair = FIRST + [
        position_of(row.source_id)
        for row in read_pairs(desk.project.store, [FIRST, FIRST + 1, FIRST + 2])
        if row is not None
    ].index(2)
    told = explain(desk, pair)
    assert told.words is not None
    assert told.words.source[0] == MatchedWord(0, 4, 1.0, 1)
    assert (told.words.source[3].similarity or 0) < 0.6  # 7 and 8
    assert "encoded without its context" in told.words_text
    edit(desk.project, JudgePairs(pairs=(pair,), target_text="7"))
    told = explain(desk, pair)
    assert told.words is not None
    assert [word.match for word in told.words.target] == [3]
    assert told.length_ratio == len(SOURCE[2])


@pytest.mark.parametrize("margin", ["ratio", "distance", "absolute"])
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_runner_up_is_explained_with_the_score_that_mining_gave_it(
    desk: SearchSession, margin: MarginName, side: Literal["source", "target"]
) -> None:
    mine(desk.project, margin=margin)
    rows = read_pairs(desk.project.store, [FIRST, FIRST + 1, FIRST + 2])
    other = "runner_up" if side == "target" else "reverse"
    (row,) = [one for one in rows if one is not None and getattr(one, f"{other}_id")][
        :1
    ]
    before = explain(desk, row.id)
    assert before.scored == (row.source_id, row.target_id)
    edit(desk.project, SwapRunnerUp(pair=row.id, side=side))
    told = explain(desk, row.id, k=1)
    swapped = getattr(row, f"{other}_id")
    ends = (swapped, row.target_id) if side == "source" else (row.source_id, swapped)
    assert told.scored == ends
    assert told.score == pytest.approx(getattr(row, f"{other}_score"), abs=1e-5)
    assert told.cosine < before.cosine
    score, cosine = format_score(told.score), format_score(told.cosine)
    assert f"The score {score} is the cosine {cosine}" in told.text
    near = getattr(told, f"{side}_neighbours")
    assert near != getattr(before, f"{side}_neighbours")[:1]
    assert len(near) == 1
    edit(desk.project, SwapRunnerUp(pair=row.id, side=side))
    assert explain(desk, row.id) == before


def test_a_strip_of_nothing_and_of_one_script_without_spaces() -> None:
    encoder = WordEncoder(dim=32)
    strip, _ = compare_words(encoder, "…", "海 sea")
    assert strip.source == []
    assert [word.match for word in strip.target] == [None, None]
    assert [(word.start, word.end) for word in strip.target] == [
        (0, 1),
        (2, 5),
    ]


def test_what_is_gone_is_said_and_the_rest_is_told(
    desk: SearchSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine(desk.project)
    monkeypatch.setattr(SearchSession, "encoder", lambda *_: WordEncoder(dim=8))
    monkeypatch.setattr(SearchSession, "open_corpus", lambda *_: None)
    told = explain(desk)
    assert told.words is None
    assert told.source_neighbours == []
    assert told.notes == [
        "Küste has no vectors by words any more.",
        "coast has no vectors by words any more.",
        "The words can't be compared. The encoder words has changed since.",
    ]
    assert told.score > 0
    with pytest.raises(UserError, match="pair is not in the project"):
        explain(desk, FIRST + 99)
