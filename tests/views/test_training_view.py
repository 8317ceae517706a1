"""The training view: put together, estimate, start, watch, compare, resume."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app import messages
from app.engine.project import open_project
from app.engine.runs import queue_run
from app.engine.store import schema
from app.errors import ErrorInfo
from app.messages import DropRun, EncodersQuery
from app.params.presets import preset_params
from app.params.training import PlanTraining, TrainEncoder
from app.views.panels.training_setup import TrainingSetup
from app.views.runs import RunState
from app.views.training_view import TrainingView
from app.views.widgets.check_list import CheckList
from app.views.widgets.model_card import ModelCard
from tests.views.stage import Stage, build_project, link, sentence_id

Metrics = dict[int, dict[str, float]]
LIVE = 500  # id of a run that the test plays
CURVES: Metrics = {
    10: {"loss": 3.0, "dev.error": 0.5, "dev.error.deu": 0.4, "dev.error.jpn": 0.6},
    20: {"loss": 2.0, "dev.error": 0.25, "dev.error.deu": 0.1, "dev.error.jpn": 0.4},
    30: {"loss": 1.5, "dev.error": 0.3, "dev.error.deu": 0.1, "dev.error.jpn": 0.5},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.isogloss", is_encoded=False)


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(folder)
    stage.client.answers[EncodersQuery] = lambda query: {
        "encoders": [{"name": "isogloss-2"}, {"name": "quick-1"}]
    }
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def linked(folder: Path) -> None:
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(3)])


def show(stage: Stage, qtbot: QtBot) -> TrainingView:
    view = TrainingView(stage.state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: not view.curves.is_reading)
    return view


def add_run(
    folder: Path, settings: TrainEncoder, metrics: Metrics | None = None, **values: Any
) -> int:
    """Write a training into the project, as the engine would."""
    with open_project(folder) as project:
        run = queue_run(project, settings)
        row: dict[str, Any] = {
            "state": "finished",
            "ended_at": 2e9,
            "id": run,
            **values,
        }
        points = [
            {"run_id": row["id"], "step": step, "name": name, "value": value}
            for step, named in (metrics or {}).items()
            for name, value in named.items()
        ]
        with project.store.begin() as connection:
            table = schema.run
            connection.execute(update(table).where(table.c.id == run).values(**row))
            if points:
                connection.execute(insert(schema.metric), points)
    return int(row["id"])


def play(view: TrainingView, stage: Stage, folder: Path) -> RunState:
    """Let a training run: the engine's part is played by events."""
    params = preset_params("quick", "mine")
    add_run(folder, params, state="running", ended_at=None, id=LIVE)
    run = stage.state.run(params, LIVE)
    tell(stage, messages.Progress(LIVE, "Training", 20, 100, "", 0, "cpu"))
    view.refresh()
    view.list.choose([LIVE])
    return run


def tell(stage: Stage, event: messages.Event) -> None:
    stage.client.event_received.emit(event)


def press(view: TrainingView, keys: str) -> None:
    """Do what has these keys, if it can be done now."""
    actions = {action.shortcut().toString(): action for action in view.actions()}
    actions[keys].trigger()


def shown_fields(view: TrainingView, names: Sequence[str]) -> list[bool]:
    return [not view.setup.form.field(name).widget.isHidden() for name in names]


# --- a new training ---


def test_without_linked_corpora_it_says_what_to_do(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    words = " ".join(label.text() for label in view.findChildren(QLabel))
    assert "No corpus of this project is linked with another" in words
    assert "No training yet" in words
    view.start()
    assert stage.client.runs() == []
    assert "Corpora: choose corpora or files of pairs." in " ".join(
        label.text() for label in view.setup.findChildren(QLabel)
    )


@pytest.mark.usefixtures("linked")
def test_a_preset_on_the_linked_english_corpus_starts_with_one_key(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    qtbot.waitUntil(lambda: bool(stage.client.queries(EncodersQuery)))
    view.setup.choose_preset("quick")
    qtbot.waitUntil(lambda: view.setup.form.field("name").read() == "quick-1")
    press(view, "Ctrl+Return")
    (params,) = stage.client.runs()
    assert params.corpora == ("1",)
    assert params.n_steps == preset_params("quick", "x").n_steps


@pytest.mark.usefixtures("linked")
def test_names_that_encoders_have_are_not_given_again(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    qtbot.waitUntil(lambda: "quick-1" in view.setup._taken)
    view.setup.choose_preset("quick")
    assert view.setup.form.field("name").read() == "quick-2"


def _wait_for_cards(setup: TrainingSetup, qtbot: QtBot, *, is_stacked: bool) -> None:
    first, second, _ = setup.presets.cards.values()
    qtbot.waitUntil(lambda: (first.y() < second.y()) is is_stacked)


def test_without_room_cards_and_plan_stand_below_each_other(
    stage: Stage, qtbot: QtBot
) -> None:
    setup = show(stage, qtbot).setup
    cards = list(setup.presets.cards.values())
    for width, is_stacked in ((1000, False), (500, True)):
        setup.setParent(None)
        qtbot.addWidget(setup)
        setup.resize(width, 700)
        setup.show()
        _wait_for_cards(setup, qtbot, is_stacked=is_stacked)
        side = setup.plan_card.parentWidget()
        assert side is not None
        below = side.y() > setup.form.y()
        assert below is is_stacked
        assert all(card.width() <= setup.width() for card in cards)


def test_corpora_imported_later_are_ticked(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    assert view.setup.form.corpora.ticked == []
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    stage.state.corpora_changed.emit()
    assert view.setup.form.corpora.ticked == ["1"]
    view.setup.form.corpora.tick([])
    stage.state.corpora_changed.emit()
    assert view.setup.form.corpora.ticked == [], "what the user chose stays"


def test_a_list_of_corpora_gives_every_name_its_width(qtbot: QtBot) -> None:
    choices = CheckList("Corpora", "Corpora to train on.")
    qtbot.addWidget(choices)
    choices.resize(600, 100)
    choices.show()
    names = ["a", "Newspapers of the harbour, 1911 to 1914 (German)"]
    choices.set_choices([(name, name) for name in names])
    needed = choices.fontMetrics().horizontalAdvance(names[1])
    ticks = choices.visualItemRect(choices.item(1))
    assert ticks.width() > needed
    assert ticks.top() > 0, "it is too wide to stand beside the other"
    choices.set_choices([(name, name) for name in "ab"])
    assert choices.visualItemRect(choices.item(1)).top() == 0
    choices.set_choices([("a", "a"), ("b", "long " * 200)])
    assert choices.visualItemRect(choices.item(1)).right() <= choices.width()


def test_a_model_card_opens_at_its_beginning(qtbot: QtBot) -> None:
    card = ModelCard()
    qtbot.addWidget(card)
    card.resize(400, 300)
    card.show_text("# Title\n\n" + "A line.\n\n" * 100)
    card.show()
    assert card.verticalScrollBar().maximum() > 0
    assert card.verticalScrollBar().value() == 0


@pytest.mark.usefixtures("linked")
def test_a_preset_keeps_the_data_and_shows_only_what_it_uses(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.form.corpora.tick(["2"])
    for chip in view.setup.presets.cards["paper"]._chips.values():
        chip.click()
    params = view.setup.form.params()
    assert (params.corpora, params.units, params.n_heads) == (("2",), "words", 8)
    assert shown_fields(view, ["n_heads", "n_ngrams", "coarse_encoder"]) == [True] * 3
    view.setup.choose_preset("laser")
    unused = ["n_heads", "n_ngrams", "temperature", "nli"]
    assert shown_fields(view, unused) == [False] * 4
    assert view.setup.form.params().n_ngrams == TrainEncoder(name="x").n_ngrams
    assert view.setup.form.section("encoder").summary.startswith("BiLSTM · 5 layers")


@pytest.mark.usefixtures("linked")
def test_a_refused_value_is_shown_in_its_section(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    form = view.setup.form
    form.section("objectives").set_open(False)
    form.field("objectives").write([])
    view.start()
    assert form.section("objectives").is_open
    assert stage.client.runs() == []
    form.field("objectives").write(["ranking", "distillation:0.5"])
    form.field("name").write("")
    view.start()
    assert stage.client.runs() == []
    form.field("name").write("mine")
    view.start()
    assert stage.client.runs()[0].objectives == ("ranking", "distillation:0.5")


@pytest.mark.usefixtures("linked")
def test_the_command_is_copied(stage: Stage, qtbot: QtBot, qapp: QApplication) -> None:
    view = show(stage, qtbot)
    view.copy_command()
    text = qapp.clipboard().text()
    assert "train-encoder --project" in text
    assert "--corpus 1" in text


@pytest.mark.usefixtures("linked")
def test_an_estimate_is_shown_and_kept_with_its_settings(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.planner.ask(view.setup.form.params(), "quick")
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    assert isinstance(stage.client.runs()[0], PlanTraining)
    plan = {
        "time_s": 250.0,
        "memory_bytes": 600_000_000,
        "disk_bytes": 80_000_000,
        "n_parameters": 12_000_000,
        "device": "cpu 2 threads",
        "precision": "float32",
        "sentences_per_s": 9_000.0,
        "notes": ["The figures are rough."],
    }
    tell(stage, messages.Finished(stage.state.runs[0].id, plan))
    assert "Time 4\u00a0min 10\u00a0s" in view.setup.plan_card.text
    assert "Parameters 12,000,000" in view.setup.plan_card.text
    assert "The figures are rough." in view.setup.plan_card.text
    assert view.setup.presets.cards["quick"].needs.startswith("4\u00a0min 10\u00a0s · ")
    steps = view.setup.form.field("n_steps")
    steps.write(7)
    assert "Time" not in view.setup.plan_card.text
    steps.write(preset_params("quick", "x").n_steps)
    assert "Time 4" in view.setup.plan_card.text


@pytest.mark.usefixtures("linked")
def test_an_estimate_that_fails_says_why(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    view.estimate()
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    error = ErrorInfo("user", "The corpus holds one pair: two are needed.")
    tell(stage, messages.Failed(stage.state.runs[0].id, error))
    assert "The corpus holds one pair" in view.setup.plan_card.text


@pytest.mark.usefixtures("linked")
def test_settings_come_back_with_the_session(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    view.setup.choose_preset("solid")
    view.setup.form.field("n_steps").write(77)
    saved = json.loads(json.dumps(view.save_state()))
    other = show(stage, qtbot)
    other.restore_state(saved)
    assert other.setup.form.params() == view.setup.form.params()
    other.restore_state({"setup": {"preset": "gone", "params": {"colour": "red"}}})
    assert other.setup.form.params().n_steps == 1_000  # the first preset


# --- trainings that were ---


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
    view.list.choose([run])
    qtbot.waitUntil(lambda: "25.0" in view.page.figures.text)
    languages = [row[0] for row in view.page.plots.languages.texts()]
    assert languages == ["Mean", "Japanese", "German"]
    assert view.page.plots.languages.texts()[1][1:] == ["50.0\u00a0%", "40.0\u00a0%"]
    assert view.page.plots.top_plot.legend == "loss 1.5"
    assert view.page.plots.bottom_plot.legend.startswith("mean 30.0\u00a0%, Japanese")
    rows = view.page.record.texts()
    assert ["a.tsv", "f" * 64] in rows
    assert ["Pieces", "16,000"] in rows
    assert ["", "isogloss train-encoder"] in rows
    assert "A card." in view.page.card.toPlainText()
    assert view.list.trainings[0].best == 0.25


def test_selected_languages_are_drawn(stage: Stage, qtbot: QtBot, folder: Path) -> None:
    run = add_run(folder, preset_params("quick", "old"), CURVES)
    view = show(stage, qtbot)
    view.list.choose([run])
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
    view.list.choose([view.list.trainings[0].id])
    view.compare()
    comparison = view.comparison
    qtbot.waitUntil(lambda: len(comparison.plots.bottom_plot.plot.curves) == 2)
    assert comparison.plots.bottom_plot.legend == (
        "one: mean 30.0\u00a0%, two: mean 15.0\u00a0%"
    )
    rows = comparison.differences.texts()
    assert ["Learning rate", "0.01", "0.5"] in rows
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
    view.list.choose([run])
    view.train_again()
    params = view.setup.form.params()
    assert (params.name, params.n_steps) == ("old-1", 77)


def test_an_interrupted_training_is_resumed_or_given_up(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    values = TrainEncoder(name="old", corpora=("1",))
    run = add_run(folder, values, state="interrupted")
    view = show(stage, qtbot)
    view.list.choose([run])
    press(view, "Ctrl+R")
    (sent,) = [c for c in stage.client.sent if isinstance(c, messages.Run)]
    assert (sent.resume, sent.params) == (run, values)
    view.give_up()
    assert stage.client.changes() == [DropRun(run)]


def test_a_training_of_another_version_is_still_shown(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    run = add_run(folder, TrainEncoder(name="x"), CURVES, params='{"task": "fly"}')
    view = show(stage, qtbot)
    view.list.choose([run])
    words = " ".join(label.text() for label in view.page.findChildren(QLabel))
    assert "Another version of Isogloss made this training." in words
    qtbot.waitUntil(lambda: bool(view.page.plots.top_plot.plot.curves))


# --- a training that runs ---


def test_a_running_training_is_followed(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    assert "20 / 100 (20\u00a0%)" in view.page.figures.text
    for step, values in CURVES.items():
        rates = {"sentences_per_s": 900.0, "tokens_per_s": 25_000.0}
        tell(stage, messages.Metric(LIVE, step, {**values, **rates}))
    with qtbot.waitSignal(view.curves.grown):
        tell(stage, messages.Metric(LIVE, 40, {"loss": None}))
    assert "25.0\u00a0%" in view.page.figures.text
    assert "tokens 25,000/s" in view.page.figures.text
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
        tell(stage, messages.Metric(LIVE, 40, {"dev.error": 0.125}))
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
    steers = [c for c in stage.client.sent if isinstance(c, messages.Steer)]
    assert steers == [messages.Steer(LIVE, "pause")]
    view.cancel()
    assert run.is_cancelling
    tell(stage, messages.Cancelled(LIVE))


def test_after_a_crash_the_training_can_be_resumed(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = show(stage, qtbot)
    play(view, stage, folder)
    tell(stage, messages.Failed(LIVE, ErrorInfo("crash", "The engine stopped.")))
    qtbot.waitUntil(lambda: view.shown is not None and view.shown.run is None)
    assert view.shown is not None
    assert view.shown.state == "interrupted"
    view.resume()
    assert [c.resume for c in stage.client.sent if isinstance(c, messages.Run)][
        -1
    ] == LIVE
