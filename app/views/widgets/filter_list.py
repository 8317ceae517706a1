"""Editable list of filter cards and the palette of available filters."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, get_origin

import msgspec
from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.errors import UserError
from app.params.filters import (
    ALL_FILTERS,
    RegexFilter,
    filter_name,
    format_filter,
    parse_filter,
)
from app.protocol.answers.pairs import FilterStep
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.fields import Field, FieldFacts, field_facts, make_field
from app.views.widgets.float_box import FloatBox
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import format_exact_share
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "FilterCard")


def filter_title(name: str) -> str:
    """Return the name of a filter in the window."""
    names = {
        "length": _tr("Length"),
        "ratio": _tr("Length ratio"),
        "identity": _tr("Copies"),
        "script": _tr("Script"),
        "language": _tr("Language"),
        "numbers": _tr("Numbers"),
        "names": _tr("Names"),
        "addresses": _tr("Addresses"),
        "regex": _tr("Pattern"),
    }
    return names.get(name, name.capitalize())


def filter_summary(kind: type[Any]) -> str:
    """Return the first sentence of a filter's description: which pairs it keeps."""
    return (kind.__doc__ or "").strip().splitlines()[0].replace("`", "")


def describe_filter(line: str) -> str:
    """Return the name and values of a filter: Length: min 3, max 400."""
    try:
        one = parse_filter(line)
    except UserError:  # written by another version
        return line
    texts = []
    for facts in map(field_facts, msgspec.structs.fields(type(one))):
        value = str(getattr(one, facts.name))
        if get_origin(facts.plain) is Literal:
            value = choice_title(value, facts.name)
        texts.append(f"{facts.title.lower()} {value}")
    title = filter_title(filter_name(one))
    return f"{title}: {', '.join(texts)}" if texts else title


def filter_details(kind: type[Any]) -> str:
    """Return the rest of a filter's description, for its tooltip."""
    lines = [line.strip() for line in (kind.__doc__ or "").strip().splitlines()[1:]]
    return " ".join(line for line in lines if line).replace("`", "")


class FilterCard(QFrame):
    """Card of a chosen filter; base class for cards of other objects written as lines.

    Attributes:
        skip: fields without an input.
    """

    skip: ClassVar[tuple[str, ...]] = ()

    changed = Signal()
    chosen = Signal()  # show the pairs that it removes
    moved = Signal(int)  # number of positions down
    removed = Signal()

    def __init__(self, one: Any, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self.kind = type(one)
        self.title = self.title_of(one)
        self._fields: dict[str, tuple[FieldFacts, Field]] = {}
        self._buttons: list[QWidget] = []
        for info in msgspec.structs.fields(self.kind):
            if info.name in self.skip:
                continue
            facts = self.facts_of(info)
            field = self.make_input(facts)
            if isinstance(field.widget, FloatBox):
                field.widget.limit()
            field.write(getattr(one, info.name))
            field.watch(self.changed.emit)
            self._fields[info.name] = (facts, field)
        self._title = make_label(self.title, "section")
        self._counts = make_label("", "secondary")
        self._words = ElidedLabel("secondary")
        self._words.hint = filter_details(self.kind)
        self._words.setText(filter_summary(self.kind))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        describe(self, self.title, self.keys_hint())
        self._lay_out()

    def facts_of(self, info: msgspec.structs.FieldInfo) -> FieldFacts:
        """Return the metadata of a parameter."""
        return field_facts(info)

    def make_input(self, facts: FieldFacts) -> Field:
        """Make the input of a parameter."""
        return make_field(facts)

    def title_of(self, one: Any) -> str:
        """Return the title of the card."""
        return filter_title(filter_name(one))

    def keys_hint(self) -> str:
        """Return the hint about the keys of the card."""
        return self.tr(
            "Shows the pairs that it removes. Alt+Up and Alt+Down move it, Del "
            "removes it."
        )

    @property
    def counts(self) -> str:
        """The text about the number of removed pairs."""
        return self._counts.text()

    @property
    def controls(self) -> list[QWidget]:
        """The controls in tab order."""
        fields = [field.widget for _, field in self._fields.values()]
        return [self, *self._buttons, *fields]

    def line(self) -> str | None:
        """Return the filter's line; None while a parameter is missing or invalid."""
        values = {name: field.read() for name, (_, field) in self._fields.items()}
        if any(value in ("", None) for value in values.values()):
            return None
        try:
            return format_filter(msgspec.convert(values, self.kind, strict=False))
        except msgspec.ValidationError:
            return None

    def show_step(self, step: FilterStep, n_before: int) -> None:
        """Show how many of the n_before incoming pairs the filter removes."""
        n, n_alone = step.n_removed, step.n_alone
        words = self.tr("−{n} of {total} ({share})")
        text = words.format(
            n=format_count(n),
            total=format_count(n_before),
            share=format_exact_share(n, n_before),
        )
        if n_alone > n:
            alone = self.tr("alone −{n}")
            text += " · " + alone.format(n=format_count(n_alone))
        self.say(text, "warning" if n_before and n == n_before else "secondary")

    def show_waiting(self) -> None:
        """Show that the counts are not known yet."""
        is_ready = self.line() is not None
        self.say("…" if is_ready else self.tr("enter a pattern"), "secondary")

    def mark(self, *, is_chosen: bool) -> None:
        """Frame the card whose examples are shown."""
        restyle(self, "chosen", is_chosen)

    def focus_first(self) -> None:
        """Focus the first parameter."""
        for _, field in self._fields.values():
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.setFocus()

    def say(self, text: str, role: str) -> None:
        """Show a text on the right."""
        self._counts.setText(text)
        restyle(self._counts, "role", role)

    def _lay_out(self) -> None:
        title = make_row(self._title, gap=GRID // 2)
        self.add_to_head(title)
        tools = make_row(gap=GRID // 2)
        for words, hint, slot in (
            (
                "↑",
                self.tr("Apply the filter earlier (Alt+Up)."),
                lambda: self.moved.emit(-1),
            ),
            (
                "↓",
                self.tr("Apply the filter later (Alt+Down)."),
                lambda: self.moved.emit(1),
            ),
            ("×", self.tr("Remove the filter (Del)."), self.removed.emit),
        ):
            button = _small_button(words, f"{self.title}: {hint}", slot)
            tools.addWidget(button)
            self._buttons.append(button)
        head = WrappingRow()
        for widget in (as_widget(title), self._words, self._counts, as_widget(tools)):
            head.addWidget(widget)
        layout = make_column(
            head, parent=self, gap=2, margins=(2 * GRID - 4, 4, GRID, GRID - 2)
        )
        if self._fields:
            layout.addLayout(self._make_fields())

    def add_to_head(self, head: QHBoxLayout) -> None:
        """Add a widget after the title."""

    def _make_fields(self) -> WrappingRow:
        row = WrappingRow(2 * GRID)
        for facts, field in self._fields.values():
            label = make_label(facts.title, "secondary")
            label.setBuddy(field.widget)
            part = as_widget(make_row(label, (field.widget, 1), gap=GRID))
            width = QSizePolicy.Policy.Maximum
            if facts.plain is str:
                width = QSizePolicy.Policy.Expanding
            part.setSizePolicy(width, QSizePolicy.Policy.Fixed)
            row.addWidget(part)
        return row

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the pairs that the filter removes."""
        super().mousePressEvent(event)
        self.chosen.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the pairs that the filter removes."""
        super().focusInEvent(event)
        self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move or remove the filter."""
        is_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        match event.key():
            case Qt.Key.Key_Up if is_alt:
                self.moved.emit(-1)
            case Qt.Key.Key_Down if is_alt:
                self.moved.emit(1)
            case Qt.Key.Key_Delete:
                self.removed.emit()
            case _:
                super().keyPressEvent(event)


def _small_button(words: str, hint: str, slot: Callable[[], object]) -> QWidget:
    button = make_button(words, hint, slot, kind="quiet")
    button.setAccessibleName(hint)
    button.setProperty("shape", "small")
    return button


N_COLUMNS = 5
NARROW = 0.9  # of the widest button's width, for each button


class FilterList(QWidget):
    """List of the chosen filters in order; base class for lists of other cards.

    Attributes:
        cards: one for each filter.
        make_card: makes a card.
    """

    make_card: ClassVar[type[FilterCard]] = FilterCard

    changed = Signal()
    card_chosen = Signal(int)  # its index

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.cards: list[FilterCard] = []
        self._empty = make_label(self.empty_words(), "secondary", wraps=True)
        self._column = make_column(self._empty, Stretch(1), parent=self)

    def empty_words(self) -> str:
        """Return the text for an empty list."""
        return self.tr("No filters: every pair is kept. Add one below.")

    def make_new(self, kind: type[Any]) -> Any:
        """Make the initial filter of a new card."""
        return kind(pattern="") if kind is RegexFilter else kind()

    @property
    def lines(self) -> list[str | None]:
        """The filters' lines; None for a filter without a required parameter."""
        return [card.line() for card in self.cards]

    def show_filters(self, filters: Sequence[Any]) -> None:
        """Replace the filters."""
        for card in self.cards:
            _delete_card(card)
        self.cards = []
        for one in filters:
            self._insert(one)
        self._empty.setVisible(not self.cards)

    def add(self, kind: type[Any]) -> None:
        """Add a filter at the end and focus it."""
        self._insert(self.make_new(kind))
        self._empty.hide()
        self.cards[-1].focus_first()
        self.changed.emit()

    def order_after(self, before: QWidget) -> None:
        """Put the cards after a widget of the same window in tab order."""
        for card in self.cards:
            for widget in card.controls:
                QWidget.setTabOrder(before, widget)
                before = widget

    def mark(self, index: int) -> None:
        """Frame a card."""
        for number, card in enumerate(self.cards):
            card.mark(is_chosen=number == index)

    def new_card(self, one: Any) -> FilterCard:
        """Return a new card for a filter."""
        return self.make_card(one)

    def _insert(self, one: Any) -> None:
        card = self.new_card(one)
        card.changed.connect(self.changed)
        card.chosen.connect(lambda: self.card_chosen.emit(self.cards.index(card)))
        card.moved.connect(lambda n: self._move(card, n))
        card.removed.connect(lambda: self._remove(card))
        self._column.insertWidget(len(self.cards) + 1, card)
        self.cards.append(card)

    def _move(self, card: FilterCard, n: int) -> None:
        index = self.cards.index(card)
        new = min(max(index + n, 0), len(self.cards) - 1)
        if new == index:
            return
        self.cards.insert(new, self.cards.pop(index))
        self._column.removeWidget(card)
        self._column.insertWidget(new + 1, card)
        for number, other in enumerate(self.cards[1:], 1):
            QWidget.setTabOrder(self.cards[number - 1], other)
        card.setFocus()
        self.card_chosen.emit(new)
        self.changed.emit()

    def _remove(self, card: FilterCard) -> None:
        index = self.cards.index(card)
        self.cards.remove(card)
        self._column.removeWidget(card)
        _delete_card(card)
        self._empty.setVisible(not self.cards)
        if self.cards:
            self.cards[min(index, len(self.cards) - 1)].setFocus()
        self.changed.emit()


class FilterPalette(QWidget):
    """Buttons for the available filters that are not chosen.

    Attributes:
        kinds: types of the filters.
        n_columns: of buttons.
    """

    filter_requested = Signal(object)  # type of the filter
    kinds: ClassVar[tuple[type[Any], ...]] = ALL_FILTERS
    n_columns: ClassVar[int] = N_COLUMNS

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID // 2)
        self._buttons = [
            self._make_button(kind, partial(self.filter_requested.emit, kind))
            for kind in self.kinds
        ]
        for number, button in enumerate(self._buttons):
            self._grid.addWidget(
                button, number // self.n_columns, number % self.n_columns
            )
        titles = {self.title_of(kind): kind for kind in self.kinds}
        self._narrow = make_menu_button(
            *self.menu_words(), titles, self.filter_requested.emit
        )
        self._grid.addWidget(self._narrow, len(self.kinds), 0, 1, self.n_columns)
        self._narrow.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _make_button(self, kind: type[Any], add: Callable[[], object]) -> QWidget:
        return make_button(f"+ {self.title_of(kind)}", filter_summary(kind), add)

    def title_of(self, kind: type[Any]) -> str:
        """Return the title of a kind of filter."""
        return filter_title(filter_name(kind))

    def menu_words(self) -> tuple[str, str]:
        """Return text and hint of the menu button that replaces the buttons."""
        return self.tr("Add a filter"), self.tr("Add a filter.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show a menu if there is no room for the buttons."""
        super().resizeEvent(event)
        widest = max(button.sizeHint().width() for button in self._buttons)
        is_narrow = self.width() < self.n_columns * widest * NARROW
        for button in self._buttons:
            button.setHidden(is_narrow)
        self._narrow.setVisible(is_narrow)

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow shelf."""
        return QSize(0, super().minimumSizeHint().height())


def make_menu_button(
    words: str,
    hint: str,
    kinds: Mapping[str, type[Any]],
    on_chosen: Callable[[type[Any]], object],
) -> QPushButton:
    """Make a button with a menu of the titles of filters."""
    button = make_button(words, hint)
    menu = QMenu(button)
    menu.setToolTipsVisible(True)
    for title, kind in kinds.items():
        action = menu.addAction(title)
        action.setToolTip(filter_summary(kind))
        action.triggered.connect(lambda _=False, kind=kind: on_chosen(kind))
    button.setMenu(menu)
    return button


def _delete_card(card: FilterCard) -> None:
    card.blockSignals(True)
    card.hide()
    card.deleteLater()
