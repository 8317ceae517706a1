"""Concordance lines: where words stand, their neighbours, their order, bad input."""

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, update

from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.arrays import map_array
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.words import cache, expressions
from app.engine.words.cache import word_cache
from app.engine.words.concordance import ConcordanceOptions, find_lines
from app.engine.words.expressions import compile_expression, is_safe_expression
from app.engine.words.index import open_index
from app.engine.words.tokenizer import fold_word, tokenize
from app.errors import UserError
from app.params.words import SortKey
from app.protocol.answers.words import ConcordanceAnswer
from app.protocol.edits.corpora import HideSentences
from app.protocol.queries.words import ConcordanceQuery
from tests.engine.search.made import add_corpus

WORDS = {
    "en": "the cat The sat on a mat CAT don't well-known 3.14 of",
    "de": "die Katze Straße STRASSE saß auf der Matte cat the",
    "ar": "القطة على السجادة ولد القطة رأى",
    "ja": "猫 が 好き です 東京 タワー 猫",
    "hi": "मैं कल दिल्ली जाऊँगा बिल्ली दिल्ली",
    "ru": "кот сидел на Кот ковре",
}
N = 40  # sentences of a language
SIDES = ("L3", "L2", "L1", "R1", "R2", "R3")
KEYS: tuple[SortKey, ...] = ("L1", "L2", "L3", "N", "R1", "R2", "R3")


def _sentences(language: str) -> list[str]:
    generator = random.Random(language)
    words = WORDS[language].split()
    gaps = [""] if language == "ja" else [" ", " ", " ", ", ", " — "]
    made = []
    for _ in range(N):
        text = "".join(
            generator.choice(words) + generator.choice(gaps)
            for _ in range(generator.randrange(1, 9))
        )
        made.append(text.strip(" ,—") + generator.choice([".", "", "!"]))
    return made


TEXTS = {language: _sentences(language) for language in WORDS}
SPANS = {text: tokenize(text, code) for code, texts in TEXTS.items() for text in texts}
N_WORDS = [sum(len(SPANS[text]) for text in texts) for texts in TEXTS.values()]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchSession]:
    folder = tmp_path_factory.mktemp("concordance") / "p.isogloss"
    with create_project(folder) as project:
        for language, texts in TEXTS.items():
            add_corpus(project, language, language, texts)
        yield SearchSession(project)


class Line(NamedTuple):
    """A line as the slow reference finds it."""

    corpus: int
    position: int
    begin: int
    end: int
    beside: tuple[tuple[int, int], ...]  # L3 … R3; (-1, -1): none
    keys: dict[str, Any]


def _reference(word: str) -> list[Line]:
    """Look at every run of words of every sentence."""
    found = []
    for corpus, texts in enumerate(TEXTS.values(), start=1):
        for position, text in enumerate(texts):
            spans = SPANS[text]
            for first in range(len(spans)):
                for last in range(first, len(spans)):
                    if last > first and spans[last][0] != spans[last - 1][1]:
                        break  # words of one that is typed touch each other
                    begin, end = spans[first][0], spans[last][1]
                    if fold_word(text[begin:end]) == fold_word(word):
                        found.append(_line(corpus, position, text, spans, first, last))
    return found


def _line(
    corpus: int,
    position: int,
    text: str,
    spans: list[tuple[int, int]],
    first: int,
    last: int,
) -> Line:
    def span_at(index: int) -> tuple[int, int]:
        return spans[index] if 0 <= index < len(spans) else (-1, -1)

    def word_at(index: int) -> tuple[int, str]:
        begin, end = span_at(index)
        return (0, "") if begin < 0 else (1, fold_word(text[begin:end]))

    places = (first - 3, first - 2, first - 1, last + 1, last + 2, last + 3)
    keys: dict[str, Any] = dict(zip(SIDES, map(word_at, places), strict=True))
    keys["N"] = [word_at(index) for index in range(first, last + 1)]
    begin, end = spans[first][0], spans[last][1]
    beside = tuple(map(span_at, places))
    return Line(corpus, position, begin, end, beside, keys)


def _ask(desk: SearchSession, text: str, **fields: Any) -> ConcordanceAnswer:
    return answer_query(desk, ConcordanceQuery(text=text, **fields))


def _lines(desk: SearchSession, answer: ConcordanceAnswer) -> list[tuple[int, ...]]:
    folder = desk.project.folder
    found = map_array(folder / answer.file)
    beside = map_array(folder / answer.words)
    assert found.dtype == np.int64
    assert beside.dtype == np.int32
    assert beside.shape == (len(found), 12)
    return [
        tuple(row)
        for row in np.concatenate([found, beside.astype(int)], axis=1).tolist()
    ]


def _row(line: Line) -> tuple[int, ...]:
    flat = (place for span in line.beside for place in span)
    return (first_sentence_id(line.corpus) + line.position, line.begin, line.end, *flat)


@settings(max_examples=25, deadline=None)
@given(
    word=st.sampled_from(
        sorted({w for words in WORDS.values() for w in words.split()})
    ),
    sort=st.lists(st.sampled_from(KEYS), max_size=3, unique=True).map(tuple),
    top=st.integers(1, 200),
    chosen=st.sampled_from([(), (1,), (3,), (2, 4)]),
)
def test_lines_are_those_of_a_slow_reference(
    desk: SearchSession,
    word: str,
    sort: tuple[SortKey, ...],
    top: int,
    chosen: tuple[int, ...],
) -> None:
    corpora = chosen or range(1, len(TEXTS) + 1)
    expected = [line for line in _reference(word) if line.corpus in corpora]
    in_order = sorted(expected, key=lambda line: [line.keys[key] for key in sort])
    answer = _ask(desk, word, sort=sort, top=top, corpora=chosen)
    assert _lines(desk, answer) == [_row(line) for line in in_order[:top]]
    assert answer.n == len(expected)
    assert answer.n_lines == min(top, len(expected))
    held = {(line.corpus, line.position) for line in expected}
    assert answer.n_sentences == len(held)
    assert answer.n_searched == N * len(corpora)
    # Words and Japanese characters are not added up.
    counts = [N_WORDS[corpus - 1] for corpus in corpora]
    assert answer.n_tokens == (counts[0] if len(counts) == 1 else None)
    assert (answer.is_cut, answer.not_indexed) == (False, ())


@pytest.mark.parametrize(
    "pattern",
    [r"\w+at", "[kк]о?т", "ق.ط", "東京(タワー)?", "दिल्?", r"(the|cat)\W+", "ß"],
)
@pytest.mark.parametrize("sort", [(), ("N", "R1"), ("L1",)])
@pytest.mark.parametrize("is_indexed", [True, False])
def test_an_expression_is_found_as_re_finds_it(
    desk: SearchSession,
    pattern: str,
    sort: tuple[SortKey, ...],
    is_indexed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not is_indexed:  # the words beside the hits are cut out of their sentences
        monkeypatch.setattr(cache, "SMALL", -1)
        desk = SearchSession(desk.project)
    expected = []
    for corpus, texts in enumerate(TEXTS.values(), start=1):
        for position, text in enumerate(texts):
            spans = SPANS[text]
            for match in re.finditer(pattern, text):
                first = sum(end <= match.start() for _, end in spans)
                last = sum(begin < match.end() for begin, _ in spans) - 1
                last = max(last, first - 1)
                line = _line_of_span(corpus, position, text, spans, (first, last))
                line.keys["N"] = fold_word(match.group())
                expected.append(line._replace(begin=match.start(), end=match.end()))
    expected.sort(key=lambda line: [line.keys[key] for key in sort])
    answer = _ask(desk, pattern, mode="regex", case=True, sort=sort)
    assert _lines(desk, answer) == [_row(line) for line in expected]
    assert (answer.n_tokens, answer.not_indexed) == (None, ())


def _line_of_span(
    corpus: int,
    position: int,
    text: str,
    spans: list[tuple[int, int]],
    tokens: tuple[int, int],
) -> Line:
    first, last = tokens
    padded = [*spans, (len(text), len(text))]  # a hit may stand behind the last word
    line = _line(corpus, position, text, padded, min(first, len(spans)), max(last, 0))
    places = (first - 3, first - 2, first - 1, last + 1, last + 2, last + 3)
    at = [spans[p] if 0 <= p < len(spans) else (-1, -1) for p in places]
    words = [(0, "") if b < 0 else (1, fold_word(text[b:e])) for b, e in at]
    keys = dict(zip(SIDES, words, strict=True))
    return line._replace(beside=tuple(at), keys=keys)


def test_capitals_count_only_if_they_are_asked_for(desk: SearchSession) -> None:
    both = _ask(desk, "cat", mode="regex", languages=("en",)).n
    small = _ask(desk, "cat", mode="regex", case=True, languages=("en",)).n
    assert both == sum(t.lower().count("cat") for t in TEXTS["en"]) > small
    sharp, double = (_ask(desk, word).n for word in ("STRAẞE", "strasse"))
    assert _ask(desk, "STRASSE", mode="regex").n == sharp + double > sharp > 0


def test_a_random_order_is_that_of_its_seed(desk: SearchSession) -> None:
    orders = [
        _lines(desk, _ask(desk, "the", sort=("random",), seed=seed))
        for seed in (1, 1, 2)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == _lines(desk, _ask(desk, "the"))
    by_word = _lines(desk, _ask(desk, "the", sort=("R1", "random")))
    plain = _lines(desk, _ask(desk, "the", sort=("R1",)))
    assert by_word != plain
    assert sorted(by_word) == sorted(plain)


def test_only_sentences_that_take_part_are_searched(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "one", "en", ["a cat", "no cat", "the cat", "dog"])
        table, first = schema.sentence, first_sentence_id(1)
        dutch = update(table).where(table.c.id == first + 2).values(language="nl")
        with project.store.begin() as connection:
            connection.execute(dutch)
        change = HideSentences(sentences=(first + 1,))
        apply_edit(project, change, lambda *_: None)
        desk = SearchSession(project)
        for mode in ("words", "regex"):
            answer = _ask(desk, "cat", mode=mode)
            rows = [position_of(line[0]) for line in _lines(desk, answer)]
            assert (rows, answer.n_searched) == ([0, 2], 3)
            answer = _ask(desk, "cat", mode=mode, languages=("nl",))
            rows = [position_of(line[0]) for line in _lines(desk, answer)]
            assert (rows, answer.n_searched) == ([2], 1)
        counts = [
            _ask(desk, "cat", languages=(code,)).n_tokens for code in ("en", "nl")
        ]
        assert None not in counts
        assert sum(filter(None, counts)) == 5


def test_corpora_without_an_index_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "SMALL", 2)
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "small", "en", ["a cat", "no"])
        add_corpus(project, "large", "en", ["a cat", "no cat", "dog"])
        desk = SearchSession(project)
        answer = _ask(desk, "cat")
        assert (answer.n, answer.not_indexed) == (1, (2,))
        rows = list(desk.corpora((2,)))
        open_index(project, rows[0], Report())
        answer = _ask(desk, "cat")
        assert (answer.n, answer.not_indexed) == (3, ())


def test_corpora_without_lemmas_are_left_out_and_told(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "bare", "en", ["she goes"])
        desk = SearchSession(project)
        with pytest.raises(UserError, match="bare has no lemmas"):
            _ask(desk, "lemma:go")
        add_corpus(project, "tree", "en", ["he went"])
        words = '[[0, 2, "he", "he", "PRON"], [3, 7, "went", "go", "VERB"]]'
        with project.store.begin() as connection:
            row = {"sentence_id": first_sentence_id(2), "words": words}
            connection.execute(insert(schema.analysis).values(**row))
        answer = _ask(desk, "lemma:go")
        assert [line[:3] for line in _lines(desk, answer)] == [
            (first_sentence_id(2), 3, 7)
        ]
        assert answer.notes == ("Skipped (no lemmas or parts of speech): bare.",)


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        (" ", "words", "The query is empty"),
        ("…", "words", "contains no letter or digit"),
        (" ", "regex", "The query is empty"),
        ("(", "regex", r"'\(' is not a valid regular expression: .* at character 2"),
        ("a{2,1}", "regex", "is not a valid regular expression"),
        ("[z-a]", "regex", "is not a valid regular expression"),
        ("(?:(?:a{999}){999}){999}", "regex", "is too large"),
    ],
)
def test_what_cannot_be_looked_for_is_said(
    desk: SearchSession, text: str, mode: str, problem: str
) -> None:
    with pytest.raises(UserError, match=problem):
        _ask(desk, text, mode=mode)


def test_one_letter_is_a_word_like_others(desk: SearchSession) -> None:
    assert _ask(desk, "a").n == len(_reference("a"))
    assert _ask(desk, "x*").n == 0
    bare = _ask(desk, "x*", mode="regex")  # matches of no character
    assert bare.n == 0
    assert "matches only empty text" in bare.notes[0]
    assert _ask(desk, "a|x*", mode="regex").notes == ()


@pytest.fixture
def long(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "long.isogloss") as project:
        add_corpus(project, "long", "en", ["short", "a" * 80 + "b", "aaa"])
        yield project


def test_an_expression_that_explodes_ends_in_a_sentence(
    long: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expressions, "SENTENCE_S", 0.05)
    desk = SearchSession(long)
    for explosive in (r"(a|aa)+$", r"(?:a|a)+$"):
        assert not is_safe_expression(explosive)
        with pytest.raises(UserError, match="takes too long in sentence 2 of"):
            _ask(desk, explosive, mode="regex")
    assert _ask(desk, "a+", mode="regex").n == 2


def test_what_was_found_until_the_time_was_over_is_given(desk: SearchSession) -> None:
    found = expressions.MatchSpans()
    over = expressions.ScanLimits("x", deadline=time.monotonic() - 1)
    texts = [(0, "a"), (1, "a"), (2, "b")]
    expressions.find_spans(compile_expression("a", case=False), texts, found, over)
    assert (found.positions, found.n_read, found.is_cut) == ([0], 1, True)
    wish = ConcordanceOptions("a", "regex", seconds=0.0)
    cut_off = find_lines(word_cache(desk), desk.corpora(), wish, Report())
    assert (cut_off.n, cut_off.is_cut) == (0, True)
    assert cut_off.notes[0].startswith(
        "The search timed out after 0\u00a0s and 0 of 240 sentences"
    )


@pytest.mark.parametrize(
    "plain", [r"\w+ing\b", "colou?r", "[^()]+x", r"\(\w+\)", "(?:Haus|Hof)", "(?<=a)b"]
)
def test_plain_expressions_are_told_from_those_that_may_explode(plain: str) -> None:
    assert is_safe_expression(plain)


@pytest.mark.parametrize(
    "risky",
    ["(a+)+", "(a|aa)*", "a+b+c+", r"(a)\1", "(?R)", "(?i)a", "a{e<=2}", "(a)?", "a**"],
)
def test_expressions_that_may_explode_are_timed(risky: str) -> None:
    assert not is_safe_expression(risky)


def test_a_scan_that_takes_too_long_altogether_ends_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expressions, "SCAN_S", 0.02)
    expression = compile_expression("(?:a?){18}a{18}$", case=True)
    texts = [(position, "a" * 17 + "b") for position in range(1_000_000)]
    found = expressions.MatchSpans()

    with pytest.raises(UserError, match=r"s for the first [\d,]+ sentences of book"):
        expressions.find_spans(expression, texts, found, expressions.ScanLimits("book"))

    assert found.n_read < len(texts)
