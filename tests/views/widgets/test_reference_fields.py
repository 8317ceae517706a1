"""Fields that name objects of the project offer those that it has."""

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.params import ALL_PARAMS
from app.params.base import TaskParams
from app.params.corpora import ExportVectors
from app.params.vectors import Encode
from app.params.word_vectors import MapLanguages
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.task_dialog import TaskDialog
from tests.views.stage import build_project

FORBIDDEN = r"name or id|(?<!\w)--\w|(name|language)=file|may be repeated"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with corpora."""
    return build_project(tmp_path / "letters.isogloss")


def test_one_corpus_is_selected_from_those_of_the_project(
    open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, ExportVectors)
    qtbot.addWidget(dialog)
    box = dialog.form.field("corpus").widget
    assert isinstance(box, QComboBox)
    project = open_state.project
    assert project is not None
    offered = [box.itemData(row) for row in range(box.count())]
    assert offered == [corpus.name for corpus in project.corpora]
    assert dialog.form.raw()["corpus"] == offered[0], "the first one is selected"


def test_corpora_and_the_encoder_are_selected_from_lists(
    open_state: AppState, qtbot: QtBot
) -> None:
    project = open_state.project
    assert project is not None
    last = project.corpora[-1]
    by_id = TaskDialog(
        open_state, ExportVectors, ExportVectors(corpus=str(last.id), out=Path("x"))
    )
    qtbot.addWidget(by_id)
    assert by_id.form.raw()["corpus"] == last.name, "an id selects its corpus"
    values = Encode(corpora=(last.name,))
    dialog = TaskDialog(open_state, Encode, values)
    qtbot.addWidget(dialog)
    corpora = dialog.form.field("corpora").widget
    assert isinstance(corpora, CheckList)
    assert corpora.ticked == [last.name]
    encoder = dialog.form.field("encoder").widget
    assert isinstance(encoder, QComboBox)
    assert encoder.currentText().endswith("(in use)")


def test_a_pair_set_is_not_typed_in_a_project_without_pair_sets(
    open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, MapLanguages)
    qtbot.addWidget(dialog)
    box = dialog.form.field("pairs").widget
    assert isinstance(box, QComboBox)
    assert [box.itemText(row) for row in range(box.count())] == ["None"]
    assert dialog.form.raw()["pairs"] == ""


def test_the_button_of_a_dialog_is_a_verb_and_its_object(
    open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, ExportVectors)
    qtbot.addWidget(dialog)
    assert dialog.run_button.text() == "Export vectors"


@pytest.mark.parametrize("params", ALL_PARAMS, ids=lambda t: t.__name__)
def test_no_help_text_of_a_form_speaks_of_the_command_line(
    params: type[TaskParams], open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, params)
    qtbot.addWidget(dialog)
    for name in dialog.form.names:
        words = dialog.form.field(name).widget.toolTip()
        assert not re.search(FORBIDDEN, words, re.IGNORECASE), words
