"""The dialog that fine-tunes an encoder: what it proposes, and what it runs."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.params.training.fine_tuning import FineTuneEncoder
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.training import PairLanguagesQuery
from app.settings import Settings
from app.views.encoders.view import EncodersView
from app.views.widgets.check_list import CheckList
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from app.views.widgets.theme import GRID
from tests.engine.review.made import add_pairs
from tests.views.clipping import layout_faults
from tests.views.encoders.cards import ISOGLOSS, LASER, card
from tests.views.stage import Stage, link, sentence_id


def open_dialog(view: EncodersView) -> FineTuneDialog:
    view.controller.fine_tune_action.trigger()
    dialog = view.findChild(FineTuneDialog)
    assert dialog is not None
    return dialog


def test_the_dialog_proposes_the_linked_corpora(
    folder: Path, view: EncodersView, stage: Stage
) -> None:
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(3)])
    dialog = open_dialog(view)
    assert dialog.windowTitle() == "Fine-tune on my pairs"
    assert dialog.run_button.text() == "Fine-tune encoder"
    assert "at most 500, is held out" in dialog.needs
    dialog.run_button.click()
    assert stage.client.runs()[-1] == FineTuneEncoder(
        name="isogloss-2-mine", initial="isogloss-2", corpora=("1", "2")
    )


def test_an_encoder_of_another_name_and_pair_files_can_be_chosen(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    dialog = open_dialog(view)
    assert not dialog.form.raw()["corpora"]
    file = tmp_path / "eng-wol.tsv"
    file.write_text("a ship\tgaal\n", encoding="utf-8")
    values = {"initial": "laser2", "pairs": (file,), "name": "mine", "n_steps": 9}
    dialog.form.write(values)
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, FineTuneEncoder)
    assert {name: getattr(params, name) for name in values} == values


def test_pair_files_in_another_language_are_noted(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    words = "eng-fra.tsv, column 2: The text looks like German (99 % sure), not French."
    stage.client.answers[PairLanguagesQuery] = lambda query: {
        "warnings": [words] if Path("eng-fra.tsv") in query.files else []
    }
    dialog = open_dialog(view)
    dialog.show()
    warning = dialog.pair_languages
    with qtbot.waitSignal(warning.checked):
        dialog.form.write({"pairs": (Path("eng-fra.tsv"),)})
    assert warning.label.text() == words
    assert warning.label.isVisible()
    with qtbot.waitSignal(warning.checked):
        dialog.form.write({"pairs": (Path("eng-deu.tsv"),)})
    assert not warning.label.isVisible()


def test_another_encoder_is_proposed_if_the_one_shown_cannot_be_trained(
    folder: Path, view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [
            card("isogloss-3", ISOGLOSS, folder, bundled=True),
            card("words", LASER, folder, architecture="word-bag"),
        ],
        "chosen": "words",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    view.list.select("words")
    raw = open_dialog(view).form.raw()
    assert (raw["initial"], raw["name"]) == ("isogloss-3", "isogloss-3-mine")


def test_pair_sets_of_the_project_can_be_chosen(
    folder: Path, view: EncodersView, stage: Stage
) -> None:
    assert "pair_sets" not in open_dialog(view).form.names  # there are none
    with open_project(folder) as project:
        add_pairs(project, 3)
    assert stage.state.project is not None
    stage.state.project.reload({"mining"})
    view.controller.fine_tune_action.trigger()
    dialog = view.findChildren(FineTuneDialog)[-1]
    pair_sets = dialog.form.field("pair_sets").widget
    assert isinstance(pair_sets, CheckList)
    pair_sets.item(0).setCheckState(Qt.CheckState.Checked)
    assert pair_sets.item(0).text() == "letters"
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, FineTuneEncoder)
    assert params.pair_sets == ("1",)


def test_a_form_that_scrolls_ends_at_a_line_with_a_margin(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1100, 700)
        dialog = open_dialog(view)
        bar = dialog.findChildren(QScrollArea)[0].verticalScrollBar()
        rule = next(
            one for one in dialog.findChildren(QFrame) if one.property("role") == "rule"
        )
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        assert rule.isVisible()
        bar.setValue(bar.maximum())
        last = max(
            one.mapTo(dialog, QPoint(0, one.height())).y()
            for one in dialog.form.findChildren(QPushButton)
            if one.isVisible()
        )
        assert rule.mapTo(dialog, QPoint()).y() - last >= GRID
        assert layout_faults(dialog) == []
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_dialog_with_all_settings_scrolls_within_the_screen(
    view: EncodersView, qtbot: QtBot
) -> None:
    view.resize(1200, 1400)
    dialog = open_dialog(view)
    qtbot.waitUntil(lambda: dialog._is_fitted)
    screen = dialog.screen().availableGeometry()
    dialog.move(0, screen.bottom() - dialog.height() - 4)
    dialog.form.unfold()
    qtbot.waitUntil(lambda: dialog._scroll.verticalScrollBar().maximum() > 0)
    assert screen.contains(dialog.frameGeometry())
    assert dialog.frameGeometry().height() <= screen.height() - 4 * GRID


def test_the_dialog_keeps_its_place_while_a_value_is_edited(
    view: EncodersView, qtbot: QtBot
) -> None:
    dialog = open_dialog(view)
    qtbot.waitUntil(lambda: dialog._is_fitted)
    rect = dialog.geometry()
    button = dialog.run_button.geometry()
    dialog.show_needs(f"{dialog.needs}\nA line that was not there before.")
    qtbot.wait(50)
    assert dialog.geometry() == rect
    assert dialog.run_button.geometry() == button
    dialog.show_needs("")
    qtbot.wait(50)
    assert dialog.geometry() == rect
