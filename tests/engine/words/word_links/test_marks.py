"""Translated words are marked in other sentences, by the bundled encoder and links."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project, open_project
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.protocol.queries.reading import MarkedText, WordMarksQuery
from tests.engine.search.made import add_corpus
from tests.views.stage import CORPORA, build_project, sentence_id

FERRY = "The ferry will not sail tomorrow because of the storm."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder: Path = build_project(tmp_path_factory.mktemp("marks") / "p.isogloss")
    with open_project(folder) as project:
        yield project


@pytest.fixture(scope="module")
def session(project: Project) -> SearchSession:
    return SearchSession(project)


def marked(session: SearchSession, *texts: MarkedText) -> list[dict[str, float]]:
    """Return the marked words of each text with their confidences."""
    answer = answer_query(session, WordMarksQuery(texts=texts))
    sentences = [text for _, rows in CORPORA.values() for text in rows]
    ids = [sentence_id(corpus, row) for corpus in range(1, 5) for row in range(3)]
    known = dict(zip(ids, sentences, strict=True))
    return [
        {known[word.sentence][word.begin : word.end]: word.confidence for word in found}
        for found in answer.found
    ]


def test_a_word_is_marked_in_another_language(session: SearchSession) -> None:
    (found,) = marked(session, MarkedText(text="storm", targets=(sentence_id(2, 1),)))
    assert max(found, key=found.__getitem__) == "Sturms"
    assert all(0.25 <= confidence <= 1 for confidence in found.values())


def test_only_the_translations_of_the_selected_part_are_marked(
    session: SearchSession,
) -> None:
    begin = FERRY.index("storm")
    text = MarkedText(
        text=FERRY,
        begin=begin,
        end=begin + len("storm"),
        targets=(sentence_id(2, 1), 99),
        sentence=sentence_id(1, 1),
    )
    both = MarkedText(text="tomorrow", targets=(sentence_id(2, 1),))
    storm, tomorrow = marked(session, text, both)
    assert list(storm) == ["Sturms"]
    assert max(tomorrow, key=tomorrow.__getitem__) == "morgen"


def test_what_has_no_word_is_not_marked(session: SearchSession) -> None:
    target = (sentence_id(2, 1),)
    found = marked(
        session,
        MarkedText(text=" … ", targets=target),
        MarkedText(text=FERRY, begin=3, end=4, targets=target),
        MarkedText(text="storm", targets=()),
    )
    assert found == [{}, {}, {}]


def test_frequent_words_are_marked_only_when_they_are_asked_for(tmp_path: Path) -> None:
    first = "The volcano erupted near the town."
    texts = [first, *(f"The ferry number {n} left." for n in range(99))]
    with create_project(tmp_path / "p.isogloss") as project:
        corpus = add_corpus(project, "news", "en", texts)
        session, targets = SearchSession(project), (first_sentence_id(corpus),)
        both = (
            MarkedText(text="The volcano erupted", targets=targets),
            MarkedText(text="the", targets=targets),
        )
        sentence, word = answer_query(session, WordMarksQuery(texts=both)).found
    assert [first[one.begin : one.end] for one in sentence] == ["volcano", "erupted"]
    assert {first[one.begin : one.end] for one in word} >= {"The", "the"}
