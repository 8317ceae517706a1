"""The review view: judge pairs with the keyboard and watch the threshold."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.pairs.history import list_tags
from app.engine.store.pairs.sets import PairSetRow, pair_set_of
from app.engine.store.sentences import read_sentences
from app.errors import ErrorInfo
from app.views.client.state import AppState
from app.views.review.agreement import AgreementPanel
from app.views.review.controller import (
    PackageController,
    ReviewController,
    list_key_hints,
    make_actions,
    refresh_actions,
)
from app.views.review.header import QueueBar, ReviewHeader
from app.views.review.history import HistoryPanel
from app.views.review.pair_page import PairPage
from app.views.review.queue import QueueSettings, ReviewQueue
from app.views.review.session import ReviewSession
from app.views.review.threshold import SuggestedThresholdPanel
from app.views.widgets.controls import ButtonKind, make_action_button, make_button
from app.views.widgets.dialogs import copy_text
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.hits import cite
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import SentenceText

MIN_SIDEBAR_WIDTH = 34 * GRID
MIN_HISTORY_ROWS = 18  # in steps of the grid; lower than this, the column scrolls


class ReviewSidebar(QWidget):
    """Three panels, one below the other."""

    pair_chosen = Signal(object)  # id
    conflicts_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("reviewSide")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(max(MIN_SIDEBAR_WIDTH, scaled(30 * GRID)))
        self.threshold = SuggestedThresholdPanel(state)
        self.agreement = AgreementPanel(state)
        self.history = HistoryPanel(state)
        self.history.pair_chosen.connect(self.pair_chosen)
        self.agreement.conflicts_wanted.connect(self.conflicts_wanted)
        self.history.setMinimumHeight(scaled(MIN_HISTORY_ROWS * GRID))
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(3 * GRID)
        layout.addWidget(self.threshold)
        layout.addWidget(self.agreement)
        layout.addWidget(self.history, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(make_scroll_area(page))

    def show_mining(self, mining: int | None) -> None:
        """Show what is known of another set of pairs."""
        self.threshold.show_mining(mining)
        self.agreement.show_mining(mining)
        self.history.refresh()

    def refresh_soon(self) -> None:
        """Follow a judgement, in a moment and without blocking."""
        self.threshold.ask_soon()
        self.agreement.ask_soon()
        self.history.refresh_soon()


class ReviewEmptyPage(QWidget):
    """A page for each reason."""

    def __init__(
        self,
        todo: dict[str, QAction],
        show_all: Callable[[], object],
        parent: QWidget | None = None,
    ):
        """Make the pages.

        Args:
            todo: the view's actions.
            show_all: makes a queue of all pairs.
            parent: of the widget.
        """
        super().__init__(parent)
        self._pages = QStackedLayout(self)

        def _mine(kind: ButtonKind = "normal") -> QWidget:
            return make_action_button(todo["mine"], kind=kind)

        every = self.tr("Show all pairs")
        hint = self.tr("Make a queue of all pairs, judged or not.")
        self._none = EmptyState(
            self.tr("No pairs yet"),
            self.tr(
                "Mine pairs of sentences that are translations of each other; they are "
                "judged here, one key each."
            ),
            [make_action_button(todo["mine"], kind="primary")],
            icon="review",
        )
        # Where the pairs of a package end, they are handed back.
        self._hand_back = [make_action_button(todo["hand_back"]) for _ in range(2)]
        self._done = EmptyState(
            "",
            "",
            [
                make_button(every, hint, show_all, kind="primary"),
                make_action_button(todo["reload"]),
                make_action_button(todo["mine"]),
                self._hand_back[1],
            ],
            icon="review",
        )
        self._end = EmptyState(
            self.tr("That was the last pair of this queue"),
            "",
            [
                make_action_button(todo["first_pair"], kind="primary"),
                make_action_button(todo["reload"]),
                self._hand_back[0],
            ],
            icon="review",
        )
        self._wait = EmptyState("", "", icon="review")
        self._error = EmptyState(
            self.tr("There is no queue"), "", [make_action_button(todo["reload"])]
        )
        for page in (self._none, self._done, self._end, self._wait, self._error):
            self._pages.addWidget(page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text of the page that is shown."""
        page = self._pages.currentWidget()
        return page.words if isinstance(page, EmptyState) else ("", "")

    def focus_first(self) -> None:
        """Put the keyboard on the first thing that can be done."""
        page = self._pages.currentWidget()
        buttons = page.findChildren(QPushButton) if page is not None else []
        for button in [one for one in buttons if one.isEnabled()][:1]:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_error(self, error: ErrorInfo) -> None:
        """Show why there is no queue."""
        self._error.set_words(self.tr("There is no queue"), error.message)
        self._pages.setCurrentWidget(self._error)

    def show_reason(self, mining: PairSetRow | None, queue: ReviewQueue) -> None:
        """Show why no pair is shown."""
        for button in self._hand_back:
            button.setVisible(mining is not None and mining.kind == "package")
        if mining is None:
            self._pages.setCurrentWidget(self._none)
        elif queue.is_loading and not len(queue):
            words = self.tr("{n} pairs are being put in order.")
            n = mining.n_pairs + mining.n_candidates
            self._wait.set_words(mining.name, words.format(n=format_count(n)))
            self._pages.setCurrentWidget(self._wait)
        elif not len(queue):
            self._show_none_left(queue)
        else:
            self._show_end(queue)

    def _show_none_left(self, queue: ReviewQueue) -> None:
        heading = self.tr("No pair is like this")
        text = self.tr("Choose another tag, other bounds, or all pairs.")
        n_judged = sum(n for verdict, n in queue.counts.items() if verdict)
        if queue.choice.which == "unjudged" and n_judged:
            heading = self.tr("Every pair is judged")
            words = self.tr("{n} judgements, and none of these pairs waits.")
            text = words.format(n=format_count(n_judged))
        self._done.set_words(heading, text)
        self._pages.setCurrentWidget(self._done)

    def _show_end(self, queue: ReviewQueue) -> None:
        words = self.tr(
            "{n} pairs were in it. Read it again to see what has changed since."
        )
        heading = self.tr("That was the last pair of this queue")
        self._end.set_words(heading, words.format(n=format_count(len(queue))))
        self._pages.setCurrentWidget(self._end)


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
        self.desk = ReviewSession(state, self)
        self.head, self.bar = ReviewHeader(), QueueBar()
        self.page, self.side = PairPage(state), ReviewSidebar(state)
        self.judging = ReviewController(self.desk, self.page, self)
        self.todo: dict[str, QAction] = make_actions(
            self, self.judging, PackageController(self.desk, self)
        )
        self.empty = ReviewEmptyPage(self.todo, self.show_all)
        self.page.set_keys(list_key_hints(self.todo))
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
            which = QueueSettings()
            if pair_id is not None:
                which = QueueSettings(which="all", with_candidates=True)
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
        self._load_here(QueueSettings(which="conflict"))

    def show_all(self) -> None:
        """Make a queue of all pairs, judged or not."""
        self._load_here(QueueSettings(which="all"))

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
        if self.isVisible() and pair_set_of(pair_id) == self.desk.queue.mining:
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

    def _load_here(self, choice: QueueSettings, *, pair: int | None = None) -> None:
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
        self.head.mining_chosen.connect(lambda id_: desk.load(id_, QueueSettings()))
        self.head.again.clicked.connect(self.send_again)
        self.bar.changed.connect(self._on_choice_changed)
        self.side.pair_chosen.connect(
            lambda id_: self.review_pair(pair_set_of(id_), id_)
        )
        self.side.conflicts_wanted.connect(self.show_conflicts)
        self._show_saved()

    # --- what the window asks of a view ---

    def looked_at(self) -> tuple[SentenceText, SentenceText]:
        """Return both sides of the pair under judgement."""
        shown = self.desk.shown
        if shown is None:
            return SentenceText(), SentenceText()
        source, target = shown.source, shown.target
        return (
            SentenceText(source.text, source.language),
            SentenceText(target.text, target.language),
        )

    def save_state(self) -> dict[str, Any]:
        """Return the place, what is not saved, and the precision wanted."""
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
