"""Recipe editor: choose filters and preview the pairs that they remove."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.errors import ErrorInfo, UserError
from app.params.filters import parse_recipe
from app.protocol.answers.pairs import RecipePreview
from app.protocol.queries.pairs import RecipeQuery
from app.views.client.state import AppState
from app.views.mining.pair_table import PairTable
from app.views.mining.recipe_source import RecipeSource, write_recipe
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import (
    ElidedLabel,
    make_button,
    make_label,
    offer_in_palette,
    restyle,
)
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import ExportDialog, ExportFileField
from app.views.widgets.filter_list import FilterList, FilterPalette, describe_filter
from app.views.widgets.id_order import ArrayOrder, RangeOrder
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import FixedLines, make_scroll_area, make_split
from app.views.widgets.pair_set_text import format_exact_share, name_languages
from app.views.widgets.theme import GRID, scaled

ASK_AFTER_MS = 200  # after the last change
SAMPLE = 2_000  # pairs
N_SUMMARY_LINES = 2  # at a large text size
LIST_HEIGHT, TABLE_HEIGHT = 20 * GRID, 16 * GRID  # minimum


class RecipeEditor(QWidget):
    """Edits the recipe of a pair set.

    Attributes:
        base: the pair set for previews.
    """

    previewed = Signal()
    apply_requested = Signal(object)  # lines
    pair_opened = Signal(object)  # id

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._row: PairSetRow | None = None
        self.base: PairSetRow | None = None
        self._examples: dict[int, list[int]] = {}  # ids of pairs by filter index
        self._shown = 0  # index of the filter with examples shown
        self.list = FilterList()
        self.list.setContentsMargins(0, 0, GRID, 0)
        self._list_area = make_scroll_area(self.list)
        self.filter_palette = FilterPalette()
        self.table = PairTable()
        self._summary = make_label("", "section", wraps=True)
        self._note = make_label("", "secondary", wraps=True)
        self._title = ElidedLabel("secondary")
        self.source = RecipeSource(state, self.set_lines, self)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask)
        self._lay_out()
        self.list.changed.connect(self._on_changed)
        self.list.card_chosen.connect(self.show_examples)
        self.filter_palette.filter_requested.connect(self._on_filter_requested)
        self.table.pair_opened.connect(self.pair_opened)
        self.table.pair_selected.connect(self._on_pair_selected)

    # --- recipe ---

    @property
    def lines(self) -> list[str]:
        """The recipe, without filters that lack a parameter."""
        return [line for line in self.list.lines if line is not None]

    @property
    def summary(self) -> str:
        """The text with the result on the sample."""
        return self._summary.text()

    def show_mining(self, row: PairSetRow) -> None:
        """Edit the recipe of a pair set; keep changes if the set is the same."""
        if self._row is not None and self._row.id == row.id:
            return
        self._row = row
        corpora = self._state.corpora
        self.table.pairs.set_titles(*name_languages(row, corpora))
        self.table.pairs.set_margin(row.margin)
        self.base = self._find_base(row)
        self._show_base(row)
        self.table.show_ids(None, RangeOrder())
        self.set_lines(row.filters)

    def set_lines(self, lines: Sequence[str]) -> None:
        """Replace the recipe."""
        try:
            filters = parse_recipe(lines)
        except UserError as error:  # written by another version
            self._state.error_posted.emit(ErrorInfo("user", str(error)))
            return
        self._shown = 0
        self.list.show_filters(filters)
        self._on_changed()

    def apply(self) -> None:
        """Request mining with this recipe."""
        if None in self.list.lines:
            words = self.tr("A filter has no pattern. Enter one, or remove the filter.")
            self._state.notice_posted.emit(words)
            return
        self.apply_requested.emit(self.lines)

    def save_to(self, file: Path) -> str:
        """Write the recipe to a file; return an error message, or an empty text."""
        try:
            write_recipe(file, self.lines)
        except OSError as error:
            words = self.tr("Can't write {file} ({why}). Choose another location.")
            return words.format(file=file, why=error.strerror)
        words = self.tr("Filters exported to {file}.")
        self._state.file_written.emit(file, words.format(file=file))
        return ""

    # --- preview ---

    def ask(self) -> None:
        """Request a preview of the recipe on a sample of the pairs."""
        self._timer.stop()
        if self.base is None:
            return
        query = RecipeQuery(
            mining=self.base.id, filters=tuple(self.lines), sample=SAMPLE
        )
        self._state.ask(query, partial(self._on_answer, query))

    def _on_answer(self, query: RecipeQuery, answer: RecipePreview | ErrorInfo) -> None:
        is_old = self.base is None or self.base.id != query.mining
        if is_old or query.filters != tuple(self.lines):
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._show_summary(answer.message, is_warning=True)
            return
        n_left = n = answer.pairs
        known = [index for index, line in enumerate(self.list.lines) if line]
        self._examples = {}
        for index, step in zip(known, answer.steps, strict=True):
            self.list.cards[index].show_step(step, n_left)
            self._examples[index] = step.examples
            n_left = step.n_left
        self._show_n_left(n, n_left)
        self.show_examples(self._shown)
        self.previewed.emit()

    def _show_n_left(self, n: int, n_left: int) -> None:
        row = self.base
        words = self.tr("{left} of {n} sampled pairs pass ({share})")
        if row is not None and n >= row.n_pairs:
            words = self.tr("{left} of all {n} pairs pass ({share})")
        share = format_exact_share(n_left, n)
        counts = format_count(n_left), format_count(n)
        text = words.format(left=counts[0], n=counts[1], share=share)
        self._show_summary(text, is_warning=bool(n) and not n_left)

    def _show_summary(self, text: str, *, is_warning: bool = False) -> None:
        self._summary.setText(text)
        restyle(self._summary, "role", "warning" if is_warning else "section")

    def show_examples(self, index: int) -> None:
        """Show pairs that pass all previous filters but that this filter removes."""
        self._shown = min(max(index, 0), max(len(self.list.cards) - 1, 0))
        self.list.mark(self._shown)
        project = self._state.project
        ids = self._examples.get(self._shown, [])
        order = ArrayOrder(np.array(ids, np.int64))
        self.table.show_ids(project.store if project else None, order)
        if not self.list.cards:
            self._title.setText(self.tr("Add a filter to see which pairs it removes."))
            return
        name = self.list.cards[self._shown].title
        words = self.tr("“{name}” removes these pairs that pass the filters before it:")
        if not ids:
            words = self.tr("“{name}” removes no pair of the sample.")
        self._title.setText(words.format(name=name))

    def _find_base(self, row: PairSetRow) -> PairSetRow:
        """Return the set with the same settings but no filters, which has all pairs."""
        project = self._state.project
        if not row.filters or project is None:
            return row
        for other in project.minings:
            is_whole = other.kind == row.kind and not other.filters
            if is_whole and _settings(other) == _settings(row):
                return other
        return row

    def _show_base(self, row: PairSetRow) -> None:
        base, text = self.base, ""
        if base is not None and base.id != row.id:
            words = self.tr("Preview on {name}: the same pairs without filters.")
            text = words.format(name=base.name)
        elif row.filters:
            text = self.tr(
                "These pairs have passed their filters, so the preview shows only what "
                "further filters remove. Mine without filters to see all pairs."
            )
        self._note.setText(text)
        self._note.setVisible(bool(text))

    # --- slots ---

    def _on_changed(self) -> None:
        for card in self.list.cards:
            card.show_waiting()
        self._examples = {}
        self._apply.setEnabled(self._state.can_write)
        self._timer.start()

    def _on_filter_requested(self, kind: type[Any]) -> None:
        self._shown = len(self.list.cards)
        self.list.add(kind)

    def _on_pair_selected(self, _pair_id: object) -> None:
        found = self.table.current_pair
        if found is not None and found.source.sentences:
            self._state.select_sentence(found.source.sentences[0].id)

    # --- layout ---

    def _lay_out(self) -> None:
        self._apply = make_button(
            self.tr("Mine with these filters"),
            self.tr("Make a new pair set; only changed filters run again."),
            self.apply,
            kind="primary",
        )
        export = make_button(
            self.tr("Export…"),
            self.tr("Write the filters to a file for another project."),
            self.ask_export,
            kind="quiet",
        )
        offer_in_palette(self._apply, self._apply.text())
        offer_in_palette(export, self.tr("Export filters…"))
        summary_row, button_row = QHBoxLayout(), QHBoxLayout()
        for row in (summary_row, button_row):
            row.setSpacing(GRID)
        summary_row.addWidget(FixedLines(N_SUMMARY_LINES, self._summary), 1)
        summary_row.addWidget(export, 0, Qt.AlignmentFlag.AlignTop)
        button_row.addStretch()
        button_row.addWidget(self.source.make_button(self.tr("Load filters")))
        button_row.addWidget(self._apply)
        top, bottom = QWidget(), QWidget()
        growing = (self._list_area, self.table)
        for side, widgets in (
            (top, (self._list_area, self.filter_palette)),
            (bottom, (self._title, self.table)),
        ):
            column = make_column(parent=side)
            for widget in widgets:
                column.addWidget(widget, 1 if widget in growing else 0)
        split = make_split(
            top, bottom, sizes=(46 * GRID, 30 * GRID), is_vertical=True, parent=self
        )
        make_column(
            summary_row,
            button_row,
            self._note,
            (make_scroll_area(split, self), 1),
            parent=self,
            margins=(0, GRID, 0, 0),
        )
        self._keep_room()

    def _keep_room(self) -> None:
        """Reserve height for two filters and some pairs; a lower window scrolls."""
        self._list_area.setMinimumHeight(scaled(LIST_HEIGHT))
        self.table.setMinimumHeight(scaled(TABLE_HEIGHT))

    def changeEvent(self, event: QEvent) -> None:
        """Update the reserved height after the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()

    def ask_export(self) -> ExportDialog:
        """Ask where to write the recipe."""
        hint = self.tr("Choose where the filters are written.")
        formats = {".json": self.tr("Filters")}
        file = ExportFileField(
            formats, suggest_path(self._state, "filters", ".json"), hint
        )
        title = self.tr("Export filters")
        dialog = ExportDialog(
            title, file, lambda path, on_ended: on_ended(self.save_to(path)), self
        )
        lines = self.lines
        text = pluralize(len(lines), self.tr("1 filter."), self.tr("{n} filters."))
        rows = [[describe_filter(line)] for line in lines]
        dialog.preview.show_rows((self.tr("Filter"),), rows, text)
        dialog.open()
        return dialog


def _settings(row: PairSetRow) -> tuple[Any, ...]:
    """Return the settings that determine a set's pairs, except the filters."""
    return (
        row.source_corpus_id,
        row.target_corpus_id,
        row.source_language,
        row.target_language,
        row.fingerprint,
        row.margin,
        row.k,
        row.retrieval,
        row.threshold,
    )
