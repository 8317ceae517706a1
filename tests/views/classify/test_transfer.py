"""The board of the classify view: one click, languages, errors, comparisons."""

import re
import shlex
import sqlite3
import time
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.params.classify import EvaluateFewShot, EvaluateTransfer, ExportTransfer
from app.protocol.queries.classify import CompareTransfersQuery
from app.protocol.queries.encoders import EncodersQuery
from app.results.transfer import transfer_columns
from app.settings import Settings
from app.views.classify.transfer.details import COMPARISON_TAB, FEW_SHOT_TAB
from app.views.classify.transfer.dialog import TransferDialog
from app.views.classify.transfer.few_shot import FewShotPane
from app.views.classify.transfer.results import (
    describe_transfer,
    describe_transfer_settings,
    list_transfers,
    name_tests,
    transfer_figures,
    transfer_scores,
)
from app.views.classify.transfer.table import TransferTable
from app.views.classify.view import ClassifyView
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.curve_chart import LEAST
from app.views.widgets.statistics_format import format_rate_with_interval
from app.views.widgets.theme import LIGHT, scaled
from app.views.widgets.two_line_list import PADDING
from tests.views import classified
from tests.views.classify.opened import button, cells, open_view
from tests.views.encoders.cards import card
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage, link, selected, sentence_id


def test_one_click_trains_on_english_and_tests_every_language(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    view = open_view(stage, qtbot)
    assert view.steps.transfer.texts[0] == "Label one language, classify them all"
    button(view, "Train on English, test on three languages").click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, EvaluateTransfer)
    assert params.train == "Harbour letters"
    assert params.tests == (
        "en=Harbour letters",
        "ar=رسائل الميناء",
        "de=Hafenbriefe",
    )
    assert params.apart  # links tell which rows are translations
    assert view.steps.transfer.texts[0] == "Training and testing…"


def test_the_dialog_warns_of_languages_that_the_encoder_was_not_trained_on(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    cards = [
        card("isogloss-2", "f" * 64, folder, languages=["eng", "deu"]),
        card("isogloss-3", "e" * 64, folder, languages=["eng", "deu", "arb"]),
    ]
    answer = {"encoders": cards, "chosen": "isogloss-2"}
    stage.client.answers[EncodersQuery] = lambda _: answer
    view = open_view(stage, qtbot)
    view.tests.ask_test()
    (dialog,) = view.findChildren(TransferDialog)
    assert dialog.needs == (
        "isogloss-2 was not trained on Arabic, which can lower the scores."
    )
    dialog.form.write({"encoder": "isogloss-3"})
    assert dialog.needs == ""
    dialog.form.write({"encoder": "isogloss-2"})
    assert dialog.needs
    dialog._tests.tick(["de=Hafenbriefe"])
    assert dialog.needs == ""
    dialog.close()


def test_another_corpus_of_the_training_language_is_tested(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        connection.execute("UPDATE corpus SET language = 'en' WHERE id = 3")
        connection.commit()
    view = open_view(stage, qtbot)
    view.tests.ask_test()
    (dialog,) = view.findChildren(TransferDialog)
    assert dialog.form.field("train").read() == "Harbour letters"
    assert dialog.form.field("tests").read() == ["en=رسائل الميناء", "de=Hafenbriefe"]
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    assert stage.client.runs()[0].tests == ("en=رسائل الميناء", "de=Hafenbriefe")


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> ClassifyView:
    """The view with a test: Arabic is worse than German, English was trained on."""
    classified.add_transfer(folder, {"en": 3, "de": 2, "ar": 1})
    return open_view(stage, qtbot)


def test_the_training_language_comes_first_then_the_worst_with_n_and_intervals(
    view: ClassifyView,
) -> None:
    page = view.steps.transfer.page
    assert page.table.keys == ["en", "ar", "de"]
    assert page.language == "ar"  # what there is to look at
    assert cells(page.table, 0)[0] == "English (training)"
    assert cells(page.table, 1)[:3] == [
        "Arabic",
        "3",
        "33.3\u00a0(3.3–63.3)",
    ]
    assert cells(page.table, 2)[3::3] == ["+33.3", "1"]  # the gap, rows that are known
    home = "100.0\u00a0% (70.0\u00a0–\u2060\u00a0100.0\u00a0%, n = 3)"
    words = f"English: cross-validation on 3 sentences {home}"  # its own training rows
    assert page.figures.text.startswith(words)
    assert (
        "mean of 2 other languages (lowest to highest) 50.0\u00a0%" in page.figures.text
    )
    note = "German: of 1 of 3 rows the training set seems to hold a translation."
    assert page.notes == note
    facts = [one.text() for one in page.findChildren(ElidedLabel)]
    assert any("trained on 3 sentences · classifier not kept" in text for text in facts)
    assert [row.key for row in page.figure.plot.rows] == ["en", "ar", "de"]
    assert "English 100.0\u00a0%" in page.figure.legend


def test_without_a_test_in_the_training_language_its_held_out_rows_come_first(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"de": 2, "ar": 1})
    page = open_view(stage, qtbot).steps.transfer.page
    english = ["English (held out)", "10", "80.0\u00a0(49.0–94.3)", ""]
    assert cells(page.table, 0)[:4] == english
    assert cells(page.table, 1)[0] == "Arabic"
    assert page.language == "ar"
    assert "English 80.0\u00a0%" in page.figure.legend
    page.table.selectRow(0)
    assert page.details.score == "No test is in English."
    assert [row.key for row in page.rows] == ["ar", "de"]
    header, home, arabic, _ = page._list_scores()  # what is exported
    found = dict(zip(header, home, strict=True))
    assert (found["language"], found["role"]) == ("en", "held out of training")
    assert (found["corpus"], found["n"], found["gap"]) == ("Harbour letters", "10", "")
    assert found["accuracy"] == "0.800000"
    found = dict(zip(header, arabic, strict=True))
    assert (found["role"], found["gap"]) == ("other language", "0.466667")
    assert (found["head"], found["encoder"], found["seed"]) == (
        *("logistic", "isogloss-2"),
        "1",
    )


def test_an_accuracy_of_all_rows_has_the_interval_of_wilson(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"de": 3})
    open_view(stage, qtbot)
    assert stage.state.project is not None
    (one,) = list_transfers(stage.state.project.store)
    score = replace(classified.details("de", 3).score, accuracy_interval=(1.0, 1.0))
    one = one._replace(result=replace(one.result, languages={"de": score}))
    details = replace(classified.details("de", 3), macro_f1_interval=(1.0, 1.0))
    table = TransferTable()
    qtbot.addWidget(table)
    table.show_rows(transfer_scores(one, [details]), 1.0, has_scores=False)
    assert cells(table, 0)[2] == "100.0\u00a0(43.9–100.0)"  # 3 ÷ (3 + z²)
    assert cells(table, 0)[4] == "100.0", "macro-F1: all resamples are equal"
    assert format_rate_with_interval(1, 1, 1, 3) == "100.0\u00a0% (n = 3)"


def numbers(text: str) -> list[str]:
    """Return the accuracy, its interval and the macro-F1 of a text, where it has n."""
    return re.findall(r"\d+\.\d|n = \d+", text)


@pytest.mark.parametrize("right", [0, 1, 2, 3])
def test_an_accuracy_has_the_same_interval_wherever_it_is_shown(
    stage: Stage, folder: Path, qtbot: QtBot, right: int
) -> None:
    means = {"others_mean": right / 3, "others_mean_interval": [0.011, 0.999]}
    classified.add_transfer(folder, {"de": right}, result=means)
    page = open_view(stage, qtbot).steps.transfer.page
    assert page.shown is not None
    score = page.rows[0]
    expected = [f"{100 * one:.1f}" for one in (score.value, score.low, score.high)]
    _, other, *_ = transfer_figures(page.shown, page.rows)
    title, head = other.title, other.value
    assert title == "the other language"
    assert numbers(head) == [*expected, "n = 3"]
    assert f"{title} {head}" in page.figures.text
    assert f"others {head}" in page.short_figures.text()
    page.table.choose("de")
    assert numbers(cells(page.table, 1)[2]) == expected
    assert numbers(page.details.score)[:4] == [*expected, "n = 3"]
    header, _, german = page._list_scores()
    exported = dict(zip(header, german, strict=True))
    assert [
        f"{100 * float(exported[name]):.1f}" for name in ("accuracy", "low", "high")
    ] == expected


def test_the_gap_has_one_sign_everywhere(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    means = {"mean_gap": 1 / 3, "mean_gap_interval": [0.1, 0.6]}
    classified.add_transfer(folder, {"en": 3, "de": 2}, result=means)
    page = open_view(stage, qtbot).steps.transfer.page
    words = "gap: English minus the others +33.3 points (+10.0\u00a0–\u2060\u00a0+60.0)"
    assert words in page.figures.text
    assert "the difference of the unrounded scores" in page.figures.toolTip()
    assert cells(page.table, 1)[3] == "+33.3"
    gap = page.table.item(1, 3)
    assert gap is not None
    assert "of the unrounded scores" in gap.toolTip()
    header, _, german = page._list_scores()
    assert dict(zip(header, german, strict=True))["gap"] == "0.333333"


def shown_height(widget: QWidget) -> int:
    """Return the height of what is in sight, in pixels."""
    return widget.visibleRegion().boundingRect().height()


def test_the_age_above_the_board_stays_true(
    view: ClassifyView, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, later = view.steps.transfer.page, time.time() + 3600
    assert "just now" in page._facts.text()
    monkeypatch.setattr(time, "time", lambda: later)
    view.show_ages()
    assert "60 minutes ago" in page._facts.text()


def test_tests_of_one_head_are_told_apart_by_their_settings(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"de": 2, "ar": 1})
    classified.add_transfer(folder, {"de": 2, "ar": 1}, balanced=True, inverse_l2=0.5)
    open_view(stage, qtbot)
    assert stage.state.project is not None
    found = list_transfers(stage.state.project.store)
    balanced, plain = (describe_transfer(one) for one in found)
    assert "logistic regression · isogloss-2" in plain
    assert balanced.startswith("balanced classes · C = 0.5 · mean ")
    assert "balanced" not in plain
    assert "balanced classes · C = 0.5 · logistic" in describe_transfer_settings(
        found[0]
    )


def test_the_list_of_tests_begins_with_what_tells_them_apart(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"de": 2, "ar": 1})
    classified.add_transfer(folder, {"de": 2, "ar": 1}, head="mlp")
    view = open_view(stage, qtbot)
    facts = [row.facts for row in view.steps.transfer.tests.rows]
    assert [one.split(" · ")[0] for one in facts] == ["MLP", "logistic regression"]
    other = view.steps.transfer.page.details.comparison.other.currentText()
    assert other.split(" · ")[1] == "logistic regression"
    assert stage.state.project is not None
    mlp, logistic = list_transfers(stage.state.project.store)
    assert name_tests(mlp, logistic) == ("MLP", "logistic regression")
    assert name_tests(mlp, mlp) == ("This test", "Other test")


def test_the_board_is_readable_in_a_small_window_with_large_text(
    view: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = view.steps.transfer.page
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 1200)
        qtbot.waitUntil(lambda: whole_columns(page.table)[:4] == IMPORTANT)
        line = page.figure.plot.fontMetrics().height()
        assert page.figure.plot.height() >= len(page.rows) * line
        labels = page.figures.findChildren(QLabel)
        assert len(labels) == 8  # with the mean of the other languages
        for label in labels:
            assert label.width() >= label.sizeHint().width(), label.text()
            bottom = label.mapTo(page.figures, label.rect().bottomLeft()).y()
            assert label.isVisible()
            assert bottom <= page.figures.height()

        view.resize(1000, 600)
        qtbot.waitUntil(page.short_figures.isVisible)
        qtbot.waitUntil(lambda: whole_columns(page.table)[:4] == IMPORTANT)
        assert not page.figures.isVisible()
        words, tip = page.short_figures.text(), page.short_figures.toolTip()
        assert [label.text() for label in labels if label.text() not in tip] == []
        assert page.shown is not None
        values = [found.value for found in transfer_figures(page.shown, page.rows)]
        assert [value for value in values if value not in words] == []
        width = page.short_figures.width()
        assert page.short_figures.height() >= page.short_figures.heightForWidth(width)
        qtbot.waitUntil(lambda: shown_height(page.details) > 5 * line)  # not scrolled
        assert shown_height(page.table) > 3 * line
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_curve_of_few_labels_has_room_in_large_text(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_few_shot(folder, "Hafenbriefe")
    page = view.steps.transfer.page
    page.table.choose("de")
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 600)
        page.details.tabs.setCurrentIndex(FEW_SHOT_TAB)
        pane = page.details.few_shot
        plot = pane.figure.plot
        qtbot.waitUntil(lambda: plot.height() >= scaled(LEAST))
        area = page.findChild(QScrollArea)
        assert area is not None

        def is_shown() -> bool:
            top = plot.mapTo(area.widget(), plot.rect().topLeft()).y()
            area.verticalScrollBar().setValue(top)
            return bool(shown_height(plot.viewport()) >= plot.height() - 1)

        qtbot.waitUntil(is_shown)
        text = pane.findChildren(QLabel)[0]
        assert text.text() == pane.text
        assert text.height() >= text.heightForWidth(text.width())
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_board_has_its_room_again_after_larger_text(
    view: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = view.steps.transfer.page
    view.resize(1200, 850)
    qtbot.waitUntil(lambda: page.table.height() > 0)
    before = page.table.height()
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        qtbot.waitUntil(lambda: page.table.height() != before)
    finally:
        stage.theme.apply(Settings(theme="light"))
    qtbot.waitUntil(lambda: abs(page.table.height() - before) <= 2)


IMPORTANT = ["Language", "n", "Accuracy, %", "Gap"]


def whole_columns(table: QTableWidget) -> list[str]:
    """Return the titles of the visible columns; nothing if one of them is cut."""
    ends = list(accumulate(map(table.columnWidth, range(table.columnCount()))))
    room = table.viewport().width()
    n_whole = sum(end <= room for end in ends)
    if room - ends[n_whole - 1] >= n_whole:
        return []
    headings = map(table.horizontalHeaderItem, range(n_whole))
    return [heading.text().strip() for heading in headings if heading is not None]


def test_a_language_shows_its_confusion_and_its_surest_errors(
    view: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = view.steps.transfer.page
    assert page.language == "ar"
    behind = page.details
    assert (
        "accuracy 33.3\u00a0% (3.3\u00a0–\u2060\u00a063.3\u00a0%, n = 3)"
        in behind.score
    )
    assert behind.confusion.rowCount() == 2
    assert cells(behind.errors.table, 0)[0] == "91.0\u00a0%"
    bar = behind.tabs.tabBar()
    before = [bar.tabRect(tab) for tab in range(bar.count())]
    page.table.selectRow(2)
    QApplication.processEvents()
    assert [bar.tabRect(tab) for tab in range(bar.count())] == before
    words = behind.errors.texts
    assert words[0] == "Labelled sea, predicted wind (91.0\u00a0%)"
    assert words[-1] == "0.71 sea: So we are staying one more night."
    with qtbot.waitSignal(stage.state.view_requests.place_requested) as wanted:
        next(
            b for b in behind.findChildren(QPushButton) if b.text() == "Show in corpus"
        ).click()
    assert wanted.args == [sentence_id(3, 1)]
    behind.tabs.setCurrentIndex(1)
    assert selected(stage.state) is None, "the inspector would hide the errors"


def test_the_plot_and_the_table_choose_the_same_language(view: ClassifyView) -> None:
    page = view.steps.transfer.page
    QTest.keyClick(page.figure.plot, Qt.Key.Key_Down)
    assert page.language == page.figure.plot.chosen == "de"
    page.table.choose("en")
    assert page.figure.plot.chosen == "en"
    assert page.details.errors.errors.rowCount() == 0


def test_the_board_and_its_errors_are_exported(
    view: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "board.tsv"
    dialog = view.steps.transfer.page.ask_export()
    dialog.file.line.setText(str(file))
    assert dialog.note == (
        "The most confident errors of each language, at most 20, are written to a "
        "second file, board-errors.tsv."
    )
    with qtbot.waitSignal(stage.state.file_written) as written:
        dialog.export()
    errors = tmp_path / "board-errors.tsv"
    assert written.args == [
        file,
        f"3 rows were written to {file}. 3 rows were written to {errors}.",
    ]
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("language\tname\trole\tcorpus\tn\taccuracy\tlow\thigh")
    role = "other language\tرسائل الميناء"
    assert lines[2].startswith(f"ar\tArabic\t{role}\t3\t0.333333\t0.033333\t0.633333")
    heading, *rows = errors.read_text(encoding="utf-8").splitlines()
    assert heading.split("\t")[:4] == ["language", "corpus", "line", "label"]
    assert [row.split("\t")[:3] for row in rows] == [
        ["ar", "رسائل الميناء", "2"],
        ["ar", "رسائل الميناء", "2"],
        ["de", "رسائل الميناء", "2"],  # the test project repeats one error
    ]
    for suffix in ("png", "svg", "csv"):
        view.steps.transfer.page._file.ask_export().export_to(
            tmp_path / f"plot.{suffix}"
        )
    qtbot.waitUntil(lambda: (tmp_path / "plot.csv").exists())
    assert (tmp_path / "plot.png").stat().st_size > 1_000
    assert b"<svg" in (tmp_path / "plot.svg").read_bytes()[:500]


def test_latex_has_the_columns_and_figures_of_the_board(
    view: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "board.tex"
    dialog = view.steps.transfer.page.ask_export()
    dialog.file.line.setText(str(file))
    first = dialog.preview.table.item(0, 2)
    assert first is not None
    assert first.text() == "100.0\u00a0(70.0–100.0)"
    with qtbot.waitSignal(stage.state.file_written):
        dialog.export()
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[1:4] == [
        "\\begin{tabular}{lrrrrrr}",
        "\\toprule",
        "Language & n & Accuracy, \\% & Gap & Macro-F1, \\% & Majority & Known \\\\",
    ]
    assert lines[6].startswith("Arabic & 3 & 33.3~(3.3–63.3) & +66.7 & 33.3~(13.3")


def test_the_dialog_exports_the_test_that_it_previews(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    page = view.steps.transfer.page
    board, plot = page.ask_export(), page._file.ask_export()
    value = board.preview.table.item(1, 5)
    assert value is not None
    assert value.text() == "0.333333"
    other = classified.add_transfer(folder, {"ar": 3, "de": 3})
    view.steps.transfer.refresh()
    assert view.steps.transfer.choose(other)
    assert "0.333333" not in str([*page._list_scores()])
    for dialog, file in (
        (board, tmp_path / "board.tsv"),
        (plot, tmp_path / "plot.csv"),
    ):
        with qtbot.waitSignal(stage.state.file_written):
            dialog.export_to(file)
        assert "0.333333" in file.read_text(encoding="utf-8")
    errors = (tmp_path / "board-errors.tsv").read_text(encoding="utf-8")
    assert len(errors.splitlines()) == 4


def test_every_prediction_of_a_test_is_exported(
    view: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    action = next(a for a in view.actions() if "of the test" in a.text())
    assert action.isEnabled()
    dialog = view.tests.ask_export()
    assert dialog is not None
    table = dialog.preview.table
    titles = [table.horizontalHeaderItem(n) for n in range(table.columnCount())]
    assert tuple(one.text() for one in titles if one) == transfer_columns(
        has_pairs=False
    )
    assert cells(table, 0)[:3] == ["en", "English", "Harbour letters"]
    assert dialog.preview.count.text() == (
        "9 rows. Lines and texts are read during the export."
    )
    dialog.file.line.setText(str(tmp_path / "p.tsv"))
    dialog.export()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    one = view.steps.transfer.shown
    assert one is not None
    assert stage.client.runs() == [
        ExportTransfer(run=one.id, out=tmp_path / "p.tsv", replace=True)
    ]


def test_the_plot_is_exported_without_the_chosen_language(
    view: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    page = view.steps.transfer.page
    pictures = []
    for language in ("ar", "de"):
        page.table.choose(language)
        assert page.figure.plot.chosen == language
        file = tmp_path / f"{language}.png"
        with qtbot.waitSignal(stage.state.file_written):
            page._file.ask_export().export_to(file)
        pictures.append(QImage(str(file)))
    assert not pictures[0].isNull()
    assert pictures[0] == pictures[1]
    soft = QColor(LIGHT.accent_soft)
    shown = page.figure.plot.grab().toImage()
    assert any(
        shown.pixelColor(shown.width() // 2, y) == soft for y in range(shown.height())
    )  # in the window, it is marked again


def test_the_picture_of_the_plot_does_not_depend_on_the_window(
    view: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    page, sizes = view.steps.transfer.page, []
    for width in (900, 1_400):
        view.resize(width, 700)
        QApplication.processEvents()
        before = page.figure.size()
        dialog = page._file.ask_export()
        dialog.picture.width_box.setValue(1_600)
        dialog.export_to(tmp_path / f"{width}.png")
        sizes.append(QImage(str(tmp_path / f"{width}.png")).size())
        assert page.figure.size() == before
    assert sizes[0] == sizes[1]
    assert sizes[0].width() == 1_600
    assert sizes[0].height() < 1_600


def test_a_second_file_is_replaced_only_after_a_question(
    view: ClassifyView, qtbot: QtBot, tmp_path: Path
) -> None:
    errors = tmp_path / "board-errors.tsv"
    errors.write_text("mine", encoding="utf-8")
    dialog = view.steps.transfer.page.ask_export()
    dialog.export_to(tmp_path / "board.tsv")
    (question,) = dialog.findChildren(QMessageBox)
    assert question.text() == f"{errors} exists."
    question.close()
    assert errors.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "board.tsv").exists()
    dialog.close()


def test_headings_fit_their_columns_in_larger_text(
    view: ClassifyView, stage: Stage
) -> None:
    table = view.steps.transfer.page.table
    header = table.horizontalHeader()
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        for column in range(1, header.count()):
            heading = table.horizontalHeaderItem(column)
            assert heading is not None
            width = header.fontMetrics().horizontalAdvance(heading.text())
            assert header.sectionSize(column) > width, heading.text()
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_few_labels_are_measured_and_the_curve_is_shown(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    details = view.steps.transfer.page.details
    assert not details.findChildren(FewShotPane)  # made when its tab is shown
    details.tabs.setCurrentIndex(FEW_SHOT_TAB)
    (pane,) = details.findChildren(FewShotPane)
    qtbot.waitUntil(pane.isVisible)
    assert pane.text.startswith("Arabic has 3 labelled rows, too few for this curve")
    assert not pane.measure.isEnabled()
    arabic = view.steps.transfer.page.rows[1]
    details.show_language(arabic._replace(n=126), None)
    assert pane.text.startswith("How much would 10 or 50 labels of Arabic help?")
    assert "about half of the 126 rows" in pane.text
    pane.measure.setFocus()
    pane.measure.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    assert not pane.measure.isEnabled()
    assert view.focusWidget() is pane
    (params,) = stage.client.runs()
    assert isinstance(params, EvaluateFewShot)
    assert (params.train, params.target) == ("Harbour letters", "رسائل الميناء")
    classified.add_few_shot(folder, "Hafenbriefe")
    view.steps.transfer.page.table.choose("de")
    german = view.steps.transfer.page.rows[2]
    details.show_language(german._replace(n=84), None)
    assert "55.0\u00a0% without its labels (n = 40 of 84 rows)" in pane.text
    (text,) = [one for one in pane.findChildren(QLabel) if one.text() == pane.text]
    assert "so the halves are not quite equal" in text.toolTip()
    assert "10 → 60.0 ± 2.0\u00a0%, 50 → 65.0 ± 2.0\u00a0%" in pane.text
    gain = "50 labels raise the accuracy: +10.0 points"
    assert (
        f"{gain} (+1.5\u00a0–\u2060\u00a0+18.5, 95\u00a0% interval by paired"
        in pane.text
    )
    legend = pane.figure.legend
    assert legend.startswith("mean 65.0\u00a0%, best draw 70.0\u00a0%")
    assert pane.figure.plot.curves[0].values.tolist() == pytest.approx([55, 60, 65])
    view.steps.transfer.page.table.choose("en")  # it was trained on
    assert not pane.measure.isEnabled()
    assert pane.text == (
        "The classifier was trained on English: select another language."
    )


def test_a_comparison_lists_the_languages_as_the_board_does(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    page = view.steps.transfer.page
    pane = page.details.comparison
    page.details.tabs.setCurrentIndex(COMPARISON_TAB)
    assert "Test again with another head or encoder" in pane.text
    shown = [one for one in pane.findChildren(QWidget) if one.isVisible()]
    assert not {pane.other, pane.table} & set(shown), "nothing to compare with"
    assert not [one for one in shown if isinstance(one, QPushButton)]

    classified.add_transfer(folder, {"en": 2, "de": 3, "ar": 1}, head="knn")
    row = {"n": 3, "one": 0.5, "other": 0.25, "difference": 0.25, "p": 0.021}
    row |= {"low": 0.1, "high": 0.4, "only_one": 9, "only_other": 1}
    stage.client.answers[CompareTransfersQuery] = lambda _: {
        "languages": [row | {"language": code} for code in ("de", "ar", "en")],
        "skipped": [],
    }
    view.refresh()
    assert pane.other.isVisible()
    assert pane.table.isVisible()
    page.details.tabs.setCurrentIndex(0)
    with qtbot.waitSignal(pane.shown):
        page.details.tabs.setCurrentIndex(COMPARISON_TAB)
    names = [cells(pane.table, index)[0] for index in range(3)]
    assert names == ["English", "Arabic", "German"]
    assert [cells(page.table, index)[0].split()[0] for index in range(3)] == names


def test_a_finished_test_leaves_the_selected_one_where_it_is(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    older = classified.add_transfer(folder, {"de": 3, "ar": 1}, head="knn")
    view.refresh()
    step = view.steps.transfer
    view.steps.show_step(step)
    step.choose(older)
    tests, page = step.tests, step.page
    assert page.shown is not None
    view.tests.run(page.shown.params)
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    first = next(id_ for id_ in tests.ids if id_ != older)
    step.choose(first)  # the user looks at another test meanwhile

    def places() -> dict[int, int]:
        model = tests.model()
        return {
            id_: tests.visualRect(model.index(row, 0)).y()
            for row, id_ in enumerate(tests.ids)
        }

    before = places()
    made = classified.add_transfer(folder, {"de": 2, "ar": 2})
    run = stage.state.runs[0]
    run.id = made
    stage.state.run_finished.emit(run, {})
    assert tests.chosen == first
    assert page.shown is not None
    assert page.shown.id == first
    assert {id_: y for id_, y in places().items() if id_ != made} == before
    assert next(row for row in tests.rows if row.id == made).facts.startswith("new · ")
    assert tests.ids[-1] == made
    view.steps.show_step(view.steps.labels)
    view.steps.show_step(step)
    assert tests.ids[0] == made  # the newest is first again


def test_two_tests_are_compared_by_significance(
    view: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    one = view.steps.transfer.page.shown
    other = classified.add_transfer(folder, {"de": 3, "ar": 1}, head="knn")
    row = {"language": "ar", "n": 3, "one": 0.5, "other": 0.25, "difference": 0.25}
    row |= {"low": 0.1, "high": 0.4, "only_one": 9, "only_other": 1, "p": 0.021}
    stage.client.answers[CompareTransfersQuery] = lambda _: {
        "languages": [row],
        "skipped": ["en is in only one of the two tests."],
    }
    view.refresh()
    pane = view.steps.transfer.page.details.comparison
    assert "· isogloss-2 ·" in pane.other.currentText()
    with qtbot.waitSignal(pane.shown):
        view.steps.transfer.page.details.tabs.setCurrentIndex(COMPARISON_TAB)
    (query,) = stage.client.queries(CompareTransfersQuery)
    assert one is not None
    assert (query.one, query.other) == (one.id, other)
    assert "Significant difference in 1 of 1 languages: p < 0.05 by" in pane.text
    assert "so it can exclude 0 where p is just above 0.05." in pane.text
    assert cells(pane.table, 0)[4:] == ["+25.0", "+10.0 – +40.0", "0.021", "9", "1"]
    head = pane.table.horizontalHeaderItem(7)
    assert head is not None
    assert head.text() == "Only this right"
    difference = pane.table.item(0, 4)
    assert difference is not None
    assert "unrounded" in difference.toolTip()

    dialog = pane.file.ask_export()
    assert dialog.file.suffix == ".tsv", "a table was asked for"
    with qtbot.waitSignal(stage.state.file_written):
        dialog.export_to(tmp_path / "comparison.tsv")
    header, line = (tmp_path / "comparison.tsv").read_text("utf-8").splitlines()
    cell = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert cell["language"] == "ar"
    assert cell["logistic regression (%)"] == "50.0000"
    assert cell["nearest neighbours (%)"] == "25.0000"
    assert cell["Difference (points)"] == "25.0000"
    assert cell["Only nearest neighbours right"] == "1"
    with qtbot.waitSignal(stage.state.file_written):
        pane.file.ask_export().export_to(tmp_path / "comparison.tex")
    latex = (tmp_path / "comparison.tex").read_text("utf-8").splitlines()
    assert latex[3].startswith(
        "Language & n & logistic regression & nearest neighbours & Difference & "
    )
    assert latex[5] == (
        "Arabic & 3 & 50.0~\\% & 25.0~\\% & +25.0 & +10.0 – +40.0 & 0.021 & 9 & 1 \\\\"
    )


def test_a_test_is_put_together_in_its_dialog(
    view: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    view.tests.ask_test_again()
    (dialog,) = view.findChildren(TransferDialog)
    assert faults(dialog) == []
    assert dialog.form.raw()["keep_as"] == "Harbour letters"
    assert dialog.windowTitle() == dialog.run_button.text() == "Test on languages"
    dialog.form.write({"train": "Hafenbriefe", "head": "knn", "k": 7})
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    params = stage.client.runs()[0]
    assert (params.train, params.language) == ("Hafenbriefe", "de")
    assert params.keep_as == "Hafenbriefe"
    assert (params.head, params.k, len(params.tests)) == ("knn", 7, 3)
    view.tests.copy_command()
    text = QGuiApplication.clipboard().text()
    assert "evaluate-transfer --project" in text
    assert "--test" in text


def test_the_command_of_a_test_keeps_a_classifier_under_an_unused_name(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    trained = classified.add_trained(folder, "Topics")
    classified.add_transfer(folder, {"en": 3, "de": 2}, keep_as="Topics")
    view = open_view(stage, qtbot)
    view.tests.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[words.index("--keep-as") + 1] == "Topics 2"
    view.steps.show_step(view.steps.training)
    assert view.steps.training.choose(trained)
    view.classifiers.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[words.index("--name") + 1] == "Topics 2"


def test_the_list_has_room_for_the_name_of_a_test_in_large_text(
    view: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    tests = view.steps.transfer.tests
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 600)
        font = QFont(tests.font())
        font.setWeight(QFont.Weight.DemiBold)
        name = QFontMetrics(font).horizontalAdvance(tests.rows[0].title)
        qtbot.waitUntil(lambda: tests.viewport().width() >= name + 2 * PADDING)
    finally:
        stage.theme.apply(Settings(theme="light"))
