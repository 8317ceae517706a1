"""Dialogs that export a package of pairs, and return its judgements."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.pairs.judgements import read_changed_sides
from app.engine.store.pairs.packages import find_source_package
from app.engine.store.pairs.sets import (
    PairSetRow,
    read_current_judgements,
    read_pairs,
)
from app.engine.store.pairs.texts import read_pair_texts
from app.errors import ErrorInfo
from app.params.pairs import ExportPackage, MergePackage, ReturnPackage
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import N_PREVIEWED
from app.views.widgets.file_task_dialog import FileTaskDialog
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.package_files import read_returned
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.task_dialog import TaskDialog

PACKAGE_ENDING = ".pairs.gz"
COUNT_AFTER_MS = 150  # since the last change
QUEUE_FIELDS = ("order", "which", "seed")


class PackageDialog(FileTaskDialog):
    """Asks which pairs to send to another annotator, with a preview."""

    counted = Signal()  # the preview is up to date

    def __init__(self, state: AppState, mining: PairSetRow, parent: QWidget):
        """Initialise for a pair set."""
        self._mining = mining
        values = ExportPackage(
            pairs=str(mining.id),
            out=suggest_path(state, f"{mining.name}-to-judge", PACKAGE_ENDING),
        )
        formats = {PACKAGE_ENDING: self.tr("Package")}
        super().__init__(state, values, formats, skip=("pairs",), parent=parent)
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.form.changed.connect(self._timer.start)
        self._timer.start()

    def _query(self) -> QueueQuery:
        raw = self.form.raw()
        chosen = {name: raw[name] for name in QUEUE_FIELDS if name in raw}
        return QueueQuery(mining=self._mining.id, requester="package", **chosen)

    def _ask(self) -> None:
        query = self._query()
        self._state.ask(query, partial(self._on_answer, query))

    def _on_answer(self, query: QueueQuery, answer: QueueAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.preview.clear(answer.message)
            return
        if query != self._query():
            return
        ids = self._ids(answer)
        n = min(len(ids), int(self.form.raw().get("n", 0)))
        pairs = pluralize(n, self.tr("1 pair"), self.tr("{n} pairs"))
        words = self.tr("{pairs} of {total}, with their context.")
        text = words.format(pairs=pairs, total=format_count(len(ids)))
        edited = self._count_edited(ids[:n])
        if edited:
            one = self.tr("1 has a changed text.")
            many = self.tr("{n} have changed texts.")
            text = f"{text} {pluralize(edited, one, many)}"
        header = (self.tr("Source"), self.tr("Target"))
        self.preview.show_rows(header, self._texts(ids[:n]), text)
        self.counted.emit()

    def _ids(self, answer: QueueAnswer) -> list[int]:
        """Return the ids of the pairs with sentences on both sides."""
        project = self._state.project
        if project is None or not answer.n:
            return []
        ids: list[int] = map_array(project.folder / answer.file).tolist()
        if self._mining.kind != "aligned":
            return ids
        pairs = read_pairs(project.store, ids)
        return [row.id for row in pairs if row and min(row.n_source, row.n_target)]

    def _count_edited(self, ids: Sequence[int]) -> int:
        """Count the pairs with an edited text, or with a swapped-in runner-up."""
        project = self._state.project
        if project is None:
            return 0
        changed = read_changed_sides(project.store, self._mining.id)
        return len({row.pair_id for row in changed} & {*ids})

    def _texts(self, ids: Sequence[int]) -> list[list[str]]:
        """Return the current texts of the first pairs."""
        project = self._state.project
        if project is None:
            return []
        found = read_pair_texts(project.store, ids[:N_PREVIEWED])
        return [[row.source.text, row.target.text] for row in found if row is not None]


class MergeDialog(TaskDialog):
    """Asks for a file of returned judgements, and shows annotator and count."""

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(state, MergePackage, parent=parent)
        self.form.changed.connect(self._show_returned)

    def _show_returned(self) -> None:
        file = self.form.raw().get("package")
        who, n = read_returned(Path(file)) if file else ("", 0)
        annotator = self.form.field("annotator").widget
        if isinstance(annotator, QLineEdit):
            annotator.setPlaceholderText(who)
        one, many = (
            self.tr("1 judgement of {who}."),
            self.tr("{n} judgements of {who}."),
        )
        count = one if n == 1 else many
        words = count.format(n=format_count(n), who=who)
        self.show_needs(words if n else "")


class ReturnDialog(FileTaskDialog):
    """Asks where to write the judgements of a package, and shows their count."""

    def __init__(
        self, state: AppState, mining: PairSetRow, annotator: str, parent: QWidget
    ):
        """Initialise for the pair set of a package, with a proposed annotator."""
        values = ReturnPackage(
            pairs=str(mining.id),
            out=suggest_path(state, f"{mining.name}-judged", PACKAGE_ENDING),
            annotator=annotator,
        )
        formats = {PACKAGE_ENDING: self.tr("Judgements")}
        super().__init__(state, values, formats, skip=("pairs",), parent=parent)
        self._show_counts(mining)

    def heading(self) -> str:
        """Return the heading."""
        return self.tr("Return judgements")

    def _show_counts(self, mining: PairSetRow) -> None:
        project = self._state.project
        if project is None:
            return
        with project.store.connect() as connection:
            package = find_source_package(connection, mining.id)
        ids = package.pair_ids.tolist() if package is not None else []
        current = read_current_judgements(project.store, ids)
        verdicts = [row.verdict for row in current.values() if row.verdict]
        words = self.tr("{n} of {total} pairs are judged.")
        text = words.format(n=format_count(len(verdicts)), total=format_count(len(ids)))
        kinds = sorted(set(verdicts))
        rows = [
            [verdict_name(kind), format_count(verdicts.count(kind))] for kind in kinds
        ]
        self.preview.show_rows((self.tr("Verdict"), self.tr("Pairs")), rows, text)
