"""The pairs of a set: scores, find and filter, the table, the chosen pair whole."""

from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.pair_counts import count_verdicts
from app.engine.store.pair_rows import MiningRow, first_pair_id, mining_of
from app.errors import ErrorInfo
from app.pair_questions import QueueQuery
from app.views.mining_words import name_languages
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder, ReversedOrder
from app.views.widgets.pair_card import PairCard
from app.views.widgets.pair_filters import PairFilters
from app.views.widgets.pair_model import SOURCE, PairSort
from app.views.widgets.pair_table import PairTable
from app.views.widgets.scrolled import make_scrolled
from app.views.widgets.splits import make_split
from app.views.widgets.threshold_panel import ThresholdPanel
from app.views.words import format_count

FIND_AFTER_MS = 200  # without another key
READ_AGAIN_MS = 150  # after a judgement
CARD_HEIGHT = 17 * GRID
LEAST = 30  # of table and card, in steps of the grid; lower, the page scrolls
DENSE = ("mined", "scored")  # whose ids count from the best pair on


class PairsPage(QWidget):
    """Pairs of one set.

    Attributes:
        counts: pairs by the verdict that holds; empty: none; None: not known yet.
    """

    shown = Signal()  # the wanted pairs are in the table
    counts_changed = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.row: MiningRow | None = None
        self.counts: dict[str, int] | None = None
        self._restored: dict[str, Any] = {}
        self._is_stale = False
        self.threshold = ThresholdPanel(state)
        self.table = PairTable()
        self.card = PairCard(state)
        self.filters = PairFilters()
        self._again = QTimer(self, singleShot=True, interval=READ_AGAIN_MS)
        self._again.timeout.connect(self._read_again)
        self._lay_out()
        self._connect()

    # --- what is shown ---

    def show_mining(self, row: MiningRow) -> None:
        """Show the pairs of a set, or the same as it is now."""
        is_other = self.row is None or self.row.id != row.id
        self.row = row
        self.threshold.show_mining(row)
        self.filters.candidates.setVisible(row.n_candidates > 0)
        project = self._state.project
        corpora = project.corpora if project is not None else []
        self.table.pairs.set_first_candidate(first_pair_id(row.id) + row.n_pairs)
        self.table.pairs.set_titles(*name_languages(row, corpora))
        if is_other:
            self.filters.forget(worst_first=row.kind == "scored")
            self.counts = None
            self.card.show_pair(None, "")
        self._count_verdicts()
        self.refresh()

    def refresh(self) -> None:
        """Show what is wanted: at once in the order of the scores, else when made."""
        row = self.row
        if row is None:
            return
        if self._is_plain:
            n = self.threshold.n_above
            order: IdOrder = RangeOrder([(first_pair_id(row.id), n)])
            if not self.filters.sort.is_descending:
                order = ReversedOrder(order)
            self._show(order, "")
            return
        query = QueueQuery(
            mining=row.id,
            order="source" if self.filters.sort.column == SOURCE else "score",
            descending=self.filters.sort.is_descending,
            which=self.filters.wanted,
            lowest=self.threshold.threshold,
            find=self.filters.words,
            with_candidates=self.filters.with_candidates,
            asker="mining",
        )
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    @property
    def _is_plain(self) -> bool:
        """Tell whether the pairs stand in the order of their ids."""
        is_dense = self.row is not None and self.row.kind in DENSE
        return is_dense and self.filters.are_plain

    def _on_answer(self, query: QueueQuery, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if project is None or self.row is None or self.row.id != query.mining:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.filters.say(answer.message)
            return
        counts = answer.get("n_by_verdict", {})
        self._take_counts({str(k): int(n) for k, n in counts.items()})
        ids: IdOrder = RangeOrder()
        if answer["n"]:
            ids = ArrayOrder(map_array(project.folder / str(answer["file"])))
        self._show(ids, query.find)

    def _show(self, order: IdOrder, find: str) -> None:
        project = self._state.project
        self.table.show_ids(project.store if project else None, order, find=find)
        self.table.pairs.show_sort(self.filters.sort)
        total = self.row.n_pairs if self.row is not None else 0
        if self.filters.with_candidates and self.row is not None:
            total += self.row.n_candidates
        words = self.tr("{total} pairs")
        if len(order) != total:
            words = self.tr("{n} of {total} pairs")
        n, of = format_count(len(order)), format_count(total)
        self.filters.say(words.format(n=n, total=of))
        self._restore_place()
        self._show_card()
        self.shown.emit()

    # --- verdicts ---

    def _count_verdicts(self) -> None:
        """Count the verdicts at once where they are few, else by the engine."""
        project, row = self._state.project, self.row
        if project is None or row is None:
            return
        counts = count_verdicts(project.store, row.id)
        if counts is not None:
            self._take_counts(counts)
        elif self._is_plain:  # any other order tells them anyway
            query = QueueQuery(mining=row.id, asker="mining-counts")
            self._state.ask(query, lambda answer: self._on_counts(query, answer))

    def _on_counts(self, query: QueueQuery, answer: dict[str, Any] | ErrorInfo) -> None:
        is_here = self.row is not None and self.row.id == query.mining
        if is_here and not isinstance(answer, ErrorInfo):
            counts = answer.get("n_by_verdict", {})
            self._take_counts({str(k): int(n) for k, n in counts.items()})

    def _take_counts(self, counts: dict[str, int]) -> None:
        self.counts = {name: n for name, n in counts.items() if name and n}
        self.filters.show_counts(self.counts)
        self.counts_changed.emit()

    # --- what happens ---

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        """Read judged pairs again, when there is a pause and they are on screen."""
        if self.row is None:
            return
        is_own = kind == "pair" and mining_of(int(str(row_id))) == self.row.id
        if is_own or (kind == "judgements" and row_id == self.row.id):
            self._is_stale = True
            if self.isVisible():
                self._again.start()

    def _read_again(self) -> None:
        self._is_stale = False
        self._count_verdicts()
        if self.filters.wanted == "all":
            self.table.pairs.forget_rows()
            self._show_card()
        else:
            self.refresh()

    def _on_pair_selected(self, _pair_id: object) -> None:
        self._show_card()
        found = self.table.current_pair
        if found is not None and found.source.sentences:
            self._state.select_sentence(found.source.sentences[0].id)

    def _show_card(self) -> None:
        margin = self.row.margin if self.row is not None else ""
        self.card.show_pair(self.table.current_pair, margin)

    def _on_sort_changed(self, sort: PairSort) -> None:
        self.filters.sort = sort
        self.refresh()

    def focus_table(self) -> None:
        """Put the keyboard on the table."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with judgements made while the page was not on the screen."""
        super().showEvent(event)
        if self._is_stale:
            self._read_again()

    # --- making ---

    def _lay_out(self) -> None:
        self._split = make_split(
            self.table,
            self.card,
            sizes=(60 * GRID, CARD_HEIGHT),
            growing=0,
            is_vertical=True,
            gap=GRID,
        )
        self._split.setMinimumHeight(scaled(LEAST * GRID))
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, GRID, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.threshold)
        layout.addWidget(self.filters)
        layout.addWidget(self._split, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(make_scrolled(page))

    def _connect(self) -> None:
        self.filters.changed.connect(self.refresh)
        self.filters.entered.connect(self.focus_table)
        self.threshold.threshold_chosen.connect(self.refresh)
        self.table.sort_changed.connect(self._on_sort_changed)
        self.table.pair_selected.connect(self._on_pair_selected)
        self.card.sentence_chosen.connect(self._state.select_sentence)
        self._state.row_changed.connect(self._on_row_changed)

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Give threshold, filters, order and place."""
        return {
            "threshold": self.threshold.threshold,
            **self.filters.save_state(),
            "current": self.table.current_id,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Bring back what `save_state` gave for the set that is shown."""
        self.filters.restore_state(state)
        if isinstance(state.get("threshold"), float):
            self.threshold.set_threshold(state["threshold"])
        self._restored = state
        self.refresh()

    def _restore_place(self) -> None:
        place, self._restored = self._restored, {}
        if isinstance(place.get("current"), int):
            self.table.select_pair(place["current"])
