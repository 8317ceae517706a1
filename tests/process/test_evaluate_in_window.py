"""The evaluate view over the real engine: measure, look, report, and again later."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.demo import sample_files
from app.engine.project import create_project
from app.engine.store import schema
from app.engine.store.rows import first_id
from app.params.evaluation import EvaluateSts
from app.views.main_window import MainWindow
from app.views.probing_view import ProbingView
from app.views.widgets.evaluation_dialog import EvaluationDialog
from app.views.widgets.report_form import ReportForm
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows

N = 20  # linked sentences of each corpus
LANGUAGES = ("en", "de", "fr")


def linked(language: str) -> list[str]:
    """Read the sample sentences that say the same in every language."""
    (file,) = [file for file in sample_files() if file.stem == language]
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    by_key = sorted((gold, text) for text, _, gold in rows if gold)
    return [text for _, text in by_key][:N]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        for language in LANGUAGES:
            add_corpus(project, language.upper(), language, linked(language))
        links = [
            {
                "source_id": first_id(1) + row,
                "target_id": first_id(number) + row,
                "kind": "gold",
            }
            for number in (2, 3)
            for row in range(N)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
    return folder


def view_of(window: MainWindow) -> ProbingView:
    view = window.view
    assert isinstance(view, ProbingView)
    return view


def test_corpora_are_measured_by_one_click_and_texts_by_a_form(
    folder: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = windows.open(folder, "evaluate")
    view = view_of(window)
    state = view.state
    qtbot.waitUntil(lambda: bool(state.encoders.cards), timeout=WAIT_MS)

    view.quick.click()
    qtbot.waitUntil(lambda: bool(view.page.shown), timeout=WAIT_MS)
    assert view.page.table.rowCount() == 6
    assert view.page.charts.title.startswith("Retrieval error · ")
    assert "20 of 20 sentences of EN" in view.page.notes

    scores = tmp_path / "en.tsv"
    texts = linked("en")
    rows = [f"{5 - row % 6}\t{texts[row]}\t{texts[row + 1]}" for row in range(10)]
    scores.write_text("\n".join(rows), encoding="utf-8", newline="\n")
    view.jobs.ask(EvaluateSts)
    (dialog,) = view.findChildren(EvaluationDialog)
    dialog.take_files([scores])
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    qtbot.waitUntil(lambda: view.page.shown[0].task == "evaluate-sts", timeout=WAIT_MS)
    assert view.page.table.rowCount() == 2

    view.list.choose_all(view.list.ids)
    view.jobs.ask_report()
    (form,) = view.findChildren(ReportForm)
    report = tmp_path / "report.html"
    form.form.write({"out": report})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        form.run_button.click()
    html = report.read_text(encoding="utf-8")
    assert html.count("<svg") == len(view.page.charts.charts)

    view.page.charts.choose("Retrieval error")
    windows.close(window)
    again = view_of(windows.open(folder, "evaluate"))
    assert [one.id for one in again.page.shown] == [2, 1]
    assert again.page.charts.title == "Retrieval error"
