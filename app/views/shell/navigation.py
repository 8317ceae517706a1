"""Navigation column with the project summary, and the stack of views."""

from collections.abc import Sequence
from typing import Any, cast

import shiboken6
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.paths import demo_project_dir
from app.views.client.state import AppState
from app.views.shell.inspector_dock import WIDTH as INSPECTOR_WIDTH
from app.views.widgets.cells import Index
from app.views.widgets.controls import (
    OFFERED,
    ElidedLabel,
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.icons import themed_icon
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, colours_of, scaled
from app.views.widgets.view_protocol import View, ViewEntry, view_shortcut


class ProjectSummary(QWidget):
    """Summary of the project above the navigation."""

    import_requested = Signal()  # import into a project other than the demo

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state, self._is_compact = state, False
        self._name = make_label("", "heading", wraps=True)
        self._short_name = ElidedLabel("secondary")
        self._short_name.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._facts = make_label("", "secondary", wraps=True)
        self._warning = make_label(self.tr("Open for reading only"), "warning")
        self._layout = layout = QVBoxLayout(self)
        layout.setSpacing(GRID // 2)
        for label in (self._short_name, self._name, self._facts, self._warning):
            layout.addWidget(label)
        self._import = make_button(
            self.tr("Import your texts…"),
            self.tr("Import files of your own into a new project."),
            self.import_requested.emit,
            kind="quiet",
        )
        self._import.setProperty("shape", "flush")
        layout.addWidget(self._import, 0, Qt.AlignmentFlag.AlignLeft)
        for signal in (
            state.project_opened,
            state.project_closed,
            state.corpora_changed,
            state.embeddings_changed,
        ):
            signal.connect(self.refresh)
        self.show_compact(False)

    def show_compact(self, is_compact: bool) -> None:
        """Show only the elided name, or the name and the facts."""
        self._is_compact = is_compact
        side = GRID // 2 if is_compact else 2 * GRID
        self._layout.setContentsMargins(side, side, side, 0 if is_compact else GRID)
        self._short_name.setVisible(is_compact)
        for label in (self._name, self._facts):
            label.setHidden(is_compact)
        self.refresh()

    @property
    def is_demo(self) -> bool:
        """Return whether the demo project is open."""
        project = self._state.project
        return project is not None and project.folder == demo_project_dir()

    def refresh(self) -> None:
        """Update the facts from the project."""
        project = self._state.project
        self._import.setVisible(self.is_demo and not self._is_compact)
        is_read_only = project is not None and project.is_read_only
        self._warning.setVisible(is_read_only and not self._is_compact)
        if project is None:
            self._name.setText("Isogloss")
            self._facts.setText(self.tr("No project is open"))
            return
        languages = len({corpus.language for corpus in project.corpora})
        corpora = len(project.corpora)
        facts = (
            self._count(project.n_sentences, self.tr("sentence"), self.tr("sentences")),
            self._count(corpora, self.tr("corpus"), self.tr("corpora"))
            + " · "
            + self._count(languages, self.tr("language"), self.tr("languages")),
        )
        self._name.setText(project.name)
        self._name.setToolTip(str(project.folder))
        self._facts.setText("\n".join(facts))
        self._short_name.hint = "\n".join((project.name, *facts))
        self._short_name.setText(project.name)

    def _count(self, n: int, one: str, many: str) -> str:
        return f"{format_count(n)} {one if n == 1 else many}"


WIDTH, COMPACT_WIDTH = 26 * GRID, 8 * GRID
MAX_SHARE = 0.2  # largest share of the window's width with names
ICON_PX = 20
NO_LIMIT = 1 << 24  # pixels
GROUP_GAP = 9  # pixels, around the line between two groups of icons
LEAST = (70 * GRID, 50 * GRID)  # least size of a view


class _IconDelegate(QStyledItemDelegate):
    """Centres the icon of an item without text."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the item without its icon, then the icon in the centre."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        if item.text or item.icon.isNull():
            super().paint(painter, option, index)
            return
        icon, item.icon = QIcon(item.icon), QIcon()  # copy: item.icon is a reference
        control = QStyle.ControlElement.CE_ItemViewItem
        item.widget.style().drawControl(control, item, painter, item.widget)
        is_chosen = bool(item.state & QStyle.StateFlag.State_Selected)
        mode = QIcon.Mode.Selected if is_chosen else QIcon.Mode.Normal
        rect = QRect(QPoint(0, 0), item.decorationSize)
        rect.moveCenter(item.rect.center())
        icon.paint(painter, rect, Qt.AlignmentFlag.AlignCenter, mode)


class Navigation(QWidget):
    """List of the views, one of which is current.

    In a narrow window it shows icons only.
    """

    view_chosen = Signal(str)
    import_requested = Signal()
    palette_requested = Signal()

    def __init__(
        self,
        state: AppState,
        entries: Sequence[ViewEntry],
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.setObjectName("navigation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._entries = list(entries)
        self._window_width, self._room = 0, NO_LIMIT
        # Keys: the text size, and whether the rows are compact.
        self._names_heights: dict[tuple[int, bool, bool], int] = {}
        self._list = QListWidget()
        self._list.setObjectName("views")
        self._list.setItemDelegate(_IconDelegate(self._list))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self._list, self.tr("Views"), self.tr("Select a view."))
        self._items: dict[str, QListWidgetItem] = {}
        self._headings: list[tuple[QListWidgetItem, str]] = []
        group = ""
        for i, entry in enumerate(self._entries):
            if entry.group != group:
                group = entry.group
                heading = QListWidgetItem(group, self._list)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                self._headings.append((heading, group))
            item = QListWidgetItem(entry.title, self._list)
            item.setToolTip(f"{entry.title}: {entry.hint} ({view_shortcut(i)})")
            item.setData(Qt.ItemDataRole.UserRole, entry.name)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.title)
            self._items[entry.name] = item
        self._list.currentRowChanged.connect(self._on_current_row_changed)
        self._list.itemClicked.connect(self._on_item_clicked)
        self._actions = make_button(
            self.tr("All actions   Ctrl+K"),
            self.tr("Find any action by name (Ctrl+K)."),
            self.palette_requested.emit,
            kind="quiet",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 1, GRID)
        layout.setSpacing(GRID)
        self._summary = ProjectSummary(state)
        self._summary.import_requested.connect(self.import_requested)
        state.project_opened.connect(self._fit_again)
        layout.addWidget(self._summary)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._actions)
        self._show_compact(False)
        self._draw_icons()

    def fit(self, window_width: int, room: int = NO_LIMIT) -> None:
        """Use compact rows or only icons if the names do not fit.

        Args:
            window_width: width of the window, which views and inspector share.
            room: height available to the navigation, in pixels.
        """
        self._window_width, self._room = window_width, room
        needed = scaled(WIDTH) + LEAST[0] + INSPECTOR_WIDTH + GRID
        is_wide = scaled(WIDTH) > MAX_SHARE * window_width  # e.g. with large text
        is_narrow = is_wide or window_width < needed
        is_dense = self._names_height(is_dense=False) > room
        has_no_room = is_dense and self._names_height(is_dense=True) > room
        self._show_compact(is_narrow or has_no_room, is_dense=is_dense)

    def _fit_again(self) -> None:
        if self._window_width:
            self.fit(self._window_width, self._room)

    def _names_height(self, *, is_dense: bool) -> int:
        """Return the height of all names, cached for each text size."""
        key = scaled(GRID), is_dense, self._summary.is_demo
        if key not in self._names_heights:
            self._show_compact(False, is_dense=is_dense)
            rows = map(self._list.sizeHintForRow, range(self._list.count()))
            ends = (self._summary, self._actions)
            around = sum(one.sizeHint().height() + GRID for one in ends)
            self._names_heights[key] = sum(rows) + around + GRID
        return self._names_heights[key]

    def set_current(self, name: str) -> None:
        """Mark a view as current without emitting a signal."""
        item = self._items.get(name)
        self._list.blockSignals(True)
        self._list.setCurrentRow(self._list.row(item) if item is not None else -1)
        self._list.blockSignals(False)

    def _on_current_row_changed(self, row: int) -> None:
        name = self._list.item(row).data(Qt.ItemDataRole.UserRole) if row >= 0 else None
        if name is not None:  # a heading has no name
            self.view_chosen.emit(name)

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        """Show the view; a click on the current view gives it the focus."""
        self._on_current_row_changed(self._list.row(item))

    def _show_compact(self, is_compact: bool, *, is_dense: bool = False) -> None:
        icon = scaled(ICON_PX)
        self.setFixedWidth(scaled(COMPACT_WIDTH if is_compact else WIDTH))
        self._summary.show_compact(is_compact)
        restyle(self._list, "compact", is_compact)
        restyle(self._list, "dense", is_dense and not is_compact)
        self._list.setIconSize(QSize(icon, icon))
        text = "" if is_compact else self.tr("All actions   Ctrl+K")
        self._actions.setText(text)
        # Rows grow less than the text, so that all views fit a low window.
        row = QSize(0, scaled(GRID) + 24) if is_compact else QSize()
        for entry in self._entries:
            self._items[entry.name].setText("" if is_compact else entry.title)
            self._items[entry.name].setSizeHint(row)
        for index, (heading, title) in enumerate(self._headings):
            heading.setText("" if is_compact else title)
            heading.setSizeHint(QSize(0, GROUP_GAP) if is_compact else QSize())
            heading.setHidden(is_compact and index == 0)
        self._draw_more()

    def _draw_icons(self) -> None:
        for entry in self._entries:
            icon = themed_icon(entry.icon, colours_of(self))
            self._items[entry.name].setIcon(icon)
        self._draw_more()

    def _draw_more(self) -> None:
        """Draw the icon of the All actions button if it has no text."""
        is_compact = not self._actions.text()
        more = themed_icon("more", colours_of(self)) if is_compact else QIcon()
        self._actions.setIcon(more)

    def changeEvent(self, event: QEvent) -> None:
        """Update the icons for a new theme and the rows for a new text size."""
        if event.type() == QEvent.Type.FontChange:
            self._fit_again()
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
        super().changeEvent(event)


class ViewStack(QStackedWidget):
    """The welcome page and the views of the open project.

    Attributes:
        views: the created views by name.
    """

    def __init__(self, state: AppState, entries: Sequence[ViewEntry], welcome: QWidget):
        super().__init__()
        self.entries = list(entries)
        self.views: dict[str, QWidget] = {}
        self._state = state
        self._welcome = welcome
        self._pending: dict[str, dict[str, Any]] = {}  # of views not created yet
        self.addWidget(welcome)
        # A view with a large minimum size must not enlarge the window.
        self.setMinimumSize(*LEAST)

    @property
    def view_name(self) -> str:
        """Name of the current view; empty on the welcome page."""
        current = self.currentWidget()
        return next((n for n, view in self.views.items() if view is current), "")

    @property
    def view(self) -> View | None:
        """The current view; None on the welcome page."""
        return cast("View | None", self.views.get(self.view_name))

    def view_widget(self, name: str) -> QWidget:
        """Return a view, and create it if it does not exist."""
        if name not in self.views:
            entry = next(entry for entry in self.entries if entry.name == name)
            view = entry.make(self)
            self.views[name] = view
            self.addWidget(view)
            self._name_actions(name, view)
            if name in self._pending:
                cast("View", view).restore_state(self._pending.pop(name))
        return self.views[name]

    def view_actions(self) -> list[tuple[str, QAction]]:
        """Return the actions of the existing views, each with its view's title."""
        return [
            (cast("View", view).title, action)
            for view in self.views.values()
            for action in view.actions()
        ]

    def button_actions(self) -> list[tuple[str, QAction]]:
        """Return actions for the buttons on the current pages of the views.

        An action is enabled if its button is. Each has its view's title. Buttons of the
        welcome page are included while it is shown.
        """
        found = []
        titled = [(cast("View", view).title, view) for view in self.views.values()]
        if self.currentWidget() is self._welcome:
            titled.append((self.tr("File"), self._welcome))
        for title, view in titled:
            for action in view.findChildren(QAction):
                button = action.parent()
                if action.property(OFFERED) and isinstance(button, QWidget):
                    action.setEnabled(button.isEnabled())
                    if button.isVisibleTo(view):
                        found.append((title, action))
        return found

    def save_states(self) -> dict[str, dict[str, Any]]:
        """Return the state of every view, including views not created yet."""
        states = dict(self._pending)
        for name, view in self.views.items():
            states[name] = cast("View", view).save_state()
        return states

    def restore_states(self, states: dict[str, dict[str, Any]]) -> None:
        """Restore the views; other views restore their state when created."""
        self._pending = dict(states)
        for name in list(self._pending):
            if name in self.views:
                cast("View", self.views[name]).restore_state(self._pending.pop(name))

    def forget_views(self) -> None:
        """Show the welcome page and delete the views, since ids differ by project.

        The views are deleted at once: with `deleteLater`, they could read the data of
        the next project.
        """
        self.setCurrentWidget(self._welcome)
        for view in self.views.values():
            self.removeWidget(view)
            shiboken6.delete(view)
        self.views.clear()
        self._pending.clear()

    def _name_actions(self, name: str, view: QWidget) -> None:
        """Name the actions of a view, and set the user's shortcuts.

        Find works wherever the focus is in the window, including the inspector.
        """
        find = QKeySequence(QKeySequence.StandardKey.Find)
        for action in view.actions():
            if action.shortcut() == find:
                action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            if not action.objectName():
                action.setObjectName(f"{name}: {action.text().strip('…').lower()}")
            own = self._state.settings.shortcuts.get(action.objectName())
            if own is not None:
                action.setShortcut(QKeySequence(own))
