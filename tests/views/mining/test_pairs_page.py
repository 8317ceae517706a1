"""The pairs of the mine view: threshold, filters, candidates, the chosen pair."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.pairs.beads import read_beads
from app.engine.store.pairs.sets import first_pair_id
from app.errors import ErrorInfo
from app.protocol import events
from app.protocol.queries.pairs import QueueQuery
from app.settings import Settings
from app.views.mining.pair_table import SCORE, SOURCE, TARGET, VERDICT, PairSort
from app.views.mining.view import MiningView
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.tables import PADDING
from app.views.widgets.verdict_mark import VERDICT_ROLE
from tests.views import mined
from tests.views.editing import add_alignment
from tests.views.mining.opened import FIRST, answer_ids, cell, column_of, open_view
from tests.views.stage import Stage, sentence_id


def test_texts_stand_side_by_side_in_their_direction(view: MiningView) -> None:
    assert cell(view, 0, SCORE) == "1.500"
    assert cell(view, 0, SOURCE) == "The wind has been in the north-west since noon."
    assert cell(view, 0, TARGET, LANGUAGE_ROLE) == "ar"
    align = int(Qt.ItemDataRole.TextAlignmentRole)
    assert cell(view, 0, TARGET, align) & Qt.AlignmentFlag.AlignRight
    assert cell(view, 0, SOURCE, align) & Qt.AlignmentFlag.AlignLeft
    verdicts = [cell(view, row, VERDICT, VERDICT_ROLE) for row in range(3)]
    assert verdicts == ["", "accept", ""]


def test_the_title_of_the_score_says_what_it_is(view: MiningView) -> None:
    pairs = view.page.pairs.table.pairs
    tip = pairs.headerData(
        SCORE, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    )
    assert tip.splitlines() == [
        "Cosine ÷ mean of the neighbours (ratio)",
        "Click to sort by score, or to reverse the order",
    ]


def test_the_threshold_counts_and_shows_what_is_at_or_above_it(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    panel = view.page.pairs.threshold
    assert panel.field.value() == 0.9  # of the worst pair: all are shown
    with qtbot.waitSignal(view.page.pairs.shown):
        panel.set_threshold(1.2)
    assert panel.summary == "2 of 3 pairs at or above (67\u00a0%)"
    assert panel.threshold == 1.2
    assert column_of(view, SCORE) == ["1.500", "1.200"]
    assert panel.plot.threshold == 1.2
    assert stage.client.queries(QueueQuery) == []  # the store alone told it


@pytest.mark.parametrize("text_size", [100, 150])
def test_another_count_moves_no_filter(
    view: MiningView, stage: Stage, qtbot: QtBot, text_size: int
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=text_size))
    view.resize(1300, 800)
    pairs = view.page.pairs
    filters = pairs.filters
    parts = (filters.find_field, filters.which, filters.details)

    def places() -> list[QRect]:
        row = filters.layout()
        assert row is not None
        QApplication.processEvents()
        row.activate()
        return [one.geometry() for one in parts]

    before = places()
    assert filters.count == "3 pairs"
    with qtbot.waitSignal(pairs.shown):
        pairs.threshold.set_threshold(1.2)
    assert filters.count == "2 of 3 pairs"
    assert places() == before
    stage.theme.apply(Settings(theme="light"))


def test_the_line_is_dragged_and_its_field_follows(
    view: MiningView, qtbot: QtBot
) -> None:
    panel = view.page.pairs.threshold
    with qtbot.waitSignal(view.page.pairs.shown):
        panel.plot._line.setValue(1.3)
    assert panel.field.value() == 1.3
    assert column_of(view, SCORE) == ["1.500"]


def test_the_worst_pairs_are_one_click_away(view: MiningView) -> None:
    view.page.pairs.table.horizontalHeader().sectionClicked.emit(SCORE)
    assert column_of(view, SCORE) == ["0.900", "1.200", "1.500"]
    assert view.page.pairs.table.pairs.row_of(FIRST) == 2


def test_finding_and_filtering_ask_the_engine(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    answer_ids(stage, [1])
    filters = view.page.pairs.filters
    with qtbot.waitSignal(view.page.pairs.shown):
        filters.which.setCurrentIndex(filters.which.findData("accept"))
    with qtbot.waitSignal(view.page.pairs.shown):
        filters.find_field.setText("storm")
        QTest.keyClick(filters.find_field, Qt.Key.Key_Return)
    query = stage.client.queries(QueueQuery)[-1]
    assert (query.which, query.find, query.mining) == ("accept", "storm", 1)
    assert column_of(view, SCORE) == ["1.200"]
    assert filters.count == "1 of 3 pairs"
    assert filters.which.currentText() == "Accepted (1)"


def test_a_refusal_is_said_where_the_number_stands(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    why = ErrorInfo("user", "These pairs are not in the project any more.")
    stage.client.answers[QueueQuery] = lambda _: why
    filters = view.page.pairs.filters
    filters.which.setCurrentIndex(1)
    qtbot.waitUntil(lambda: filters.count == why.message)


def test_candidates_are_shown_beside_the_best_pair(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.add_mining(folder, n_candidates=1)
    view = open_view(stage, qtbot)
    assert column_of(view, SCORE) == ["1.500", "1.200"]
    answer_ids(stage, [0, 2, 1])
    with qtbot.waitSignal(view.page.pairs.shown):
        view.page.pairs.filters.candidates.click()
    query = stage.client.queries(QueueQuery)[-1]
    assert (query.with_candidates, query.order) == (True, "source")
    colour = int(Qt.ItemDataRole.ForegroundRole)
    looks = [cell(view, row, SOURCE, colour) is not None for row in range(3)]
    assert looks == [False, True, False]


def test_no_pair_of_aligned_documents_looks_like_a_candidate(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    with open_project(folder) as project:  # the gap has an id between the two links
        alignment = add_alignment(project, ["1:1 0.9", "1:0 0", "1:1 0.8"], "letters")
        low, high = first_pair_id(alignment), first_pair_id(alignment + 1)
        beads = read_beads(project.store, low, high)
    is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
    answer_ids(stage, (beads.ids[is_link] - low).tolist())
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: column_of(view, SCORE) == ["0.900", "0.800"])
    colour = int(Qt.ItemDataRole.ForegroundRole)
    assert [cell(view, row, SOURCE, colour) for row in range(2)] == [None, None]


def test_a_chosen_pair_is_shown_whole_with_the_next_best(
    view: MiningView, stage: Stage
) -> None:
    view.page.pairs.table.select_row(1)
    card = view.page.pairs.card
    assert card.facts == (
        "Score 1.200 = cosine 0.600 / mean of the neighbours 0.300 · accepted by Ana"
    )
    assert card.runners_up[0].startswith("runner-up target 0.600: لذلك")
    assert card.runners_up[1].startswith("runner-up source 0.400: So we are staying")
    assert stage.state.selection == sentence_id(1, 1)  # the inspector shows it


def test_a_click_on_the_chosen_row_shows_its_sentence_again(
    view: MiningView, stage: Stage
) -> None:
    table = view.page.pairs.table
    for row in (1, 1, 0):
        stage.state.select_sentence(sentence_id(2, 0))  # as one of the card
        index = table.visualRect(table.model().index(row, SOURCE)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)
        found = table.current_pair
        assert found is not None
        assert stage.state.selection == found.source.sentences[0].id


def test_both_texts_have_most_of_a_narrow_table_at_large_text(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.pairs.table
    table.pairs.show_sort(PairSort())
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(733, 590)  # in a window of 1100×700, with the inspector
        room = table.viewport().width
        qtbot.waitUntil(lambda: table.columnWidth(SCORE) > 76)
        texts = [table.columnWidth(column) for column in (SOURCE, TARGET)]
        assert sum(texts) >= 0.66 * room()
        heading = table.model().headerData(SCORE, Qt.Orientation.Horizontal)
        metrics = table.horizontalHeader().fontMetrics()
        assert metrics.horizontalAdvance(heading) + 12 <= table.columnWidth(SCORE)
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_enter_and_a_double_click_open_the_review(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.pairs.table
    table.select_row(2)
    with qtbot.waitSignal(stage.state.view_requests.review_requested) as asked:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert asked.args == [1, FIRST + 2]
    with qtbot.waitSignal(stage.state.view_requests.review_requested) as asked:
        table.doubleClicked.emit(table.pairs.index(0, SOURCE))
    assert asked.args == [1, FIRST]


def test_the_worst_pairs_of_a_bitext_come_first(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    report = {
        "mean": 1.2,
        "best": 0.8,
        "quantiles": {"0.05": 0.93},
        "histogram": mined.REPORT["scores"],
    }
    new = mined.MINING._replace(kind="scored", retrieval="")
    mined.add_mining(folder, new, report=report)
    view = open_view(stage, qtbot)
    assert column_of(view, SCORE) == ["0.900"]
    view.page.pairs.threshold.set_threshold(1.6)
    worst_first = ["0.900", "1.200", "1.500"]
    qtbot.waitUntil(lambda: column_of(view, SCORE) == worst_first)
    assert "mean score 1.200" in view.page.figures.text
    assert "pairs without a better candidate 80\u00a0%" in view.page.figures.text
    assert not view.page.tabs.isTabVisible(1)  # a bitext has no recipe


def test_the_threshold_of_a_scored_text_lists_the_pairs_below_it(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    new = mined.MINING._replace(kind="scored", retrieval="")
    mined.add_mining(folder, new, report={"histogram": mined.REPORT["scores"]})
    view = open_view(stage, qtbot)
    panel = view.page.pairs.threshold
    assert panel.summary == "1 of 3 pairs scores below 1.000 (33\u00a0%)"
    assert column_of(view, SCORE) == ["0.900"]
    assert panel.limit == 1
    exported = {panel.threshold}
    assert exported == {None}, "all pairs until one chooses a threshold"
    with qtbot.waitSignal(view.page.pairs.shown):
        panel.set_threshold(1.3)
    assert panel.summary == "2 of 3 pairs score below 1.300 (67\u00a0%)"
    assert column_of(view, SCORE) == ["0.900", "1.200"]
    assert {panel.threshold} == {1.3}
    answer_ids(stage, [2, 1])
    view.page.pairs.filters.which.setCurrentIndex(1)
    (query,) = stage.client.queries(QueueQuery)
    assert query.lowest is None
    assert query.highest is not None
    assert 1.2999 < query.highest < 1.3
    view.page.pairs.table.select_row(0)
    with qtbot.waitSignal(stage.state.view_requests.queue_requested) as asked:
        view.controller.actions["review"].trigger()
    wanted, pair = asked.args
    assert pair == FIRST + 2
    assert (wanted.lowest, wanted.highest) == (None, query.highest)
    assert (wanted.which, wanted.descending) == ("unjudged", False)


def test_all_pairs_of_a_scored_text_are_listed_if_none_is_probably_wrong(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    scores = {"low": 1.1, "high": 1.5, "counts": [1, 1, 1]}
    new = mined.MINING._replace(kind="scored", retrieval="")
    report = {"histogram": scores}
    mined.add_mining(folder, new, report=report, scores=(1.5, 1.2, 1.1))
    view = open_view(stage, qtbot)
    assert column_of(view, SCORE) == ["1.100", "1.200", "1.500"]


def test_aligned_pairs_are_ordered_by_the_engine(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    new = mined.MINING._replace(kind="aligned", retrieval="")
    mined.add_mining(folder, new, report={"n": 3})
    answer_ids(stage, [2, 0])
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: column_of(view, SCORE) == ["0.900", "1.500"])
    assert view.page.pairs.threshold.isHidden()  # costs of a path are no scores


@pytest.mark.parametrize(
    ("size", "text_scale", "share"),
    # of 1440×900, and of 1100×700, without navigation, inspector and message
    [((860, 790), 100, 0.43), ((720, 590), 100, 0.55), ((700, 590), 150, 0.4)],
)
def test_the_table_has_most_of_the_height(
    view: MiningView,
    stage: Stage,
    qtbot: QtBot,
    size: tuple[int, int],
    text_scale: int,
    share: float,
) -> None:
    pairs = view.page.pairs
    try:
        stage.theme.apply(Settings(theme="light", text_scale=text_scale))
        view.resize(*size)
        qtbot.waitUntil(lambda: pairs.table.height() >= share * view.page.height())
        is_high = size[1] > 700
        assert pairs.card.isVisible() == pairs.threshold.plot.isVisible() == is_high
        pairs.filters.details.click()
        assert pairs.card.isVisible() != is_high
    finally:
        stage.theme.apply(Settings(theme="light"))


@pytest.mark.parametrize("scale", [100, 150, 200])
def test_no_score_and_no_title_is_cut(
    view: MiningView, stage: Stage, scale: int
) -> None:
    table = view.page.pairs.table
    table.set_score_range(-10.276, 2.3)
    try:
        stage.theme.apply(Settings(theme="light", text_scale=scale))
        font = table.horizontalHeader().font()
        font.setBold(True)
        title = QFontMetrics(font).horizontalAdvance(table.pairs.title(SCORE))
        score = QFontMetrics(table.font()).horizontalAdvance("−10.276")
        room = table.columnWidth(SCORE) - max(title, score) - 2 * PADDING
        assert 0 <= room < 3 * PADDING
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_another_set_begins_at_its_first_row(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    table = view.page.pairs.table
    table.setFixedHeight(90)
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() > 0)
    table.scrollToBottom()
    assert table.verticalScrollBar().value() > 0
    other = mined.add_mining(folder)
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.client.event_received.emit(events.Changed("mining", other))
    view.show_mining(other)
    qtbot.waitUntil(lambda: view.row is not None and view.row.id == other)
    assert table.verticalScrollBar().value() == 0


def test_a_pair_that_the_threshold_hides_leaves_the_inspector(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.pairs.table
    table.selectRow(table.pairs.rowCount() - 1)
    assert stage.state.selection is not None
    assert view.row is not None
    stage.state.thresholds.set(view.row.id, 1.2)
    qtbot.waitUntil(lambda: stage.state.selection is None)


def test_the_row_that_the_keyboard_enters_is_highlighted(view: MiningView) -> None:
    table = view.page.pairs.table
    assert not table.selectionModel().hasSelection()
    view.activateWindow()
    view.focus_first()
    QApplication.sendEvent(table, QFocusEvent(QEvent.Type.FocusIn))
    assert table.current_id is not None
    assert table.selectionModel().isRowSelected(table.currentIndex().row())


def test_the_histogram_of_scores_is_exported(view: MiningView, tmp_path: Path) -> None:
    panel = view.page.pairs.threshold
    before = panel.plot.size()
    for suffix in (".png", ".svg"):
        panel._exporter.ask_export().export_to(tmp_path / f"scores{suffix}")
    picture = QImage(str(tmp_path / "scores.png"))
    assert (picture.width(), picture.height()) == (1_920, 1_080)
    assert panel.plot.size() == before
