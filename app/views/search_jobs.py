"""What is done with hits of a search: cited, written, put on a map; past queries."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMenu

from app.engine.store import rows
from app.params import Encode
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.hits import cite, tabulate
from app.views.widgets.query_field import shorten
from app.views.widgets.question import read_question
from app.views.widgets.tsv import export_table

if TYPE_CHECKING:
    from app.views.search_view import SearchView

N_HISTORY = 30  # past queries in the menu


class SearchJobs(QObject):
    """Does what the actions of the search say."""

    def __init__(self, view: "SearchView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def cite(self) -> None:
        """Copy the selected hit with its source."""
        hit, project = self._view.board.selected, self._state.project
        if hit is not None and project is not None:
            copy_text(cite(project, [hit.sentence]))
            self._state.notice_posted.emit(self.tr("Copied the hit with its source."))

    def ask_export(self) -> None:
        """Ask where to write the hits."""
        ask_path(
            self._view,
            self.tr("Export hits"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "hits.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def export_to(self, file: Path) -> None:
        """Write the hits as a TSV."""
        export_table(self._state, file, iter(tabulate(self._view.board.hits)))

    def map_hits(self) -> None:
        """Show the hits, and the sentence that was asked for, on a map."""
        ids = [hit.sentence.id for hit in self._view.board.hits]
        if self._view.question.sentence is not None:
            ids.append(self._view.question.sentence)
        if ids:
            self._state.map_wanted.emit(ids)

    def encode_missing(self) -> None:
        """Make the vectors of the corpora that have none."""
        results = self._view.results
        if results.not_encoded:
            self._state.run(Encode(corpora=tuple(map(str, results.not_encoded))))
            results.messages.clear()

    def fill_history(self, menu: QMenu) -> None:
        """Put past queries into a menu, each once."""
        project = self._state.project
        if project is None:
            return
        seen: set[tuple[str, bool]] = set()
        for _, text, filters in rows.list_searches(project.store, limit=N_HISTORY):
            values = json.loads(filters)
            if "concordance" in values:  # that view's own queries
                continue
            question = read_question({**values, "text": text})
            if (text, question.words) in seen:
                continue
            seen.add((text, question.words))
            action = menu.addAction(shorten(text))
            action.setToolTip(text)
            action.triggered.connect(lambda _=False, q=question: self._view.ask(q))
