"""The nearest sentences of several lines at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.encode import encode
from app.engine.words import line_neighbours
from app.errors import UserError
from app.params.vectors import Encode
from app.protocol.answers.words import LineNeighboursAnswer
from app.protocol.base import MAX_LINE, encode_line
from app.protocol.edits.corpora import HideSentences
from app.protocol.events import Answer
from app.protocol.queries.search import NearestQuery
from app.protocol.queries.words import LineNeighboursQuery
from tests.engine.search.made import WordEncoder, add_corpus, use_encoder

ENGLISH = ["the old mill", "a mill by the river", "…", "the old mill stands"]
GERMAN = ["die alte mill", "am Fluss", "the old Fluss", "mill mill"]
FRENCH = ["le vieux mill", "the river"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    encoder = WordEncoder(16)
    use_encoder(monkeypatch, encoder)
    with create_project(tmp_path / "mill.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "German", "de", GERMAN)
        add_corpus(project, "French", "fr", FRENCH)
        encode(project, Encode(corpora=("English", "German")), Report())
        yield project


def _id(corpus: int, position: int) -> int:
    return first_sentence_id(corpus) + position


def _ask(project: Project, *ids: int, **fields: Any) -> LineNeighboursAnswer:
    query = LineNeighboursQuery(sentences=ids, **fields)
    return answer_query(SearchSession(project), query)


def test_all_lines_have_the_neighbours_that_a_search_for_each_finds(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_neighbours, "BLOCK", 3)  # several blocks of each corpus
    ids = [_id(1, 0), _id(2, 3), _id(3, 1), _id(1, 3)]  # French has no vectors
    answer = _ask(project, *ids, k=2)
    assert answer.not_encoded == [3]
    for id_, line in zip(ids, answer.neighbours, strict=True):
        alone = answer_query(SearchSession(project), NearestQuery(sentence=id_, k=2))
        expected = sorted(
            (hit.language, -(hit.score or 0.0), hit.sentence) for hit in alone.hits
        )
        found = [(one.language, one.sentence) for one in line]
        assert found == [(language, sentence) for language, _, sentence in expected]
        scores = [one.score for one in line]
        assert scores == pytest.approx([-score for _, score, _ in expected], abs=2e-6)
        assert not any(one.is_translation for one in line)


def test_a_text_is_listed_once_and_never_below_itself(project: Project) -> None:
    """Corpora can share texts, as a corpus and the same one with its documents."""
    add_corpus(project, "Copy", "en", [*ENGLISH[:2], "the old mill river"])
    add_corpus(project, "Kopie", "de", GERMAN)
    encode(project, Encode(corpora=("Copy", "Kopie")), Report())
    answer = _ask(project, _id(1, 0), k=3)
    texts = {(1, 1): ENGLISH[1], (1, 3): ENGLISH[3], (4, 2): "the old mill river"}
    english = [one.sentence for one in answer.neighbours[0] if one.language == "en"]
    german = [one.sentence for one in answer.neighbours[0] if one.language == "de"]
    assert set(english) == {_id(*place) for place in texts}
    assert len({one & 0xFFFFFFFF for one in german}) == len(german) == 3


def test_translations_by_links_come_first(project: Project) -> None:
    links = [(_id(1, 0), _id(2, 1)), (_id(3, 0), _id(1, 0)), (_id(1, 3), _id(2, 2))]
    with project.store.begin() as connection:
        for source, target in links:
            row = {"source_id": source, "target_id": target, "kind": "gold"}
            connection.execute(insert(schema.link).values(**row))
    answer = _ask(project, _id(1, 0), _id(1, 1), k=2, languages=("de", "fr"))
    first, second = answer.neighbours
    assert [(one.sentence, one.is_translation) for one in first] == [
        (_id(2, 1), True),
        (_id(2, 2), False),
        (_id(3, 0), True),
    ]
    assert first[2].score is None  # French has no vectors
    assert first[0].score is not None
    assert [one.language for one in second] == ["de", "de"]


def test_an_answer_of_many_lines_fits_a_message(project: Project) -> None:
    lines = [f"mill {i} {'abcdefghij'[i % 10]}" for i in range(100)]
    codes = ("sw", "tr", "zh-Hans", "el", "it", "es", "pt", "nl")
    for code in codes:
        add_corpus(project, code, code, lines)
    encode(project, Encode(corpora=codes), Report())
    answer = _ask(project, *(_id(4, i) for i in range(100)), k=10)
    assert [len(line) for line in answer.neighbours] == [6] * 100
    assert len(encode_line(Answer(2**31, answer))) < MAX_LINE
    for line in answer.neighbours:
        scores = [one.score for one in line]
        assert scores == pytest.approx([1.0] * 6, abs=1e-5)  # the equal texts


def test_hidden_sentences_and_other_corpora_are_no_neighbours(project: Project) -> None:
    hide = HideSentences(sentences=(_id(2, 2), _id(2, 0)))
    apply_edit(project, hide, lambda *_: None)
    (line,) = _ask(project, _id(1, 0), languages=("de",), k=9).neighbours
    assert {one.sentence for one in line} == {_id(2, 1), _id(2, 3)}
    (line,) = _ask(project, _id(1, 0), corpora=(1,)).neighbours
    assert {one.language for one in line} == {"en"}


def test_a_text_that_the_encoder_knows_nothing_of_has_no_neighbour(
    project: Project,
) -> None:
    nothing, something = _ask(project, _id(1, 2), _id(1, 0), k=5).neighbours
    assert nothing == []
    assert _id(1, 2) not in [one.sentence for one in something]
    with pytest.raises(UserError, match="not in the project any more"):
        _ask(project, _id(1, 0), _id(7, 0))
