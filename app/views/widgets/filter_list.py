"""The filters of a recipe in their order, and those that can be added."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.params.filters import ALL_FILTERS, RegexFilter, filter_name
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.filter_card import FilterCard, filter_title, filter_words

N_COLUMNS = 5
NARROW = 0.9  # of the width that the widest button would want for each


class FilterList(QScrollArea):
    """The chosen filters, the first one on top; lists of other cards are like it.

    Attributes:
        cards: one a filter.
        make_card: makes one.
    """

    make_card: ClassVar[type[FilterCard]] = FilterCard

    changed = Signal()
    card_chosen = Signal(int)  # its place

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.cards: list[FilterCard] = []
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = QWidget()
        content.setObjectName("scrolled")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, GRID, 0)
        self._column.setSpacing(GRID)
        self._empty = make_label(self.empty_words(), "secondary")
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        self.setWidget(content)

    def empty_words(self) -> str:
        """Say what it means that there is no card."""
        return self.tr("No filters: every pair is kept. Add one below.")

    def make_new(self, kind: type[Any]) -> Any:
        """Make what a new card begins with."""
        return kind(pattern="") if kind is RegexFilter else kind()

    @property
    def lines(self) -> list[str | None]:
        """The filters' lines; None for one that misses a parameter."""
        return [card.line() for card in self.cards]

    def show_filters(self, filters: Sequence[Any]) -> None:
        """Show other filters."""
        for card in self.cards:
            _drop(card)
        self.cards = []
        for one in filters:
            self._insert(one)
        self._empty.setVisible(not self.cards)

    def add(self, kind: type[Any]) -> None:
        """Add a filter at the end, with the keyboard in it."""
        self._insert(self.make_new(kind))
        self._empty.hide()
        self.cards[-1].focus_first()
        self.changed.emit()

    def mark(self, place: int) -> None:
        """Frame one card."""
        for number, card in enumerate(self.cards):
            card.mark(is_chosen=number == place)

    def _insert(self, one: Any) -> None:
        card = self.make_card(one)
        card.changed.connect(self.changed)
        card.chosen.connect(lambda: self.card_chosen.emit(self.cards.index(card)))
        card.moved.connect(lambda n: self._move(card, n))
        card.removed.connect(lambda: self._remove(card))
        self._column.insertWidget(len(self.cards) + 1, card)
        self.cards.append(card)

    def _move(self, card: FilterCard, n: int) -> None:
        place = self.cards.index(card)
        new = min(max(place + n, 0), len(self.cards) - 1)
        if new == place:
            return
        self.cards.insert(new, self.cards.pop(place))
        self._column.removeWidget(card)
        self._column.insertWidget(new + 1, card)
        for number, other in enumerate(self.cards[1:], 1):
            QWidget.setTabOrder(self.cards[number - 1], other)
        card.setFocus()
        self.card_chosen.emit(new)
        self.changed.emit()

    def _remove(self, card: FilterCard) -> None:
        place = self.cards.index(card)
        self.cards.remove(card)
        self._column.removeWidget(card)
        _drop(card)
        self._empty.setVisible(not self.cards)
        if self.cards:
            self.cards[min(place, len(self.cards) - 1)].setFocus()
        self.changed.emit()


class FilterShelf(QWidget):
    """The filters that there are, apart from those that are chosen.

    Attributes:
        kinds: their types.
        n_columns: of buttons.
    """

    filter_wanted = Signal(object)  # its type
    kinds: ClassVar[tuple[type[Any], ...]] = ALL_FILTERS
    n_columns: ClassVar[int] = N_COLUMNS

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID // 2)
        self._buttons = [
            self._make_button(kind, partial(self.filter_wanted.emit, kind))
            for kind in self.kinds
        ]
        for number, button in enumerate(self._buttons):
            self._grid.addWidget(
                button, number // self.n_columns, number % self.n_columns
            )
        self._narrow = self._make_menu_button()
        self._grid.addWidget(self._narrow, len(self.kinds), 0, 1, self.n_columns)
        self._narrow.hide()

    def _make_menu_button(self) -> QPushButton:
        button = make_button(*self.menu_words())
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        for kind in self.kinds:
            action = menu.addAction(self.title_of(kind))
            action.setToolTip(filter_words(kind))
            want = partial(self.filter_wanted.emit, kind)
            action.triggered.connect(lambda _=False, want=want: want())
        button.setMenu(menu)
        return button

    def _make_button(self, kind: type[Any], add: Callable[[], object]) -> QWidget:
        return make_button(f"+ {self.title_of(kind)}", filter_words(kind), add)

    def title_of(self, kind: type[Any]) -> str:
        """Name a kind of filter."""
        return filter_title(filter_name(kind))

    def menu_words(self) -> tuple[str, str]:
        """Give words and hint of the button that stands for all where room is short."""
        return self.tr("Add a filter"), self.tr("Add a filter to the recipe.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer a menu where there is no room for a button each."""
        super().resizeEvent(event)
        widest = max(button.sizeHint().width() for button in self._buttons)
        is_narrow = self.width() < self.n_columns * widest * NARROW
        for button in self._buttons:
            button.setHidden(is_narrow)
        self._narrow.setVisible(is_narrow)

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow shelf."""
        return QSize(0, super().minimumSizeHint().height())


def _drop(card: FilterCard) -> None:
    card.blockSignals(True)
    card.hide()
    card.deleteLater()
