"""The message bar says one thing at a time, errors first."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets import message_bar
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import HEIGHT, MessageBar, MessageLabel


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageBar]:
    parent = QWidget()
    bar = MessageBar(parent)
    yield bar
    bar.clear()
    parent.deleteLater()


def test_notice_goes_by_itself(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "NOTICE_MS", 20)
    quick = MessageBar(bar.parentWidget())
    quick.post("Twelve corpora are ready.")
    assert quick.text == "Twelve corpora are ready."
    qtbot.waitUntil(lambda: quick.text == "", timeout=2_000)


def test_a_brief_notice_goes_with_its_buttons(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "STEPS_MS", 20)
    steps = [make_button("Search", "Search these sentences.")]
    bar.post("3,036 sentences encoded.", buttons=steps, is_brief=True)
    bar.post("Resume it?", buttons=[make_button("Resume", "Continue.")])
    assert bar.text == "3,036 sentences encoded."
    qtbot.waitUntil(lambda: bar.text == "Resume it?", timeout=2_000)
    qtbot.wait(60)
    assert bar.text == "Resume it?"


def test_the_number_of_others_moves_no_button(bar: MessageBar) -> None:
    bar.window().resize(900, 200)
    bar.setGeometry(0, 0, 900, HEIGHT)
    bar.window().show()
    show = make_button("Show me", "Show the guided path.")
    bar.post("New here?", buttons=[show])
    QApplication.processEvents()
    before = show.geometry()
    bar.post("Resume it?", buttons=[make_button("Resume", "Continue.")])
    QApplication.processEvents()
    assert bar.text == "New here?"
    assert show.geometry() == before


def test_what_was_done_comes_before_an_offer(bar: MessageBar) -> None:
    show = make_button("Show me", "Show the guided path.")
    bar.post("New here?", buttons=[show])
    opened = make_button("Open", "Open the file.")
    bar.post("Exported.", buttons=[opened], topic="files", is_brief=True)
    assert bar.text == "Exported."
    assert opened.isVisibleTo(bar)
    assert not show.isVisibleTo(bar)
    bar.post("Resume it?", buttons=[make_button("Resume", "Continue.")])
    bar.dismiss()
    assert bar.text == "New here?"
    assert show.isVisibleTo(bar)
    bar.post("3 rows copied.")
    assert bar.text == "3 rows copied."
    bar.dismiss()
    bar.dismiss()
    assert bar.text == "Resume it?"


def test_second_notice_waits_for_the_first(bar: MessageBar) -> None:
    bar.post("First.")
    bar.post("Second.")
    bar.post("Second.")
    assert bar.text == "First."
    bar.dismiss()
    assert bar.text == "Second."
    bar.dismiss()
    assert bar.text == ""
    assert bar.isHidden()


def test_only_the_newest_of_a_topic_stays_and_few_notices_wait(
    bar: MessageBar,
) -> None:
    for n in range(9):
        bar.post(f"Undone. Change {n}.", topic="change")
    assert bar.text == "Undone. Change 8."
    for n in range(9):
        bar.post(f"Corpus {n} is encoded.")
    seen = []
    while bar.text:
        seen.append(bar.text)
        bar.dismiss()
    assert seen == [
        "Undone. Change 8.",
        *(f"Corpus {n} is encoded." for n in range(4, 9)),
    ]


def test_the_report_of_the_last_action_shows_at_once(bar: MessageBar) -> None:
    steps = [make_button("Search", "Search these sentences.")]
    bar.post("3,036 sentences encoded.", buttons=steps, topic="results", is_brief=True)
    for text in ("1 link removed.", "Undone. 1 link added.", "1 link removed."):
        bar.post(text, topic="action")
        assert bar.text == text
    bar.post("No font can draw Ethiopic.")
    assert bar.text == "1 link removed."
    bar.dismiss()
    assert bar.text == "3,036 sentences encoded."
    bar.dismiss()
    assert bar.text == "No font can draw Ethiopic."
    bar.post("1 link removed.", topic="action")
    assert bar.text == "1 link removed."
    bar.dismiss()
    assert bar.text == "No font can draw Ethiopic."


def test_what_was_done_can_be_read_before_an_unread_message_comes_back(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = [make_button("Open", "Open the file.")]
    bar.post("52 links were written.", buttons=opens, topic="files", is_brief=True)
    bar.post("Undone. 337 labels removed.", topic="action")
    monkeypatch.setattr(message_bar, "MIN_NOTICE_MS", 20)
    qtbot.wait(60)
    assert bar.text == "Undone. 337 labels removed."
    bar.dismiss()
    assert bar.text == "52 links were written."


def test_a_report_that_was_read_does_not_return_after_a_newer_message(
    bar: MessageBar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "MIN_NOTICE_MS", 0)
    resume = [make_button("Resume", "Continue.")]
    bar.post("The import was interrupted.", buttons=resume)
    opens = [make_button("Open", "Open the file.")]
    bar.post("48 rows were written.", buttons=opens, topic="files", is_brief=True)
    steps = [make_button("Search", "Search these sentences.")]
    bar.post("30,675 words indexed.", buttons=steps, topic="results", is_brief=True)
    assert bar.text == "30,675 words indexed."
    bar.post("The disk is full.", "error")
    bar.post("Undone.", topic="action")
    seen = []
    while bar.text:
        seen.append(bar.text)
        bar.dismiss()
    assert seen == ["The disk is full.", "Undone.", "The import was interrupted."]


def test_buttons_that_only_show_or_copy_more_leave_an_error_open(
    bar: MessageBar,
) -> None:
    copy, retry = make_button("Copy", "Copy it."), make_button("Retry", "Try again.")
    bar.post("The disk is full.", "error", [retry], info_buttons=[copy])
    copy.click()
    assert bar.text == "The disk is full."
    retry.click()
    assert bar.text == ""


def test_error_comes_before_notices_and_an_offer_comes_back(bar: MessageBar) -> None:
    offer = make_button("Resume", "Go on.")
    bar.post("A job was interrupted.", buttons=[offer])
    bar.post("The disk is full.", "error")
    assert bar.text == "The disk is full."
    bar.dismiss()
    assert bar.text == "A job was interrupted."
    offer.click()
    assert bar.text == ""


def test_the_newest_error_is_shown_first(bar: MessageBar) -> None:
    for text in ("One.", "Two.", "Three."):
        bar.post(text, "error")
    shown = []
    while bar.text:
        shown.append(bar.text)
        bar.dismiss()
    assert shown == ["Three.", "Two.", "One."]


def test_a_notice_makes_haste_while_another_waits(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "MIN_NOTICE_MS", 20)
    bar.post("First.")
    bar.post("Second.")
    qtbot.waitUntil(lambda: bar.text == "Second.", timeout=2_000)


def test_a_notice_has_time_again_once_nothing_waits(
    bar: MessageBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "MIN_NOTICE_MS", 20)
    bar.post("Undone.")
    bar.post("3 links.")
    bar.withdraw("3 links.")
    qtbot.wait(60)
    assert bar.text == "Undone."


def test_a_message_has_room_for_its_lines_when_the_bar_becomes_narrower(
    qtbot: QtBot,
) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(1400, HEIGHT)
    rows = "4 rows were written to transfer.tsv."
    bar.post(f"{rows} 80 rows were written to transfer-errors.tsv.")
    bar.show()
    label = bar.findChild(MessageLabel)
    assert label is not None
    line = label.fontMetrics().height()
    qtbot.waitUntil(lambda: label.sizeHint().height() < 2 * line)
    bar.resize(420, HEIGHT)
    qtbot.waitUntil(lambda: label.height() >= 2 * line)
    assert label.toolTip() == "", "both lines are seen"
