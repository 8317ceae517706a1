"""Page of a pair set: figures, pairs, recipe and record."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.number_format import NO_BREAK, format_score
from app.views.client.state import AppState
from app.views.mining.pairs import PairsPage
from app.views.mining.recipe_editor import RecipeEditor
from app.views.widgets.adaptive_rows import ActionRow, FigureRow
from app.views.widgets.boxes import make_column, make_tabs, parent_of_pages
from app.views.widgets.controls import ElidedLabel, make_action_button, make_label
from app.views.widgets.filter_list import describe_filter
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import (
    describe_pair_set_kind,
    describe_pair_set_origin,
    describe_pair_set_sides,
    format_exact_share,
    margin_name,
    retrieval_name,
    verdict_name,
)
from app.views.widgets.record_tree import RecordRow, RecordTree
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "mining")

FIRST_THRESHOLD = 1.25  # ratio margin; measured optima are 1.2 to 1.4

RecordGroup = tuple[str, Sequence[RecordRow]]


def mining_figures(
    row: PairSetRow, counts: Mapping[str, int] | None
) -> list[tuple[str, str]]:
    """Return the figures of the header: label and value.

    Args:
        counts: number of pairs by verdict; None while unknown.
    """
    figures = [(_tr("pairs"), format_count(row.n_pairs))]
    if row.n_candidates:
        figures.append((_tr("other candidates"), format_count(row.n_candidates)))
    if counts is not None:
        n = counts.get("accept", 0) + counts.get("reject", 0)
        judged = f"{format_count(n)} ({format_exact_share(n, row.n_pairs)})"
        figures.append((_tr("judged"), judged if n else "0"))
        for verdict in ("accept", "reject", "skip", "flag"):
            if counts.get(verdict):
                words = verdict_name(verdict)
                figures.append((words, format_count(counts[verdict])))
    report = row.report
    if row.kind == "scored":
        figures += _figures_of_bitext(report)
    elif "n_sources" in report:
        n, m = report["n_sources"], report["n_targets"]
        words = _tr("sentences compared")
        figures.append((words, f"{format_count(n)} × {format_count(m)}"))
        for name, words in (
            ("n_duplicates", _tr("duplicate sentences skipped")),
            ("n_unknown", _tr("sentences unknown to the encoder skipped")),
        ):
            if report.get(name):
                figures.append((words, format_count(report[name])))
        if row.margin == "ratio":
            words = _tr("good first threshold")
            figures.append((words, format_score(FIRST_THRESHOLD, 2)))
        n_left_out = int(report.get("n_found", 0)) - row.n_pairs
        if n_left_out > 0:
            words = _tr("pairs filtered out")
            figures.append((words, format_count(n_left_out)))
    recall = report.get("recall")
    if isinstance(recall, dict) and "share" in recall:
        words = _tr("recall of the index ({index}, {n} sentences)")
        title = words.format(
            index=report.get("index", ""), n=format_count(recall["sentences"])
        )
        share, error = 100 * recall["share"], 100 * recall["error"]
        figures.append(
            (title, f"{share:.1f}{NO_BREAK}%{NO_BREAK}±{NO_BREAK}{error:.1f}")
        )
    return figures


def mining_record_groups(row: PairSetRow) -> list[RecordGroup]:
    """Return all stored information about a pair set, in groups."""
    threshold = "" if row.threshold is None else format_score(row.threshold)
    made = [
        RecordRow(_tr("Kind"), (describe_pair_set_kind(row.kind),)),
        RecordRow(_tr("Run"), (row.run_id or "",)),
        RecordRow(_tr("Encoder"), (row.encoder,)),
        RecordRow(_tr("SHA-256 of the encoder"), (row.fingerprint,)),
        RecordRow(_tr("Score"), (margin_name(row.margin),)),
        RecordRow(_tr("Neighbours"), (row.k,)),
        RecordRow(_tr("Selected pairs"), (retrieval_name(row.retrieval),)),
        RecordRow(_tr("Threshold"), (threshold,)),
    ]
    made = [one for one in made if one.values[0] not in ("", 0)]
    return [
        (_tr("Origin"), made),
        (_tr("Counts"), _counts(row)),
        (_tr("Pairs removed by filters"), _filters(row.report)),
        (_tr("Quantiles of the scores"), _quantiles(row.report)),
    ]


def _figures_of_bitext(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    figures = []
    if report.get("mean") is not None:
        figures.append((_tr("mean score"), format_score(report["mean"])))
    quantiles = report.get("quantiles") or {}
    if "0.05" in quantiles:
        words = _tr("5\u00a0% of the pairs are below")
        figures.append((words, format_score(quantiles["0.05"])))
    if report.get("best") is not None:
        words = _tr("pairs without a better candidate")
        figures.append((words, format_exact_share(round(1000 * report["best"]), 1000)))
    return figures


def _counts(row: PairSetRow) -> list[RecordRow]:
    titles = {
        "n_sources": _tr("Source sentences compared"),
        "n_targets": _tr("Target sentences compared"),
        "n_duplicates": _tr("Duplicate sentences skipped"),
        "n_unknown": _tr("Sentences unknown to the encoder, skipped"),
        "n_found": _tr("Pairs found"),
        "n_below": _tr("Pairs below the threshold"),
    }
    rows = [
        RecordRow(title, (format_count(int(row.report[name])),))
        for name, title in titles.items()
        if isinstance(row.report.get(name), int)
    ]
    rows.append(RecordRow(_tr("Pairs saved"), (format_count(row.n_pairs),)))
    if row.n_candidates:
        n = format_count(row.n_candidates)
        rows.append(RecordRow(_tr("Other candidates saved"), (n,)))
    return rows


def _filters(report: Mapping[str, Any]) -> list[RecordRow]:
    steps = report.get("filters")
    words = _tr("{n} removed, {left} left ({alone} removed by this filter alone)")
    return [
        RecordRow(
            describe_filter(str(step["filter"])),
            (
                words.format(
                    n=format_count(step["n_removed"]),
                    left=format_count(step["n_left"]),
                    alone=format_count(step["n_alone"]),
                ),
            ),
        )
        for step in (steps if isinstance(steps, list) else [])
    ]


def _quantiles(report: Mapping[str, Any]) -> list[RecordRow]:
    found = report.get("quantiles")
    words = _tr("{share} of the pairs are below")
    return [
        RecordRow(
            words.format(share=f"{100 * float(share):g}{NO_BREAK}%"),
            (format_score(score),),
        )
        for share, score in (found.items() if isinstance(found, dict) else ())
    ]


RECIPE_TAB = 1
LOW_HEIGHT = 78 * GRID  # a lower page shows only the table and its filters


class MiningPage(QWidget):
    """Shows a pair set.

    Attributes:
        row: the pair set shown; None before the first.
    """

    pair_opened = Signal(object)  # id of a pair to review
    recipe_requested = Signal(object)  # lines of filters to mine with

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.row: PairSetRow | None = None
        self._name = ElidedLabel("heading")
        self._sides = ElidedLabel("secondary")
        self.figures = FigureRow(self)
        self._warning = make_label("", "warning", wraps=True)
        self.tabs = make_tabs(self)
        self.pairs = PairsPage(state, parent_of_pages(self.tabs))
        self._recipe_tab = QWidget()
        QVBoxLayout(self._recipe_tab).setContentsMargins(0, 0, 0, 0)
        self.record = RecordTree(
            self.tr("Record"), [self.tr("Property"), self.tr("Value")]
        )
        for widget, title in (
            (self.pairs, self.tr("Pairs")),
            (self._recipe_tab, self.tr("Filters")),
            (self.record, self.tr("Record")),
        ):
            self.tabs.addTab(widget, title)
        self._header, self._buttons = QHBoxLayout(), ActionRow(self)
        self._lay_out()
        self.pairs.counts_changed.connect(self._show_figures)
        self.pairs.table.pair_opened.connect(self.pair_opened)
        self.tabs.currentChanged.connect(self._show_tab)

    @cached_property
    def recipe(self) -> RecipeEditor:
        """The recipe editor, created when its tab is first shown."""
        editor = RecipeEditor(self._state)
        editor.pair_opened.connect(self.pair_opened)
        editor.apply_requested.connect(self.recipe_requested)
        layout = self._recipe_tab.layout()
        assert layout is not None
        layout.addWidget(editor)
        return editor

    @property
    def header_texts(self) -> tuple[str, str]:
        """The name and description in the header."""
        return self._name.text(), self._sides.text()

    def show_mining(self, row: PairSetRow) -> None:
        """Show a pair set, or update the current one."""
        is_other = self.row is None or self.row.id != row.id
        before, self.row = self.row, row
        self._name.setText(row.name)
        corpora = self._state.corpora
        sides, origin = (
            describe_pair_set_sides(row, corpora),
            describe_pair_set_origin(row),
        )
        has_sides = row.name.startswith(sides)  # in the name
        self._sides.setText(origin if has_sides else f"{sides} · {origin}")
        if is_other or before != row:
            self.pairs.show_mining(row)
            self._show_figures()
            self.tabs.setTabVisible(RECIPE_TAB, row.kind == "mined")
            self._show_tab()

    def focus_first(self) -> None:
        """Set the focus on the pairs, or on the tabs."""
        if self.tabs.currentWidget() is self.pairs:
            self.pairs.focus_table()
        else:
            self.tabs.tabBar().setFocus()

    def find(self) -> None:  # type: ignore[override] # QWidget's is about windows
        """Set the focus on the search field."""
        self.tabs.setCurrentWidget(self.pairs)
        self.pairs.filters.find_field.setFocus()
        self.pairs.filters.find_field.selectAll()

    def add_actions(self, actions: dict[str, QAction]) -> None:
        """Add buttons for the view's actions, given by name."""
        self._header.addWidget(make_action_button(actions["review"], kind="primary"))
        texts = {
            "mine_again": self.tr("Mine again…"),
            "export": self.tr("Export…"),
            "unlink_rejected": self.tr("Unlink rejected pairs…"),
            "rename": self.tr("Rename…"),
            "copy_command": self.tr("Copy as command"),
            "delete": self.tr("Delete"),
        }
        named = [(actions[name], text) for name, text in texts.items()]
        self._buttons.set_actions(named)

    def _lay_out(self) -> None:
        self._header.setSpacing(GRID)
        self._header.addLayout(make_column(self._name, self._sides, gap=0), 1)
        policy = QSizePolicy.Policy
        self._buttons.setSizePolicy(policy.Expanding, policy.Fixed)
        make_column(
            self._header,
            self._buttons,
            self.figures,
            self._warning,
            (self.tabs, 1),
            parent=self,
            gap=4,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show only the table of pairs in a low page."""
        super().resizeEvent(event)
        is_low = self.height() < scaled(LOW_HEIGHT)
        self._sides.setHidden(is_low)
        self.figures.setHidden(is_low)
        self.pairs.set_low(is_low)

    def _show_figures(self) -> None:
        if self.row is not None:
            self.figures.show_figures(mining_figures(self.row, self.pairs.counts))
            is_weak = self.row.report.get("are_weak", False)
            self._warning.setText(
                self.tr(
                    "At least half of the pairs are hardly more similar than other "
                    "sentences of these texts. Check which texts you chose, or raise "
                    "the threshold."
                )
                if is_weak
                else ""
            )
            self._warning.setVisible(is_weak)

    def _show_tab(self) -> None:
        """Fill the current tab; other tabs are filled when opened."""
        if self.row is None:
            return
        widget = self.tabs.currentWidget()
        if widget is self._recipe_tab:
            self.recipe.show_mining(self.row)
        elif widget is self.record:
            self.record.show_groups(mining_record_groups(self.row))

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Return the tab and the state of the pairs."""
        return {"tab": self.tabs.currentIndex(), "pairs": self.pairs.save_state()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what `save_state` returned."""
        self.tabs.setCurrentIndex(int(state.get("tab", 0)))
        self.pairs.restore_state(state.get("pairs", {}))

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the record in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_tab()
