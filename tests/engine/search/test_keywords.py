import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.store.schema import FTS_SQL
from app.engine.store.words.keyword_index import (
    keyword_query,
    keyword_spans,
    keyword_text,
)
from app.errors import UserError

SENTENCES = [
    "Das Haus steht am See.",
    "Die Haustür ist offen, sit down!",
    "今天天气很好。",
    "今日は天気がいい。カタカナ",
    "วันนี้อากาศดีมาก",
    "नमस्ते, आज मौसम अच्छा है।",
    "الطقس جميل اليوم",
    "𠮷野家 and e-mail",
]


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(FTS_SQL)
    connection.executemany(
        "INSERT INTO sentence_words(rowid, text) VALUES (?, ?)",
        [(i, keyword_text(text)) for i, text in enumerate(SENTENCES)],
    )
    yield connection
    connection.close()


def find(index: sqlite3.Connection, typed: str) -> list[int]:
    expression = keyword_query(typed)
    if not expression:
        return []
    sql = "SELECT rowid FROM sentence_words WHERE sentence_words MATCH ? ORDER BY rowid"
    return [row[0] for row in index.execute(sql, (expression,))]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("haus", [0]),
        ("haus*", [0, 1]),
        ('"steht am"', [0]),
        ('"am steht"', []),
        ("see haus", [0]),
        ("SIT", [1]),
        ("天气", [2]),
        ("天気", [3]),
        ("气天", []),
        ("カタ", [3]),
        ("อากาศ", [4]),
        ("मौसम", [5]),
        ("मौस*", [5]),
        ("الطقس", [6]),
        ("𠮷野", [7]),
        ("e-mail", [7]),
        ("mail e", [7]),
        ("haus 天气", []),
        ("", []),
        ("  !!! ", []),
        ('"', []),
        ('"haus', [0]),
    ],
)
def test_query_finds_the_sentences(
    index: sqlite3.Connection, typed: str, expected: list[int]
) -> None:
    assert find(index, typed) == expected
    assert all(keyword_spans(SENTENCES[place], typed) for place in expected)


@pytest.mark.parametrize(
    ("text", "typed", "words"),
    [
        ("Das Haus, die Haustür.", "haus", ["Haus"]),
        ("Das Haus, die Haustür.", "haus*", ["Haus", "Haustür"]),
        ("Sit down, then sit still.", '"sit down"', ["Sit down"]),
        ("Sit down, then sit still.", "sit then", ["Sit", "then", "sit"]),
        ("今天天气很好。", "天气", ["天气"]),
        ("Ein Haus.", "Hof", []),
    ],
)
def test_the_words_of_a_query_are_located(
    text: str, typed: str, words: list[str]
) -> None:
    spans = keyword_spans(text, typed)
    assert [text[start:end] for start, end in spans] == words


@pytest.mark.parametrize(
    "typed",
    ["AND", "NOT OR (", "text:", "a NEAR(b)", "*", '"*', "a\x00b", "-", "^a + {b}:"],
)
def test_query_is_never_a_syntax_error(index: sqlite3.Connection, typed: str) -> None:
    find(index, typed)


@given(st.text(max_size=30))
def test_any_text_is_a_valid_query(typed: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(FTS_SQL)
    find(connection, typed)
    connection.close()


@given(st.integers(0, 6), st.integers(1, 5))
def test_any_part_in_a_script_without_spaces_is_found(start: int, length: int) -> None:
    clause = "今天天气很好"
    part = clause[start : start + length]
    connection = sqlite3.connect(":memory:")
    connection.execute(FTS_SQL)
    connection.execute(
        "INSERT INTO sentence_words(rowid, text) VALUES (1, ?)",
        (keyword_text(clause),),
    )
    assert find(connection, part) == ([1] if part else [])
    connection.close()


def test_a_text_with_spaces_is_indexed_as_it_is() -> None:
    assert keyword_text("Хорошая погода") == "Хорошая погода"


def test_a_page_of_text_is_refused_before_the_index_works_for_seconds() -> None:
    with pytest.raises(UserError, match=r"50,000 characters are too many"):
        keyword_query("cat mat to" * 5_000)
