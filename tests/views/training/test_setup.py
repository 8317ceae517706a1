"""A new training: put together, refused, estimated, started, brought back."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.errors import ErrorInfo
from app.params.training.encoder import PlanTraining, TrainEncoder
from app.params.training.presets import PRESETS, preset_params
from app.params.translation import TrainTranslation
from app.protocol import events
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.training import PairLanguagesQuery
from app.results.training import TrainingPlan
from app.settings import Settings
from app.views.training.form import TrainingForm
from app.views.training.setup import TrainingSetup
from app.views.training.translation_dialog import TranslationDialog
from app.views.training.translation_grid_dialog import TranslationGridDialog
from app.views.training.view import TrainingView
from app.views.widgets.check_list import CheckList
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.pair_weights import PairWeights
from tests.views.clipping import layout_faults
from tests.views.mined import add_mining
from tests.views.stage import Stage, build_project, link, sentence_id
from tests.views.training.played import PLAN, press, show, tell


def shown_fields(view: TrainingView, names: Sequence[str]) -> list[bool]:
    return [not view.setup.form.field(name).widget.isHidden() for name in names]


def test_without_linked_corpora_it_says_what_to_do(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    words = " ".join(label.text() for label in view.findChildren(QLabel))
    assert "No corpora of this project are linked" in words
    assert "No trainings yet" in words
    view.setup.start()
    assert stage.client.runs() == []
    assert "Corpora: choose corpora, pair sets or pair files." in " ".join(
        label.text() for label in view.setup.findChildren(QLabel)
    )


@pytest.mark.usefixtures("linked")
def test_a_preset_on_the_linked_corpora_starts_with_one_key(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view.setup.choose_preset("quick")
    assert view.setup.form.field("name").read() == "quick-2", "quick-1 is an encoder"
    press(view, "Ctrl+Return")
    (params,) = stage.client.runs()
    assert params.corpora == ("1", "2")
    assert params.n_steps == preset_params("quick", "x").n_steps


@pytest.mark.usefixtures("linked")
def test_a_double_click_on_what_opens_the_page_starts_nothing(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view.setup.choose_preset("quick")
    view.setup.hide()
    view.setup.show()
    (start,) = [
        one for one in view.setup.findChildren(QPushButton) if one.property("primary")
    ]
    window = view.window().windowHandle()
    place = start.mapTo(view.window(), start.rect().center())
    QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=place)
    assert stage.client.runs() == []
    QTest.qWait(QApplication.doubleClickInterval() + 50)
    QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=place)
    assert len(stage.client.runs()) == 1


@pytest.mark.usefixtures("linked")
def test_names_that_encoders_have_are_not_given_again(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view.setup.choose_preset("quick")
    assert view.setup.form.field("name").read() == "quick-2"


def test_only_encoders_that_a_setting_can_have_are_offered(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    kinds = ("static", "contextual", "bridge", "vectors")
    cards = [{"name": kind, "architecture": kind} for kind in kinds]
    stage.client.answers[EncodersQuery] = lambda _: {"encoders": cards}
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()  # while the page is shown
    for field, expected in (
        ("initial", ["Random weights", "static", "contextual"]),
        ("base", ["Bundled encoder", "static"]),
        ("teacher", ["Bundled encoder", "static", "contextual", "bridge"]),
    ):
        box = view.setup.form.field(field).widget
        assert isinstance(box, QComboBox)
        assert [box.itemText(i) for i in range(box.count())] == expected


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
    assert view.setup.form.corpora.ticked == ["1", "2"]
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


def test_a_list_of_corpora_begins_with_what_is_ticked(qtbot: QtBot) -> None:
    choices = CheckList("Corpora", "Corpora to train on.")
    qtbot.addWidget(choices)
    choices.resize(200, 100)
    choices.show()
    names = [f"corpus {n}" for n in range(20)]
    choices.set_choices([(name, name) for name in names])
    choices.tick([names[-1]])
    seen = choices.visualItemRect(choices.item(19))
    assert choices.viewport().rect().contains(seen.center())


def test_many_are_ticked_at_once(qtbot: QtBot) -> None:
    choices = CheckList("Corpora", "Corpora to train on.")
    qtbot.addWidget(choices)
    choices.set_choices([(name, name) for name in "abc"])
    alone, every, none = choices.actions()
    every.trigger()
    assert choices.ticked == ["a", "b", "c"]
    choices.setCurrentRow(1)
    with qtbot.waitSignal(choices.changed):
        alone.trigger()
    assert choices.ticked == ["b"]
    none.trigger()
    assert choices.ticked == []


def choose(view: TrainingView, title: str) -> None:
    """Choose a published preset by its name in the card."""
    (box,) = view.setup.presets.cards["paper"].findChildren(QComboBox)
    index = box.findText(title)
    assert index >= 0
    box.setCurrentIndex(index)
    box.activated.emit(index)


def test_every_published_preset_has_a_name_and_a_line(
    stage: Stage, qtbot: QtBot
) -> None:
    card = show(stage, qtbot).setup.presets.cards["paper"]
    published = [one for one in PRESETS.values() if one.card == "paper"]
    (box,) = card.findChildren(QComboBox)
    assert [box.itemText(i) for i in range(box.count())] == [p.title for p in published]
    for i, preset in enumerate(published):
        box.setCurrentIndex(i)
        box.activated.emit(i)
        texts = [label.text() for label in card.findChildren(QLabel)]
        assert preset.summary in texts


@pytest.mark.usefixtures("linked")
def test_the_six_tasks_start_with_their_files(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view = show(stage, qtbot)
    choose(view, "Dual encoder")
    form = view.setup.form
    for field in ("nli", "documents", "conversations"):
        view.setup.start()
        assert stage.client.runs() == []
        error = [
            label for label in view.setup.findChildren(QLabel) if label.isVisible()
        ]
        assert any("add a file, which the objectives need" in e.text() for e in error)
        form.field(field).write([str(tmp_path / f"eng.{field}.tsv")])
    view.setup.start()
    (params,) = stage.client.runs()
    assert params.tasks_per_language
    assert (params.optimiser, params.lr, params.embedding_gradient) == (
        "sgd",
        0.008,
        100,
    )
    choose(view, "Dual encoder without NLI")
    assert form.params().documents == (tmp_path / "eng.documents.tsv",)


@pytest.mark.parametrize(
    ("objective", "field"), [("nli", "nli"), ("quick-thought", "documents")]
)
def test_a_training_without_pairs_starts(
    stage: Stage, qtbot: QtBot, tmp_path: Path, objective: str, field: str
) -> None:
    view = show(stage, qtbot)
    form = view.setup.form
    form.field("objectives").write([objective])
    form.field(field).write([str(tmp_path / "eng.tsv")])
    form.field("name").write("alone")
    view.setup.start()
    (params,) = stage.client.runs()
    assert (params.corpora, params.pairs) == ((), ())
    assert params.objectives == (objective,)
    assert form.section("data").summary == "1 file"


@pytest.mark.usefixtures("linked")
def test_a_preset_keeps_the_data_and_shows_only_what_it_uses(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.form.corpora.tick(["2"])
    choose(view, "Dual encoder, translation ranking only")
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
    view.setup.start()
    assert form.section("objectives").is_open
    assert stage.client.runs() == []
    form.field("objectives").write(["ranking", "distillation:0.5"])
    form.field("name").write("")
    view.setup.start()
    assert stage.client.runs() == []
    form.field("name").write("mine")
    view.setup.start()
    assert stage.client.runs()[0].objectives == ("ranking", "distillation:0.5")


@pytest.mark.usefixtures("linked")
def test_the_command_is_copied(stage: Stage, qtbot: QtBot, qapp: QApplication) -> None:
    view = show(stage, qtbot)
    view.controller.copy_command()
    text = qapp.clipboard().text()
    assert "train-encoder --project" in text
    assert "--corpus 1" in text


@pytest.mark.usefixtures("linked")
def test_an_estimate_is_shown_and_kept_with_its_settings(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.planner.request(view.setup.form.params(), "quick")
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    assert isinstance(stage.client.runs()[0], PlanTraining)
    tell(stage, events.Finished(stage.state.runs[0].id, PLAN))
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
def test_the_buttons_stay_where_they_are_when_an_estimate_is_shown(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.resize(1240, 760)
    buttons = view.setup.findChildren(QAbstractButton)
    start = next(one for one in buttons if one.text() == "Start training")
    before = start.mapTo(view, start.rect().topLeft()), start.size()
    height = view.setup.plan_card.height()
    view.setup.plan_card.show_plan(msgspec.convert(PLAN, TrainingPlan))
    qtbot.waitUntil(lambda: view.setup.plan_card.height() > height)
    assert (start.mapTo(view, start.rect().topLeft()), start.size()) == before


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize("scale", [100, 150])
def test_the_start_button_is_visible_while_settings_far_below_are_edited(
    stage: Stage, qtbot: QtBot, scale: int
) -> None:
    try:
        stage.theme.apply(Settings(theme="light", text_scale=scale))
        view = show(stage, qtbot)
        view.resize(895, 625)  # of a window of 1100 × 700
        setup = view.setup
        setup.form.section("steps").set_open(True)
        bar = setup._scroll.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 200)
        bar.setValue(bar.maximum())
        buttons = setup.findChildren(QAbstractButton)
        start = next(one for one in buttons if one.text() == "Start training")
        qtbot.waitUntil(lambda: not start.visibleRegion().isEmpty())
        assert start.visibleRegion().boundingRect() == start.rect()
    finally:
        stage.theme.apply(Settings(theme="light"))


@pytest.mark.usefixtures("linked")
def test_an_estimate_says_whether_it_waits_or_is_made(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    stage.state.run(TrainTranslation(name="other", table=Path("a.tsv")))
    view.setup.estimate()
    assert view.setup.plan_card.text == "Waiting for other jobs…"
    plan = stage.state.runs[-1]
    qtbot.waitUntil(lambda: plan.id > 0)
    tell(stage, events.Progress(plan.id, "Trying a few steps", 0, 3, "", 0, ""))
    assert view.setup.plan_card.text == "Trying a few steps…"


@pytest.mark.usefixtures("linked")
def test_pair_sets_are_shown_as_soon_as_there_is_one(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    pair_sets = view.setup.form.pair_sets
    assert not pair_sets.isVisible()
    tell(stage, events.Changed("mining", add_mining(folder)))
    qtbot.waitUntil(lambda: bool(stage.state.minings))
    view.setup.offer_corpora()
    qtbot.waitUntil(pair_sets.isVisible)
    assert pair_sets.count() == 1


@pytest.mark.usefixtures("linked")
def test_an_estimate_that_fails_says_why(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    view.setup.estimate()
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    error = ErrorInfo("user", "The corpus holds one pair: two are needed.")
    tell(stage, events.Failed(stage.state.runs[0].id, error))
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


@pytest.mark.usefixtures("linked")
def test_an_estimate_of_a_preset_is_shown_on_its_card(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.setup.choose_preset("quick")
    card = view.setup.presets.cards["quick"]
    assert card.needs == "not estimated yet"
    view.setup.estimate()
    qtbot.waitUntil(lambda: stage.state.runs[0].id > 0)
    plan = TrainingPlan(
        time_s=250.0,
        step_s=0.25,
        prepare_s=1.0,
        measure_s=0.5,
        memory_bytes=600_000_000,
        disk_bytes=80_000_000,
        saved_bytes=12_000_000,
        n_parameters=12_000_000,
        n_examples=1_000,
        device="cpu 2 threads",
        precision="float32",
        sentences_per_s=9_000.0,
        tokens_per_s=90_000.0,
        steps_per_s=4.0,
        notes=(),
    )
    tell(stage, events.Finished(stage.state.runs[0].id, msgspec.to_builtins(plan)))
    assert card.needs.replace("\u00a0", " ") == (
        "4 min 10 s · 0.6 GB memory · 80 MB disk, then 12 MB"
    )


def test_pair_files_in_another_language_are_noted(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[PairLanguagesQuery] = lambda _: {"warnings": ["Not French."]}
    view = show(stage, qtbot)
    warning = view.setup.pair_languages
    with qtbot.waitSignal(warning.checked):
        view.setup.form.field("pairs").write([Path("eng-fra.tsv")])
    assert warning.label.text() == "Not French."
    assert warning.label.isVisible()


def data_error(dialog: TranslationDialog) -> str:
    return dialog.form._cells["corpora"].error


@pytest.mark.usefixtures("linked")
def test_a_translation_model_is_not_started_without_texts(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view = show(stage, qtbot)
    view.controller.translation_action.trigger()
    (dialog,) = view.findChildren(TranslationDialog)
    needed = "Choose corpora in at least two languages, or a table."
    assert dialog.form.raw()["corpora"] == ["Harbour letters", "Hafenbriefe"]
    assert dialog.run_button.isEnabled()
    dialog.form.write({"corpora": []})
    assert data_error(dialog) == needed
    assert not dialog.run_button.isEnabled()
    dialog.run_button.click()
    assert stage.client.runs() == []
    dialog.form.write({"corpora": ["Harbour letters"]})
    assert data_error(dialog) == needed
    dialog.form.write({"corpora": ["Harbour letters", "Hafenbriefe"]})
    assert not data_error(dialog)
    assert dialog.run_button.isEnabled()
    dialog.form.write({"table": tmp_path / "table.tsv"})
    assert not dialog.form.raw()["corpora"]  # those that were proposed
    assert not data_error(dialog)
    dialog.form.write({"corpora": ["Harbour letters"]})
    assert data_error(dialog) == "Choose a table or corpora, not both."
    assert not dialog.run_button.isEnabled()
    dialog.form.write({"corpora": []})
    assert not data_error(dialog)
    assert dialog.run_button.isEnabled()


@pytest.mark.usefixtures("linked")
def test_every_training_proposes_the_same_linked_corpora(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    fine_tuning = FineTuneDialog(stage.state, "isogloss-2", view)
    translation = TranslationDialog(stage.state, parent=view)
    several = TranslationGridDialog(stage.state, parent=view)
    assert view.setup.form.params().corpora == ("1", "2")
    assert fine_tuning.form.raw()["corpora"] == ["1", "2"]
    for dialog in (translation, several):
        assert dialog.form.raw()["corpora"] == ["Harbour letters", "Hafenbriefe"]
        offered = dialog.form.field("corpora").widget
        assert isinstance(offered, CheckList)
        assert offered.keys == ["Harbour letters", "Hafenbriefe"], "no unlinked ones"


@pytest.mark.usefixtures("linked")
def test_fields_of_several_translation_models_are_named_after_what_they_take(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    dialog = TranslationGridDialog(stage.state, parent=view)
    titles = {label.text() for label in dialog.form.findChildren(QLabel)}
    assert titles >= {
        *("Architecture", "Test table", "Test sentences"),
        *("Similarity files", "Labelled files", "Probing files"),
    }
    assert dialog.form.field("copies").widget.accessibleName() == "Autoencoding"


def test_of_many_languages_the_english_corpora_are_proposed(
    tmp_path: Path, qtbot: QtBot
) -> None:
    codes = [
        "de",
        "es",
        "fr",
        "it",
        "pt",
        "nl",
        "sv",
        "da",
        "fi",
        "pl",
        "en",
        "cs",
        "hu",
    ]
    corpora = {code: (code, [f"Text {code}."]) for code in codes}
    folder = build_project(tmp_path / "many.isogloss", corpora, is_encoded=False)
    english = codes.index("en") + 1
    others = [n for n in range(1, len(codes) + 1) if n != english]
    link(folder, [(sentence_id(english, 0), sentence_id(n, 0)) for n in others])
    stage = Stage(folder)
    stage.open(qtbot)
    view = show(stage, qtbot)
    assert view.setup.form.corpora.ticked == [str(english)]
    assert TranslationDialog(stage.state, parent=view).form.raw()["corpora"] == []
    stage.close()


@pytest.mark.usefixtures("linked")
def test_a_translation_model_is_small_at_first_and_of_standard_size_by_a_choice(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.controller.translation_action.trigger()
    (dialog,) = view.findChildren(TranslationDialog)
    assert dialog.sizes.currentText().startswith("Quick")
    assert dialog.form.raw()["n_steps"] == 1_500
    assert dialog.form.is_folded
    dialog.sizes.setFocus()
    QTest.keyClick(dialog.sizes, Qt.Key.Key_Down)
    standard = TrainTranslation()
    raw = dialog.form.raw()
    assert raw["n_steps"] == standard.n_steps
    assert raw["dim"] == standard.dim
    dialog.form.write({"n_steps": 9})
    assert dialog.sizes.currentIndex() == -1
    dialog.form.write({"n_steps": standard.n_steps})
    assert dialog.sizes.currentText().startswith("Standard")


def seen_height(widget: QWidget) -> int:
    """Return the height of the visible part of a widget."""
    return widget.visibleRegion().boundingRect().height()


@pytest.mark.usefixtures("linked")
def test_the_corpora_of_a_translation_model_are_seen_first_in_large_text(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.resize(1100, 700)
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.controller.translation_action.trigger()
        (dialog,) = view.findChildren(TranslationDialog)
        corpora = dialog.form.field("corpora").widget
        assert isinstance(corpora, CheckList)
        qtbot.waitUntil(lambda: seen_height(corpora) >= min(corpora.height(), 100))
        assert dialog.focusWidget() is corpora
        dialog.form.write({"corpora": ["Harbour letters", "Hafenbriefe"]})
        qtbot.waitUntil(dialog.matrix.isVisible)
        assert seen_height(corpora) >= min(corpora.height(), 100)
        (area,) = dialog.findChildren(QScrollArea)
        qtbot.waitUntil(lambda: area.height() > dialog.height() // 3)
        assert area.isAncestorOf(dialog.matrix)
        assert layout_faults(dialog) == []
    finally:
        stage.theme.apply(Settings(theme="light"))


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize("scale", [100, 150])
@pytest.mark.parametrize("width", [1900, 1100, 1040, 800])
def test_the_cards_of_presets_have_room_for_their_text(
    stage: Stage, qtbot: QtBot, width: int, scale: int
) -> None:
    view = show(stage, qtbot)
    view.resize(width, 600)
    try:
        stage.theme.apply(Settings(theme="light", text_scale=scale))
        for card in view.setup.presets.cards.values():
            card.show_needs(
                card.key, "4 min 10 s · 0.6 GB memory · 80 MB disk, then 12 MB"
            )
        for _ in range(3):
            QApplication.processEvents()
        for key, card in view.setup.presets.cards.items():
            labels = card.findChildren(QLabel)
            assert labels
            for label in labels:
                assert label.height() >= label.heightForWidth(label.width()), key
            for box in card.findChildren(QComboBox):
                assert box.height() >= box.sizeHint().height()
    finally:
        stage.theme.apply(Settings(theme="light"))


@pytest.mark.usefixtures("linked")
def test_enter_chooses_the_preset_with_the_focus(stage: Stage, qtbot: QtBot) -> None:
    view = show(stage, qtbot)
    card = view.setup.presets.cards["solid"]
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert card.isChecked()
    assert view.setup.form.value("architecture") == "transformer"


def test_rows_of_another_training_have_room_in_large_text(
    stage: Stage, qtbot: QtBot
) -> None:
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        form = TrainingForm()
        area = make_scroll_area(form)
        qtbot.addWidget(area)
        area.resize(700, 600)
        area.show()
        weights = form.findChild(PairWeights)
        assert isinstance(weights, PairWeights)
        weights.write(["eng-deu*:0.5", "eng-fra*:2", "*.words:0.1"])
        for _ in range(3):
            QApplication.processEvents()
        assert layout_faults(area) == []
    finally:
        stage.theme.apply(Settings(theme="light"))


@pytest.mark.usefixtures("linked")
def test_the_directions_of_a_translation_model_leave_the_dialog_in_its_window(
    stage: Stage, qtbot: QtBot
) -> None:
    view = show(stage, qtbot)
    view.resize(1100, 700)
    view.controller.translation_action.trigger()
    (dialog,) = view.findChildren(TranslationDialog)
    qtbot.waitUntil(dialog.isVisible)
    height = dialog.height()
    dialog.form.write({"corpora": ["Harbour letters", "Hafenbriefe"]})
    qtbot.waitUntil(lambda: dialog.matrix.isVisible() and dialog.matrix.height() > 40)
    qtbot.wait(100)  # for its height
    assert dialog.height() == height < view.height()
