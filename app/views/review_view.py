"""Review: judge pairs by keys, see why they were paired, watch the threshold."""

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.pair_rows import mining_of
from app.engine.store.review_rows import list_tags
from app.engine.store.rows import read_sentences
from app.errors import ErrorInfo
from app.views.panels.pair_page import PairPage
from app.views.panels.review_head import ReviewHead
from app.views.panels.review_side import ReviewSide
from app.views.review_actions import list_keys, make_actions, refresh_actions
from app.views.review_desk import ReviewDesk
from app.views.review_empty import ReviewEmpty
from app.views.review_judging import ReviewJudging
from app.views.review_packages import PackageDialogs
from app.views.review_queue import QueueChoice
from app.views.state import AppState
from app.views.theme import GRID
from app.views.view import LookedAt
from app.views.widgets.dialogs import copy_text
from app.views.widgets.hits import cite
from app.views.widgets.queue_bar import QueueBar
from app.views.words import format_count

SIDE_WIDTH = 42 * GRID


class ReviewView(QWidget):
    """The review page.

    Attributes:
        desk: queue, pairs, and what is not saved yet.
        page: the pair under judgement.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Review")
        self.state = state
        self.desk = ReviewDesk(state, self)
        self.head, self.bar = ReviewHead(), QueueBar()
        self.page, self.side = PairPage(state), ReviewSide(state)
        self.judging = ReviewJudging(self.desk, self.page, self)
        self.todo: dict[str, QAction] = make_actions(
            self, self.judging, PackageDialogs(self.desk, self)
        )
        self.empty = ReviewEmpty(self.todo, self.show_all)
        self.page.set_keys(list_keys(self.todo))
        self._lay_out()
        self._connect()
        self.desk.begin()
        self._show_pair()

    # --- what is asked from elsewhere ---

    def review_pair(self, mining_id: int, pair_id: int | None) -> None:
        """Show a set of pairs at one of them; None: where its queue begins."""
        if self.desk.find_mining(mining_id) is None:
            words = self.tr("This set of pairs is not in the project any more.")
            self.state.notice_posted.emit(words)
        elif mining_id != self.desk.queue.mining or not len(self.desk.queue):
            which = QueueChoice()
            if pair_id is not None:
                which = QueueChoice(which="all", with_candidates=True)
            self.desk.load(mining_id, which, pair=pair_id)
        elif pair_id is not None:
            self.desk.go_to(pair_id)
        self.page.focus()

    # --- moving ---

    def next_pair(self) -> None:
        """Go on without judging."""
        self.desk.queue.go(self.desk.queue.place + 1)

    def previous_pair(self) -> None:
        """Go back by one pair."""
        self.desk.queue.go(self.desk.queue.place - 1)

    def first_pair(self) -> None:
        """Go to the beginning of the queue."""
        self.desk.queue.go(0)

    def reload(self) -> None:
        """Ask for the queue again; the pair stays."""
        self.desk.reload()

    def find_pairs(self) -> None:
        """Put the keyboard into the field that finds pairs."""
        self.bar.found_text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.found_text.selectAll()

    def show_conflicts(self) -> None:
        """Make a queue of the pairs that annotators do not agree on."""
        self._load_here(QueueChoice(which="conflict"))

    def show_all(self) -> None:
        """Make a queue of all pairs, judged or not."""
        self._load_here(QueueChoice(which="all"))

    # --- other ---

    def search_source(self) -> None:
        """Search for what is nearest to the source sentence."""
        pair = self.desk.shown
        if pair is not None and pair.source.sentences:
            self.state.search_wanted.emit(pair.source.sentences[0])

    def cite(self) -> None:
        """Copy the sentences of the pair, each with its source."""
        pair, project = self.desk.shown, self.state.project
        if pair is not None and project is not None:
            ids = [*pair.source.sentences, *pair.target.sentences]
            read = read_sentences(project.store, ids)
            copy_text(cite(project, [row for row in read if row is not None]))
            self.state.notice_posted.emit(self.tr("Copied the pair with its sources."))

    def mine(self) -> None:
        """Show where pairs are mined."""
        self.state.mining_wanted.emit(None)

    def send_again(self) -> None:
        """Send what is not saved once more."""
        self.desk.outbox.send_again()

    # --- what is shown ---

    def _show_pair(self) -> None:
        """Show the pair at the place, or what there is to say instead."""
        mining, pair, queue = self.desk.mining, self.desk.shown, self.desk.queue
        if pair is None or mining is None:
            self.empty.show_reason(mining, queue)
            self._pages.setCurrentWidget(self.empty)
        else:
            words = self.tr("{place} of {n}")
            place = words.format(
                place=format_count(queue.place + 1), n=format_count(len(queue))
            )
            is_pending = self.desk.outbox.is_pending(pair.id)
            self.page.show_pair(pair, mining, is_pending=is_pending, place=place)
            self._on_explained(pair.id)
            self._show_page()
        self._refresh_actions()

    def _show_page(self) -> None:
        """Show the page of a pair; the keyboard goes there from where it has no use.

        Left in the list of views, it would take the letters of a verdict for names.
        """
        if self._pages.currentWidget() is self.page:
            return
        focused = self.window().focusWidget()
        is_in_use = isinstance(focused, QLineEdit | QPlainTextEdit) or (
            focused is not None
            and self.isAncestorOf(focused)
            and not self.empty.isAncestorOf(focused)
        )
        self._pages.setCurrentWidget(self.page)
        if self.isVisible() and not is_in_use:
            self.page.focus()

    def _show_mining(self) -> None:
        """Show another set of pairs, and what can be chosen of it."""
        project, mining = self.state.project, self.desk.mining
        minings = project.minings if project is not None else []
        self.head.show_minings(minings, mining.id if mining is not None else None)
        for widget in (self.bar, self.side):
            widget.setVisible(bool(minings))
        self.bar.show_mining(mining)
        self.bar.show_choice(self.desk.queue.choice)
        self._offer_tags()
        self.side.show_mining(mining.id if mining is not None else None)
        self._show_pair()

    def _offer_tags(self) -> None:
        project, mining = self.state.project, self.desk.mining
        if project is not None and mining is not None:
            self.bar.set_tags(list_tags(project.store, mining.id))

    def _show_counts(self) -> None:
        self.head.show_counts(self.desk.tally.counts)

    def _show_saved(self) -> None:
        outbox = self.desk.outbox
        self.head.show_saved(len(outbox.unsaved), is_stuck=outbox.is_stuck)
        self.todo["send_again"].setEnabled(bool(outbox.unsaved))

    def _refresh_actions(self) -> None:
        project = self.state.project
        refresh_actions(
            self.todo,
            can_write=project is not None and not project.is_read_only,
            has_pair=self._pages.currentWidget() is self.page,
            has_mining=self.desk.mining is not None,
        )
        mining = self.desk.mining
        is_package = mining is not None and mining.kind == "package"
        self.todo["hand_back"].setEnabled(is_package)

    # --- what happens ---

    def _on_explained(self, pair_id: int) -> None:
        known = self.desk.explainer.get(pair_id)
        pair = self.page.pair
        if known is not None and pair is not None and pair.id == pair_id:
            self.page.show_explanation(known)

    def _on_changed_elsewhere(self, pair_id: int) -> None:
        """Show what was undone, also where it is not in the queue any more."""
        if self.isVisible() and mining_of(pair_id) == self.desk.queue.mining:
            self.desk.go_to(pair_id)

    def _on_failed(self, error: ErrorInfo) -> None:
        self.empty.show_error(error)
        self._pages.setCurrentWidget(self.empty)
        self._refresh_actions()

    def _on_choice_changed(self) -> None:
        pair = self.desk.queue.current
        self._load_here(self.bar.choice(), pair=pair)

    def _on_saved(self, change: object) -> None:
        if getattr(change, "add_tags", ()):
            self._offer_tags()

    def _load_here(self, choice: QueueChoice, *, pair: int | None = None) -> None:
        mining = self.desk.mining
        if mining is not None:
            self.desk.load(mining.id, choice, pair=pair)

    # --- making ---

    def _lay_out(self) -> None:
        body = QWidget()
        self._pages = QStackedLayout(body)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.page)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, GRID + 4)
        column.setSpacing(GRID + 4)
        column.addWidget(self.head)
        column.addWidget(self.bar)
        column.addWidget(body, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(centre)
        split.addWidget(self.side)
        split.setStretchFactor(0, 1)
        split.setSizes([140 * GRID, SIDE_WIDTH])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def _connect(self) -> None:
        desk = self.desk
        desk.pair_changed.connect(self._show_pair)
        desk.counts_changed.connect(self._show_counts)
        desk.mining_changed.connect(self._show_mining)
        desk.judged.connect(self.side.refresh_soon)
        desk.changed_elsewhere.connect(self._on_changed_elsewhere)
        desk.failed.connect(self._on_failed)
        desk.explainer.known.connect(self._on_explained)
        desk.outbox.changed.connect(self._show_saved)
        desk.outbox.saved.connect(self._on_saved)
        self.head.mining_chosen.connect(lambda id_: desk.load(id_, QueueChoice()))
        self.head.again.clicked.connect(self.send_again)
        self.bar.changed.connect(self._on_choice_changed)
        self.side.pair_chosen.connect(lambda id_: self.review_pair(mining_of(id_), id_))
        self.side.conflicts_wanted.connect(self.show_conflicts)
        self._show_saved()

    # --- what the window asks of a view ---

    def looked_at(self) -> tuple[LookedAt, LookedAt]:
        """Give both sides of the pair under judgement."""
        shown = self.desk.shown
        if shown is None:
            return LookedAt(), LookedAt()
        source, target = shown.source, shown.target
        return (
            LookedAt(source.text, source.language),
            LookedAt(target.text, target.language),
        )

    def save_state(self) -> dict[str, Any]:
        """Give the place, what is not saved, and the precision wanted."""
        return self.desk.save_state() | {"precision": self.side.threshold.wanted}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Go back to the pair, and send what could not be saved."""
        self.side.threshold.choose(state.get("precision", 0))
        self.desk.restore_state(state)

    def focus_first(self) -> None:
        """Put the keyboard on the pair, or on what is offered instead."""
        if self._pages.currentWidget() is self.page:
            self.page.focus()
        else:
            self.empty.focus_first()

    def event(self, event: QEvent) -> bool:
        """Leave the space bar to a control that the keyboard is on."""
        is_key = event.type() == QEvent.Type.ShortcutOverride
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            focused = self.window().focusWidget()
            if isinstance(focused, QAbstractButton | QComboBox | QLineEdit):
                event.accept()
                return True
        return super().event(event)
