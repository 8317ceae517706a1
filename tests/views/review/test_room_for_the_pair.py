"""The room that the pair has: beside the panel, at large text, and while editing."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.packages import (
    PackagedOpinion,
    PackageRow,
    append_opinions,
    record_package,
)
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.sentences import SentenceRow
from app.paths import settings_file
from app.protocol import events
from app.protocol.answers.pairs import (
    AgreementAnswer,
    AgreementFigure,
    AnnotatorCount,
    PairExportPreview,
    PairNeighbour,
    PrecisionPoint,
    ThresholdAnswer,
)
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.pairs import (
    AgreementQuery,
    ExplainQuery,
    PairExportQuery,
    ThresholdQuery,
)
from app.settings import Settings, save_settings
from app.views.review.view import ReviewView
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.theme import Theme
from tests.engine.review.made import edit
from tests.views.clipping import clipped_texts
from tests.views.review.reviewed import N, Reviewed, explain
from tests.views.reviewing import press


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Settings(theme="light"))
    yield theme
    theme.apply(Settings(theme="light"))


def is_in_sight(widget: QWidget, view: ReviewView) -> bool:
    rect = QRect(widget.mapTo(view, QPoint(0, 0)), widget.size())
    return widget.isVisible() and view.rect().contains(rect)


def test_header_and_search_are_in_sight_at_large_text_in_a_small_window(
    view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1024, 640)
    parts = (view.header, view.queue_bar.search_field, view.page.keys)
    qtbot.waitUntil(lambda: all(is_in_sight(part, view) for part in parts))
    assert view.sidebar.isHidden()
    assert view.page.source_neighbours.isHidden()


# The view in a window of 1440 x 900, with the panel, and in one of 1100 x 700.
@pytest.mark.parametrize(("width", "height"), [(1343, 815), (1003, 615)])
def test_the_header_has_its_controls_in_one_line_and_its_facts_in_another(
    view: ReviewView, theme: Theme, width: int, height: int
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(width, height)
    head = view.header
    head.show_counts({"accept": 70, "flag": 1, "": 1_044})
    settle()
    assert is_in_sight(head, view)
    buttons = (head.name_button, head.export_button, head.panel_button)
    assert rows_of(view, (head.minings, *buttons)) == 1
    facts = (head.counts, head.saved, head.method)
    assert rows_of(view, facts) == 1
    assert all(one.width() >= one.sizeHint().width() for one in (*buttons, *facts))
    bar = view.queue_bar
    assert rows_of(view, (bar.which, bar.order)) == 1
    last_line: tuple[QWidget, ...] = (bar.lowest, bar.highest, bar.search_field)
    if height < 700:  # the filters are folded
        last_line = (bar.which, bar.filters_button, bar.search_field)
    assert rows_of(view, last_line) == 1
    before = placed(view)
    for is_stuck in (False, True):
        head.show_saved(1, is_stuck=is_stuck)
        settle()
        assert head.retry_button.isVisible() is is_stuck
        assert placed(view) == before


def test_filters_are_folded_in_a_low_view_with_large_text(
    view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    bar = view.queue_bar
    settle()
    assert bar.filters_button.isHidden()
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1003, 615)
    qtbot.waitUntil(bar.filters_button.isVisible)
    settle()
    one_line = bar.height()
    assert one_line < 2 * bar.which.height()
    assert bar.filters_button.text() == "Filters"
    assert not any(one.isVisible() for one in (bar.tag, bar.lowest, bar.highest))
    bar.filters_button.click()
    settle()
    assert bar.height() > one_line
    assert all(one.isVisible() for one in (bar.tag, bar.lowest, bar.highest))
    bar.lowest.setText("1.1")
    bar.changed.emit()
    bar.filters_button.click()
    settle()
    assert bar.height() == one_line
    assert bar.filters_button.text() == "Filters (1)"
    assert bar.settings().lowest == 1.1
    theme.apply(Settings(theme="light"))
    view.resize(1343, 815)
    qtbot.waitUntil(bar.lowest.isVisible)
    assert bar.filters_button.isHidden()


def test_the_keys_that_move_are_among_those_shown_at_large_text(
    view: ReviewView, theme: Theme
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1003, 615)
    settle()
    shown = [
        label.text()
        for label in view.page.keys.findChildren(QLabel)
        if label.isVisible()
    ]
    assert {"J", "K", "next", "previous"} <= {*shown}


def test_underlined_words_are_explained(view: ReviewView) -> None:
    assert view.page.pair is not None
    assert view.page.pair.marks.source_numbers
    words = "Underlined and coloured: numbers that the other text lacks."
    assert view.page.text_view.source.text.toolTip() == words


def rows_of(view: ReviewView, widgets: Iterable[QWidget]) -> int:
    """Count the lines that widgets are in."""
    return len({one.mapTo(view, one.rect().center()).y() // 8 for one in widgets})


def placed(view: ReviewView) -> list[QRect]:
    """Return where the parts are that one looks at while judging."""
    page = view.page
    parts = (view.header, view.queue_bar, page.decision, page.text_view, page.keys)
    return [QRect(one.mapTo(view, QPoint(0, 0)), one.size()) for one in parts]


def settle() -> None:
    for _ in range(3):  # layouts follow one another
        QApplication.processEvents()


def test_filters_have_their_size_again_after_larger_text(
    view: ReviewView, theme: Theme
) -> None:
    bar = view.queue_bar
    fields = (bar.lowest, bar.highest, bar.search_field)
    before = [field.maximumWidth() for field in fields]
    theme.apply(Settings(theme="light", text_scale=150))
    assert all(f.maximumWidth() > n for f, n in zip(fields, before, strict=True))
    theme.apply(Settings(theme="light"))
    assert [field.maximumWidth() for field in fields] == before


LONG = (
    "Der Donaudampfschifffahrtsgesellschaftskapitänsmützenfabrikant",
    "https://harbour.example/archive/letters/1917/november/the-storm-at-the-lighthouse",
    "ლ" * 80,
    "שלום" * 25,
)


@pytest.mark.parametrize("text", LONG, ids=["German", "link", "Georgian", "Hebrew"])
@pytest.mark.parametrize("size", [150, 200])
@pytest.mark.parametrize("is_marked", [False, True])
def test_a_long_word_is_broken_at_the_edge_of_its_card(
    view: ReviewView, theme: Theme, text: str, size: int, is_marked: bool
) -> None:
    theme.apply(Settings(theme="light", text_scale=size))
    view.resize(1100, 700)
    pair = view.session.shown
    assert pair is not None
    language = "he" if text.startswith("ש") else "de"
    row = SentenceRow(1, text, language, 1, 0)
    side = pair.target._replace(language=language, before=[row], after=[row])
    source, target = side._replace(text=f"{text} 17"), side._replace(text=text)
    marks = pair.marks._replace(
        source_numbers=[(len(text) + 1, len(text) + 3)] if is_marked else [],
        target_numbers=[(0, len(text))] if is_marked else [],
    )
    texts = view.page.text_view
    texts.show_pair(pair._replace(source=source, target=target, marks=marks))
    settle()
    for column in (texts.source, texts.target):
        for label in (column.text, column.before, column.after):
            label.grab()
            document = label.findChild(QTextDocument)
            assert document is not None
            assert document.idealWidth() <= label.width()
            assert document.size().height() <= label.height()


def test_the_button_of_the_panel_stays_where_it_is(
    view: ReviewView, theme: Theme
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    button = view.header.panel_button
    for width in (1003, 1343):
        view.resize(width, 700)
        settle()
        before = button.mapTo(view, QPoint(0, 0))
        was_shown = view.sidebar.isVisible()
        button.click()
        settle()
        assert view.sidebar.isVisible() != was_shown
        assert button.mapTo(view, QPoint(0, 0)) == before


def test_one_button_shows_and_hides_the_panel(view: ReviewView, qtbot: QtBot) -> None:
    button = view.header.panel_button
    assert (view.sidebar.isVisible(), button.text()) == (True, "Hide panel")
    view.resize(780, 800)  # as beside another panel
    assert (view.sidebar.isVisible(), button.text()) == (False, "Show panel")
    button.click()
    assert (view.sidebar.isVisible(), button.text()) == (True, "Hide panel")
    view.resize(720, 800)
    assert view.sidebar.isHidden()
    view.resize(1200, 800)
    assert view.sidebar.isVisible()
    button.click()
    assert view.sidebar.isHidden()
    saved = view.save_state()
    again = ReviewView(view.state)
    qtbot.addWidget(again)
    again.resize(1200, 800)
    again.restore_state(saved)
    assert again.sidebar.isHidden()


def test_editors_are_equally_wide_and_their_buttons_in_sight(
    view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(660, 640)
    press(view, Qt.Key.Key_E)
    texts = view.page.text_view
    buttons = texts.buttons.findChildren(QPushButton)
    assert [one.text() for one in buttons] == ["Save texts", "Reset texts", "Cancel"]
    qtbot.waitUntil(lambda: all(is_in_sight(button, view) for button in buttons))
    assert abs(texts.source.editor.width() - texts.target.editor.width()) <= 1
    qtbot.waitUntil(lambda: texts.source.editor.height() <= texts.viewport().height())


def show_neighbours(view: ReviewView, n_source: int, n_target: int) -> None:
    """Show so many neighbours of both sides of the current pair, as the engine does."""
    pair = view.page.pair
    assert pair is not None
    known = explain(ExplainQuery(pair=pair.id))
    view.page.show_explanation(
        msgspec.structs.replace(
            known,
            source_neighbours=[
                PairNeighbour(2 * 2**32 + n, 0.7) for n in range(n_source)
            ],
            target_neighbours=[PairNeighbour(2**32 + n, 0.6) for n in range(n_target)],
        )
    )
    settle()


def test_neighbours_take_the_room_of_their_rows_and_keep_it_from_pair_to_pair(
    view: ReviewView, qtbot: QtBot
) -> None:
    page = view.page
    near = page.source_neighbours, page.target_neighbours
    qtbot.waitUntil(lambda: len(near[0].rows.neighbours) == 2)
    row = near[0].rows.minimumSizeHint().height() // 2
    settle()
    assert near[0].rows.height() == 4 * row
    press(view, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: len(near[0].rows.neighbours) == 2)
    settle()
    assert near[0].rows.height() == 2 * row  # no more than the pair before had
    assert near[0].isVisible()
    assert not near[1].isVisible()  # it has none
    before, score = placed(view), page.score.y()
    show_neighbours(view, 0, 1)
    assert [one.isVisible() for one in near] == [False, True]
    show_neighbours(view, 0, 0)
    assert [one.isVisible() for one in near] == [False, False]
    assert (placed(view), page.score.y()) == (before, score)
    show_neighbours(view, 4, 4)
    assert (placed(view), page.score.y()) == (before, score)
    press(view, Qt.Key.Key_J)
    settle()
    assert near[0].rows.height() == 4 * row
    before, score = placed(view), page.score.y()
    show_neighbours(view, 1, 2)
    assert (placed(view), page.score.y()) == (before, score)


def test_the_mean_of_neighbours_never_cuts_their_heading(
    view: ReviewView, qtbot: QtBot
) -> None:
    near = view.page.source_neighbours
    near.show_heading("Nearest to the English sentence", "mean cosine (k = 4): 0.452")
    assert near.mean.isVisible()
    near.resize(240, 120)
    assert near.mean.isHidden()
    near.resize(480, 120)
    assert near.mean.isVisible()


def test_keys_are_whole_after_another_text_size(
    view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="dark", text_scale=150))
    buttons = view.page.keys.findChildren(QPushButton)

    def _are_whole() -> bool:
        shown = [one for one in buttons if one.isVisible()]
        return all(one.width() >= one.sizeHint().width() for one in shown)

    QApplication.processEvents()
    qtbot.waitUntil(_are_whole)


def test_the_name_of_the_annotator_is_shown_and_leads_to_the_settings(
    stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = msgspec.structs.replace(stage.state.settings, user_name="Ana")
    stage.state.change_settings(settings)
    assert view.header.name_button.text() == "Judging as Ana"
    asked = QSignalSpy(stage.state.view_requests.settings_requested)
    view.header.name_button.click()
    assert asked.count() == 1
    assert asked.at(0) == ["user_name"]


LONG_NAME = "Maria-Magdalena von Hohenstein-Lichtenau"  # 40 characters


@pytest.mark.parametrize("text_scale", [100, 150])
def test_a_long_name_fits_the_header_and_the_line_of_the_verdict(
    stage: Reviewed,
    view: ReviewView,
    theme: Theme,
    qtbot: QtBot,
    data_dir: Path,
    text_scale: int,
) -> None:
    settings = msgspec.structs.replace(
        stage.state.settings, user_name=LONG_NAME, text_scale=text_scale
    )
    stage.state.change_settings(settings)
    theme.apply(settings)
    view.resize(1003, 615)
    head, saved = view.header, view.page.decision.saved
    settle()
    assert rows_of(view, (head.minings, head.name_button, head.panel_button)) == 1
    assert LONG_NAME in head.name_button.toolTip()
    save_settings(settings, settings_file())
    with open_project(stage.folder) as project:
        judge = JudgePairs(pairs=(first_pair_id(1),), verdict="accept")
        edit(project, judge)
        edit(project, msgspec.structs.replace(judge, source_text="Other"))
    stage.tell(events.Changed("pair", first_pair_id(1)))
    qtbot.waitUntil(lambda: LONG_NAME in saved.text())
    settle()
    line = view.page.decision
    shown = [one for one in line.findChildren(QLabel) if one.isVisible()]
    assert all(is_in_sight(one, view) for one in shown)
    is_whole = saved.width() >= saved.sizeHint().width()
    assert is_whole or saved.toolTip() == saved.text()
    whole = [one for one in shown if not isinstance(one, ElidedLabel)]
    assert all(one.width() >= one.sizeHint().width() for one in whole)


def test_an_export_has_room_for_its_settings_at_large_text(
    stage: Reviewed, view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    stage.client.answers[PairExportQuery] = lambda _: PairExportPreview(
        1, [("Source", "Target")], "", ("accept",)
    )
    for size, has_rows in ((150, False), (100, True)):
        theme.apply(Settings(theme="light", text_scale=size))
        view.resize(1024, 640)
        view.header.export_button.click()
        dialog = view.findChildren(PairExportDialog)[-1]
        with qtbot.waitSignal(dialog.preview.shown):
            pass
        assert dialog.preview.count.isVisible()
        assert dialog.preview.table.isVisible() is has_rows
        dialog.reject()


def test_a_search_is_named_beside_the_place(view: ReviewView, qtbot: QtBot) -> None:
    view.queue_bar.search_field.setText("boat")
    view.queue_bar.changed.emit()
    place = view.page.decision.place
    qtbot.waitUntil(lambda: place.text() == "1 of 6 with “boat”")


def test_the_whole_editor_is_in_sight_where_it_fits(
    view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1120, 860)
    pair = view.session.shown
    assert pair is not None
    texts, editor = view.page.text_view, view.page.text_view.target.editor
    row = SentenceRow(1, "The boats came in one by one. " * 5, "en", 1, 0)
    text = "Rain stopped play. " * 8
    target = pair.target._replace(before=[row, row], after=[row], text=text)
    texts.show_pair(pair._replace(target=target))
    QApplication.processEvents()  # the layout follows
    texts.begin_edit()

    def _is_whole() -> bool:
        top = editor.mapTo(texts.viewport(), QPoint(0, 0)).y()
        return 0 <= top <= texts.viewport().height() - editor.height()

    qtbot.waitUntil(_is_whole)


def test_the_buttons_of_an_empty_page_are_whole_at_large_text(
    stage: Reviewed, view: ReviewView, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1003, 615)  # in a window of 1100 x 700
    view.header.panel_button.click()
    assert view.sidebar.isVisible()
    assert stage.state.project is not None
    (row,) = stage.state.project.minings
    for _ in range(N):
        press(view, Qt.Key.Key_A)
    package = row._replace(kind="package")
    view.empty_page.show_reason(package, view.session.queue, {"accept": 6}, 2)
    qtbot.waitUntil(lambda: not clipped_texts(view.empty_page))
    buttons = view.empty_page.findChildren(QPushButton)
    shown = [one for one in buttons if one.isVisible()]
    assert len(shown) == 4
    body = view.empty_page.rect()
    for one in shown:
        rect = QRect(one.mapTo(view.empty_page, QPoint(0, 0)), one.size())
        assert body.contains(rect)


@pytest.mark.parametrize("text_size", [100, 150])
def test_the_agreement_of_annotators_does_not_move_the_history(
    stage: Reviewed, view: ReviewView, theme: Theme, qtbot: QtBot, text_size: int
) -> None:
    theme.apply(Settings(theme="light", text_scale=text_size))
    view.resize(1600, 1000)
    panel = view.sidebar.agreement
    pair = first_pair_id(1)
    ids = (pair, first_sentence_id(1), first_sentence_id(2))
    other = PackagedOpinion(
        *ids, "flag", None, None, "", (), "Miriam Oberhofer", "a" * 32, 1.7e9
    )
    with open_project(stage.folder) as project, project.store.begin() as connection:
        row = PackageRow("a" * 32, "given", 1, np.array([pair]), "d")
        record_package(connection, row, None)
        append_opinions(connection, [other], 0)

    def show(answer: AgreementAnswer) -> list[QRect]:
        stage.client.answers[AgreementQuery] = lambda query: answer
        with qtbot.waitSignal(panel.shown):
            panel.ask()
        settle()
        parts = (panel.conflicts, view.sidebar.history)
        return [QRect(one.mapTo(view, QPoint()), one.size()) for one in parts]

    names = [AnnotatorCount(one, 3) for one in ("Ada", "Miriam Oberhofer")]
    before = show(AgreementAnswer(names, 1, None, None, None, 0, ""))
    figure = AgreementFigure(-0.67, -1.0, -0.33)
    figures = AgreementFigure(0.33, 0.06, 0.79), figure, figure
    counts = 1_234, 5_678, 9_012
    answer = AgreementAnswer(names, 12_345, *figures, 99, "", *counts)
    assert show(answer) == before
    assert "9,012 pairs" in panel.text.text()


@pytest.mark.parametrize("text_size", [100, 150])
def test_judging_does_not_move_what_is_below_the_threshold(
    stage: Reviewed, view: ReviewView, theme: Theme, qtbot: QtBot, text_size: int
) -> None:
    theme.apply(Settings(theme="light", text_scale=text_size))
    view.resize(1600, 1000)
    panel, answers = view.sidebar.threshold, stage.client.answers

    def places() -> list[QRect]:
        settle()
        parts = (panel.use_button, view.sidebar.history)
        return [QRect(one.mapTo(view, QPoint()), one.size()) for one in parts]

    def show(answer: ThresholdAnswer) -> list[QRect]:
        answers[ThresholdQuery] = lambda query: answer
        with qtbot.waitSignal(panel.shown):
            panel.ask()
        return places()

    points = [PrecisionPoint(1.05, 0.9, 0.8, 1.0, 40, n) for n in (3, 4)]
    before = show(ThresholdAnswer(0, [], None, "No pair is judged yet."))
    assert panel.use_button.isVisible()
    assert not panel.use_button.isEnabled()
    text = "At 1.05, 90 % (80 to 100 %) of the pairs are correct. " * 6
    warning = "Higher scores do not have a higher precision here. " * 3
    assert show(ThresholdAnswer(40, points, points[0], text, warning)) == before
    assert panel.use_button.isEnabled()
    assert panel.plot.isVisible()
    assert show(ThresholdAnswer(1, points[:1], None, "No threshold.")) == before
    assert not panel.use_button.isEnabled()
