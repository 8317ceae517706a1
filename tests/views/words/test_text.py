"""What the words view says and shows of its lists, without an engine."""

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    KeynessQuery,
)
from app.views.words.columns import columns_of
from app.views.words.details import find_word
from app.views.words.session import load_word_list
from app.views.words.settings import WordListSettings
from app.views.words.table import WordTable
from app.views.words.text import describe_list, explain_empty_list
from tests.views.listed_words import collocates, equivalents, keyness


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("Water and waterfalls", "water", [(0, 5)]),
        ("Water and waterfalls", "water*", [(0, 5), (10, 20)]),
        ("an old, old house", "old house", [(8, 17)]),
        ("下雨的夜晚", "夜晚", [(3, 5)]),
        ("nothing", "water", []),
        ("nothing", "", []),
    ],
)
def test_a_word_is_found_in_an_example(
    text: str, word: str, found: list[tuple[int, int]]
) -> None:
    assert find_word(text, word) == found


def test_one_is_told_as_one() -> None:
    settings = WordListSettings(page="collocates", text="wind")
    answer = collocates(CollocatesQuery(text="wind"))
    answer = msgspec.structs.replace(answer, rows=answer.rows[:1], n_hits=1, n_tokens=1)
    listed = load_word_list(settings, answer)
    assert describe_list(listed) == "1 collocate of 1 hit · 1\u00a0word"


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("hu", "hu", "“From” and “To” are both Hungarian."),
        ("", "hu", "No text with “kuty*” has translations into Hungarian."),
        ("de", "hu", "No translations between these languages."),
    ],
)
def test_a_list_without_translations_names_the_reason(
    source: str, target: str, said: str
) -> None:
    settings = WordListSettings(
        page="equivalents",
        text="kuty*",
        source_language=source,
        target_language=target,
    )
    query = EquivalentsQuery(text="kuty*", target_language="hu")
    empty = msgspec.structs.replace(equivalents(query), rows=[], n_word=0, n_pairs=0)
    assert explain_empty_list(load_word_list(settings, empty)).startswith(said)


def test_words_make_room_for_the_last_number(qtbot: QtBot) -> None:
    table = WordTable()
    qtbot.addWidget(table)
    listed = load_word_list(WordListSettings(), keyness(KeynessQuery()))
    rows = [msgspec.structs.replace(listed.rows[0], item="a long row of words " * 4)]
    table.resize(2_000, 300)
    table.show()
    table.show_rows(columns_of(listed), rows, n_items=len(rows))
    n = table.words.columnCount()
    others = sum(table._widths[1:])
    assert table._widths[0] > 130, "it takes more than it needs at least"
    table.resize(others + 130 + table.width() - table.viewport().width(), 300)
    assert sum(map(table.columnWidth, range(n))) == table.viewport().width()
    table.resize(2_000, 300)
    assert table.columnWidth(0) == table._widths[0]
