"""Chooses the words that the lines of a concordance are sorted by, up to three."""

from collections.abc import Sequence
from typing import get_args

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.params.concordance import SortKey
from app.views.concordance_question import toggle_sort
from app.views.theme import tokens_of
from app.views.widgets.controls import describe, make_label
from app.views.widgets.kwic_colours import position_colour
from app.views.widgets.wrapping_row import WrappingRow

KEYS: tuple[SortKey, ...] = (
    *("L3", "L2", "L1", "N", "R1", "R2", "R3"),
    *("position", "random"),
)
RANKS = ("①", "②", "③")
GAP = 4


class SortBar(QWidget):
    """A button for each word beside the hit; those chosen say their rank.

    Attributes:
        sort: what is chosen, in order; empty: the order of the texts.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        assert set(KEYS) == set(get_args(SortKey))
        self.sort: tuple[SortKey, ...] = ()
        row = self._row = WrappingRow(GAP)
        self.setLayout(row)
        row.addWidget(make_label(self.tr("Sort"), "secondary"))
        self.buttons: dict[SortKey, QPushButton] = {}
        for key in KEYS:
            self.buttons[key] = self._make(key)
            row.addWidget(self.buttons[key])
        self._show()

    def add_end(self, widget: QWidget) -> None:
        """Put a widget at the end of the line."""
        self._row.add_stretch()
        self._row.addWidget(widget)

    def choose(self, sort: Sequence[SortKey]) -> None:
        """Sort by these; it is told where it is another order."""
        if tuple(sort) != self.sort:
            self.show_sort(sort)
            self.changed.emit()

    def show_sort(self, sort: Sequence[SortKey]) -> None:
        """Show an order without telling it."""
        self.sort = tuple(sort)
        self._show()

    def _make(self, key: SortKey) -> QPushButton:
        button = QPushButton(self._title(key))
        button.setProperty("chip", True)
        button.setProperty("sort", True)
        button.setCheckable(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._on_clicked(key))
        return button

    def _on_clicked(self, key: SortKey) -> None:
        wanted = () if key == "position" else toggle_sort(self.sort, key)
        self.choose(wanted)
        self._show()

    def _show(self) -> None:
        tokens = tokens_of(self)
        for key, button in self.buttons.items():
            is_chosen = key in self.sort or (key == "position" and not self.sort)
            rank = RANKS[self.sort.index(key)] if key in self.sort else ""
            is_word = key not in ("position", "random")
            title = self._title(key)
            button.setText(f"{title} {rank}" if rank and is_word else title)
            button.setChecked(is_chosen)
            if is_word:
                colour = position_colour(key, tokens).name()
                weight = 600 if is_chosen else 400
                edge = f"border-color: {colour};" if is_chosen else ""
                button.setStyleSheet(
                    f"QPushButton {{ color: {colour}; font-weight: {weight}; {edge} }}"
                )
            describe(button, self._name(key), self._hint(key, rank))

    def _title(self, key: SortKey) -> str:
        names: dict[SortKey, str] = {
            "N": self.tr("Hit"),
            "position": self.tr("Text order"),
            "random": self.tr("Random"),
        }
        return names.get(key, key)

    def _name(self, key: SortKey) -> str:
        return self.tr("Sort by {key}").format(key=self._title(key))

    def _hint(self, key: SortKey, rank: str) -> str:
        if key == "position":
            return self.tr("Show the lines in the order of the texts.")
        if key == "random":
            return self.tr("Show the lines in a random order, the same each time.")
        if key == "N":
            words = self.tr("Sort by the hit itself.")
        elif key[0] == "L":
            words = self.tr("Sort by word {n} to the left of the hit (key ←).")
        else:
            words = self.tr("Sort by word {n} to the right of the hit (key →).")
        more = self.tr(" Now at place {rank}; click to leave it out.")
        return words.format(n=key[-1]) + (more.format(rank=rank) if rank else "")

    def changeEvent(self, event: QEvent) -> None:
        """Draw the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self._show()
