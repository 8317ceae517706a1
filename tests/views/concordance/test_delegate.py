"""Lines are laid out around their hit: centred, mirrored, elided between graphemes."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.protocol.answers.reading import TranslatedWord
from app.views.concordance.context import ELLIPSIS, JOINER, POSITIONS, Span, cut_line
from app.views.concordance.delegate import (
    DARK_COLOURS,
    LIGHT_COLOURS,
    KwicLayout,
    KwicStyle,
    elide_around,
    lay_out_line,
    paint_neighbour,
    word_format,
)
from app.views.concordance.neighbours import NeighbourSentence
from app.views.widgets.theme import DARK, LIGHT, ThemeColours, contrast, interface_font

WIDTH = 600.0
AA_TEXT = 4.5  # WCAG 2.1, 1.4.3
SAILS = "The ferry will not sail tomorrow because of the storm."
ARABIC = "لن تبحر العبّارة غدًا بسبب العاصفة."
THAI = "เรือเฟอร์รี่จะไม่ออกเดินทางพรุ่งนี้เพราะพายุ" * 6


@pytest.fixture
def look(qapp: QApplication) -> KwicStyle:
    return KwicStyle(interface_font(), LIGHT, ("R1", "L1"))


def span(text: str, word: str) -> Span:
    start = text.index(word)
    return start, start + len(word)


def lay_out(
    text: str, word: str, language: str, look: KwicStyle, **words: str
) -> KwicLayout:
    spans = {name: span(text, one) for name, one in words.items()}
    parts = cut_line(text, span(text, word), spans)
    return lay_out_line(parts, language, WIDTH, look)


def marked(layout: KwicLayout) -> dict[str, str]:
    """Return the marked words of both contexts by the colours they are set in."""
    found = {}
    for part in (layout.before, layout.after):
        raw = part.text.encode("utf-16-le")
        for one in part.layout.formats():
            word = raw[2 * one.start : 2 * (one.start + one.length)]
            colour = one.format.foreground().color().name().upper()
            found[colour] = word.decode("utf-16-le")
    return found


@pytest.mark.parametrize(
    ("text", "word", "language"),
    [
        (SAILS, "sail", "en"),
        (ARABIC, "غدًا", "ar"),
        ("嵐のため、明日は出ません。", "明日", "ja"),
    ],
)
def test_hits_stand_in_the_middle_in_every_script(
    look: KwicStyle, text: str, word: str, language: str
) -> None:
    layout = lay_out(text, word, language, look)
    assert (layout.hit.left + layout.hit.right) / 2 == pytest.approx(WIDTH / 2)


def test_what_comes_before_stands_left_and_in_arabic_right(look: KwicStyle) -> None:
    english = lay_out(SAILS, "sail", "en", look)
    assert english.before.right < english.hit.left < english.after.left
    arabic = lay_out(ARABIC, "غدًا", "ar", look)
    assert arabic.before.text == "لن تبحر العبّارة"
    assert arabic.after.right < arabic.hit.left
    assert arabic.hit.right < arabic.before.left


def test_contexts_touch_the_hit_where_no_space_does(look: KwicStyle) -> None:
    layout = lay_out("嵐のため、明日は出ません。", "明日", "ja", look)
    assert layout.before.right == pytest.approx(layout.hit.left)
    assert layout.after.left == pytest.approx(layout.hit.right)


@pytest.mark.parametrize(
    ("text", "language"), [(f"{SAILS} " * 9, "en"), (f"{ARABIC} " * 9, "ar")]
)
def test_long_contexts_lose_their_far_ends(
    look: KwicStyle, text: str, language: str
) -> None:
    hit = text.index(" ", len(text) // 2) + 1
    parts = cut_line(text, (hit, text.index(" ", hit)), {})
    layout = lay_out_line(parts, language, WIDTH, look)
    assert layout.before.text.startswith(ELLIPSIS)
    assert layout.after.text.endswith(ELLIPSIS)
    # Qt puts a joiner where it cuts between joined letters
    assert parts.before.text.endswith(layout.before.text.strip(ELLIPSIS + JOINER))
    assert parts.after.text.startswith(layout.after.text.strip(ELLIPSIS + JOINER))
    placed = sorted((layout.before, layout.hit, layout.after), key=lambda one: one.left)
    assert placed[0].left >= -1
    assert placed[2].right <= WIDTH + 1
    assert all(left.right <= right.left + 1 for left, right in pairwise(placed))


def test_no_mark_is_parted_from_its_letter(look: KwicStyle) -> None:
    middle = THAI.index("พรุ่งนี้", len(THAI) // 2)
    parts = cut_line(THAI, (middle, middle + 8), {})
    layout = lay_out_line(parts, "th", WIDTH, look)
    marks = "ัิีึืุู็่้๊๋์"  # vowels and tones above and below: they stand on a letter
    assert layout.before.text[0] == ELLIPSIS
    assert layout.before.text[1] not in marks
    after = parts.after.text
    assert after[len(layout.after.text) - 1] not in marks


def test_the_words_that_sort_are_coloured_where_they_stand(look: KwicStyle) -> None:
    text = f"🚢 {SAILS}"
    found = lay_out(text, "sail", "en", look, L1="not", R1="tomorrow", R2="because")
    assert marked(found) == {
        LIGHT_COLOURS["L1"]: "not",
        LIGHT_COLOURS["R1"]: "tomorrow",
    }


def test_marks_follow_an_elided_context(look: KwicStyle) -> None:
    text = f"{'🚢 sails away ' * 30}not sail"
    parts = cut_line(
        text, span(text, "not sail"), {"L1": (len(text) - 13, len(text) - 9)}
    )
    found = lay_out_line(parts, "en", WIDTH, look)
    assert found.before.text.startswith(ELLIPSIS)
    assert marked(found) == {LIGHT_COLOURS["L1"]: "away"}


def test_a_hit_longer_than_the_line_is_elided(look: KwicStyle) -> None:
    parts = cut_line(SAILS * 5, (0, 5 * len(SAILS)), {})
    layout = lay_out_line(parts, "en", WIDTH, look)
    assert layout.hit.text.endswith(ELLIPSIS)
    assert 0 <= layout.hit.left < layout.hit.right <= WIDTH


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_can_be_read_and_are_not_the_only_sign(tokens: ThemeColours) -> None:
    colours = DARK_COLOURS if tokens is DARK else LIGHT_COLOURS
    assert set(POSITIONS) < set(colours)
    assert len(set(colours.values())) == len(colours)
    for colour in colours.values():
        for back in (tokens.surface, tokens.accent_soft, tokens.hover):
            assert contrast(colour, back) >= AA_TEXT
    forms = [word_format("R1", rank, tokens) for rank in range(3)]
    assert len({form.underlineStyle() for form in forms}) == len(forms)
    assert forms[0].foreground().color() == QColor(colours["R1"])


def test_the_translated_word_of_a_long_sentence_is_visible(look: KwicStyle) -> None:
    metrics, width = QFontMetricsF(look.font), 300.0
    text = "Ранее заявления о работе над ИИ сделали несколько американских министерств."
    begin = text.index("министерств")
    words = [TranslatedWord(1, 0, 5, 0.2), TranslatedWord(1, begin, len(text) - 1, 0.9)]
    shown, kept = elide_around(text, words, metrics, width)
    assert [shown[one.begin : one.end] for one in kept] == ["министерств"]
    assert shown.startswith("…")
    assert metrics.horizontalAdvance(shown[: kept[0].end]) <= width
    first = words[:1]
    assert elide_around(text, first, metrics, width) == (text, first), "it is visible"
    assert elide_around(text, (), metrics, width) == (text, ())


def test_a_sentence_that_is_hardly_similar_is_left_out(look: KwicStyle) -> None:
    def paint(text: str, score: float, *, is_translation: bool = False) -> QImage:
        image = QImage(600, 21, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        near = NeighbourSentence(1, text, "de", score, is_translation)
        paint_neighbour(painter, QRectF(image.rect()), near, (look.font, look.tokens))
        painter.end()
        return image

    storm, harbour = "Der Sturm kommt.", "Der Hafen schläft."
    assert paint(storm, 0.29) == paint(harbour, 0.29)
    assert paint(storm, 0.29) != paint(storm, 0.29, is_translation=True)
    assert paint(storm, 0.5) != paint(harbour, 0.5)
