"""Table of past runs with resume, delete and copy."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.params.flags import command_text
from app.results.jobs import UNFINISHED
from app.results.run_names import NO_NAMES, describe_objects
from app.views.client.runs import can_resume, read_params
from app.views.client.state import AppState
from app.views.shell.job_results import title_job
from app.views.shell.notifications import CHECKS, EVALUATIONS, NAMED_TRAININGS
from app.views.widgets.boxes import Stretch, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import copy_text, fit_dialog, lay_out_dialog
from app.views.widgets.kept_rows import RowKeeper
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import describe_device, format_duration
from app.views.widgets.record_rows import RECORD_KEY, flatten, read_json, setting_rows
from app.views.widgets.record_tree import RecordRow, RecordTree
from app.views.widgets.theme import GRID, scaled

if TYPE_CHECKING:
    from app.engine.store.runs import RunRow

_tr = partial(QCoreApplication.translate, "RunPanel")

# The view that shows the result of a run, by task.
RESULT_VIEWS = {
    **dict.fromkeys(NAMED_TRAININGS, "training"),
    **dict.fromkeys(EVALUATIONS, "evaluate"),
    **dict.fromkeys(CHECKS, "quality"),
}


class RunPanel(QWidget):
    """Table of the newest runs, updated when it is shown and when a run changes."""

    result_requested = Signal(str, int)  # name of the view; id of the run

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._rows: list[RunRow] = []
        self._table = self._make_table()
        self._keeper = RowKeeper(self._table, lambda index: index.data())
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
        """Update the runs from the project."""
        if self._state.project is None:
            return
        from app.engine.store.runs import list_runs

        current = self._current
        self._rows = list_runs(self._state.project.store)
        with self._keeper.keep():
            self._fill_table(current)
        if self._current is None and not self._table.underMouse():
            self._keeper.show_top()
        self._on_selection_changed()

    def _fill_table(self, current: "RunRow | None") -> None:
        names = self._names
        self._table.setRowCount(len(self._rows))
        for i, run in enumerate(self._rows):
            for column, text in enumerate(_cells(run, names)):
                item = QTableWidgetItem(text)
                if column == 0:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                item.setToolTip(f"{text}\n{_summary(run)}")
                self._table.setItem(i, column, item)
            if current is not None and run.id == current.id:
                self._table.selectRow(i)

    @property
    def _names(self) -> dict[str, str]:
        """Names of corpora by id, and of other objects by kind and id."""
        # The store imports sqlalchemy, which the first window does without.
        from app.views.widgets.reference_fields import name_objects

        corpora = {str(corpus.id): corpus.name for corpus in self._state.corpora}
        return corpora | name_objects(self._state)

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
            name = title_run(run, self._names)
            delete_run(self._state, self._messages, run, name)

    def _on_result(self) -> None:
        run = self._current
        if run is not None:
            self.result_requested.emit(RESULT_VIEWS[run.task], run.id)

    def _on_details(self) -> None:
        run = self._current
        if run is not None:
            words = self.tr("Run {id}, {task}: {state}.")
            names = self._names
            title = title_run(run, names)
            sentence = words.format(id=run.id, task=title, state=run.state)
            groups = run_groups(run, names)
            RunDetailsDialog(sentence, groups, self._on_copy, self.window()).open()

    def _on_copy(self) -> None:
        if self._current is None or self._state.project is None:
            return
        params = read_params(self._current.params)
        if params is None:
            message = self.tr(
                "Another version of Isogloss made this run, so its command is not "
                "known. Press Details to see its settings."
            )
            self._state.error_posted.emit(ErrorInfo("user", message))
            return
        copy_text(command_text(params, self._state.project.folder))
        self._state.notice_posted.emit(self.tr("The command is copied."))

    def showEvent(self, event: QShowEvent) -> None:
        """Update the runs when the panel is shown."""
        self.refresh()
        super().showEvent(event)


def run_groups(
    run: "RunRow", corpora: Mapping[str, str] = NO_NAMES
) -> list[tuple[str, list[RecordRow]]]:
    """Return all facts about a run that the project stores, in groups of rows.

    Args:
        corpora: names of corpora by id, and of other objects by kind and id.
    """
    params, result = read_params(run.params), read_json(run.result)
    result.pop(UNFINISHED, None)
    record = result.pop(RECORD_KEY, {})
    known = [RecordRow(_tr("State"), (_summary(run),))]
    known += [RecordRow(_tr("Started"), (_format_time(run.started_at),))]
    if run.ended_at:
        known.append(RecordRow(_tr("Took"), (format_duration(run.elapsed_s),)))
    if run.device:
        known.append(RecordRow(_tr("Device"), (describe_device(run.device),)))
    if params is not None:
        settings = setting_rows(params, corpora)
    else:  # recorded by another version
        settings = flatten(read_json(run.params))
    return [
        (_tr("Run"), known),
        (_tr("Settings"), settings),
        (_tr("Result"), flatten(result)),
        (_tr("SHA-256 of the data"), flatten(record.get("hashes", {}))),
        (_tr("Versions"), flatten(read_json(run.versions))),
    ]


def title_run(run: "RunRow", corpora: Mapping[str, str]) -> str:
    """Return the job and the data of a run: Import: notes.fr.txt."""
    params = read_params(run.params)
    objects = describe_objects(params, corpora) if params is not None else ""
    return ": ".join(filter(None, (title_job(run.task), objects)))


def _cells(run: "RunRow", corpora: Mapping[str, str]) -> list[str]:
    started = _format_time(run.started_at)
    took = format_duration(run.elapsed_s) if run.ended_at else ""
    return [str(run.id), title_run(run, corpora), run.state, started, took]


def _format_time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _summary(run: "RunRow") -> str:
    """Return how a run ended, with its error message."""
    if not run.error:
        return run.state
    try:
        message = msgspec.json.decode(run.error, type=ErrorInfo).message
    except msgspec.MsgspecError:
        message = run.error
    return f"{run.state}: {message}"


class RunDetailsDialog(QDialog):
    """Dialog with the settings and the result of a run.

    Attributes:
        record: tree of settings and results.
    """

    def __init__(
        self,
        sentence: str,
        groups: Sequence[tuple[str, Sequence[RecordRow]]],
        copy_command: Callable[[], object],
        parent: QWidget,
    ):
        """Show a sentence above groups of rows; `copy_command` copies the command."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Details of a run"))
        self.record = RecordTree(
            self.tr("Details"), [self.tr("Property"), self.tr("Value")]
        )
        self.record.show_groups(groups)
        copy = make_button(
            self.tr("Copy table"),
            self.tr("Copy this table, for a spreadsheet."),
            lambda: copy_text("\n".join(map("\t".join, self.record.texts()))),
            kind="quiet",
        )
        command = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command for this run, to use in a terminal."),
            copy_command,
            kind="quiet",
        )
        close = make_button(
            self.tr("Close"), self.tr("Close this window."), self.accept
        )
        close.setDefault(True)
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(sentence, wraps=True))
        layout.addWidget(self.record, 1)
        layout.addLayout(make_row(copy, command, Stretch(), close))
        fit_dialog(self, 90 * GRID, 70 * GRID)
        self.record.setFocus()
