"""The evaluate view: what is shown of runs, compared, kept and asked."""

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QTableWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.store.corpora import first_sentence_id
from app.errors import ErrorInfo
from app.number_format import format_range
from app.params.base import TaskParams
from app.params.evaluation import (
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.probing import MakeProbingSets, Probe
from app.params.projects import MakeReport
from app.params.quality import CompareEncoders
from app.params.training.encoder import TrainEncoder
from app.params.translation import EvaluateTranslation
from app.params.vectors import EvaluateTatoeba
from app.protocol.answers.evaluation import TreebankOffers
from app.protocol.answers.translation import LanguageColumns
from app.protocol.queries.evaluation import (
    CompareRetrievalsQuery,
    RetrievalErrorsQuery,
    TreebankQuery,
)
from app.protocol.queries.translation import LanguageColumnsQuery
from app.results.jobs import ProbingSet, ProbingSets
from app.results.measurements import Retrieved, SpaceMeasured
from app.settings import Settings
from app.views.evaluate.dialogs import EvaluationDialog, EvaluationReportDialog
from app.views.evaluate.difference import DifferenceDialog
from app.views.evaluate.errors import RetrievalErrorsDialog
from app.views.evaluate.forms import describe_dropped_classes
from app.views.evaluate.probing_sets_dialog import OFFERED_FIELDS
from app.views.evaluate.results import name_languages
from app.views.evaluate.view import EvaluateView
from app.views.widgets.bar_chart import BarChartFigure
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.heat_map import HeatMap
from app.views.widgets.measurement_table import MeasurementTable
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.sentence_label import FullTextPopup
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import RunShower
from tests.views.classified import add_labels
from tests.views.dialog_design import design_faults
from tests.views.evaluate.conftest import NAMES, keep, retrieved
from tests.views.mined import add_run
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage, build_project, link, sentence_id

RETRIEVAL, FIRST, SECOND = 1, 2, 3  # runs


def choose(view: EvaluateView, *runs: int) -> None:
    view.list.choose_all(runs)


def cells(view: EvaluateView, row: int) -> dict[str, str]:
    head, *rows = view.page.results.table.texts()
    return dict(zip(head, rows[row], strict=True))


def dialog_of(view: EvaluateView, struct: type[TaskParams]) -> EvaluationDialog:
    view.controller.ask(struct)
    return view.findChildren(EvaluationDialog)[-1]


def test_a_low_window_scrolls_and_no_line_lies_over_the_chart(
    view: EvaluateView, qtbot: QtBot
) -> None:
    choose(view, FIRST)
    view.resize(700, 320)
    view.messages.post("The report is written.")
    view.grab()
    page = view.page
    notes = next(one for one in page.findChildren(QLabel) if "bad.txt" in one.text())
    end = notes.mapTo(page, notes.rect().bottomLeft()).y()
    areas = page.findChildren(QScrollArea)
    area = next(one for one in areas if one.widget() is page.split)
    assert end < area.y()
    assert page.split.height() >= page.split.minimumSizeHint().height()
    assert area.verticalScrollBar().maximum() > 0


def test_another_evaluation_is_shown_from_its_top(view: EvaluateView) -> None:
    choose(view, FIRST)
    view.resize(700, 320)
    view.grab()
    areas = view.page.findChildren(QScrollArea)
    area = next(one for one in areas if one.widget() is view.page.split)
    bar = area.verticalScrollBar()
    bar.setValue(bar.maximum())
    view.page.show_evaluations(view.page.shown)  # the same: it stays
    assert bar.value() == bar.maximum() > 0
    choose(view, SECOND)
    assert bar.value() == 0


def test_facts_without_room_beside_the_buttons_have_their_own_line(
    view: EvaluateView, qtbot: QtBot
) -> None:
    choose(view, FIRST)
    facts = next(
        label
        for label in view.page.findChildren(ElidedLabel)
        if label.text().endswith(f"run {FIRST}")
    )
    for width in (1400, 800):
        view.resize(width, 800)
        view.show()
        qtbot.waitUntil(lambda: QLabel.text(facts) == facts.text())
        report = next(
            one for one in view.findChildren(QPushButton) if one.text() == "Report…"
        )
        top = report.mapTo(view.page, report.rect().topLeft()).y()
        assert (top > facts.geometry().bottom()) == (width == 800)


def test_the_newest_is_listed_first_and_the_largest_is_shown(
    view: EvaluateView,
) -> None:
    assert view.list.ids == [SECOND, FIRST, RETRIEVAL]
    assert [one.id for one in view.page.shown] == [RETRIEVAL]
    choose(view, SECOND)
    assert [one.id for one in view.page.shown] == [SECOND]
    assert view.list.rows[0].title == "Probing · de.tense.txt, bad.txt"
    assert view.list.rows[0].facts == "two · just now"
    assert cells(view, 0) | {"": ""} == {
        "": "",
        "Encoder": "two",
        "File": "de.tense.txt",
        "Task": "tense",
        "Language": "German",
        "Classifier": "logistic regression",
        "n": "100",
        "Training rows": "500",
        "Classes": "2",
        "Accuracy, %": "70.0\u00a0(60.0\u00a0–\u00a080.0)",
        "Selectivity, points": "−5.0",
        "most frequent class, %": "50.0",
    }


def test_a_comparison_of_two_encoders_names_both_and_fills_its_table(
    folder: Path, view: EvaluateView
) -> None:
    params = CompareEncoders(encoders=("one", "two"))
    run = add_run(folder, params, {})
    kept = SpaceMeasured(
        encoder="one → two",
        measure="kept_neighbours",
        first="en",
        n=246,
        value=0.157,
        value_interval=(0.139, 0.174),
    )
    wrong = [
        Retrieved(
            encoder=encoder,
            source="en",
            target="es",
            n=60,
            n_pool=126,
            error=error,
            error_interval=(0.0, 0.5),
        )
        for encoder, error in (("one", 0.0), ("two", 0.25))
    ]
    keep(folder, run, [kept, *wrong])
    view.refresh()
    choose(view, run)
    facts = {row.id: row.facts for row in view.list.rows}
    assert facts[run] == "one, two · just now"
    rows = view.page.results.table.texts()
    assert rows[0] == ["Encoder", "Measure", "First", "Second", "n", "Value"]
    assert rows[1][:5] == ["one → two", "Kept neighbours", "English", "", "246"]
    assert rows[3][:5] == ["two", "Retrieval error", "English", "Spanish", "60"]
    assert rows[3][5].startswith("0.250")


def test_the_ages_in_the_list_stay_true(
    view: EvaluateView, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(view, SECOND)
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    before = view.list.rows[0].facts
    view.show_ages()
    assert view.list.rows[0].facts != before
    assert view.list.rows[0].facts.endswith("60 minutes ago")
    assert "60 minutes ago" in view.page._facts.text()
    assert [one.id for one in view.page.shown] == [SECOND]


def test_several_are_drawn_in_the_same_chart(view: EvaluateView) -> None:
    choose(view, FIRST, SECOND)
    assert [chart.title for chart in view.page.charts.charts] == [
        "Probing · German · logistic regression"
    ]
    figure = view.page.charts.figure
    assert figure is not None
    assert isinstance(figure.widget, BarChartFigure)
    assert figure.widget.legend == "two, one, most frequent class"
    assert view.page.results.table.rowCount() == 4
    assert view.page.notes == "bad.txt has no split."


def test_keys_tell_the_figures_of_bars_and_cells(view: EvaluateView) -> None:
    choose(view, SECOND)
    view.page.focus_first()
    figure = view.page.charts.figure
    assert figure is not None
    assert isinstance(figure.widget, BarChartFigure)
    QTest.keyClick(figure.widget.plot, Qt.Key.Key_Down)
    QTest.keyClick(figure.widget.plot, Qt.Key.Key_Down)
    interval = format_range("20.0", "40.0")
    told = f"WC (2 of 1,000 classes): two 30.0 ({interval}) · most frequent class 50.0"
    assert view.page.charts.cursor_text == told

    choose(view, RETRIEVAL)
    figure = view.page.charts.figure
    assert figure is not None
    assert isinstance(figure.widget, HeatMap)
    QTest.keyClick(figure.widget, Qt.Key.Key_Right)
    assert view.page.charts.cursor_text.endswith("not measured")
    QTest.keyClick(figure.widget, Qt.Key.Key_Down)
    assert view.page.charts.cursor_text.endswith(" 10.0 %")


def test_the_table_sorts_by_figures_and_is_copied(view: EvaluateView) -> None:
    choose(view, FIRST)
    table = view.page.results.table
    column = table.texts()[0].index("Accuracy, %")
    table.sortItems(column, Qt.SortOrder.AscendingOrder)
    assert cells(view, 0)["Task"] == "WC"
    table.selectRow(0)
    view.page.results.copy_rows()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert [line.split("\t")[2] for line in copied] == ["Task", "WC"]


def test_the_encoder_of_all_rows_is_shown_last_and_copied_first(
    view: EvaluateView,
) -> None:
    choose(view, FIRST)
    table = view.page.results.table
    header = table.horizontalHeader()
    assert header.visualIndex(0) == table.columnCount() - 1
    assert table.texts()[0][0] == "Encoder"
    choose(view, FIRST, SECOND)  # two encoders
    assert header.visualIndex(0) == 0


def test_the_matrix_and_the_table_are_readable_in_a_small_window_with_large_text(
    view: EvaluateView, stage: Stage, qtbot: QtBot
) -> None:
    choose(view, RETRIEVAL)
    figure = view.page.charts.figure
    assert figure is not None
    area = next(
        one
        for one in view.page.charts.findChildren(QScrollArea)
        if one.isAncestorOf(figure.widget)
    )
    table = view.page.results.table
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 560)
        # twelve languages need 360 pixels, these three less
        needed = min(360, figure.widget.minimumSizeHint().height())
        qtbot.waitUntil(lambda: area.viewport().height() >= needed)
        seen = figure.widget.visibleRegion
        qtbot.waitUntil(lambda: seen().boundingRect().height() >= needed)
        qtbot.waitUntil(lambda: table.viewport().height() >= 3 * table.rowHeight(0))
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_charts_and_figures_are_written(
    view: EvaluateView, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(view, RETRIEVAL)
    file = view.page.charts.file
    assert file is not None
    dialog = file.ask_export()
    assert dialog.picture.width_box.value() >= 1_920  # of a slide
    assert dialog.picture.width_box.lineEdit().textMargins().left() == GRID, (
        "as other fields"
    )
    dialog.picture.width_box.setValue(1_200)
    dialog.export_to(tmp_path / "a.png")
    assert QImage(str(tmp_path / "a.png")).width() == 1_200
    file.ask_export().export_to(tmp_path / "a.svg")
    assert "Greek" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    with qtbot.waitSignal(view.state.file_written):
        file.ask_export().export_to(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == [",Arabic,German,Greek", "Arabic,,0.0,0.0"]
    with qtbot.waitSignal(view.state.file_written):
        view.page.results.ask_export().export_to(tmp_path / "a.tsv")
    head = (tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()[0]
    names = ["error", "error interval low", "error interval high"]
    assert head.split("\t")[5:8] == names


@pytest.mark.parametrize(
    "struct",
    [
        Probe,
        EvaluateRetrieval,
        EvaluateSts,
        EvaluateSimilarityOfSpaces,
        EvaluateDownstream,
        MakeProbingSets,
    ],
)
def test_each_form_says_what_it_needs_and_takes_files(
    view: EvaluateView, struct: type[TaskParams], tmp_path: Path
) -> None:
    dialog = dialog_of(view, struct)
    assert not faults(dialog)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.tsv"))])
    copy, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    dialog.dropEvent(QDropEvent(QPointF(5, 5), copy, data, button, keys))
    values = dialog.form.raw()
    field = next(n for n in ("data", "treebanks", "table") if n in values)
    assert str(tmp_path / "a.tsv") in str(values[field])
    dialog.reject()


def test_columns_of_the_table_are_listed(
    view: EvaluateView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    error = ErrorInfo("user", "b.tsv, line 1: there is only one column.")
    stage.client.answers[LanguageColumnsQuery] = lambda query: (
        LanguageColumns(("eng", "deu")) if query.file.name == "a.tsv" else error
    )
    dialog = dialog_of(view, EvaluateRetrieval)
    dialog.show()
    columns = dialog.form.field("columns").widget
    assert isinstance(columns, CheckList)
    assert not columns.isVisible(), "there is no table"
    dialog.form.write({"table": tmp_path / "a.tsv"})
    qtbot.waitUntil(columns.isVisible)
    assert [columns.item(row).text() for row in range(2)] == ["English", "German"]
    columns.tick(["deu"])
    dialog.form.write({"table": tmp_path / "b.tsv"})
    qtbot.waitUntil(lambda: dialog.form.error_of("table") == error.message)
    dialog.form.write({"table": tmp_path / "a.tsv"})
    qtbot.waitUntil(lambda: not dialog.form.error_of("table"))
    assert dialog.form.raw()["columns"] == ["deu"], "nothing is lost by a wrong file"
    assert design_faults(dialog) == []


def test_features_and_relations_of_the_treebank_are_listed(
    view: EvaluateView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    offers = {
        "a.conllu": TreebankOffers(
            n_sentences=1_200,
            features={"root:Mood": {"Ind": 1_000, "Imp": 52}, "NOUN:Case": {"Nom": 9}},
            relations={"iobj": 40, "root:aux:pass": 7},
        ),
        "b.conllu": TreebankOffers(n_sentences=1, features={"NOUN:Case": {"Nom": 9}}),
    }
    error = ErrorInfo("user", "c.conllu is no treebank.")
    stage.client.answers[TreebankQuery] = lambda query: offers.get(
        query.treebanks[0].name, error
    )
    dialog = dialog_of(view, MakeProbingSets)
    dialog.show()
    features, relations = (dialog.form.field(n).widget for n in OFFERED_FIELDS)
    assert isinstance(features, CheckList)
    assert isinstance(relations, CheckList)
    assert features.keys == []
    assert "Choose a treebank to see what it contains." in texts_of(dialog)
    dialog.form.write({"treebanks": [tmp_path / "a.conllu"]})
    qtbot.waitUntil(lambda: bool(features.keys))
    assert [features.item(row).text() for row in range(2)] == [
        "Mood of the root · 1,052 · Ind, Imp",
        "Case of the only NOUN · 9 · Nom",
    ]
    assert [relations.item(row).text() for row in range(2)] == [
        "iobj · 40",
        "aux (pass) of the root · 7",
    ]
    assert "Counted in 1,200 sentences." in texts_of(dialog)
    assert design_faults(dialog) == []
    features.tick(["root:Mood", "NOUN:Case"])
    assert dialog.form.raw()["features"] == ["root:Mood", "NOUN:Case"]
    dialog.form.write({"treebanks": [tmp_path / "c.conllu"]})
    qtbot.waitUntil(lambda: bool(dialog.form.error_of("treebanks")))
    assert dialog.form.error_of("treebanks") == error.message
    assert len(features.ticked) == 2, "nothing is lost by a wrong file"
    dialog.form.write({"treebanks": [tmp_path / "b.conllu"]})
    qtbot.waitUntil(lambda: features.keys == ["NOUN:Case"])
    assert features.ticked == ["NOUN:Case"]
    assert relations.ticked == []


def texts_of(dialog: EvaluationDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel)]


def test_probing_sets_are_replaced_after_a_question(
    view: EvaluateView, stage: Stage, tmp_path: Path
) -> None:
    (tmp_path / "probing_sets.json").touch()
    dialog = dialog_of(view, MakeProbingSets)
    dialog.form.write({"treebanks": [tmp_path / "a.conllu"], "out": tmp_path})
    dialog.run_button.click()
    assert not stage.client.runs()
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == f"{tmp_path} contains files."
    box.defaultButton().click()
    (params,) = stage.client.runs()
    assert isinstance(params, MakeProbingSets)
    assert params.replace


def test_a_task_of_one_encoder_runs_for_each_that_is_ticked(
    view: EvaluateView, stage: Stage
) -> None:
    dialog = dialog_of(view, EvaluateSts)
    assert dialog.tasks() == []  # it has no file yet
    dialog.form.write({"data": ["en=a.tsv"]})
    jobs: list[Any] = list(dialog.tasks())
    assert [job.encoder for job in jobs] == [""]
    ticks = dialog.form.field("encoder").widget
    assert isinstance(ticks, CheckList)
    ticks.tick(["two", "one"])
    dialog.run_button.click()
    assert [run.encoder for run in stage.client.runs()] == ["one", "two"]
    assert all(run.data == ("en=a.tsv",) for run in stage.client.runs())


def test_a_finished_evaluation_of_another_kind_is_shown_alone(
    view: EvaluateView, stage: Stage
) -> None:
    made: dict[int, Any] = {one.id: one.params for one in view.controller.evaluations}
    view.controller.run([made[2], made[3]])
    view.controller.run([made[1]])
    runs = {2: stage.state.runs[0], 3: stage.state.runs[1], 1: stage.state.runs[2]}
    shown = []
    for id_, run in runs.items():
        run.id = id_
        stage.state.run_finished.emit(run, {})
        shown.append(sorted(one.id for one in view.page.shown))
    assert shown == [[2], [2, 3], [1]]


def test_a_finished_evaluation_does_not_replace_another_choice_of_the_user(
    view: EvaluateView, stage: Stage
) -> None:
    made: dict[int, Any] = {one.id: one.params for one in view.controller.evaluations}
    choose(view, FIRST)
    view.controller.run([made[SECOND]])
    (run,) = stage.state.runs
    run.id = SECOND
    third = next(id_ for id_ in made if id_ not in (FIRST, SECOND))
    choose(view, third)
    stage.state.run_finished.emit(run, {})
    assert [one.id for one in view.page.shown] == [third]


def test_an_evaluation_is_asked_again_with_its_settings(view: EvaluateView) -> None:
    choose(view, FIRST)
    view.controller.rerun()
    dialog = view.findChildren(EvaluationDialog)[-1]
    (again,) = dialog.tasks()
    assert again == Probe(data=(Path("de.tense.txt"), Path("bad.txt")))
    dialog.reject()
    view.controller.copy_command()
    words = QGuiApplication.clipboard().text()
    assert " probe " in words
    assert "--data de.tense.txt --data bad.txt" in words


def test_a_report_is_of_all_that_is_shown_and_replaces_none(
    view: EvaluateView, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "p evaluation.html").touch()
    choose(view, FIRST, SECOND)
    view.controller.ask_report()
    (form,) = view.findChildren(EvaluationReportDialog)
    assert not faults(form)
    form.run_button.click()
    free = tmp_path / "p evaluation 2.html"
    assert stage.client.runs() == [MakeReport(runs=(SECOND, FIRST), out=free)]


def test_what_was_shown_is_shown_again(view: EvaluateView) -> None:
    choose(view, RETRIEVAL)
    view.page.charts.choose("Retrieval error")
    saved = view.save_state()
    choose(view, SECOND)
    view.restore_state({**saved, "runs": [RETRIEVAL, 99]})
    assert [one.id for one in view.page.shown] == [RETRIEVAL]
    assert view.page.charts.title == "Retrieval error"
    view.restore_state({})
    assert [one.id for one in view.page.shown] == [RETRIEVAL]


def test_an_evaluation_is_shown_from_elsewhere(view: EvaluateView) -> None:
    assert isinstance(view, RunShower)
    for run in (SECOND, RETRIEVAL):
        view.show_run(run)
        assert [one.id for one in view.page.shown] == [run]
    view.show_run(99)
    assert [one.id for one in view.page.shown] == [RETRIEVAL]


def test_the_classes_that_a_probing_set_kept_are_named() -> None:
    sets = (
        ProbingSet("SentLen", "a.tsv", 5, 6),
        ProbingSet("TreeDepth", "b.tsv", 3, 8),
        ProbingSet("Tense", "c.tsv", 2, 2),
    )
    assert describe_dropped_classes(ProbingSets(sets)) == (
        "Some classes were too rare. Classes that were kept: SentLen 5 of 6, "
        "TreeDepth 3 of 8."
    )


def answer_difference(stage: Stage, *, n_left_out: int) -> None:
    """Let the engine answer with one direction whose errors differ."""
    row = {"n": 60, "one": 0.25, "other": 0.1, "difference": 0.15}
    row |= {"low": 0.05, "high": 0.25}
    direction = {"source": "deu", "target": "eng", "only_one": 0, "only_other": 9}
    stage.client.answers[CompareRetrievalsQuery] = lambda _: {
        "directions": [direction | row | {"p": 0.004}],
        "mean": row | {"n_directions": 1},
        "n_left_out": n_left_out,
    }


def test_two_evaluations_of_retrieval_show_their_difference(
    view: EvaluateView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    button = view.controller.actions["difference"]
    choose(view, RETRIEVAL)
    assert not button.isEnabled()
    run = add_run(folder, EvaluateRetrieval(corpora=NAMES, matrix=True), {})
    keep(folder, run, [replace(retrieved("Arabic", "German", 0.2), encoder="two")])
    view.refresh()
    choose(view, FIRST, RETRIEVAL)
    assert not button.isEnabled()  # probing has no hits
    choose(view, RETRIEVAL, run)
    view.resize(1_440, 800)
    answer_difference(stage, n_left_out=2)
    button.trigger()
    dialog = view.findChildren(DifferenceDialog)[-1]
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 1)
    assert stage.client.queries(CompareRetrievalsQuery) == [
        CompareRetrievalsQuery(one=run, other=RETRIEVAL)
    ]
    assert (
        "difference is +15.0 points (95\u00a0% interval +5.0\u00a0–\u2060\u00a0+25.0"
        in dialog.text
    )
    assert "significantly in 1 of 1 directions" in dialog.text
    assert "2 directions that only one of them measured" in dialog.text
    assert dialog.text.startswith(
        "The mean error of two is 25.0\u00a0%, that of one is 10.0"
    )
    heads = [dialog.table.horizontalHeaderItem(column) for column in (2, 3, 7, 8)]
    assert [head.text() for head in heads if head] == [
        *("two", "one"),
        *("Only two right", "Only one right"),
    ]
    name = dialog.table.item(0, 0)
    assert name is not None
    assert (name.text(), name.font().bold()) == ("German → English", True)
    assert dialog.table.horizontalScrollBar().maximum() == 0, "all columns are shown"
    assert faults(dialog) == []
    dialog.close()


def test_a_difference_warns_of_an_encoder_that_was_trained_on_the_texts(
    view: EvaluateView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    run = add_run(folder, EvaluateRetrieval(corpora=NAMES, matrix=True), {})
    trained = {"encoder": "two", "note": "trained on these texts"}
    keep(folder, run, [replace(retrieved("Arabic", "German", 0.2), **trained)])
    view.refresh()
    choose(view, RETRIEVAL, run)
    answer_difference(stage, n_left_out=0)
    view.controller.actions["difference"].trigger()
    dialog = view.findChildren(DifferenceDialog)[-1]
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 1)
    warning = "two was trained on these texts, so its results are too good."
    assert dialog.text.startswith(f"{warning}\nThe mean error")
    export = dialog.findChild(PlotExporter)
    assert export is not None
    asked = export.ask_export()
    table = asked.preview.findChild(QTableWidget)
    assert table is not None
    last = table.columnCount() - 1
    head, cell = table.horizontalHeaderItem(last), table.item(0, last)
    assert head is not None
    assert cell is not None
    assert (head.text(), cell.text()) == ("note", warning)
    assert export.note == warning
    asked.close()
    dialog.close()


def test_evaluations_with_different_settings_can_be_told_apart(
    view: EvaluateView, folder: Path
) -> None:
    params = EvaluateRetrieval(corpora=NAMES[:2], drop_duplicates=True, n_random=20)
    run = add_run(folder, params, {"notes": ["Few sentences.", "Measured on 60."]})
    keep(folder, run, [retrieved("Arabic", "German", 0.1)])
    params = EvaluateRetrieval(corpora=NAMES[:2])
    notes = ["two was trained on a.", "Many sentences.", "Measured on 60."]
    other = add_run(folder, params, {"notes": notes})
    keep(folder, other, [replace(retrieved("Arabic", "German", 0.1), encoder="two")])
    view.refresh()
    choose(view, run, other)
    facts = {row.id: row.facts for row in view.list.rows}
    assert facts[run] == "one · without duplicates · 20 random candidates · just now"
    assert facts[other] == "two · just now"
    assert set(view.page.notes.splitlines()) == {
        "one: Few sentences.",
        "Measured on 60.",
        "two was trained on a.",
        "two: Many sentences.",
    }
    choose(view, run)
    assert "Few sentences." in view.page.notes.splitlines()


def test_a_cell_or_a_row_lists_its_errors(
    view: EvaluateView, stage: Stage, qtbot: QtBot
) -> None:
    error = {"line": 1_204, "source": "Guten Morgen", "expected": "Καλημέρα"}
    error |= {"found": "Καλησπέρα", "expected_cosine": 0.61, "found_cosine": 0.7}
    answer = {"n": 60, "n_wrong": 6, "n_copies": 3, "errors": [error]}
    stage.client.answers[RetrievalErrorsQuery] = lambda _: answer
    choose(view, FIRST)
    assert not view.controller.actions["errors"].isEnabled()  # of probing
    choose(view, RETRIEVAL)
    page = view.page
    assert page.charts.cursor_text.startswith(
        "Click a cell or double-click a row for its errors. Rows: source, columns: "
        "target. Retrieval error, %"
    )
    figure = page.charts.figure
    assert figure is not None
    heat = figure.widget
    assert isinstance(heat, HeatMap)
    assert heat.heat.rows[1] == "German"
    assert heat.heat.columns[2] == "Greek"
    centre = heat.cell(1, 2).center().toPoint()
    QTest.mouseClick(heat, Qt.MouseButton.LeftButton, pos=centre)
    dialog = view.findChildren(RetrievalErrorsDialog)[-1]
    assert dialog.direction.currentText() == "German → Greek"
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 1)
    assert dialog.text == (
        "For 6 of 60 sentences (10.0\u00a0%), the nearest sentence is not the "
        "translation. In 3 cases, it has the same text as the translation. The first "
        "1 are listed."
    )
    cells = [dialog.table.item(0, column) for column in range(6)]
    assert [cell.text() for cell in cells if cell] == [
        *("Guten Morgen", "Καλημέρα", "Καλησπέρα", "1,204", "0.610", "0.700")
    ]
    assert faults(dialog) == []
    dialog.table.setCurrentCell(0, 1)
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    QTest.keyClick(dialog.table, Qt.Key.Key_Space)
    dialog.table.cellDoubleClicked.emit(0, 5)  # beside the texts
    popups = dialog.table.findChildren(FullTextPopup)
    assert [one.accessibleName() for one in popups] == [
        *("Καλημέρα", "Καλημέρα"),
        "Guten Morgen",
    ]
    for popup in popups:
        popup.close()
    dialog.direction.setCurrentIndex(0)
    queries = stage.client.queries(RetrievalErrorsQuery)
    assert [(one.source, one.target) for one in queries] == [
        *(("German", "Greek"), ("Arabic", "German"))
    ]
    dialog.close()
    heat.point_at((0, 0))  # not measured
    QTest.keyClick(heat, Qt.Key.Key_Return)
    assert len(stage.client.queries(RetrievalErrorsQuery)) == 2
    heat.point_at((2, 1))
    assert page.charts.cursor_text.endswith(
        "Greek\u2069” → “\u2068German\u2069”: 20.0 %"
    )
    QTest.keyClick(heat, Qt.Key.Key_Return)
    assert stage.client.queries(RetrievalErrorsQuery)[-1].source == "Greek"
    table = page.results.table
    table.sortItems(table.texts()[0].index("Error, %"), Qt.SortOrder.DescendingOrder)
    first = table.texts()[1]
    cell = table.item(0, 1)
    assert cell is not None
    table.itemActivated.emit(cell)
    query = stage.client.queries(RetrievalErrorsQuery)[-1]
    assert [query.source, query.target] == first[1:3]


def test_up_to_four_notes_are_shown(view: EvaluateView, folder: Path) -> None:
    for n, expected in (
        (4, "Note 4"),
        (5, "… and 2 more. The report lists all notes."),
    ):
        notes = {"notes": [f"Note {one}" for one in range(1, n + 1)]}
        run = add_run(folder, EvaluateRetrieval(corpora=NAMES, matrix=True), notes)
        keep(folder, run, [retrieved("Arabic", "German", 0.1)])
        view.refresh()
        choose(view, run)
        lines = view.page.notes.splitlines()
        assert (len(lines), lines[-1]) == (4, expected)


def test_choices_of_an_evaluation_are_in_words(view: EvaluateView) -> None:
    dialog = dialog_of(view, MakeProbingSets)
    tasks = dialog.form.field("tasks").widget
    assert isinstance(tasks, CheckList)
    tips = {tasks.item(row).toolTip() for row in range(tasks.count())}
    assert {"Word content (WC)", "Swapped words (BShift)", "Tense"} <= tips
    dialog.close()
    retrieval = dialog_of(view, EvaluateRetrieval)
    titles = {label.text() for label in retrieval.form.findChildren(QLabel)}
    assert "Random candidates" in titles
    retrieval.close()


def test_every_control_is_named(view: EvaluateView) -> None:
    for run in (RETRIEVAL, SECOND):
        choose(view, run)
        found = faults(view)  # a heat map tells its cells in the line below it
        assert not [fault for fault in found if not fault.startswith("HeatMap")]


def test_an_empty_project_says_what_to_do(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "empty.isogloss"))
    stage.open(qtbot)
    view = EvaluateView(stage.state)
    qtbot.addWidget(view)
    view.show()
    assert view.empty_state.words[0] == "Measure what encoders know"
    assert not view.corpora_button.isVisible()  # nothing is linked
    view.controller.evaluate_corpora()
    assert not stage.client.runs()
    stage.close()


def test_the_linked_corpora_to_evaluate_are_chosen_if_not_all_are_linked(
    tmp_path: Path, qtbot: QtBot
) -> None:
    names = ("a.en", "a.de", "b.en", "b.de")
    texts = {name: (name[-2:], ["One.", "Two."]) for name in names}
    folder = build_project(tmp_path / "four.isogloss", texts)
    first = [first_sentence_id(number) for number in (1, 2, 3, 4)]
    link(folder, [(first[0] + i, first[1] + i) for i in (0, 1)])
    stage = Stage(folder)
    stage.open(qtbot)
    view = EvaluateView(stage.state)
    qtbot.addWidget(view)
    view.show()
    view.controller.evaluate_corpora()  # nothing else is linked
    (run,) = stage.client.runs()
    assert run.corpora == ("a.en", "a.de")
    link(folder, [(first[2] + i, first[3] + i) for i in (0, 1)])
    view.controller.evaluate_corpora()
    assert len(stage.client.runs()) == 1
    dialog = view.findChildren(EvaluationDialog)[-1]
    assert dialog.form.raw()["corpora"] == ["a.en", "a.de"]
    dialog.form.write({"corpora": ["b.en", "b.de"]})
    (params,) = dialog.tasks()
    assert getattr(params, "corpora", ()) == ("b.en", "b.de")
    dialog.close()
    stage.close()


def test_the_folder_of_the_last_tatoeba_evaluation_is_proposed(
    view: EvaluateView, folder: Path
) -> None:
    assert not dialog_of(view, EvaluateTatoeba).form.raw().get("directory")
    sets = folder / "tatoeba"
    run = add_run(folder, EvaluateTatoeba(directory=sets, encoder="two"), {})
    keep(folder, run, [retrieved("Arabic", "German", 0.1)])
    view.refresh()
    dialog = dialog_of(view, EvaluateTatoeba)
    assert dialog.form.raw()["directory"] == str(sets)
    assert dialog.form.raw()["encoder"] == ""


def test_a_form_warns_of_corpora_that_the_encoder_was_trained_on(
    view: EvaluateView, stage: Stage, folder: Path
) -> None:
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(3)])
    training = TrainEncoder(name="two", corpora=("1",), objectives=("ranking",))
    add_run(folder, training, {"name": "two"})
    dialog = dialog_of(view, EvaluateRetrieval)
    dialog.form.write({"corpora": ["Harbour letters", "Hafenbriefe"]})
    assert dialog.needs == ""
    ticks = dialog.form.field("encoder").widget
    assert isinstance(ticks, CheckList)
    ticks.tick(["two"])
    assert dialog.needs == (
        "two was trained on Harbour letters, Hafenbriefe, so its results are too good."
    )
    dialog.form.write({"corpora": ["Hafenbriefe"]})
    assert dialog.needs == ""


def test_labelled_corpora_can_be_probed(view: EvaluateView, folder: Path) -> None:
    dialog = dialog_of(view, Probe)
    assert "corpora" not in dialog.form.names  # no corpus has labels
    dialog.close()
    add_labels(folder, 2)
    dialog = dialog_of(view, Probe)
    ticks = dialog.form.field("corpora").widget
    assert isinstance(ticks, CheckList)
    assert ticks.count() == 1
    dialog.form.write({"corpora": [ticks.item(0).data(Qt.ItemDataRole.UserRole)]})
    (task,) = dialog.tasks()
    assert isinstance(task, Probe)
    assert (task.data, len(task.corpora)) == ((), 1)


def test_the_error_of_retrieval_comes_before_the_pool(qtbot: QtBot) -> None:
    table = MeasurementTable()
    qtbot.addWidget(table)
    row = Retrieved(
        encoder="one",
        source="en",
        target="es",
        n=60,
        n_pool=126,
        error=0.25,
        error_interval=(0.1, 0.4),
    )
    table.show_rows([row])
    head = table.texts()[0]
    assert head[:5] == ["Encoder", "Source", "Target", "n", "Error, %"]
    assert head[-1] == "Candidates"


def test_charts_of_retrieval_name_languages_for_corpora(
    view: EvaluateView, stage: Stage
) -> None:
    assert stage.state.project is not None
    corpora = stage.state.project.corpora
    one, two = (corpus for corpus in corpora if corpus.language in ("en", "de"))
    row = Retrieved(
        encoder="one",
        source=one.name,
        target=two.name,
        n=60,
        n_pool=126,
        error=0.25,
        error_interval=(0.1, 0.4),
    )
    (named,) = name_languages([row], corpora)
    assert isinstance(named, Retrieved)
    assert {named.source, named.target} == {"English", "German"}
    other = replace(row, source="en")  # a column of a table
    assert name_languages([other], corpora) == [other]


@pytest.mark.parametrize(
    "struct",
    [Probe, EvaluateTatoeba, EvaluateSts, EvaluateDownstream, EvaluateTranslation],
)
def test_a_form_writes_no_sentence_twice_and_no_full_stop_at_a_check_box(
    struct: type[TaskParams], view: EvaluateView
) -> None:
    dialog = dialog_of(view, struct)
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.text()]
    for text in texts:
        ending = " ".join(text.split()[-6:])
        if len(text.split()) > 6:
            assert sum(ending in other for other in texts) == 1, ending
    boxes = [box.text() for box in dialog.findChildren(QCheckBox)]
    assert not [text for text in boxes if text.endswith(".")]
