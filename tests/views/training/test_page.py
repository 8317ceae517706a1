"""Trainings that were: their curves, records and settings, compared, resumed."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QMessageBox,
)
from pytestqt.qtbot import QtBot

from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.training.grid import TrainGrid
from app.params.training.presets import preset_params
from app.params.translation import TrainTranslation
from app.params.vectors import Encode
from app.protocol import commands
from app.protocol.edits.encoders import ChooseEncoder
from app.protocol.edits.general import DropRun, SetRunState
from app.protocol.queries.encoders import EncodersQuery
from app.results.jobs import UnfinishedRun, write_unfinished
from app.settings import Settings
from app.views.training.grid_dialog import GridDialog
from app.views.training.sidebar import describe_training
from app.views.training.translation_dialog import TranslationDialog
from app.views.training.view import TrainingView
from app.views.widgets.curve_chart import CurveChart
from app.views.widgets.curve_plot import CurvePlot
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from app.views.widgets.model_card import ModelCard
from tests.views.clipping import clipped_texts
from tests.views.encoders.cards import card
from tests.views.stage import Stage
from tests.views.training.played import CURVES, add_run, press, show


def test_a_model_card_opens_at_its_beginning(qtbot: QtBot) -> None:
    card = ModelCard()
    qtbot.addWidget(card)
    card.resize(400, 300)
    card.show_text("# Title\n\n" + "A line.\n\n" * 100)
    card.show()
    assert card.verticalScrollBar().maximum() > 0
    assert card.verticalScrollBar().value() == 0


def test_a_past_training_is_shown_with_its_curves_and_record(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    out = folder / "encoders" / "old"
    out.mkdir(parents=True)
    (out / "README.md").write_text("# old\nA card.\n", encoding="utf-8")
    record = {"hashes": {"a.tsv": "f" * 64}, "command": "isogloss train-encoder"}
    result = {"folder": str(out), "development_error": 0.25, "record": record}
    params = preset_params("quick", "old")
    run = add_run(folder, params, CURVES, result=json.dumps(result))
    view = show(stage, qtbot)
    view.list.select([run])
    qtbot.waitUntil(lambda: "25.0" in view.page.figures.text)
    languages = [row[0] for row in view.page.plots.languages.texts()]
    assert languages == ["Mean", "Japanese", "German"]
    assert view.page.plots.languages.texts()[1][1:] == ["50.0\u00a0%", "40.0\u00a0%"]
    assert view.page.plots.top_plot.legend == "loss 1.5"
    assert view.page.plots.bottom_plot.legend.startswith("mean 30.0\u00a0%, Japanese")
    rows = view.page.record.texts()
    assert ["a.tsv", "f" * 64] in rows
    for setting in (
        ["Vocabulary size", "16,000"],
        ["Architecture", "Static"],
        ["Objectives", "Translation ranking"],
        ["Languages", "all"],
        ["Start from", "random weights"],
    ):
        assert setting in rows
    assert "Translation ranking" in " ".join(
        label.text() for label in view.page.findChildren(QLabel)
    )
    assert "last error" in view.page.figures.text
    assert ["", "isogloss train-encoder"] in rows
    assert "A card." in view.page.card.toPlainText()
    assert view.list.trainings[0].best == 0.25


def test_languages_keep_their_rows_while_a_training_measures(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, preset_params("quick", "old"), CURVES)
    other = add_run(folder, preset_params("quick", "other"), CURVES)
    view = show(stage, qtbot)
    view.list.select([run])
    languages = view.page.plots.languages
    qtbot.waitUntil(lambda: len(languages.rows) == 3)
    before = [row.key for row in languages.rows]
    worst_first = dict.fromkeys(before, 0.01) | {before[-1]: 0.99}
    view.curves.curves(run).add(1_000, worst_first)
    view.page.plots.refresh()
    assert [row.key for row in languages.rows] == before
    assert languages.rows[-1].values == (0.99,)
    view.list.select([other])
    view.list.select([run])
    assert [row.key for row in languages.rows] == [before[0], before[2], before[1]]


def test_selected_languages_are_drawn(stage: Stage, qtbot: QtBot, folder: Path) -> None:
    run = add_run(folder, preset_params("quick", "old"), CURVES)
    view = show(stage, qtbot)
    view.list.select([run])
    plots = view.page.plots
    qtbot.waitUntil(lambda: len(plots.languages.rows) == 3)
    plots.languages.selectRow(2)
    assert [curve.title for curve in plots.bottom_plot.plot.curves] == [
        "mean",
        "German",
    ]


def test_two_trainings_are_compared(stage: Stage, qtbot: QtBot, folder: Path) -> None:
    halved = {
        step: {name: value / 2 for name, value in named.items()}
        for step, named in CURVES.items()
    }
    add_run(folder, preset_params("quick", "one"), CURVES)
    values = TrainEncoder(name="two", corpora=("1",), lr=0.5)
    add_run(folder, values, halved)
    view = show(stage, qtbot)
    view.list.select([view.list.trainings[0].id])
    view.compare()
    comparison = view.comparison
    qtbot.waitUntil(lambda: len(comparison.plots.bottom_plot.plot.curves) == 2)
    assert comparison.plots.bottom_plot.legend == (
        "one: mean 30.0\u00a0%, two: mean 15.0\u00a0%"
    )
    rows = comparison.differences.texts()
    assert ["Learning rate", "0.01", "0.5"] in rows
    (corpora,) = (row for row in rows if row[0] == "Corpora")
    assert corpora[-1] == "Harbour letters"  # not its id
    assert "Name" not in [row[0] for row in rows]
    mean = comparison.plots.languages.texts()[0]
    assert mean == ["Mean", "30.0\u00a0%", "15.0\u00a0%", "−15.0"]
    dashes = [curve.dash for curve in comparison.plots.bottom_plot.plot.curves]
    assert dashes == [0, 1]  # colour is not the only sign


def test_settings_of_another_training_are_taken_over(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = TrainEncoder(name="old-3", corpora=("1",), n_steps=77)
    run = add_run(folder, values)
    view = show(stage, qtbot)
    view.list.select([run])
    view.controller.repeat()
    params = view.setup.form.params()
    assert (params.name, params.n_steps) == ("old-1", 77)


def test_a_translation_model_is_set_up_again_with_its_settings(
    stage: Stage, qtbot: QtBot, folder: Path, linked: None
) -> None:
    settings = TrainTranslation(
        name="small",
        corpora=("Harbour letters", "Hafenbriefe"),
        without=("de-en",),
        n_steps=77,
    )
    run = add_run(folder, settings)
    view = show(stage, qtbot)
    view.list.select([run])
    press(view, "Ctrl+Shift+T")
    (dialog,) = view.findChildren(TranslationDialog)
    assert dialog.sizes.currentIndex() == -1  # neither quick nor standard
    dialog.run_button.click()
    (params,) = stage.client.runs()
    assert params.n_steps == 77
    assert params.without == ("de-en",)
    assert params.name == "translation-1"


def test_linked_corpora_of_the_trained_languages_are_chosen_again(
    stage: Stage, qtbot: QtBot, folder: Path, linked: None
) -> None:
    settings = TrainTranslation(
        name="small", corpora=("Harbour letters",), languages=("en", "de")
    )
    run = add_run(folder, settings)
    view = show(stage, qtbot)
    view.list.select([run])
    press(view, "Ctrl+Shift+T")
    (dialog,) = view.findChildren(TranslationDialog)
    dialog.run_button.click()
    (params,) = stage.client.runs()
    assert params.corpora == ("Harbour letters", "Hafenbriefe")


def test_a_fine_tuning_is_repeated_with_its_settings(
    stage: Stage, qtbot: QtBot, folder: Path, linked: None
) -> None:
    names = ("isogloss-3", "mine")
    cards = [{"name": name, "architecture": "static"} for name in names]
    stage.client.answers[EncodersQuery] = lambda _: {"encoders": cards}
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    params = FineTuneEncoder(
        name="mine", initial="isogloss-3", corpora=("Harbour letters",), n_steps=77
    )
    run = add_run(folder, params)
    view = show(stage, qtbot)
    view.list.select([run])
    assert view.controller.repeat_action.isEnabled()
    view.controller.repeat_action.trigger()
    dialog = view.findChildren(FineTuneDialog)[-1]
    dialog.run_button.click()
    (again,) = stage.client.runs()
    assert again == replace(params, corpora=("1",), name="mine-2")


def test_an_untrained_error_is_not_the_lowest_of_a_cancelled_training(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    start = {0: {"dev.error": 1.0, "dev.loss.en-de": 9.0}, 10: {"loss": 8.5}}
    params = TrainTranslation(name="small", corpora=("a", "b"))
    run = add_run(folder, params, start, state="cancelled")
    view = show(stage, qtbot)
    view.list.select([run])
    qtbot.waitUntil(lambda: "8.5" in view.page.figures.text)
    assert "100.0" not in view.page.figures.text
    assert "100.0" not in describe_training(view.list.selected[0])
    assert view.page.plots.bottom_plot.group == "dev"
    box = view.page.plots.bottom_plot._groups
    assert box.currentText() == "Cross-entropy"


@pytest.mark.parametrize(
    ("select_by", "number", "title"),
    [("loss", "1.000", "cross-entropy"), ("bleu", "36.8", "BLEU")],
)
def test_a_translation_model_has_the_measure_of_its_development_pairs(
    stage: Stage, qtbot: QtBot, folder: Path, select_by: Any, number: str, title: str
) -> None:
    error = 1 - math.exp(-1)  # of a cross-entropy of 1; BLEU is 100 · (1 − error)
    points = {0: {"dev.error": 0.9}, 10: {"dev.error": error, "loss": 0.5, "lr": 0.1}}
    params = TrainTranslation(name="small", corpora=("a", "b"), select_by=select_by)
    run = add_run(folder, params, points)
    view = show(stage, qtbot)
    view.list.select([run])
    qtbot.waitUntil(lambda: title in view.page.figures.text)
    best = "highest" if select_by == "bleu" else "lowest"
    assert f"{best} {title}, at step 10 {number}" in view.page.figures.text
    assert f"{title} {number}" in describe_training(view.list.selected[0])
    plot = view.page.plots.bottom_plot.plot
    assert plot.curves[0].values[-1] == pytest.approx(float(number), abs=0.1)
    assert "saved" in view.page.plots.no_languages.text()


def test_trainings_of_one_name_are_told_apart(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    first = add_run(folder, preset_params("quick", "same"), CURVES)
    second = add_run(folder, preset_params("quick", "same"), CURVES)
    view = show(stage, qtbot)
    view.list.select([view.list.trainings[0].id])
    view.compare()
    heading = view.comparison._heading.text()
    assert heading == f"same (run {first}) and same (run {second})"
    qtbot.waitUntil(lambda: bool(view.comparison.plots.bottom_plot.legend))
    assert f"same (run {second}): mean" in view.comparison.plots.bottom_plot.legend


def test_a_language_keeps_its_colour_while_others_become_the_worst(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    codes = ("deu", "fra", "jpn", "spa")
    errors = dict.fromkeys((f"dev.error.{code}" for code in codes), 0.1)
    before = errors | {"dev.error": 0.1, "dev.error.deu": 0.5}
    after = errors | {"dev.error": 0.1, "dev.error.spa": 0.9, "dev.error.deu": 0.2}
    run = add_run(folder, preset_params("quick", "one"), {10: before})
    view = show(stage, qtbot)
    view.list.select([run])
    plot = view.page.plots.bottom_plot.plot
    qtbot.waitUntil(lambda: len(plot.curves) == 4)
    first = {curve.title: curve.colour for curve in plot.curves}
    assert list(first)[1] == "German"
    view.curves.curves(run).add(20, after)
    view.page.plots.refresh()
    second = {curve.title: curve.colour for curve in plot.curves}
    assert list(second)[1] == "Spanish"
    assert second["German"] == first["German"]
    assert len(set(second.values())) == len(second)


def test_an_interrupted_training_is_resumed_or_given_up(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = TrainEncoder(name="old", corpora=("1",))
    run = add_run(folder, values, state="interrupted")
    view = show(stage, qtbot)
    view.list.select([run])
    press(view, "Ctrl+R")
    (sent,) = [c for c in stage.client.sent if isinstance(c, commands.Run)]
    assert (sent.resume, sent.params) == (run, values)
    delete_confirmed(view)
    assert stage.client.changes() == [
        DropRun(run),
        SetRunState(runs=(run,), state="deleted"),
    ]


def test_a_cancelled_training_shows_its_steps_and_is_resumed_or_deleted(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = TrainEncoder(name="old", corpora=("1",))
    at = write_unfinished(UnfinishedRun(n_done=404, n_total=1_000))
    run = add_run(folder, values, state="cancelled", result=at)
    lost = add_run(folder, values, state="cancelled")  # before its first checkpoint
    view = show(stage, qtbot)
    view.list.select([run])
    assert describe_training(view.list.selected[0]).startswith("cancelled at 40\u00a0%")
    assert view.page._problem.text() == (
        "Cancelled. The checkpoint of step 404 of 1,000 is kept: resume the training, "
        "or delete it."
    )
    assert "training 404 / 1,000 (40\u00a0%)" in view.page.figures.text
    press(view, "Ctrl+R")
    (sent,) = [c for c in stage.client.sent if isinstance(c, commands.Run)]
    assert (sent.resume, sent.params) == (run, values)
    delete_confirmed(view)
    assert stage.client.changes()[0] == DropRun(run)
    view.list.select([lost])
    assert not view.controller.resume_action.isVisible()
    view.controller.delete_action.trigger()  # nothing is lost: it is not confirmed
    assert stage.client.changes()[2:] == [SetRunState(runs=(lost,), state="deleted")]


@pytest.mark.usefixtures("linked")
def test_the_name_of_a_deleted_training_is_not_proposed(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = TrainEncoder(name="quick-2", corpora=("1",))
    grid = TrainGrid(name="comparison-1", corpora=("1",), vary=("lr=0.1|0.2",))
    model = TrainTranslation(name="translation-1", corpora=("1", "2"))
    for settings in (values, grid, model):
        add_run(folder, settings, state="deleted cancelled")
    view = show(stage, qtbot)
    assert view.list.trainings == []
    qtbot.waitUntil(lambda: view.setup.form.field("name").read() == "quick-3")
    assert TranslationDialog(stage.state).form.raw()["name"] == "translation-2"
    press(view, "Ctrl+Shift+D")
    dialog = view.findChildren(GridDialog)[-1]
    assert dialog.form.raw()["name"] == "comparison-2"


def delete_confirmed(view: TrainingView) -> None:
    """Delete the training that is shown; nothing happens before the answer."""
    view.controller.delete_action.trigger()
    (question,) = view.window().findChildren(QMessageBox)
    assert (
        "Undo brings back its entry in the list, but not these"
        in question.informativeText()
    )
    question.defaultButton().click()


def test_a_training_of_another_version_is_still_shown(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, TrainEncoder(name="x"), CURVES, params='{"task": "fly"}')
    view = show(stage, qtbot)
    view.list.select([run])
    words = " ".join(label.text() for label in view.page.findChildren(QLabel))
    assert "so its settings can't be shown." in words
    qtbot.waitUntil(lambda: bool(view.page.plots.top_plot.plot.curves))


def test_errors_before_and_after_are_listed_and_a_warning_is_shown(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    changes = [
        {"language": "wol", "is_other": False, "before": 0.11, "after": 0.07},
        {"language": "de", "is_other": True, "before": 0.0, "after": 0.0},
        {"language": "el", "is_other": True, "before": 0.02, "after": 0.2},
    ]
    result = {"changes": changes, "warning": "Other languages got worse."}
    params = FineTuneEncoder(name="mine", initial="isogloss-3")
    run = add_run(folder, params, result=json.dumps(result))
    other = add_run(folder, preset_params("quick", "old"))
    view = show(stage, qtbot)
    view.list.select([run])
    page = view.page
    index = page.tabs.indexOf(page.changes)
    assert page.tabs.isTabVisible(index)
    assert page.changes.texts() == [
        ["mean", "11.0\u00a0%", "7.0\u00a0%", "−4.0"],
        ["Wolof", "11.0\u00a0%", "7.0\u00a0%", "−4.0"],
        ["mean", "1.0\u00a0%", "10.0\u00a0%", "+9.0"],
        ["Greek", "2.0\u00a0%", "20.0\u00a0%", "+18.0"],  # the largest rise first
        ["German", "0.0\u00a0%", "0.0\u00a0%", "0.0"],
    ]
    labels = [label.text() for label in page.findChildren(QLabel)]
    assert "Other languages got worse." in labels
    assert any(text.startswith("Fine-tuned from isogloss-3") for text in labels)
    titles = [row[0] for row in page.record.texts()]
    assert "Start from" in titles
    assert "Vocabulary size" not in titles  # the first encoder decides
    assert view.controller.repeat_action.isEnabled()
    view.list.select([other])
    assert not page.tabs.isTabVisible(index)


def test_the_encoder_of_a_training_is_put_to_use_from_its_page(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    result = json.dumps({"folder": str(folder / "encoders" / "mine")})
    run = add_run(folder, preset_params("quick", "mine"), result=result)
    failed = add_run(folder, preset_params("quick", "gone"), state="failed")
    listing = {"encoders": [card("mine", "a" * 64, folder)], "chosen": "isogloss-3"}
    stage.client.answers[EncodersQuery] = lambda _: listing
    stage.state.encoders.restart()
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = show(stage, qtbot)
    view.list.select([run])
    buttons = {one.text(): one for one in view.page.findChildren(QAbstractButton)}
    buttons["Use encoder"].click()
    assert stage.client.changes() == [ChooseEncoder("mine")]
    buttons["Encode corpora"].click()
    (encode,) = stage.client.runs()
    assert isinstance(encode, Encode)
    assert encode.encoder == "mine"
    with qtbot.waitSignal(stage.state.view_requests.evaluation_requested) as requested:
        buttons["Evaluate encoder…"].click()
    assert requested.args == ["mine"]
    view.list.select([failed])
    for title in ("Use encoder", "Encode corpora", "Evaluate encoder…"):
        assert not buttons[title].isVisible()


def test_a_translation_model_is_tried_from_its_page_and_has_its_card(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    moved = folder / "encoders" / "small"
    moved.mkdir(parents=True)
    (moved / "README.md").write_text("# small", encoding="utf-8")
    params = TrainTranslation(name="small", corpora=("a", "b"))
    result = json.dumps({"folder": "elsewhere/encoders/small"})
    run = add_run(folder, params, result=result)
    encoder = add_run(folder, preset_params("quick", "mine"), result=result)
    made = card("small", "a" * 64, moved, architecture="bridge")
    listing = {"encoders": [made], "chosen": "isogloss-3"}
    stage.client.answers[EncodersQuery] = lambda _: listing
    stage.state.encoders.restart()
    view = show(stage, qtbot)
    view.list.select([run])
    qtbot.waitUntil(lambda: view.page.card.text == "# small")
    buttons = {one.text(): one for one in view.page.findChildren(QAbstractButton)}
    with qtbot.waitSignal(stage.state.view_requests.translation_requested) as requested:
        buttons["Translate into…"].click()
    assert requested.args == ["small"]
    view.list.select([encoder])
    assert not buttons["Translate into…"].isVisible()


def plain(texts: Iterable[str]) -> list[str]:
    return [text.translate({0xA0: " ", 0x2060: None}) for text in texts]


def counted(n: int, kept_step: int) -> str:
    counts = [{"language": language, "n_development": n} for language in ("deu", "jpn")]
    return json.dumps({"counts": counts, "kept_step": kept_step})


ERRORS = {
    10: {"dev.error": 0.1, "dev.error.deu": 0.05, "dev.error.jpn": 0.15},
    20: {"dev.error": 0.2, "dev.error.deu": 0.1, "dev.error.jpn": 0.3},
}


def test_errors_have_their_interval_and_number_of_pairs(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, preset_params("quick", "a"), ERRORS, result=counted(200, 10))
    old = add_run(folder, preset_params("quick", "old"), ERRORS)
    view = show(stage, qtbot)
    view.list.select([run])
    languages = view.page.plots.languages
    qtbot.waitUntil(lambda: len(languages.rows) == 3)
    mean, worst, _ = map(plain, languages.texts())
    # Wilson 1927: 10 % of 400, 15 % of 200
    assert mean == [
        "Mean",
        "20.0 %",
        "10.0 %",
        "7.4 – 13.3 %",
        "400",
    ]
    assert worst == [
        "Japanese",
        "30.0 %",
        "15.0 %",
        "10.7 – 20.6 %",
        "200",
    ]
    headings = [
        languages.model().headerData(i, Qt.Orientation.Horizontal) for i in range(5)
    ]
    assert headings == ["Language", "Error", "Best", "95\u00a0% interval", "Pairs"]
    assert languages.columnWidth(3) >= languages.sizeHintForColumn(3), "not elided"
    view.list.select([old])
    qtbot.waitUntil(lambda: len(languages.rows) == 3)
    assert plain(languages.texts()[0]) == ["Mean", "20.0 %", "10.0 %"]


def test_kept_steps_are_compared_and_other_held_out_pairs_cause_a_warning(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = preset_params("quick", "a")
    first = add_run(folder, params, ERRORS, result=counted(200, 10))
    same = add_run(folder, params, ERRORS, result=counted(200, 20))
    other = add_run(folder, params, ERRORS, result=counted(500, 20))
    view = show(stage, qtbot)
    view.list.select([first, other])
    languages = view.comparison.plots.languages
    qtbot.waitUntil(lambda: len(languages.rows) == 3)
    qtbot.waitUntil(lambda: "–" not in languages.texts()[0])
    assert plain(languages.texts()[0]) == ["Mean", "10.0 %", "20.0 %", "+10.0"]
    (tip,) = plain([languages.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)])
    assert tip.endswith("10.0 % (7.4 – 13.3 %, n = 400)")
    warning = (
        "The errors were measured on different development pairs (400 and 1,000), so "
        "their difference is not only due to the settings."
    )
    shown = view.comparison.findChildren(QLabel)
    assert warning in [one.text() for one in shown if one.isVisible()]
    view.list.select([first, same])
    assert warning not in [one.text() for one in shown if one.isVisible()]


def test_changes_have_intervals_where_pairs_were_counted(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    change = {"language": "deu", "is_other": False, "before": 0.1, "after": 0.05}
    counts = [{"language": "deu", "n_development": 400}]
    result = json.dumps({"changes": [change], "counts": counts})
    params = FineTuneEncoder(name="mine", initial="isogloss-3")
    run = add_run(folder, params, result=result)
    view = show(stage, qtbot)
    view.list.select([run])
    assert plain(view.page.changes.texts()[1]) == [
        *(
            "German",
            "10.0 % (7.4 – 13.3 %)",
            "5.0 % (3.3 – 7.6 %)",
            "−5.0",
            "400",
        )
    ]


def test_a_failed_training_without_values_shows_a_sentence_in_place_of_a_chart(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = preset_params("quick", "broken")
    run = add_run(folder, params, state="failed")
    diverged = {10: {"loss": float("nan")}, 20: {"loss": float("nan")}}
    other = add_run(folder, preset_params("quick", "high-rate"), diverged)
    view = show(stage, qtbot)
    view.list.select([run])
    panel = view.page.plots.top_plot
    assert panel.empty.text() == (
        "There are no curves: the training failed before its first values."
    )
    assert panel.empty.isVisible()
    assert not panel.plot.isVisible()
    assert not view.page.plots.bottom_plot.isVisible()
    view.list.select([other])
    qtbot.waitUntil(lambda: "diverged" in panel.empty.text())
    assert not panel.plot.isVisible()


def test_the_second_chart_shows_something_else_than_the_first(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = {"loss.de-en": 2.0, "loss.en-de": 2.5, "lr": 0.001}
    params = TrainTranslation(name="small", corpora=("a", "b"))
    run = add_run(folder, params, {10: values, 20: values})
    view = show(stage, qtbot)
    view.list.select([run])
    plots = view.page.plots
    qtbot.waitUntil(lambda: bool(plots.top_plot.legend))
    assert (plots.top_plot.group, plots.bottom_plot.group) == ("loss", "lr")
    assert not plots.languages.isVisible()  # there is no retrieval error
    assert "no other pairs are measured" in plots.no_languages.text()
    assert plots.no_languages.isVisible()


def test_directions_have_the_same_colours_whichever_was_drawn_first(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = TrainTranslation(name="small", corpora=("a", "b"))
    first = {10: {"loss.en-de": 2.5}, 20: {"loss.de-en": 2.0}}
    run = add_run(folder, params, first)
    view = show(stage, qtbot)
    view.list.select([run])
    plots = view.page.plots
    qtbot.waitUntil(lambda: "English → German" in plots.top_plot.legend)
    curves = plots.top_plot.plot.curves
    assert [(one.title, one.colour) for one in curves] == [
        ("German → English", 0),
        ("English → German", 1),
    ]


def test_a_chart_that_was_chosen_and_has_no_values_gives_way_to_another_one(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    encoder = add_run(folder, preset_params("quick", "old"), CURVES)
    values = {"loss.de-en": 2.0, "loss.en-de": 2.5, "lr": 0.001}
    params = TrainTranslation(name="small", corpora=("a", "b"))
    run = add_run(folder, params, {10: values, 20: values})
    view = show(stage, qtbot)
    view.list.select([encoder])
    plots = view.page.plots
    qtbot.waitUntil(lambda: plots.bottom_plot.group == "dev")
    choice = plots.bottom_plot.findChildren(QComboBox)[0]
    for title in ("Learning rate", "Retrieval error"):
        choice.setCurrentIndex(choice.findText(title))
    view.list.select([run])
    qtbot.waitUntil(lambda: bool(plots.top_plot.legend))
    assert (plots.top_plot.group, plots.bottom_plot.group) == ("loss", "lr")


def test_every_column_of_compared_languages_is_seen_in_large_text(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    names = ("letters-with-a-long-name", "letters-2")
    runs = [add_run(folder, preset_params("quick", name), CURVES) for name in names]
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view = show(stage, qtbot)
        view.resize(1000, 600)
        view.list.select(runs)
        plots = view.comparison.plots
        qtbot.waitUntil(lambda: bool(plots.languages.rows))
        qtbot.waitUntil(lambda: plots.languages.horizontalHeader().length() > 0)
        table = plots.languages
        header = table.horizontalHeader()
        qtbot.waitUntil(lambda: header.length() <= table.viewport().width())
        assert table.horizontalScrollBar().maximum() == 0
        heading = table.model().headerData(
            1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
        )
        assert heading == "letters-with-a-long-name"
        legend = plots.top_plot.findChildren(CurveChart)[0]._legend
        assert legend.minimumSizeHint().width() <= legend.width()
        assert clipped_texts(view.comparison) == []
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_charts_keep_their_height_in_a_low_window(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, preset_params("quick", "old"), CURVES)
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view = show(stage, qtbot)
        view.resize(980, 600)
        view.list.select([run])
        plots = view.page.plots
        qtbot.waitUntil(lambda: bool(plots.bottom_plot.legend))
        qtbot.waitUntil(lambda: plots.top_plot.plot.height() > 200)
        assert plots.bottom_plot.plot.height() > 140
        area = view.page._area
        assert area.verticalScrollBar().maximum() > 0, "the page scrolls"
        assert plots.top_plot.height() < area.viewport().height(), "seen whole"
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_loss_is_drawn_larger_than_the_learning_rate(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = {"loss.de-en": 2.0, "loss.en-de": 2.5, "lr": 0.001}
    params = TrainTranslation(name="small", corpora=("a", "b"))
    run = add_run(folder, params, {10: values, 20: values})
    view = show(stage, qtbot)
    view.resize(1235, 825)
    view.list.select([run])
    plots = view.page.plots
    qtbot.waitUntil(lambda: plots.bottom_plot.group == "lr")
    qtbot.waitUntil(lambda: plots.top_plot.height() > plots.bottom_plot.height())
    assert plots.top_plot.plot.height() > 200
    wheel_over(plots.top_plot.plot)
    assert plots.top_plot.plot._follows, "the wheel scrolls the page"


def wheel_over(plot: CurvePlot) -> None:
    at = QPointF(plot.viewport().rect().center())
    none = Qt.MouseButton.NoButton
    event = QWheelEvent(
        at,
        QPointF(plot.viewport().mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, -120),
        none,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.viewport(), event)


def test_curves_are_wider_than_the_table_in_a_narrow_window_with_large_text(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = preset_params("quick", "old")
    run = add_run(folder, params, CURVES, result=counted(200, 10))
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view = show(stage, qtbot)
        view.resize(980, 600)
        view.list.select([run])
        plots = view.page.plots
        qtbot.waitUntil(lambda: bool(plots.bottom_plot.legend))
        qtbot.waitUntil(lambda: plots.languages.width() > 100)
        assert plots.top_plot.width() >= plots.languages.width()
        assert plots.languages.horizontalHeader().hiddenSectionCount() == 2
        assert clipped_texts(plots) == []
        assert plots.languages.texts()[0][1:3] == ["30.0\u00a0%", "25.0\u00a0%"]
    finally:
        stage.theme.apply(Settings(theme="light"))
