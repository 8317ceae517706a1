"""Row of buttons that show their keyboard shortcut."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.views.widgets.boxes import make_row
from app.views.widgets.controls import describe, make_label
from app.views.widgets.theme import GRID

GAP = 5


class ShortcutHint(NamedTuple):
    """A key and what it does.

    Attributes:
        keys: of an action that has no shortcut; empty: its shortcut.
    """

    action: QAction
    words: str
    keys: str = ""


class ShortcutButton(QPushButton):
    """Button with a key cap and a text; a click triggers the action of the key."""

    def __init__(self, hint: ShortcutHint, parent: QWidget):
        super().__init__(parent)
        action, words, self._keys = hint
        self._action, self._words = action, words
        self._cap = make_label("", "key")
        row = make_row(self._cap, parent=self, gap=GAP, margins=(2, 0, 4, 0))
        self._label = make_label(words, "secondary")
        row.addWidget(self._label)
        for label in (self._cap, self._label):
            label.setSizePolicy(
                QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum
            )
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setProperty("quiet", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(lambda: action.trigger())
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Update the button from the state and the keys of its action."""
        form = QKeySequence.SequenceFormat.NativeText
        keys = self._keys or self._action.shortcut().toString(form)
        self._cap.setText(keys)
        self._cap.setVisible(bool(keys))
        self.setEnabled(self._action.isEnabled())
        describe(self, self._words, self._action.statusTip())

    def sizeHint(self) -> QSize:
        """Return the size of the key cap and the text."""
        layout = self.layout()
        assert layout is not None
        return layout.sizeHint()


class ShortcutRow(QWidget):
    """Row of as many shortcut buttons as fit."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._buttons: list[ShortcutButton] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_keys(self, keys: Sequence[ShortcutHint | tuple[QAction, str]]) -> None:
        """Show actions, most important first."""
        self._buttons = [ShortcutButton(ShortcutHint(*one), self) for one in keys]
        self._place()

    def _place(self) -> None:
        x = 0
        for button in self._buttons:
            size = button.sizeHint()
            button.setGeometry(x, 0, size.width(), self.height())
            button.setVisible(x + size.width() <= self.width())
            x += size.width() + GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the number of visible buttons."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place the keys again when one has another size, as with larger text."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
            self.updateGeometry()
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Return the size of one row."""
        hints = [button.sizeHint() for button in self._buttons]
        height = max((hint.height() for hint in hints), default=0)
        return QSize(sum(hint.width() + GAP for hint in hints), height + GRID)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size for a narrow row."""
        return QSize(80, self.sizeHint().height())
