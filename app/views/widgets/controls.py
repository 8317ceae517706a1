"""Labels and buttons with a tooltip and an accessible name."""

from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.views.widgets.text_layout import TextStyle, lay_out_text
from app.views.widgets.theme import GRID, scaled, set_text_size

LabelRole = Literal[
    "text",
    "title",
    "heading",
    "section",
    "figure",
    "secondary",
    "warning",
    "key",
    "accent",
]
_SIZES: dict[str, int] = {"title": 26, "heading": 18, "figure": 18}  # of other text
ButtonKind = Literal["normal", "primary", "quiet", "danger"]
ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
ARROW_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)


def make_label(
    text: str = "", role: LabelRole = "text", *, wraps: bool = False
) -> QLabel:
    """Make a label in one of the roles that the style sheet knows."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    _set_role(label, role)
    label.setWordWrap(wraps)
    return label


def _set_role(label: QLabel, role: LabelRole) -> None:
    label.setProperty("role", role)
    if role in _SIZES:
        set_text_size(label, _SIZES[role])


class PushButton(QPushButton):
    """A button that Enter presses while it has the focus, as Space does.

    Qt leaves Enter to the default button of a dialog, and in a window to nobody. Its
    arrow keys move the focus to the nearest button in the whole window; here they are
    left to what contains the button, which may scroll.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None):
        super().__init__(text, parent)
        self.setAutoDefault(False)  # Enter in a field of a dialog doesn't press it

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button by Enter; leave the arrow keys to what contains it."""
        if event.key() in ARROW_KEYS and self.group() is None:
            event.ignore()
        elif not _is_pressed_by(event, self):
            super().keyPressEvent(event)


class ToolButton(QToolButton):
    """The same, flat; its icon grows with the text."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._icon_px = self.iconSize().width()  # designed for text of 13 pixels
        self._fit_icon()

    def _fit_icon(self) -> None:
        side = scaled(self._icon_px, self)
        self.setIconSize(QSize(side, side))

    def changeEvent(self, event: QEvent) -> None:
        """Follow another size of the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_icon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button by Enter; leave the arrow keys to what contains it."""
        if event.key() in ARROW_KEYS and self.group() is None:
            event.ignore()
        elif not _is_pressed_by(event, self):
            super().keyPressEvent(event)


def is_ctrl_enter(event: QKeyEvent) -> bool:
    """Return whether a key saves what a dialog or an editor contains."""
    is_ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
    return bool(is_ctrl) and event.key() in ENTER_KEYS


def _is_pressed_by(event: QKeyEvent, button: QAbstractButton) -> bool:
    """Press a button if the key is Enter; returns whether it is."""
    is_enter = event.key() in ENTER_KEYS
    if is_enter and not event.isAutoRepeat():
        button.click()
    return is_enter


def make_button(
    text: str,
    hint: str,
    on_click: Callable[[], object] | None = None,
    *,
    kind: ButtonKind = "normal",
) -> QPushButton:
    """Make a button; the hint is one sentence for its tooltip."""
    button = PushButton(text)
    describe(button, text, hint)
    if kind != "normal":
        button.setProperty(kind, True)
    if on_click is not None:
        button.clicked.connect(lambda: on_click())
    return button


def make_action_button(
    action: QAction, *, words: str = "", kind: ButtonKind = "normal"
) -> QPushButton:
    """Make a button of an action: as enabled and visible as the action is.

    Args:
        action: triggered by the button.
        words: on the button, where those of the action are too long.
    """
    text = words or action.text()
    button = make_button(text, action.toolTip(), action.trigger, kind=kind)

    def _follow() -> None:
        button.setText(words or action.text())
        button.setToolTip(action.toolTip())
        button.setEnabled(action.isEnabled())
        button.setVisible(action.isVisible())

    action.changed.connect(_follow)
    button.setEnabled(action.isEnabled())
    if not action.isVisible():
        button.hide()
    return button


def make_menu_button(
    text: str, hint: str, *groups: Sequence[QAction], kind: ButtonKind = "normal"
) -> QPushButton:
    """Make a button whose menu offers actions; a line parts their groups."""
    button = make_button(text, hint, kind=kind)
    menu = QMenu(button)
    menu.setToolTipsVisible(True)
    for group in groups:
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addActions(group)
    button.setMenu(menu)
    return button


def keep_room(*widgets: QWidget, is_kept: bool = True) -> None:
    """Let widgets keep their place in a layout while they are hidden."""
    for widget in widgets:
        policy = widget.sizePolicy()
        policy.setRetainSizeWhenHidden(is_kept)
        widget.setSizePolicy(policy)


def make_tool_button(action: QAction) -> QToolButton:
    """Make a flat button of an action; the tooltip includes the shortcut."""
    button = ToolButton()
    button.setDefaultAction(action)
    button.setAccessibleName(action.text())
    return button


def indent_number(box: QAbstractSpinBox) -> None:
    """Leave the margin of other fields before a number: a style sheet can't."""
    box.lineEdit().setTextMargins(GRID, 0, 0, 0)


def make_rule() -> QFrame:
    """Make a thin line across."""
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule


def describe(
    widget: QWidget, name: str, hint: str = "", *, has_tooltip: bool = True
) -> None:
    """Set the accessible name and description of a control, and its tooltip."""
    widget.setAccessibleName(name.replace("&", ""))
    widget.setToolTip((hint or name) if has_tooltip else "")
    if hint:
        widget.setAccessibleDescription(hint)


def describe_action(action: QAction, hint: str) -> None:
    """Set the tooltip and status tip of an action: the hint and the shortcut."""
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{hint} ({keys})" if keys else hint)
    action.setStatusTip(hint)


ACTION_GROUP = "group"  # property: title of the submenu of a view's action


def group_actions(title: str, actions: Iterable[QAction]) -> None:
    """Put actions of a view into a submenu of its menu."""
    for action in actions:
        action.setProperty(ACTION_GROUP, title)


STARTS_SECTION = "section"  # property: a line is above the action in the view's menu


def start_menu_sections(*actions: QAction) -> None:
    """Let each of these actions of a view begin a section of its menu."""
    for action in actions:
        action.setProperty(STARTS_SECTION, True)


def add_action(
    view: QWidget,
    text: str,
    hint: str = "",
    slot: Callable[[], object] | None = None,
    keys: str | QKeySequence.StandardKey = "",
    *,
    is_local: bool = False,
) -> QAction:
    """Add an action to a view; its shortcut works while the keyboard is within it.

    Args:
        slot: is called; None: a controller connects the action.
        is_local: the shortcut works only in widgets that get the action themselves, as
            Del in a list must not delete it while the focus is elsewhere in the view.
    """
    action = QAction(text, view)
    action.setShortcut(QKeySequence(keys))
    context = Qt.ShortcutContext.WidgetWithChildrenShortcut
    if is_local:
        context = Qt.ShortcutContext.WidgetShortcut
    action.setShortcutContext(context)
    if slot is not None:
        action.triggered.connect(lambda: slot())
    describe_action(action, hint or text)
    view.addAction(action)
    return action


OFFERED = "offered"  # property of an action of a button


def offer_in_palette(
    button: QPushButton,
    text: str,
    slot: Callable[[], object] | None = None,
    *,
    synonyms: str = "",
) -> None:
    """List a button in the command palette while its page of the view is shown.

    Args:
        button: in a view, without an action of the view.
        text: names it among all actions of the window.
        slot: is called; None: the button is clicked.
        synonyms: other words that find it.
    """
    action = QAction(text, button)
    action.setObjectName(text.strip("…").lower())
    action.setProperty(OFFERED, True)
    add_synonyms(action, synonyms)
    action.triggered.connect(lambda: slot() if slot is not None else button.click())
    describe_action(action, button.toolTip())


SYNONYMS = "synonyms"  # property of an action


def add_synonyms(action: QAction, words: str) -> None:
    """Let the palette find an action by other words than those of its name."""
    action.setProperty(SYNONYMS, words)


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at, and redraw the widget."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class ElidedLabel(QLabel):
    """A label that never makes its window wider.

    Attributes:
        hint: further words for the tooltip.
        takes_line: in a wrapping row, it moves to a line of its own before it is cut.
    """

    def __init__(
        self,
        role: LabelRole = "text",
        parent: QWidget | None = None,
        *,
        takes_line: bool = False,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ):
        """Make an empty label.

        Args:
            role: in the style sheet.
            takes_line: in a wrapping row, move to a line of its own before being cut.
            elide: where the text is cut.
        """
        super().__init__(parent)
        self.takes_line, self._elide = takes_line, elide
        self._whole, self.hint = "", ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        _set_role(self, role)
        policy = QSizePolicy.Policy
        width = policy.Preferred if takes_line else policy.Ignored
        self.setSizePolicy(width, policy.Fixed)

    def setText(self, text: str) -> None:
        """Show a text, as much of it as fits."""
        self._whole = text
        self.setAccessibleName(text)
        self._fit()
        self.updateGeometry()  # Qt does this only if the elided text is another

    def text(self) -> str:
        """Return the whole text."""
        return self._whole

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        shown = metrics.elidedText(self._whole, self._elide, self.width())
        super().setText(shown)
        is_cut = shown != self._whole
        parts = (self._whole if is_cut else "", self.hint)
        self.setToolTip("\n".join(part for part in parts if part))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as fits now."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again when the font is another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def sizeHint(self) -> QSize:
        """Ask for the whole text."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._whole) + 1  # it is rounded
        return QSize(width, metrics.height())

    def minimumSizeHint(self) -> QSize:
        """Allow any width."""
        return QSize(40, self.fontMetrics().height())


class ElidedLines(ElidedLabel):
    """An elided label of several lines, as high as its text needs."""

    _height = 0  # of the lines
    _n_kept = 0  # lines that have room even if the text needs fewer

    def __init__(self, role: LabelRole = "text", *, max_lines: int = 2):
        super().__init__(role)
        self._max_lines = max_lines
        self.setWordWrap(True)

    @property
    def max_lines(self) -> int:
        """The number of lines that the text may have."""
        return self._max_lines

    def keep_lines(self, n_lines: int) -> None:
        """Show this number of lines at most, and keep room for them."""
        self._max_lines = self._n_kept = n_lines
        self._fit()

    def _lay_out(self, text: str, width: int, max_lines: int) -> tuple[str, int]:
        """Return as much of a text as fits, and the height of its lines in pixels."""
        style = TextStyle(self.font(), QColor(), max_lines=max_lines)
        layout, height = lay_out_text(text, "", width, style)
        return layout.text(), ceil(height)

    def _fit(self) -> None:
        shown, self._height = self._lay_out(self._whole, self.width(), self.max_lines)
        QLabel.setText(self, shown)
        self.setToolTip("" if shown == self._whole else self._whole)
        self.updateGeometry()  # the same text can need another number of lines

    def sizeHint(self) -> QSize:
        """Ask for the whole text in one line, and for the height of the lines."""
        least = self._n_kept * self.fontMetrics().lineSpacing()
        return QSize(super().sizeHint().width(), max(self._height, least))
