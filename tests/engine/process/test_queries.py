"""Questions to an open project: neighbours by language, words, orders."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sqlalchemy import update

from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.arrays import map_array
from app.engine.store.corpora import (
    WORD_LIST_FORMAT,
    corpus_of,
    first_sentence_id,
)
from app.engine.store.sentences import read_sentences
from app.engine.tasks.encode import encode
from app.engine.tasks.index_words import index_words
from app.errors import UserError
from app.params.vectors import Encode
from app.params.words import IndexWords
from app.protocol import events
from app.protocol.answers.encoders import EncoderListing
from app.protocol.answers.search import FoundSentence, SearchAnswer
from app.protocol.base import MAX_LINE, encode_line
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import SetCorpusLanguage, SetCorpusState
from app.protocol.edits.links import ChangeLinks
from app.protocol.queries.encoders import EncodersQuery, WarmQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery, OrderQuery
from app.protocol.queries.words import ConcordanceQuery, FrequenciesQuery
from tests.engine.search.made import WordEncoder, add_corpus, use_encoder

ENGLISH = [
    "the old mill",
    "a mill by the river",
    "Zebra crossing",
    "élan and energy",
    "…",
    "the old mill",
]
GERMAN = ["die alte mill", "am Fluss", "Straße 5", "the old mill"]
FRENCH = ["le vieux mill"]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    encoder = WordEncoder()
    use_encoder(monkeypatch, encoder)
    return encoder


@pytest.fixture
def project(tmp_path: Path, encoder: WordEncoder) -> Iterator[Project]:
    with create_project(tmp_path / "mill.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "German", "de", GERMAN)
        add_corpus(project, "French", "fr", FRENCH)
        encode(project, Encode(corpora=("English", "German")), Report())
        yield project


@pytest.fixture
def desk(project: Project) -> SearchSession:
    return SearchSession(project)


def _ids(corpus_id: int, *positions: int) -> list[int]:
    return [first_sentence_id(corpus_id) + position for position in positions]


def _sentences(answer: SearchAnswer, language: str) -> list[int]:
    return [h.sentence for h in answer.hits if h.language == language]


def test_a_typed_text_finds_the_best_of_each_language(desk: SearchSession) -> None:
    answer = answer_query(desk, NearestQuery(text="the old mill", k=3))
    assert _sentences(answer, "en") == _ids(1, 0, 5, 1)
    assert _sentences(answer, "de")[:2] == _ids(2, 3, 0)
    assert answer.hits[0] == FoundSentence(first_sentence_id(1), 1.0, "en")
    assert answer.n_searched == 10
    assert answer.not_encoded == [3]
    assert not answer.is_unknown
    scores = [hit.score or 0.0 for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)


def test_the_language_of_a_typed_text_is_named(
    desk: SearchSession,
) -> None:
    texts = {"Die Mühle steht am Fluss.": "de", "The mill is by the river.": "en"}
    for text, language in texts.items():
        assert answer_query(desk, NearestQuery(text=text)).language == language
    by_sentence = answer_query(desk, NearestQuery(sentence=first_sentence_id(1)))
    assert by_sentence.language == ""  # the window reads it from the sentence


def test_a_sentence_is_no_hit_of_itself_but_its_equals_are(desk: SearchSession) -> None:
    answer = answer_query(desk, NearestQuery(sentence=first_sentence_id(1), k=2))
    assert _sentences(answer, "en") == _ids(1, 5, 1)
    assert _sentences(answer, "de")[0] == first_sentence_id(2) + 3


def test_of_equal_hits_the_known_translation_is_first(
    desk: SearchSession, project: Project
) -> None:
    query = NearestQuery(sentence=first_sentence_id(2) + 3, k=1)
    assert _sentences(answer_query(desk, query), "en") == _ids(1, 0)
    linked = (first_sentence_id(1) + 5, first_sentence_id(2) + 3, "gold", None)
    apply_edit(project, ChangeLinks(added=(linked,)), lambda *_: None)
    assert _sentences(answer_query(desk, query), "en") == _ids(1, 5)
    both = msgspec.structs.replace(query, k=2)
    assert _sentences(answer_query(desk, both), "en") == _ids(1, 5, 0)


def test_a_sentence_without_a_vector_is_encoded(desk: SearchSession) -> None:
    answer = answer_query(desk, NearestQuery(sentence=first_sentence_id(3), k=1))
    assert {corpus_of(hit.sentence) for hit in answer.hits} == {1, 2}
    with pytest.raises(UserError, match="deleted from the project"):
        answer_query(desk, NearestQuery(sentence=first_sentence_id(8)))


def test_filters_by_corpus_and_language_hold(desk: SearchSession) -> None:
    by_corpus = answer_query(desk, NearestQuery(text="mill", corpora=(2,)))
    assert {corpus_of(hit.sentence) for hit in by_corpus.hits} == {2}
    by_language = answer_query(desk, NearestQuery(text="mill", languages=("en",)))
    assert {hit.language for hit in by_language.hits} == {"en"}
    assert by_language.n_searched == len(ENGLISH)
    assert by_language.not_encoded == []


def test_rows_without_a_known_piece_are_never_hits(desk: SearchSession) -> None:
    answer = answer_query(desk, NearestQuery(text="mill", k=500))
    assert first_sentence_id(1) + 4 not in _sentences(answer, "en")
    assert len(answer.hits) == len(ENGLISH) + len(GERMAN) - 1


def test_an_unknown_or_empty_text_is_said(desk: SearchSession) -> None:
    answer = answer_query(desk, NearestQuery(text="…"))
    assert (answer.hits, answer.is_unknown) == ([], True)
    with pytest.raises(UserError, match="query is empty"):
        answer_query(desk, NearestQuery(text="  "))


def test_changes_of_the_project_are_seen_at_once(
    desk: SearchSession, project: Project
) -> None:
    query = NearestQuery(text="the old mill", k=1)
    assert len(answer_query(desk, query).hits) == 2
    apply_edit(project, SetCorpusState((1,), "deleted"), lambda *_: None)
    (hit,) = answer_query(desk, query).hits
    assert hit.language == "de"
    apply_edit(project, SetCorpusLanguage(2, "nds"), lambda *_: None)
    (hit,) = answer_query(desk, query).hits
    assert hit.language == "nds"
    encode(project, Encode(corpora=("French",)), Report())
    assert answer_query(desk, query).not_encoded == []


def test_a_corpus_in_several_languages_is_parted(
    desk: SearchSession, project: Project
) -> None:
    table = schema.sentence
    with project.store.begin() as connection:
        ids = _ids(2, 0, 3)
        connection.execute(
            update(table).where(table.c.id.in_(ids)).values(language="nl")
        )
    answer = answer_query(desk, NearestQuery(text="the old mill", corpora=(2,)))
    assert _sentences(answer, "nl") == _ids(2, 3, 0)
    assert sorted(_sentences(answer, "de")) == _ids(2, 1, 2)
    words = answer_query(desk, KeywordQuery(text="mill", languages=("nl",)))
    assert _sentences(words, "nl") == _ids(2, 0, 3)
    assert _order(desk, languages=("nl",)) == _ids(2, 0, 3)
    assert _order(desk, corpora=(2,), order_by="language") == _ids(2, 1, 2, 0, 3)


def test_an_answer_of_many_hits_fits_a_message(
    desk: SearchSession, project: Project
) -> None:
    names = [f"big{i}" for i in range(3)]
    for name, language in zip(names, ("sw", "tr", "el"), strict=True):
        add_corpus(project, name, language, [f"mill number {i}" for i in range(600)])
    encode(project, Encode(corpora=tuple(names)), Report())
    for query in (NearestQuery(text="mill", k=500), KeywordQuery(text="mill", k=500)):
        answer = answer_query(desk, query)
        assert 300 <= len(answer.hits) <= 600
        line = encode_line(events.Answer(2**31, answer))
        assert len(line) < MAX_LINE


def test_words_prefixes_and_phrases_are_found(desk: SearchSession) -> None:
    words = answer_query(desk, KeywordQuery(text="mill", k=2))
    assert [h.sentence for h in words.hits] == [
        *_ids(1, 0, 1),
        *_ids(2, 0, 3),
        first_sentence_id(3),
    ]
    assert words.hits[0].score is None
    prefix = answer_query(desk, KeywordQuery(text="zeb*"))
    assert [h.sentence for h in prefix.hits] == _ids(1, 2)
    phrase = answer_query(desk, KeywordQuery(text='"old mill"', corpora=(1,)))
    assert [h.sentence for h in phrase.hits] == _ids(1, 0, 5)
    with pytest.raises(UserError, match="no letter or digit"):
        answer_query(desk, KeywordQuery(text="?!"))


def test_all_sentences_with_the_words_are_counted(
    desk: SearchSession, project: Project
) -> None:
    cut = answer_query(desk, KeywordQuery(text="mill", k=2))
    assert (cut.n_found, cut.has_more) == ({"en": 3, "de": 2, "fr": 1}, True)
    whole = answer_query(desk, KeywordQuery(text="mill", k=3))
    assert (len(whole.hits), whole.has_more) == (6, False)
    add_corpus(project, "many", "sw", [f"mill number {i}" for i in range(700)])
    many = answer_query(desk, KeywordQuery(text="mill", languages=("sw",)))
    assert (len(many.hits), many.n_found, many.has_more) == (12, {"sw": 700}, True)
    most = answer_query(desk, KeywordQuery(text="mill", k=500, languages=("sw",)))
    assert (len(most.hits), most.has_more) == (500, False)  # no larger k
    hidden = tuple(_ids(4, *range(100)))
    apply_edit(project, HideSentences(sentences=hidden), lambda *_: None)
    left = answer_query(desk, KeywordQuery(text="mill", languages=("sw",)))
    assert left.n_found == {"sw": 600}


def test_the_translations_of_a_typed_sentence_of_the_project_are_known(
    desk: SearchSession, project: Project
) -> None:
    linked = (first_sentence_id(1) + 1, first_sentence_id(2) + 0, "gold", None)
    apply_edit(project, ChangeLinks(added=(linked,)), lambda *_: None)
    answer = answer_query(desk, NearestQuery(text=f" {ENGLISH[1]} "))
    assert answer.exact == _ids(1, 1)
    assert answer_query(desk, NearestQuery(text=ENGLISH[1][:-1])).exact == []
    by_id = answer_query(desk, NearestQuery(sentence=first_sentence_id(1) + 1))
    assert by_id.exact == []


def test_words_of_deleted_corpora_are_not_found(
    desk: SearchSession, project: Project
) -> None:
    apply_edit(project, SetCorpusState((1, 3), "deleted"), lambda *_: None)
    answer = answer_query(desk, KeywordQuery(text="mill"))
    assert {corpus_of(hit.sentence) for hit in answer.hits} == {2}


@pytest.mark.parametrize(
    ("language", "text", "typed"),
    [
        ("zh", "我们明天去北京看长城。", "北京"),
        ("ja", "明日、東京タワーへ行きます。", "東京タワー"),
        ("th", "ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("hi", "मैं कल दिल्ली जाऊँगा।", "दिल्ली"),
        ("ar", "سأذهب غداً إلى المكتبة", "المكتبة"),
    ],
)
def test_words_are_found_in_every_script(
    desk: SearchSession, project: Project, language: str, text: str, typed: str
) -> None:
    corpus_id = add_corpus(project, "more", language, ["…", text])
    answer = answer_query(desk, KeywordQuery(text=typed))
    assert _sentences(answer, language) == _ids(corpus_id, 1)
    assert _order(desk, find=typed) == _ids(corpus_id, 1)
    assert _order(desk, find=typed, at_word_start=True) == _ids(corpus_id, 1)


def test_starts_of_words_are_found_without_words_that_only_contain_them(
    desk: SearchSession, project: Project
) -> None:
    texts = ["The train is late.", "Training in the Rain.", "rainy", "Ölträger, Träger"]
    corpus_id = add_corpus(project, "more", "en", texts)
    assert _order(desk, find="rain", at_word_start=True) == _ids(corpus_id, 1, 2)
    assert _order(desk, find="rain") == _ids(corpus_id, 0, 1, 2)
    assert _order(desk, find="träger", at_word_start=True) == _ids(corpus_id, 3)
    assert _order(desk, find="öltr", at_word_start=True) == _ids(corpus_id, 3)
    assert _order(desk, find="ger,", at_word_start=True) == []


def _order(desk: SearchSession, **options: Any) -> list[int]:
    answer = answer_query(desk, OrderQuery(**options))
    ids = map_array(desk.project.folder / answer.file)
    assert len(ids) == answer.n
    assert ids.dtype.name == "int64"
    return [int(id_) for id_ in ids]


def _texts(desk: SearchSession, ids: list[int]) -> list[str]:
    rows = read_sentences(desk.project.store, ids)
    return [row.text for row in rows if row is not None]


def test_sentences_are_ordered_by_place_text_length_language_and_line(
    desk: SearchSession,
) -> None:
    in_place = [*_ids(1, *range(6)), *_ids(2, *range(4)), *_ids(3, 0)]
    assert _order(desk) == in_place
    assert _order(desk, descending=True) == in_place[::-1]
    expected = sorted([*ENGLISH, *GERMAN, *FRENCH], key=str.casefold)
    by_text = _order(desk, order_by="text")
    assert _texts(desk, by_text) == expected
    assert [i for i in by_text if i in _ids(1, 0, 5)] == _ids(1, 0, 5)
    backwards = _texts(desk, _order(desk, order_by="text", descending=True))
    assert backwards == expected[::-1]
    lengths = [len(t) for t in _texts(desk, _order(desk, order_by="length"))]
    assert lengths == sorted(lengths)
    by_language = _order(desk, order_by="language")
    assert by_language == [*in_place[6:10], *in_place[:6], *in_place[10:]]
    by_line = _order(desk, order_by="line", corpora=(2,), descending=True)
    assert by_line == _ids(2, 3, 2, 1, 0)


@pytest.mark.parametrize(
    ("find", "expected"),
    [
        ("MILL", [*_ids(1, 0, 1, 5), *_ids(2, 0, 3), *_ids(3, 0)]),
        ("ÉLAN", _ids(1, 3)),
        ("e 5", _ids(2, 2)),
        ("STRAßE", _ids(2, 2)),
        ("%", []),
        ("_", []),
        ("d m", [*_ids(1, 0, 5), *_ids(2, 3)]),
    ],
)
def test_find_takes_any_part_of_a_text_in_any_case(
    desk: SearchSession, find: str, expected: list[int]
) -> None:
    assert _order(desk, find=find) == expected


def test_find_filter_and_order_work_together(desk: SearchSession) -> None:
    ids = _order(desk, find="mill", languages=("en", "fr"), order_by="text")
    assert ids == [*_ids(1, 1), *_ids(3, 0), *_ids(1, 0, 5)]
    assert _order(desk, find="nowhere", order_by="text") == []
    assert _order(desk, languages=("xx",), order_by="length") == []


def test_old_orders_are_removed(desk: SearchSession) -> None:
    for _ in range(20):
        _order(desk)
    assert len(list((desk.project.folder / "arrays" / "views").iterdir())) == 16


def test_an_order_of_a_project_open_for_reading_stands_elsewhere(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    with open_read_only(project.folder) as reading:
        answer = answer_query(SearchSession(reading), OrderQuery())
    assert Path(answer.file).is_relative_to(elsewhere)
    assert len(np.load(answer.file)) == 11


def test_warming_up_loads_the_encoder_and_maps_the_vectors(desk: SearchSession) -> None:
    answer = answer_query(desk, WarmQuery())
    assert (answer.encoder, answer.dim) == ("words", 256)
    assert (answer.n_searched, answer.not_encoded) == (10, [3])


def test_the_encoders_are_listed_as_plain_values(desk: SearchSession) -> None:
    answer = answer_query(desk, EncodersQuery())
    assert (
        msgspec.json.decode(msgspec.json.encode(answer), type=EncoderListing) == answer
    )
    assert all(encoder.name and encoder.dim for encoder in answer.encoders)


def test_words_of_a_dictionary_are_searched_only_where_they_are_chosen(
    desk: SearchSession, project: Project
) -> None:
    report = json.dumps({"format": WORD_LIST_FORMAT})
    is_french = schema.corpus.c.id == 3
    with project.store.begin() as connection:
        connection.execute(update(schema.corpus).where(is_french).values(report=report))
    assert answer_query(desk, NearestQuery(text="mill")).not_encoded == []
    assert answer_query(desk, NearestQuery(text="mill", corpora=(3,))).not_encoded == [
        3
    ]
    word = FRENCH[0].split()[1]
    assert not answer_query(desk, KeywordQuery(text=word)).hits
    assert answer_query(desk, KeywordQuery(text=word, corpora=(3,))).hits
    index_words(project, IndexWords(), Report())
    found = answer_query(desk, FrequenciesQuery())
    chosen = answer_query(desk, FrequenciesQuery(corpora=(3,)))
    both = answer_query(desk, FrequenciesQuery(corpora=(1, 2)))
    assert (found.n_tokens, chosen.n_tokens > 0) == (both.n_tokens, True)
    assert not answer_query(desk, ConcordanceQuery(text=word)).n
    assert answer_query(desk, ConcordanceQuery(text=word, corpora=(3,))).n
