"""The scrolling centre of the review view, and the page shown without a pair."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QWidget,
)

from app.engine.store.pairs.sets import PairSetRow
from app.errors import ErrorInfo
from app.views.review.controller import ReviewController
from app.views.review.header import QueueBar
from app.views.review.pair_page import PairPage
from app.views.review.queue import QueueSettings, ReviewQueue, describe_filters
from app.views.review.text import count_decided, list_undecided
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_action_button, make_button, restyle
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.theme import GRID

GAP = GRID + 4
MARGINS = (3 * GRID, 2 * GRID, 2 * GRID, GRID + 4)


class ReviewCentre(QScrollArea):
    """Shows header, queue fields and pair, or the reason why there is no pair.

    The pair uses the remaining height. If it needs more, it uses the full height, and
    the other parts scroll out of view above it. (QScrollArea would always use the
    preferred height.)
    """

    def __init__(
        self,
        heads: tuple[QWidget, ...],
        body: QWidget,
        page: PairPage,
        parent: QWidget | None = None,
    ):
        """Initialise from the parts above the body and the pair page in the body."""
        super().__init__(parent)
        self._heads, self._page = heads, page
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        content.setObjectName("scrolled")
        make_column(*heads, (body, 1), parent=content, gap=GAP, margins=MARGINS)
        self.setWidget(content)
        content.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def show_pair(self) -> None:
        """Scroll to the pair, unless a part above it has the focus."""
        focused = self.window().focusWidget()
        if not any(head.isAncestorOf(focused) for head in self._heads if focused):
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _fit(self) -> None:
        """Resize the content to the width, and to at least the height it needs."""
        content, layout = self.widget(), self._page.layout()
        if content is None or layout is None:
            return
        left, top, right, bottom = MARGINS
        width, height = self.viewport().width(), self.viewport().height()
        head_height = top
        for head in self._heads:
            if isinstance(head, QueueBar):
                head.fit_into(width - left - right, height)
            if not head.isHidden():
                head_height += head.heightForWidth(width - left - right) + GAP
        least = 0
        if not self._page.isHidden():
            self._page.fit_into(height - head_height - bottom)
            least = layout.minimumHeightForWidth(width - left - right) + bottom
        if head_height + least > height:
            height = head_height + max(least, height)
        content.resize(width, height)
        self.show_pair()

    def _on_focus_changed(self, _: QWidget | None, focused: QWidget | None) -> None:
        content = self.widget()
        if focused is not None and content is not None:
            if any(head.isAncestorOf(focused) for head in self._heads):
                self.ensureWidgetVisible(focused)
            elif content.isAncestorOf(focused):
                self.show_pair()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the content when a part requests another height."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """Return at least the width of the content."""
        content, bar = self.widget(), self.verticalScrollBar()
        width = content.minimumSizeHint().width() if content is not None else 0
        return QSize(width + bar.sizeHint().width(), 20 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the content to the new size."""
        super().resizeEvent(event)
        self._fit()


class ReviewEmptyPage(QWidget):
    """Pages that explain why no pair is shown."""

    def __init__(
        self,
        actions: Mapping[str, QAction],
        controller: ReviewController,
        parent: QWidget | None = None,
    ):
        """Initialise; the controller queues other pairs."""
        super().__init__(parent)
        self._pages = QStackedLayout(self)
        self._none = EmptyState(
            self.tr("No pairs yet"),
            self.tr(
                "Mine pairs of sentences that are translations of each other, or open "
                "a package from another annotator, then judge them here with one key "
                "each."
            ),
            [
                make_action_button(actions["mine"], kind="primary"),
                make_action_button(actions["open_package"]),
            ],
            icon="review",
        )
        hint = self.tr("Show all pairs, judged or not.")
        show_all = make_button(self.tr("Show all pairs"), hint, controller.show_all)
        usual = [make_action_button(actions[name]) for name in ("reload", "mine")]
        self._done = _WorkPage(actions, controller, show_all, usual, is_first=True)
        first_pair = make_action_button(actions["first_pair"])
        usual = [first_pair, make_action_button(actions["reload"])]
        self._end = _WorkPage(actions, controller, first_pair, usual)
        self._wait = EmptyState("", "", icon="review")
        self._error = EmptyState("", "", [make_action_button(actions["reload"])])
        for page in (self._none, self._done, self._end, self._wait, self._error):
            self._pages.addWidget(page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text of the current page."""
        page = self._pages.currentWidget()
        return page.words if isinstance(page, EmptyState) else ("", "")

    def focus_first(self) -> None:
        """Set the focus on the first enabled button."""
        page = self._pages.currentWidget()
        buttons = page.findChildren(QPushButton) if page is not None else []
        for button in [one for one in buttons if one.isEnabled()][:1]:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_error(self, error: ErrorInfo) -> None:
        """Show why the queue could not be loaded."""
        self._show(self._error, self.tr("Can't load the queue"), error.message)

    def show_reason(
        self,
        mining: PairSetRow | None,
        queue: ReviewQueue,
        totals: Mapping[str, int],
        n_conflicts: int,
    ) -> None:
        """Show why there is no current pair, and offer the remaining work.

        Args:
            mining: the pair set, or None.
            totals: number of pairs in the set by verdict.
            n_conflicts: number of conflicts to resolve.
        """
        filters, n_waiting = describe_filters(queue.settings), totals.get("", 0)
        is_package = mining is not None and mining.kind == "package"
        is_other = queue.settings.which != "conflict" or len(queue) < n_conflicts
        for page in (self._done, self._end):
            page.offer(
                has_search=bool(queue.settings.find),
                has_unjudged=bool(filters) and n_waiting > 0,
                n_conflicts=n_conflicts if is_other else 0,
                has_return=is_package,
                is_finished=is_package and bool(totals) and not n_waiting,
            )
        if mining is None:
            self._pages.setCurrentWidget(self._none)
        elif queue.is_loading and not len(queue):
            words = self.tr("Sorting {n} pairs…")
            n = format_count(mining.n_pairs + mining.n_candidates)
            self._show(self._wait, mining.name, words.format(n=n))
        elif not len(queue):
            self._show(self._done, *self._explain_empty_queue(queue))
        else:
            text = self._explain_end(len(queue), filters, totals)
            self._show(self._end, self.tr("End of the queue"), text)

    def _explain_end(self, n: int, filters: str, totals: Mapping[str, int]) -> str:
        """Describe the number of pairs in the queue and of those left in the set."""
        if not filters:
            one = self.tr("The queue had 1 pair. Reload it to include changes.")
            many = self.tr("The queue had {n} pairs. Reload it to include changes.")
            return pluralize(n, one, many)
        one = self.tr("The queue had 1 pair ({filters}).")
        many = self.tr("The queue had {n} pairs ({filters}).")
        had = pluralize(n, one, many.replace("{filters}", "{{filters}}"))
        words = self.tr("{left} of the {all} pairs of the set are not judged.")
        left = words.format(
            left=format_count(totals.get("", 0)), all=format_count(sum(totals.values()))
        )
        return f"{had.format(filters=filters)} {left}"

    def _explain_empty_queue(self, queue: ReviewQueue) -> tuple[str, str]:
        n_judged = sum(n for verdict, n in queue.counts.items() if verdict)
        if queue.settings.find:
            n = sum(queue.counts.values())
            words = self.tr("No pair contains “{text}”.")
            if n == 1:
                words = self.tr("1 pair with another verdict contains “{text}”.")
            elif n:
                words = self.tr("{n} pairs with another verdict contain “{text}”.")
            text = words.format(text=queue.settings.find, n=format_count(n))
            return self.tr("No matching pairs"), text
        if queue.settings.which != "unjudged" or not n_judged:
            heading = self.tr("No matching pairs")
            if queue.settings == QueueSettings(
                which="conflict",
                order=queue.settings.order,
                descending=queue.settings.descending,
            ):
                return heading, self.tr("There are no conflicts.")
            return heading, self.tr("Change the filters, or show all pairs.")
        n_decided = count_decided(queue.counts)
        judged = self.tr("1 pair is judged") if n_decided == 1 else ""
        judged = judged or self.tr("{n} pairs are judged")
        parts = [
            judged.format(n=format_count(n_decided)),
            *list_undecided(queue.counts),
        ]
        return self.tr("No pair is left to judge"), f"{', '.join(parts)}."

    def _show(self, page: EmptyState, heading: str, text: str) -> None:
        page.set_words(heading, text)
        self._pages.setCurrentWidget(page)


class _WorkPage(EmptyState):
    """A page shown without a pair, with buttons for the remaining work."""

    def __init__(
        self,
        actions: Mapping[str, QAction],
        controller: ReviewController,
        primary: QPushButton,
        usual: Sequence[QPushButton],
        *,
        is_first: bool = False,
    ):
        """Make the page.

        Args:
            actions: the view's actions.
            controller: queues other pairs.
            primary: the default button if nothing is finished.
            usual: buttons hidden while there are pairs left to judge.
            is_first: whether the primary button precedes the offers.
        """
        tr = controller.tr
        clear_search = make_button(
            tr("Clear search"),
            tr("Show pairs with any text (Esc in the search field)."),
            controller.clear_search,
        )
        unjudged = make_button(
            tr("Show all pairs to judge"),
            tr("Clear filters and search, and show all pairs that are not judged."),
            controller.show_unjudged,
        )
        conflicts = make_button(
            tr("Resolve conflicts"),
            tr("Show the pairs that annotators disagree on."),
            controller.show_conflicts,
        )
        unlink = make_action_button(actions["unlink_rejected"])
        return_button = make_action_button(actions["return_package"])
        offers = [*([primary] if is_first else []), unjudged, conflicts]
        buttons = [clear_search, *offers, *usual, unlink, return_button]
        super().__init__("", "", buttons, icon="review")
        self._primary, self._usual = primary, usual
        self._clear_search, self._unjudged = clear_search, unjudged
        self._conflicts, self._return = conflicts, return_button

    def offer(
        self,
        *,
        has_search: bool,
        has_unjudged: bool,
        n_conflicts: int,
        has_return: bool,
        is_finished: bool,
    ) -> None:
        """Show buttons for the remaining work; `is_finished`: a package is complete."""
        words = self.tr("Resolve 1 conflict"), self.tr("Resolve {n} conflicts")
        self._conflicts.setText(pluralize(n_conflicts, *words))
        for button, is_shown in (
            (self._clear_search, has_search),
            (self._unjudged, has_unjudged),
            (self._conflicts, n_conflicts > 0),
            *((button, not has_unjudged) for button in self._usual),
            (self._return, has_return),
        ):
            button.setVisible(is_shown)
        restyle(self._return, "primary", is_finished)
        restyle(self._primary, "primary", not is_finished)
