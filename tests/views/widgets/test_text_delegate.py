"""Sentences are painted in their script's direction, elided, with words marked."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.views.widgets.text_layout import (
    ColouredSpan,
    TextStyle,
    draw_layout,
    find_highlights,
    lay_out_text,
)
from app.views.widgets.theme import interface_font

WIDTH = 300
LONG = "The ferry will not sail tomorrow because of the storm. " * 20


@pytest.fixture
def style(qapp: QApplication) -> TextStyle:
    return TextStyle(interface_font(), QColor("black"), QColor("yellow"))


def paint(
    text: str, language: str, style: TextStyle, marks: tuple[str, ...] = ()
) -> QImage:
    image = QImage(WIDTH, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    layout, _ = lay_out_text(text, language, WIDTH, style, marks)
    draw_layout(painter, layout, QRectF(0, 0, WIDTH, 60), style.colour)
    painter.end()
    return image


def ink(image: QImage, left: int, right: int) -> int:
    """Count the pixels that are not white."""
    return sum(
        image.pixelColor(x, y) != QColor("white")
        for x in range(left, right)
        for y in range(image.height())
    )


def test_left_to_right_text_begins_at_the_left(style: TextStyle) -> None:
    image = paint("Storm", "en", style)
    assert ink(image, 0, 60) > 0
    assert ink(image, WIDTH - 60, WIDTH) == 0


def test_right_to_left_text_begins_at_the_right(style: TextStyle) -> None:
    image = paint("عاصفة", "ar", style)
    assert ink(image, 0, 60) == 0
    assert ink(image, WIDTH - 60, WIDTH) > 0


def test_latin_words_in_a_right_to_left_sentence_stay_on_its_side(
    style: TextStyle,
) -> None:
    image = paint("Radio", "ar", style)
    assert ink(image, WIDTH - 60, WIDTH) > 0


def test_a_long_text_is_elided_in_one_line(style: TextStyle) -> None:
    layout, height = lay_out_text(LONG, "en", WIDTH, style)
    assert layout.lineCount() == 1
    assert layout.text().endswith("…")
    assert layout.lineAt(0).naturalTextWidth() <= WIDTH
    assert height < 40


@pytest.mark.parametrize("max_lines", [1, 2])
def test_a_cut_text_ends_with_an_ellipsis_in_every_width(
    style: TextStyle, max_lines: int
) -> None:
    """Marks and punctuation can make a text wider than the metrics of its font."""
    text = "“Take the coast road, Women’s rugby is there,” the AV Ty waiter advised."
    mark = ColouredSpan(23, 28, QColor("yellow"), QColor("black"))
    few = TextStyle(style.font, style.colour, style.mark, max_lines=max_lines)
    for width in range(100, 540):
        for marks in ((), (mark,)):
            layout, _ = lay_out_text(text, "en", width, few, marks)
            line = layout.lineAt(layout.lineCount() - 1)
            placed = line.textStart() + line.textLength()
            assert placed == len(layout.text()), width
            assert layout.text() == text or layout.text().endswith("…"), width


def test_lines_beyond_the_most_are_elided(style: TextStyle) -> None:
    three = TextStyle(style.font, style.colour, max_lines=3)
    layout, _ = lay_out_text(LONG, "en", WIDTH, three)
    assert layout.lineCount() == 3
    assert layout.text().endswith("…")


def test_a_text_that_fits_is_whole(style: TextStyle) -> None:
    three = TextStyle(style.font, style.colour, max_lines=3)
    layout, _ = lay_out_text("嵐のため、明日はフェリーが出ません。", "ja", WIDTH, three)
    assert layout.text() == "嵐のため、明日はフェリーが出ません。"


def test_a_line_of_megabytes_is_laid_out_at_once(style: TextStyle) -> None:
    layout, _ = lay_out_text("x" * 10_000_000, "en", WIDTH, style)
    assert len(layout.text()) < 3_000


def test_marked_words_are_painted_on_their_colour(style: TextStyle) -> None:
    image = paint("The STORM came.", "en", style, ("storm",))
    yellow = QColor("yellow")
    found = [image.pixelColor(x, y) == yellow for x in range(WIDTH) for y in range(60)]
    assert any(found)


def test_marks_count_as_qt_counts() -> None:
    assert find_highlights("😀 storm, Storm", ["storm"]) == [(3, 5), (10, 5)]
    assert find_highlights("a.b", ["."]) == [(1, 1)]
    assert find_highlights("anything", [""]) == []


def test_a_line_break_is_shown_as_a_space(style: TextStyle) -> None:
    layout, _ = lay_out_text("one\ntwo", "en", WIDTH, style)
    assert layout.text() == "one two"
