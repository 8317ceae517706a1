"""The mine view over the real engine: mine, look, filter, judge, evaluate, export."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.pairs.sets import first_pair_id
from app.params.mining import EvaluateMining
from app.protocol.edits.pairs import JudgePairs
from app.views.client.state import AppState
from app.views.mining.dialog import MiningDialog
from app.views.mining.page import RECIPE_TAB
from app.views.mining.pair_table import SCORE, VERDICT
from app.views.mining.view import MiningView
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.verdict_mark import VERDICT_ROLE
from tests.engine.search.made import add_corpus
from tests.samples import sample_texts

WAIT_MS = 60_000
N = 60  # sentences of a side


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "English", "en", sample_texts("en", N))
        add_corpus(project, "Deutsch", "de", sample_texts("de", N))
    return folder


@pytest.fixture
def view(state: AppState, qtbot: QtBot) -> MiningView:
    """The view with pairs that it mined; the corpora were encoded before."""
    view = MiningView(state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    view.controller.mine_suggested()
    qtbot.waitUntil(lambda: view.row is not None, timeout=WAIT_MS)
    return view


def scores(view: MiningView) -> list[float]:
    model = view.page.pairs.table.pairs
    return [float(model.data(model.index(row, SCORE))) for row in range(len_of(view))]


def len_of(view: MiningView) -> int:
    return view.page.pairs.table.pairs.rowCount()


def test_pairs_are_mined_found_filtered_and_judged(
    view: MiningView, state: AppState, qtbot: QtBot
) -> None:
    assert view.row is not None
    n, first = view.row.n_pairs, first_pair_id(view.row.id)
    assert len_of(view) == n > 10
    assert scores(view) == sorted(scores(view), reverse=True)
    found = view.page.pairs.table.pairs.pair_at(0)
    assert found is not None

    pairs = view.page.pairs
    with qtbot.waitSignal(pairs.shown, timeout=WAIT_MS):
        pairs.filters.find_field.setText(found.source.text)
    assert len_of(view) == 1
    with qtbot.waitSignal(pairs.shown, timeout=WAIT_MS):
        pairs.filters.find_field.clear()

    state.edit(JudgePairs(pairs=(first,), verdict="accept"))
    model = pairs.table.pairs
    index = model.index(0, VERDICT)
    qtbot.waitUntil(lambda: model.data(index, VERDICT_ROLE) == "accept")

    editor = view.page.recipe
    view.page.tabs.setCurrentIndex(RECIPE_TAB)
    with qtbot.waitSignal(editor.previewed, timeout=WAIT_MS):
        editor.set_lines(["length min=1000 max=2000"])
    assert editor.summary.startswith(f"0 of all {n} pairs pass")
    with qtbot.waitSignal(editor.previewed, timeout=WAIT_MS):
        editor.set_lines(["length max=60"])
    n_left = int(editor.summary.split()[0])
    editor.apply()
    qtbot.waitUntil(lambda: len(view.sidebar.minings.ids) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.row is not None and bool(view.row.filters))
    assert view.row.n_pairs == n_left

    view.controller.delete()
    qtbot.waitUntil(lambda: len(view.sidebar.minings.ids) == 1, timeout=WAIT_MS)
    state.undo()
    qtbot.waitUntil(lambda: len(view.sidebar.minings.ids) == 2, timeout=WAIT_MS)


def test_what_it_takes_is_told_and_pairs_are_exported(
    view: MiningView, qtbot: QtBot, tmp_path: Path
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    with qtbot.waitSignal(dialog.planned, timeout=WAIT_MS):
        pass
    assert dialog.needs.startswith(f"{N} × {N} sentences: about")
    dialog.reject()

    view.controller.ask_export()
    (export,) = view.findChildren(PairExportDialog)
    with qtbot.waitSignal(export.preview.shown, timeout=WAIT_MS):
        pass
    assert view.row is not None
    assert export.preview.count.text() == (
        f"{view.row.n_pairs} pairs. No pair is judged yet, so all pairs are included."
    )
    assert export.preview.table.rowCount() == 5
    file = tmp_path / "pairs.tmx"
    export.form.write({"out": file})
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        export.run_button.click()
    assert view.row is not None
    text = file.read_text(encoding="utf-8")
    assert text.count("<tu ") == view.row.n_pairs


def test_mining_is_measured_with_a_gold_standard(
    view: MiningView, state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    files = []
    for name, texts in (("en", sample_texts("en", N)), ("de", sample_texts("de", N))):
        files.append(tmp_path / f"{name}.tsv")
        lines = [f"{name}-{row}\t{text}" for row, text in enumerate(texts)]
        files[-1].write_text("\n".join(lines), encoding="utf-8", newline="\n")
    gold = tmp_path / "gold.tsv"
    gold.write_text("en-0\tde-0\nen-1\tde-1", encoding="utf-8", newline="\n")
    state.run(EvaluateMining(source=files[0], target=files[1], gold=gold))
    qtbot.waitUntil(lambda: view.evaluation is not None, timeout=WAIT_MS)
    measured = view.evaluation.measured if view.evaluation else None
    assert measured is not None
    assert measured.gold == 2
    assert view.evaluation_page.figures.text.startswith("F1 ")
    assert len(view.evaluation_page.figure.plot.curves) == 3
