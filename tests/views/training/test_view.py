"""A training that runs: followed, steered once, resumed after a crash."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.errors import ErrorInfo
from app.params.training.presets import preset_params
from app.params.translation import TrainTranslation
from app.protocol import commands, events
from app.results.jobs import UnfinishedRun, write_unfinished
from app.settings import Settings
from app.views.training.sidebar import describe_training
from app.views.widgets.controls import ElidedLabel
from tests.views.clipping import clipped_texts, press_everything
from tests.views.stage import Stage, build_project
from tests.views.training.played import CURVES, LIVE, add_run, play, press, show, tell


def test_a_running_training_is_followed(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    assert "20 / 100 (20\u00a0%)" in view.page.figures.text
    for step, values in CURVES.items():
        rates = {"sentences_per_s": 900.0, "tokens_per_s": 25_000.0}
        tell(stage, events.Metric(LIVE, step, {**values, **rates}))
    with qtbot.waitSignal(view.curves.grown):
        tell(stage, events.Metric(LIVE, 40, {"loss": None}))
    assert "25.0\u00a0%" in view.page.figures.text
    assert "tokens 25,000/s" in view.page.figures.text
    titles = ("training", "last error", "lowest error", "elapsed")
    indices = [view.page.figures.text.index(title) for title in titles]
    assert indices == sorted(indices)
    view.resize(700, 800)
    qtbot.waitUntil(lambda: "elapsed" in view.page.figures.toolTip())
    assert view.page.plots.languages.texts()[1][0] == "Japanese"


def test_a_view_that_is_shown_later_has_the_curves_too(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    first = show(stage, qtbot)
    play(first, stage, folder)
    add_points(folder)
    view = show(stage, qtbot)
    assert view.shown is not None
    assert view.shown.id == LIVE
    qtbot.waitUntil(lambda: len(view.page.plots.languages.rows) == 3)
    with qtbot.waitSignal(view.curves.grown):
        tell(stage, events.Metric(LIVE, 40, {"dev.error": 0.125}))
    assert "12.5\u00a0%" in view.page.figures.text


def add_points(folder: Path) -> None:
    points = [
        {"run_id": LIVE, "step": step, "name": name, "value": value}
        for step, named in CURVES.items()
        for name, value in named.items()
    ]
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.metric), points)


def test_pause_finish_and_cancel_are_sent_once(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    run = play(view, stage, folder)
    press(view, "Ctrl+P")
    press(view, "Ctrl+P")
    steers = [c for c in stage.client.sent if isinstance(c, commands.Steer)]
    assert steers == [commands.Steer(LIVE, "pause")]
    view.controller.cancel()
    assert run.is_cancelling
    tell(stage, events.Cancelled(LIVE))


def test_after_a_crash_the_training_can_be_resumed(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    tell(stage, events.Failed(LIVE, ErrorInfo("crash", "The engine stopped.")))
    qtbot.waitUntil(lambda: view.shown is not None and view.shown.run is None)
    assert view.shown is not None
    assert view.shown.state == "interrupted"
    view.controller.resume()
    assert [c.resume for c in stage.client.sent if isinstance(c, commands.Run)][
        -1
    ] == LIVE


def test_a_resumed_training_shows_the_loss_of_its_step(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = preset_params("quick", "mine")
    losses = {100: {"loss": 5.494}, 340: {"loss": 0.648}}
    add_run(folder, params, losses, state="running", ended_at=None, id=LIVE)
    stage.state.run(params, LIVE)
    view = show(stage, qtbot)
    view.list.select([LIVE])
    n_steps = params.n_steps
    tell(stage, events.Progress(LIVE, "Training", 100, n_steps, "loss 5.494", 0, "cpu"))
    qtbot.waitUntil(lambda: "loss 5.494" in view.page.figures.text)
    tell(stage, events.Progress(LIVE, "Training", 340, n_steps, "loss 0.648", 0, "cpu"))
    assert "loss 0.648" in view.page.figures.text


def test_the_curves_of_a_resumed_training_end_at_its_step(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    params = preset_params("quick", "mine")
    add_run(folder, params, CURVES, state="interrupted", id=LIVE)
    view = show(stage, qtbot)
    view.list.select([LIVE])
    curves = view.curves.curves(LIVE)
    qtbot.waitUntil(lambda: not view.curves.is_reading)
    assert curves.points("loss").steps.tolist() == [10, 20, 30]
    view.controller.resume()
    assert curves.points("loss").steps.tolist() == [10, 20, 30]
    tell(stage, events.Metric(LIVE, 15, {"loss": 2.5}))
    assert curves.points("loss").steps.tolist() == [10, 15]
    assert curves.points("dev.error").steps.tolist() == [10]
    tell(stage, events.Metric(LIVE, 20, {"loss": 2.25}))
    steps, losses = curves.points("loss")
    assert steps.tolist() == [10, 15, 20]
    assert losses.tolist() == [3.0, 2.5, 2.25]


def test_an_interrupted_training_shows_its_last_checkpoint(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    at = write_unfinished(UnfinishedRun(n_done=404, n_total=1_000))
    params = preset_params("quick", "mine")
    run = add_run(folder, params, state="interrupted", result=at)
    view = show(stage, qtbot)
    view.list.select([run])
    (listed,) = view.list.selected
    assert describe_training(listed).startswith("interrupted at 40\u00a0%")
    assert "training 404 / 1,000 (40\u00a0%)" in view.page.figures.text


def test_a_paused_training_keeps_its_steps_and_its_time(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    at = UnfinishedRun(is_paused=True, n_done=404, n_total=1_000, earlier_s=20)
    run = add_run(
        folder,
        preset_params("quick", "mine"),
        state="interrupted",
        result=write_unfinished(at),
        started_at=1_000.0,
        ended_at=1_010.0,
    )
    view = show(stage, qtbot)
    view.list.select([run])
    assert view.page._state_label.text() == "paused"
    assert view.page._state_label.property("role") == "secondary"
    assert "training 404 / 1,000 (40\u00a0%)" in view.page.figures.text
    assert "duration 30\u00a0s" in view.page.figures.text
    press(view, "Ctrl+R")
    with open_project(folder) as project:
        queue_run(project, preset_params("quick", "mine"), resume=run)
    view.refresh()
    assert view.page._state_label.text() == "waiting"
    assert "404 / 1,000" in view.page.figures.text
    assert "elapsed 30" in view.page.figures.text


def cut_texts(page: QWidget) -> list[str]:
    """Return the texts that are readable only in a tooltip."""
    labels = [one for one in page.findChildren(ElidedLabel) if one.isVisible()]
    return [one.text() for one in labels if QLabel.text(one) != one.text()]


@pytest.mark.usefixtures("linked")
def test_nothing_is_clipped_at_large_text(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    stage.theme.apply(Settings(theme="light"))
    view = show(stage, qtbot)
    QApplication.processEvents()
    assert clipped_texts(view) == []  # the cards are in a row
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    QApplication.processEvents()
    assert clipped_texts(view) == []
    play(view, stage, folder)
    QApplication.processEvents()
    assert clipped_texts(view) == []
    assert cut_texts(view.page) == []
    stage.theme.apply(Settings(theme="light"))


def test_plots_that_have_no_room_for_their_curves_scroll(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    values = {"loss.en-de": 3.0, "loss.de-en": 2.0, "lr": 1e-3}
    without = add_run(folder, TrainTranslation(name="one", corpora=("a", "b")))
    curves = dict.fromkeys((10, 20, 30), values)
    run = add_run(folder, TrainTranslation(name="two", corpora=("a", "b")), curves)
    view = show(stage, qtbot)
    view.resize(1300, 800)
    for one in (without, run):
        view.list.select([one])
        QApplication.processEvents()
    top, bottom = view.page.plots.top_plot, view.page.plots.bottom_plot
    qtbot.waitUntil(bottom.isVisible)
    qtbot.waitUntil(lambda: bottom.height() >= bottom.minimumHeight())
    qtbot.waitUntil(lambda: top.height() >= top.minimumHeight())
    qtbot.waitUntil(lambda: bottom.y() >= top.geometry().bottom())
    stage.theme.apply(Settings(theme="light"))


def test_every_button_works_after_a_switch_to_another_project(
    stage: Stage, qtbot: QtBot, folder: Path, tmp_path: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    tell(stage, events.Cancelled(LIVE))
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(build_project(tmp_path / "other.isogloss"))
    other = show(stage, qtbot)
    for shown in (view, other):
        press_everything(shown)
    assert other.list.trainings == []


def test_without_pairs_the_accuracy_on_held_out_pairs_is_drawn(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    plots = view.page.plots
    assert plots.bottom_plot.group == "loss"
    for step, accuracy in ((10, 0.34), (20, 0.52)):
        values = {"loss": 1.1, "accuracy": 0.4, "dev.accuracy": accuracy}
        with qtbot.waitSignal(view.curves.grown):
            tell(stage, events.Metric(LIVE, step, dict(values)))
    qtbot.waitUntil(lambda: plots.bottom_plot.group == "accuracy")
    assert "development pairs 52.0" in plots.bottom_plot.legend
    assert "training batches 40.0" in plots.bottom_plot.legend
    assert "52.0\u00a0%" in view.page.figures.text


def test_the_losses_of_six_tasks_are_named_by_task(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    tasks = ["conversation.en", "conversation.de", "nli", "ranking.eng-deu"]
    values: dict[str, float | None] = {f"loss.{task}": 1.0 for task in tasks}
    with qtbot.waitSignal(view.curves.grown):
        tell(stage, events.Metric(LIVE, 10, values))
    legend = view.page.plots.top_plot.legend
    for title in (
        "conversation, English",
        "conversation, German",
        "inference (NLI)",
        "translation ranking, English – German",
    ):
        assert f"{title} 1" in legend
