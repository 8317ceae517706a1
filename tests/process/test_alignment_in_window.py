"""Documents aligned in the real window, over the real engine with the real encoder."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id, read_current_judgements
from app.params.mining import AlignDocuments
from app.params.vectors import Encode
from app.paths import resource_dir
from app.protocol.queries.pairs import SimilarTextsQuery
from app.views.alignment.controller import AlignmentDialog
from app.views.alignment.view import AlignmentView
from app.views.shell.inspector import Inspector
from app.views.shell.main_window import MainWindow
from app.views.widgets.corpus_choices import suggest_sides
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.id_order import RangeOrder
from app.views.widgets.page_model import SENTENCE, TRANSLATIONS, PageModel
from tests.engine.alignment.made import read_samples
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows

N = 20
MakeView = Callable[[], AlignmentView]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers; the second joins two sentences and leaves one out."""
    samples = resource_dir() / "samples"
    german, english = (read_samples(samples, code)[0][:N] for code in ("de", "en"))
    told = [*english[:4], f"{english[4]} {english[5]}", *english[6:9], *english[10:]]
    with create_project(tmp_path / "papers.isogloss") as project:
        add_corpus(project, "Der Anzeiger", "de", german)
        add_corpus(project, "The Gazette", "en", told)
    return tmp_path / "papers.isogloss"


@pytest.fixture
def make_view(windows: Windows, folder: Path) -> MakeView:
    """Open the project in a new window, at the alignments."""

    def _make() -> AlignmentView:
        view = windows.open(folder, "alignment").view
        assert isinstance(view, AlignmentView)
        return view

    return _make


def shapes(view: AlignmentView) -> list[tuple[int, int]]:
    beads = view.model.beads
    return list(zip(beads.n_sources.tolist(), beads.n_targets.tolist(), strict=True))


def test_documents_are_aligned_mended_and_undone_after_a_restart(
    make_view: MakeView, windows: Windows, qtbot: QtBot
) -> None:
    view = make_view()
    state = view.state
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(AlignDocuments(source="Der Anzeiger", target="The Gazette"))
    qtbot.waitUntil(lambda: len(view.model) > 0, timeout=WAIT_MS)
    found = shapes(view)
    assert found == [(1, 1)] * 4 + [(2, 1)] + [(1, 1)] * 3 + [(1, 0)] + [(1, 1)] * 10
    view.window().activateWindow()
    qtbot.waitUntil(view.board.hasFocus, timeout=WAIT_MS)
    view.board.select(4)
    QTest.keyClick(view.board, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: shapes(view)[4:6] == [(1, 1), (1, 0)], timeout=WAIT_MS)
    assert state.project is not None
    judged = read_current_judgements(state.project.store, [first_pair_id(1) + 8])
    assert [row.verdict for row in judged.values()] == ["accept"]
    # the new link gets the confidence that the encoder has in it
    qtbot.waitUntil(lambda: view.model.beads.confidences[4] > 0.3, timeout=WAIT_MS)
    windows.close(view)
    again = make_view()
    assert shapes(again)[4:6] == [(1, 1), (1, 0)]
    QTest.keyClick(again.window(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: shapes(again) == found, timeout=WAIT_MS)
    again.state.redo()
    qtbot.waitUntil(lambda: again.model.is_accepted(4), timeout=WAIT_MS)


@pytest.fixture
def three_texts(tmp_path: Path) -> Path:
    """A text, another one of as many lines, and the translation with fewer lines."""
    samples = resource_dir() / "samples"
    german, others = read_samples(samples, "de")
    joined = [f"{german[4]} {german[5]}", f"{german[20]} {german[21]}"]
    translation = [*german[:4], joined[0], *german[6:20], joined[1], *german[22:40]]
    with create_project(tmp_path / "texts.isogloss") as project:
        add_corpus(project, "The Gazette", "en", read_samples(samples, "en")[0][:40])
        add_corpus(project, "Andere Sätze", "de", others[:40])
        add_corpus(project, "Der Anzeiger", "de", translation)
    return tmp_path / "texts.isogloss"


def open_dialog(view: AlignmentView) -> AlignmentDialog:
    """Open the dialog that asks what to align, and no other one."""
    for dialog in view.findChildren(AlignmentDialog):
        dialog.reject()
        QCoreApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)
    view.controller.actions["align"].trigger()
    (dialog,) = view.findChildren(AlignmentDialog)
    return dialog


def wait_for_suggestion(
    view: AlignmentView, qtbot: QtBot
) -> AbstractContextManager[object]:
    """Wait for the answer about the most similar texts."""
    wait: AbstractContextManager[object] = qtbot.waitSignal(
        view.state.request_answered,
        timeout=WAIT_MS,
        check_params_cb=lambda query: isinstance(query, SimilarTextsQuery),
    )
    return wait


def sides(dialog: AlignmentDialog) -> list[str]:
    return [str(dialog.form.raw()[side]) for side in ("source", "target")]


def test_the_most_similar_texts_are_suggested_until_they_are_aligned(
    windows: Windows, three_texts: Path, qtbot: QtBot
) -> None:
    view = windows.open(three_texts, "alignment").view
    assert isinstance(view, AlignmentView)
    state = view.state
    qtbot.waitUntil(lambda: state.encoders.in_use is not None, timeout=WAIT_MS)
    with wait_for_suggestion(view, qtbot):
        dialog = open_dialog(view)  # without vectors: of as many sentences
    assert sides(dialog) == ["The Gazette", "Andere Sätze"]
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(Encode(corpora=("1", "2", "3")))
    dialog = open_dialog(view)
    assert sides(dialog) == ["The Gazette", "Andere Sätze"]
    button = dialog.run_button.geometry()
    qtbot.waitUntil(
        lambda: sides(dialog) == ["The Gazette", "Der Anzeiger"], timeout=WAIT_MS
    )
    assert dialog.run_button.geometry() == button
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    qtbot.waitUntil(lambda: view.model.alignment is not None, timeout=WAIT_MS)
    with wait_for_suggestion(view, qtbot):
        dialog = open_dialog(view)
    assert sides(dialog) == ["The Gazette", "Der Anzeiger"], "those that are shown"
    assert state.project is not None
    proposed = suggest_sides(state.project)
    assert proposed is not None
    assert [one.name for one in proposed] == ["The Gazette", "Andere Sätze"]


@pytest.mark.parametrize("field", ["target", "name"])
def test_a_suggestion_never_changes_what_a_user_has_chosen(
    windows: Windows, three_texts: Path, qtbot: QtBot, field: str
) -> None:
    view = windows.open(three_texts, "alignment").view
    assert isinstance(view, AlignmentView)
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        view.state.run(Encode(corpora=("1", "2", "3")))
    with wait_for_suggestion(view, qtbot):
        dialog = open_dialog(view)
        widget = dialog.form.field(field).widget
        widget.setFocus()
        if field == "target":  # chosen again in its list: no other value
            assert isinstance(widget, QComboBox)
            widget.activated.emit(widget.currentIndex())
        else:
            QTest.keyClicks(widget, "Mine")
    assert sides(dialog) == ["The Gazette", "Andere Sätze"]


def known(inspector: Inspector) -> list[int]:
    """Return the sentences that the inspector shows as known translations."""
    cards = inspector.findChildren(SentenceCard)
    return [card.hit.sentence.id for card in cards if card.hit.is_translation]


def is_known(inspector: Inspector, expected: list[int]) -> bool:
    return known(inspector) == expected


def test_each_sentence_of_a_confirmed_link_is_a_known_translation(
    make_view: MakeView, qtbot: QtBot
) -> None:
    view = make_view()
    state = view.state
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(AlignDocuments(source="Der Anzeiger", target="The Gazette"))
    qtbot.waitUntil(lambda: len(view.model) > 0, timeout=WAIT_MS)
    assert shapes(view)[4] == (2, 1)
    german, english = first_sentence_id(1), first_sentence_id(2)
    inspector = Inspector(state)
    qtbot.addWidget(inspector)
    inspector.show()
    state.select_sentence(english + 4)
    assert known(inspector) == []
    view.window().activateWindow()
    qtbot.waitUntil(view.board.hasFocus, timeout=WAIT_MS)
    view.board.select(4)
    QTest.keyClick(view.board, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: view.model.is_accepted(4), timeout=WAIT_MS)
    expected = {
        english + 4: [german + 4, german + 5],
        german + 4: [english + 4],
        german + 5: [english + 4],
    }
    for own, others in expected.items():
        state.select_sentence(own)
        qtbot.waitUntil(partial(is_known, inspector, others), timeout=WAIT_MS)
    assert state.project is not None
    table = PageModel(view)
    order = RangeOrder([(german, N)])
    table.show_ids(state.project.store, order, columns=(SENTENCE, TRANSLATIONS))
    counts = [table.index(row, 1).data() for row in range(3, 7)]
    assert counts == ["", "1", "1", ""]


def test_a_new_alignment_is_undone_and_made_again(
    make_view: MakeView, qtbot: QtBot
) -> None:
    view = make_view()
    state, menus = view.state, view.window().findChildren(QAction)
    params = AlignDocuments(source="Der Anzeiger", target="The Gazette")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(params)
    qtbot.waitUntil(lambda: view.model.alignment is not None, timeout=WAIT_MS)
    named = "Undo: add the pair set “Der Anzeiger – The Gazette (aligned)”"
    qtbot.waitUntil(
        lambda: named in [one.text() for one in menus],
        timeout=WAIT_MS,
    )
    window = view.window()
    assert isinstance(window, MainWindow)
    bar = window.message_bar
    assert bar.text.startswith("Der Anzeiger – The Gazette (aligned): 18 links")
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: view.model.alignment is None, timeout=WAIT_MS)
    assert bar.text == (
        "Undone. Deleted the pair set “Der Anzeiger – The Gazette (aligned)”."
    )
    bar.dismiss()
    assert bar.text == "", "the result, which is gone, does not come back"
    state.redo()
    qtbot.waitUntil(lambda: view.model.alignment is not None, timeout=WAIT_MS)


def test_changed_links_are_named_in_words_and_this_view_is_not_offered(
    make_view: MakeView, qtbot: QtBot
) -> None:
    view = make_view()
    window, state = view.window(), view.state
    assert isinstance(window, MainWindow)
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(AlignDocuments(source="Der Anzeiger", target="The Gazette"))
    qtbot.waitUntil(lambda: len(view.model) > 0, timeout=WAIT_MS)
    buttons = [one.text() for one in window.message_bar.findChildren(QPushButton)]
    assert "Read" in buttons
    assert "Align" not in buttons
    view.board.select(0)
    view.controller.actions["unlink"].trigger()
    parts = "1 unlinked source sentence and 1 unlinked target sentence"
    qtbot.waitUntil(lambda: shapes(view)[0] == (1, 0), timeout=WAIT_MS)
    state.undo()
    text = f"Undone. {parts} are a 1:1 link again."
    qtbot.waitUntil(lambda: window.message_bar.text == text, timeout=WAIT_MS)
