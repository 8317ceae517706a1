"""A user of the window: clicks, types, and notes every fault."""

import sys
import traceback
from collections.abc import Callable
from random import Random
from types import TracebackType

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.views.shell.main_window import MainWindow

CLICKED = (
    *(QPushButton, QToolButton, QCheckBox, QRadioButton, QComboBox, QTabBar),
    *(QAbstractItemView, QAbstractSpinBox, QLineEdit),
)
# These leave the program: a file manager, the end of the window, another project, or
# another folder of it.
LEAVING = (
    "Open folder",
    "Quit",
    "Close project",
    "Rename project…",
    "Open the demo project",
    "Full screen",
)
WORDS = ("storm", "Hafen", "海", "ship*", "[", "lemma:go", "a b", "", "  ", "\u202eab")
KEYS = (
    *(Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Down),
    *(Qt.Key.Key_Up, Qt.Key.Key_Space, Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_Delete),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageDown, Qt.Key.Key_1),
)


class FaultRecorder:
    """Records uncaught exceptions and errors that are faults of the program.

    Attributes:
        faults: their tracebacks.
    """

    def __init__(self, window: MainWindow):
        """Record the faults of a window until `stop`."""
        self.faults: list[str] = []
        self._hook = sys.excepthook
        sys.excepthook = self._on_exception
        window.state.error_posted.connect(self._on_error)

    def stop(self) -> None:
        """Record nothing more."""
        sys.excepthook = self._hook

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, at: TracebackType | None
    ) -> None:
        if issubclass(kind, Exception):  # not the end of a test that takes too long
            self.faults.append("".join(traceback.format_exception(kind, error, at)))

    def _on_error(self, error: object) -> None:
        if getattr(error, "kind", "") == "bug":
            self.faults.append(f"{error}")


class User:
    """Uses a window with mouse and keyboard.

    Attributes:
        last: the last action, for the report of a fault.
    """

    def __init__(self, window: MainWindow, rng: Random):
        self.window, self.rng, self.last = window, rng, ""

    def click_everything(self, view: QWidget) -> None:
        """Click each control of a view once, then trigger its actions."""
        for control in controls_of(view):
            self.click(control)
            self.close_dialogs()
        for action in view.actions():
            self.trigger(action)
            self.close_dialogs()

    def click(self, control: QWidget) -> None:
        """Click the middle of a control; a menu is used by one of its actions."""
        if not _is_usable(control):
            return
        self.last = f"click {describe(control)}"
        menu: QMenu | None = None
        if isinstance(control, QPushButton | QToolButton):
            menu = control.menu()
        if menu is not None:
            self.choose(menu)
            return
        QTest.mouseClick(_target(control), Qt.MouseButton.LeftButton)
        process_events()

    def choose(self, menu: QMenu) -> None:
        """Trigger an action of a menu: its loop of events would wait for a hand."""
        menu.aboutToShow.emit()
        actions = [one for one in menu.actions() if not one.menu()]
        if actions:
            self.trigger(self.rng.choice(actions))

    def trigger(self, action: QAction) -> None:
        """Trigger an action that stays in the program."""
        if action.isEnabled() and action.text().replace("&", "") not in LEAVING:
            self.last = f"action {action.text()}"
            action.trigger()
            process_events()

    def type(self, text: str) -> None:
        """Type a text where the keyboard is."""
        widget = QApplication.focusWidget() or self.window
        self.last = f"type {text!r} in {describe(widget)}"
        for character in text:  # QTest's own keys are ASCII
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                none = Qt.KeyboardModifier.NoModifier
                event = QKeyEvent(kind, 0, none, character)
                QCoreApplication.sendEvent(widget, event)
        process_events()

    def press(self, key: Qt.Key) -> None:
        """Press a key where the keyboard is."""
        widget = QApplication.focusWidget() or self.window
        self.last = f"press {key.name} in {describe(widget)}"
        QTest.keyClick(widget, key)
        process_events()

    def dialogs(self) -> list[QDialog]:
        """Return the dialogs and questions that are open, the newest last."""
        tops = QApplication.topLevelWidgets()  # quicker than the window's children
        shown = {one for one in tops if isinstance(one, QDialog) and one.isVisible()}
        if not shown:
            return []
        return [one for one in self.window.findChildren(QDialog) if one in shown]

    def close_dialogs(self) -> None:
        """Cancel every dialog; popups close as well."""
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        for dialog in self.dialogs():
            dialog.reject()
        process_events()

    def act(self) -> None:
        """Do one thing at random, in the newest dialog if one is open."""
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        dialogs = self.dialogs()
        if dialogs and (
            isinstance(dialogs[-1], QFileDialog) or self.rng.random() < 0.2
        ):
            self.close_dialogs()
            return
        scope = dialogs[-1] if dialogs else self.window
        chance = self.rng.random()
        if chance < 0.55:
            found = controls_of(scope)
            if found:
                self.click(self.rng.choice(found))
        elif chance < 0.65:
            self.type(self.rng.choice(WORDS))
        elif chance < 0.85:
            self.press(self.rng.choice(KEYS))
        elif dialogs:
            self.close_dialogs()
        else:
            self._act_in_window(chance)

    def _act_in_window(self, chance: float) -> None:
        if chance < 0.91:
            entry = self.rng.choice(self.window.entries)
            self.last = f"show {entry.name}"
            self.window.show_view(entry.name)
            process_events()
        elif chance < 0.94:
            self.last = "undo or redo"
            state = self.window.state
            self.rng.choice((state.undo, state.redo))()
        elif chance < 0.96:
            self.last = "cancel"
            for run in self.window.state.runs:
                self.window.state.cancel(run)
        else:
            actions: list[Callable[[], object]] = [
                lambda a=action: self.trigger(a)  # type: ignore[misc]
                for _, action in self.window.menus.actions
            ]
            self.rng.choice(actions)()


def controls_of(view: QWidget) -> list[QWidget]:
    """Return the controls of a widget that a mouse reaches."""
    return [one for one in view.findChildren(QWidget) if isinstance(one, CLICKED)]


def describe(widget: QWidget) -> str:
    """Name a widget by its class, its text and its accessible name."""
    text = getattr(widget, "text", lambda: "")
    words = text() if callable(text) and not isinstance(widget, QTabBar) else ""
    return f"{type(widget).__name__} {words!r} {widget.accessibleName()!r}"


def process_events() -> None:
    """Draw, answer and delete what is due."""
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _is_usable(control: QWidget) -> bool:
    if not shiboken6.isValid(control):  # the click before has deleted it
        return False
    text = control.text() if isinstance(control, QPushButton) else ""
    return control.isVisible() and control.isEnabled() and text not in LEAVING


def _target(control: QWidget) -> QWidget:
    """Return the widget that receives a click: of a list or table, what scrolls."""
    if isinstance(control, QAbstractItemView):
        return control.viewport()
    return control
