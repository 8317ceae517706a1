"""A line is cut at its hit: code points against UTF-16, graphemes whole, joins kept."""

import pytest
from PySide6.QtWidgets import QApplication

from app.views.concordance.context import (
    ELLIPSIS,
    JOINER,
    MAX_CONTEXT,
    Mark,
    cut_line,
    shift_marks,
)

SHIPS = "Two ships 🚢🚢 left the old harbour early."


def span(text: str, word: str) -> tuple[int, int]:
    start = text.index(word)
    return start, start + len(word)


def test_a_line_is_cut_at_its_hit_without_the_spaces_beside_it() -> None:
    before, hit, after = cut_line(SHIPS, span(SHIPS, "harbour"), {})
    assert before.text == "Two ships 🚢🚢 left the old"
    assert hit.text == "harbour"
    assert after.text == "early."
    assert before.has_gap
    assert after.has_gap


def test_marks_count_as_qt_does_where_the_engine_counts_code_points() -> None:
    words = {"L1": span(SHIPS, "old"), "L2": span(SHIPS, "the"), "R1": (0, 0)}
    before, _, after = cut_line(SHIPS, span(SHIPS, "harbour"), words)
    raw = before.text.encode("utf-16-le")
    told = {
        mark.position: raw[2 * mark.start : 2 * (mark.start + mark.length)]
        for mark in before.marks
    }
    assert {name: word.decode("utf-16-le") for name, word in told.items()} == {
        "L1": "old",
        "L2": "the",
    }
    assert after.marks == ()  # an empty span is no word
    start = len("Two ships 🚢🚢 left the ") + 2  # two ships beyond the first plane
    assert before.marks[0] == Mark(start, 3, "L1")


def test_a_line_without_spaces_has_no_gap() -> None:
    text = "昼から北西の風が吹いている。"
    before, hit, after = cut_line(text, span(text, "風"), {})
    assert (before.text, hit.text, after.text) == (
        "昼から北西の",
        "風",
        "が吹いている。",
    )
    assert not before.has_gap
    assert not after.has_gap


@pytest.mark.parametrize(
    ("text", "hit", "cut"),
    [
        ("cafe\u0301s", (3, 4), ("caf", "e\u0301", "s")),  # the accent stays
        ("हिन्दी भाषा", (0, 1), ("", "हि", "न्दी भाषा")),
        ("go 👩‍🚀 up", (3, 4), ("go", "👩‍🚀", "up")),  # joined by a ZWJ
        ("a👍🏽b", (1, 2), ("a", "👍🏽", "b")),  # a skin tone
    ],
)
def test_no_grapheme_is_cut(
    text: str, hit: tuple[int, int], cut: tuple[str, str, str]
) -> None:
    before, inner, after = cut_line(text, hit, {})
    assert (before.text, inner.text, after.text) == cut


def test_joined_letters_stay_joined_where_a_hit_ends_within_a_word() -> None:
    text = "العاصفة"
    before, hit, after = cut_line(text, (2, 4), {"R1": (4, 7)})
    assert before.text == "ال" + JOINER
    assert hit.text == JOINER + "عا" + JOINER
    assert after.text == JOINER + "صفة"
    assert after.marks == (Mark(1, 3, "R1"),)


def test_a_long_sentence_is_cut_near_the_hit_and_says_so() -> None:
    text = "a" * 1_000 + " hit " + "b" * 1_000
    before, _, after = cut_line(text, (1_001, 1_004), {})
    assert before.text == ELLIPSIS + "a" * (MAX_CONTEXT - 1)
    assert after.text == "b" * (MAX_CONTEXT - 1) + ELLIPSIS


def test_a_hit_beyond_the_text_is_empty_and_breaks_nothing(qapp: QApplication) -> None:
    before, hit, after = cut_line("short", (90, 95), {"L1": (80, 85)})
    assert (before.text, hit.text, after.text) == ("short", "", "")


def test_marks_that_are_elided_go() -> None:
    marks = (Mark(10, 3, "L1"), Mark(2, 3, "L2"))
    assert shift_marks(marks, -5, (1, 20)) == (Mark(5, 3, "L1"),)
