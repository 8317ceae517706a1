"""Mining in a project: what is found, kept, left out, resumed and refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.store.pairs.sets import (
    STAGE,
    PairRow,
    list_pair_sets,
    pair_ids,
    read_pair_set,
    read_pairs,
)
from app.engine.tasks.encode import encode
from app.engine.tasks.mine_pairs import MinePairsResult, mine_pairs
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.mining import MinePairs
from app.params.vectors import Encode
from tests.engine.search.made import WordEncoder, add_corpus

# A language of one word a concept: a sentence and its translation share their vectors.
SOURCE = ["boat on water", "cow in barn", "moon over sea 7", "bread", "cow in barn"]
TARGET = ["red moon over sea 8", "cow in a barn", "boat on water", "wine", "glass"]


class Forgetful(WordEncoder):
    """Knows nothing of bread."""

    def encode(self, texts: Any) -> Any:
        vectors = super().encode(texts)
        vectors[["bread" in text for text in texts]] = 0
        return vectors


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    encoder = Forgetful(dim=64)
    for place in ("tasks.encode", "tasks.mine_pairs"):
        name = f"app.engine.{place}.load_encoder"
        monkeypatch.setattr(name, lambda *_, **__: encoder)
    return encoder


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "coast.isogloss") as project:
        add_corpus(project, "Küste", "de", SOURCE)
        add_corpus(project, "coast", "en", TARGET)
        encode(project, Encode(corpora=("Küste", "coast")), Report())
        yield project


def params_of(**fields: Any) -> MinePairs:
    values = {"source": "Küste", "target": "coast", "k": 2, **fields}
    params: MinePairs = build_params(MinePairs, values)
    return params


def mine(project: Project, **fields: Any) -> MinePairsResult:
    return mine_pairs(project, params_of(**fields), Report())


def rows_of(project: Project, result: MinePairsResult) -> list[PairRow]:
    row = read_pair_set(project.store, result.mining)
    assert row is not None
    found = read_pairs(project.store, pair_ids(row, with_candidates=True).tolist())
    return [pair for pair in found if pair is not None]


def places(pairs: list[PairRow]) -> list[tuple[int, int]]:
    ends = [(pair.source_id, pair.target_id) for pair in pairs]
    return [(position_of(source), position_of(target)) for source, target in ends]


def test_the_translations_are_found_the_best_first(project: Project) -> None:
    result = mine(project)
    pairs = rows_of(project, result)
    assert set(places(pairs)[:3]) == {(0, 2), (1, 1), (2, 0)}
    scores = [pair.score for pair in pairs]
    assert scores == sorted(scores, reverse=True)
    assert pairs[0].cosine == pytest.approx(1, abs=1e-6)
    assert pairs[0].source_id == first_sentence_id(1)
    told = result.report
    assert (told.n_sources, told.n_targets, told.n_duplicates) == (3, 5, 1)
    assert (told.n_unknown, told.n_found) == (1, result.pairs)
    assert sum(told.scores.counts) == told.n_found


def test_the_parts_of_a_score_make_the_score(project: Project) -> None:
    for pair in rows_of(project, mine(project)):
        mean = (pair.source_mean + pair.target_mean) / 2
        assert pair.score == pytest.approx(pair.cosine / max(mean, 0.01), rel=1e-5)
        assert pair.runner_up_score is not None
        assert pair.runner_up_score <= pair.score
        assert pair.runner_up_id != pair.target_id


def test_a_threshold_leaves_out_what_is_below(project: Project) -> None:
    everything = rows_of(project, mine(project))
    edge = everything[1].score
    result = mine(project, threshold=edge)
    assert places(rows_of(project, result)) == places(everything)[:2]
    assert result.report.n_below == len(everything) - 2


def test_candidates_stand_behind_the_pairs(project: Project) -> None:
    result = mine(project, candidates=True)
    pairs = rows_of(project, result)
    assert result.candidates > 0
    assert len(pairs) == result.pairs + result.candidates
    assert len(set(places(pairs))) == len(pairs)
    rest = [pair.score for pair in pairs[result.pairs :]]
    assert rest == sorted(rest, reverse=True)


def test_equal_texts_take_part_each_where_wanted(project: Project) -> None:
    result = mine(project, duplicates="each", retrieval="forward")
    assert result.report.n_sources == 4
    assert {(1, 1), (4, 1)} <= set(places(rows_of(project, result)))


def test_filters_leave_out_pairs_and_say_how_many(project: Project) -> None:
    result = mine(project, filters=["numbers", "length max=20"])
    assert places(rows_of(project, result)) == [(0, 2), (1, 1)]
    told = [(step.filter, step.n_removed) for step in result.report.filters]
    assert told == [("numbers", 1), ("length max=20", 0)]
    (row, *_) = list_pair_sets(project.store)
    assert row.filters == ["numbers", "length max=20"]


def test_only_what_changed_is_done_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not mine(project, filters=["numbers"]).neighbours_known
    monkeypatch.setattr("app.engine.mining.neighbour_cache.find_neighbours", None)
    again = mine(project, filters=["numbers", "ratio max=1.5"], margin="distance")
    assert again.neighbours_known
    first, second = again.report.filters
    assert (first.was_known, second.was_known) == (False, False)  # other pairs
    changed = {"filters": ["numbers", "ratio max=2"], "threshold": 0.5}
    third = mine(project, **changed, margin="distance")
    assert [step.was_known for step in third.report.filters] == [True, False]
    lower = mine(project, **changed | {"threshold": None}, margin="distance")
    assert lower.report.n_below < third.report.n_below
    assert [step.was_known for step in lower.report.filters] == [True, False]
    counts = [(one.n_left, one.n_removed) for one in (first, lower.report.filters[0])]
    assert counts[0] == counts[1]


def test_an_index_tells_what_share_of_the_neighbours_it_finds(
    project: Project,
) -> None:
    exact = mine(project)
    assert (exact.report.index, exact.report.recall) == ("exact", None)
    result = mine(project, index="ivf")
    assert not result.neighbours_known
    assert places(rows_of(project, result)) == places(rows_of(project, exact))
    told = result.report.recall
    assert told is not None
    assert told.share == 1
    assert (
        "by an index (ivf) that finds 100.0\u00a0% of the true neighbours ("
        in result.message
    )
    again = mine(project, index="ivf")
    assert again.neighbours_known
    assert again.report.recall == told


def test_two_languages_of_one_corpus_are_mined(tmp_path: Path) -> None:
    with create_project(tmp_path / "mixed.isogloss") as project:
        corpus = add_corpus(project, "mixed", "de", [*SOURCE, *TARGET])
        with project.store.begin() as connection:
            ids = schema.sentence.c.id >= first_sentence_id(corpus) + len(SOURCE)
            connection.execute(update(schema.sentence).where(ids).values(language="en"))
        encode(project, Encode(corpora=("mixed",)), Report())
        fields = {"source": "mixed", "target": ""}
        with pytest.raises(UserError, match="same sentences of mixed are on both"):
            mine(project, **fields, source_language="de")
        result = mine(project, **fields, source_language="deu", target_language="eng")
        assert set(places(rows_of(project, result))[:3]) == {(0, 7), (1, 6), (2, 5)}
        row = read_pair_set(project.store, result.mining)
        assert row is not None
        assert (row.source_language, row.target_language) == ("de", "en")
        with pytest.raises(
            UserError, match="mixed has no sentences in the language fr"
        ):
            mine(project, **fields, source_language="fr")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source": "Kueste"}, "There is no corpus 'Kueste'"),
        ({"target": ""}, "same sentences of Küste are on both sides"),
        ({"filters": ["lenght"]}, "Unknown filter 'lenght'. Filters: length, "),
        ({"filters": ["ratio max=0"]}, r"'ratio max=0', max: it must be at least 1\."),
        ({"filters": ["regex pattern=["]}, r"The pattern '\[' can't be read"),
    ],
)
def test_what_cannot_be_mined_is_refused_in_a_sentence(
    project: Project, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        mine(project, **fields)
    assert list_pair_sets(project.store, states=("ready", "writing")) == []


@pytest.mark.parametrize("index", ["exact", "ivf"])
@pytest.mark.parametrize(
    ("sources", "targets", "expected"),
    [
        (["cow"], ["a cow"], [(0, 0)]),
        (["cow"] * 3, ["cow"] * 4, [(0, 0)]),  # the best of each is the first
        (["cow"], ["cow", "boat", "moon"], [(0, 0)]),
    ],
)
def test_few_and_equal_sentences_are_mined(
    tmp_path: Path,
    index: str,
    sources: list[str],
    targets: list[str],
    expected: list[tuple[int, int]],
) -> None:
    with create_project(tmp_path / "few.isogloss") as project:
        add_corpus(project, "Küste", "de", sources)
        add_corpus(project, "coast", "en", targets)
        encode(project, Encode(corpora=("Küste", "coast")), Report())
        result = mine(project, k=128, duplicates="each", index=index)
        found = places(rows_of(project, result))
        assert found == expected


def test_a_corpus_without_vectors_is_named_with_the_command(project: Project) -> None:
    add_corpus(project, "new", "fr", ["bateau"])
    with pytest.raises(UserError, match=r"not encoded by words yet\. Run: .*enc"):
        mine(project, target="new")


class _Stops(Report):
    """Cancels at a stage, as soon as so much of it is done."""

    def __init__(self, stage: str, done: int, *, run: int | None):
        super().__init__(run=run)
        self._at = stage, done

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        if (stage, done) == self._at:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_run_that_was_stopped_while_it_wrote_leaves_no_half(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.store.pairs.sets.SHARD", 2)
    params = params_of()
    run = queue_run(project, params)
    with pytest.raises(Cancelled):
        mine_pairs(project, params, _Stops(STAGE, 2, run=run))
    assert list_pair_sets(project.store) == []
    result = mine_pairs(project, params, Report(run=run))
    assert result.neighbours_known
    assert set(places(rows_of(project, result))[:3]) == {(0, 2), (1, 1), (2, 0)}
    assert len(list_pair_sets(project.store, states=("ready", "writing"))) == 1


def test_pairs_that_hardly_exceed_their_neighbours_are_reported(
    project: Project,
) -> None:
    assert "do not seem" not in mine(project, retrieval="intersection").message
    add_corpus(project, "foreign", "en", [f"word{n} other{n}" for n in range(9)])
    encode(project, Encode(corpora=("foreign",)), Report())
    result = mine(project, target="foreign")
    assert result.pairs > 0
    assert result.report.are_weak
    assert "do not seem to be translations of each other" in result.message
