"""Grids of trainings: set up in a dialog, watched and compared on a page."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.runs import write_measurements
from app.params import build_params
from app.params.training.encoder import PlanTraining
from app.params.training.grid import TrainGrid
from app.params.training.presets import preset_params
from app.protocol import commands, events
from app.results.measurements import GridMeasured
from app.settings import Settings
from app.views.training.grid_dialog import GridDialog
from app.views.training.grid_page import GridPage
from app.views.training.objectives import ObjectiveField, ObjectivesDialog
from app.views.training.setting_values import JointSettings, ObjectivesButton
from app.views.training.varied_settings import VariedRow, VariedSettings
from app.views.training.view import TrainingView
from app.views.widgets.check_list import CheckList
from app.views.widgets.pair_weights import PairWeights
from tests.views.dialog_design import command_forms, design_faults
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage
from tests.views.training.played import PLAN, add_run, press, show, tell

GRID_RUN = 500


def grid(**values: object) -> TrainGrid:
    settings = {"name": "depth", "pairs": ["eng-deu.tsv"], "vary": ["n_layers=1|3"]}
    made: TrainGrid = build_params(TrainGrid, {**settings, **values})
    return made


def open_dialog(view: TrainingView) -> GridDialog:
    press(view, "Ctrl+Shift+D")
    return view.findChildren(GridDialog)[-1]


def open_laser(view: TrainingView) -> GridDialog:
    """Open the dialog with the preset of LASER's depths."""
    dialog = open_dialog(view)
    dialog.presets.setCurrentIndex(dialog.presets.findData("laser-depth"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    return dialog


def vary_of(dialog: GridDialog) -> VariedSettings:
    widget = dialog.form.field("vary").widget
    assert isinstance(widget, VariedSettings)
    return widget


def type_values(row: VariedRow, *texts: str) -> None:
    for field, text in zip(row.values.inputs, texts, strict=True):
        assert isinstance(field.widget, QLineEdit)
        field.widget.setText(text)


def shown_words(widget: QWidget) -> list[str]:
    return [one.text() for one in widget.findChildren(QLabel) if not one.isHidden()]


def rows(*, is_done: bool) -> list[GridMeasured]:
    first = GridMeasured(
        encoder="depth 1 (Layers 1)",
        varied={"Layers": "1"},
        scores={"Development error, %": 25.5, "STS en, r × 100": 40.0},
        scores_interval={"STS en, r × 100": (35.0, 45.0)},
        n_steps=400,
        is_done=True,
    )
    second = GridMeasured(encoder="depth 2 (Layers 3)", varied={"Layers": "3"})
    if is_done:
        scores = {"Development error, %": 20.25, "STS en, r × 100": 45.0}
        second = GridMeasured(
            encoder="depth 2 (Layers 3)",
            varied={"Layers": "3"},
            scores=scores,
            n_steps=400,
            is_done=True,
        )
    return [first, second]


def record(folder: Path, *, is_done: bool) -> None:
    with open_project(folder) as project:
        write_measurements(project.store, GRID_RUN, rows(is_done=is_done))


def test_the_dialog_counts_the_trainings_and_starts_the_grid(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    dialog = open_laser(view)
    assert dialog.count == "3 trainings, one by one."  # LASER's depths
    vary_of(dialog).write(["n_layers=1|3", "objectives=translation|translation,nli"])
    assert dialog.count == "4 trainings, one by one."
    vary_of(dialog).write(["dim=4"])
    (row,) = vary_of(dialog).rows
    assert row.problem == "Dimensions 4: it must be at least 8."
    assert row.problem in shown_words(row), "next to the value"
    assert dialog.count == "Correct the marked values."
    vary_of(dialog).write(["n_layers & dim=1 & 128 | 3 & 256"])
    assert dialog.count == "2 trainings, one by one."
    dialog.form.write({"pairs": [Path("eng-deu.tsv")]})
    dialog.run_button.click()
    (run,) = [one for one in stage.client.sent if isinstance(one, commands.Run)]
    assert isinstance(run.params, TrainGrid)
    assert run.params.vary == ("n_layers & dim=1 & 128|3 & 256",)
    assert run.params.name == "comparison-1"
    assert run.params.architecture == "bilstm"


def test_a_setting_is_added_and_removed_by_its_title(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_laser(show(stage, qtbot))
    vary = vary_of(dialog)
    vary.add_button.click()
    row = vary.rows[-1]
    assert isinstance(row, VariedRow)
    row.box.setCurrentIndex(row.box.findText("Learning rate"))
    type_values(row, "0.001", "0,01")
    assert vary.read() == ["n_layers=1|3|5", "lr=0.001|0.01"]
    assert dialog.count == "6 trainings, one by one."
    row.values.add_button.click()
    assert vary.read() == ["n_layers=1|3|5", "lr=0.001|0.01"], "it has no value yet"
    type_values(row, "0.001", "", "0.1")
    assert vary.read() == ["n_layers=1|3|5", "lr=0.001|0.1"]
    type_values(row, "0.001", "1; 2", "")
    assert row.problem == "Learning rate 1; 2: it must be a number."
    next(b for b in row.findChildren(QPushButton) if b.text() == "Remove").click()
    assert vary.read() == ["n_layers=1|3|5"]


def test_settings_that_change_together_have_a_table(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_laser(show(stage, qtbot))
    vary = vary_of(dialog)
    vary.joint_button.click()
    first, table = vary.rows
    assert isinstance(table, JointSettings)
    assert [box.currentText() for box in table.boxes] == ["Layers", "Dimensions"]
    first.removed.emit()
    assert vary.read() == [], "it has no values yet"
    type_row(table, 0, "1", "128")
    press_button(table, "Add a row")
    type_row(table, 1, "3", "")
    assert shown_words(table) == ["Dimensions: it must be a whole number."]
    type_row(table, 1, "3", "256")
    assert shown_words(table) == []
    assert vary.read() == ["n_layers & dim=1 & 128|3 & 256"]
    assert dialog.count == "2 trainings, one by one."
    press_button(table, "Add a column")
    table.boxes[2].setCurrentIndex(table.boxes[2].findText("Pooling"))
    box = table.rows[1][2].widget
    assert isinstance(box, QComboBox)
    box.setCurrentText("Last")
    assert vary.read() == ["n_layers & dim & pooling=1 & 128 & max|3 & 256 & last"]
    table.boxes[2].setCurrentIndex(table.boxes[2].findText("Layers"))
    assert shown_words(table) == ["Choose each setting once."]
    press_button(table, "Remove the last column")
    press_button(table, "×")
    assert vary.read() == ["n_layers & dim=3 & 256"]
    press_button(table, "Remove the table")
    assert [type(row) for row in vary.rows] == [VariedRow]
    assert design_faults(dialog) == []


def test_objectives_can_change_together_with_other_settings(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_dialog(show(stage, qtbot))
    dialog.use_preset("dual-encoder-tasks")
    (table,) = vary_of(dialog).rows
    assert isinstance(table, JointSettings)
    last = table.rows[-1][0].widget
    assert isinstance(last, ObjectivesButton)
    assert last.text() == "Translation ranking"
    last.click()
    (choice,) = dialog.findChildren(ObjectivesDialog)
    boxes = {box.text(): box for box in choice.findChildren(QCheckBox)}
    boxes["Translation"].click()
    choice.use_button.click()
    assert vary_of(dialog).read()[0].endswith("|ranking,translation &")


def test_encoders_and_folders_of_several_trainings_are_chosen(
    stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dialog = open_laser(show(stage, qtbot))
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    row.box.setCurrentIndex(row.box.findText("Start from"))
    boxes = [field.widget for field in row.values.inputs]
    for box, name in zip(boxes, ("isogloss-2", "quick-1"), strict=True):
        assert isinstance(box, QComboBox)
        assert box.accessibleName() == "Start from"
        assert box.currentText() == "Random weights"
        box.setCurrentText(name)
    assert vary_of(dialog).read() == ["initial=isogloss-2|quick-1"]
    vary_of(dialog).write(["initial=|lost"])
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    shown = [field.widget for field in row.values.inputs]
    assert [one.currentText() for one in shown if isinstance(one, QComboBox)] == [
        *("Random weights", "lost (not found)"),
    ]
    assert vary_of(dialog).read() == ["initial=|lost"]
    row.box.setCurrentIndex(row.box.findText("Vocabulary"))
    monkeypatch.setattr(
        "app.views.widgets.fields.ask_path",
        lambda window, title, on_chosen, **more: on_chosen(tmp_path),
    )
    press_button(row.values.inputs[1].widget, "Choose…")
    row.values.inputs[0].write("first")
    assert vary_of(dialog).read() == [f"vocabulary=first|{tmp_path}"]
    assert design_faults(dialog) == []


def test_encoders_that_change_together_are_chosen(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_laser(show(stage, qtbot))
    vary_of(dialog).write(["initial & n_layers=quick-1 & 1|& 3"])
    (table,) = vary_of(dialog).rows
    assert isinstance(table, JointSettings)
    boxes = [row[0].widget for row in table.rows]
    assert [one.currentText() for one in boxes if isinstance(one, QComboBox)] == [
        *("quick-1", "Random weights"),
    ]
    assert vary_of(dialog).read() == ["initial & n_layers=quick-1 & 1|& 3"]


def test_the_encoders_that_all_trainings_share_are_chosen(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_dialog(show(stage, qtbot))
    for name, empty in (("teacher", "Bundled encoder"), ("initial", "Random weights")):
        box = dialog.form.field(name).widget
        assert isinstance(box, QComboBox)
        texts = [box.itemText(index) for index in range(box.count())]
        assert texts == [empty, "isogloss-2", "quick-1"]


def type_row(table: JointSettings, index: int, *texts: str) -> None:
    for field, text in zip(table.rows[index], texts, strict=True):
        assert isinstance(field.widget, QLineEdit)
        field.widget.setText(text)


def press_button(widget: QWidget, text: str) -> None:
    buttons = widget.findChildren(QPushButton)
    next(b for b in buttons if b.text() == text and not b.isHidden()).click()


def test_few_values_are_checked_by_their_names(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_laser(show(stage, qtbot))
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    assert [one.read() for one in row.values.inputs] == ["1", "3", "5"]
    row.box.setCurrentIndex(row.box.findText("Pooling"))
    assert [box.text() for box in row.values.boxes] == [
        *("Max", "Mean", "Last", "Attention"),
    ]
    assert row.values.inputs == []
    for box in row.values.boxes[:2]:
        box.click()
    assert vary_of(dialog).read() == ["pooling=max|mean"]
    assert dialog.count == "2 trainings, one by one."
    row.box.setCurrentIndex(row.box.findText("End mark"))
    row.values.boxes[1].click()
    assert vary_of(dialog).read() == ["end_mark=no"]


def test_only_settings_that_the_architecture_uses_can_vary(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    training = add_run(folder, preset_params("quick", "mine"))
    view = show(stage, qtbot)
    view.list.select([training])
    dialog = open_dialog(view)
    vary = vary_of(dialog)
    (row,) = vary.rows
    assert isinstance(row, VariedRow)
    assert row.box.currentText() == "Learning rate", "a static encoder has no layers"
    assert row.box.findText("Layers") < 0
    assert row.box.findText("Dimensions") >= 0
    assert not dialog.run_button.isEnabled(), "there are no values yet"
    type_values(row, "0.01", "0.02")
    assert dialog.run_button.isEnabled()
    vary.write(["n_layers=2|4"])
    assert dialog.count == (
        "Layers has no effect with the other settings, so the encoders would be the "
        "same. Choose another setting."
    )
    assert not dialog.run_button.isEnabled()
    vary.write(["architecture=static|bilstm", "n_layers=2|4"])
    assert dialog.count == "4 trainings, one by one."
    assert dialog.run_button.isEnabled()


def test_a_grid_with_a_marked_value_cannot_be_started(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_laser(show(stage, qtbot))
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    type_values(row, "1", "abc", "5")
    assert dialog.count == "Correct the marked values."
    assert not dialog.run_button.isEnabled()
    type_values(row, "1", "3", "5")
    assert dialog.run_button.isEnabled()


def test_another_setting_keeps_the_numbers(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_laser(show(stage, qtbot))
    vary = vary_of(dialog)
    (row,) = vary.rows
    assert isinstance(row, VariedRow)
    row.box.setCurrentIndex(row.box.findText("Warm-up steps"))
    assert vary.read() == ["n_warmup=1|3|5"]
    row.box.setCurrentIndex(row.box.findText("Pooling"))
    assert vary.read() == []
    vary.write(["n_layers & dim=1 & 128|3 & 256"])
    (table,) = vary.rows
    assert isinstance(table, JointSettings)
    table.boxes[1].setCurrentIndex(table.boxes[1].findText("Warm-up steps"))
    assert vary.read() == ["n_layers & n_warmup=1 & 128|3 & 256"]


def test_the_results_of_another_grid_are_not_shown(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    first = add_run(folder, grid(), id=GRID_RUN, state="finished")
    record(folder, is_done=True)
    second = add_run(folder, grid(), state="failed")
    view = show(stage, qtbot)
    view.list.select([first])
    assert len(view.grid_page.results.table.texts()) == 3
    view.list.select([second])
    assert len(view.grid_page.results.table.texts()) == 1, "only the header"


def test_a_grid_is_not_compared_with_a_training(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    trainings = [add_run(folder, preset_params("quick", name)) for name in ("a", "b")]
    of_grid = add_run(folder, grid(), state="finished")
    view = show(stage, qtbot)
    view.list.select([of_grid])
    assert not view.controller.compare_action.isEnabled()
    view.list.select(trainings[1:])
    assert view.controller.compare_action.isEnabled()


def test_the_summary_of_a_grid_names_what_varies(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, grid(vary=["dim=64|128"]), state="finished")
    view = show(stage, qtbot)
    view.list.select([run])
    assert (
        "0 of 0 trainings measured · Static · 48,000 pieces · varied: Dimensions"
        in shown_words(view.grid_page)
    )


def test_objectives_of_several_trainings_are_chosen_in_a_dialog(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_dialog(show(stage, qtbot))
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    row.box.setCurrentIndex(row.box.findText("Objectives"))
    sets = row.values.objectives
    sets.add_button.click()
    (choice,) = dialog.findChildren(ObjectivesDialog)
    assert design_faults(choice) == []
    assert not choice.use_button.isEnabled(), "none is chosen"
    boxes = {box.text(): box for box in choice.findChildren(QCheckBox)}
    boxes["Translation"].click()
    boxes["Inference (NLI)"].click()
    weight = choice.field.findChildren(QDoubleSpinBox)[2]
    weight.setValue(2)
    choice.use_button.click()
    assert not choice.isVisible()
    labels = [one.text() for one in sets.findChildren(QLabel) if not one.isHidden()]
    assert labels == ["Translation + Inference (NLI) × 2"]
    assert vary_of(dialog).read() == ["objectives=translation,nli:2"]
    assert dialog.count == "1 training."
    vary_of(dialog).write(["objectives=translation|translation,nli:2"])
    (row,) = vary_of(dialog).rows
    assert isinstance(row, VariedRow)
    sets = row.values.objectives
    buttons = [one for one in sets.findChildren(QPushButton) if one.text() == "Remove"]
    buttons[0].click()
    assert vary_of(dialog).read() == ["objectives=translation,nli:2"]


def test_the_dialog_shows_no_form_of_the_command_line(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_dialog(show(stage, qtbot))
    dialog.use_preset("dual-encoder-tasks")
    dialog.form.unfold()
    shown = [
        text
        for widget in dialog.findChildren(QWidget)
        for text in (
            widget.toolTip(),
            widget.accessibleName(),
            widget.accessibleDescription(),
            widget.text() if isinstance(widget, QLabel | QLineEdit) else "",
        )
    ]
    assert [text for text in shown if "|" in text or "n_layers" in text] == []
    assert command_forms(dialog) == []


def test_objectives_and_weights_of_files_are_chosen_not_typed(
    stage: Stage, qtbot: QtBot
) -> None:
    dialog = open_laser(show(stage, qtbot))
    objectives = dialog.form.field("objectives").widget
    weights = dialog.form.field("pair_weights").widget
    assert isinstance(objectives, ObjectiveField)
    assert isinstance(weights, PairWeights)
    dialog.form.unfold()
    boxes = {box.text(): box for box in objectives.findChildren(QCheckBox)}
    boxes["Inference (NLI)"].setChecked(True)
    dialog.form.write(
        {"pairs": [Path("eng-deu.tsv")], "nli": [Path("nli.tsv")], "vary": ["dim=8|16"]}
    )
    weights.add_button.click()
    weights.rows[0].name.setText("eng-deu")
    assert weights.rows[0].weight.text() == "1", "without zeros"
    dialog.run_button.click()
    (run,) = [one for one in stage.client.sent if isinstance(one, commands.Run)]
    assert isinstance(run.params, TrainGrid)
    assert run.params.objectives == ("translation", "nli")
    assert run.params.pair_weights == ("eng-deu:1",)


def test_a_preset_keeps_name_data_and_measurements(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_dialog(show(stage, qtbot))
    kept = {"name": "mine", "pairs": ["a.tsv"], "sts": ["en=x.tsv"]}
    dialog.form.write(kept)
    dialog.use_preset("dual-encoder-tasks")
    found = dialog.form.raw()
    assert {name: found[name] for name in kept} == kept
    assert found["architecture"] == "transformer"
    assert dialog.count == "5 trainings, one by one."


def test_shared_settings_are_hidden_at_first(stage: Stage, qtbot: QtBot) -> None:
    dialog = open_dialog(show(stage, qtbot))
    dialog.show()
    dim, steps = (dialog.form.field(name).widget for name in ("dim", "n_steps"))
    assert not dim.isVisible()
    assert steps.isVisible()
    dialog.form.unfold()
    assert dim.isVisible()
    assert not faults(dialog)


def test_the_dialog_begins_with_the_training_that_is_shown(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    training = add_run(folder, preset_params("quick", "mine"))
    view = show(stage, qtbot)
    view.list.select([training])
    dialog = open_dialog(view)
    assert dialog.form.raw()["architecture"] == "static"
    assert dialog.count == "Add a setting and its values."


def check_preset(dialog: GridDialog, index: int) -> None:
    dialog.presets.setCurrentIndex(index)
    dialog.presets.activated.emit(index)


@pytest.mark.usefixtures("linked")
def test_the_dialog_begins_with_the_settings_of_the_page(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.form.field("n_steps").write(700)
    dialog = open_dialog(view)
    assert dialog.form.raw()["architecture"] == "static"
    assert dialog.form.raw()["corpora"] == ["Harbour letters", "Hafenbriefe"]
    assert dialog.settings == (
        "Static · 256 dimensions · 16,000 pieces. 700 steps, 1,024 pairs a step, "
        "learning rate 0.01."
    )
    assert not dialog.run_button.isEnabled(), "no setting varies yet"
    check_preset(dialog, dialog.presets.findData("laser-depth"))
    assert dialog.settings.startswith("BiLSTM · 256 dimensions · 8,000 pieces · varied")
    check_preset(dialog, 0)
    assert dialog.form.raw()["architecture"] == "static"
    assert dialog.settings.startswith("Static")
    assert design_faults(dialog) == []


@pytest.mark.usefixtures("linked")
def test_the_page_shows_a_value_that_no_training_can_have(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.form.field("name").write("")
    press(view, "Ctrl+Shift+D")
    assert not view.findChildren(GridDialog)
    assert any(text.startswith("Name: ") for text in shown_words(view.setup))


@pytest.mark.usefixtures("linked")
def test_the_time_of_all_trainings_is_estimated(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    dialog = open_dialog(view)
    assert not dialog.estimate.button.isEnabled()
    vary_of(dialog).write(["lr=0.01|0.02|0.03"])
    dialog.estimate.button.click()
    tried = list(stage.state.runs)
    qtbot.waitUntil(lambda: all(run.id > 0 for run in tried))
    for run, time in zip(tried, (60.0, 120.0, 180.0), strict=True):
        notes = [f"The figures of a training of {time:.0f} seconds are rough."] * 2
        tell(stage, events.Finished(run.id, {**PLAN, "time_s": time, "notes": notes}))
    rates = [run.lr for run in stage.client.runs() if isinstance(run, PlanTraining)]
    assert rates == [0.01, 0.02, 0.03]
    assert dialog.estimate.text.startswith("3 trainings: 6\u00a0min 0\u00a0s · ")
    assert "varied: Learning rate." in dialog.settings
    assert dialog.settings.endswith(" steps, 1,024 pairs a step.")  # no rate
    text = dialog.estimate._text
    qtbot.waitUntil(lambda: text.height() >= text.heightForWidth(text.width()))
    body = dialog._scroll.mapTo(dialog, dialog._scroll.rect().bottomLeft()).y()
    assert body < dialog.foot.geometry().top()
    assert dialog.height() < view.height()
    vary_of(dialog).write(["lr=0.01|0.02"])
    assert not dialog.estimate.text


def test_the_dialog_shows_the_corpora_of_the_training_once(
    stage: Stage, qtbot: QtBot, folder: Path, linked: None
) -> None:
    quick = preset_params("quick", "mine")
    params = msgspec.structs.replace(
        quick, corpora=("1", "Harbour letters", "2"), kept_out_corpora=("3",)
    )
    training = add_run(folder, params)
    view = show(stage, qtbot)
    view.list.select([training])
    dialog = open_dialog(view)
    boxes = dialog.form.field("corpora").widget
    assert isinstance(boxes, CheckList)
    checked = [
        boxes.item(row).text()
        for row in range(boxes.count())
        if boxes.item(row).checkState() == Qt.CheckState.Checked
    ]
    assert checked == ["Harbour letters · English · 3", "Hafenbriefe · German · 3"]
    assert dialog.form.raw()["corpora"] == ["Harbour letters", "Hafenbriefe"]
    assert dialog.form.raw()["kept_out_corpora"] == ["رسائل الميناء"]
    boxes.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert dialog.form.raw()["corpora"] == ["Hafenbriefe"]
    dialog.use_preset("dual-encoder-tasks")
    assert dialog.form.raw()["architecture"] == "transformer"
    dialog.presets.setCurrentIndex(0)
    dialog.presets.activated.emit(0)
    assert dialog.form.raw()["architecture"] == "static"
    assert dialog.form.raw()["corpora"] == ["Hafenbriefe"]


def test_a_training_is_set_up_again_with_each_corpus_once(
    stage: Stage, qtbot: QtBot, folder: Path, linked: None
) -> None:
    quick = preset_params("quick", "mine")
    params = msgspec.structs.replace(quick, corpora=("Harbour letters", "1"))
    training = add_run(folder, params)
    view = show(stage, qtbot)
    view.list.select([training])
    press(view, "Ctrl+Shift+T")
    assert view.setup.form.params().corpora == ("1",)


def test_a_grid_is_shown_as_it_grows(stage: Stage, qtbot: QtBot, folder: Path) -> None:
    add_run(folder, grid(), state="running", ended_at=None, id=GRID_RUN)
    record(folder, is_done=False)
    run = stage.state.run(grid(), GRID_RUN)
    view = show(stage, qtbot)
    view.list.select([GRID_RUN])
    page = view._pages.currentWidget()
    assert isinstance(page, GridPage)
    assert page.training is not None
    assert page.training.run is run
    tell(stage, events.Progress(GRID_RUN, "Training 2 of 2: Training", 5, 9, "", 0, ""))
    view.refresh()
    assert page._status.text() == "running · Training 2 of 2: Training"
    assert page._summary.text().startswith("1 of 2 trainings measured")
    record(folder, is_done=True)
    tell(stage, events.Changed("measurement", GRID_RUN))
    qtbot.waitUntil(lambda: len(page.rows) == 2 and page.rows[1].is_done)
    head, *cells = page.results.table.texts()
    table = [dict(zip(head, row, strict=True)) for row in cells]
    assert [row["Layers"] for row in table] == ["1", "3"]
    assert [row["Development error, %"] for row in table] == ["25.5", "20.2"]
    assert table[0]["STS en, r × 100"].startswith("40.0")
    (chart,) = page.charts.charts
    assert chart.title == "Comparison of settings · Layers"
    page.results.copy_rows()
    copied = QApplication.clipboard().text().splitlines()
    assert len(copied) == 3


def test_the_chart_of_a_grid_keeps_its_note_below_it_in_a_low_window(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, grid())
    with open_project(folder) as project:
        write_measurements(project.store, run, rows(is_done=True))
    try:
        stage.theme.apply(Settings(theme="dark", text_scale=150))
        view = show(stage, qtbot)
        view.setFixedSize(1000, 600)  # as in the main window
        view.list.select([run])
        page = view._pages.currentWidget()
        assert isinstance(page, GridPage)
        charts = page.charts
        qtbot.waitUntil(
            lambda: bool(charts.cursor_text) and charts._cursor_label.isVisible()
        )
        assert charts._cursor_label.y() >= charts._scroll.geometry().bottom()
        assert page.results.y() >= charts.geometry().bottom()
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_a_grid_before_its_first_training_has_no_zeros_and_no_empty_chooser(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    add_run(folder, grid(), state="running", ended_at=None, id=GRID_RUN)
    waiting = [
        GridMeasured(encoder=f"deep {n}", varied={"Layers": str(n)}) for n in (1, 3)
    ]
    with open_project(folder) as project:
        write_measurements(project.store, GRID_RUN, waiting)
    stage.state.run(grid(), GRID_RUN)
    view = show(stage, qtbot)
    view.list.select([GRID_RUN])
    page = view._pages.currentWidget()
    assert isinstance(page, GridPage)
    head, *cells = page.results.table.texts()
    assert head == ["Encoder", "Layers"]
    assert [row[1] for row in cells] == ["1", "3"]
    assert not page.charts.choice.isVisible()
    record(folder, is_done=True)
    tell(stage, events.Changed("measurement", GRID_RUN))
    qtbot.waitUntil(page.charts.choice.isVisible)
    assert "Steps" in page.results.table.texts()[0]


def test_a_past_grid_is_exported_and_repeated(
    stage: Stage, qtbot: QtBot, folder: Path, tmp_path: Path
) -> None:
    add_run(folder, grid(), id=GRID_RUN)
    record(folder, is_done=True)
    view = show(stage, qtbot)
    view.list.select([GRID_RUN])
    page = view.grid_page
    with qtbot.waitSignal(stage.state.file_written):
        page.results.ask_export().export_to(tmp_path / "a.tsv")
    head = (tmp_path / "a.tsv").read_text("utf-8").splitlines()[0].split("\t")
    assert {"varied Layers", "scores Development error, %"} <= set(head)
    assert not faults(page)
    view.controller.repeat()
    dialog = view.findChildren(GridDialog)[-1]
    assert vary_of(dialog).read() == ["n_layers=1|3"]
    assert dialog.form.raw()["name"] == "comparison-1"


@pytest.mark.parametrize("second", [GRID_RUN, 501])
def test_only_single_trainings_are_compared(
    stage: Stage, qtbot: QtBot, folder: Path, second: int
) -> None:
    first = add_run(folder, preset_params("quick", "one"))
    add_run(folder, grid(), id=GRID_RUN)
    add_run(folder, preset_params("quick", "two"), id=501)
    view = show(stage, qtbot)
    view.list.select([first, second])
    is_compared = view._pages.currentWidget() is view.comparison
    assert is_compared == (second == 501)
