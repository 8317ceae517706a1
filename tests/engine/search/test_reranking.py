"""The nearest sentences are scored again by another encoder."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import event

from app.engine.process.queries import answer_query
from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.search import reranking
from app.engine.search.nearest import NearestSentences
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.encode import encode
from app.errors import UserError
from app.params.vectors import Encode
from app.protocol.answers.search import SearchAnswer
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.search import NearestQuery
from tests.engine.search.made import WordEncoder, add_corpus

ENGLISH = [
    "the man bit the dog",
    "the dog bit the man",
    "the dog barks",
    "rain",
]
GERMAN = ["der Hund", "the dog bit the man"]


class OrderedEncoder(WordEncoder):
    """Knows pairs of neighbouring words, and so the order of words."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        pairs = [
            " ".join(f"{a}{b}" for a, b in pairwise(words))
            for words in (["start", *text.split()] for text in texts)
        ]
        return super().encode(pairs)


@pytest.fixture
def ordered() -> OrderedEncoder:
    return OrderedEncoder(name="ordered")


@pytest.fixture
def session(
    tmp_path: Path, ordered: OrderedEncoder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearchSession]:
    encoders = {"": WordEncoder(), "ordered": ordered}

    def load(name: str = "", *_: object, **__: object) -> WordEncoder:
        return encoders[name]

    for place in ("encoders.registry", "tasks.encode"):
        monkeypatch.setattr(f"app.engine.{place}.load_encoder", load)
    with create_project(tmp_path / "dogs.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "German", "de", GERMAN)
        encode(project, Encode(corpora=("English", "German")), Report())
        yield SearchSession(project)


def find(session: SearchSession, query: NearestQuery) -> list[tuple[int, float | None]]:
    answer = answer_query(session, query)
    assert isinstance(answer, SearchAnswer)
    return [(hit.sentence, hit.score) for hit in answer.hits]


def english(position: int) -> int:
    return first_sentence_id(1) + position


def test_sentences_of_equal_words_are_told_apart(session: SearchSession) -> None:
    query = NearestQuery(text="the dog bit the man", languages=("en",), k=1)
    assert find(session, query) == [(english(0), 1.0)]  # the first of two equal ones
    answer = answer_query(
        session,
        NearestQuery(text=query.text, languages=("en",), k=1, reranker="ordered"),
    )
    assert [(hit.sentence, hit.score) for hit in answer.hits] == [(english(1), 1.0)]
    assert answer.reranker == "ordered"
    assert answer_query(session, query).reranker == ""


def test_each_language_keeps_its_best_by_the_other_encoder(
    session: SearchSession, ordered: OrderedEncoder
) -> None:
    query = NearestQuery(text="the dog bit the man", k=2, reranker="ordered")
    found = dict(find(session, query))
    vectors = ordered.encode(["the dog bit the man", ENGLISH[0], GERMAN[0]])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert found == {
        english(1): 1.0,
        first_sentence_id(2) + 1: 1.0,
        english(0): pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5),
        first_sentence_id(2): pytest.approx(float(vectors[0] @ vectors[2]), abs=1e-5),
    }


def test_a_sentence_is_compared_by_its_text(session: SearchSession) -> None:
    german = first_sentence_id(2) + 1
    query = NearestQuery(sentence=german, languages=("en",), k=1, reranker="ordered")
    assert find(session, query) == [(english(1), 1.0)]
    with pytest.raises(UserError, match="deleted from the project"):
        find(session, NearestQuery(sentence=first_sentence_id(8), reranker="ordered"))


def test_stored_vectors_are_used(
    session: SearchSession, ordered: OrderedEncoder
) -> None:
    query = NearestQuery(text="the dog", languages=("en",), k=2, reranker="ordered")
    before = find(session, query)
    encode(session.project, Encode(corpora=("English",), encoder="ordered"), Report())
    ordered.n_encoded = 0
    assert find(session, query) == before
    assert ordered.n_encoded == 1  # the query


def test_stored_vectors_of_all_corpora_are_found_by_one_statement(
    session: SearchSession, ordered: OrderedEncoder
) -> None:
    both = Encode(corpora=("English", "German"), encoder="ordered")
    encode(session.project, both, Report())
    ids = np.array([english(0), english(1), first_sentence_id(2)])
    nearest = {"": NearestSentences(ids, np.ones(3, np.float32))}
    statements: list[str] = []

    def note(_connection: object, _cursor: object, text: str, *_: object) -> None:
        statements.append(text)

    event.listen(session.project.store, "before_cursor_execute", note)
    best = reranking.rerank(session, ordered, "the dog bit the man", nearest, k=1)
    event.remove(session.project.store, "before_cursor_execute", note)
    assert best[""].ids.tolist() == [english(1)]
    assert len(statements) == 1


def test_two_hundred_sentences_of_all_languages_are_scored_again(
    session: SearchSession, ordered: OrderedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reranking.N_RERANKED == 200
    assert [reranking.n_candidates(12, n) for n in (0, 1, 4, 12, 50)] == [
        200,
        200,
        50,
        16,
        12,
    ]
    monkeypatch.setattr(reranking, "N_RERANKED", 2)
    query = NearestQuery(text="the dog bit the man", k=1, reranker="ordered")
    find(session, query)
    assert ordered.n_encoded == 2 + 1  # one of each language, and the query


def test_an_unknown_text_has_no_hits_to_score(session: SearchSession) -> None:
    answer = answer_query(session, NearestQuery(text="…", reranker="ordered"))
    assert (answer.hits, answer.is_unknown, answer.reranker) == ([], True, "")


def test_the_other_encoder_is_loaded_with_the_one_in_use(
    session: SearchSession, ordered: OrderedEncoder
) -> None:
    answer_query(session, WarmQuery(reranker="ordered"))
    assert ordered.n_encoded == 1


def test_a_deleted_sentence_is_left_out(
    session: SearchSession, ordered: OrderedEncoder
) -> None:
    nearest = {
        "en": NearestSentences(
            np.array([english(1), english(9)]), np.ones(2, np.float32)
        )
    }
    best = reranking.rerank(session, ordered, "the dog", nearest, k=5)
    assert best["en"].ids.tolist() == [english(1)]
