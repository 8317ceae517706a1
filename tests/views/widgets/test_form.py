"""A form built from a struct: inputs by type, bounds, errors beside the field."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
)
from pytestqt.qtbot import QtBot

from app.params import ALL_PARAMS, command_name
from app.params.base import TaskParams
from app.params.classify import TrainClassifier
from app.params.encoders import AddEncoder
from app.params.mining import MinePairs
from app.params.vectors import Encode
from app.views.client.state import AppState
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.dialogs import ask_path, ask_paths
from app.views.widgets.fields import field_facts
from app.views.widgets.float_box import FloatBox
from app.views.widgets.form import Form, FormError
from app.views.widgets.list_inputs import TextList
from app.views.widgets.task_dialog import TaskDialog


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One field of each kind."""

    name: Annotated[str, Meta(min_length=2, description="How it is called.")]
    n_steps: Annotated[int, Meta(ge=1, le=50, title="Steps")] = 5
    share: Annotated[float, Meta(gt=0, le=1)] = 0.25
    kind: Literal["fast", "slow"] = "slow"
    words: bool = True
    corpora: tuple[str, ...] = ("a", "b")
    out: Path | None = None
    hidden: str = "kept"


@pytest.fixture
def form(qtbot: QtBot) -> "Form[Sample]":
    form = Form(Sample, Sample(name="storm", hidden="mine"), skip=("hidden",))
    qtbot.addWidget(form)
    return form


def widget(form: "Form[Any]", name: str) -> Any:
    return form.field(name).widget


def test_a_text_that_is_empty_is_to_be_filled_in(form: "Form[Sample]") -> None:
    form.write({"name": ""})
    with pytest.raises(FormError, match="Name: enter a value"):
        form.values()


def test_each_type_has_its_input(form: "Form[Sample]") -> None:
    kinds = {
        "name": QLineEdit,
        "n_steps": QSpinBox,
        "share": FloatBox,
        "kind": QComboBox,
        "words": QCheckBox,
        "corpora": TextList,
    }
    assert {name: type(widget(form, name)) for name in kinds} == kinds
    assert widget(form, "out").findChild(QPushButton) is not None


@pytest.mark.parametrize(
    ("typed", "value", "text"),
    [
        ("0.00002", 0.00002, "0.00002"),
        ("0.00025", 0.00025, "0.00025"),
        ("5e-5", 0.00005, "0.00005"),
        ("2.5E-8", 2.5e-8, "2.5e-08"),
        ("0,5", 0.5, "0.5"),
        ("1.0000", 1.0, "1"),
    ],
)
def test_a_number_is_taken_and_shown_with_the_digits_it_has(
    form: "Form[Sample]", typed: str, value: float, text: str
) -> None:
    box = widget(form, "share")
    box.selectAll()
    QTest.keyClicks(box, typed)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert form.values().share == value
    assert box.text() == text


def test_a_number_outside_the_limits_is_marked_and_kept(
    form: "Form[Sample]",
) -> None:
    box = widget(form, "share")
    box.selectAll()
    QTest.keyClicks(box, "20")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert box.text() == "20"
    assert form.error_of("share")


def test_arrow_keys_stay_within_the_limits_of_a_number(
    form: "Form[Sample]",
) -> None:
    box = widget(form, "share")
    for start, key, text in (
        (0.99, Qt.Key.Key_Up, "1"),
        (1.0, Qt.Key.Key_Up, "1"),
        (0.01, Qt.Key.Key_Down, "0.0099"),
        (0.0, Qt.Key.Key_Up, "0.0001"),
        (0.0, Qt.Key.Key_Down, "0"),
    ):
        box.setValue(start)
        QTest.keyClick(box, key)
        assert box.text() == text


def test_values_come_back_as_they_were_given(form: "Form[Sample]") -> None:
    assert form.values() == Sample(name="storm", hidden="mine")


def test_changed_values_are_read(form: "Form[Sample]", qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.changed):
        widget(form, "n_steps").setValue(7)
    form.write({"corpora": ()})
    widget(form, "corpora").field.setText("Hafen; 港の手紙 ;")
    widget(form, "out").findChild(QLineEdit).setText("/tmp/a b")
    widget(form, "kind").setCurrentIndex(0)
    values = form.values()
    assert values.n_steps == 7
    assert values.corpora == ("Hafen", "港の手紙")
    assert values.out == Path("/tmp/a b")
    assert values.kind == "fast"


def test_a_list_is_separated_by_commas_of_any_script(form: "Form[Sample]") -> None:
    texts = widget(form, "corpora")
    form.write({"corpora": ()})
    for text in (
        "Hafen, 港の手紙",
        "Hafen、港の手紙",
        "Hafen\n港の手紙",
        "Hafen;港の手紙;",
    ):
        texts.field.setText(text)
        assert form.values().corpora == ("Hafen", "港の手紙")
    form.write({"corpora": ("sea, bay", "quay")})
    assert texts.items == ["sea, bay", "quay"]
    assert form.values().corpora == ("sea, bay", "quay")


def test_a_help_text_names_choices_by_their_titles() -> None:
    texts = {
        (params.__name__, info.name): field_facts(info).description
        for params in ALL_PARAMS
        for info in msgspec.structs.fields(params)
    }
    margin = texts["MinePairs", "margin"]
    assert "neighbours (Ratio), minus the mean (Distance)" in margin
    head = texts["TrainClassifier", "head"]
    assert "multilayer perceptron (MLP), MLP on pairs (NLI)" in head
    assert head.endswith("or nearest neighbours.")
    raw = re.compile(r"\b(mlp|nli|lbfgs|knn)\b")
    assert [key for key, text in texts.items() if raw.search(text)] == []
    assert texts["TrainClassifier", "hidden"].startswith(
        "Size of a hidden tanh layer. Default:"
    )
    assert (
        "Automatic: depends on the head and the data."
        in texts["TrainClassifier", "features"]
    )
    assert texts["EvaluateWordTranslation", "retrieval"] == (
        "Ranking of translations: nearest neighbour by cosine (Nearest neighbour), "
        "inverted softmax, or cosine corrected for hubs (CSLS)."
    )


def test_choices_have_plain_titles_with_the_standard_term(qtbot: QtBot) -> None:
    form = Form(MinePairs)
    qtbot.addWidget(form)
    shown = {}
    for name in ("retrieval", "margin"):
        box = form.field(name).widget
        assert isinstance(box, QComboBox)
        shown[name] = [box.itemText(index) for index in range(box.count())]
    assert shown["retrieval"] == [
        "Best of both directions (max)",
        "Best in both directions (intersection)",
        "Best target of each source (forward)",
        "Best source of each target (backward)",
    ]
    assert shown["margin"][0] == "Cosine ÷ mean of the neighbours (ratio)"
    assert form.field("retrieval").widget.accessibleName() == "Selected pairs"
    assert choice_title("max", "pooling") == "Max"


def test_help_texts_have_no_command_names() -> None:
    names = [command_name(params) for params in ALL_PARAMS]
    compound = re.compile("|".join(name for name in names if "-" in name))
    found = {
        (params.__name__, info.name)
        for params in ALL_PARAMS
        for info in msgspec.structs.fields(params)
        if compound.search(field_facts(info).description)
    }
    assert found == set()


def test_bounds_of_the_struct_hold_in_the_input(form: "Form[Sample]") -> None:
    box = widget(form, "n_steps")
    assert (box.minimum(), box.maximum()) == (1, 50)
    assert box.accessibleName() == "Steps"
    assert widget(form, "name").toolTip() == "How it is called."


def test_refused_value_is_named(form: "Form[Sample]") -> None:
    widget(form, "name").setText("x")
    with pytest.raises(
        FormError, match="Name: its length in characters must be at least 2"
    ):
        form.values()


@pytest.mark.parametrize("params", ALL_PARAMS, ids=lambda t: t.__name__)
def test_every_task_has_a_form(params: type[TaskParams], qtbot: QtBot) -> None:
    form: Form[TaskParams] = Form(params)
    qtbot.addWidget(form)
    for info in msgspec.structs.fields(params):
        assert widget(form, info.name).toolTip()


def test_dialog_copies_the_command_and_runs(
    open_state: AppState, qtbot: QtBot, qapp: Any
) -> None:
    values = Encode(corpora=("Harbour letters",), encoder="done")
    dialog = TaskDialog(open_state, Encode, values)
    dialog.show()
    buttons = {b.text(): b for b in dialog.findChildren(QPushButton)}
    buttons["Copy as command"].click()
    assert (
        qapp.clipboard()
        .text()
        .endswith("letters.isogloss --corpus 'Harbour letters' --encoder done")
    )
    with qtbot.waitSignal(open_state.run_finished, timeout=5_000) as finished:
        buttons["Encode corpora"].click()
    assert finished.args[0].params == values


def test_dialog_begins_in_its_first_field_and_asks_for_what_is_missing(
    open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, AddEncoder)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    source = dialog.form.field("source").widget
    qtbot.waitUntil(lambda: source.focusProxy() is dialog.focusWidget())
    next(
        b for b in dialog.findChildren(QPushButton) if b.text() == "Add encoder"
    ).click()
    words = [label.text() for label in dialog.findChildren(QLabel)]
    assert "Source: enter a value." in words
    assert "Enter a value." in words, "it stands beside the field too"
    assert dialog.isVisible()


@pytest.mark.parametrize("name", ["source", "pieces", "dictionary"])
def test_a_file_is_chosen_where_a_file_is_wanted(qtbot: QtBot, name: str) -> None:
    form = Form(AddEncoder)
    qtbot.addWidget(form)
    form.field(name).widget.findChildren(QPushButton)[0].click()
    (dialog,) = form.findChildren(QFileDialog)
    assert dialog.fileMode() == QFileDialog.FileMode.ExistingFile
    dialog.reject()


def test_a_path_is_asked_for_where_the_last_one_was(
    form: "Form[Sample]", tmp_path: Path
) -> None:
    inner = QDialog(form)
    dialog = ask_path(inner, "File", print)
    assert Path(dialog.directory().absolutePath()) == Path.home()
    dialog.filesSelected.emit([str(tmp_path / "a.txt")])
    dialog.reject()
    again = ask_paths(form, "Files", print)
    assert Path(again.directory().absolutePath()) == tmp_path
    again.reject()


def test_dialog_says_what_is_wrong_and_stays(
    open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, Encode)
    dialog.show()
    run = next(
        b for b in dialog.findChildren(QPushButton) if b.text() == "Encode corpora"
    )
    run.click()
    assert dialog.isVisible()
    assert open_state.runs == []
    dialog.close()


def test_a_number_without_a_value_shows_its_default(qtbot: QtBot) -> None:
    form = Form(TrainClassifier)
    qtbot.addWidget(form)
    shown = {}
    for name in ("inverse_l2", "n_epochs", "lr", "dropout", "patience"):
        line = form.field(name).widget
        assert isinstance(line, QLineEdit)
        shown[name] = line.placeholderText()
    assert shown == {
        "inverse_l2": "chosen by 5-fold cross-validation",
        "n_epochs": "default",  # it has several
        "lr": "0.001",
        "dropout": "default",
        "patience": "default",
    }


def test_a_number_that_may_be_none_is_none_until_it_is_typed(qtbot: QtBot) -> None:
    class Wishes(msgspec.Struct, frozen=True, kw_only=True):
        """Numbers that need not be said."""

        n_steps: Annotated[int, Meta(ge=1)] | None = None
        share: Annotated[float, Meta(gt=0)] | None = None

    form = Form(Wishes)
    qtbot.addWidget(form)
    assert form.values() == Wishes()
    form.write({"n_steps": 2_000_000, "share": 0.5})
    assert form.values() == Wishes(n_steps=2_000_000, share=0.5)
    form.write({"n_steps": 0})
    with pytest.raises(FormError, match="steps"):
        form.values()


def test_a_field_that_is_replaced_by_choices_is_no_longer_shown(
    form: "Form[Sample]",
) -> None:
    form.show()
    old = widget(form, "name")
    assert old.isVisible()
    form.set_choices("name", [("Storm", "storm"), ("Calm", "calm")])
    assert not old.isVisible()
    assert widget(form, "name").isVisible()
