"""The alignment view: two documents side by side with editable links."""

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStackedLayout, QWidget

from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.pairs.sets import PairSetRow
from app.languages import language_name
from app.params import command_name
from app.params.mining import AlignDocuments
from app.results.jobs import MadePairSet
from app.views.alignment.board import AlignmentBoard, AlignmentOverview
from app.views.alignment.controller import AlignmentController
from app.views.alignment.model import AlignmentModel
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_action_button,
    make_button,
    make_label,
)
from app.views.widgets.corpus_choices import find_corpus, linked_pairs
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import MAX_SIZE
from app.views.widgets.run_results import ResultGate
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.shortcut_row import ShortcutRow
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import ReadingRequest


class AlignmentHeader(QWidget):
    """Selects an alignment, counts its links, and names its columns."""

    alignment_selected = Signal(int)  # alignment id

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.selector = QComboBox()
        describe(self.selector, self.tr("Alignment"), self.tr("Select an alignment."))
        self.selector.setMinimumWidth(20 * GRID)
        self.selector.setMaximumWidth(60 * GRID)
        self.selector.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed
        )
        self.selector.activated.connect(
            lambda _: self.alignment_selected.emit(self.selector.currentData())
        )
        self.counts = make_label("", "secondary")
        self._counts_above = make_label("", "secondary")  # for long names
        self._is_low = False
        self._actions = ActionRow()
        self._row = make_row((self.selector, 1), self._actions)
        self._source, self._target = ElidedLabel("section"), ElidedLabel("section")
        # a name in a right-to-left script stays above its column
        absolute = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self._source.setAlignment(Qt.AlignmentFlag.AlignLeft | absolute)
        self._target.setAlignment(Qt.AlignmentFlag.AlignRight | absolute)
        names = make_row(
            (self._source, 1),
            self.counts,
            (self._target, 1),
            gap=2 * GRID,
            margins=(GRID + 4, 0, 3 * GRID, 0),
        )
        make_column(self._row, self._counts_above, names, parent=self, gap=GRID)

    def set_actions(self, quiet: Sequence[QAction], primary: QAction) -> None:
        """Show the actions as buttons on the right."""
        self._actions.set_actions([(action, action.text()) for action in quiet])
        self._row.addWidget(make_action_button(primary, kind="primary"))
        self._fit_counts()

    def set_low(self, is_low: bool) -> None:
        """Save a line if space is short: counts then replace long names."""
        self._is_low = is_low
        self._fit_counts()

    def _fit_counts(self) -> None:
        """Show the counts between the names if these fit, otherwise above them.

        If space is short, show only the counts: the selector contains the names.
        """
        names = self._source, self._target
        widest = max(
            name.fontMetrics().horizontalAdvance(name.text()) for name in names
        )
        wanted = 2 * widest + self.counts.sizeHint().width() + 9 * GRID
        is_wide = wanted <= self.width()
        self.counts.setVisible(is_wide or self._is_low)
        self._counts_above.setVisible(not is_wide and not self._is_low)
        for name in names:
            name.setVisible(is_wide or not self._is_low)
        is_menu = self._is_low and not is_wide  # the selector needs the width
        least = self._actions.minimumSizeHint().width()
        self._actions.setMaximumWidth(least if is_menu else MAX_SIZE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the counts for the new width."""
        super().resizeEvent(event)
        self._fit_counts()

    def show_alignments(self, rows: Sequence[PairSetRow], chosen: int) -> None:
        """List the alignments."""
        self.selector.blockSignals(True)
        self.selector.clear()
        for row in rows:
            self.selector.addItem(row.name, row.id)
        self.selector.setCurrentIndex(max(self.selector.findData(chosen), 0))
        self.selector.blockSignals(False)
        self.selector.setEnabled(len(rows) > 1)

    def show_columns(self, source: CorpusRow | None, target: CorpusRow | None) -> None:
        """Name the two documents."""
        for label, corpus in ((self._source, source), (self._target, target)):
            language = language_name(corpus.language) if corpus else ""
            name = corpus.name if corpus else self.tr("(deleted)")
            label.setText(name if name == language else f"{name} · {language}")
        self._fit_counts()

    def show_counts(self, counts: tuple[int, int, int, int], *, is_whole: bool) -> None:
        """Show the number of links and of unlinked sentences."""
        n_links, n_source, n_target, n_confirmed = counts
        words = self.tr(
            "{links} links · {source} + {target} without a translation · "
            "{confirmed} confirmed"
        ).format(
            links=format_count(n_links),
            source=format_count(n_source),
            target=format_count(n_target),
            confirmed=format_count(n_confirmed),
        )
        hint = self.tr(
            "Read and Equivalents use all links. Confirmed links also count as known "
            "translations."
        )
        for label in (self.counts, self._counts_above):
            label.setText(words if is_whole else f"{words} …")
            label.setToolTip(hint)
        self._fit_counts()


ALIGNED_KIND = "aligned"
ALIGN_TASK = command_name(AlignDocuments)
LOW_HEIGHT = 55 * GRID  # pixels of a view that needs every line for links


class AlignmentView(QWidget):
    """The alignment page.

    Attributes:
        model: the displayed alignment.
        board: shows the links.
        controller: performs the actions.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Align")
        self.state = state
        self._restored: dict[str, Any] = {}  # saved state until its bead is read
        self._gate = ResultGate(state, lambda: self.model.alignment_id, self)
        self._expected = 0  # a new alignment that is not in the project's list yet
        self.model = AlignmentModel(self)
        self.messages = MessageBar()
        self.header, self.board = AlignmentHeader(), AlignmentBoard(self.model)
        state.inspectable_made.emit(self.board)
        self.overview = AlignmentOverview(self.model, self.board)
        self.controller = AlignmentController(
            state, self.model, self.board, self.messages, self
        )
        actions = self.controller.actions
        self._keys = ShortcutRow()
        self._keys.set_keys(self.controller.list_key_hints())
        self.header.set_actions(
            [actions["review"], actions["export"]], actions["align"]
        )
        self._read = make_button(
            self.tr("Read linked texts"),
            self.tr("Read the texts that are linked already in the view Read."),
            self._read_linked,
        )
        self.empty = EmptyState(
            *self._describe_empty(are_linked=False),
            [make_action_button(actions["align"], kind="primary"), self._read],
            icon="alignment",
        )
        self._lay_out()
        self._connect()
        self._on_minings_changed()

    # --- selection ---

    def show_alignment(self, mining_id: int) -> None:
        """Show an alignment from the first link."""
        project = self.state.project
        rows = self.state.minings
        found = [
            row for row in rows if row.id == mining_id and row.kind == ALIGNED_KIND
        ]
        store = project.store if project is not None else None
        self.board.set_store(store)
        self.model.open(store, found[0] if found else None)
        self._show_header()
        had_focus = self.isAncestorOf(self.window().focusWidget() or self.window())
        self._pages.setCurrentIndex(1 if found else 0)
        if self.isVisible():
            self.board.select(0, "source")
        if had_focus:  # the focused widget may be hidden now
            self.focus_first()

    # --- layout ---

    def _lay_out(self) -> None:
        middle = make_row((self.board, 1), self.overview, gap=GRID // 2)
        page = as_widget(
            make_column(
                self.header,
                (middle, 1),
                self._keys,
                margins=(2 * GRID, 2 * GRID, GRID, GRID),
            )
        )
        self._pages = QStackedLayout()
        make_column(self.messages, (self._pages, 1), parent=self, gap=0)
        for widget in (self.empty, page):  # a page without a parent would be a window
            self._pages.addWidget(widget)

    def _connect(self) -> None:
        offer_sentence_actions(self.state, self.board)
        self.header.alignment_selected.connect(self.show_alignment)
        self.board.sentence_selected.connect(self._on_sentence_selected)
        self.model.grown.connect(self._on_beads_grown)
        self.model.replaced.connect(self._show_counts)
        self.state.minings_changed.connect(self._on_minings_changed)
        self.state.corpora_changed.connect(self._show_header)
        self.state.row_changed.connect(self._on_row_changed)
        self.state.texts_changed.connect(self._on_texts_changed)
        self.state.run_finished.connect(self._on_run_finished)

    # --- display ---

    def _describe_empty(self, *, are_linked: bool) -> tuple[str, str]:
        """Return the heading and text for a project without alignments."""
        if are_linked:
            return (
                self.tr("The texts are linked already"),
                self.tr(
                    "They were imported with links, line by line, so you can read "
                    "them. Align documents only if some sentences have no link."
                ),
            )
        return (
            self.tr("No documents are aligned yet"),
            self.tr(
                "Import a text and its translation as two corpora, then align them. "
                "Sentences are linked in order, even if the translator joined, omitted "
                "or added some."
            ),
        )

    def _show_empty(self) -> None:
        """Show the empty page, with a hint about imported links."""
        project = self.state.project
        rows = project.corpora if project is not None else []
        are_linked = project is not None and len(linked_pairs(project)) == len(rows) > 0
        self.empty.set_words(*self._describe_empty(are_linked=are_linked))
        self._read.setVisible(are_linked)

    def _read_linked(self) -> None:
        project = self.state.project
        if project is not None:
            sentence = first_sentence_id(project.corpora[0].id)
            self.state.view_requests.reading_requested.emit(ReadingRequest(sentence))

    def _show_header(self) -> None:
        project, row = self.state.project, self.model.alignment
        rows = self.state.minings
        own = [one for one in rows if one.kind == ALIGNED_KIND]
        if not own:
            self._show_empty()
        self.header.show_alignments(own, row.id if row is not None else 0)
        if project is not None and row is not None:
            self.header.show_columns(
                find_corpus(project.corpora, str(row.source_corpus_id)),
                find_corpus(project.corpora, str(row.target_corpus_id)),
            )
        self._show_counts()

    def _show_counts(self) -> None:
        self.header.show_counts(self.model.count(), is_whole=self.model.is_whole)
        self.controller.refresh()

    def _on_beads_grown(self) -> None:
        self._show_counts()
        self._restore_place()

    def _restore_place(self) -> None:
        """Select the link of the saved state once it is read."""
        bead = self._restored.get("bead")
        if not isinstance(bead, int) or not len(self.model):
            return
        if self.model.is_whole or bead <= int(self.model.beads.ids[-1]):
            is_target = self._restored.get("side") == "target"
            self._restored = {}
            place = self.model.place_of(bead)
            self.board.select(place, "target" if is_target else "source")
            self.board.reveal(in_middle=True)

    # --- changes ---

    def _on_sentence_selected(self, sentence: int | None) -> None:
        if self.isVisible():  # otherwise another view has the selection
            self.state.select_sentence(sentence)

    def _on_minings_changed(self) -> None:
        """Keep the alignment if it still exists, or show the newest one."""
        project = self.state.project
        rows = self.state.minings
        own = {row.id: row for row in rows if row.kind == ALIGNED_KIND}
        if self._expected in own:
            self.show_alignment(self._expected)
            self._expected = 0
        elif (
            project is not None
            and project.store is self.model.store  # ids of another project may be equal
            and self.model.alignment_id in own
        ):
            self.model.alignment = own[self.model.alignment_id]
            self._show_header()
        else:
            self.show_alignment(next(iter(own), 0))

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "pair":
            self.model.mark_changed(row_id)
        elif kind == "judgements" and row_id == self.model.alignment_id:
            self.model.mark_all_changed()

    def _on_texts_changed(self) -> None:
        self.board.read_again(self.model.store)

    def _on_run_finished(self, run: RunState, result: object) -> None:
        if run.task == ALIGN_TASK and self._gate.may_show(run):
            self._expected = msgspec.convert(result, MadePairSet).mining or 0
            self._on_minings_changed()

    def reading_request(self) -> ReadingRequest | None:
        """Return a request to read the selected sentence with this alignment."""
        row, sentence = self.model.alignment, self.board.sentence
        if row is None or sentence is None:
            return None
        ends = row.source_corpus_id, row.target_corpus_id
        others = [first_sentence_id(id_) for id_ in ends]
        return ReadingRequest(sentence, tuple(others), row.id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Save space above and between the links if the view is low."""
        super().resizeEvent(event)
        self._fit_height()

    def changeEvent(self, event: QEvent) -> None:
        """Adapt to a new text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_pages"):
            self._fit_height()

    def _fit_height(self) -> None:
        is_low = self.height() < scaled(LOW_HEIGHT, self)
        self.header.set_low(is_low)
        self.board.set_dense(is_low)

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Return the alignment and the selected link."""
        row = self.model.alignment
        return {
            "mining": row.id if row is not None else 0,
            "bead": self._restored.get("bead", self.board.bead),
            "side": self.board.selection.side,
            "summary": row.name if row is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show the alignment and the selected link of a saved state."""
        mining = state.get("mining")
        rows = self.state.minings
        if any(row.id == mining and row.kind == ALIGNED_KIND for row in rows):
            self._restored = state
            self.show_alignment(int(state["mining"]))

    def focus_first(self) -> None:
        """Focus the links."""
        self.board.select(*self.board.selection)
        wanted = self.board if self.model.alignment is not None else self.empty
        wanted.setFocus(Qt.FocusReason.OtherFocusReason)
