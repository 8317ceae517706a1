"""A button that says which languages are chosen, with a menu to choose a few."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.views.widgets.controls import describe

MOST_TOLD = 24  # letters of names; of more only the first name is told


class LanguageMenu(QPushButton):
    """Chooses up to some languages; those chosen first go when there are too many.

    Attributes:
        chosen: codes, in the order they were chosen.
    """

    changed = Signal()

    def __init__(self, title: str, hint: str, most: int, parent: QWidget | None = None):
        """Make it; `title`: what the languages are for, `most`: so many at once."""
        super().__init__(parent)
        self.chosen: tuple[str, ...] = ()
        self._title, self._hint, self._most = title, hint, most
        self._names: dict[str, str] = {}
        self.setProperty("chip", True)
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._fill)
        self._show()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer languages: codes and names."""
        self._names = dict(choices)
        self.choose(self.chosen)

    def choose(self, codes: Sequence[str]) -> None:
        """Take these, as many as there may be, without telling it."""
        known = [code for code in codes if code in self._names]
        self.chosen = tuple(dict.fromkeys(known))[-self._most :]
        self._show()

    def switch(self, code: str) -> None:
        """Take a language, or leave it out."""
        kept = [one for one in self.chosen if one != code]
        self.choose(kept if code in self.chosen else [*kept, code])
        self.changed.emit()

    def clear(self) -> None:
        """Choose none."""
        self.choose(())
        self.changed.emit()

    def _show(self) -> None:
        """Tell the languages; a button of three long names would be cut off."""
        named = [self._names[code] for code in self.chosen]
        told = whole = ", ".join(named) or self.tr("none")
        if len(whole) > MOST_TOLD and len(named) > 1:
            told = f"{named[0]} + {len(named) - 1}"
        self.setText(f"{self._title}: {told}")
        describe(self, f"{self._title}: {whole}", self._hint)

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        none = menu.addAction(self.tr("None"))
        none.setCheckable(True)
        none.setChecked(not self.chosen)
        none.triggered.connect(lambda: self.clear())
        menu.addSeparator()
        for code, name in self._names.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(code in self.chosen)
            action.triggered.connect(lambda _=False, c=code: self.switch(c))
