"""The sentences beside a map: what is selected on it, or typical of a cluster."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.views.map_comparison import Moves
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.page_model import LABEL, LANGUAGE, LINE, SENTENCE, Column
from app.views.widgets.sentence_table import SentenceTable

COLUMNS = (LINE, SENTENCE, LANGUAGE, LABEL)


class MapSentences(QWidget):
    """A table with what can be done with it.

    Attributes:
        table: the sentences.
        moves: what moved, where that is what is shown.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty table; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.moves: Moves | None = None
        self.table = SentenceTable()
        self.table.horizontalHeader().setSectionsClickable(False)
        self._heading = ElidedLabel("section")
        self._shares: dict[int, float] = {}
        number = {"is_number": True, "is_sortable": False}
        self._kept = Column("kept", title=self.tr("Kept"), **number)
        self.table.page_model.readers["kept"] = self._read_kept
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["search"], self.tr("Find nearest")),
                (actions["zoom_to"], self.tr("Zoom to them")),
                (actions["copy_sentences"], self.tr("Copy")),
                (actions["export_sentences"], self.tr("Export…")),
                (actions["clear"], self.tr("Clear")),
            ]
        )
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(self._heading, 1)
        head.addWidget(tools, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        self._facts = ElidedLabel("secondary")
        self._facts.hide()
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self.table, 1)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.sentence_selected.connect(state.select_sentence)
        self.table.sentence_opened.connect(state.search_wanted)
        state.labels.labelled.connect(self.table.page_model.forget_rows)

    @property
    def heading(self) -> str:
        """What is said of the sentences."""
        return self._heading.text()

    @property
    def facts(self) -> str:
        """What is said of their languages and words."""
        return self._facts.text()

    def tell(self, facts: str) -> None:
        """Say what marks the sentences."""
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))

    def show_sentences(
        self,
        heading: str,
        ids: NDArray[np.int64],
        moves: Moves | None = None,
    ) -> None:
        """Show sentences, in this order.

        Args:
            heading: what they are.
            ids: of the sentences.
            moves: what a column tells: which share of their neighbours was kept.
        """
        project = self._state.project
        self._heading.setText(heading)
        self.moves = moves
        self.tell("" if moves is None else moves.describe())
        store = project.store if project is not None else None
        columns = COLUMNS
        if moves is not None:
            columns = (self._kept, *COLUMNS[1:])
            self._shares = dict(
                zip(moves.ids.tolist(), moves.kept.tolist(), strict=True)
            )
        self.table.show_ids(store, ArrayOrder(ids), columns=columns)

    def _read_kept(self, ids: list[int]) -> dict[int, str]:
        return {
            id_: f"{100 * self._shares[id_]:.0f} %"
            for id_ in ids
            if id_ in self._shares
        }
