"""How many sentences of the shown corpora take no part, and the way back for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.engine.store.hidden_rows import HiddenCount, hidden_ids
from app.engine.store.rows import CorpusRow
from app.engine.store.subcorpus_rows import SubcorpusRow, subcorpus_ids
from app.views.project_reader import ProjectReader
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

STATES = ("hidden", "removed")


class HiddenBar(QWidget):
    """A switch to the hidden sentences, the removed ones counted, and *Bring back*.

    Attributes:
        switch: shows the hidden sentences instead of the others.
        back: its menu brings back the hidden or the removed ones, all of them.
    """

    back_wanted = Signal(object)  # ids of sentences: int64 (n,)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._project: ProjectReader | None = None
        self._corpora: list[CorpusRow] = []
        hint = self.tr("Show the hidden sentences; press again for the others.")
        self.switch = make_button(self.tr("Hidden"), hint, kind="quiet")
        self.switch.setCheckable(True)
        describe(self.switch, self.tr("Hidden sentences"), hint)
        self._removed = make_label("", "secondary")
        self.back = make_button(
            self.tr("Bring back"),
            self.tr("Let sentences take part again; this can be undone."),
            kind="quiet",
        )
        menu = QMenu(self.back)
        self._back_hidden = menu.addAction("", lambda: self._ask_back("hidden"))
        self._back_removed = menu.addAction("", lambda: self._ask_back("removed"))
        self.back.setMenu(menu)
        row = WrappingRow()
        self.setLayout(row)
        for widget in (self.switch, self._removed, self.back):
            row.addWidget(widget)
            widget.hide()
        self.hide()

    @property
    def n_left_out(self) -> int:
        """Sentences of these corpora, or of the whole ones, that take no part."""
        counts = self._project.hidden if self._project is not None else {}
        return sum(sum(counts.get(row.id, ())) for row in self._corpora)

    def show_counts(
        self, project: ProjectReader | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Show how many are hidden and removed; without any there is nothing to see."""
        self._project, self._corpora = project, list(corpora)
        n_hidden, n_removed = self._count()
        if not n_hidden and self.switch.isChecked():
            self.switch.blockSignals(True)
            self.switch.setChecked(False)
            self.switch.blockSignals(False)
        words = self.tr("1 hidden") if n_hidden == 1 else self.tr("{n} hidden")
        if self.switch.isChecked():
            words = self.tr("Show the others")
        self.switch.setText(words.format(n=format_count(n_hidden)))
        self.switch.setAccessibleName(self.switch.text())
        self.switch.setVisible(n_hidden > 0)
        words = self.tr("{n} removed").format(n=format_count(n_removed))
        self._removed.setText(words)
        self._removed.setVisible(n_removed > 0)
        for action, n, words in (
            (self._back_hidden, n_hidden, self.tr("The {n} hidden")),
            (self._back_removed, n_removed, self.tr("The {n} removed")),
        ):
            action.setText(words.format(n=format_count(n)))
            action.setVisible(n > 0)
        can_write = project is not None and not project.is_read_only
        self.setVisible(n_hidden + n_removed > 0)
        self.back.setVisible(can_write and n_hidden + n_removed > 0)

    def _ask_back(self, state: str) -> None:
        ids = self._ids(state, self._corpora)
        if len(ids):
            self.back_wanted.emit(ids)

    def _count(self) -> HiddenCount:
        """Count what is left out of the shown corpora: ids are read of parts only."""
        n = HiddenCount(0, 0)
        counts = self._project.hidden if self._project is not None else {}
        for row in self._corpora:
            one = counts.get(row.id, HiddenCount(0, 0))
            if any(one) and part_of(self._project, row) is not None:
                one = HiddenCount(*(len(self._ids(state, [row])) for state in STATES))
            n = HiddenCount(n.n_hidden + one.n_hidden, n.n_removed + one.n_removed)
        return n

    def _ids(self, state: str, corpora: Sequence[CorpusRow]) -> NDArray[np.int64]:
        """Name the sentences of corpora that are hidden, or removed."""
        found, project = [np.empty(0, np.int64)], self._project
        if project is None:
            return found[0]
        for row in corpora:
            ids = hidden_ids(project.store, row.id, state=state)
            part = part_of(project, row)
            if part is not None:
                chosen = subcorpus_ids(project.folder, part)
                ids = np.intersect1d(ids, chosen, assume_unique=True)
            found.append(ids)
        return np.concatenate(found)


def part_of(project: ProjectReader | None, corpus: CorpusRow) -> SubcorpusRow | None:
    """Give the sub-corpus of which a row is the part in one corpus; None: the whole."""
    parts = project.subcorpora if project is not None else []
    return next((row for row in parts if row.id == corpus.subcorpus), None)
