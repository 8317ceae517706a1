"""Every view and dialog of the filled demo fits a small window with large text."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QListWidget,
    QPushButton,
    QTabBar,
    QWidget,
)
from pytestqt.exceptions import TimeoutError as QtTimeoutError
from pytestqt.qtbot import QtBot

from app.engine.demo import build_demo
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.packages import (
    PackagedOpinion,
    PackageRow,
    append_opinions,
    record_package,
)
from app.engine.store.pairs.sets import (
    first_pair_id,
    list_pair_sets,
    read_current_judgements,
    read_pairs,
)
from app.engine.store.schema import CORPUS_STRIDE
from app.params.query_steps import ALL_STEPS
from app.protocol.edits.pairs import JudgePairs, Verdict
from app.views.classify.view import ClassifyView
from app.views.client.indexed_queries import IndexedQueryController
from app.views.concordance.view import ConcordanceView
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.subcorpus_dialog import SubcorpusDialog
from app.views.corpora.view import CorporaView
from app.views.map.colouring import LENGTH
from app.views.map.view import MapView
from app.views.quality.finding_table import OTHER, SENTENCE
from app.views.quality.view import QualityView
from app.views.read.view import ReadView
from app.views.review.queue import QueueSettings
from app.views.review.view import ReviewView
from app.views.search.view import SearchView
from app.views.shell.main_window import MainWindow
from app.views.widgets.controls import ElidedLabel, ElidedLines, make_button
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import FixedLines
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import View
from app.views.words.settings import WordListSettings
from app.views.words.view import WordsView
from tests.engine.classify.barn import add_labelled
from tests.engine.review.made import edit
from tests.process.small_window import (
    SIZE,
    open_demo,
    open_small_window,
    settle,
    shown,
)
from tests.process.windows import WAIT_MS
from tests.views.clipping import cut_columns, layout_faults
from tests.views.dialog_design import command_forms, design_faults
from tests.views.reviewing import press

QUERY = "Houses on the coast lost their roofs in last night's storm."
N_EQUAL = 50  # looks at a view without a change
MAX_PAINTED = 5  # times in so many looks: the cursor of a field blinks
MIRIAM = "Miriam Oberhofer"
COLLEAGUES = (MIRIAM, "Ada", "Bartholomew of the harbour office")
JUDGING_KEYS = (
    Qt.Key.Key_A,
    Qt.Key.Key_R,
    Qt.Key.Key_Space,
    Qt.Key.Key_F,
    Qt.Key.Key_J,
)
N_LENGTHS = 20
WITH_LISTED_SENTENCES = (
    *("corpora", "search", "read", "concordance", "mining", "alignment"),
    *("map", "quality"),
)
UNDO = ("Undo",)
FIVE_BUTTONS = ("Search sentences", "Open Read", "Mine pairs", "Align", "Show report")
LONG = "The file harbour.tsv can't be read in line 12: save it as UTF-8. " * 3


def _places(view: View) -> list[tuple[int, QRect]]:
    """Return the visible widgets of a view, each with its place."""
    assert isinstance(view, QWidget)
    widgets = [one for one in view.findChildren(QWidget) if one.isVisible()]
    return [
        (id(one), QRect(one.mapTo(view, QPoint(0, 0)), one.size()))
        for one in widgets
        if one.window() is view.window()
    ]


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, data_dir: Path) -> Iterator[MainWindow]:
    """The real window at 150 %, on its first page."""
    with open_small_window(qtbot, qapp) as window:
        yield window


class PaintCounter(QObject):
    """Counts how often the watched widget is painted."""

    n = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n += event.type() == QEvent.Type.Paint
        return False


class Checker:
    """Looks at the window in one state after the other.

    Attributes:
        faults: what was found, with the name of the state.
        size: that the window must keep, in pixels.
    """

    def __init__(self, window: MainWindow, qtbot: QtBot, size: tuple[int, int] = SIZE):
        self.faults: list[str] = []
        self.size = size
        self._window, self._qtbot = window, qtbot

    def check(self, name: str) -> None:
        """Check the window as it is shown when its layout has settled."""
        settle()
        self.check_layout(name, self._window)
        cut = cut_columns(self._window)
        self.faults += [f"{name}: column cut: {title!r}" for title in cut]
        self.faults += [f"{name}: {fault}" for fault in command_forms(self._window)]
        size = self._window.size().toTuple()
        if size != self.size:
            self.faults.append(f"{name}: the window is {size}")

    def check_navigation(self, name: str) -> None:
        """Check that all views are listed without scrolling."""
        views = self._window.navigation.findChild(QListWidget, "views")
        assert views is not None
        if views.verticalScrollBar().maximum():
            self.faults.append(f"{name}: not all views are listed")

    def check_idleness(self, name: str) -> None:
        """Check that the view is painted only when something changes."""
        assert self._window.view is not None
        self._wait_for_rest(self._window.view)
        view = cast("QWidget", self._window.view)
        counter = PaintCounter()
        view.installEventFilter(counter)
        for _ in range(N_EQUAL):
            QCoreApplication.processEvents()
        view.removeEventFilter(counter)
        if counter.n > MAX_PAINTED:
            self.faults.append(f"{name}: painted {counter.n} times without a change")

    def check_messages(self, name: str) -> None:
        """Check that messages of the window and of the view move no control of it."""
        window, view = self._window, self._window.view
        assert view is not None
        before = self._wait_for_rest(view)
        for bar in window.findChildren(MessageBar):
            for text, names in (("Done.", UNDO), (LONG, UNDO), (LONG, FIVE_BUTTONS)):
                bar.post(text, buttons=[make_button(one, one) for one in names])
                settle()
                if _places(view) != before:
                    self.faults.append(f"{name}: a message moves the page")
                bar.clear()
                settle()
        if _places(view) != before:
            self.faults.append(f"{name}: the page has moved after a message")

    def check_selection(self, name: str) -> None:
        """Check that sentences can be selected here, and that this moves no page."""
        state, view = self._window.state, cast("QWidget", self._window.view)
        selected = state.selection
        if not self._window.inspector_dock.isVisible():
            self.faults.append(f"{name}: no inspector beside the sentences")
        before = view.geometry()
        for sentence in (None, first_sentence_id(1), selected):
            state.select_sentence(sentence)
            settle()
            if view.geometry() != before:
                self.faults.append(f"{name}: a selection moves the page")

    def _wait_for_rest(self, view: View) -> list[tuple[int, QRect]]:
        """Return the places of a view's widgets when answers no longer change them."""
        if isinstance(view, ReadView):
            session = view.session
            self._qtbot.waitUntil(lambda: session.rows.n_rows > 0, timeout=WAIT_MS)
        seen = [_places(view)]

        def _is_at_rest() -> bool:
            seen.append(_places(view))
            is_waiting = self._window.state.is_busy or any(
                one.is_waiting
                for one in self._window.findChildren(QObject)
                if isinstance(one, IndexedQueryController)
            )
            is_equal = seen[-N_EQUAL:] == seen[-1:] * N_EQUAL
            return len(seen) > N_EQUAL and is_equal and not is_waiting

        self._qtbot.waitUntil(_is_at_rest, timeout=WAIT_MS)
        return seen[-1]

    def check_tabs(self, name: str) -> None:
        """Check every page of the tabs that the view shows."""
        for bar in self._window.findChildren(QTabBar):
            for index in range(bar.count() if bar.isVisible() else 0):
                bar.setCurrentIndex(index)
                self.check(f"{name}, {bar.tabText(index)}")

    def check_dialogs(self, name: str) -> None:
        """Check every dialog that an action of the view opens."""
        for action in self._window.view.actions() if self._window.view else ():
            if not action.text().endswith("…") or not action.isEnabled():
                continue
            action.trigger()
            settle()
            for dialog in self._window.findChildren(QDialog):
                if dialog.isVisible() and not isinstance(dialog, QFileDialog):
                    self.check_dialog(f"{name}, {action.text()}", dialog)
                dialog.reject()
            settle()
            self._window.show_view(name)

    def check_layout(self, name: str, widget: QWidget) -> None:
        """Check that nothing in a widget is cut off or overlaps."""
        with suppress(QtTimeoutError):  # an answer of the engine changes the layout
            self._qtbot.waitUntil(lambda: not layout_faults(widget), timeout=1_000)
        self.faults += [f"{name}: {fault}" for fault in layout_faults(widget)]

    def check_dialog(self, name: str, dialog: QDialog) -> None:
        """Check a dialog that is shown: its layout, its design and its size."""
        self.check_layout(name, dialog)
        self.faults += [f"{name}: {fault}" for fault in design_faults(dialog)]
        if dialog.width() > SIZE[0] or dialog.height() > SIZE[1]:
            self.faults.append(f"{name}: the dialog is {dialog.size().toTuple()}")


@pytest.mark.parametrize("n_texts", [2, 3])
def test_the_first_import_of_several_texts_fits(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, n_texts: int
) -> None:
    texts = {
        "zprava.txt": "V pondělí vědci představili nový přístroj.\n",
        "raport.txt": "W poniedziałek naukowcy przedstawili urządzenie.\n",
        "report.txt": "On Monday, scientists presented a new tool.\nIt is small.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text * 20, encoding="utf-8")
    files = sorted(tmp_path.glob("*.txt"))[:n_texts]
    window.first_import.ask(files)
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    checker = Checker(window, qtbot)
    checker.check_dialog("first import", dialog)
    dialog.reject()
    assert checker.faults == []


def test_the_import_of_files_that_can_t_be_read_fits(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("zprava.txt", "raport.txt", "bild.pdf")]
    for file in files[:2]:
        file.write_text("W poniedziałek naukowcy przedstawili urządzenie.\n" * 9)
    files[2].write_bytes(b"%PDF-1.5\n" + bytes(range(256)) * 40)
    window.first_import.ask(files)
    (dialog,) = window.findChildren(ImportDialog)
    (leave_out,) = [
        one
        for one in dialog.findChildren(QPushButton)
        if one.toolTip().startswith("Import the other files")
    ]
    qtbot.waitUntil(leave_out.isVisible, timeout=WAIT_MS)
    dialog.files.setCurrentIndex(2)
    checker = Checker(window, qtbot)
    checker.check_dialog("first import", dialog)
    dialog.reject()
    assert checker.faults == []


@pytest.mark.timeout(240)
def test_nothing_is_cut_off_or_overlaps(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    checker, state = Checker(window, qtbot), window.state
    checker.check("first page")
    open_demo(window, qtbot, tmp_path)
    for entry in window.entries:
        window.show_view(entry.name)
        checker.check(entry.name)
        checker.check_navigation(entry.name)
        checker.check_idleness(entry.name)
        checker.check_messages(entry.name)
        if entry.name in WITH_LISTED_SENTENCES:
            checker.check_selection(entry.name)
        checker.check_tabs(entry.name)
        checker.check_dialogs(entry.name)
        window.show_view(entry.name)
        window.guide_dock.toggleViewAction().trigger()
        checker.check(f"{entry.name} next to the guided path")
        window.guide_dock.toggleViewAction().trigger()

    search = shown(window, "search", SearchView)
    with qtbot.waitSignal(search.hits_shown, timeout=WAIT_MS):
        search.bar.field.setText(QUERY)
        search.bar.submitted.emit()
    checker.check("search results")
    checker.check_selection("search results")
    search.columns.focus_first()
    checker.check("a hit is selected")
    assert window.inspector_dock.isVisible()
    concordance = shown(window, "concordance", ConcordanceView)
    concordance.bar.field.setText("water")
    concordance.bar.field.returnPressed.emit()
    qtbot.waitUntil(lambda: bool(concordance.table.model().rowCount()))
    checker.check("concordance lines")
    checker.check_selection("concordance lines")
    maps = shown(window, "map", MapView)
    filters, sentences = maps.sidebar.filters, maps.page.sentences
    qtbot.waitUntil(lambda: LENGTH in filters.histograms, timeout=WAIT_MS)
    maps.sidebar.tabs.setCurrentWidget(filters)
    filters.histograms[LENGTH].bars.choose((10, 20))
    qtbot.waitUntil(sentences.isVisible, timeout=WAIT_MS)
    sentences.table.selectRow(0)
    checker.check("sentences listed on the map")
    if sentences.table.viewport().height() < sentences.table.rowHeight(0):
        checker.faults.append("map: no room for a sentence")
    maps.page.choose_cluster(0)
    checker.check("a cluster on the map")
    if 2 * maps.page.canvas.height() < maps.page.splitter.height():
        checker.faults.append("map: less than half of the height")
    if maps.page.splitter.y() > maps.page.filter_bar.geometry().bottom() + GRID:
        checker.faults.append("map: an empty strip above it")
    maps.page.splitter.setSizes([0, SIZE[1]])  # dragged up
    checker.check("a high list on the map")
    pane = maps.page.pane
    if pane.caption.geometry().top() <= pane.canvas.geometry().bottom():
        checker.faults.append("map: the map covers its caption")
    maps.page.selection.clear()
    maps.page.clear_filters()  # no list
    settle()
    if not pane.quality.isVisible():
        checker.faults.append("map: no quality of a high map")
    quality = shown(window, "quality", QualityView)
    quality.page.table.clicked.emit(quality.page.table.currentIndex())
    assert window.inspector_dock.isVisible()
    checker.check("a finding is selected")
    if quality.page.table.width() < window.inspector_dock.width():
        checker.faults.append("quality: no room for the findings")
    steps = shown(window, "classify", ClassifyView).steps
    for step, tabs in (
        (steps.transfer, steps.transfer.page.details.tabs),
        (steps.labels, steps.labels.page.tabs),
    ):
        steps.show_step(step)
        if step is steps.labels:
            checker.check_selection("labels")
        steps.labels.page.table.selectRow(1)
        for index in range(tabs.count()):
            tabs.setCurrentIndex(index)
            checker.check(f"classify, {tabs.tabText(index)}")
    steps.show_step(steps.predictions)
    checker.check_selection("predictions")
    steps.predictions.page.table.selectRow(1)
    assert window.inspector_dock.isVisible()
    checker.check("a prediction is selected")
    shown(window, "concordance", ConcordanceView)
    state.notice_posted.emit(LONG)
    checker.check("a long message")
    window.message_bar.dismiss()
    for dock in (window.log_dock, window.runs_dock):
        dock.show()
        checker.check(dock.windowTitle())
        table = concordance.table
        if table.viewport().height() < 1.5 * table.rowHeight(0):
            checker.faults.append(f"{dock.windowTitle()}: no room for lines")
        dock.hide()
    checker.check_dialog("shortcuts", shown_dialog(window, window.menus.show_shortcuts))
    assert checker.faults == []


def test_the_steps_of_a_sub_corpus_fit(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    checker, state = Checker(window, qtbot), window.state
    folder = build_demo(tmp_path / "demo.isogloss", Report())
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    view = shown(window, "corpora", CorporaView)
    view.subcorpora.ask_new(["1"])
    (dialog,) = view.findChildren(SubcorpusDialog)
    for kind in ALL_STEPS:
        dialog.list.add(kind)
        checker.check_layout(kind.__name__, dialog)
        checker.faults += command_forms(dialog)
        dialog.list.cards[-1].removed.emit()
    dialog.reject()
    assert checker.faults == []


@pytest.mark.timeout(240)
def test_very_large_text_fits(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    checker, state = Checker(window, qtbot, size=(1440, 900)), window.state
    state.change_settings(msgspec.structs.replace(state.settings, text_scale=200))
    window.resize(*checker.size)
    open_demo(window, qtbot, tmp_path)
    for entry in window.entries:
        window.show_view(entry.name)
        checker.check(entry.name)
        checker.check_navigation(entry.name)
    assert checker.faults == []


def test_findings_have_room_next_to_a_wide_inspector(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_demo(window, qtbot, tmp_path)
    quality = shown(window, "quality", QualityView)
    table, dock = quality.page.table, window.inspector_dock
    # the first finding
    qtbot.waitUntil(lambda: window.state.selection is not None, timeout=WAIT_MS)

    def is_widened() -> bool:
        """Widen the dock; a layout that was still pending can undo it once."""
        window.resizeDocks([dock], [370], Qt.Orientation.Horizontal)
        settle()
        return dock.width() >= 370

    qtbot.waitUntil(is_widened, timeout=WAIT_MS)
    (button,) = [
        one
        for one in quality.findChildren(QPushButton)
        if one.text() == "Find issues…" and one.isVisible()
    ]
    assert button.width() >= button.sizeHint().width()
    assert table.viewport().height() >= 6 * table.rowHeight(0)
    for column in (SENTENCE, OTHER):
        assert table.columnWidth(column) > 200
    checker = Checker(window, qtbot)
    checker.check("findings")
    assert checker.faults == []


def test_the_summary_of_labels_is_whole_in_a_narrow_page(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_demo(window, qtbot, tmp_path)
    steps = shown(window, "classify", ClassifyView).steps
    steps.show_step(steps.labels)
    labels = steps.labels
    qtbot.waitUntil(lambda: "classes" in labels.page.facts, timeout=WAIT_MS)
    labels.page.table.selectRow(1)  # opens the inspector
    settle()
    assert window.inspector_dock.isVisible()
    (facts,) = labels.page.findChildren(ElidedLines)
    assert not facts.toolTip(), "the text is whole"
    assert labels.corpora.isHidden()
    (selector,) = [
        one
        for one in labels.findChildren(QComboBox)
        if one.isVisible() and one.count() > 9
    ]
    place = selector.mapTo(window, QPoint(0, 0))
    selector.setCurrentIndex(1)
    selector.activated.emit(1)
    settle()
    assert labels.corpus is not None
    assert labels.corpus.id == labels.corpora.ids[1]
    assert selector.mapTo(window, QPoint(0, 0)) == place
    window.resize(1440, 900)
    window.inspector_dock.hide()
    settle()
    assert labels.corpora.isVisible()
    assert selector.isHidden()
    assert labels.corpora.chosen == labels.corpus.id


def shown_dialog(window: MainWindow, show: Callable[[], object]) -> QDialog:
    """Show a dialog and return it."""
    before = set(window.findChildren(QDialog))
    show()
    settle()
    (dialog,) = set(window.findChildren(QDialog)) - before
    return dialog


@pytest.mark.parametrize("n_classes", [2, 9])
def test_labels_of_two_corpora_fit(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, n_classes: int
) -> None:
    checker, state = Checker(window, qtbot), window.state
    folder = tmp_path / "films.isogloss"
    with create_project(folder) as project:
        for name, language in (("Films for training", "en"), ("Films to test", "pt")):
            rows = [
                (f"class {n % n_classes}", f"Sentence {n} of this film is short.")
                for n in range(400)
            ]
            add_labelled(project, name, language, rows)
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    steps = shown(window, "classify", ClassifyView).steps
    steps.show_step(steps.labels)
    qtbot.waitUntil(lambda: state.labels.is_counted, timeout=WAIT_MS)
    checker.check_selection("labels")
    page = steps.labels.page
    for corpus in (1, 2):
        steps.labels.corpora.choose(corpus)
        for index in range(page.tabs.count()):
            page.tabs.setCurrentIndex(index)
            checker.check(page.tabs.tabText(index))
    window.resize(1440, 900)
    for width in (600, 300):  # of the inspector, as a user drags it
        sideways = Qt.Orientation.Horizontal
        window.resizeDocks([window.inspector_dock], [width], sideways)
        settle()
        checker.check_layout(f"inspector of {width} pixels", window)
    assert checker.faults == []


@pytest.mark.timeout(240)
def test_word_lists_with_results_fit(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    checker = Checker(window, qtbot)
    open_demo(window, qtbot, tmp_path)
    words = shown(window, "words", WordsView)
    for settings in (
        WordListSettings(page="frequencies"),
        WordListSettings(page="collocates", text="the"),
        WordListSettings(page="keyness", corpora=(4,), against=(1,)),
        WordListSettings(page="equivalents", text="the", target_language="de"),
        WordListSettings(page="translations", text="water", map="English – German"),
    ):
        with qtbot.waitSignal(words.list_shown, timeout=WAIT_MS):
            words.ask(settings)
        assert words.table.words.rows, settings.page
        checker.check(settings.page)
    words.ask(WordListSettings(page="translations"))
    checker.check_layout("no word", window)
    assert checker.faults == []


@pytest.mark.timeout(240)
def test_a_conflict_between_annotators_fits(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    checker, state = Checker(window, qtbot), window.state
    folder = build_demo(tmp_path / "demo.isogloss", Report())
    mining = disagree(folder)
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    review = shown(window, "review", ReviewView)
    review.session.load(mining, QueueSettings(which="conflict"))
    bar, agreement = review.page.annotators, review.sidebar.agreement
    qtbot.waitUntil(bar.isVisible, timeout=WAIT_MS)
    assert review.sidebar.isHidden()  # the pair has the room until the user asks
    review.header.panel_button.click()
    qtbot.waitUntil(agreement.isVisible, timeout=WAIT_MS)
    pair = review.session.queue.current
    assert pair is not None
    qtbot.waitUntil(
        lambda: review.session.explainer.get(pair) is not None, timeout=WAIT_MS
    )
    checker.check("a conflict")
    (name,) = (one for one in bar.findChildren(ElidedLabel) if one.text() == MIRIAM)
    assert name.fontMetrics().horizontalAdvance(name.text()) <= name.width()
    score = review.page.score
    assert score.ratio.geometry().bottom() < score.runner_up.y()
    texts = review.page.text_view
    n_lines = texts.viewport().height() / texts.source.text.fontMetrics().lineSpacing()
    assert n_lines >= 6
    texts.setFocus()
    assert not texts.visibleRegion().isEmpty()
    review.controller.find_pairs()
    settle()
    assert not review.queue_bar.search_field.visibleRegion().isEmpty()
    assert checker.faults == []


@pytest.mark.timeout(240)
def test_judging_pairs_of_any_length_moves_no_control(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    state = window.state
    folder = build_demo(tmp_path / "demo.isogloss", Report())
    mining = vary(folder)
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    review = shown(window, "review", ReviewView)
    session = review.session
    session.load(mining, QueueSettings())
    qtbot.waitUntil(lambda: review.page.pair is not None, timeout=WAIT_MS)
    review.focus_first()
    review.header.panel_button.click()
    qtbot.waitUntil(review.sidebar.agreement.isVisible, timeout=WAIT_MS)
    n_characters: set[int] = set()
    before: list[tuple[str, QRect]] | None = None
    for key in JUDGING_KEYS * 4:
        pair = session.shown
        assert pair is not None
        n_characters.add(len(pair.source.text))
        wait_for_explanation(review, pair.id, qtbot)
        settle()
        now = control_places(review)
        assert before is None or now == before
        before = now
        press(review, key)
        assert session.queue.current != pair.id
    assert min(n_characters) < 40
    assert max(n_characters) > 2_000
    sidebar = review.sidebar
    for panel in (sidebar.threshold, sidebar.agreement):
        with qtbot.waitSignal(panel.shown, timeout=WAIT_MS):
            panel.ask()
    settle()
    assert control_places(review) == before
    review.header.show_counts({"accept": 12_345, "flag": 99, "skip": 9, "": 98_765})
    settle()
    assert control_places(review) == before


def wait_for_explanation(review: ReviewView, pair: int, qtbot: QtBot) -> None:
    known = review.session.explainer
    qtbot.waitUntil(lambda: known.get(pair) is not None, timeout=WAIT_MS)


def control_places(review: ReviewView) -> list[tuple[str, QRect]]:
    """Return where every visible control of Review is: all but texts that scroll."""
    found = []
    texts = [review.page.text_view, *review.findChildren(FixedLines)]
    for one in review.findChildren(QWidget):
        is_text = isinstance(one, QLabel) or any(t.isAncestorOf(one) for t in texts)
        if one.isVisible() and not is_text and one.window() is review.window():
            rect = QRect(one.mapTo(review, QPoint(0, 0)), one.size())
            found.append((type(one).__name__, rect))
    return found


def vary(folder: Path) -> int:
    """Edit, note and tag pairs of a set, and let others judge some; return the set."""
    with open_project(folder) as project:
        row = max(list_pair_sets(project.store), key=lambda one: one.n_pairs)
        first = first_pair_id(row.id)
        ids = list(range(first, first + row.n_pairs))
        for n, id_ in enumerate(ids):
            size = n % N_LENGTHS
            text = f"The {n} boats came in one by one, said Jonas. " * (size**2 // 6)
            if n % 2:
                edit(project, JudgePairs(pairs=(id_,), source_text=text))
            elif n % 4:
                tags = ("a-rather-long-tag", "storm", "harbour")[: size % 4]
                note = "Check this again. " * size
                edit(project, JudgePairs(pairs=(id_,), note=note, add_tags=tags))
        add_opinions(
            project,
            [
                (id_, who, ("accept", "reject", "flag")[(n + index) % 3])
                for n, id_ in enumerate(ids)
                for index, who in enumerate(COLLEAGUES[: n % 4])
            ],
        )
    return row.id


def disagree(folder: Path) -> int:
    """Judge the first pairs of a set here, and otherwise by Miriam; return the set."""
    with open_project(folder) as project:
        mining = list_pair_sets(project.store)[-1].id
        first = first_pair_id(mining)
        ids = range(first, first + 3)
        edit(project, JudgePairs(pairs=tuple(ids), verdict="accept"))
        add_opinions(
            project,
            [(id_, MIRIAM, "accept" if id_ == first else "reject") for id_ in ids],
        )
    return mining


def add_opinions(project: Project, judged: list[tuple[int, str, Verdict]]) -> None:
    """Merge verdicts of others, by pair and name, as a package brings them."""
    key, ids = "a" * 32, sorted({id_ for id_, _, _ in judged})
    pairs = {row.id: row for row in read_pairs(project.store, ids) if row is not None}
    held = read_current_judgements(project.store, ids)
    opinions = [
        PackagedOpinion(
            pair_id=id_,
            source_id=pairs[id_].source_id,
            target_id=pairs[id_].target_id,
            verdict=verdict,
            source_text=None,
            target_text=None,
            note="",
            tags=(),
            who=who,
            package_id=key,
            created_at=1.7e9,
        )
        for id_, who, verdict in judged
    ]
    row = PackageRow(key, "given", ids[0] // CORPUS_STRIDE, np.array(ids), "d")
    with project.store.begin() as connection:
        record_package(connection, row, None)
        append_opinions(connection, opinions, max(one.id for one in held.values()))
