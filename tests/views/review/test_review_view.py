"""The review with an engine that answers as told: saving, crashes, empty pages."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QDialog, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.pairs.sets import first_pair_id
from app.errors import ErrorInfo
from app.protocol import commands, events
from app.protocol.base import encode_line
from app.protocol.edits.general import SaveViewState
from app.protocol.edits.pairs import JudgePairs
from app.views.review.dialogs import PairNoteDialog, RangeDialog, TagsDialog
from app.views.review.queue import QueueSettings
from app.views.review.view import ReviewView
from app.views.widgets.pair_differences import find_differences
from tests.engine.review.made import edit
from tests.views.clipping import press_everything
from tests.views.review.reviewed import N, Reviewed
from tests.views.reviewing import make_pairs, press, wait_for_queue
from tests.views.stage import build_project


def test_a_judgement_counts_as_saved_when_its_commit_is_told(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    first = view.session.queue.current
    assert first is not None
    press(view, Qt.Key.Key_A)
    assert view.session.queue.current == first + 1  # the next pair is there at once
    assert view.header.saved.text() == "1 judgement not saved yet"
    ticket = stage.client.sent[-1]
    assert isinstance(ticket, commands.Edit)
    stage.tell(events.Changed("pair", first))
    assert "not saved" in view.header.saved.text()  # it is not answered yet
    qtbot.waitUntil(lambda: view.header.saved.text() == "✓ Saved")


def test_an_answer_without_a_commit_saves_nothing(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    spy = QSignalSpy(view.session.outbox.changed)
    press(view, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: spy.count() >= 2)  # sent, answered
    assert view.header.saved.text() == "1 judgement not saved yet"
    assert not view.header.retry_button.isHidden()
    stage.commits = True
    view.header.retry_button.click()
    qtbot.waitUntil(lambda: view.header.saved.text() == "✓ Saved")


def test_what_a_dead_engine_had_is_sent_again(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    first = view.session.queue.current
    assert first is not None
    press(view, Qt.Key.Key_F)
    sent = stage.client.sent[-1]
    assert isinstance(sent, commands.Edit)
    stage.commits = True
    stage.tell(events.Refused(sent.ticket, ErrorInfo("crash", "It died.")))
    assert view.header.saved.text() == "1 judgement not saved yet"
    qtbot.waitUntil(lambda: view.header.saved.text() == "✓ Saved")
    assert stage.judged() == [JudgePairs(pairs=(first,), verdict="flag")] * 2


def test_a_refused_judgement_is_said_and_not_shown_as_made(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    errors = QSignalSpy(stage.state.error_posted)
    press(view, Qt.Key.Key_A)
    sent = stage.client.sent[-1]
    assert isinstance(sent, commands.Edit)
    stage.tell(events.Refused(sent.ticket, ErrorInfo("user", "It is gone.")))
    assert errors.count() == 1
    assert not view.session.outbox.unsaved


def test_what_differs_is_marked_and_said(view: ReviewView) -> None:
    assert view.page.text_view.source.text.marked == ["9:30"]
    assert view.page.text_view.target.text.marked == ["21:00"]
    assert view.page.score.numbers.text() == "numbers differ"
    score = view.page.score
    assert not score.numbers.isHidden()
    score.resize(260, score.heightForWidth(260))
    score.grab()
    for chip in (score.numbers, score.ratio):
        assert chip.width() >= chip.sizeHint().width()
        assert chip.geometry().bottom() < score.runner_up.y()


def test_the_explanation_shows_neighbours_and_how_alike_the_words_are(
    view: ReviewView, qtbot: QtBot
) -> None:
    strip = view.page.text_view.source.strip
    qtbot.waitUntil(lambda: bool(strip.pieces))
    assert [tuple(piece) for piece in strip.pieces] == [("The", 0.0), ("last", 0.5)]
    neighbours = view.page.source_neighbours.rows.neighbours
    assert [one.is_own for one in neighbours] == [True, False]
    assert neighbours[0].text.startswith("Die letzte Fähre")
    assert view.page.score.runner_up.text().startswith("Der Sturm hat zwei Boote")


def test_space_skips_a_pair_but_presses_a_button_that_has_the_keyboard(
    stage: Reviewed, view: ReviewView
) -> None:
    press(view, Qt.Key.Key_Space)
    assert [change.verdict for change in stage.judged()] == ["skip"]
    view.queue_bar.order.setFocus()
    press(view, Qt.Key.Key_Space)
    assert len(stage.judged()) == 1
    view.queue_bar.order.hidePopup()


def test_letters_typed_into_a_text_judge_nothing(
    stage: Reviewed, view: ReviewView
) -> None:
    press(view, Qt.Key.Key_E)
    press(view, Qt.Key.Key_A)
    text = view.page.text_view.texts[1]
    assert view.page.text_view.target.editor.toPlainText() == f"{text}a"
    press(view, Qt.Key.Key_Escape)
    assert stage.judged() == []
    assert not view.page.text_view.is_editing


def test_the_end_of_the_queue_says_what_to_do_next(view: ReviewView) -> None:
    for _ in range(N):
        press(view, Qt.Key.Key_J)
    assert view.empty_page.words[0] == "End of the queue"
    view.session.queue.go(0)
    assert view.page.pair is not None
    assert view.page.pair.id == view.session.queue.ids[0]


def test_place_and_unsaved_judgements_come_back_with_the_session(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    press(view, Qt.Key.Key_J)
    press(view, Qt.Key.Key_A)
    saved = view.save_state()
    assert len(saved["unsaved"]) == 1
    again = ReviewView(stage.state)
    qtbot.addWidget(again)
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.pair is not None)
    assert again.session.queue.place == 2
    qtbot.waitUntil(lambda: len(stage.judged()) == 2)  # it is sent by the new one


def test_a_set_of_pairs_that_goes_away_leaves_a_page_with_a_button(
    stage: Reviewed, view: ReviewView
) -> None:
    assert stage.state.project is not None
    stage.state.project.minings = []
    stage.state.minings_changed.emit()
    assert view.empty_page.words[0] == "No pairs yet"
    assert view.session.queue.current is None


def test_without_pairs_the_review_leads_to_mining(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Reviewed(build_project(tmp_path / "q.isogloss"))
    stage.open(qtbot)
    view = ReviewView(stage.state)
    qtbot.addWidget(view)
    wanted = QSignalSpy(stage.state.view_requests.mining_requested)
    view.commands["mine"].trigger()
    assert view.empty_page.words[0] == "No pairs yet"
    assert wanted.count() == 1
    assert not view.commands["accept"].isEnabled()
    stage.close()


def test_a_pair_is_copied_with_its_sources(view: ReviewView) -> None:
    view.commands["cite"].trigger()
    source, target = QGuiApplication.clipboard().text().splitlines()
    assert source.endswith("(0) (Harbour letters, English, line 1, p)")
    assert target.endswith("(0) (Hafenbriefe, May, German, line 1, p)")


@pytest.mark.parametrize(
    ("source", "target", "languages", "marked"),
    [
        ("At 9:30 sharp.", "Um 9.30 Uhr.", ("en", "de"), []),
        ("It cost 1,000 pounds.", "Es kostete 1.000 Pfund.", ("en", "de"), []),
        ("Page 12 of 30.", "Seite 12 von 31.", ("en", "de"), ["30", "31"]),
        ("Read ٤٢ pages.", "42 صفحة", ("en", "ar"), []),
        ("We met Jonas there.", "Wir trafen ihn dort.", ("en", "de"), ["Jonas"]),
        ("We met Jonas on Monday.", "Montag kam Jonas.", ("en", "de"), []),
        ("We met Jonas there.", "ヨナスに会った。", ("en", "ja"), []),
    ],
)
def test_numbers_and_names_without_a_counterpart_are_found(
    source: str, target: str, languages: tuple[str, str], marked: list[str]
) -> None:
    marks = find_differences(source, target, languages)
    found = [source[a:b] for a, b in (*marks.source_numbers, *marks.source_names)]
    found += [target[a:b] for a, b in (*marks.target_numbers, *marks.target_names)]
    assert found == marked


def test_tags_are_parted_as_any_script_parts_them(view: ReviewView) -> None:
    press(view, Qt.Key.Key_T)
    (dialog,) = view.window().findChildren(TagsDialog)
    dialog.field.setText("odd; too  free,#legal，三、四، قديم")
    assert dialog.read() == ["odd", "too free", "legal", "三", "四", "قديم"]


def test_the_keyboard_goes_to_the_pair_from_where_letters_mean_something_else(
    stage: Reviewed, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    names = QListWidget(window)
    names.addItems(["Review", "Align"])
    view = ReviewView(stage.state, window)
    view.resize(1200, 800)
    window.show()
    names.setFocus()
    wait_for_queue(view, qtbot.waitUntil)
    assert view.isAncestorOf(window.focusWidget())
    press(view, Qt.Key.Key_A)
    assert len(stage.judged()) == 1


def test_the_end_of_a_package_offers_to_return_its_judgements(
    stage: Reviewed, view: ReviewView
) -> None:
    project = stage.state.project
    assert project is not None
    (row,) = project.minings
    view.show()
    for kind, is_offered in (("mined", False), ("package", True)):
        mining = row._replace(kind=kind)
        view.empty_page.show_reason(mining, view.session.queue, {}, 0)
        buttons = view.empty_page.findChildren(QPushButton)
        words = [b.text() for b in buttons if not b.isHidden()]
        assert ("Return judgements…" in words) is is_offered


def filled_buttons(view: ReviewView) -> list[str]:
    buttons = view.empty_page.findChildren(QPushButton)
    return [b.text() for b in buttons if b.isVisible() and b.property("primary")]


def test_to_return_a_finished_package_is_the_main_action(
    stage: Reviewed, view: ReviewView
) -> None:
    assert stage.state.project is not None
    (row,) = stage.state.project.minings
    package = row._replace(kind="package")
    for _ in range(N):
        press(view, Qt.Key.Key_A)
    assert filled_buttons(view) == ["First pair"]
    for counts, filled in (
        ({"": 1, "accept": 5}, "First pair"),
        ({"": 0, "accept": 6}, "Return judgements…"),
    ):
        view.empty_page.show_reason(package, view.session.queue, counts, 0)
        assert filled_buttons(view) == [filled]
    view.empty_page.show_reason(row, view.session.queue, {"accept": 6}, 0)
    assert filled_buttons(view) == ["First pair"]


def test_neighbours_make_room_for_the_sentence(stage: Reviewed, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = ReviewView(stage.state, window)
    view.resize(1200, 900)
    window.show()
    wait_for_queue(view, qtbot.waitUntil)
    near, sides = view.page.source_neighbours, view.page.text_view
    assert near.isVisibleTo(view)
    view.resize(900, 420)
    qtbot.waitUntil(lambda: not near.isVisibleTo(view))

    def _is_in_sight() -> bool:
        top = sides.source.text.mapTo(sides.viewport(), QPoint(0, 0)).y()
        return 0 <= top <= sides.viewport().height() - sides.source.text.height()

    qtbot.waitUntil(_is_in_sight)
    view.resize(1200, 900)
    qtbot.waitUntil(lambda: near.isVisibleTo(view))


def test_sides_name_their_document_or_say_that_their_corpus_is_deleted(
    view: ReviewView,
) -> None:
    pair = view.session.shown
    assert pair is not None
    gone = pair._replace(source=pair.source._replace(corpus=""))
    view.page.text_view.show_pair(gone)
    head = view.page.text_view.source.header.text()
    assert head == "English · a deleted corpus · line 1"
    assert (
        view.page.text_view.target.header.text()
        == "German · Hafenbriefe · May · line 1"
    )


def begin_edit(view: ReviewView, text: str) -> int:
    """Open the editor of the current pair, and type a target; returns the pair's id."""
    pair = view.session.queue.current
    assert pair is not None
    press(view, Qt.Key.Key_E)
    view.page.text_view.target.editor.setPlainText(text)
    return pair


def test_a_text_that_is_too_long_stays_in_the_editor_and_is_not_sent(
    stage: Reviewed, view: ReviewView
) -> None:
    begin_edit(view, "ж" * 20_001)
    texts = view.page.text_view
    problem = (
        "Target text: 20,001 characters. Shorten it to 20,000 or fewer to save it."
    )
    assert texts.problem.text() == problem
    assert not texts.problem.isHidden()
    assert not texts.save_button.isEnabled()
    press(view, Qt.Key.Key_Return, ctrl=True)
    assert texts.editor_texts[1] == "ж" * 20_001
    assert stage.judged() == []
    assert view.header.saved.text() == "✓ Saved"
    texts.target.editor.setPlainText("ж" * 20_000)
    assert texts.problem.isHidden()
    press(view, Qt.Key.Key_Return, ctrl=True)
    (sent,) = stage.judged()
    assert sent.target_text == "ж" * 20_000
    assert not texts.is_editing


def test_an_edit_is_there_again_after_another_pair_was_shown(view: ReviewView) -> None:
    pair = begin_edit(view, "A draft.")
    view.session.queue.go(3)
    assert view.page.text_view.target.editor.isHidden()
    view.session.go_to(pair)
    assert not view.page.text_view.target.editor.isHidden()
    assert view.page.text_view.target.editor.toPlainText() == "A draft."
    press(view, Qt.Key.Key_Escape)
    view.session.queue.go(3)
    view.session.go_to(pair)
    assert not view.page.text_view.is_editing


def test_an_edit_that_is_too_long_comes_back_with_the_session(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    begin_edit(view, "ж" * 20_001)
    saved = view.save_state()
    encode_line(commands.Edit(1, SaveViewState(None, saved)))
    again = ReviewView(stage.state)
    qtbot.addWidget(again)
    again.restore_state(msgspec.json.decode(msgspec.json.encode(saved)))
    qtbot.waitUntil(lambda: again.page.pair is not None)
    assert again.page.text_view.is_editing
    assert again.page.text_view.target.editor.toPlainText() == "ж" * 20_001


def test_an_unsaved_judgement_of_a_former_version_that_is_too_long_becomes_a_draft(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    saved = view.save_state()
    change = {"change": "JudgePairs", "pairs": [saved["pair"]]}
    saved["unsaved"] = [
        {"change": change | {"target_text": "ж" * 20_001}, "made_at": 1.0}
    ]
    again = ReviewView(stage.state)
    qtbot.addWidget(again)
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.pair is not None)
    assert again.session.outbox.unsaved == []
    assert again.page.text_view.target.editor.toPlainText() == "ж" * 20_001


def test_a_refused_edit_stays_a_draft(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    pair = begin_edit(view, "A draft.")
    press(view, Qt.Key.Key_Return, ctrl=True)
    ticket = stage.client.sent[-1]
    assert isinstance(ticket, commands.Edit)
    stage.tell(events.Refused(ticket.ticket, ErrorInfo("user", "The disk is full.")))
    assert view.session.drafts.get(pair) == (None, "A draft.")
    qtbot.waitUntil(lambda: view.page.text_view.is_editing)
    assert view.page.text_view.target.editor.toPlainText() == "A draft."


@pytest.mark.parametrize(
    ("dialog_type", "text", "problem"),
    [
        (PairNoteDialog, "n" * 20_001, "The note has 20,001 characters."),
        (TagsDialog, "t" * 101, "Shorten the tag “tttttttttttttttttttt…”"),
    ],
)
def test_a_note_or_tag_that_is_too_long_is_not_cut(
    view: ReviewView, dialog_type: type[QDialog], text: str, problem: str
) -> None:
    press(view, Qt.Key.Key_N if dialog_type is PairNoteDialog else Qt.Key.Key_T)
    (dialog,) = view.window().findChildren(dialog_type)
    assert isinstance(dialog, PairNoteDialog | TagsDialog)
    if isinstance(dialog, PairNoteDialog):
        dialog.field.setPlainText(text)
    else:
        dialog.field.setText(text)
    assert dialog.problem.text().startswith(problem)
    assert not dialog.done_button.isEnabled()
    dialog.accept()
    assert dialog.isVisible()


def test_the_first_key_in_a_note_is_added_to_it(view: ReviewView) -> None:
    pair = view.session.shown
    assert pair is not None
    view.session.send(JudgePairs(pairs=(pair.id,), note="Too fre"))
    view.session.pair_changed.emit()
    press(view, Qt.Key.Key_N)
    (dialog,) = view.window().findChildren(PairNoteDialog)
    QTest.keyClicks(dialog.field, "e")
    assert dialog.field.toPlainText() == "Too free"


@pytest.mark.parametrize("key", [Qt.Key.Key_N, Qt.Key.Key_T])
def test_a_dialog_whose_change_is_refused_opens_again_with_its_input(
    stage: Reviewed, view: ReviewView, qtbot: QtBot, key: Qt.Key
) -> None:
    press(view, key)
    kind: type[QDialog] = PairNoteDialog if key == Qt.Key.Key_N else TagsDialog
    (dialog,) = view.window().findChildren(kind)
    assert isinstance(dialog, PairNoteDialog | TagsDialog)
    QGuiApplication.clipboard().setText("free, legal")
    dialog.field.selectAll()
    dialog.field.paste()
    dialog.done_button.click()
    assert dialog.isHidden()
    refuse_last(stage)
    assert dialog.isVisible()
    assert dialog.problem.text() == "The disk is full."
    dialog.field.selectAll()
    dialog.field.copy()
    assert QGuiApplication.clipboard().text() == "free, legal"

    stage.commits = True
    with qtbot.waitSignal(dialog.destroyed):
        dialog.done_button.click()


def test_the_range_dialog_opens_again_if_it_is_refused(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    view.controller.judge_range()
    (dialog,) = view.window().findChildren(RangeDialog)
    dialog.verdict.setCurrentIndex(0)
    QTest.keyClicks(dialog.lowest, "1.25")
    qtbot.waitUntil(dialog.done_button.isEnabled)
    dialog.done_button.click()
    refuse_last(stage)
    assert dialog.isVisible()
    assert dialog.lowest.text() == "1.25"
    assert dialog.problem.text() == "The disk is full."


def refuse_last(stage: Reviewed) -> None:
    sent = stage.client.sent[-1]
    assert isinstance(sent, commands.Edit)
    stage.tell(events.Refused(sent.ticket, ErrorInfo("user", "The disk is full.")))


def test_every_action_works_after_a_switch_to_another_project(
    stage: Reviewed, view: ReviewView, qtbot: QtBot, tmp_path: Path
) -> None:
    errors = QSignalSpy(stage.state.error_posted)
    press_everything(view)
    other = tmp_path / "other.isogloss"
    make_pairs(other, N)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    stage.folder = other
    view.hide()
    new = ReviewView(stage.state)
    qtbot.addWidget(new)
    new.show()
    wait_for_queue(new, qtbot.waitUntil)
    press_everything(new)
    assert errors.count() == 0


def test_typing_in_the_tags_adds_to_those_of_the_pair(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    pair = first_pair_id(1)
    with open_project(stage.folder) as project:
        edit(project, JudgePairs(pairs=(pair,), add_tags=("legal",)))
    stage.tell(events.Changed("pair", pair))
    press(view, Qt.Key.Key_T)
    (dialog,) = view.window().findChildren(TagsDialog)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.field.hasFocus)
    QTest.keyClicks(dialog.field, "free")
    dialog.accept()
    (change,) = stage.judged()
    assert (change.add_tags, change.remove_tags) == (("free",), ())


def test_the_filter_by_a_tag_that_nothing_has_any_more_is_removed(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    pair = first_pair_id(1)
    with open_project(stage.folder) as project:
        edit(project, JudgePairs(pairs=(pair,), add_tags=("legal",)))
        edit(project, JudgePairs(pairs=(pair,), remove_tags=("legal",)))
    view.session.load_current(QueueSettings(tag="legal"))
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    view.session.outbox.saved.emit(JudgePairs(pairs=(pair,), remove_tags=("legal",)))
    assert view.session.queue.settings == QueueSettings()
    assert view.queue_bar.tag.findData("legal") < 0
