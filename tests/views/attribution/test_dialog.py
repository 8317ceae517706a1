"""The attribution dialog: scores, heat map, heads, keys, errors."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.errors import ErrorInfo
from app.protocol.answers.attribution import WORD_PARTS
from app.protocol.answers.encoders import EncoderInfo, EncoderListing
from app.protocol.queries.attribution import TokensQuery
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.search import NearestQuery
from app.settings import Settings
from app.views.attribution.dialog import AttributionDialog, open_attribution
from app.views.corpora.view import CorporaView
from app.views.search.view import SearchView
from app.views.widgets.heat_map import HeatMap, HeatMapData, short_value
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.view_protocol import SentenceText
from tests.views.clipping import clipped_texts
from tests.views.stage import Stage, build_project, link, nearest, sentence_id

FIRST, SECOND = SentenceText("not now", "en"), SentenceText("ليس الآن", "ar")
SIMILARITY = [[0.9, -0.2], [0.1, 0.6]]
HEADS = [[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.2, 0.8]]]
VIEWS = [[0.7, 0.3], [0.2, 0.8]]
FIRST_VIEWS = [[0.6, 0.4], [0.9, 0.1]]


def token(name: str, contribution: float | None, wins: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "contribution": contribution,
        "wins": wins,
        "best": 0,
        "similarity": 0.9,
    }


def matrix(name: str, side: str, head: int, at: int, values: Any) -> dict[str, Any]:
    shape = list(np.shape(values))
    entropy = None if name == "similarity" else 0.5
    one = {"name": name, "side": side, "head": head, "at": at, "shape": shape}
    return one | {"entropy": entropy}


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    folder = build_project(tmp_path / "letters.isogloss")
    link(folder, [(sentence_id(1, 1), sentence_id(2, 1))])
    stage = Stage(folder)
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def answer(stage: Stage) -> dict[str, Any]:
    """What the engine says; its matrices lie in the project."""
    parts = [SIMILARITY, *HEADS, VIEWS, FIRST_VIEWS]
    flat = np.concatenate([np.ravel(one) for one in parts]).astype(np.float32)
    np.save(stage.folder / "made.npy", flat)
    found = {
        "encoder": "made",
        "pooling": "attention",
        "cosine": 0.5,
        "first": {
            "text": FIRST.text,
            "tokens": [token("▁not", 0.45, 0.75), token("▁now", -0.05, 0.25)],
            "rest": 0.1,
        },
        "second": {
            "text": SECOND.text,
            "tokens": [token("▁ليس", 0.3, 0.5), token("▁الآن", 0.2, 0.5)],
            "rest": 0.0,
        },
        "file": "made.npy",
        "matrices": [
            matrix("similarity", "both", 0, 0, SIMILARITY),
            matrix("layer 1", "first", 1, 4, HEADS[0]),
            matrix("layer 1", "first", 2, 8, HEADS[1]),
            matrix("inner attention", "second", 0, 12, VIEWS),
            matrix("inner attention", "first", 0, 16, FIRST_VIEWS),
        ],
        "how": ["It was made by a test."],
        "notes": [],
    }
    stage.client.answers[TokensQuery] = lambda query: found
    return found


@pytest.fixture
def dialog(stage: Stage, answer: dict[str, Any], qtbot: QtBot) -> AttributionDialog:
    dialog = AttributionDialog(stage.state)
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.shown):
        dialog.compare(FIRST, SECOND)
    return dialog


def choose(dialog: AttributionDialog, words: str) -> None:
    index = dialog.map_choice.findText(words)
    assert index >= 0, [
        dialog.map_choice.itemText(i) for i in range(dialog.map_choice.count())
    ]
    dialog.map_choice.setCurrentIndex(index)


def test_contributions_stand_under_each_sentence_and_add_up(
    dialog: AttributionDialog,
) -> None:
    assert dialog.cosine.text() == "Cosine 0.500"
    assert [piece.text for piece in dialog.strips[0].pieces] == ["not", "now"]
    assert [piece.similarity for piece in dialog.strips[0].pieces] == [0.45, -0.05]
    first, second = (label.text() for label in dialog.sums)
    assert first.endswith("All tokens: 0.400; remainder: 0.100")
    assert second.endswith("All tokens: 0.500")


def test_parts_of_words_are_no_token(
    dialog: AttributionDialog, answer: dict[str, Any], qtbot: QtBot
) -> None:
    answer["second"]["tokens"][1]["name"] = WORD_PARTS
    answer["second"]["tokens"][1]["contribution"] = 0.9
    with qtbot.waitSignal(dialog.shown):
        dialog.ask()
    assert [piece.text for piece in dialog.strips[1].pieces] == ["ليس"]
    assert dialog.comparison is not None
    assert dialog.comparison.scale("contribution") == 0.45
    end = "0.300. Parts of words: 0.900. All tokens: 1.200"
    assert dialog.sums[1].text().endswith(end)


def test_chinese_names_of_columns_are_upright(qtbot: QtBot) -> None:
    heat_map = HeatMap("cosines")
    qtbot.addWidget(heat_map)
    names = ["一", "parts of words"]
    heat = HeatMapData(np.ones((1, 2)), ["a"], names, column_language="zh")
    heat_map.show_heat(heat)
    heat_map.resize(200, 200)
    heat_map.show()
    cell = heat_map.cell(0, 0)
    left, width, height = int(cell.left()), int(cell.width()), int(cell.top()) - 1
    pixels = heat_map.grab(QRect(left, 0, width, height)).toImage()
    paper = pixels.pixelColor(0, 0)
    inked = [
        (x, y)
        for x in range(pixels.width())
        for y in range(pixels.height())
        if pixels.pixelColor(x, y) != paper
    ]
    columns, rows = (len(set(places)) for places in zip(*inked, strict=True))
    assert columns > rows, "一 is a line from left to right"


def test_the_explanation_is_whole_without_scrolling(
    dialog: AttributionDialog, answer: dict[str, Any], qtbot: QtBot
) -> None:
    answer["how"] = ["A token's contribution is the dot product of its part. " * 6]
    dialog.resize(900, 560)
    dialog.show()
    with qtbot.waitSignal(dialog.shown):
        dialog.compare(FIRST, SECOND)
    qtbot.waitUntil(lambda: dialog.how.height() > 2 * dialog.how.fontMetrics().height())
    assert dialog.how.visibleRegion().boundingRect() == dialog.how.rect()


def test_bars_can_show_shares_of_the_maximum(dialog: AttributionDialog) -> None:
    dialog.what.setCurrentIndex(dialog.what.findText("Share of the maximum"))
    assert [piece.similarity for piece in dialog.strips[0].pieces] == [0.75, 0.25]
    assert dialog.sums[0].isHidden()


def test_the_map_shows_cosines_and_tells_the_one_under_the_arrow_keys(
    dialog: AttributionDialog, qtbot: QtBot
) -> None:
    np.testing.assert_allclose(dialog.map.heat.values, SIMILARITY, atol=1e-6)
    QTest.keyClick(dialog.map, Qt.Key.Key_Down)  # from nowhere to the first cell
    assert dialog.map.pointed == (0, 0)
    QTest.keyClick(dialog.map, Qt.Key.Key_Left)  # the columns run from the right
    assert dialog.map.pointed == (0, 1)
    assert (
        dialog.map_text.text()
        == "“\u2068not\u2069” – “\u2068الآن\u2069”: cosine −0.200"
    )


def test_columns_of_a_right_to_left_sentence_begin_at_the_right(
    dialog: AttributionDialog,
) -> None:
    assert dialog.map.cell(0, 0).left() > dialog.map.cell(0, 1).left()
    choose(dialog, "Layer 1, first sentence")
    assert dialog.map.cell(0, 0).left() < dialog.map.cell(0, 1).left()


def test_heads_are_shown_one_by_one_or_their_mean(dialog: AttributionDialog) -> None:
    assert dialog.head_slider.isHidden()
    choose(dialog, "Layer 1, first sentence")
    assert not dialog.head_slider.isHidden()
    assert dialog.head_text.text() == "Mean of all heads"
    np.testing.assert_allclose(
        dialog.map.heat.values, np.mean(HEADS, axis=0), atol=1e-6
    )
    assert list(dialog.map.heat.columns) == ["not", "now"]
    assert dialog.map_text.text().startswith("Average entropy of a row: 0.50 nats")
    dialog.head_slider.setValue(2)
    assert dialog.head_text.text() == "Head 2 of 2"
    np.testing.assert_allclose(dialog.map.heat.values, HEADS[1], atol=1e-6)


def test_views_of_inner_attention_are_rows(dialog: AttributionDialog) -> None:
    choose(dialog, "Inner attention, second sentence")
    assert list(dialog.map.heat.rows) == ["head 1", "head 2"]
    assert list(dialog.map.heat.columns) == ["ليس", "الآن"]


def test_the_slider_moves_through_the_heads_of_inner_attention(
    dialog: AttributionDialog,
) -> None:
    choose(dialog, "Inner attention, second sentence")
    dialog.what.setCurrentIndex(dialog.what.findText("Attention of the selected head"))
    assert dialog.head_text.text() == "All heads"
    weights = [piece.similarity for piece in dialog.strips[1].pieces]
    np.testing.assert_allclose(weights, [0.45, 0.55], atol=1e-6)  # the mean
    dialog.head_slider.setFocus()
    QTest.keyClick(dialog.head_slider, Qt.Key.Key_Right)
    QTest.keyClick(dialog.head_slider, Qt.Key.Key_Right)
    assert dialog.head_text.text() == "Head 2 of 2"
    assert dialog.map.marked_row == 1
    np.testing.assert_allclose(dialog.map.heat.values, VIEWS, atol=1e-6)
    first, second = (
        [piece.similarity for piece in strip.pieces] for strip in dialog.strips
    )
    np.testing.assert_allclose(first, [0.9, 0.1], atol=1e-6)
    np.testing.assert_allclose(second, [0.2, 0.8], atol=1e-6)
    expected = -(0.2 * np.log(0.2) + 0.8 * np.log(0.8))
    assert f"Entropy of this head: {expected:.2f} nats" in dialog.map_text.text()
    QTest.keyClick(dialog.head_slider, Qt.Key.Key_Home)
    assert dialog.map.marked_row is None


def test_an_encoder_is_chosen_for_this_dialog_alone(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    cards = (EncoderInfo(name="isogloss-3"), EncoderInfo(name="made"))
    listing = EncoderListing(encoders=cards, chosen="isogloss-3")
    stage.client.answers[EncodersQuery] = lambda _: listing
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    dialog = AttributionDialog(stage.state)
    qtbot.addWidget(dialog)
    assert dialog.encoder.currentText() == "isogloss-3"
    with qtbot.waitSignal(dialog.shown):
        dialog.compare(FIRST, SECOND)
    dialog.encoder.setFocus()
    with qtbot.waitSignal(dialog.shown):
        QTest.keyClick(dialog.encoder, Qt.Key.Key_Down)
    asked = stage.client.queries(TokensQuery)
    assert [query.encoder for query in asked] == ["isogloss-3", "made"]
    assert not stage.client.changes()
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert dialog.encoder.currentText() == "made"


def test_bars_and_maps_are_offered_when_there_is_something_to_show(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    dialog = AttributionDialog(stage.state)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.compare(SentenceText(), SentenceText())
    controls = (dialog.what, dialog.map_choice, dialog.head_slider)
    assert not any(control.isVisible() for control in controls)
    with qtbot.waitSignal(dialog.shown):
        dialog.compare(FIRST, SECOND)
    assert dialog.what.isVisible()
    assert dialog.map_choice.isVisible()


def test_the_map_is_saved_as_picture_and_values(
    dialog: AttributionDialog, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("map.png", "map.svg", "map.csv"):
        with qtbot.waitSignal(stage.state.file_written):
            dialog.file.ask_export().export_to(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 50
    with (tmp_path / "map.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.reader(stream))
    assert lines[0] == ["", "ليس", "الآن"]
    assert lines[1] == ["not", "0.900000", "-0.200000"]


def test_what_is_typed_is_asked_anew_with_the_direction_of_its_letters(
    dialog: AttributionDialog, stage: Stage, qtbot: QtBot
) -> None:
    dialog.show()
    dialog.fields[1].setText("yes")
    with qtbot.waitSignal(dialog.shown):
        QTest.keyClick(dialog.fields[1], Qt.Key.Key_Return)
    query = stage.client.queries(TokensQuery)[-1]
    assert (query.first, query.second) == ("not now", "yes")
    assert dialog.map.cell(0, 0).left() < dialog.map.cell(0, 1).left()


def test_a_refusal_is_said_and_nothing_old_stays(
    dialog: AttributionDialog, stage: Stage, qtbot: QtBot
) -> None:
    refusal = ErrorInfo("user", "The encoder knows no piece of it.")
    stage.client.answers[TokensQuery] = lambda query: refusal
    with qtbot.waitSignal(dialog.shown):
        dialog.ask()
    assert dialog.how.text() == refusal.message
    assert dialog.comparison is None
    assert not dialog.strips[0].pieces
    assert not dialog.map.heat.values.size


def test_an_answer_that_comes_after_closing_is_dropped(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    dialog = AttributionDialog(stage.state)
    dialog.open()
    dialog.compare(FIRST, SECOND)
    gone: list[bool] = []
    dialog.destroyed.connect(lambda: gone.append(True))
    dialog.close()
    qtbot.waitUntil(lambda: bool(gone))
    told: list[Any] = []
    stage.state.ask(TokensQuery(first="now"), told.append)  # answered behind it
    qtbot.waitUntil(lambda: bool(told))


def test_without_a_sentence_it_says_what_to_type(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    dialog = AttributionDialog(stage.state)
    qtbot.addWidget(dialog)
    dialog.compare(SentenceText(), SentenceText())
    assert dialog.how.text().startswith("Type a sentence")
    assert not stage.client.queries(TokensQuery)


def test_search_gives_the_query_and_the_selected_hit(
    stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[NearestQuery] = nearest
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(SearchQuery(text="storm"))
    view.columns.focus_first()
    first, second = view.compared_sentences()
    assert first == SentenceText("storm", "")
    assert second.text == "The ferry will not sail tomorrow because of the storm."


def test_a_hit_that_was_scored_again_is_compared_by_the_encoder_of_its_score(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    cards = (EncoderInfo(name="isogloss-3"), EncoderInfo(name="layers"))
    listing = EncoderListing(encoders=cards, chosen="isogloss-3")
    stage.client.answers[EncodersQuery] = lambda _: listing
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    reranker = [""]
    stage.client.answers[NearestQuery] = lambda query: (
        nearest(query) | {"reranker": reranker[0]}
    )
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    for reranker[0], encoder in (("layers", "layers"), ("", "isogloss-3")):
        with qtbot.waitSignal(view.hits_shown):
            view.controller.send(SearchQuery(text=f"storm {encoder}"))
        view.columns.focus_first()
        dialog = open_attribution(stage.state, view, view)
        with qtbot.waitSignal(dialog.shown):
            pass
        assert dialog.encoder.currentText() == encoder
        assert stage.client.queries(TokensQuery)[-1].encoder == encoder
        dialog.close()


def test_corpora_give_a_sentence_and_its_translation(
    stage: Stage, answer: dict[str, Any], qtbot: QtBot
) -> None:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.show_sentence(sentence_id(1, 1))
    dialog = open_attribution(stage.state, view, view)
    assert [field.text() for field in dialog.fields] == [
        "The ferry will not sail tomorrow because of the storm.",
        "Wegen des Sturms fährt die Fähre morgen nicht.",
    ]
    with qtbot.waitSignal(dialog.shown):
        pass
    dialog.close()


def test_cells_are_shaded_by_sign_and_size(qtbot: QtBot, stage: Stage) -> None:
    heat_map = HeatMap("Map")
    qtbot.addWidget(heat_map)
    values = np.array([[0.0, 1.0, -1.0]], np.float32)
    heat_map.show_heat(HeatMapData(values, ["row"], ["a", "b", "c"]))
    heat_map.resize(400, 100)
    picture = heat_map.grab().toImage()

    def colour(column: int) -> QColor:
        corner = heat_map.cell(0, column).topLeft().toPoint()
        return picture.pixelColor(corner.x() + 3, corner.y() + 3)

    none, most, least = (colour(column) for column in range(3))
    assert none.lightness() > 240 > most.lightness()
    assert 150 < most.hue() < 210  # the accent is a teal
    assert least.hue() < 40  # the warning is a red


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.524, ".52"), (-0.071, "−.07"), (1.0, "1.0"), (-0.001, ".00"), (-1.0, "−1.0")],
)
def test_values_in_cells_are_short(value: float, text: str) -> None:
    assert short_value(value) == text


def test_nothing_is_clipped_in_a_small_dialog_with_large_text(
    dialog: AttributionDialog, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    dialog.resize(1100, 700)
    dialog.grab()
    qtbot.waitUntil(lambda: not clipped_texts(dialog))
    stage.theme.apply(Settings(theme="light"))
