"""The corpora view lists, finds, sorts, encodes, renames and deletes."""

import json
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app.engine.edits.journal import apply_edit
from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.engine.store.subcorpora import SubcorpusRow
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.protocol import commands, events
from app.protocol.edits.general import (
    RenameCorpus,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    Undo,
)
from app.protocol.edits.labels import LabelSentences
from app.protocol.queries.search import OrderQuery
from app.settings import Settings
from app.views.corpora.corpus_list import CorpusList, find_statuses
from app.views.corpora.import_controller import ImportController
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_report import ImportReportDialog
from app.views.corpora.layout import CorpusHeader
from app.views.corpora.subcorpus_steps import describe_step
from app.views.corpora.view import CorporaView
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.sentence_label import FullTextPopup
from app.views.widgets.theme import Theme, mark_colour
from app.views.widgets.two_line_list import PADDING
from tests.views.dialog_design import command_forms
from tests.views.stage import Stage, build_project, sentence_id


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss", is_encoded=False))
    stage.client.answers[OrderQuery] = lambda query: order(stage, query)
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> CorporaView:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    return view


def order(stage: Stage, query: OrderQuery) -> dict[str, Any]:
    """Answer as the engine would, with the rows the other way round."""
    ids = [sentence_id(corpus, n) for corpus in query.corpora for n in (2, 1, 0)]
    folder = stage.folder / "arrays" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "v.npy", np.array(ids, dtype=np.int64))
    return {"file": "arrays/views/v.npy", "n": len(ids)}


def texts(view: CorporaView) -> list[str]:
    model = view.page.table.page_model
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def test_the_first_corpus_is_shown(view: CorporaView) -> None:
    assert [corpus.name for corpus in view.chosen] == ["Harbour letters"]
    assert texts(view)[2] == "So we are staying one more night."


def test_the_name_of_a_corpus_has_its_whole_line(view: CorporaView) -> None:
    list_ = view.list
    (first, *_) = list_.chosen
    list_.show_corpora([first._replace(name="M" * 60)], {first.id: "encoded"})
    index = list_.model().index(0, 0)
    assert "M" * 60 in str(index.data(Qt.ItemDataRole.ToolTipRole))
    row = list_.visualRect(index)
    picture = list_.viewport().grab(row).toImage()
    near_end = range(row.width() - PADDING - 14, row.width() - PADDING)
    title = range(PADDING, row.height() // 2 - 6)
    colours = {picture.pixelColor(x, y).name() for x in near_end for y in title}
    assert len(colours) > 1  # letters next to the edge, above the status


def test_several_corpora_are_shown_with_their_languages(view: CorporaView) -> None:
    view.list.choose([2, 4])
    keys = [column.key for column in view.page.table.page_model.columns]
    assert "language" in keys
    assert len(texts(view)) == 6


def test_a_column_names_the_corpora_only_where_there_are_several(
    view: CorporaView,
) -> None:
    model = view.page.table.page_model

    def _titles() -> list[str]:
        return [model.title(column) for column in range(model.columnCount())]

    assert "Corpus" not in _titles()
    view.list.choose([2, 4])
    index = _titles().index("Corpus")
    assert _titles()[index - 1] == "Sentence"
    names = [model.index(row, index).data() for row in (0, 5)]
    assert names == ["Hafenbriefe", "港の手紙"]
    assert not view.page.table.isColumnHidden(index)
    view.list.choose([2])
    assert "Corpus" not in _titles()


def test_a_click_on_a_header_sorts_by_the_engine_s_order(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    header = view.page.table.horizontalHeader()
    with qtbot.waitSignal(view.sentences_shown):
        header.sectionClicked.emit(2)
    assert stage.client.queries(OrderQuery)[-1].order_by == "length"
    assert texts(view)[0] == "So we are staying one more night."
    with qtbot.waitSignal(view.sentences_shown):
        header.sectionClicked.emit(2)
    assert stage.client.queries(OrderQuery)[-1].descending
    header.sectionClicked.emit(2)  # the order of the file again, without the engine
    assert texts(view)[2] == "So we are staying one more night."


def test_find_asks_for_what_was_typed(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    QTest.keyClicks(view.page.find_field, "storm")
    with qtbot.waitSignal(view.sentences_shown):
        QTest.keyClick(view.page.find_field, Qt.Key.Key_Return)
    assert stage.client.queries(OrderQuery)[-1].find == "storm"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_found_is_marked_in_the_selected_row_too(
    scheme: Literal["light", "dark"],
    view: CorporaView,
    theme: Theme,
    qtbot: QtBot,
) -> None:
    theme.apply(Settings(theme=scheme))
    table = view.page.table
    QTest.keyClicks(view.page.find_field, "the")
    with qtbot.waitSignal(view.sentences_shown):
        QTest.keyClick(view.page.find_field, Qt.Key.Key_Return)
    mark = QColor(mark_colour(theme.tokens))

    def count_marked() -> int:
        index = table.visualRect(table.page_model.index(1, 1))
        image = table.viewport().grab(index).toImage()
        points = product(range(image.width()), range(image.height()))
        return sum(image.pixelColor(x, y) == mark for x, y in points)

    table.selectRow(0)
    before = count_marked()
    table.selectRow(1)
    after = count_marked()
    theme.apply(Settings(theme="light"))
    assert before > 50
    assert after == pytest.approx(before, rel=0.1)


def test_a_selected_row_is_the_selection_of_the_window(
    view: CorporaView, stage: Stage
) -> None:
    view.page.table.selectRow(1)
    assert stage.state.selection == sentence_id(1, 1)


def test_space_shows_the_whole_text(view: CorporaView) -> None:
    view.page.table.selectRow(1)
    QTest.keyClick(view.page.table, Qt.Key.Key_Space)
    popup = view.findChild(FullTextPopup)
    assert popup is not None
    assert "ferry" in popup.findChildren(QLabel)[0].text()
    QTest.keyClick(popup, Qt.Key.Key_Space)
    assert not popup.isVisible()


def test_encode_makes_vectors_of_the_chosen_corpora(
    view: CorporaView, stage: Stage
) -> None:
    view.list.choose([1, 3])
    view.corpus_controller.encode_action.trigger()
    assert stage.client.runs() == [Encode(corpora=("1", "3"))]


def test_buttons_stay_in_place_when_encode_goes(view: CorporaView) -> None:
    view.list.choose([1])
    QApplication.processEvents()
    shown = [one for one in view.header.findChildren(QPushButton) if one.isVisible()]
    places = {one.text(): one.mapTo(view, QPoint()) for one in shown}
    encode = next(one for one in shown if one.text() == "Encode")
    view.corpus_controller.encode_action.setEnabled(False)
    QApplication.processEvents()
    assert encode.isHidden()
    assert {one.text(): one.mapTo(view, QPoint()) for one in shown} == places


def test_the_facts_of_several_corpora_say_what_is_encoded(
    view: CorporaView,
) -> None:
    view.list.choose([1, 3])
    texts = [label.text() for label in view.findChildren(QLabel)]
    (facts,) = [text for text in texts if text.endswith("encoded")]
    assert facts.endswith(" languages · 0 corpora encoded")


def test_statuses_are_told_apart(stage: Stage) -> None:
    project = stage.state.project
    assert project is not None
    statuses = find_statuses(project.corpora, [], {"2", "港の手紙"})
    assert list(statuses.values()) == [
        "not encoded",
        "encoding",
        "not encoded",
        "encoding",
    ]


def test_delete_offers_to_undo(view: CorporaView, stage: Stage, qtbot: QtBot) -> None:
    view.list.choose([2])
    view.corpus_controller.delete_action.trigger()
    qtbot.waitUntil(lambda: view.messages.text != "")
    assert view.messages.text == "Deleted Hafenbriefe (3 sentences)."
    stage.state.undo()
    assert stage.client.changes() == [SetCorpusState((2,), "deleted"), Undo()]


def test_after_a_deletion_the_next_corpus_is_selected_and_the_list_has_the_focus(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    for id_, next_id in ((2, 3), (4, 3)):
        view.list.choose([id_])
        (button,) = (
            one
            for one in view.header.findChildren(QPushButton)
            if one.text() == "Delete" and one.isVisible()
        )
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Return)
        assert view.focusWidget() is view.list
        with open_project(stage.folder) as project, project.store.begin() as connection:
            of_it = schema.corpus.c.id == id_
            connection.execute(
                update(schema.corpus).where(of_it).values(state="deleted")
            )
        assert stage.state.project is not None
        stage.state.project.reload({"corpus"})
        stage.state.corpora_changed.emit()
        assert [corpus.id for corpus in view.chosen] == [next_id]


def test_rename_asks_for_a_name(view: CorporaView, stage: Stage) -> None:
    view.corpus_controller.rename()
    dialog = view.findChildren(TextInputDialog)[0]
    dialog.field.setText("Ferry letters")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert stage.client.changes() == [RenameCorpus(1, "Ferry letters")]


def test_the_language_is_corrected_by_name_or_code(
    view: CorporaView, stage: Stage
) -> None:
    view.corpus_controller.correct_language()
    dialog = view.findChildren(TextInputDialog)[0]
    assert dialog.field.text() == "English (en)"
    (button,) = (b for b in dialog.findChildren(QPushButton) if b.isDefault())
    dialog.field.setText("Blorbish")
    assert not button.isEnabled()
    words = [label.text() for label in dialog.findChildren(QLabel)]
    assert any("no language with this name or code" in text for text in words)
    dialog.field.setText("x-blorbish")
    assert button.isEnabled()
    dialog.field.setText("deu")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert stage.client.changes() == [SetCorpusLanguage(1, "deu")]


def test_what_is_imported_is_shown_and_encoded_when_wanted(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    params = ImportCorpus(files=(Path("/a.txt"),), languages=("de",))
    with qtbot.waitSignal(stage.state.runs_changed):
        view.imports.run([params], True)
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    run = stage.state.runs[0].id
    view.page.find_field.setText("ferry")
    (clear_button,) = view.page.find_field.findChildren(QToolButton)
    qtbot.waitUntil(lambda: clear_button.property("opacity") == 1)
    finished = events.Finished(run, {"corpora": [{"id": 2}]})
    stage.client.event_received.emit(finished)
    assert stage.client.runs()[-1] == Encode(corpora=("2",))
    assert [corpus.id for corpus in view.chosen] == [2]
    assert view.page.find_field.text() == ""
    qtbot.waitUntil(lambda: clear_button.property("opacity") == 0)
    assert texts(view)[0] == "Der Wind dreht seit Mittag auf Nordwest."


def test_an_import_that_was_interrupted_is_resumed_not_repeated(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    params = ImportCorpus(files=(Path("/big.en"),), languages=("en",))
    with open_project(stage.folder) as project:
        run = queue_run(project, params)
        with project.store.begin() as connection:
            connection.execute(update(schema.run).values(state="interrupted"))
    assert stage.state.project is not None
    stage.state.project.reload({"run"})
    view.imports.run([params], True)
    saved = view.imports.save_state()
    (sent,) = [one for one in stage.client.sent if isinstance(one, commands.Run)]
    assert (sent.params, sent.resume) == (params, run)
    # The wish to encode outlives the window.
    stage.client.sent.clear()
    later = ImportController(stage.state, view)
    later.restore_state(saved)
    finished = events.Finished(run, {"corpora": [{"id": 2}]})
    stage.client.event_received.emit(finished)
    assert stage.client.runs() == [Encode(corpora=("2",))] * 2, "of both controllers"
    other = ImportCorpus(files=(Path("/big.en"),), languages=("fr",))
    view.imports.run([other], False)
    *_, repeated = [one for one in stage.client.sent if isinstance(one, commands.Run)]
    assert repeated.resume is None, "with other settings"


def test_corpora_imported_together_are_selected_and_encoded_together(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    imports = [ImportCorpus(files=(Path(name),)) for name in ("/notes", "/phrases")]
    view.imports.run(imports, True)
    qtbot.waitUntil(lambda: all(run.id for run in stage.state.runs))
    first, second = (run.id for run in stage.state.runs)
    finished = events.Finished(first, {"corpora": [{"id": 2}]})
    stage.client.event_received.emit(finished)
    assert [corpus.id for corpus in view.chosen] == [2]
    finished = events.Finished(second, {"corpora": [{"id": 3}, {"id": 4}]})
    stage.client.event_received.emit(finished)
    assert [corpus.id for corpus in view.chosen] == [2, 3, 4]
    assert stage.client.runs() == [*imports, Encode(corpora=("2", "3", "4"))]


def test_selected_sentences_are_exported_and_copied(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view.page.table.selectAll()
    with qtbot.waitSignal(stage.state.file_written) as written:
        view.sentence_controller.ask_export().export_to(tmp_path / "s.tsv")
    lines = (tmp_path / "s.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[1].split("\t")[:3] == ["Harbour letters", "1", "en"]
    assert len(lines) == 4
    assert written.args[0] == tmp_path / "s.tsv"
    assert written.args[1].startswith("3 rows were written")
    view.sentence_controller.copy_action.trigger()
    assert "(Harbour letters, English, line 3, p)" in QGuiApplication.clipboard().text()


def test_the_whole_list_is_exported_if_nothing_is_selected(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view.page.table.clearSelection()
    with qtbot.waitSignal(stage.state.file_written) as written:
        view.sentence_controller.ask_export().export_to(tmp_path / "s.tsv")
    lines = (tmp_path / "s.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert written.args[1].startswith("3 rows were written")


def test_all_sentences_are_proposed_for_an_export_if_only_one_is_selected(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view.page.table.select_sentence(sentence_id(1, 1))  # as any click does
    dialog = view.sentence_controller.ask_export()
    box = dialog.rows_box
    assert box.isVisible()
    assert dialog.height() >= dialog.sizeHint().height()  # the preview keeps its rows
    choices = [box.itemText(place) for place in range(box.count())]
    assert choices == ["All 3 sentences", "The selected sentence"]
    assert box.currentIndex() == 0
    assert dialog.preview.count.text() == "3 rows."
    box.setCurrentIndex(1)
    assert dialog.preview.count.text() == "1 row."
    with qtbot.waitSignal(stage.state.file_written) as written:
        dialog.export_to(tmp_path / "s.tsv")
    assert written.args[1].startswith("1 row was written")
    selection = view.page.table.selectionModel()
    rows = QItemSelectionModel.SelectionFlag.Rows
    index = view.page.table.page_model.index(0, 0)
    selection.select(index, QItemSelectionModel.SelectionFlag.Select | rows)
    dialog = view.sentence_controller.ask_export()
    assert dialog.rows_box.currentText() == "The 2 selected sentences"
    assert dialog.preview.count.text() == "2 rows."


def test_exported_sentences_have_their_label_and_note(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    with open_project(stage.folder) as project:
        change = LabelSentences(sentences=(sentence_id(1, 1),), class_name="weather")
        apply_edit(project, change, lambda *_: None)
        apply_edit(project, SetNote(sentence_id(1, 2), "one\nmore"), lambda *_: None)
    with qtbot.waitSignal(stage.state.file_written):
        view.sentence_controller.ask_export().export_to(tmp_path / "s.jsonl")
    lines = (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["label"] for row in rows] == ["", "weather", ""]
    assert [row["note"] for row in rows] == ["", "", "one\nmore"]


def test_an_export_to_a_folder_that_is_not_there_keeps_the_input(
    view: CorporaView, tmp_path: Path
) -> None:
    view.page.table.selectAll()
    dialog = view.sentence_controller.ask_export()
    dialog.export_to(tmp_path / "nowhere" / "s.tsv")
    assert dialog.isVisible()
    assert dialog.error == (
        f"The folder {tmp_path / 'nowhere'} doesn't exist. Choose another place."
    )
    assert dialog.file.path == tmp_path / "nowhere" / "s.tsv"


def test_a_sentence_is_shown_in_its_place(view: CorporaView, stage: Stage) -> None:
    view.page.find_field.setText("storm")
    view.show_sentence(sentence_id(3, 2))
    assert [corpus.id for corpus in view.chosen] == [3]
    assert view.page.find_field.text() == ""
    assert view.page.table.current_id == sentence_id(3, 2)
    assert stage.state.selection == sentence_id(3, 2)


def test_a_session_comes_back(view: CorporaView, stage: Stage, qtbot: QtBot) -> None:
    view.list.choose([2, 4])
    with qtbot.waitSignal(view.sentences_shown):
        view.page.table.horizontalHeader().sectionClicked.emit(3)
    view.page.table.select_sentence(sentence_id(4, 1))
    saved = view.save_state()
    other = CorporaView(stage.state)
    qtbot.addWidget(other)
    other.resize(1000, 700)
    other.show()
    with qtbot.waitSignal(other.sentences_shown):
        other.list.choose([2, 4])
    with qtbot.waitSignal(other.sentences_shown):
        other.restore_state(saved)
    assert other.save_state() == saved
    assert other.page.table.current_id == sentence_id(4, 1)


def test_a_state_of_another_version_is_forgiven(view: CorporaView) -> None:
    view.restore_state({})
    view.restore_state({"corpora": [99], "page": {"current": "x", "top": None}})
    assert len(view.chosen) == 1


def test_an_empty_project_says_what_to_do(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "empty.isogloss", {}))
    stage.open(qtbot)
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.show()
    labels = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]
    assert "No corpus yet" in labels
    buttons = [one for one in view.findChildren(QPushButton) if one.isVisible()]
    assert {"Import…", "Import a folder…"} <= {button.text() for button in buttons}
    stage.state.run(ImportCorpus(files=(Path("/a.txt"),)))
    labels = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]
    assert "Importing…" in labels
    stage.close()


def test_a_press_on_a_header_selects_nothing(view: CorporaView, qtbot: QtBot) -> None:
    view.page.table.selectRow(1)
    header = view.page.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(2) + 20, header.height() // 2)
    with qtbot.waitSignal(view.sentences_shown):
        QTest.mouseClick(
            header.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            place,
        )
    assert view.page.table.sort_key == "length"
    assert view.page.table.n_selected == 1


def test_the_delete_key_deletes_corpora_in_their_list_only(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    view.page.table.setFocus()
    QTest.keyClick(view.page.table, Qt.Key.Key_Delete)
    assert not stage.client.changes()
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Delete)
    assert stage.client.changes() == [SetCorpusState((1,), "deleted")]


def test_in_a_narrow_window_no_button_is_cut_and_the_sentence_has_the_room(
    view: CorporaView,
) -> None:
    for width in (560, 900, 1400):
        view.resize(width, 600)
        view.grab()
        for button in view.header.findChildren(QPushButton):
            if button.isVisible():
                assert button.width() >= button.sizeHint().width(), button.text()
                place = button.mapTo(view.header, button.rect().bottomRight())
                assert view.header.rect().contains(place), button.text()
        table = view.page.table
        others = table.columnWidth(0) + table.columnWidth(2)
        assert table.columnWidth(1) == table.viewport().width() - others
        assert table.isColumnHidden(2) == (table.viewport().width() < 200 + 64 + 72)


def test_beside_the_hidden_sentences_nothing_is_cut_in_a_narrow_window(
    tmp_path: Path, qtbot: QtBot
) -> None:
    folder = build_project(tmp_path / "p.isogloss", is_encoded=False)
    with open_project(folder) as project, project.store.begin() as connection:
        for n, state in enumerate(("hidden", "removed")):
            row = {"sentence_id": sentence_id(1, n), "state": state, "step": 1}
            connection.execute(insert(schema.hidden).values(row))
    stage = Stage(folder)
    stage.client.answers[OrderQuery] = lambda query: order(stage, query)
    stage.open(qtbot)
    view, window = CorporaView(stage.state), QWidget()
    for widget in (view, window):
        qtbot.addWidget(widget)
    view.setParent(window)  # then it is as narrow as it is told to be
    window.show()
    view.show()
    for width in (500, 900):
        view.resize(width, 600)
        view.grab()
        bar, shown = view.page.hidden_bar, []
        for part in (view.page.find_field, *bar.findChildren(QWidget)):
            if part.isVisible():
                least = part.minimumSizeHint()
                assert part.width() >= least.width(), (width, part)
                assert part.height() >= least.height(), (width, part)
                shown.append(part.rect().translated(part.mapTo(view, QPoint())))
        assert len(shown) == 4
        assert not any(one.intersects(two) for one, two in combinations(shown, 2))
    view.setParent(None)
    stage.close()


def test_rows_of_other_corpora_are_never_shown_below_a_header(
    tmp_path: Path, qtbot: QtBot
) -> None:
    folder = build_project(tmp_path / "p.isogloss", is_encoded=False)
    with open_project(folder) as project, project.store.begin() as connection:
        row = {"sentence_id": sentence_id(2, 0), "state": "hidden", "step": 1}
        connection.execute(insert(schema.hidden).values(row))
    stage = Stage(folder)
    stage.client.answers[OrderQuery] = lambda query: order(stage, query)
    stage.open(qtbot)
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.show()
    assert texts(view)
    view.list.choose([2])
    assert texts(view) == [], "the engine makes the order"
    with qtbot.waitSignal(view.page.shown):
        pass
    assert len(texts(view)) == 3
    view.list.choose([1])
    view.list.choose([2])
    view.list.choose([3])  # shown at once: the answer for the second comes later
    shown = texts(view)
    qtbot.wait(50)
    assert texts(view) == shown
    stage.close()


def test_fields_are_imported_for_any_corpus_or_its_file_is_imported_again(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    (action,) = [one for one in view.actions() if "Import fields" in one.text()]
    assert action.isEnabled()
    file = tmp_path / "Harbour letters.tsv"
    file.write_text("author\ttext\nMeer\tThe wind is cold.\n", encoding="utf-8")
    with open_project(stage.folder) as project, project.store.begin() as connection:
        connection.execute(update(schema.corpus).values(source=str(file)))
    stage.client.event_received.emit(events.Changed("corpus", 1))
    qtbot.waitUntil(lambda: view.chosen[0].source == str(file))
    action.trigger()
    assert "Harbour letters has no documents" in view.messages.text
    (again,) = [
        one for one in view.findChildren(QPushButton) if one.text() == "Import again…"
    ]
    again.click()
    (dialog,) = view.findChildren(ImportDialog)
    assert dialog.form.documents is not None
    dialog.reject()
    view.list.choose([1, 2])
    assert not action.isEnabled()


def test_the_report_of_several_corpora_can_be_selected(
    view: CorporaView, stage: Stage, qtbot: QtBot
) -> None:
    with open_project(stage.folder) as project, project.store.begin() as connection:
        report = json.dumps({"n_read": 4, "n_refused": 1})
        connection.execute(update(schema.corpus).values(report=report))
    stage.client.event_received.emit(events.Changed("corpus", 1))
    view.list.choose([1, 2])
    qtbot.waitUntil(lambda: view.corpus_controller.actions[5].isEnabled())
    view.corpus_controller.show_report()
    (dialog,) = view.findChildren(ImportReportDialog)
    assert dialog.windowTitle() == "Import report of Harbour letters"
    dialog.corpora.setCurrentIndex(1)
    assert dialog.windowTitle() == "Import report of Hafenbriefe"
    dialog.close()


def test_the_advice_of_an_empty_view_is_shown_whole(
    tmp_path: Path, qtbot: QtBot
) -> None:
    page = EmptyState("No corpus yet", "Import a text, a table or a TMX; " * 4)
    qtbot.addWidget(page)
    page.resize(700, 500)
    page.show()
    label = next(one for one in page.findChildren(QLabel) if "TMX" in one.text())
    assert label.height() >= label.heightForWidth(label.width())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("field year=1850..1890", "Field year: 1850 – 1890"),
        ("field year=1850..", "Field year: from 1850"),
        ("not field date=..1850-06", "not Field date: up to 1850-06"),
        ("field author=Anna", "Field author: Anna"),
        ("field author=", "Field author: no value"),
        ("words haus*", "Words: haus*"),
        ("language de", "Language: German"),
        ("length max=90", "Length: max 90"),
        ("near text='the sea' top=60", "Meaning: the sea, top 60"),
        ("near text=sea top=1500000", "Meaning: sea, top 1,500,000"),
        ("near text=sea cosine=0.5", "Meaning: sea, cosine 0.5"),
        ("translated into=de accepted=true", "Translated: German, accepted"),
        ("label", "Label"),
        ("wrods sea", "wrods sea"),
    ],
)
def test_steps_are_described_in_words(line: str, words: str) -> None:
    assert describe_step(line) == words


def test_the_header_of_a_sub_corpus_has_the_steps_in_words(qtbot: QtBot) -> None:
    header = CorpusHeader()
    qtbot.addWidget(header)
    steps = ("language en", "length max=90", "near text='boats at sea' top=60")
    part = SubcorpusRow(1, "Sea", "ready", (), steps, "a", 60, {1: 60}, None, 0.0)
    header.show_part(part)
    assert command_forms(header) == []
    words = "60 sentences · " + " → ".join(map(describe_step, steps))
    assert words in [label.text() for label in header.findChildren(QLabel)]


def test_the_selected_corpus_is_visible_in_a_long_list(
    stage: Stage, qtbot: QtBot
) -> None:
    shown, first = CorpusList(), stage.state.corpora[0]
    qtbot.addWidget(shown)
    shown.resize(220, 300)
    shown.show()
    rows = [first._replace(id=100 + n, name=f"Corpus {n}") for n in range(40)]
    shown.show_corpora(rows[:-1], {})
    shown.show_corpora(rows, {})  # as after an import
    shown.choose([rows[-1].id])
    index = shown.visualRect(shown.model().index(39, 0))
    assert shown.viewport().rect().contains(index.center())
    shown.show_corpora(rows[1:], {})  # another one is deleted
    index = shown.visualRect(shown.model().index(38, 0))
    assert shown.viewport().rect().contains(index.center())


def test_columns_follow_the_size_of_the_text_and_have_whole_titles(
    view: CorporaView, stage: Stage
) -> None:
    table = view.page.table
    header = table.horizontalHeader()
    before = [header.sectionSize(n) for n in range(header.count())]
    stage.theme.apply(Settings(theme="light", text_scale=150))
    try:
        for number, column in enumerate(table.page_model.columns):
            if not column.is_text and not table.isColumnHidden(number):
                assert header.sectionSize(number) >= header.sectionSizeHint(number)
                assert header.sectionSize(number) > before[number]
    finally:
        stage.theme.apply(Settings(theme="light"))
    assert [header.sectionSize(n) for n in range(header.count())] == before
