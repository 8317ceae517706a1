"""The search command: one list over all languages, by meaning or by words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.encode import encode
from app.engine.tasks.search import SearchResult, search
from app.errors import UserError
from app.params.vectors import Encode, Search
from tests.engine.search.made import WordEncoder, add_corpus, use_encoder

ENGLISH = ["where is the station", "the soup is hot", "nobody came to the station"]
GERMAN = ["wo ist der Bahnhof", "the station is closed"]


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    encoder = WordEncoder()
    use_encoder(monkeypatch, encoder)
    return encoder


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "travel.isogloss") as project:
        add_corpus(project, "English", "eng", ENGLISH)
        add_corpus(project, "Deutsch", "de", GERMAN)
        yield project


def _search(project: Project, text: str, **options: Any) -> SearchResult:
    with open_read_only(project.folder) as reading:
        return search(reading, Search(text=text, **options), Report())


@pytest.mark.usefixtures("words")
def test_hits_are_ranked_over_all_languages(project: Project) -> None:
    encode(project, Encode(corpora=("English", "Deutsch")), Report())
    result = _search(project, "the station is closed", k=3)
    best = result.hits[0]
    assert (best.rank, best.corpus, best.language) == (1, "Deutsch", "de")
    assert best.sentence == first_sentence_id(2) + 1
    assert best.score == pytest.approx(1)
    assert [hit.rank for hit in result.hits] == [1, 2, 3]
    second = result.hits[1]
    assert (second.text, second.language) == (ENGLISH[0], "eng")
    assert (result.n_searched, result.not_encoded) == (5, [])


@pytest.mark.usefixtures("words")
def test_filters_take_names_ids_and_any_form_of_a_language(project: Project) -> None:
    encode(project, Encode(corpora=("English", "Deutsch")), Report())
    for options in (
        {"corpora": ("Deutsch",)},
        {"corpora": ("2",)},
        {"languages": ("deu",)},
        {"languages": ("ger", "fr")},
    ):
        hits = _search(project, "station", **options).hits
        assert {hit.corpus for hit in hits} == {"Deutsch"}, options


@pytest.mark.usefixtures("words")
def test_words_are_found_without_vectors(project: Project) -> None:
    result = _search(project, "stat* the", words=True, k=2)
    assert [hit.text for hit in result.hits] == [ENGLISH[0], ENGLISH[2]]
    assert result.hits[0].score is None
    german = _search(project, "station", words=True, languages=("de",))
    assert [hit.text for hit in german.hits] == [GERMAN[1]]


@pytest.mark.usefixtures("words")
def test_a_corpus_without_vectors_is_named_with_the_command(project: Project) -> None:
    with pytest.raises(UserError, match=r"English, Deutsch.*encode .*--corpus 1 --cor"):
        _search(project, "station")
    encode(project, Encode(corpora=("English",)), Report())
    assert _search(project, "station").not_encoded == ["Deutsch"]
    with pytest.raises(UserError, match=r"Deutsch.*--corpus 2 --encoder isogloss-2"):
        _search(project, "station", corpora=("Deutsch",), encoder="isogloss-2")


@pytest.mark.usefixtures("words")
def test_what_cannot_be_found_is_said(project: Project, tmp_path: Path) -> None:
    encode(project, Encode(corpora=("English",)), Report())
    with pytest.raises(UserError, match="knows no part of '…'"):
        _search(project, "…")
    with pytest.raises(UserError, match="no corpus 'Italiano'; the project has Eng"):
        _search(project, "station", corpora=("Italiano",))
    assert _search(project, "station", languages=("it",)).hits == []
    with (
        create_project(tmp_path / "empty") as empty,
        pytest.raises(UserError, match="no corpus yet"),
    ):
        _search(empty, "station")


def test_the_bundled_encoder_finds_a_translation(project: Project) -> None:
    encode(project, Encode(corpora=("English", "Deutsch")), Report())
    best = _search(project, "Où est la gare ?").hits
    assert {hit.text for hit in best[:2]} == {ENGLISH[0], GERMAN[0]}
