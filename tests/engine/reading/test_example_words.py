"""Example words are frequent in the project and have known translations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.store.words.indexes import write_analyses
from app.protocol.answers.reading import ExampleWords
from app.protocol.edits.links import ChangeLinks
from app.protocol.queries.reading import ExampleWordsQuery
from tests.engine.search.made import add_corpus

ENGLISH = [
    "The harbour was closed.",
    "The harbour was full.",
    "A tree fell on the road.",
    "The tree was old.",
    "The tree is gone.",
]
GERMAN = ["Der Hafen war zu.", "Der Hafen war voll."]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "German", "de", GERMAN)
        yield project


def find(project: Project, *languages: str) -> ExampleWords:
    query = ExampleWordsQuery(languages=languages, patterns=(r"\d", "(e)\\1"))
    return answer_query(SearchSession(project), query)


def test_the_words_of_linked_sentences_come_first(project: Project) -> None:
    assert find(project, "en", "de").words[0] == "tree"
    links = tuple(
        (first_sentence_id(1) + index, first_sentence_id(2) + index, "gold", None)
        for index in range(2)
    )
    apply_edit(project, ChangeLinks(added=links), lambda *_: None)
    found = find(project, "en", "de")
    assert (found.language, found.target) == ("en", "de")
    assert found.words[0] == "harbour"
    assert "tree" not in found.words, "it has no translation"
    assert found.phrase == "the harbour"
    assert found.patterns == ("(e)\\1",), "tree"
    assert (found.lemma, found.tag, found.sequence) == ("", "", "")


def test_a_language_without_links_is_used_where_there_is_no_other(
    project: Project,
) -> None:
    assert find(project, "de").words[0] == "hafen"
    assert find(project, "xx") == ExampleWords()


def test_annotations_are_named_where_a_corpus_has_them(project: Project) -> None:
    words = [(2, 6, "tree", "tree", "NOUN"), (7, 11, "fell", "fall", "VERB")]
    words.append((12, 14, "on", "on", "ADP"))
    with project.store.begin() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        write_analyses(raw, [(first_sentence_id(1) + 2, words)])
    found = find(project, "en")
    assert (found.lemma, found.tag) == ("fall", "VERB")
    assert found.sequence == "lemma:fall pos:ADP"
