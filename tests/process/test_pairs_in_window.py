"""Labelled pairs in the classify view, over the real engine: imported, tested, used."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.views.classify.apply_dialog import ApplyDialog
from app.views.classify.transfer.details import MATRIX_TAB
from app.views.classify.transfer.dialog import TransferDialog
from app.views.classify.view import ClassifyView
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.page_model import SECOND
from tests.samples import sample_texts

WAIT_MS = 60_000
N = 36  # pairs of a file


def write_pairs(file: Path, language: str, labels: tuple[str, ...]) -> Path:
    """Write pairs by turns: a text with itself, with its half, with another one."""
    texts = sample_texts(language, N + 1)
    rows = ["score\tsentence1\tsentence2"]
    for n, text in enumerate(texts[:N]):
        second = (text, text[: len(text) // 2], texts[(n + 7) % N])[n % 3]
        rows.append(f"{labels[n % 3]}\t{text}\t{second}")
    file.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pairs.isogloss"
    create_project(folder).close()
    return folder


def open_pairs(
    state: AppState, qtbot: QtBot, folder: Path, labels: tuple[str, ...]
) -> ClassifyView:
    """Import pairs in two languages, and open the view on them."""
    for language in ("en", "de"):
        params = ImportCorpus(
            files=(write_pairs(folder / f"{language}.tsv", language, labels),),
            languages=(language, language),
            columns=("sentence1", "sentence2"),
            names=(f"{language} 1", f"{language} 2"),
            label_column="score",
            sides="pairs",
        )
        with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
            state.run(params)
    view = ClassifyView(state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: len(state.labels.counts) == 4, timeout=WAIT_MS)
    return view


def test_pairs_are_tested_in_every_two_languages(
    state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    view = open_pairs(state, qtbot, tmp_path, ("same", "part", "other"))
    view.tests.ask_test()
    (dialog,) = view.findChildren(TransferDialog)
    values = dialog.form.raw()
    assert (values["train"], values["head"]) == ("en 1+en 2", "nli")
    assert values["tests"] == ["en=en 1+en 2", "de=de 1+de 2"]
    dialog.form.write({"hidden": (16,), "n_epochs": 10, "matrix": True})
    dialog.run_button.click()
    qtbot.waitUntil(lambda: view.steps.transfer.shown is not None, timeout=WAIT_MS)
    behind = view.steps.transfer.page.details
    assert behind.tabs.isTabVisible(MATRIX_TAB)
    assert behind.matrix.rowCount() == 2
    cell = behind.matrix.item(0, 1)
    assert cell is not None
    assert f"n = {N})" in cell.toolTip()
    for suffix in (".csv", ".png", ".svg"):
        behind.matrix_file.ask_export().export_to(tmp_path / f"matrix{suffix}")
    qtbot.waitUntil((tmp_path / "matrix.csv").exists)
    lines = (tmp_path / "matrix.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "first,second,accuracy,low,high,n"
    assert len(lines) == 5
    assert (tmp_path / "matrix.png").stat().st_size > 1_000
    assert "<svg" in (tmp_path / "matrix.svg").read_text(encoding="utf-8")


def test_scored_pairs_are_learnt_and_said_of_pairs(
    state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    view = open_pairs(state, qtbot, tmp_path, ("5", "2.5", "0.5"))
    view.steps.show_step(view.steps.labels)
    assert state.labels.classes == []  # scores are no classes
    page = view.steps.labels.page
    assert page.facts.endswith("scores from 0.5 to 5")
    assert page.table.page_model.columns[2] is SECOND
    view.classifiers.train_on_labels()
    setup = view.steps.training.setup
    assert setup.form.field("head").read() == "relatedness"
    assert setup.needs.startswith(f"{N} pairs with a score.")
    setup.train_button.click()
    qtbot.waitUntil(lambda: view.steps.training.shown is not None, timeout=WAIT_MS)
    part = MakeSubcorpus(corpora=("de 1",), steps=("length max=70",), name="short")
    state.run(part)
    qtbot.waitUntil(
        lambda: state.project is not None and bool(state.project.subcorpora),
        timeout=WAIT_MS,
    )
    view.classifiers.ask_apply()
    (dialog,) = view.findChildren(ApplyDialog)
    assert dialog.form.raw()["corpora"] == ["en 1+en 2", "de 1+de 2"]
    dialog.form.write({"corpora": ["short+de 2"]})
    assert dialog.findChildren(CheckList)[0].keys[-1] == "short+de 2"
    dialog.run_button.click()
    table = view.steps.predictions.page.table
    qtbot.waitUntil(lambda: table.page_model.rowCount() == N, timeout=WAIT_MS)
    model = table.page_model
    assert [column.key for column in model.columns[:3]] == ["score", "text", "second"]
    scores = [float(model.index(row, 0).data()) for row in range(N)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 5 for score in scores)
    assert scores[0] > scores[-1]
    assert model.index(0, 2).data()  # the second text
    assert view.steps.predictions.page.facts == f"{N} pairs with a score."

    n = sum(len(text) <= 70 for text in sample_texts("de", N))
    with qtbot.waitSignal(view.steps.predictions.page.shown, timeout=WAIT_MS):
        view.steps.predictions.page.corpora.choose(["s1"])
    assert model.rowCount() == n
    view.tests.ask_test_classifier()
    (testing,) = view.findChildren(TransferDialog)
    assert testing._tests.keys[-1] == "de-x-2=short+de 2"
    testing.form.write({"tests": ["de-x-2=short+de 2"]})
    testing.run_button.click()
    qtbot.waitUntil(lambda: view.steps.transfer.shown is not None, timeout=WAIT_MS)
    assert [row.n for row in view.steps.transfer.page.rows] == [n]
