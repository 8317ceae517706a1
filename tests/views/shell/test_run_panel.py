"""The panel of runs: state, resume, give up, copy as command, details."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QMessageBox,
    QPushButton,
    QTableWidget,
)
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.engine.store.runs import list_runs
from app.params import Params
from app.params.classify import EvaluateFewShot
from app.params.evaluation import EvaluateRetrieval, EvaluateSts
from app.params.pairs import ExportPairs
from app.params.training.encoder import TrainEncoder
from app.params.vectors import Encode
from app.results.jobs import UnfinishedRun, write_unfinished
from app.views.shell.main_window import MainWindow
from app.views.shell.run_panel import (
    RESULT_VIEWS,
    RunDetailsDialog,
    RunPanel,
    run_groups,
)
from tests.views.mined import MINING, add_mining

WAIT_MS = 5_000


@pytest.fixture
def panel(open_window: MainWindow, qtbot: QtBot) -> RunPanel:
    project = open_window.state.project
    assert project is not None
    with open_project(project.folder) as writing:
        for state in ("interrupted", "finished"):
            run = queue_run(writing, Encode(corpora=("Harbour letters",)))
            values = {"state": state, "ended_at": None, "result": '{"n": 5}'}
            with writing.store.begin() as connection:
                table = schema.run
                connection.execute(
                    update(table).where(table.c.id == run).values(**values)
                )
    open_window.runs_dock.show()
    panel = open_window.runs_dock.widget()
    assert isinstance(panel, RunPanel)
    return panel


def press(panel: RunPanel, text: str) -> None:
    button(panel, text).click()


def button(panel: RunPanel, text: str) -> QPushButton:
    return next(b for b in panel.findChildren(QPushButton) if b.text() == text)


def select(panel: RunPanel, row: int) -> None:
    (table,) = panel.findChildren(QTableWidget)
    table.selectRow(row)


def test_runs_are_listed_newest_first(panel: RunPanel) -> None:
    (table,) = panel.findChildren(QTableWidget)
    model = table.model()
    cells = [[model.index(i, j).data() for j in (0, 1, 2)] for i in range(2)]
    title = "Encoding: Harbour letters"
    assert cells == [["2", title, "finished"], ["1", title, "interrupted"]]


def test_only_an_interrupted_run_can_be_resumed(
    panel: RunPanel, open_window: MainWindow, qtbot: QtBot
) -> None:
    select(panel, 0)
    assert not button(panel, "Resume").isEnabled()
    select(panel, 1)
    press(panel, "Resume")
    assert [run.params for run in open_window.state.runs] == [
        Encode(corpora=("Harbour letters",))
    ]
    open_window.state.cancel(open_window.state.runs[0])
    qtbot.waitUntil(lambda: not open_window.state.is_busy, timeout=WAIT_MS)


def test_a_cancelled_run_that_continues_can_be_resumed(
    panel: RunPanel, open_window: MainWindow, qtbot: QtBot
) -> None:
    project = open_window.state.project
    assert project is not None
    at = write_unfinished(UnfinishedRun(n_done=5, n_total=9))
    kept: dict[str, tuple[Params, str, bool]] = {
        "its vectors": (Encode(corpora=("Harbour letters",)), "", True),
        "a checkpoint": (TrainEncoder(name="sea"), at, True),
        "nothing": (TrainEncoder(name="sea"), "", False),
    }
    with open_project(project.folder) as writing:
        for params, result, _ in reversed(kept.values()):
            run = queue_run(writing, params)
            values = {"state": "cancelled", "ended_at": None, "result": result}
            with writing.store.begin() as connection:
                table = schema.run
                connection.execute(
                    update(table).where(table.c.id == run).values(**values)
                )
    panel.refresh()
    for row, (_, _, can_resume) in enumerate(kept.values()):
        select(panel, row)
        assert button(panel, "Resume").isEnabled() == can_resume
        if can_resume:
            press(panel, "Delete")
            question = open_window.findChildren(QMessageBox)[-1]
            question.reject()
    select(panel, 0)
    press(panel, "Resume")
    (resumed,) = open_window.state.runs
    assert resumed.id == 5
    open_window.state.cancel(resumed)
    qtbot.waitUntil(lambda: not open_window.state.is_busy, timeout=WAIT_MS)


def test_run_is_copied_as_the_command_that_repeats_it(
    panel: RunPanel, qapp: QApplication
) -> None:
    select(panel, 0)
    press(panel, "Copy as command")
    text = qapp.clipboard().text()
    assert text.startswith("python -m app encode ")
    assert text.endswith("--corpus 'Harbour letters'")


def test_run_of_another_version_can_be_read_but_not_repeated(
    panel: RunPanel, open_window: MainWindow, qapp: QApplication, qtbot: QtBot
) -> None:
    project = open_window.state.project
    assert project is not None
    params = '{"task":"keyness","corpus":"Letters","against":"Notes"}'  # one of each
    with open_project(project.folder) as writing, writing.store.begin() as connection:
        connection.execute(update(schema.run).values(task="keyness", params=params))
    panel.refresh()
    select(panel, 1)
    for name, sentence in (
        ("Copy as command", "Another version of Isogloss made this run"),
        ("Resume", "Another version of Isogloss started keyness"),
    ):
        with qtbot.waitSignal(open_window.state.error_posted) as posted:
            press(panel, name)
        assert posted.args[0].message.startswith(sentence)
    assert not open_window.state.runs
    press(panel, "Details")
    (dialog,) = open_window.findChildren(RunDetailsDialog)
    assert ["against", "Notes"] in dialog.record.texts()
    dialog.close()


def test_details_show_settings_and_result(
    panel: RunPanel, open_window: MainWindow, qapp: QApplication
) -> None:
    select(panel, 0)
    press(panel, "Details")
    (dialog,) = open_window.findChildren(RunDetailsDialog)
    rows = dialog.record.texts()
    assert ["Corpora", "Harbour letters"] in rows
    assert ["n", "5"] in rows
    assert not [text for row in rows for text in row if "{" in text or "_" in text]
    press_in(dialog, "Copy table")
    assert "Corpora\tHarbour letters\n" in qapp.clipboard().text()
    press_in(dialog, "Copy as command")
    assert qapp.clipboard().text().startswith("python -m app encode ")
    dialog.close()
    (table,) = panel.findChildren(QTableWidget)
    tooltip = table.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "Encoding: Harbour letters\nfinished"


def press_in(dialog: RunDetailsDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


def test_settings_are_named_as_in_their_dialog(
    panel: RunPanel, open_window: MainWindow, tmp_path: Path
) -> None:
    params = EvaluateSts(
        data=(f"en={tmp_path / 'sts_en.tsv'}",), encoder=str(tmp_path / "small")
    )
    result = {"results": [{"first": "en", "pearson": 0.75, "interval": [0.5, 0.9]}]}
    add_finished(open_window, params, json.dumps(result))
    assert open_window.state.project is not None
    (run, *_) = list_runs(open_window.state.project.store)
    rows = dict(row[:2] for _, group in run_groups(run) for row in group)
    assert rows["Encoder"] == ("small",)
    assert ("en: sts_en.tsv",) in rows.values()
    assert rows["results · en"] == (
        "Pearson’s r 0.75, interval 0.5\u00a0–\u2060\u00a00.9",
    )


def test_the_result_of_a_finished_evaluation_is_shown(
    panel: RunPanel, open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RESULT_VIEWS, "evaluate-retrieval", "corpora")
    select(panel, 0)
    assert not button(panel, "Show result").isEnabled()  # vectors are not shown
    add_finished(open_window, EvaluateRetrieval(corpora=("1", "2")))
    panel.refresh()
    select(panel, 0)
    press(panel, "Show result")
    assert open_window.view_name == "corpora"


def test_details_name_the_corpora(panel: RunPanel, open_window: MainWindow) -> None:
    add_finished(open_window, EvaluateRetrieval(corpora=("1", "2")))
    assert open_window.state.project is not None
    (run, *_) = list_runs(open_window.state.project.store)
    groups = dict(run_groups(run, {"1": "Harbour letters", "2": "Hafenbriefe"}))
    named = {row.title: row.values for row in groups["Settings"]}
    assert named["Corpora"] == ("Harbour letters, Hafenbriefe",)


def test_details_write_words_for_flags_ids_and_rates(
    panel: RunPanel, open_window: MainWindow
) -> None:
    params = EvaluateFewShot(
        train="1", target="2", test="", apart=True, head="logistic"
    )
    values = {"majority": 0.5, "id": 2, "mining": 2, "notes": [], "seconds": 4.25}
    counts = {"counts": [2, 17, 13, 5], "sentences_per_s": 8000.0}
    result = json.dumps(values | {"scores": counts, "mean_error": 0.25})
    add_finished(open_window, params, result)
    rows = details_of(panel, open_window)
    apart = "Exclude training rows that are linked as translations of target rows"
    for row in (
        *([apart, "yes"], ["Epoch to keep", "Best"], ["mean error", "25.0\u00a0%"]),
        *(["accuracy of the most frequent class", "50.0\u00a0%"],),
        *(["time", "4.2\u00a0s"], ["scores · sentences", "8,000/s"]),
    ):
        assert row in rows
    titles = " ".join(row[0] for row in rows)
    assert not [word for word in ("mining", "counts", "notes") if word in titles]


def test_details_name_a_pair_set_and_not_the_corpus_with_its_number(
    panel: RunPanel, open_window: MainWindow, tmp_path: Path
) -> None:
    state = open_window.state
    assert state.project is not None
    add_mining(state.project.folder)
    add_mining(state.project.folder)
    state.project.reload({"mining"})
    add_finished(open_window, ExportPairs(pairs="1", out=tmp_path / "pairs.tsv"))
    rows = details_of(panel, open_window)
    assert ["Pairs", MINING.name] in rows


def details_of(panel: RunPanel, window: MainWindow) -> list[list[str]]:
    """Return the rows of the details of the newest run."""
    panel.refresh()
    select(panel, 0)
    press(panel, "Details")
    (dialog,) = window.findChildren(RunDetailsDialog)
    rows = dialog.record.texts()
    dialog.close()
    return rows


def add_finished(window: MainWindow, params: Params, result: str = "") -> None:
    project = window.state.project
    assert project is not None
    with open_project(project.folder) as writing:
        run = queue_run(writing, params)
        with writing.store.begin() as connection:
            table = schema.run
            connection.execute(
                update(table)
                .where(table.c.id == run)
                .values(state="finished", result=result)
            )
