"""Actions on all lines of a concordance: export, save, saved lists, command."""

from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.params.flags import command_text
from app.params.words import Concordance, MoveHits
from app.results.moved_hits import MoveHitsResult
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.concordance.dialogs import ConcordanceExportDialog, HitListDialog
from app.views.concordance.model import KwicModel
from app.views.concordance.neighbours import LineNeighbours
from app.views.concordance.session import LoadedConcordance, QuerySession
from app.views.concordance.text import describe_move
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import ChosenIds, language_choices, names_of_ids
from app.views.widgets.dialogs import ReportDialog, ask_name, copy_text, export_folder

MAX_LINES = 10_000_000  # maximum of a task
UNSAFE_CHARACTERS = '<>:"/\\|?*'  # in file names


class ResultActions(QObject):
    """Makes and performs the actions on the complete result.

    Attributes:
        actions: by name.
    """

    list_opened = Signal(object)  # HitListRow

    def __init__(
        self,
        state: AppState,
        session: QuerySession,
        neighbours: LineNeighbours,
        lines: KwicModel,
        view: QWidget,
    ):
        """Add the actions to the view."""
        super().__init__(view)
        self._state, self._session, self._view = state, session, view
        self._neighbours, self._lines = neighbours, lines
        self._move_run: RunState | None = None
        self.actions = self._make_actions()
        state.run_finished.connect(self._on_run_finished)

    def refresh(self, *, has_lines: bool) -> None:
        """Enable the available actions."""
        project = self._state.project
        self.actions["export"].setEnabled(has_lines)
        self.actions["command"].setEnabled(has_lines)
        is_writable = self._state.can_write
        self.actions["save"].setEnabled(has_lines and is_writable)
        self.actions["lists"].setEnabled(project is not None)

    def params(self, shown: LoadedConcordance) -> Concordance:
        """Return the params of the task that lists the displayed lines."""
        if shown.saved_list is not None:
            return Concordance(hits=str(shown.saved_list.id))
        settings = shown.settings
        ids = ChosenIds(settings.corpora, settings.subcorpora)
        return settings.to_params(names_of_ids(self._state.project, ids))

    def export(self) -> None:
        """Ask how and where to export the lines."""
        project, shown = self._state.project, self._session.shown
        if project is None or shown is None:
            return
        values = msgspec.structs.replace(
            self.params(shown),
            top=max(shown.n, 1),
            near=self._neighbours.languages,
            out=export_folder(self._state) / f"{_file_name(shown.title)}.tsv",
        )
        languages = language_choices(project.corpora)
        dialog = ConcordanceExportDialog(
            self._state, values, languages, shown.title, self._lines, self._view
        )
        dialog.open()

    def save(self) -> None:
        """Ask for a name and save the hits."""
        shown = self._session.shown
        if shown is not None:
            ask_name(
                self._state,
                self._view,
                self.tr("Name of the hit list"),
                shown.title,
                self.save_as,
                words=self.tr("Save hits"),
            )

    def save_as(self, name: str) -> None:
        """Save all hits as a named list."""
        if (shown := self._session.shown) is not None:
            changes = {"save": name, "top": MAX_LINES}
            self._state.run(msgspec.structs.replace(self.params(shown), **changes))

    def copy_command(self) -> None:
        """Copy the command that lists these lines in a terminal."""
        project, shown = self._state.project, self._session.shown
        if project is not None and shown is not None:
            copy_text(command_text(self.params(shown), project.folder))
            self._state.notice_posted.emit(self.tr("Copied the command."))

    def show_lists(self) -> None:
        """Show the saved lists."""
        dialog = HitListDialog(self._state, self._view)
        dialog.list_opened.connect(self.list_opened)
        dialog.move_requested.connect(self.move_hits)
        dialog.open()

    def move_hits(self, params: MoveHits) -> None:
        """Move the hits of a saved list to another corpus, and show a report."""
        self._move_run = self._state.run(params)

    def _on_run_finished(self, run: RunState, result: object) -> None:
        if run is self._move_run:
            self._move_run = None
            moved = msgspec.convert(result, MoveHitsResult)
            report = describe_move(moved)
            ReportDialog(moved.message, report, self._view, is_open=True).open()

    def _make_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._view), self.tr
        return {
            "export": add(
                tr("Export lines…"),
                tr("Export the lines as a table (TSV, XLSX) or text (DOCX)."),
                self.export,
                "Ctrl+E",
            ),
            "save": add(
                tr("Save hits…"),
                tr("Save all hits in the project under a name."),
                self.save,
                "Ctrl+S",
            ),
            "lists": add(
                tr("Saved hit lists…"),
                tr("Open, rename, move or delete saved hit lists."),
                self.show_lists,
                "Ctrl+Shift+S",
            ),
            "command": add(
                tr("Copy as command"),
                tr("Copy the command that lists these lines in a terminal."),
                self.copy_command,
            ),
        }


def _file_name(text: str) -> str:
    """Return a file name for a query."""
    safe = "".join(
        "-" if c in UNSAFE_CHARACTERS or c.isspace() else c for c in text.strip()
    )
    return safe.strip("-.")[:40] or "concordance"
