"""Message bar: one message of as many lines as fit, with its buttons."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QWidget

from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import (
    ElidedLines,
    make_button,
    make_label,
    make_menu_button,
    restyle,
)
from app.views.widgets.dialogs import ReportDialog
from app.views.widgets.icons import draw_icon
from app.views.widgets.theme import GRID, colours_of, set_text_size

NOTICE_MS = 7_000  # after which a notice without buttons closes
STEPS_MS = 20_000  # the same, for a brief notice with buttons
ACTION_MS = 4_000  # the same, for the user's last action while an older notice waits
MIN_NOTICE_MS = 1_500  # the same, while another one waits
MAX_WAITING = 5  # notices without buttons
ICON_PX = 20
MESSAGE_PX, MARGINS = 12, 4
HEIGHT = 5 * GRID  # of the bar, in which a long message is cut
MIN_TEXT_WIDTH = 5 * GRID  # of the text next to a job
MIN_TEXT_SHARE = 0.5  # of the bar, for a long text; else buttons move into a menu


class BarMessage(NamedTuple):
    """A message for the bar."""

    text: str
    kind: Literal["notice", "error"]
    buttons: Sequence[QPushButton]
    topic: str = ""  # a newer message on the topic replaces this one
    is_brief: bool = False  # closes after a while even if it has buttons


class MessageLabel(ElidedLines):
    """A label of as many lines as fit the bar: two, or one of large text."""

    cut_changed = Signal(bool)  # whether the text is cut

    @property
    def max_lines(self) -> int:
        """The number of lines that fit the bar."""
        return max((HEIGHT - MARGINS) // self.fontMetrics().height(), 1)

    def is_cut_at(self, width: int) -> bool:
        """Return whether a width is too narrow for the whole text."""
        shown, _ = self._lay_out(self._whole, width, self.max_lines)
        return shown != self._whole

    def _fit(self) -> None:
        super()._fit()
        self.cut_changed.emit(QLabel.text(self) != self._whole)


class MessageBar(QFrame):
    """Shows one message at a time; other messages wait.

    Errors come first. Then comes what was done, before what is offered. A report that
    was read does not return after a newer message; an error or an offer does.
    """

    changed = Signal()  # the shown message changed or closed

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("messageBar")
        self._waiting: deque[BarMessage] = deque()
        self._shown: BarMessage | None = None
        self._shown_since = 0.0  # monotonic seconds
        self._full_width = self._job_width = 0
        self._icon = QLabel()
        self._text = MessageLabel()
        set_text_size(self._text, MESSAGE_PX)
        self._all: QPushButton | None = None  # while the text is cut
        self._rest: QPushButton | None = None  # the menu of buttons that do not fit
        self._text.cut_changed.connect(self._offer_all)
        self._more = make_label("", "secondary")
        self._close = make_button(
            "", self.tr("Close the message."), self.dismiss, kind="quiet"
        )
        self._close.setAccessibleName(self.tr("Close message"))
        self._close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row = make_row(
            self._icon,
            (self._text, 1),
            self._more,  # before the buttons, which stay where they are
            self._close,
        )
        make_column(self._row, parent=self, margins=(2 * GRID, 1, GRID, 1))
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.dismiss)
        self.hide()

    @property
    def text(self) -> str:
        """The current message; empty if there is none."""
        return self._shown.text if self._shown is not None else ""

    @property
    def is_error(self) -> bool:
        """Whether the current message is an error."""
        return self._shown is not None and self._shown.kind == "error"

    def post(
        self,
        text: str,
        kind: Literal["notice", "error"] = "notice",
        buttons: Sequence[QPushButton] = (),
        *,
        info_buttons: Sequence[QPushButton] = (),
        topic: str = "",
        is_brief: bool = False,
    ) -> None:
        """Show a sentence; pressing one of its `buttons` closes it.

        Args:
            info_buttons: buttons that show or copy more and leave the message open.
            topic: if not empty, older messages on the topic are removed.
            is_brief: close a notice after a while even if it has buttons.
        """
        self._forget_topic(topic)
        if any(other.text == text for other in (*self._waiting, self._shown) if other):
            return
        every = (*buttons, *info_buttons)
        message = BarMessage(text, kind, every, topic, is_brief)
        for button in every:
            button.setParent(self)
            # Focus must not be lost with the button after a click.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.hide()
        for button in buttons:
            button.clicked.connect(lambda: self._settle(message))
        if kind == "error" or _comes_first(message, self._shown):
            self._make_way()
            self._waiting.appendleft(message)
        else:
            offers = [i for i, one in enumerate(self._waiting) if _is_offer(one)]
            is_last = _is_offer(message) or not offers
            self._waiting.insert(len(self._waiting) if is_last else offers[0], message)
            self._forget_oldest()
        if self._shown is None:
            self._show_next()
        elif self._timer.remainingTime() > MIN_NOTICE_MS and not self._shown.buttons:
            self._timer.start(MIN_NOTICE_MS)
        self._count()

    def set_room(self, full_width: int, job_width: int) -> None:
        """Arrange the buttons so that they stay in place when a job is shown.

        Args:
            full_width: width of the bar without a job, in pixels.
            job_width: width of a job in the bar, in pixels.
        """
        self._full_width, self._job_width = full_width, job_width
        if self._shown is not None:
            self._fit_buttons(self._shown.buttons)

    def has_topic(self, topic: str) -> bool:
        """Return whether a message on a topic is shown or waits."""
        messages = (self._shown, *self._waiting)
        return any(one.topic == topic for one in messages if one is not None)

    def dismiss(self) -> None:
        """Close the shown message and show the next one."""
        if self._shown is not None:
            for button in self._shown.buttons:
                button.deleteLater()
        self._show_next()

    def drop_report(self) -> None:
        """Close a report that was read, since a newer message is shown elsewhere."""
        if self._shown is not None and self._is_done_with(self._shown):
            self.dismiss()

    def close_report(self) -> None:
        """Close a report when the user leaves the view; errors and offers stay."""
        if self._shown is not None and _is_report(self._shown):
            self.dismiss()

    def withdraw(self, text: str) -> None:
        """Remove a message that is no longer true."""
        for message in [other for other in self._waiting if other.text == text]:
            self._waiting.remove(message)
            for button in message.buttons:
                button.deleteLater()
        self._count()
        if self.text == text:
            self.dismiss()
        elif self._shown is not None and _is_plain(self._shown) and not self._waiting:
            self._timer.start(NOTICE_MS)  # no message waits any longer

    def clear(self) -> None:
        """Remove all messages."""
        for message in self._waiting:
            for button in message.buttons:
                button.deleteLater()
        self._waiting.clear()
        self.dismiss()

    def _forget_topic(self, topic: str) -> None:
        """Remove older messages on a topic."""
        if topic:
            for message in [one for one in self._waiting if one.topic == topic]:
                self._waiting.remove(message)
            if self._shown is not None and self._shown.topic == topic:
                self.dismiss()

    def _forget_oldest(self) -> None:
        """Limit the number of notices that need no action."""
        plain = [one for one in self._waiting if _is_plain(one)]
        for message in plain[: max(len(plain) - MAX_WAITING, 0)]:
            self._waiting.remove(message)

    def _settle(self, message: BarMessage) -> None:
        if message is self._shown:
            self.dismiss()

    def _make_way(self) -> None:
        """Hide the shown message for another one; queue it again unless it is done."""
        shown = self._shown
        self._hide_buttons()
        self._shown = None
        if shown is None:
            return
        if shown.kind == "error":
            self._waiting.appendleft(shown)
        elif not self._is_done_with(shown):
            n_errors = sum(other.kind == "error" for other in self._waiting)
            self._waiting.insert(n_errors, shown)
        else:
            for button in shown.buttons:
                button.deleteLater()

    def _is_done_with(self, shown: BarMessage) -> bool:
        """Return whether the message needs no answer and was read or has a topic."""
        if shown.kind == "error" or (shown.buttons and not shown.is_brief):
            return False
        was_read = (time.monotonic() - self._shown_since) * 1_000 >= MIN_NOTICE_MS
        return was_read or (bool(shown.topic) and not shown.buttons)

    def _hide_buttons(self) -> None:
        for button in self._shown.buttons if self._shown is not None else ():
            self._row.removeWidget(button)
            button.hide()
        self._offer_rest(())

    def _show_next(self) -> None:
        self._timer.stop()
        self._hide_buttons()
        self._shown = self._waiting.popleft() if self._waiting else None
        self._count()
        self.setVisible(self._shown is not None)
        if self._shown is not None:
            self._show(self._shown)
        self.changed.emit()

    def _show(self, message: BarMessage) -> None:
        self._shown_since = time.monotonic()
        self._text.setText(message.text)
        restyle(self, "kind", message.kind)
        self._draw_icons(message.kind)
        for button in message.buttons:
            # The menu of the other buttons comes after all of them.
            self._row.insertWidget(self._row.indexOf(self._rest or self._close), button)
        self._fit_buttons(message.buttons)
        if message.kind == "notice" and message.is_brief and message.buttons:
            self._timer.start(STEPS_MS)
        elif _is_plain(message):
            waited_for_ms = ACTION_MS if message.topic else MIN_NOTICE_MS
            self._timer.start(waited_for_ms if self._waiting else NOTICE_MS)
        self.setAccessibleName(message.text)

    def _fit_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Show as many buttons as leave room for the text, and a menu of the others."""
        n_shown = self._count_fitting(buttons)
        for index, button in enumerate(buttons):
            button.setVisible(index < n_shown)
        self._offer_rest(buttons[n_shown:])

    def _count_fitting(self, buttons: Sequence[QPushButton]) -> int:
        fixed = [self._icon, self._close]
        fixed += [] if self._more.isHidden() else [self._more]
        gap = self._row.spacing()
        full_width = self._full_width or self.width()
        room = full_width - 3 * GRID - sum(_width(one) + gap for one in fixed)
        show_all = _measure_button(self.tr("Show all")) + gap
        menu = _measure_button(self.tr("More")) + gap
        for n in range(len(buttons), 0, -1):
            is_whole = n == len(buttons)
            if n == len(buttons) - 1:
                continue  # a menu of one action is useless
            rest = room - sum(_width(one) + gap for one in buttons[:n])
            rest -= 0 if is_whole else menu
            if rest - show_all - self._job_width < MIN_TEXT_WIDTH:
                continue
            has_room = rest - show_all >= MIN_TEXT_SHARE * full_width
            if has_room or not self._text.is_cut_at(max(rest, 1)):
                return n
        return len(buttons) if len(buttons) < 2 else 0

    def _offer_rest(self, buttons: Sequence[QPushButton]) -> None:
        """Offer the buttons that do not fit in a menu."""
        if self._rest is None and buttons:
            self._rest = make_menu_button(
                self.tr("More"), self.tr("Show more actions.")
            )
            self._rest.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._row.insertWidget(self._row.indexOf(self._close), self._rest)
        if self._rest is None:
            return
        self._rest.setVisible(bool(buttons))
        menu = self._rest.menu()
        for action in menu.actions():
            menu.removeAction(action)
            action.deleteLater()  # it may be the action that was just triggered
        menu.addActions([_make_action(button, menu) for button in buttons])

    def _offer_all(self, is_cut: bool) -> None:
        """Show a button for the complete message if it is cut."""
        if self._all is not None and not is_cut:
            self._all.hide()
            self._all.deleteLater()
            self._all = None
        elif self._all is None and is_cut:
            words = self.tr("Show all")
            hint = self.tr("Show the whole message.")
            self._all = make_button(words, hint, self._show_all)
            self._all.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._row.insertWidget(2, self._all)

    def _show_all(self) -> None:
        ReportDialog(self.text, self.text, self.window()).open()

    def _count(self) -> None:
        n = len(self._waiting)
        self._more.setText(self.tr("{n} more").format(n=n) if n else "")
        self._more.setVisible(bool(n))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the buttons to the new width."""
        super().resizeEvent(event)
        if self._shown is not None:
            self._fit_buttons(self._shown.buttons)

    def _draw_icons(self, kind: str) -> None:
        colours = colours_of(self)
        is_error = kind == "error"
        colour = colours.warning if is_error else colours.accent
        name = "warning" if is_error else "notice"
        self._icon.setPixmap(draw_icon(name, colour, ICON_PX))
        self._close.setIcon(QIcon(draw_icon("close", colours.secondary, ICON_PX)))


def _width(widget: QWidget) -> int:
    return widget.sizeHint().width()


def _measure_button(words: str) -> int:
    """Return the width of a button that does not exist yet, with room for an arrow."""
    return _width(make_button(words, words)) + 2 * GRID


def _make_action(button: QPushButton, menu: QMenu) -> QAction:
    """Return a menu action that presses a button."""
    action = QAction(button.text(), menu, toolTip=button.toolTip())
    action.setEnabled(button.isEnabled())
    action.triggered.connect(button.click)
    return action


def _is_plain(message: BarMessage) -> bool:
    return message.kind == "notice" and not message.buttons


def _comes_first(message: BarMessage, shown: BarMessage | None) -> bool:
    """Return whether a notice about the last action replaces the shown one at once."""
    is_shown_notice = shown is not None and shown.kind == "notice"
    if message.topic:
        return is_shown_notice
    return _is_report(message) and _is_offer(shown)


def _is_report(message: BarMessage) -> bool:
    """Return whether a notice reports the last action."""
    return _is_plain(message) or (message.kind == "notice" and bool(message.topic))


def _is_offer(message: BarMessage | None) -> bool:
    """Return whether a notice offers something that can wait."""
    return message is not None and message.kind == "notice" and not _is_report(message)
