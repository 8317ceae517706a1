"""The alignment view: two documents side by side with editable links."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import PairSetRow
from app.languages import language_name
from app.params import command_name
from app.params.alignment import AlignDocuments
from app.views.alignment.beads import BeadList
from app.views.alignment.board import AlignmentBoard, AlignmentOverview
from app.views.alignment.controller import (
    AlignmentController,
    list_key_hints,
    make_actions,
    refresh_actions,
)
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_action_button,
    make_label,
)
from app.views.widgets.corpus_choices import find_corpus
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.shortcut_row import ShortcutRow
from app.views.widgets.theme import GRID


class AlignmentHeader(QWidget):
    """Chooses an alignment, counts its links, and names its columns."""

    chosen = Signal(int)  # id of an alignment

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.box = QComboBox()
        describe(
            self.box, self.tr("Alignment"), self.tr("Choose which alignment is shown.")
        )
        self.box.setMinimumWidth(30 * GRID)
        self.box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(lambda _: self.chosen.emit(self.box.currentData()))
        self.counts = make_label("", "secondary")
        self._row = QHBoxLayout()
        self._row.setSpacing(GRID)
        self._row.addWidget(self.box, 3)
        self._row.addStretch(1)
        self._source, self._target = ElidedLabel("section"), ElidedLabel("section")
        # a name of letters from right to left stays at its column
        absolute = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self._source.setAlignment(Qt.AlignmentFlag.AlignLeft | absolute)
        self._target.setAlignment(Qt.AlignmentFlag.AlignRight | absolute)
        names = QHBoxLayout()
        names.setContentsMargins(GRID + 4, 0, 3 * GRID, 0)
        names.setSpacing(2 * GRID)
        names.addWidget(self._source, 1)
        names.addWidget(self.counts)
        names.addWidget(self._target, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID + 4)
        layout.addLayout(self._row)
        layout.addLayout(names)

    def set_actions(self, quiet: Sequence[QAction], primary: QAction) -> None:
        """Put the buttons at the right."""
        for action in quiet:
            self._row.addWidget(make_action_button(action))
        self._row.addWidget(make_action_button(primary, kind="primary"))

    def show_alignments(self, rows: Sequence[PairSetRow], chosen: int) -> None:
        """List the alignments there are."""
        self.box.blockSignals(True)
        self.box.clear()
        for row in rows:
            self.box.addItem(row.name, row.id)
        self.box.setCurrentIndex(max(self.box.findData(chosen), 0))
        self.box.blockSignals(False)
        self.box.setEnabled(len(rows) > 1)

    def show_columns(self, source: CorpusRow | None, target: CorpusRow | None) -> None:
        """Name the two documents."""
        for label, corpus in ((self._source, source), (self._target, target)):
            language = language_name(corpus.language) if corpus else ""
            name = corpus.name if corpus else self.tr("(deleted)")
            label.setText(name if name == language else f"{name} · {language}")

    def show_counts(self, counts: tuple[int, int, int, int], *, is_whole: bool) -> None:
        """Show how many links there are, and how many sentences have none."""
        n_links, n_source, n_target, n_by_hand = counts
        words = self.tr(
            "{links} links · {source} + {target} without a translation · {hand} by hand"
        ).format(
            links=format_count(n_links),
            source=format_count(n_source),
            target=format_count(n_target),
            hand=format_count(n_by_hand),
        )
        self.counts.setText(words if is_whole else f"{words} …")


ALIGNED_KIND = "aligned"
ALIGN_TASK = command_name(AlignDocuments)


class AlignmentView(QWidget):
    """The alignment page.

    Attributes:
        row: the alignment that is shown; None: there is none.
        beads: its links, as far as they are read.
        board: where they are painted.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Align")
        self.state = state
        self.row: PairSetRow | None = None
        self._place: dict[str, Any] = {}  # of a session, until its bead is read
        self._expected = 0  # an alignment that was made just now
        self.beads = BeadList(self)
        self.messages = MessageBar()
        self.head, self.board = AlignmentHeader(), AlignmentBoard(self.beads)
        self.strip, self.keys = AlignmentOverview(self.beads, self.board), ShortcutRow()
        self.jobs = AlignmentController(self)
        self.todo: dict[str, QAction] = make_actions(self)
        self.keys.set_keys(list_key_hints(self.todo, self))
        quiet = [self.todo["review"], self.todo["export"]]
        self.head.set_actions(quiet, self.todo["align"])
        self.empty = EmptyState(
            self.tr("No documents are aligned yet"),
            self.tr(
                "Import a text and its translation, each as a corpus, and align them: "
                "their sentences are linked in order, also where a translator has "
                "joined, left out or added some."
            ),
            [make_action_button(self.todo["align"], kind="primary")],
            icon="alignment",
        )
        self._lay_out()
        self._connect()
        self._on_minings_changed()

    # --- what the actions ask ---

    def show_alignment(self, mining_id: int) -> None:
        """Show an alignment from its beginning."""
        project = self.state.project
        rows = project.minings if project is not None else []
        found = [
            row for row in rows if row.id == mining_id and row.kind == ALIGNED_KIND
        ]
        self.row = found[0] if found else None
        self.board.set_store(project.store if project is not None else None)
        store = project.store if project is not None else None
        self.beads.open(store, mining_id if found else 0)
        self._show_head()
        had_keyboard = self.isAncestorOf(self.window().focusWidget() or self.window())
        self._pages.setCurrentIndex(1 if found else 0)
        if self.isVisible():
            self.board.choose(0, "source")
        if had_keyboard:  # what had it may be hidden now
            self.focus_first()

    def step_by(self, by: int) -> None:
        """Go so many links down."""
        self.board.choose(self.board.choice.place + by)

    def go_to(self, bead: int) -> None:
        """Choose a link; what changed in the store is read first."""
        self.beads.refresh()
        self.board.choose(self.beads.place_of(bead))

    def go_to_doubtful(self, step: int) -> None:
        """Go to the least confident link that nobody has judged, or to the next."""
        place = self.beads.find_doubtful(self.board.choice.place, step=step)
        if place is None:
            words = self.tr("Every link is judged.")
            self.state.notice_posted.emit(words)
        else:
            self.board.choose(place)
            self.board.reveal(in_middle=True)

    # --- making ---

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(GRID // 2)
        middle.addWidget(self.board, 1)
        middle.addWidget(self.strip)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(2 * GRID, 2 * GRID, GRID, GRID)
        column.setSpacing(GRID)
        column.addWidget(self.head)
        column.addLayout(middle, 1)
        column.addWidget(self.keys)
        self._pages = QStackedLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addLayout(self._pages, 1)
        for widget in (self.empty, page):  # a page without a parent would be a window
            self._pages.addWidget(widget)

    def _connect(self) -> None:
        self.head.chosen.connect(self.show_alignment)
        self.board.chosen.connect(self.state.select_sentence)
        self.beads.grown.connect(self._on_beads_grown)
        self.beads.replaced.connect(lambda *_: self._show_counts())
        self.state.minings_changed.connect(self._on_minings_changed)
        self.state.corpora_changed.connect(self._show_head)
        self.state.row_changed.connect(self._on_row_changed)
        self.state.run_finished.connect(self._on_run_finished)

    # --- what is shown ---

    def _show_head(self) -> None:
        project, row = self.state.project, self.row
        rows = project.minings if project is not None else []
        own = [one for one in rows if one.kind == ALIGNED_KIND]
        self.head.show_alignments(own, row.id if row is not None else 0)
        if project is not None and row is not None:
            self.head.show_columns(
                find_corpus(project.corpora, str(row.source_corpus_id)),
                find_corpus(project.corpora, str(row.target_corpus_id)),
            )
        self._show_counts()

    def _show_counts(self) -> None:
        self.head.show_counts(self.beads.count(), is_whole=self.beads.is_whole)
        refresh_actions(self.todo, self)

    def _on_beads_grown(self) -> None:
        self._show_counts()
        self._restore_place()

    def _restore_place(self) -> None:
        """Go where a former session was, once that is read."""
        bead = self._place.get("bead")
        if not isinstance(bead, int) or not len(self.beads):
            return
        if self.beads.is_whole or bead <= int(self.beads.beads.ids[-1]):
            is_target = self._place.get("side") == "target"
            self._place = {}
            place = self.beads.place_of(bead)
            self.board.choose(place, "target" if is_target else "source")
            self.board.reveal(in_middle=True)

    # --- changes ---

    def _on_minings_changed(self) -> None:
        """Keep showing the same alignment; the newest where it is gone."""
        project = self.state.project
        rows = project.minings if project is not None else []
        own = {row.id: row for row in rows if row.kind == ALIGNED_KIND}
        if self._expected in own:
            self.show_alignment(self._expected)
            self._expected = 0
        elif self.row is not None and self.row.id in own:
            self.row = own[self.row.id]
            self._show_head()
        else:
            self.show_alignment(next(iter(own), 0))

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "pair":
            self.beads.take_change(row_id)
        elif kind == "judgements" and row_id == self.beads.mining:
            self.beads.take_changes()

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if run.task == ALIGN_TASK:
            self._expected = int(result["mining"])
            self._on_minings_changed()

    # --- what the window asks of a view ---

    def save_state(self) -> dict[str, Any]:
        """Return the alignment and the link that is chosen."""
        row = self.row
        return {
            "mining": row.id if row is not None else 0,
            "bead": self._place.get("bead", self.board.bead),
            "side": self.board.choice.side,
            "summary": row.name if row is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show the alignment again, at the link that was chosen."""
        mining = state.get("mining")
        project = self.state.project
        rows = project.minings if project is not None else []
        if any(row.id == mining and row.kind == ALIGNED_KIND for row in rows):
            self._place = state
            self.show_alignment(int(state["mining"]))

    def focus_first(self) -> None:
        """Put the keyboard on the links."""
        if len(self.beads):
            self.board.choose(*self.board.choice)
        wanted = self.board if self.row is not None else self.empty
        wanted.setFocus(Qt.FocusReason.OtherFocusReason)
