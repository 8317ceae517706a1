"""Table of past runs with resume, delete and copy."""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.params.flags import command_text
from app.results.run_names import NO_NAMES, describe_objects
from app.views.client.runs import can_resume, read_params
from app.views.client.state import AppState
from app.views.shell.job_results import title_job
from app.views.shell.notifications import NAMED_TRAININGS
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import ReportDialog, copy_text
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_duration
from app.views.widgets.theme import GRID, scaled

if TYPE_CHECKING:
    from app.engine.store.runs import RunRow


# The views that show the result of a run, by its task.
RESULT_VIEWS = dict.fromkeys(NAMED_TRAININGS, "training") | dict.fromkeys(
    (
        *("probe", "evaluate-retrieval", "evaluate-tatoeba", "evaluate-sts"),
        *("evaluate-similarity-of-spaces", "evaluate-downstream"),
        *("evaluate-translation", "correlate-measurements", "compare-encoders"),
    ),
    "evaluate",
)
CORPUS_FIELDS = ("corpora", "kept_out_corpora", "corpus", "source", "target")


class RunPanel(QWidget):
    """A table of the newest runs, read when it is shown and when one changes."""

    result_requested = Signal(str, int)  # the view of a result; id of the run

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._rows: list[RunRow] = []
        self._table = self._make_table()
        self._messages = MessageBar(self)
        self._table.itemSelectionChanged.connect(self._on_selection_changed)
        self._resume = make_button(
            self.tr("Resume"),
            self.tr("Continue where it stopped."),
            self._on_resume,
        )
        self._delete = make_button(
            self.tr("Delete"),
            self.tr("Delete this run. The corpora and encoders it made are kept."),
            self._on_delete,
        )
        self._result = make_button(
            self.tr("Show result"),
            self.tr("Show what this run trained or measured."),
            self._on_result,
        )
        self._copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command for this run, to use in a terminal."),
            self._on_copy,
        )
        self._details = make_button(
            self.tr("Details"),
            self.tr("Show the run's settings, versions and result."),
            self._on_details,
        )
        self._table.itemActivated.connect(self._on_details)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(make_label(self.tr("Runs"), "section"))
        head.addStretch()
        for button in (
            *(self._resume, self._delete),
            *(self._result, self._details, self._copy),
        ):
            head.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._messages)
        layout.addWidget(self._table)
        state.runs_changed.connect(self._on_runs_changed)
        state.project_opened.connect(self._on_runs_changed)
        self._on_selection_changed()

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setHorizontalHeaderLabels(
            [
                self.tr("Run"),
                self.tr("Job"),
                self.tr("State"),
                self.tr("Started"),
                self.tr("Took"),
            ]
        )
        table.verticalHeader().hide()
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        for column, width in ((0, 7), (2, 14), (3, 20), (4, 14)):
            table.setColumnWidth(column, scaled(width * GRID))
        describe(table, self.tr("Runs"), self.tr("Jobs of this project."))
        return table

    def refresh(self) -> None:
        """Read the runs of the project again."""
        if self._state.project is None:
            return
        from app.engine.store.runs import list_runs

        current = self._current
        self._rows = list_runs(self._state.project.store)
        self._table.setRowCount(len(self._rows))
        for i, run in enumerate(self._rows):
            for column, text in enumerate(_cells(run, self._corpora)):
                item = QTableWidgetItem(text)
                if column == 0:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                item.setToolTip(_summary(run))
                self._table.setItem(i, column, item)
            if current is not None and run.id == current.id:
                self._table.selectRow(i)
        self._on_selection_changed()

    @property
    def _corpora(self) -> dict[str, str]:
        """Names of the corpora by their ids."""
        return {str(corpus.id): corpus.name for corpus in self._state.corpora}

    @property
    def _current(self) -> "RunRow | None":
        row = self._table.currentRow()
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def _on_runs_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _on_selection_changed(self) -> None:
        run, is_writable = self._current, self._state.can_write
        self._resume.setEnabled(is_writable and run is not None and can_resume(run))
        has_ended = run is not None and run.state not in ("queued", "running")
        self._delete.setEnabled(is_writable and has_ended)
        self._copy.setEnabled(run is not None)
        self._details.setEnabled(run is not None)
        is_finished = run is not None and run.state == "finished"
        self._result.setEnabled(
            run is not None and is_finished and run.task in RESULT_VIEWS
        )

    def _on_resume(self) -> None:
        if self._current is not None:
            self._state.resume(self._current)

    def _on_delete(self) -> None:
        # The store imports sqlalchemy, which the first window does without.
        from app.views.widgets.run_deletion import delete_run

        if (run := self._current) is not None:
            name = title_run(run, self._corpora)
            delete_run(self._state, self._messages, run, name)

    def _on_result(self) -> None:
        run = self._current
        if run is not None:
            self.result_requested.emit(RESULT_VIEWS[run.task], run.id)

    def _on_details(self) -> None:
        run = self._current
        if run is not None:
            words = self.tr("Run {id}, {task}: {state}.")
            title = title_run(run, self._corpora)
            sentence = words.format(id=run.id, task=title, state=run.state)
            text = describe_run(run, self._corpora)
            ReportDialog(sentence, text, self.window(), is_open=True).open()

    def _on_copy(self) -> None:
        if self._current is None or self._state.project is None:
            return
        params = read_params(self._current.params)
        if params is None:
            message = self.tr(
                "Another version of Isogloss made this run, so its command is not "
                "known: press Details to see how it was set."
            )
            self._state.error_posted.emit(ErrorInfo("user", message))
            return
        copy_text(command_text(params, self._state.project.folder))
        self._state.notice_posted.emit(self.tr("The command is copied."))

    def showEvent(self, event: QShowEvent) -> None:
        """Read the runs when the panel comes up."""
        self.refresh()
        super().showEvent(event)


def describe_run(run: "RunRow", corpora: Mapping[str, str] = NO_NAMES) -> str:
    """Write everything that the project stores about a run.

    Args:
        run: to describe.
        corpora: names of corpora by their ids.
    """
    parts = [f"run {run.id} · {run.task} · {run.state} · {run.device}".rstrip(" ·")]
    params = _name_corpora(run.params, corpora)
    for title, text in (("params", params), ("result", run.result)):
        if text:
            readable = msgspec.json.format(text.encode(), indent=2).decode()
            parts.append(f"{title}:\n{readable}")
    if run.error:
        parts.append(f"error:\n{_summary(run)}")
    return "\n\n".join(parts)


def _name_corpora(params: str, corpora: Mapping[str, str]) -> str:
    """Replace the ids of corpora in recorded params by their names."""
    values: dict[str, Any] = json.loads(params or "{}")
    for field in CORPUS_FIELDS:
        match values.get(field):
            case list() as ids:
                values[field] = [corpora.get(str(id_), id_) for id_ in ids]
            case str() as id_:
                values[field] = corpora.get(id_, id_)
    return json.dumps(values, ensure_ascii=False) if values else params


def title_run(run: "RunRow", corpora: Mapping[str, str]) -> str:
    """Return the job of a run and what it works on: Import: notes.fr.txt."""
    params = read_params(run.params)
    objects = describe_objects(params, corpora) if params is not None else ""
    return ": ".join(filter(None, (title_job(run.task), objects)))


def _cells(run: "RunRow", corpora: Mapping[str, str]) -> list[str]:
    started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started_at))
    took = format_duration(run.elapsed_s) if run.ended_at else ""
    return [str(run.id), title_run(run, corpora), run.state, started, took]


def _summary(run: "RunRow") -> str:
    """Return how a run ended: its error's sentence, or its params."""
    if run.error:
        try:
            return msgspec.json.decode(run.error, type=ErrorInfo).message
        except msgspec.MsgspecError:
            return run.error
    return run.params
