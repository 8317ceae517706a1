"""The editors of a pair: the caret, and the keys that are shown."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.pairs.sets import first_pair_id
from app.protocol import events
from app.protocol.edits.pairs import SwapRunnerUp
from app.views.review.view import ReviewView
from app.views.widgets.shortcut_row import ShortcutRow
from tests.engine.review.made import edit
from tests.views.review.reviewed import Reviewed
from tests.views.reviewing import press


def shown_keys(row: ShortcutRow) -> list[str]:
    """Return the texts of the keys on screen."""
    return [label.text() for label in row.findChildren(QLabel) if label.isVisible()]


def test_the_caret_is_at_the_end_and_nothing_is_selected(view: ReviewView) -> None:
    press(view, Qt.Key.Key_E)
    target, source = view.page.text_view.target, view.page.text_view.source
    for column in (target, source):
        caret = column.editor.textCursor()
        assert not caret.hasSelection()
        assert caret.atEnd()
    old = target.editor.toPlainText()
    QTest.keyClicks(target.editor, "!")
    assert target.editor.toPlainText() == f"{old}!"


def test_the_caret_stays_in_sight_in_a_low_window(
    view: ReviewView, qtbot: QtBot
) -> None:
    view.resize(700, 420)
    press(view, Qt.Key.Key_E)
    texts, editor = view.page.text_view, view.page.text_view.target.editor

    def _is_in_sight() -> bool:
        caret = editor.cursorRect()
        place = editor.viewport().mapTo(texts.viewport(), caret.topLeft())
        return texts.viewport().rect().contains(QRect(place, caret.size()))

    qtbot.waitUntil(_is_in_sight)
    for _ in range(30):
        QTest.keyClicks(editor, "and so on ")
        qtbot.waitUntil(_is_in_sight)


def test_the_footer_shows_the_keys_of_the_editor_while_editing(
    view: ReviewView,
) -> None:
    page = view.page
    assert "accept" in shown_keys(page.keys)
    press(view, Qt.Key.Key_E)
    assert shown_keys(page.keys) == []
    assert shown_keys(page.edit_keys) == ["Ctrl+Enter", "save", "Esc", "cancel"]
    press(view, Qt.Key.Key_Escape)
    assert not page.text_view.is_editing
    assert shown_keys(page.edit_keys) == []
    assert "accept" in shown_keys(page.keys)


def test_an_edit_says_that_score_and_neighbours_are_those_of_the_text_before(
    view: ReviewView, qtbot: QtBot
) -> None:
    page = view.page
    near = page.source_neighbours, page.target_neighbours
    assert page.score.badge.isVisible()
    assert "score before the edit" not in shown_texts(page)
    press(view, Qt.Key.Key_E)
    QTest.keyClicks(page.text_view.target.editor, "!")
    press(view, Qt.Key.Key_Return, ctrl=True)
    assert page.text_view.texts[1].endswith("!")
    assert "score before the edit" in shown_texts(page)
    headings = [one.accessibleName().partition(":")[0] for one in near]
    assert headings == [
        "Nearest to the English sentence",
        "Nearest to the German sentence as imported",
    ]
    press(view, Qt.Key.Key_J)
    assert "score before the edit" not in shown_texts(page)


def shown_texts(page: QWidget) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


def test_tab_leads_through_both_editors_and_their_buttons(view: ReviewView) -> None:
    press(view, Qt.Key.Key_E)
    texts = view.page.text_view
    assert texts.target.editor.hasFocus()
    press(view, Qt.Key.Key_Tab)
    assert texts.source.editor.hasFocus()
    for name in ("Save texts", "Reset texts", "Cancel"):
        press(view, Qt.Key.Key_Tab)
        focused = view.window().focusWidget()
        assert isinstance(focused, QPushButton)
        assert focused.text() == name


def test_no_key_judges_or_swaps_while_texts_are_edited(
    stage: Reviewed, view: ReviewView
) -> None:
    press(view, Qt.Key.Key_E)
    view.page.text_view.save_button.setFocus()
    for key in "ARFXNT":
        press(view, getattr(Qt.Key, f"Key_{key}"))
    press(view, Qt.Key.Key_X, shift=True)
    press(view, Qt.Key.Key_Backspace)
    assert stage.client.changes() == []
    assert view.window().findChildren(QDialog) == []
    press(view, Qt.Key.Key_Escape)
    assert not view.page.text_view.is_editing
    press(view, Qt.Key.Key_A)
    assert [one.verdict for one in stage.judged()] == ["accept"]


def test_ctrl_enter_saves_from_a_button(stage: Reviewed, view: ReviewView) -> None:
    press(view, Qt.Key.Key_E)
    QTest.keyClicks(view.page.text_view.target.editor, "!")
    view.page.text_view.save_button.setFocus()
    press(view, Qt.Key.Key_Return, ctrl=True)
    assert not view.page.text_view.is_editing
    (change,) = stage.judged()
    assert change.target_text is not None
    assert change.target_text.endswith("!")


def test_texts_of_a_pair_that_changed_meanwhile_are_not_saved(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    texts, pair = view.page.text_view, first_pair_id(1)
    press(view, Qt.Key.Key_E)
    QTest.keyClicks(texts.target.editor, "!")
    with open_project(stage.folder) as project:
        edit(project, SwapRunnerUp(pair=pair))
    stage.tell(events.Changed("pair", pair))
    qtbot.waitUntil(lambda: not texts.problem.isHidden())
    assert texts.problem.text() == (
        "The pair changed meanwhile. Cancel, and edit it again."
    )
    press(view, Qt.Key.Key_Return, ctrl=True)
    assert texts.is_editing
    assert stage.client.changes() == []
    press(view, Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_E)
    assert texts.problem.isHidden()
    assert texts.target.editor.toPlainText().startswith("Der Sturm")
