"""Counts from import to answer: tasks, questions, lists that are kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import delete, insert

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report, SilentSink
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.store.schema import document, hidden
from app.engine.store.words.indexes import read_word_index
from app.engine.tasks.collocates import collocates
from app.engine.tasks.frequencies import frequencies
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.index_words import index_words
from app.engine.tasks.keyness import keyness
from app.engine.tasks.make_subcorpus import make_subcorpus
from app.engine.words import frequency_lists, index_builder
from app.engine.words.pages import truncate_rows
from app.errors import Cancelled, UserError
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.words import Collocates, Frequencies, IndexWords, Keyness
from app.protocol.answers.words import FrequencyRow
from app.protocol.base import MAX_LINE, A, BaseQuery
from app.protocol.queries.words import CollocatesQuery, FrequenciesQuery, KeynessQuery

TREE = (
    "1\tHe\the\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\twent\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
)
TEXTS = {  # by name and language
    ("one", "en"): "the sea and the sky\nthe sea\nhidden words\n",
    ("two", "en"): "A sky\nthe land\n",
    ("drei", "de"): "das Land\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("counting")
    with create_project(folder / "counting.isogloss") as project:
        for (name, language), text in TEXTS.items():
            _import(project, folder / f"{name}.txt", text, language)
        _import(project, folder / "tree.conllu", TREE, "en")
        with project.store.begin() as connection:
            row = {
                "sentence_id": first_sentence_id(1) + 2,
                "state": "hidden",
                "step": 1,
            }
            connection.execute(insert(hidden).values(**row))
            connection.execute(delete(document).where(document.c.corpus_id == 1))
            for first in (0, 1):
                values = {"corpus_id": 1, "first": first, "n_sentences": 1 + first}
                name = f"document {first}"
                connection.execute(insert(document).values(name=name, **values))
        yield project


def _import(project: Project, file: Path, text: str, language: str) -> None:
    file.write_text(text, encoding="utf-8")
    import_corpus(project, ImportCorpus(files=(file,), languages=(language,)), Report())


def ask(project: Project, query: BaseQuery[A]) -> A:
    return answer_query(SearchSession(project), query)


def counts(result: Any) -> dict[str, int]:
    return {row.item: row.n for row in result.rows}


def test_words_are_indexed_and_told(project: Project) -> None:
    told = index_words(project, IndexWords(corpora=("one", "tree")), Report())
    first, tree = told.corpora
    assert (first.name, first.n_tokens, first.n_types) == ("one", 9, 6)
    assert (first.has_lemmas, tree.has_lemmas) == (False, True)
    assert told.message == "Indexed 11 words of 2 corpora."


def test_hidden_sentences_are_not_counted(project: Project) -> None:
    found = frequencies(project, Frequencies(corpora=("one",)), Report())
    assert counts(found) == {"the": 3, "sea": 2, "and": 1, "sky": 1}
    assert (found.n_items, found.n_tokens, found.n_documents) == (4, 7, 2)
    top = found.rows[0]
    assert (top.rank, top.n_documents) == (1, 2)
    # shares of the 7 words: 5 and 2; of its 3: 2 and 1
    assert top.dispersion == pytest.approx(5 / 7 - 2 / 3, abs=1e-4)
    assert top.per_million == pytest.approx(3e6 / 7, abs=0.001)
    assert top.low is not None
    assert top.high is not None
    assert top.low < 3e6 / 7 < top.high


def test_several_corpora_are_counted_together(project: Project) -> None:
    found = frequencies(project, Frequencies(corpora=("two", "one")), Report())
    assert counts(found) == {
        "the": 4,
        "sea": 2,
        "sky": 2,
        "a": 1,
        "and": 1,
        "land": 1,
    }
    pairs = frequencies(project, Frequencies(corpora=("two", "one"), n=2), Report())
    assert counts(pairs) == {
        "the sea": 2,
        "a sky": 1,
        "and the": 1,
        "sea and": 1,
        "the land": 1,
        "the sky": 1,
    }
    assert pairs.n_documents == 3


def test_a_language_chooses(project: Project) -> None:
    found = frequencies(project, Frequencies(languages=("deu",)), Report())
    assert counts(found) == {"das": 1, "land": 1}
    with pytest.raises(UserError, match="No sentences in fr"):
        frequencies(project, Frequencies(languages=("fr",)), Report())


@pytest.mark.parametrize(
    ("find", "n", "items"),
    [
        ("s*", 1, ["sea", "sky"]),
        ("/^s.y$/", 1, ["sky"]),
        ("the s*", 2, ["the sea", "the sky"]),
        ("sea", 2, ["the sea", "sea and"]),
        ("the sea and", 2, []),
    ],
)
def test_a_list_is_filtered(
    project: Project, find: str, n: int, items: list[str]
) -> None:
    wanted = Frequencies(corpora=("one",), find=find, n=n)
    assert list(counts(frequencies(project, wanted, Report()))) == items


def test_one_document_has_no_dispersion_and_it_is_said(project: Project) -> None:
    found = frequencies(project, Frequencies(corpora=("two",)), Report())
    assert {row.dispersion for row in found.rows} == {None}
    assert "Dispersion needs more than one document" in found.message


def test_lemmas_are_counted_where_there_are_some(project: Project) -> None:
    found = frequencies(project, Frequencies(layer="lemma"), Report())
    assert counts(found) == {"go": 1, "he": 1}
    assert "Skipped (no lemmas): one, two, drei." in found.notes
    with pytest.raises(UserError, match=r"one has no parts of speech.*CoNLL-U"):
        frequencies(project, Frequencies(layer="pos", corpora=("one",)), Report())
    near = collocates(project, Collocates(text="lemma:go", min_count=1), Report())
    assert counts(near) == {"he": 1}
    with pytest.raises(UserError, match="can't filter a list"):
        frequencies(project, Frequencies(find="lemma:go"), Report())


def test_words_without_lemmas_and_parts_of_speech_are_none(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as bare:
        lines = TREE.replace("\the\t", "\t_\t").replace("\tgo\t", "\t_\t")
        _import(bare, tmp_path / "tree.conllu", lines, "en")
        told = index_words(bare, IndexWords(), Report())
        assert not told.corpora[0].has_lemmas
        with pytest.raises(UserError, match="tree has no lemmas"):
            frequencies(bare, Frequencies(layer="lemma"), Report())
        with pytest.raises(UserError, match="tree has no lemmas"):
            collocates(bare, Collocates(text="lemma:go"), Report())
        found = frequencies(bare, Frequencies(layer="pos"), Report())
        assert counts(found) == {"PRON": 1, "VERB": 1}


def test_collocates_are_told(project: Project) -> None:
    wanted = Collocates(text="sea", corpora=("one",), min_count=1)
    found = collocates(project, wanted, Report())
    assert counts(found) == {"and": 1, "sky": 1, "the": 3}
    assert (found.n_hits, found.n_tokens) == (2, 7)
    assert found.message.startswith("sea occurs 2 times among 7 words.")
    with pytest.raises(UserError, match="matches every word"):
        collocates(project, Collocates(text="*"), Report())


def test_key_words_are_told(project: Project) -> None:
    wanted = Keyness(corpora=("one",), against=("two",), min_count=1)
    found = keyness(project, wanted, Report())
    assert (found.n_tokens, found.n_tokens_against) == (7, 4)
    by_item = {row.item: (row.n, row.n_against) for row in found.rows}
    assert by_item["the"] == (3, 1)
    assert by_item["a"] == (0, 1)
    scores = [row.log_likelihood for row in found.rows]
    assert scores == sorted(scores, reverse=True)
    sides: dict[str, Any] = {"corpora": ("one", "drei"), "against": ("two",)}
    both = keyness(project, Keyness(**sides, min_count=1), Report())
    assert both.n_tokens == 9
    assert "Select one language" in both.message
    other = Keyness(corpora=("drei",), against=("one",), min_count=1)
    (note,) = keyness(project, other, Report()).notes
    assert note.startswith("These texts are in German, the reference texts in English")
    some = Keyness(**sides, languages=("en",), min_count=1)
    assert keyness(project, some, Report()).rows == found.rows
    with pytest.raises(UserError, match="no word to compare in two"):
        keyness(project, Keyness(**sides, languages=("de",)), Report())
    with pytest.raises(UserError, match="are the same"):
        keyness(project, Keyness(corpora=("one",), against=("1",)), Report())


def test_a_subcorpus_is_counted_alone(project: Project) -> None:
    steps = ("words sea", "not words sky")  # leaves "the sea"
    choice = MakeSubcorpus(corpora=("one",), steps=steps, name="short")
    made = make_subcorpus(project, choice, Report())
    assert made.sentences == 1
    found = frequencies(project, Frequencies(corpora=("short",)), Report())
    assert counts(found) == {"sea": 1, "the": 1}
    assert (found.n_documents, found.rows[0].dispersion) == (1, None)
    near = collocates(
        project, Collocates(text="sea", corpora=("short",), min_count=1), Report()
    )
    assert (counts(near), near.n_tokens) == ({"the": 1}, 2)
    keys = keyness(
        project,
        Keyness(corpora=("short",), against=("one",), min_count=1),
        Report(),
    )
    assert (keys.n_tokens, keys.n_tokens_against) == (2, 7)
    by_item = {row.item: (row.n, row.n_against) for row in keys.rows}
    assert by_item["sea"] == (1, 2)
    warning = "The reference texts contain all of these texts, so keywords look"
    assert keys.notes[0].startswith(warning)
    assert warning in keys.message
    swapped = Keyness(corpora=("one", "two"), against=("short",), min_count=1)
    (note,) = keyness(project, swapped, Report()).notes
    assert note.startswith("1 of 4 sentences of these texts is also in the reference")
    apart = Keyness(corpora=("two",), against=("short",), min_count=1)
    assert keyness(project, apart, Report()).notes == []
    answer = ask(project, FrequenciesQuery(subcorpora=(made.subcorpus or 0,)))
    assert answer.n_tokens == 2


def test_no_corpus_is_told(tmp_path: Path) -> None:
    with create_project(tmp_path / "empty.isogloss") as project:
        tasks: list[tuple[Any, Any]] = [
            (index_words, IndexWords()),
            (frequencies, Frequencies()),
            (collocates, Collocates(text="a")),
        ]
        for task, params in tasks:
            with pytest.raises(UserError, match="no corpus"):
                task(project, params, Report())


def test_a_list_is_kept_and_read_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_words(project, IndexWords(), Report())
    first = ask(project, FrequenciesQuery(n=3))
    monkeypatch.setattr(frequency_lists, "count_ngrams", None)  # what would count again
    assert ask(project, FrequenciesQuery(n=3)) == first
    with open_read_only(project.folder) as reading:
        assert ask(reading, FrequenciesQuery(n=3)) == first


def test_a_long_list_is_left_to_a_task_until_it_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_words(project, IndexWords(), Report())
    monkeypatch.setattr(
        frequency_lists, "LONG", 20
    )  # five times the words of corpus two
    query = FrequenciesQuery(corpora=(1, 2), n=5, waits=False)
    left = ask(project, query)
    assert (left.not_counted, left.rows) == (True, [])
    assert not ask(project, msgspec.structs.replace(query, n=1)).not_counted
    small = msgspec.structs.replace(query, corpora=(2,))
    assert not ask(project, small).not_counted
    frequencies(project, Frequencies(corpora=("one", "two"), n=5), Report())
    kept = ask(project, query)
    assert (kept.not_counted, kept.n_items) == (False, 1)
    waited = ask(project, msgspec.structs.replace(query, n=4, waits=True))
    assert not waited.not_counted


def test_a_list_that_has_no_room_is_told_all_the_same(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    index_words(project, IndexWords(), Report())
    monkeypatch.setattr(frequency_lists, "write_in_parts", fill)
    found = frequencies(project, Frequencies(corpora=("two",), n=4), Report())
    assert found.n_items == 0
    assert found.n_tokens == 4


def test_a_list_that_is_ended_while_it_is_written_leaves_no_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ending(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == index_builder.WRITE_STAGE:
                report.cancel()

    report = Report(Ending())
    index_words(project, IndexWords(), Report())
    monkeypatch.setattr(index_builder, "WRITE_ROWS", 1)
    with pytest.raises(Cancelled):
        frequencies(project, Frequencies(corpora=("one", "drei"), n=2), report)
    assert not list(project.folder.rglob("*.part"))


def test_old_lists_go(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    index_words(project, IndexWords(), Report())
    monkeypatch.setattr(frequency_lists, "MAX_KEPT", 2)
    for n in range(1, 5):
        frequencies(project, Frequencies(corpora=("two",), n=n), Report())
    row = read_word_index(project.store, 2)
    assert row is not None
    assert len(list((project.folder / "arrays").glob(f"{row.array}.list-*"))) == 2


def test_a_page_is_answered_in_the_order_asked(project: Project) -> None:
    query = FrequenciesQuery(
        corpora=(1,), order_by="item", descending=False, offset=1, limit=2
    )
    answer = ask(project, query)
    assert [(row.item, row.rank) for row in answer.rows] == [
        ("sea", 2),
        ("sky", 4),
    ]
    assert (answer.n_items, answer.n_tokens, answer.n_documents) == (4, 7, 2)
    assert answer.not_indexed == ()


@pytest.mark.parametrize("order", ["n", "item", "n_documents", "dispersion"])
def test_pages_follow_one_another(project: Project, order: Any) -> None:
    index_words(project, IndexWords(corpora=("one",)), Report())
    desk = SearchSession(project)

    def page(offset: int, limit: int) -> list[str]:
        query = FrequenciesQuery(
            corpora=(1,), n=2, order_by=order, offset=offset, limit=limit
        )
        answer = answer_query(desk, query)
        assert answer.n_items == 4
        return [row.item for row in answer.rows]

    assert page(0, 3) + page(3, 3) == page(0, 300)
    assert len(set(page(0, 300))) == 4


def test_a_newer_question_ends_what_takes_long(project: Project) -> None:
    report = Report()
    report.cancel()
    desk = SearchSession(project)
    for query in (
        FrequenciesQuery(n=6),
        CollocatesQuery(text="sea"),
        KeynessQuery(corpora=(1,), against_corpora=(2,)),
    ):
        with pytest.raises(Cancelled):
            answer_query(desk, query, report)


def test_an_answer_holds_no_more_than_a_message() -> None:
    row = FrequencyRow("ไทย" * 100, 1, 1, 0.5, 0.25, 0.75, 1, None)
    told = truncate_rows([row] * 300)
    assert len(msgspec.json.encode(told)) < MAX_LINE - 4_000
    assert 60 < len(told) < 300
    assert len(told[0].item) == 200
    assert told[0].item.endswith("…")


def test_collocates_and_key_words_are_answered(project: Project) -> None:
    near = ask(project, CollocatesQuery(text="sea", corpora=(1,), min_count=1, top=1))
    assert near.n_hits == 2
    assert near.notes == ()
    mixed = ask(project, CollocatesQuery(text="sea", min_count=1, top=1))
    assert [note for note in mixed.notes if "in several languages" in note]
    keys = ask(
        project, KeynessQuery(corpora=(1,), against_corpora=(2,), min_count=1, top=1)
    )
    assert (keys.n_tokens, keys.n_tokens_against) == (7, 4)
    assert keys.notes == ()


def test_several_languages_have_no_frequencies_per_million(project: Project) -> None:
    chosen = ("one", "drei")
    found = frequencies(project, Frequencies(corpora=chosen), Report())
    assert found.n_tokens > 7
    assert {row.per_million for row in found.rows} == {None}
    assert any("Select one language" in note for note in found.notes)
    single = Frequencies(corpora=chosen, languages=("en",))
    alone = frequencies(project, single, Report())
    assert alone.rows[0].per_million == pytest.approx(3e6 / 7, abs=0.001)
    assert not any("Select one language" in note for note in alone.notes)
