"""The recipe editor: filters that are chosen, tried on a sample, kept in files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.store.pairs.sets import first_pair_id
from app.errors import UserError
from app.params.filters import ALL_FILTERS, LengthFilter
from app.protocol.answers.pairs import FilterStep, RecipePreview
from app.protocol.queries.pairs import RecipeQuery
from app.settings import Settings
from app.views.mining.pair_table import SCORE
from app.views.mining.recipe_editor import RecipeEditor
from app.views.mining.recipe_source import (
    DEFAULT_RECIPE,
    normalize_lines,
    read_recipe,
    write_recipe,
)
from app.views.widgets.adaptive_rows import FigureRow
from app.views.widgets.filter_list import FilterPalette
from tests.views import mined
from tests.views.clipping import layout_faults
from tests.views.stage import Stage, build_project

FIRST = first_pair_id(1)


def try_recipe(query: RecipeQuery) -> RecipePreview:
    """Let each filter leave out one more of the pairs, as the engine would say."""
    steps = [
        FilterStep(line, 2 - index, 1, 1 + index, [FIRST + index], False)
        for index, line in enumerate(query.filters)
    ]
    return RecipePreview(3, steps)


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    folder = build_project(tmp_path / "p.isogloss")
    mined.add_mining(folder)
    filtered = mined.MINING._replace(name="Filtered", filters=["numbers"])
    mined.add_mining(folder, filtered)
    stage = Stage(folder)
    stage.client.answers[RecipeQuery] = try_recipe
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def editor(stage: Stage, qtbot: QtBot) -> RecipeEditor:
    editor = RecipeEditor(stage.state)
    qtbot.addWidget(editor)
    editor.resize(700, 600)
    editor.show()
    return editor


def test_every_control_of_a_filter_is_seen_in_large_text(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    lines = ["length min=12 max=90", "ratio max=1.6 usual=1", "regex pattern=water"]
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        editor.resize(390, 480)  # in a window of 1025 pixels, next to the inspector
        assert stage.state.project is not None
        editor.show_mining(stage.state.project.minings[0])
        with qtbot.waitSignal(editor.previewed):
            editor.set_lines(lines)
        window = editor.window()
        qtbot.waitUntil(lambda: layout_faults(window) == [])
        viewport = editor.list.parentWidget()
        assert viewport is not None
        room = viewport.width()
        assert all(card.width() <= room for card in editor.list.cards)
        assert editor.list.height() >= 200
    finally:
        stage.theme.apply(Settings(theme="light"))


def show(editor: RecipeEditor, stage: Stage, mining: int) -> None:
    assert stage.state.project is not None
    rows = {row.id: row for row in stage.state.project.minings}
    editor.show_mining(rows[mining])


def examples(editor: RecipeEditor) -> list[str]:
    model = editor.table.pairs
    return [model.data(model.index(row, SCORE)) for row in range(model.rowCount())]


def test_each_filter_says_what_it_leaves_out(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    with qtbot.waitSignal(editor.previewed):
        editor.set_lines(["length min=3", "numbers"])
    assert editor.summary == "1 of all 3 pairs pass (33\u00a0%)"
    counts = [card.counts for card in editor.list.cards]
    assert counts == ["−1 of 3 (33\u00a0%)", "−1 of 2 (50\u00a0%) · alone −2"]
    assert examples(editor) == ["1.500"]
    editor.show_examples(1)  # the difference between the two steps
    assert examples(editor) == ["1.200"]


def test_a_parameter_is_changed_and_only_the_last_state_is_asked_for(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    with qtbot.waitSignal(editor.previewed):
        editor.set_lines(["length"])
    n_asked = len(stage.client.queries(RecipeQuery))
    field = editor.list.cards[0]._fields["min"][1]
    with qtbot.waitSignal(editor.previewed):
        field.write(5)
        field.write(6)
    asked = stage.client.queries(RecipeQuery)[n_asked:]
    assert [query.filters for query in asked] == [("length min=6",)]


def test_filters_are_added_moved_and_removed_by_key(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    found = editor.filter_palette.findChildren(QPushButton)
    buttons = {b.text(): b for b in found if b.text().startswith("+ ")}
    assert len(buttons) == len(ALL_FILTERS)
    buttons["+ Copies"].click()
    buttons["+ Numbers"].click()
    assert editor.lines == ["identity", "numbers"]
    card = editor.list.cards[1]
    QTest.keyClick(card, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert editor.lines == ["numbers", "identity"]
    QTest.keyClick(card, Qt.Key.Key_Delete)
    assert editor.lines == ["identity"]
    with qtbot.waitSignal(editor.previewed):
        pass


def test_a_pattern_that_is_not_typed_yet_is_left_out_and_said(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    buttons = {b.text(): b for b in editor.filter_palette.findChildren(QPushButton)}
    buttons["+ Pattern"].click()
    assert editor.list.cards[0].counts == "enter a pattern"
    with qtbot.assertNotEmitted(editor.apply_requested):
        editor.apply()
    editor.list.cards[0]._fields["pattern"][1].write("a b")
    assert editor.lines == ["regex 'pattern=a b'"]
    with qtbot.waitSignal(editor.apply_requested) as wanted:
        editor.apply()
    assert wanted.args == [["regex 'pattern=a b'"]]
    with qtbot.waitSignal(editor.previewed):
        pass


def test_a_filtered_set_is_tried_on_the_same_pairs_without_filters(
    editor: RecipeEditor, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(editor.previewed):
        show(editor, stage, 2)
    assert editor.lines == ["numbers"]
    assert stage.client.queries(RecipeQuery)[-1].mining == 1
    words = "Preview on English – Arabic: the same pairs without filters."
    assert editor._note.text() == words


def test_a_recipe_is_taken_from_another_set_and_from_a_file(
    editor: RecipeEditor, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    menu = QMenu(editor)
    editor.source.fill(menu)
    actions = {action.text(): action for action in menu.actions()}
    actions["Filtered"].trigger()
    assert editor.lines == ["numbers"]
    editor.set_lines(["length min=4", "identity"])
    editor.save_to(tmp_path / "recipe.json")
    editor.set_lines([])
    editor.source.open_file(tmp_path / "recipe.json")
    assert editor.lines == ["length min=4", "identity"]
    (tmp_path / "other.json").write_text("[]", encoding="utf-8")
    with qtbot.waitSignal(stage.state.error_posted) as posted:
        editor.source.open_file(tmp_path / "other.json")
    assert "has no list of filters" in posted.args[0].message
    assert editor.lines == ["length min=4", "identity"]
    with qtbot.waitSignal(editor.previewed):
        pass


def test_the_export_of_a_recipe_shows_its_filters_and_keeps_the_input_on_an_error(
    editor: RecipeEditor, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    show(editor, stage, 1)
    editor.set_lines(["length min=4", "identity"])
    dialog = editor.ask_export()
    assert dialog.preview.count.text() == "2 filters."
    rows = dialog.preview.table.model()
    shown = [rows.index(row, 0).data() for row in range(rows.rowCount())]
    assert shown == ["Length: min 4, max 500", "Copies: similar 1.0"]
    file = tmp_path / ("long" * 80 + ".json")  # no file system takes such a name
    dialog.export_to(file)
    assert "Can't write" in dialog.error
    assert dialog.isVisible()
    assert dialog.file.path == file
    with qtbot.waitSignal(stage.state.file_written) as written:
        dialog.export_to(tmp_path / "recipe")
    assert written.args[0] == tmp_path / "recipe.json"
    assert read_recipe(tmp_path / "recipe.json") == editor.lines


def test_a_recipe_is_the_same_after_its_file(tmp_path: Path) -> None:
    lines = normalize_lines(["regex 'pattern=ä \"b\"' side=source", *DEFAULT_RECIPE])
    write_recipe(tmp_path / "r.json", lines)
    assert read_recipe(tmp_path / "r.json") == lines


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Can't read the filters in"),
        ('{"filters": ["length"]}', "has no list of filters"),
        ('{"isogloss-recipe": 1, "filters": ["colour"]}', "Unknown filter"),
    ],
)
def test_a_file_that_is_no_recipe_is_refused(
    tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=why):
        read_recipe(tmp_path / "r.json")


def test_a_narrow_shelf_offers_the_filters_in_a_menu(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    shelf = FilterPalette(parent)
    parent.show()
    shelf.resize(1_200, 80)
    assert [b.isVisible() for b in shelf.findChildren(QPushButton)] == [True] * 9 + [
        False
    ]
    shelf.resize(280, 80)
    (button,) = [b for b in shelf.findChildren(QPushButton) if b.isVisible()]
    wanted: list[object] = []
    shelf.filter_requested.connect(wanted.append)
    button.menu().actions()[0].trigger()
    assert wanted == [LengthFilter]


def test_a_narrow_row_shows_the_first_figures(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    row = FigureRow(parent)
    parent.show()
    row.resize(600, 60)
    row.show_figures([("pairs", "2,258"), ("judged", "82 (4 %)"), ("accepted", "69")])
    shown = [w for w in row.children() if isinstance(w, QWidget)]
    assert [w.isVisible() for w in shown] == [True, True, True]
    row.resize(shown[0].width() + shown[1].width() + 60, 60)
    assert [w.isVisible() for w in shown] == [True, True, False]
