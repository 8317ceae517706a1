"""Pairs of a pair set: threshold, filters, table and the selected pair."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.pairs.sets import (
    PairSetRow,
    count_verdicts,
    first_pair_id,
    pair_set_of,
)
from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState
from app.views.mining.pair_card import PairCard
from app.views.mining.pair_table import SCORE, SOURCE, PairSort, PairTable
from app.views.mining.threshold import ThresholdPanel
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder, ReversedOrder
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.pair_set_text import VERDICTS, name_languages, verdict_name
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "PairFilters")

FIND_DELAY_MS = 200  # after the last key press


class PairFilters(QWidget):
    """The row of controls above the table.

    Attributes:
        sort: the selected order.
    """

    changed = Signal()
    entered = Signal()  # Enter in the search field moves to the table

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.sort = PairSort()
        self.find_field = QLineEdit()
        self.which = QComboBox()
        self.candidates = QCheckBox(self.tr("Show candidates"))
        self.details = QCheckBox(self.tr("Details"))
        self._count = make_label("", "secondary")
        self._widest = ""  # widest text of the count
        self._timer = QTimer(self, singleShot=True, interval=FIND_DELAY_MS)
        self._timer.timeout.connect(self.changed)
        self._lay_out()
        self.find_field.textChanged.connect(lambda: self._timer.start())
        self.find_field.returnPressed.connect(self._on_entered)
        self.which.currentIndexChanged.connect(lambda: self.changed.emit())
        self.candidates.toggled.connect(self._on_candidates_toggled)

    @property
    def search_text(self) -> str:
        """The text to find; empty for all pairs."""
        return self.find_field.text().strip()

    @property
    def verdict(self) -> JudgementFilter:
        """The verdict filter."""
        return cast("JudgementFilter", self.which.currentData())

    @property
    def with_candidates(self) -> bool:
        """Return whether candidates that were not selected are also shown."""
        return self.candidates.isChecked() and not self.candidates.isHidden()

    @property
    def is_default(self) -> bool:
        """Return whether all pairs are shown, sorted by score."""
        is_all = (
            self.verdict == "all" and not self.search_text and not self.with_candidates
        )
        return is_all and self.sort.column == SCORE

    @property
    def count(self) -> str:
        """The text with the number of pairs."""
        return self._count.text()

    def show_message(self, text: str) -> None:
        """Show the number of listed pairs, or why there are none."""
        self._count.setText(text)

    def reserve_count(self, widest: str) -> None:
        """Reserve the width of the widest text, so that nothing moves."""
        self._widest = widest
        metrics = self._count.fontMetrics()
        self._count.setMinimumWidth(metrics.horizontalAdvance(widest) + 1)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Show the number of pairs with each verdict."""
        for index in range(self.which.count()):
            name = self.which.itemData(index)
            if name in VERDICTS:
                n = format_count(counts.get(name, 0))
                self.which.setItemText(index, f"{_title(name)} ({n})")

    def reset(self, *, worst_first: bool = False) -> None:
        """Show all pairs, the best or worst score first."""
        self._set({"is_descending": not worst_first})

    def save_state(self) -> dict[str, Any]:
        """Return the filters."""
        return {
            "column": self.sort.column,
            "find": self.find_field.text(),
            "which": self.verdict,
            "candidates": self.candidates.isChecked(),
            "is_descending": self.sort.is_descending,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what `save_state` returned."""
        self._set(state)

    def _set(self, state: dict[str, Any]) -> None:
        """Change all filters without emitting `changed`."""
        column = SOURCE if state.get("column") == SOURCE else SCORE
        self.sort = PairSort(column, bool(state.get("is_descending", True)))
        find, which = str(state.get("find", "")), state.get("which", "all")
        is_checked = bool(state.get("candidates"))
        index = max(self.which.findData(which), 0)
        self.find_field.setText(find)  # with signals, to update the clear button
        self._timer.stop()
        _without_signals(self.which, lambda: self.which.setCurrentIndex(index))
        _without_signals(
            self.candidates, lambda: self.candidates.setChecked(is_checked)
        )

    def _on_candidates_toggled(self, is_on: bool) -> None:
        """Sort by source if candidates are shown, next to the source's best pair."""
        self.sort = PairSort(SOURCE, is_descending=False) if is_on else PairSort()
        self.changed.emit()

    def _on_entered(self) -> None:
        self._timer.stop()
        self.changed.emit()
        self.entered.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Update the reserved width after the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.reserve_count(self._widest)

    def _lay_out(self) -> None:
        self.find_field.setPlaceholderText(self.tr("Find pairs (Ctrl+F)"))
        self.find_field.setClearButtonEnabled(True)
        for name in ("all", "unjudged", "judged", *VERDICTS):
            self.which.addItem(_title(name), name)
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for widget, name, hint in (
            (
                self.find_field,
                self.tr("Find"),
                self.tr("Show only pairs that contain this text, on either side."),
            ),
            (
                self.which,
                self.tr("Verdict"),
                self.tr("Show only pairs with this verdict."),
            ),
            (
                self.candidates,
                self.tr("Show candidates"),
                self.tr("Also show candidates that were not selected."),
            ),
            (
                self.details,
                self.tr("Details"),
                self.tr("Show the full texts of the selected pair and its score."),
            ),
        ):
            describe(widget, name, hint)
        row = WrappingRow()
        row.addWidget(self.find_field)
        row.addWidget(self.which)
        row.addWidget(self.candidates)
        row.addWidget(self.details)
        row.addWidget(self._count)
        self.setLayout(row)


def _without_signals(widget: QWidget, change: Callable[[], object]) -> None:
    was_blocked = widget.blockSignals(True)
    change()
    widget.blockSignals(was_blocked)


def _title(which: str) -> str:
    """Return the label of a verdict filter."""
    names = {
        "all": _tr("All pairs"),
        "unjudged": _tr("Not judged"),
        "judged": _tr("Any verdict"),
    }
    return names.get(which) or verdict_name(which).capitalize()


REFRESH_DELAY_MS = 150  # after a judgement
CARD_HEIGHT = 15 * GRID
MIN_HEIGHT = 24  # of table and card, in grid steps; a lower page scrolls
SORTED_KINDS = (
    "mined",
    "scored",
    "learned",
)  # ids are in order of score


class PairsPage(QWidget):
    """The pairs of a pair set.

    Attributes:
        counts: number of judged pairs by verdict; None while unknown.
    """

    shown = Signal()  # the table shows the requested pairs
    counts_changed = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.row: PairSetRow | None = None
        self._has_selected = False  # whether a pair of the set was selected
        self._has_lost_selection = False
        self.counts: dict[str, int] | None = None
        self._part = self.tr("{n} of {total} pairs")
        self._restored: dict[str, Any] = {}
        self._begins_at_top = False  # the next rows belong to another set
        self._is_stale = False
        self._is_low: bool | None = None  # None: not known yet
        self._page = QWidget()
        make_column(make_scroll_area(self._page, self), parent=self)
        self.threshold = ThresholdPanel(state, self._page)
        self.filters = PairFilters(self._page)
        self._split = make_split(is_vertical=True, gap=GRID, parent=self._page)
        self.table = PairTable(self._split)
        self.card = PairCard(state, self._split)
        self.card.hide()
        offer_sentence_actions(state, self.table)
        self._refresh_timer = QTimer(self, singleShot=True, interval=REFRESH_DELAY_MS)
        self._refresh_timer.timeout.connect(self._read_again)
        self._lay_out()
        self._connect()

    # --- content ---

    def show_mining(self, row: PairSetRow) -> None:
        """Show the pairs of a pair set, or update the current ones."""
        is_other = self.row is None or self.row.id != row.id
        self.row = row
        self.threshold.show_mining(row)
        bins = self.threshold.plot.bins
        self.table.set_score_range(*((bins.low, bins.high) if bins else (0, 1)))
        self.filters.candidates.setVisible(row.n_candidates > 0)
        most = format_count(row.n_pairs + row.n_candidates)
        self.filters.reserve_count(self._part.format(n=most, total=most))
        corpora = self._state.corpora
        first = first_pair_id(row.id) + row.n_pairs if row.n_candidates else None
        self.table.pairs.set_first_candidate(first)
        self.table.pairs.set_titles(*name_languages(row, corpora))
        self.table.pairs.set_margin(row.margin)
        self.table.setColumnHidden(SCORE, not row.margin)  # a package has no scores
        if is_other:
            self._begins_at_top = True
            self._lose_selection()
            self.filters.reset(worst_first=row.kind == "scored")
            self.counts = None
            self.card.show_pair(None, "")
        self._count_verdicts()
        self.refresh()

    def _lose_selection(self) -> None:
        """Record that the selected pair is no longer in the table."""
        self._has_lost_selection |= self._has_selected
        self._has_selected = False
        self._drop_selection()

    def _drop_selection(self) -> None:
        """Clear the selected sentence of a lost pair if the page is visible."""
        if self._has_lost_selection and self.isVisible():
            self._has_lost_selection = False
            self._state.select_sentence(None)

    def refresh(self) -> None:
        """Show the pairs: immediately in score order, or else after sorting."""
        row = self.row
        if row is None:
            return
        if self._is_in_id_order:
            first, end = self.threshold.listed
            start = first_pair_id(row.id) + first
            order: IdOrder = RangeOrder([(start, end - first)])
            if not self.filters.sort.is_descending:
                order = ReversedOrder(order)
            self._show(order, "")
            return
        lowest, highest = self.score_bounds
        query = QueueQuery(
            mining=row.id,
            order="source" if self.filters.sort.column == SOURCE else "score",
            descending=self.filters.sort.is_descending,
            which=self.filters.verdict,
            lowest=lowest,
            highest=highest,
            find=self.filters.search_text,
            with_candidates=self.filters.with_candidates,
            requester="mining",
        )
        self._state.ask(query, partial(self._on_answer, query))

    @property
    def score_bounds(self) -> tuple[float | None, float | None]:
        """The lowest and highest score of the listed pairs; None: no limit."""
        limit = self.threshold.limit
        if limit is None:
            return self.threshold.threshold, None
        return None, math.nextafter(limit, -math.inf)

    @property
    def _is_in_id_order(self) -> bool:
        """Return whether the pairs are in order of id."""
        is_sorted = self.row is not None and self.row.kind in SORTED_KINDS
        return is_sorted and self.filters.is_default

    def _on_answer(self, query: QueueQuery, answer: QueueAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None or self.row is None or self.row.id != query.mining:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.filters.show_message(answer.message)
            return
        self._set_counts(answer.n_by_verdict)
        ids: IdOrder = RangeOrder()
        if answer.n:
            ids = ArrayOrder(map_array(project.folder / answer.file))
        self._show(ids, query.find)

    def _show(self, order: IdOrder, find: str) -> None:
        project = self._state.project
        self.table.show_ids(project.store if project else None, order, find=find)
        self.table.pairs.show_sort(self.filters.sort)
        total = self.row.n_pairs if self.row is not None else 0
        if self.filters.with_candidates and self.row is not None:
            total += self.row.n_candidates
        words = self.tr("1 pair") if total == 1 else self.tr("{total} pairs")
        if len(order) != total:
            words = self._part
        n, of = format_count(len(order)), format_count(total)
        self.filters.show_message(words.format(n=n, total=of))
        if self._begins_at_top:
            self._begins_at_top = False
            self.table.scrollToTop()
        self._restore_current()
        if self.table.current_id is None:
            self._lose_selection()
        self._show_card()
        self.shown.emit()

    # --- verdicts ---

    def _count_verdicts(self) -> None:
        """Count the verdicts immediately if there are few, or else in the engine."""
        project, row = self._state.project, self.row
        if project is None or row is None:
            return
        counts = count_verdicts(project.store, row.id)
        if counts is not None:
            self._set_counts(counts)
        elif self._is_in_id_order:  # queries for other orders include the counts
            query = QueueQuery(mining=row.id, requester="mining-counts")
            self._state.ask(query, partial(self._on_counts, query))

    def _on_counts(self, query: QueueQuery, answer: QueueAnswer | ErrorInfo) -> None:
        is_here = self.row is not None and self.row.id == query.mining
        if is_here and not isinstance(answer, ErrorInfo):
            self._set_counts(answer.n_by_verdict)

    def _set_counts(self, counts: dict[str, int]) -> None:
        self.counts = {name: n for name, n in counts.items() if name and n}
        self.filters.show_counts(self.counts)
        self.counts_changed.emit()

    # --- slots ---

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        """Schedule an update of judged pairs, if they are visible."""
        if self.row is None:
            return
        is_own = kind == "pair" and pair_set_of(int(str(row_id))) == self.row.id
        if is_own or (kind == "judgements" and row_id == self.row.id):
            self._read_soon()

    def _read_soon(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self._refresh_timer.start()

    def _read_again(self) -> None:
        self._is_stale = False
        self._count_verdicts()
        if self.filters.verdict == "all":
            self.table.pairs.refresh_rows()
            self._show_card()
        else:
            self.refresh()

    def _on_pair_selected(self, _pair_id: object) -> None:
        self._show_card()
        found = self.table.current_pair
        if found is not None and found.source.sentences and self.isVisible():
            self._state.select_sentence(found.source.sentences[0].id)
            self._has_selected = True

    def _show_card(self) -> None:
        margin = self.row.margin if self.row is not None else ""
        self.card.show_pair(self.table.current_pair, margin)

    def _on_sort_changed(self, sort: PairSort) -> None:
        self.filters.sort = sort
        self.refresh()

    def set_low(self, is_low: bool) -> None:
        """Maximise the table's height: hide the plot and, initially, the details."""
        if is_low != self._is_low:
            self._is_low = is_low
            self.threshold.plot.setHidden(is_low)
            self.filters.details.setChecked(not is_low)

    def focus_table(self) -> None:
        """Set the focus on the table."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Show judgements made while the page was hidden."""
        super().showEvent(event)
        self._drop_selection()
        if self._is_stale:
            self._read_again()

    # --- layout ---

    def _lay_out(self) -> None:
        self._split.setStretchFactor(0, 1)
        self._split.setSizes([60 * GRID, CARD_HEIGHT])
        self._split.setMinimumHeight(scaled(MIN_HEIGHT * GRID))
        make_column(
            self.threshold,
            self.filters,
            (self._split, 1),
            parent=self._page,
            margins=(0, GRID, 0, 0),
        )

    def _connect(self) -> None:
        self.filters.changed.connect(self.refresh)
        self.filters.entered.connect(self.focus_table)
        self.threshold.threshold_chosen.connect(self.refresh)
        self.table.sort_changed.connect(self._on_sort_changed)
        self.table.pair_selected.connect(self._on_pair_selected)
        self.filters.details.toggled.connect(self.card.setVisible)
        self.card.sentence_chosen.connect(self._state.select_sentence)
        self._state.row_changed.connect(self._on_row_changed)
        self._state.texts_changed.connect(self._read_soon)

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Return filters, order and current pair; the window saves thresholds."""
        return {
            **self.filters.save_state(),
            "current": self.table.current_id,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what `save_state` returned for the current pair set."""
        self.filters.restore_state(state)
        self._restored = state
        self.refresh()

    def _restore_current(self) -> None:
        state, self._restored = self._restored, {}
        if isinstance(state.get("current"), int):
            self.table.select_pair(state["current"])
