"""What the review says where there is no pair to show, and what to do next."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.engine.store.pair_rows import MiningRow
from app.errors import ErrorInfo
from app.views.review_queue import ReviewQueue
from app.views.widgets.controls import ButtonKind, make_action_button, make_button
from app.views.widgets.empty_state import EmptyState
from app.views.words import format_count


class ReviewEmpty(QWidget):
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
        """Say why there is no queue."""
        self._error.set_words(self.tr("There is no queue"), error.message)
        self._pages.setCurrentWidget(self._error)

    def show_reason(self, mining: MiningRow | None, queue: ReviewQueue) -> None:
        """Say why no pair is shown."""
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
