"""Welcome page: opens the demo, a new, an existing or a recent project."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyleOptionViewItem,
    QWidget,
)

from app.languages import language_name
from app.settings import ProjectFacts
from app.views.welcome.sample_card import SampleCard
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.cells import Index
from app.views.widgets.controls import (
    PushButton,
    describe,
    make_label,
    offer_in_palette,
)
from app.views.widgets.icons import draw_icon
from app.views.widgets.number_format import format_age, pluralize
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.project_actions import ProjectActions
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID, colours_of, scaled
from app.views.widgets.two_line_list import RowDelegate, paint_two_lines

WIDTH, CARD_WIDTH = 58 * GRID, 60 * GRID
CHOICE = 8 * GRID  # height of a button
ROW, LEAST_ROWS = 7 * GRID, 2  # height of a recent project; minimum of visible rows
N_LANGUAGES = 3  # languages named on a card; further ones are counted
FACTS_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LOGO_PX = 64
ICON_PX = 24


class WelcomeView(QWidget):
    """The page shown while no project is open.

    A click on a sample emits `search_requested` with its text.
    """

    search_requested = Signal(str)
    package_requested = Signal()  # ask for a package to judge

    def __init__(self, projects: ProjectActions, parent: QWidget | None = None):
        super().__init__(parent)
        self._projects = projects
        self._logo = QLabel()
        self._logo.setPixmap(draw_icon("isogloss", "#0B6E75", LOGO_PX))
        self._demo = self._make_choice(
            self.tr("Open the demo project"),
            self.tr("Twelve languages, ready to search. No download, no GPU."),
            projects.open_demo,
        )
        self._import = self._make_choice(
            self.tr("Import your texts…"),
            self.tr("TXT, TSV, XLSX, TMX and others. A project is created for them."),
            projects.import_into_new,
        )
        self._package = self._make_choice(
            self.tr("Open a package to judge…"),
            self.tr("Pairs from another annotator. A project is created for them."),
            self.package_requested.emit,
        )
        words = self.tr("Open a package to judge…")
        offer_in_palette(self._package, words, synonyms=self.tr("annotator pairs"))
        self._new = self._make_choice(
            self.tr("New empty project…"),
            self.tr("A project without texts. You can import them later."),
            projects.new_project,
        )
        self._open = self._make_choice(
            self.tr("Open project…"),
            self.tr("A project folder. Its name ends in .isogloss."),
            projects.choose_project,
        )
        self._choices = (
            self._demo,
            self._import,
            self._package,
            self._new,
            self._open,
        )
        self._recent_heading = make_label(self.tr("Recent"), "section")
        self._recent = self._make_recent()
        self._card = SampleCard()
        self._card.sentence_chosen.connect(self.search_requested)
        self._lay_out()
        projects.recent_changed.connect(self.refresh)
        self.refresh()

    @property
    def sample_texts(self) -> list[str]:
        """The sentences in twelve languages."""
        return self._card.texts

    def refresh(self) -> None:
        """List the recent projects again; missing projects are grey."""
        self._recent.clear()
        for path in self._projects.recent:
            item = QListWidgetItem(path.name.removesuffix(".isogloss"))
            item.setData(Qt.ItemDataRole.UserRole, str(path))
            facts = describe_project(self._projects.facts_of(path))
            item.setToolTip(self.tr("Open {path}").format(path=path))
            if not path.is_dir():
                facts = self.tr("Not found: {path}").format(path=path)
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setToolTip(self.tr("{path} does not exist.").format(path=path))
            item.setData(FACTS_ROLE, facts or str(path))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{item.text()}, {facts or path}"
            )
            self._recent.addItem(item)
        has_any = self._recent.count() > 0
        self._recent.setVisible(has_any)
        self._recent_heading.setVisible(has_any)
        self._fit()
        self._draw_icons()
        first = self._recent if has_any else self._demo
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_ages(self) -> None:
        """Update the time since each project was opened."""
        for row in range(self._recent.count()):
            item = self._recent.item(row)
            path = Path(item.data(Qt.ItemDataRole.UserRole))
            facts = describe_project(self._projects.facts_of(path))
            if facts and path.is_dir():
                item.setData(FACTS_ROLE, facts)
                words = f"{item.text()}, {facts}"
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)

    def _make_choice(
        self, title: str, text: str, on_click: Callable[[], object]
    ) -> QPushButton:
        button = _ChoiceButton()
        describe(button, title, text)
        button.setProperty("choice", True)
        button.clicked.connect(lambda: on_click())
        icon = QLabel()
        icon.setObjectName("icon")
        words = make_column(
            make_label(title, "section"), make_label(text, "secondary"), gap=2
        )
        make_row(
            icon,
            (words, 1),
            parent=button,
            gap=2 * GRID,
            margins=(2 * GRID, GRID, 2 * GRID, GRID),
        )
        for label in button.findChildren(QLabel):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return button

    def _make_recent(self) -> QListWidget:
        recent = QListWidget()
        recent.setObjectName("recent")
        recent.setItemDelegate(_CardDelegate(_paint_card, recent))
        recent.setSpacing(2)
        recent.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            recent, self.tr("Recent projects"), self.tr("Select a project to open.")
        )
        recent.itemActivated.connect(self._open_item)
        recent.itemClicked.connect(self._open_item)
        recent.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        recent.customContextMenuRequested.connect(self._show_menu)
        return recent

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        words = make_column(
            make_label("Isogloss", "title"),
            make_label(
                self.tr("Nearest translations of any sentence, on this machine."),
                "secondary",
            ),
            gap=0,
        )
        head.addWidget(self._logo)
        head.addLayout(words, 1)
        self._column = QFrame()
        column = make_column(
            self._recent_heading,
            (self._recent, 9),
            GRID,
            parent=self._column,
            gap=GRID + 4,
        )
        for button in self._choices:
            column.addWidget(button)
        column.addStretch(1)
        columns = make_row(
            self._column, (self._card, 0, Qt.AlignmentFlag.AlignTop), gap=6 * GRID
        )
        block = make_column(Stretch(2), head, (columns, 9), Stretch(1), gap=4 * GRID)
        self._page = QWidget()
        row = QHBoxLayout(self._page)
        # The card is hidden if space is short: it must not widen the window.
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        row.addStretch()
        row.addLayout(block)
        row.addStretch()
        make_column(make_scroll_area(self._page), parent=self)

    def _fit(self) -> None:
        """Resize everything to the current text size."""
        self._column.setFixedWidth(scaled(WIDTH))
        self._card.setFixedWidth(scaled(CARD_WIDTH))
        n_rows, height = self._recent.count(), scaled(ROW) + 4
        self._recent.setMinimumHeight(min(n_rows, LEAST_ROWS) * height + 4)
        self._recent.setMaximumHeight(n_rows * height + 4)
        self._fit_page()

    def _fit_page(self) -> None:
        """Hide the card if space is short; make a page that is too high scroll."""
        room = scaled(WIDTH + CARD_WIDTH) + 10 * GRID
        self._card.setVisible(self.width() >= room and bool(self._card.texts))
        # A style sheet sets the minimum height of buttons to one line.
        lacking = sum(_least_height(one) - one.minimumHeight() for one in self._choices)
        self._column.setMinimumHeight(_least_height(self._column) + lacking)
        self._page.setMinimumHeight(_least_height(self._page))

    def _open_item(self, item: QListWidgetItem) -> None:
        path = Path(item.data(Qt.ItemDataRole.UserRole))
        if path.is_dir():
            self._projects.open_path(path)

    def _show_menu(self, place: QPoint) -> None:
        """Show the actions of the project at a position in the list."""
        item = self._recent.itemAt(place)
        if item is None:
            return
        path = Path(item.data(Qt.ItemDataRole.UserRole))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if path.is_dir():
            menu.addAction(self.tr("Open"), partial(self._projects.open_path, path))
            rename = partial(self._projects.rename_project, path)
            menu.addAction(self.tr("Rename…"), rename)
        remove = partial(self._projects.forget, path)
        menu.addAction(self.tr("Remove from this list"), remove)
        menu.popup(self._recent.viewport().mapToGlobal(place))

    def _draw_icons(self) -> None:
        colour = colours_of(self).accent
        icons = ("demo", "import", "review", "new", "open")
        for button, name in zip(self._choices, icons, strict=True):
            for icon in button.findChildren(QLabel, "icon"):
                icon.setPixmap(draw_icon(name, colour, ICON_PX))

    def showEvent(self, event: QShowEvent) -> None:
        """Update the ages."""
        super().showEvent(event)
        self.show_ages()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the page into the new size."""
        self._fit_page()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icons after a change of theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
        elif event.type() == QEvent.Type.FontChange:
            self._fit()
        super().changeEvent(event)


def _least_height(widget: QWidget) -> int:
    layout = widget.layout()
    assert layout is not None
    layout.activate()  # also measures nested layouts again
    return layout.totalMinimumSize().height()


class _ChoiceButton(PushButton):
    """A button with space for two lines of text."""

    def sizeHint(self) -> QSize:
        """Return a height that depends on the text."""
        return QSize(super().sizeHint().width(), scaled(CHOICE))

    def minimumSizeHint(self) -> QSize:
        """Return the same height."""
        return self.sizeHint()


def describe_project(facts: ProjectFacts | None) -> str:
    """Describe languages, sentences and age: German · 240 sentences · just now."""
    if facts is None:
        return ""
    names = [language_name(code) for code in facts.languages if code]
    named = ", ".join(names[:N_LANGUAGES])
    if len(names) > N_LANGUAGES:
        words = QCoreApplication.translate("welcome", "{n} languages: {named}, …")
        named = words.format(n=len(names), named=named)
    one = QCoreApplication.translate("welcome", "1 sentence")
    many = QCoreApplication.translate("welcome", "{n} sentences")
    count = pluralize(facts.n_sentences, one, many)
    ago = format_age(facts.opened_at)
    return SEPARATOR.join(part for part in (named, count, ago) if part)


class _CardDelegate(RowDelegate):
    """Paints a recent project."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the same height for all cards."""
        return QSize(0, scaled(ROW))


def _paint_card(
    painter: QPainter, rect: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    lines = (index.data(), index.data(FACTS_ROLE))
    paint_two_lines(painter, rect, item, lines)
