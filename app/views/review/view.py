"""The review view: judge pairs by keyboard, with the suggested threshold."""

from typing import Any

import msgspec
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QStackedLayout,
    QWidget,
)

from app.engine.store.pairs.copied_judgements import find_same_judgements
from app.engine.store.pairs.history import list_tags
from app.engine.store.pairs.sets import PairSetRow, pair_set_of, read_pairs
from app.errors import ErrorInfo
from app.protocol.edits.pairs import JudgePairs, PairChange
from app.protocol.queries.pairs import QueueQuery
from app.views.client.annotator import annotator_name, ensure_user_name
from app.views.client.state import AppState
from app.views.review.agreement import AgreementPanel
from app.views.review.centre import ReviewCentre, ReviewEmptyPage
from app.views.review.controller import ReviewController
from app.views.review.header import QueueBar, ReviewHeader
from app.views.review.history import HistoryPanel
from app.views.review.package_controller import PackageController
from app.views.review.pair_page import PairPage
from app.views.review.queue import QueueSettings
from app.views.review.session import ReviewSession
from app.views.review.text import shorten_line
from app.views.review.threshold import SuggestedThresholdPanel
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.undo_messages import offer_undo
from app.views.widgets.unlinking import ask_unlinking, describe_rejected_links
from app.views.widgets.view_protocol import ReadingRequest, SentenceText

MIN_SIDEBAR_WIDTH = 34 * GRID
MAX_SEARCH_SHOWN = 20  # characters of the search text
MIN_PAIR_WIDTH = 64 * GRID  # next to the sidebar, unless the user opened it
MIN_HISTORY_ROWS = 18  # in grid steps; a lower sidebar scrolls


class ReviewSidebar(QWidget):
    """Suggested threshold, agreement and history."""

    pair_chosen = Signal(object)  # id
    conflicts_requested = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("reviewSide")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(max(MIN_SIDEBAR_WIDTH, scaled(30 * GRID)))
        page = QWidget()
        make_column(make_scroll_area(page, self), parent=self)
        self.threshold = SuggestedThresholdPanel(state, page)
        self.agreement = AgreementPanel(state, page)
        self.history = HistoryPanel(state, page)
        self.history.pair_chosen.connect(self.pair_chosen)
        self.agreement.conflicts_requested.connect(self.conflicts_requested)
        self.history.setMinimumHeight(scaled(MIN_HISTORY_ROWS * GRID))
        make_column(
            self.threshold,
            self.agreement,
            (self.history, 1),
            parent=page,
            gap=3 * GRID,
            margins=2 * GRID,
        )

    def show_mining(self, mining: int | None) -> None:
        """Show another pair set."""
        self.threshold.show_mining(mining)
        self.agreement.show_mining(mining)
        self.history.show_mining(mining)

    def refresh_soon(self) -> None:
        """Schedule an update after a judgement."""
        self.threshold.ask_soon()
        self.agreement.ask_soon()
        self.history.refresh_soon()


SIDE_WIDTH = 42 * GRID


class ReviewView(QWidget):
    """The review page.

    Attributes:
        session: the queue, pairs and unsaved changes.
        page: shows the current pair.
        commands: the actions, by name.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Review")
        self.state = state
        self.session = ReviewSession(state, self)
        self._split = make_split(gap=1, parent=self)
        self.header, self.queue_bar = ReviewHeader(), QueueBar()
        self._body = QWidget()
        self._pages = QStackedLayout(self._body)
        self.page = PairPage(state, self._body)
        heads = (self.header, self.queue_bar)
        self._centre = ReviewCentre(heads, self._body, self.page, self._split)
        self.sidebar = ReviewSidebar(state, self._split)
        self.controller = ReviewController(
            self.session, self.page, self.queue_bar, self.sidebar.threshold, self
        )
        self.packages = PackageController(self.session, self)
        self.commands = {**self.controller.actions, **self.packages.actions}
        self.empty_page = ReviewEmptyPage(self.commands, self.controller, self._body)
        self.messages = MessageBar(self)
        self._before_search: int | None = None  # pair
        self._offered: int | None = None  # pair set checked for judgements to copy
        self._asked_whose = ""  # text of the message that asks for a name
        self._wants_sidebar: bool | None = None  # None: if there is room
        self.page.set_keys(self.controller.key_hints)
        self._lay_out()
        self._connect()
        self.session.begin()
        self._show_pair()

    def review_pair(self, mining_id: int, pair_id: int | None) -> None:
        """Show a pair set at a pair, or at the start of its queue if None."""
        if not self._is_there(mining_id):
            return
        if mining_id != self.session.queue.mining or not len(self.session.queue):
            settings = QueueSettings()
            if pair_id is not None:
                settings = QueueSettings(which="all", with_candidates=True)
            lowest = self._find_lowest(mining_id, pair_id)
            settings = msgspec.structs.replace(settings, lowest=lowest)
            self.session.load(mining_id, settings, pair=pair_id)
        elif pair_id is not None:
            self.session.go_to(pair_id, lowest=self._find_lowest(mining_id, pair_id))
        self.page.focus()

    def review_queue(self, query: QueueQuery, pair_id: int | None) -> None:
        """Show pairs of a set, starting at a pair or else the first."""
        if not self._is_there(query.mining):
            return
        old = self.session.queue
        keeps_order = query.mining == old.mining and query.descending
        settings = QueueSettings(
            order=old.settings.order if keeps_order else "score",
            descending=query.descending,
            which=query.which,
            lowest=query.lowest,
            highest=query.highest,
        )
        self.session.load(query.mining, settings, pair=pair_id, is_new=True)
        self.page.focus()

    def _is_there(self, mining_id: int) -> bool:
        """Return whether the project has a pair set; show a notice if not."""
        is_there = self.session.find_mining(mining_id) is not None
        if not is_there:
            words = self.tr("This pair set is not in the project any more.")
            self.state.notice_posted.emit(words)
        return is_there

    def _find_lowest(self, mining_id: int, pair_id: int | None) -> float | None:
        """Return the threshold in Mine, unless the requested pair is below it."""
        threshold, project = self.state.thresholds.of(mining_id), self.state.project
        row = self.session.find_mining(mining_id)
        if row is not None and row.kind == "scored":  # Mine lists pairs below it
            return None
        if threshold is None or project is None or pair_id is None:
            return threshold
        (pair,) = read_pairs(project.store, [pair_id])
        return threshold if pair is not None and pair.score >= threshold else None

    # --- current pair and set ---

    def _show_pair(self) -> None:
        """Show the current pair, or why there is none."""
        mining, pair, queue = (
            self.session.mining,
            self.session.shown,
            self.session.queue,
        )
        if pair is None or mining is None:
            had_keyboard = self.page.isAncestorOf(self.window().focusWidget())
            self.page.text_view.close_editors()
            self._show_reason()
            self._pages.setCurrentWidget(self.empty_page)
            if had_keyboard:
                self.empty_page.focus_first()
        else:
            words = self.tr("{place} of {n}")
            if queue.settings.find:  # the field may not be visible
                words = self.tr("{place} of {n} with “{text}”")
            index, last_place = (
                words.format(
                    place=format_count(one),
                    n=format_count(len(queue)),
                    text=shorten_line(queue.settings.find, MAX_SEARCH_SHOWN),
                )
                for one in (queue.place + 1, len(queue))
            )
            is_pending = self.session.outbox.is_pending(pair.id)
            self.page.show_pair(
                pair,
                mining,
                is_pending=is_pending,
                place=index,
                last_place=last_place,
                draft=self.session.drafts.get(pair.id),
            )
            self._on_explained(pair.id)
            self._show_page()
        self._refresh_actions()

    def _show_reason(self) -> None:
        """Show why there is no current pair."""
        session = self.session
        self.empty_page.show_reason(
            session.mining,
            session.queue,
            session.verdict_counts.counts,
            self.sidebar.agreement.n_conflicts,
        )

    def _on_agreement_shown(self) -> None:
        self._show_counts()
        if self.session.queue.current is None:
            self._show_reason()

    def _show_page(self) -> None:
        """Show the pair page, and focus it unless the user is typing elsewhere.

        If the navigation had the focus, verdict keys would select a view by letter.
        """
        if self._pages.currentWidget() is self.page:
            return
        focused = self.window().focusWidget()
        is_in_use = isinstance(focused, QLineEdit | QPlainTextEdit) or (
            focused is not None
            and self.isAncestorOf(focused)
            and not self.empty_page.isAncestorOf(focused)
        )
        self._pages.setCurrentWidget(self.page)
        if self.isVisible() and not is_in_use:
            self.page.focus()

    def _show_mining(self) -> None:
        """Show another pair set and its queue settings."""
        mining = self.session.mining
        minings = self.state.minings
        self.header.show_minings(minings, mining.id if mining is not None else None)
        self.queue_bar.setVisible(bool(minings))
        self._show_sidebar()
        self.queue_bar.show_mining(mining)
        self.queue_bar.show_settings(self.session.queue.settings)
        self._offer_tags()
        self.sidebar.threshold.show_order(self.session.queue.settings.order)
        self.sidebar.show_mining(mining.id if mining is not None else None)
        if mining is not None and mining.id != self._offered:
            self._offer_judgements(mining)
            self._ask_whose(mining)
        self._show_pair()

    def _show_sidebar(self) -> None:
        """Show the panel on the right if the user opened it, or if there is room."""
        is_shown = self._wants_sidebar
        if is_shown is None:
            is_shown = not self._is_narrow
        self.sidebar.setVisible(is_shown and bool(self.state.minings))
        self.header.show_panel(is_shown=is_shown)

    @property
    def _is_narrow(self) -> bool:
        """Return whether the pair would be too narrow next to the panel."""
        return self.width() - self.sidebar.minimumWidth() < scaled(MIN_PAIR_WIDTH)

    def _toggle_sidebar(self) -> None:
        self._wants_sidebar = self.sidebar.isHidden()
        self._show_sidebar()

    def _offer_tags(self) -> list[str]:
        project, mining = self.state.project, self.session.mining
        if project is None or mining is None:
            return []
        tags = list_tags(project.store, mining.id)
        self.queue_bar.set_tags(tags)
        return tags

    def _show_counts(self) -> None:
        flagged = self.sidebar.agreement.flagged_by_others
        self.header.show_counts(self.session.verdict_counts.counts, flagged)
        self.queue_bar.name_flags(has_others=bool(flagged))

    def _show_name(self) -> None:
        self.header.show_name(annotator_name(self.state))
        if self._asked_whose and not self._is_name_doubtful(self.session.mining):
            self.messages.withdraw(self._asked_whose)
            self._asked_whose = ""

    def _is_name_doubtful(self, mining: PairSetRow | None) -> bool:
        """Return whether judgements in a package would carry the sender's name."""
        project, name = self.state.project, annotator_name(self.state)
        if project is None or mining is None or mining.kind != "package":
            return False
        is_named = self.state.settings.has_name_in(project.folder)
        is_same = bool(name) and mining.report.get("who") == name
        return is_same and not is_named and self.state.can_write

    def _ask_whose(self, mining: PairSetRow) -> None:
        """Ask for a name if judgements in a package would carry the sender's name."""
        if not self._is_name_doubtful(mining):
            return
        name = annotator_name(self.state)
        words = self.tr(
            "{name} exported this package, and your judgements would be saved under "
            "the same name."
        )
        self._asked_whose = words.format(name=name)
        buttons = [
            make_button(
                self.tr("Enter your name…"),
                self.tr("Change the name that is saved with your judgements."),
                self._ask_name,
                kind="primary",
            ),
            make_button(
                self.tr("Judge as {name}").format(name=name),
                self.tr("You are the person who exported the package."),
                self._keep_name,
            ),
        ]
        self.messages.post(self._asked_whose, buttons=buttons)

    def _keep_name(self) -> None:
        ensure_user_name(self.state)

    def _ask_name(self) -> None:
        self.state.view_requests.settings_requested.emit("user_name")

    def _show_saved(self) -> None:
        outbox = self.session.outbox
        self.header.show_saved(len(outbox.unsaved), is_stuck=outbox.is_stuck)
        self.commands["send_again"].setEnabled(bool(outbox.unsaved))

    def _refresh_actions(self) -> None:
        has_pair = self._pages.currentWidget() is self.page
        self.controller.refresh(has_pair=has_pair)
        self.packages.refresh()

    # --- slots ---

    def _on_editing_changed(self, is_editing: bool) -> None:
        self._refresh_actions()
        if not is_editing and self.page.pair is not None:
            self._on_explained(self.page.pair.id)

    def _on_explained(self, pair_id: int) -> None:
        known = self.session.explainer.get(pair_id)
        pair = self.page.pair
        if known is not None and pair is not None and pair.id == pair_id:
            self.page.show_explanation(known)

    def _on_changed_elsewhere(self, pair_id: int) -> None:
        """Show a pair whose judgement was undone, even if it left the queue."""
        if self.isVisible() and pair_set_of(pair_id) == self.session.queue.mining:
            self.session.go_to(pair_id)

    def _on_failed(self, error: ErrorInfo) -> None:
        self.empty_page.show_error(error)
        self._pages.setCurrentWidget(self.empty_page)
        self._refresh_actions()

    def _on_settings_changed(self) -> None:
        """Load the new queue.

        A new order, ordering by informativeness, and a search start at the first pair.
        Clearing a search returns to the pair shown before it.
        """
        old, new = self.session.queue.settings, self.queue_bar.settings()
        pair = self.session.queue.current
        if new.find and not old.find:
            self._before_search = pair
        if old.find and not new.find:
            pair = self._before_search
        is_ordered = (old.order, old.descending) == (new.order, new.descending)
        is_search = bool(new.find) and new.find != old.find
        if not is_ordered or new.order == "value" or is_search:
            pair = None
        self.session.load_current(new, pair=pair)

    def _on_range_judged(self, text: str, verdict: str) -> None:
        hint = self.tr("Undo the judgements of the range (Ctrl+Z).")
        mining, others = self.session.mining, []
        if verdict == "reject" and mining is not None and mining.kind == "scored":
            unlink = self.commands["unlink_rejected"]
            others = [make_button(unlink.text(), unlink.toolTip(), unlink.trigger)]
            text = f"{text} {describe_rejected_links()}"
        offer_undo(self.state, self.messages, text, hint, others=others)

    def _ask_unlinking(self) -> None:
        mining = self.session.mining
        if mining is not None:
            ask_unlinking(self.state, self.messages, mining.id, self)

    def _on_copied(self, text: str) -> None:
        hint = self.tr("Undo the copied judgements (Ctrl+Z).")
        offer_undo(self.state, self.messages, text, hint)

    def _offer_judgements(self, mining: PairSetRow) -> None:
        """Offer to copy judgements of the same sentences in other pair sets."""
        project = self.state.project
        self._offered = mining.id
        self.messages.clear()
        sides = mining.source_corpus_id, mining.target_corpus_id
        others = {
            row.id: row.name
            for row in self.state.minings
            if row.id != mining.id
            and (row.source_corpus_id, row.target_corpus_id) == sides
        }
        if project is None or not others or not self.state.can_write:
            return
        same = find_same_judgements(project.store, mining.id)
        if not same.n:
            return
        one = self.tr("1 pair to judge here is judged in {names}.")
        many = self.tr("{n} pairs to judge here are judged in {names}.")
        names = ", ".join(others[id_] for id_ in same.minings if id_ in others)
        words = one if same.n == 1 else many
        copy = make_button(
            self.tr("Copy judgements"),
            self.tr("Copy these judgements. You can undo it in one step."),
            self.controller.copy_judgements,
        )
        text = words.format(n=format_count(same.n), names=names)
        self.messages.post(text, buttons=[copy])

    def _on_saved(self, change: PairChange) -> None:
        """Offer the tags in use, and remove a filter by an unused tag."""
        if isinstance(change, JudgePairs) and (change.add_tags or change.remove_tags):
            tags, settings = self._offer_tags(), self.session.queue.settings
            if settings.tag and settings.tag not in tags:
                self.session.load_current(
                    msgspec.structs.replace(settings, tag=""),
                    pair=self.session.queue.current,
                )

    def _on_mining_chosen(self, mining_id: int) -> None:
        self.session.load(mining_id, QueueSettings())

    def _on_pair_chosen(self, pair_id: int) -> None:
        self.session.go_to(pair_id)
        self.page.focus()

    # --- layout ---

    def _lay_out(self) -> None:
        self._pages.addWidget(self.empty_page)
        self._pages.addWidget(self.page)
        self._split.setStretchFactor(0, 1)
        self._split.setSizes([140 * GRID, SIDE_WIDTH])
        make_column((self._split, 1), self.messages, parent=self, gap=0)

    def _connect(self) -> None:
        session = self.session
        session.pair_changed.connect(self._show_pair)
        session.counts_changed.connect(self._show_counts)
        session.mining_changed.connect(self._show_mining)
        session.judged.connect(self.sidebar.refresh_soon)
        session.changed_elsewhere.connect(self._on_changed_elsewhere)
        session.failed.connect(self._on_failed)
        session.explainer.explained.connect(self._on_explained)
        session.outbox.changed.connect(self._show_saved)
        session.outbox.saved.connect(self._on_saved)
        self.header.mining_chosen.connect(self._on_mining_chosen)
        self.header.retry_button.clicked.connect(session.outbox.send_again)
        self.header.panel_button.clicked.connect(self._toggle_sidebar)
        self.header.name_button.clicked.connect(self._ask_name)
        self.state.settings_changed.connect(self._show_name)
        self.header.export_button.clicked.connect(self.controller.ask_export)
        self.header.return_button.clicked.connect(self.packages.return_package)
        self.header.picked.connect(self.focus_first)
        self.queue_bar.changed.connect(self._on_settings_changed)
        self.queue_bar.picked.connect(self.focus_first)
        reload_button = self.page.decision.reload_button
        reload_button.clicked.connect(self.commands["reload"].trigger)
        session.order_outdated.connect(reload_button.setVisible)
        self.controller.range_judged.connect(self._on_range_judged)
        self.controller.judgements_copied.connect(self._on_copied)
        self.controller.unlinking_requested.connect(self._ask_unlinking)
        self.page.text_view.editing_changed.connect(self._on_editing_changed)
        self.page.text_view.draft_changed.connect(session.drafts.put)
        self.sidebar.agreement.shown.connect(self._on_agreement_shown)
        self.sidebar.pair_chosen.connect(self._on_pair_chosen)
        self.sidebar.conflicts_requested.connect(self.controller.show_conflicts)
        self._show_saved()
        self._show_name()

    # --- protocol of views ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return both texts of the current pair."""
        shown = self.session.shown
        if shown is None:
            return SentenceText(), SentenceText()
        source, target = shown.source, shown.target
        return (
            SentenceText(source.text, source.language),
            SentenceText(target.text, target.language),
        )

    def reading_request(self) -> ReadingRequest | None:
        """Return the sentences of the current pair."""
        shown = self.session.shown
        if shown is None:
            return None
        pair = shown.texts.pair
        return ReadingRequest(pair.source_id, (pair.target_id,))

    def save_state(self) -> dict[str, Any]:
        """Return the position, unsaved changes, and target precision."""
        return self.session.save_state() | {
            "precision": self.sidebar.threshold.precision,
            "sidebar": self._wants_sidebar,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Go back to the pair, and send what could not be saved."""
        self.sidebar.threshold.set_precision(state.get("precision", 0))
        is_wanted = state.get("sidebar")
        self._wants_sidebar = is_wanted if isinstance(is_wanted, bool) else None
        self._show_sidebar()
        self.session.restore_state(state)

    def focus_first(self) -> None:
        """Set the focus on the pair, or on the first button."""
        if self._pages.currentWidget() is self.page:
            self.page.focus()
        else:
            self.empty_page.focus_first()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the panel on the right if the pair becomes too narrow."""
        super().resizeEvent(event)
        is_narrower = event.size().width() < event.oldSize().width()
        if self._wants_sidebar and self._is_narrow and is_narrower:
            self._wants_sidebar = None
        self._show_sidebar()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Set the focus on the pair after a click on the background."""
        self.focus_first()
        super().mousePressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Let the focused control handle the space bar."""
        is_key = event.type() == QEvent.Type.ShortcutOverride
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            focused = self.window().focusWidget()
            if isinstance(focused, QAbstractButton | QComboBox | QLineEdit):
                event.accept()
                return True
        return super().event(event)
