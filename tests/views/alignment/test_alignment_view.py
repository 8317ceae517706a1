"""The alignment view: two columns, links between them, keys that mend them."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app.engine.project.project import Project, open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id
from app.params.mining import AlignDocuments
from app.protocol import events
from app.protocol.edits.alignments import SplitBead
from app.protocol.queries.encoders import EncodersQuery
from app.settings import Settings
from app.views.alignment.controller import AlignmentDialog
from app.views.alignment.view import AlignmentView
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.view_protocol import ReadingRequest
from tests.views.clipping import press_everything
from tests.views.editing import EditingClient, add_alignment
from tests.views.stage import Stage, build_project, link, painted_svg

ORDER = ("first", "second", "third", "fourth", "fifth")
ENGLISH = [f"The {word} boat." for word in ORDER]
ARABIC = ["القارب الأول.", "القارب الثاني.", "القارب الثالث.", "القارب الرابع."]
BEADS = ["1:1 0.9", "2:1 0.3", "1:1 0.6", "1:0 0", "0:1 0"]
Key = Qt.Key


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpora = {"Boats": ("en", ENGLISH), "قوارب": ("ar", ARABIC)}
    return build_project(tmp_path / "p.isogloss", corpora)


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with open_project(folder) as project:
        yield project


@pytest.fixture
def stage(folder: Path, project: Project) -> Iterator[Stage]:
    stage = Stage(folder, EditingClient())
    cast(EditingClient, stage.client).project = project
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    yield stage
    stage.close()


def open_view(stage: Stage, qtbot: QtBot) -> AlignmentView:
    stage.open(qtbot)
    view = AlignmentView(stage.state)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    view.focus_first()
    return view


@pytest.fixture
def view(stage: Stage, project: Project, qtbot: QtBot) -> AlignmentView:
    add_alignment(project, BEADS, "boats")
    return open_view(stage, qtbot)


def shapes(view: AlignmentView) -> str:
    """Return what the board shows: sentences of both sides, hands marked."""
    beads = view.model.beads
    return " ".join(
        f"{n}:{m}{'!' if view.model.is_accepted(index) else ''}"
        for index, (n, m) in enumerate(
            zip(beads.n_sources.tolist(), beads.n_targets.tolist(), strict=True)
        )
    )


def press(view: AlignmentView, key: Qt.Key, qtbot: QtBot, modifier: str = "No") -> None:
    """Press a key that changes links, and wait until they are read again."""
    modifiers = Qt.KeyboardModifier[f"{modifier}Modifier"]
    with qtbot.waitSignal(view.model.replaced):
        QTest.keyClick(view.board, key, modifiers)


def test_links_are_shown_in_the_order_of_the_documents(view: AlignmentView) -> None:
    assert shapes(view) == "1:1 2:1 1:1 1:0 0:1"
    assert view.header.counts.text() == (
        "3 links · 1 + 1 without a translation · 0 confirmed"
    )
    assert list(view.board.visible) == [0, 1, 2, 3, 4]


def test_keys_move_and_the_inspector_follows(view: AlignmentView) -> None:
    assert view.state.selection == first_sentence_id(1)
    QTest.keyClick(view.board, Key.Key_J)
    QTest.keyClick(view.board, Key.Key_Down)
    assert view.board.bead == first_pair_id(1) + 5
    QTest.keyClick(view.board, Key.Key_Right)
    assert view.state.selection == first_sentence_id(2) + 2
    QTest.keyClick(view.board, Key.Key_Down)
    assert view.state.selection == first_sentence_id(1) + 4  # nothing on the other side
    QTest.keyClick(view.board, Key.Key_End)
    QTest.keyClick(view.board, Key.Key_K)
    assert view.board.selection.place == 3


def test_a_click_chooses_a_sentence(view: AlignmentView) -> None:
    cell = view.board._layout.cells(1, "source")[1].center().toPoint()
    QTest.mouseClick(view.board.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    assert view.state.selection == first_sentence_id(1) + 2
    assert view.board.selection == (1, "source", 1)


def test_links_are_mended_by_keys_and_undone(view: AlignmentView, qtbot: QtBot) -> None:
    QTest.keyClick(view.board, Key.Key_J)
    press(view, Key.Key_S, qtbot)
    assert shapes(view) == "1:1 1:1! 1:0 1:1 1:0 0:1"
    press(view, Key.Key_Down, qtbot, "Shift")
    assert shapes(view) == "1:1 2:1! 1:1 1:0 0:1"
    press(view, Key.Key_Down, qtbot, "Control")
    assert shapes(view) == "1:1 2:2! 1:0 1:0 0:1"
    press(view, Key.Key_Up, qtbot, "Control")
    assert shapes(view) == "1:1 2:1! 1:1! 1:0 0:1"
    press(view, Key.Key_M, qtbot)
    assert shapes(view) == "1:1 3:2! 1:0 0:1"
    press(view, Key.Key_U, qtbot)
    assert shapes(view) == "1:1 3:0 0:2 1:0 0:1"
    for _ in range(6):
        with qtbot.waitSignal(view.model.replaced):
            view.state.undo()
    assert shapes(view) == "1:1 2:1 1:1 1:0 0:1"
    with qtbot.waitSignal(view.model.replaced):
        view.state.redo()
    assert shapes(view) == "1:1 1:1! 1:0 1:1 1:0 0:1"


def test_the_inspector_follows_links_that_are_undone(
    view: AlignmentView, qtbot: QtBot
) -> None:
    view.board.select(1, "source", 1)
    press(view, Key.Key_S, qtbot)
    view.board.select(2)
    with qtbot.waitSignal(view.model.replaced):
        view.state.undo()
    assert shapes(view) == "1:1 2:1 1:1 1:0 0:1"
    assert view.board.sentence is not None
    assert view.state.selection == view.board.sentence


def test_a_hidden_alignment_leaves_the_inspector_to_the_view_that_is_shown(
    view: AlignmentView, qtbot: QtBot
) -> None:
    view.board.select(1)
    QTest.keyClick(view.board, Key.Key_S)
    view.hide()
    view.state.select_sentence(first_sentence_id(2))  # of another view
    qtbot.waitUntil(lambda: shapes(view) == "1:1 1:1! 1:0 1:1 1:0 0:1")
    assert view.state.selection == first_sentence_id(2)
    view.show()
    view.focus_first()
    assert view.state.selection == view.board.sentence


def test_the_inspector_is_empty_without_an_alignment(
    view: AlignmentView, qtbot: QtBot
) -> None:
    assert view.state.selection is not None
    view.controller.actions["remove"].trigger()
    qtbot.waitUntil(lambda: view.model.alignment is None)
    assert view.state.selection is None


def test_a_deletion_and_an_insertion_are_linked_by_merging(
    view: AlignmentView, qtbot: QtBot
) -> None:
    view.board.select(3)
    press(view, Key.Key_M, qtbot)
    assert shapes(view) == "1:1 2:1 1:1 1:1!"
    assert view.board.selection.place == 3


def test_what_cannot_be_done_is_said_and_changes_nothing(
    view: AlignmentView, qtbot: QtBot
) -> None:
    view.board.select(3)
    with qtbot.waitSignal(view.state.notice_posted) as said:
        QTest.keyClick(view.board, Key.Key_S)
    assert said.args == ["One sentence alone can't be split."]
    assert shapes(view) == "1:1 2:1 1:1 1:0 0:1"


def test_a_confirmed_link_is_marked_and_the_next_one_chosen(
    view: AlignmentView, qtbot: QtBot
) -> None:
    press(view, Key.Key_A, qtbot)
    assert shapes(view) == "1:1! 2:1 1:1 1:0 0:1"
    assert view.board.selection.place == 1
    assert "1 confirmed" in view.header.counts.text()


def test_the_least_confident_comes_first_and_judged_ones_not_again(
    view: AlignmentView, qtbot: QtBot
) -> None:
    places = []
    for _ in range(4):
        QTest.keyClick(view.board, Key.Key_L)
        places.append(view.board.selection.place)
    assert places == [1, 2, 0, 1]
    press(view, Key.Key_A, qtbot)
    QTest.keyClick(view.board, Key.Key_L)
    assert view.board.selection.place == 0  # from the one after it, on
    view.board.select(4)
    QTest.keyClick(view.board, Key.Key_L)
    assert view.board.selection.place == 2


def test_the_least_confident_link_is_found_from_any_link(view: AlignmentView) -> None:
    for place in (0, 2, 3):
        view.board.select(place)
        QTest.keyClick(view.board, Key.Key_L)
        assert view.board.selection.place == 1


def test_an_alignment_of_many_links_reads_and_paints_what_is_seen(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    add_alignment(project, ["1:1 0.5"] * 9_000, "long")
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: view.model.is_whole)
    assert len(view.model) == 9_000
    QTest.keyClick(view.board, Key.Key_End)
    view.grab()
    assert view.board.visible.stop == 9_000
    assert len(view.board.visible) < 20
    assert len(view.board._sentences._blocks) < 8
    view.overview._go(view.overview.height() / 2)
    assert view.board.selection.place == 4_500


def test_what_is_looked_at_stays_when_links_before_it_change(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    add_alignment(project, ["1:1 0.5"] * 60, "long")
    view = open_view(stage, qtbot)
    view.board.select(40)
    bead, top = view.board.bead, view.board._layout.frame(40).top()
    with qtbot.waitSignal(view.model.replaced):
        view.state.edit(SplitBead(bead=first_pair_id(1) + 4))
    assert (view.board.bead, view.board.selection.place) == (bead, 41)
    assert view.board._layout.frame(41).top() == top


@pytest.mark.parametrize("is_resized", [True, False])
def test_the_selected_link_stays_visible_in_another_size(
    stage: Stage, project: Project, qtbot: QtBot, is_resized: bool
) -> None:
    add_alignment(project, ["1:1 0.5"] * 300, "long")
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: view.model.is_whole)
    board = view.board
    board.select(177)
    size = 100 if is_resized else 150
    for height, text_size in ((360, size), (700, 100), (360, size)):
        view.resize(700, height if is_resized else 600)
        stage.theme.apply(Settings(theme="light", text_scale=text_size))
        QApplication.processEvents()
        frame = board._layout.frame(177)
        assert 0 <= frame.top() < frame.bottom() <= board.viewport().height()
    stage.theme.apply(Settings(theme="light"))


def test_a_larger_text_does_not_scroll_back_to_the_selected_link(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    add_alignment(project, ["1:1 0.5"] * 300, "long")
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: view.model.is_whole)
    board = view.board
    board.select(177)
    board.verticalScrollBar().setValue(0)
    stage.theme.apply(Settings(theme="light", text_scale=150))
    QApplication.processEvents()
    assert board.visible.start == 0
    stage.theme.apply(Settings(theme="light"))


def test_nothing_aligned_offers_to_begin(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    assert view.empty.words[0] == "No documents are aligned yet"
    view.empty.findChildren(QPushButton)[0].click()
    (dialog,) = view.findChildren(AlignmentDialog)
    copy = "Copy as command"
    next(b for b in dialog.findChildren(QPushButton) if b.text() == copy).click()
    words = QGuiApplication.clipboard().text()
    assert "align-documents" in words
    assert "--source Boats --target قوارب" in words.replace("'", "")
    dialog.run_button.click()
    assert stage.client.runs() == [AlignDocuments(source="Boats", target="قوارب")]


def test_a_target_of_as_many_sentences_is_proposed_and_one_language_is_reported(
    tmp_path: Path, qtbot: QtBot
) -> None:
    corpora = {
        "news": ("en", ["One.", "Two.", "Three."]),
        "press": ("de", ["Vier.", "Fünf.", "Sechs.", "Sieben."]),
        "Nachrichten": ("de", ["Eins.", "Zwei.", "Drei."]),
        "novel": ("en", ["Eight.", "Nine."]),
    }
    stage = Stage(build_project(tmp_path / "q.isogloss", corpora))
    view = open_view(stage, qtbot)
    view.controller.actions["align"].trigger()
    (dialog,) = view.findChildren(AlignmentDialog)
    assert dialog.form.raw()["source"] == "news"
    assert dialog.form.raw()["target"] == "Nachrichten"
    assert dialog.needs == ""
    target = dialog.form.field("target").widget
    assert isinstance(target, QComboBox)
    target.setCurrentIndex(target.findData("novel"))
    assert dialog.needs == (
        "Both texts are English. Align links a text with its translation, so choose "
        "a target in another language."
    )
    target.setCurrentIndex(target.findData("press"))
    assert dialog.needs == ""
    dialog.reject()
    stage.close()


def test_lines_are_chosen_with_numbers_of_the_text(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.controller.actions["align"].trigger()
    (dialog,) = view.findChildren(AlignmentDialog)
    source, target = dialog.lines["source"], dialog.lines["target"]
    assert not source.first.isVisible()
    source.kind.setFocus()
    QTest.keyClick(source.kind, Key.Key_Down)
    assert source.first.isVisible()
    assert (source.first.value(), source.last.value()) == (1, len(ENGLISH))
    assert (source.last.maximum(), target.last.maximum()) == (5, 4)
    type_number(source.first, "4")
    type_number(source.last, "3")
    problem = "The last line is before the first: enter 4 or more."
    assert dialog.form.error_of("source_lines") == problem
    assert not dialog.run_button.isEnabled()
    type_number(source.last, "5")
    assert not dialog.form.error_of("source_lines")
    type_number(source.last, "6")  # the text has 5 lines
    assert source.last.value() == 5
    dialog.run_button.click()
    params = AlignDocuments(source="Boats", target="قوارب", source_lines="4-5")
    assert stage.client.runs() == [params]


def test_the_last_line_of_a_text_with_fewer_sentences_is_named(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    with project.store.begin() as connection:
        connection.execute(update(schema.sentence).values(line=12_400))
    view = open_view(stage, qtbot)
    view.controller.actions["align"].trigger()
    (dialog,) = view.findChildren(AlignmentDialog)
    words = "The text has 5 sentences. The last line is 12,400."
    assert words in [one.text() for one in dialog.findChildren(QLabel)]


def test_a_document_is_chosen_where_a_text_has_several(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    with project.store.begin() as connection:
        for first, name in ((0, "May"), (2, "June")):
            row = {"corpus_id": 1, "first": first, "n_sentences": 2, "name": name}
            connection.execute(insert(schema.document).values(row))
    stage.open(qtbot)
    values = AlignDocuments(source="Boats", target="قوارب")
    dialog = AlignmentDialog(stage.state, values)
    qtbot.addWidget(dialog)
    dialog.show()
    source, target = (
        dialog.form.field(f"{side}_document").widget for side in ("source", "target")
    )
    assert isinstance(source, QComboBox)
    assert source.isVisible()
    assert not target.isVisible()  # it has no documents
    names = [source.itemText(at) for at in range(source.count())]
    assert names == ["All documents", "May", "June"]
    source.setCurrentIndex(2)
    dialog.run_button.click()
    (params,) = stage.client.runs()
    assert params.source_document == "June"
    text = dialog.form.field("source").widget
    assert isinstance(text, QComboBox)
    text.setCurrentIndex(text.findData("قوارب"))
    assert not source.isVisible()
    assert source.currentData() == ""


def test_lines_follow_the_chosen_text(stage: Stage, qtbot: QtBot) -> None:
    stage.open(qtbot)
    values = AlignDocuments(source="Boats", target="قوارب", source_lines="2 – 5")
    dialog = AlignmentDialog(stage.state, values)
    qtbot.addWidget(dialog)
    lines, source = dialog.lines["source"], dialog.form.field("source").widget
    assert isinstance(source, QComboBox)
    assert lines.text == "2-5"
    source.setCurrentIndex(source.findData("قوارب"))
    assert lines.text == "2-4"
    source.setCurrentIndex(source.findData("Boats"))
    assert lines.text == "2-5"
    lines.kind.setCurrentIndex(0)
    assert lines.text == ""


def type_number(box: QSpinBox, text: str) -> None:
    """Replace the number of a box by typing."""
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)


def test_a_new_alignment_is_shown_when_it_is_done(
    view: AlignmentView, project: Project, qtbot: QtBot
) -> None:
    run = view.state.run(AlignDocuments(source="Boats", target="قوارب"))
    qtbot.waitUntil(lambda: bool(run.id))
    newest = add_alignment(project, ["5:4 0.8"], "all at once")
    client = view.state.client
    client.event_received.emit(events.Changed("mining", newest))
    client.event_received.emit(events.Finished(run.id, {"mining": newest}))
    qtbot.waitUntil(lambda: view.model.alignment_id == newest)
    assert shapes(view) == "5:4"
    assert view.header.selector.currentText() == "all at once"


def test_a_session_goes_on_where_it_was(
    view: AlignmentView, project: Project, qtbot: QtBot
) -> None:
    view.board.select(2, "target")
    kept = view.save_state()
    add_alignment(project, ["5:4 0.8"], "newer")
    assert view.state.project is not None
    view.state.project.reload({"mining"})
    other = AlignmentView(view.state)
    qtbot.addWidget(other)
    assert other.model.alignment_id == 2
    other.restore_state(kept)
    assert (other.model.alignment_id, other.board.bead) == (1, view.board.bead)
    assert other.board.selection.side == "target"
    other.restore_state({"mining": 99})
    assert other.model.alignment_id == 1


def test_an_alignment_is_renamed_removed_and_brought_back(
    view: AlignmentView, qtbot: QtBot
) -> None:
    view.controller.actions["rename"].trigger()
    (dialog,) = view.findChildren(TextInputDialog)
    dialog.field.setText("harbour")
    QTest.keyClick(dialog.field, Key.Key_Return)
    qtbot.waitUntil(lambda: view.header.selector.currentText() == "harbour")
    view.controller.actions["remove"].trigger()
    qtbot.waitUntil(lambda: view.model.alignment is None)
    assert view.messages.text == "Deleted harbour."
    view.messages.clear()
    view.state.undo()
    qtbot.waitUntil(lambda: view.model.alignment is not None)


def test_links_are_reviewed_and_exported(view: AlignmentView, qtbot: QtBot) -> None:
    view.board.select(2)
    with qtbot.waitSignal(view.state.view_requests.review_requested) as asked:
        view.controller.actions["review"].trigger()
    assert asked.args == [1, first_pair_id(1) + 5]
    view.controller.actions["export"].trigger()
    (dialog,) = view.findChildren(PairExportDialog)
    dialog.reject()


def test_a_project_open_for_reading_is_read(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    add_alignment(project, BEADS, "boats")
    stage.open(qtbot)
    assert stage.state.project is not None
    stage.state.project.is_read_only = True
    view = AlignmentView(stage.state)
    qtbot.addWidget(view)
    enabled = {
        name for name, action in view.controller.actions.items() if action.isEnabled()
    }
    assert enabled == {"next", "previous", "doubtful", "less_doubtful", "review"}


def test_a_link_says_what_its_number_means(view: AlignmentView) -> None:
    gutter = view.board._layout.gutter(view.board._layout.frame(1))
    words = view.board._explain(gutter.center())
    assert words.startswith("Confidence 30\u00a0%: (cosine")
    cell = view.board._layout.cells(0, "source")[0]
    assert view.board._explain(cell.center()) == ENGLISH[0]
    assert view.board._explain(QPoint(5, 590).toPointF()) == ""


def test_everything_works_after_a_switch_to_another_project(
    view: AlignmentView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    view.board.select(2)
    press_everything(view)
    corpora = {"Boats": ("en", ENGLISH), "قوارب": ("ar", ARABIC)}
    folder = build_project(tmp_path / "other.isogloss", corpora)
    with open_project(folder) as other:
        newest = add_alignment(other, ["1:1 0.9", "2:1 0.4"], "others")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(folder)
    qtbot.waitUntil(lambda: view.model.alignment_id == newest)
    qtbot.waitUntil(lambda: view.header.selector.currentText() == "others")
    QTest.keyClick(view.board, Key.Key_End)
    assert view.board.selection.place == 1
    press_everything(view)
    assert not errors


def test_the_selected_sentence_is_read_in_its_alignment(view: AlignmentView) -> None:
    view.board.select(1, "target")
    assert view.reading_request() == ReadingRequest(
        first_sentence_id(2) + 1,
        (first_sentence_id(1), first_sentence_id(2)),
        view.model.alignment_id,
    )


def test_line_numbers_have_separators_of_thousands(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    with project.store.begin() as connection:
        connection.execute(update(schema.sentence).values(line=12_400))
    add_alignment(project, BEADS, "boats")
    view = open_view(stage, qtbot)
    assert ">12,400<" in painted_svg(view.board)


def test_the_names_of_the_texts_are_whole_beside_the_counts(
    view: AlignmentView, stage: Stage
) -> None:
    header = view.header
    assert header.counts.isVisible()
    shown = header.counts.text()
    view.resize(420, 640)
    QApplication.processEvents()
    assert not header.counts.isVisible()
    labels = header.findChildren(QLabel)
    assert [one.text() for one in labels if one.isVisible()].count(shown) == 1
    for name in header.findChildren(ElidedLabel):
        assert name.width() >= name.fontMetrics().horizontalAdvance(name.text())


def test_texts_that_were_imported_with_links_need_no_alignment(
    tmp_path: Path, qtbot: QtBot
) -> None:
    folder = build_project(
        tmp_path / "q.isogloss",
        {"news": ("en", ["One.", "Two."]), "Presse": ("de", ["Eins.", "Zwei."])},
    )
    link(folder, [(first_sentence_id(1) + n, first_sentence_id(2) + n) for n in (0, 1)])
    view = open_view(Stage(folder), qtbot)
    heading, text = view.empty.words
    assert heading == "The texts are linked already"
    assert "so you can read them" in text
    (button,) = (
        one
        for one in view.empty.findChildren(QPushButton)
        if one.text() == "Read linked texts"
    )
    assert not button.isHidden()
    with qtbot.waitSignal(view.state.view_requests.reading_requested) as asked:
        button.click()
    assert asked.args == [ReadingRequest(first_sentence_id(1))]


def test_a_low_view_has_room_for_links(view: AlignmentView, qapp: QApplication) -> None:
    heights, n_pixels = [], []
    for height in (800, 400):
        view.resize(420, height)
        for _ in range(3):
            qapp.processEvents()
        layout = view.board._layout
        heights.append(layout.span(1)[1] - layout.span(1)[0])
        n_pixels.append(view.height() - view.board.height())
        texts = [one.text() for one in view.findChildren(QLabel) if one.isVisible()]
        assert view.header.counts.text() in texts
    assert heights[1] < heights[0]
    assert n_pixels[1] < n_pixels[0]
