"""Orders and filters of the review: what is shown, and where the keyboard goes."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.params.pairs import ExportPairs
from app.protocol.answers.pairs import PairExportPreview
from app.protocol.queries.pairs import PairExportQuery
from app.views.review.view import ReviewView
from app.views.widgets.pair_export_dialog import PairExportDialog
from tests.views.review.reviewed import Reviewed
from tests.views.reviewing import press


def pick_next(box: QComboBox) -> None:
    """Open a list, and pick the item after the current one."""
    box.setFocus()
    box.showPopup()
    QTest.keyClick(box.view(), Qt.Key.Key_Down)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)


def test_another_order_starts_at_its_first_pair(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    for _ in range(3):
        press(view, Qt.Key.Key_J)
    assert view.page.decision.place.text() == "4 of 6"
    pick_next(view.queue_bar.order)
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    assert view.session.queue.settings.order == "score"
    assert not view.session.queue.settings.descending
    assert view.page.decision.place.text() == "1 of 6"


def test_a_filter_keeps_the_current_pair(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    for _ in range(3):
        press(view, Qt.Key.Key_J)
    pick_next(view.queue_bar.which)
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    assert view.session.queue.settings.which == "all"
    assert view.page.decision.place.text() == "4 of 6"


def test_the_keys_judge_again_after_a_choice_of_order_filter_or_set(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    boxes = (view.queue_bar.order, view.queue_bar.which, view.header.minings)
    for n, box in enumerate(boxes, 1):
        pick_next(box)
        assert view.page.text_view.hasFocus()
        qtbot.waitUntil(lambda: not view.session.queue.is_loading)
        view.window().activateWindow()  # the list was a window of its own
        qtbot.waitUntil(view.window().isActiveWindow)
        press(view, Qt.Key.Key_F)
        assert [one.verdict for one in stage.judged()] == ["flag"] * n


def test_arrow_keys_go_through_a_closed_box(view: ReviewView, qtbot: QtBot) -> None:
    box = view.queue_bar.order
    box.setFocus()
    press(view, Qt.Key.Key_Down)
    assert box.currentIndex() == 1
    assert box.hasFocus()
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)


def test_a_click_on_the_background_puts_the_keyboard_on_the_pair(
    view: ReviewView,
) -> None:
    view.queue_bar.order.setFocus()
    assert not view.page.text_view.hasFocus()
    centre = view.header.parentWidget()
    assert centre is not None
    QTest.mouseClick(centre, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert view.page.text_view.hasFocus()


@pytest.mark.parametrize(
    ("which", "verdicts"),
    [
        ("unjudged", ("unjudged",)),
        ("accept", ("accept",)),
        ("reject", ("reject",)),
        ("judged", ("accept", "reject", "skip", "flag")),
        ("all", ("all",)),
    ],
)
def test_accepted_pairs_are_exported_unless_the_filter_is_chosen(
    stage: Reviewed,
    view: ReviewView,
    qtbot: QtBot,
    which: str,
    verdicts: tuple[str, ...],
) -> None:
    rows = [(f"Source {n}", f"Target {n}") for n in range(5)]
    stage.client.answers[PairExportQuery] = lambda _: PairExportPreview(
        12, rows, "", ("accept",)
    )
    box = view.queue_bar.which
    box.setCurrentIndex(box.findData(which))
    view.queue_bar.lowest.setText("1.1")
    view.queue_bar.changed.emit()
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    assert view.header.export_button.isVisible()
    view.header.export_button.click()
    (dialog,) = view.findChildren(PairExportDialog)
    with qtbot.waitSignal(dialog.preview.shown):
        pass
    assert dialog.preview.count.text() == "12 pairs."
    assert dialog.preview.table.rowCount() == 5
    qtbot.waitUntil(lambda: dialog.verdicts.ticked == ["accept"])
    assert dialog.form.raw().get("threshold") is None
    filter_words = f"{box.currentText().lower()}, score from 1.1"
    assert dialog.filter_box.text().endswith(f"current filter: {filter_words}")
    dialog.filter_box.click()
    assert tuple(dialog.verdicts.ticked) == verdicts
    dialog.filter_box.click()
    assert dialog.verdicts.ticked == ["accept"]
    dialog.filter_box.click()
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, ExportPairs)
    assert (params.pairs, params.threshold) == (str(view.session.queue.mining), 1.1)
    assert params.verdicts == verdicts


def test_an_export_counts_pairs_by_verdict_and_keeps_the_format(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    stage.client.answers[PairExportQuery] = lambda _: PairExportPreview(
        124, [], "", ("accept",), {"accept": 120, "reject": 4}
    )
    view.header.export_button.click()
    (dialog,) = view.findChildren(PairExportDialog)
    with qtbot.waitSignal(dialog.preview.shown):
        pass
    assert dialog.preview.count.text() == "120 accepted, 4 rejected pairs."
    dialog.form.write({"format": "xlsx"})
    dialog.run_button.click()
    first = stage.client.runs()[-1]
    assert isinstance(first, ExportPairs)
    view.queue_bar.search_field.setText("boat")
    view.queue_bar.changed.emit()
    qtbot.waitUntil(lambda: not view.session.queue.is_loading)
    view.header.export_button.click()
    again = view.findChildren(PairExportDialog)[-1]
    assert again.form.field("format").read() == "xlsx"
    assert str(again.form.field("out").read()) == str(first.out)
    assert not again.filter_box.isEnabled()  # a search can't be exported
