"""A card of a hit names where its sentence is, in the room that it has."""

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from app.engine.store.sentences import SentenceRow
from app.views.widgets.hit_card import (
    BADGE_GAP,
    BADGE_WIDTH,
    PADDING,
    SentenceCard,
    elide_place,
    measure_card,
)
from app.views.widgets.hits import Hit, elide_source
from app.views.widgets.text_layout import elide_name
from app.views.widgets.theme import colours_of, interface_font

CORPUS, DOCUMENT = "novels", "Vanity Fair: A Novel Without a Hero"


@pytest.fixture
def font(qapp: QApplication) -> QFont:
    return interface_font()


def make_hit(corpus: str, document: str) -> Hit:
    row = SentenceRow(1, "Said Amelia.", "en", 8_854, 12)
    return Hit(row, corpus, 0.48, document=document)


def test_a_narrow_place_names_the_document_with_its_beginning_and_end(
    font: QFont,
) -> None:
    metrics = QFontMetricsF(font)
    wide = metrics.horizontalAdvance(f"{CORPUS} · {DOCUMENT}") + 1
    assert elide_source(CORPUS, DOCUMENT, wide, metrics) == f"{CORPUS} · {DOCUMENT}"
    short = elide_source(CORPUS, DOCUMENT, wide / 2, metrics)
    assert short.startswith("Vanity")
    assert short.endswith("Hero")
    narrow = metrics.horizontalAdvance("Bleak House") + 1
    assert elide_source(CORPUS, "Bleak House", narrow, metrics) == "Bleak House"
    three = [
        elide_source(f"press_en_de.{code} 2", "", wide / 4, metrics)
        for code in ("en", "de", "ru")
    ]
    assert len(set(three)) == 3


def test_a_place_that_does_not_fit_beside_the_score_has_a_row_of_its_own(
    font: QFont, qapp: QApplication
) -> None:
    colours = colours_of(qapp.palette())
    long, short = make_hit(CORPUS, "Bleak House"), make_hit("news", "")
    width = 230
    assert measure_card(long, width, font, colours) > measure_card(
        short, width, font, colours
    )
    wide = measure_card(long, 500, font, colours)
    assert wide == measure_card(short, 500, font, colours)
    font.setPixelSize(12)  # of places
    place = elide_place(long, width - 24, font)
    assert place == "novels · Bleak House · line 8,854"


def test_a_place_beside_the_score_is_never_elided(
    font: QFont, qapp: QApplication
) -> None:
    colours, hit = colours_of(qapp.palette()), make_hit("English", "")
    small = QFont(font)
    small.setPixelSize(12)
    two_rows = measure_card(hit, 120, font, colours)
    n_beside = 0
    for width in range(120, 300):
        room = width - 2 * PADDING - BADGE_WIDTH - BADGE_GAP
        if measure_card(hit, width, font, colours) < two_rows:
            n_beside += 1
            assert elide_place(hit, room, small) == "English · line 8,854", width
    assert n_beside > 50


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("English to eleven languages", "English to", "…"),
        ("comparison-1 2 (Layers 3)", "comp", "3)"),
        ("opensubtitles_en_de", "open", "de"),
    ],
)
def test_a_name_is_elided_where_it_says_least(
    font: QFont, name: str, start: str, end: str
) -> None:
    metrics = QFontMetricsF(font)
    shown = elide_name(name, 0.7 * metrics.horizontalAdvance(name), metrics)
    assert "…" in shown
    assert shown.startswith(start)
    assert shown.endswith(end)
    assert elide_name(name, 500, metrics) == name


def test_a_corpus_is_named_without_the_code_of_its_language(font: QFont) -> None:
    for corpus, shown in (
        ("world news.en", "world news · line 8,854"),
        ("world news.EN", "world news · line 8,854"),
        ("world news.de", "world news.de · line 8,854"),
        (".en", ".en · line 8,854"),
    ):
        assert elide_place(make_hit(corpus, ""), 400, font) == shown


def test_the_tooltip_of_a_card_names_the_whole_place(qapp: QApplication) -> None:
    card = SentenceCard(make_hit(CORPUS, DOCUMENT), "Click to select.")
    assert card.toolTip() == (
        "novels · Vanity Fair: A Novel Without a Hero · line 8,854\nClick to select."
    )
    card.deleteLater()
