"""Row of choice chips; those that do not fit move into a menu."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from app.views.widgets.controls import PushButton
from app.views.widgets.theme import scaled

GAP = 6
NAME_WIDTH = 130  # pixels that a name in the chip of the menu can take
SUBCORPUS_SIGN = "⊂ "  # before the name of a sub-corpus
LEAST_NAME = 4  # characters of a name that is cut


class Chips(QWidget):
    """Chips of which any number can be chosen; none chosen means all.

    Attributes:
        chosen: keys of the chips that are taken, in the order of the row.
    """

    changed = Signal()

    def __init__(self, all_text: str, parent: QWidget | None = None):
        """Make an empty row; `all_text` is the text of the chip for all."""
        super().__init__(parent)
        self._titles: dict[str, str] = {}
        self._chosen: set[str] = set()
        self._chips: dict[str, QPushButton] = {}
        self._marks: dict[str, tuple[QIcon, str]] = {}
        self._all = _make_chip(all_text, self)
        self._all.clicked.connect(lambda: self.choose(()))
        self._more = _make_chip("", self)
        self._more_width = 0  # without names
        self._names_width = 0  # kept for names; 0: not measured at this width
        self._more.setAccessibleName(self.tr("More choices"))
        self._more.setToolTip(self.tr("Show the other choices."))
        self._more.setMenu(QMenu(self._more))
        self._more.menu().aboutToShow.connect(self._fill_menu)
        self._more.menu().aboutToHide.connect(self._place)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Keys of the chips that are taken."""
        return tuple(key for key in self._titles if key in self._chosen)

    @property
    def n_choices(self) -> int:
        """Count the chips, without the one that takes all."""
        return len(self._titles)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer other choices: pairs of key and title; the selection stays."""
        if dict(choices) == self._titles:
            return
        self._titles = dict(choices)
        for chip in self._chips.values():
            chip.deleteLater()
        self._chips = {key: self._add_chip(key, title) for key, title in choices}
        self._chosen &= set(self._titles)
        self._show_chosen()
        self.set_marks(self._marks)

    def set_marks(self, marks: dict[str, tuple[QIcon, str]]) -> None:
        """Mark some chips: an icon, and words for the tooltip; the others have none."""
        self._marks = marks
        for key, chip in self._chips.items():
            icon, words = marks.get(key, (QIcon(), ""))
            chip.setIcon(icon)
            chip.setToolTip(words or self._describe(self._titles[key]))
            chip.setAccessibleDescription(words)
        self._place()

    def choose(self, keys: Iterable[str]) -> None:
        """Choose exactly these chips."""
        wanted = set(keys) & set(self._titles)
        is_new = wanted != self._chosen
        self._chosen = wanted
        self._show_chosen()
        if is_new:
            self.changed.emit()

    def _describe(self, title: str) -> str:
        """Return the tooltip of a chip; the sign of a sub-corpus is explained."""
        if not title.startswith(SUBCORPUS_SIGN):
            return title
        words = self.tr("Sub-corpus {name}")
        return words.format(name=title.removeprefix(SUBCORPUS_SIGN))

    def _add_chip(self, key: str, title: str) -> QPushButton:
        chip = _make_chip(title, self)
        chip.clicked.connect(lambda: self._toggle(key))
        return chip

    def _toggle(self, key: str) -> None:
        self.choose(self._chosen ^ {key})

    def _show_chosen(self) -> None:
        self._all.setChecked(not self._chosen)
        for key, chip in self._chips.items():
            chip.setChecked(key in self._chosen)
        self._place()

    def _place(self) -> None:
        """Lay the chips out in the order of the row, whatever is taken.

        So none moves when one is taken. The chip of the menu names the hidden ones
        that are taken: it has room for a name even while it shows none.
        """
        chips = list(self._chips.items())
        widths = {key: chip.sizeHint().width() + GAP for key, chip in chips}
        room = self.width() - self._all.sizeHint().width() - GAP
        shown = set(widths)
        if sum(widths.values()) - GAP > room:
            self._more.setText(f"+ {len(chips)}")
            self._more_width = self._more.sizeHint().width()
            # A new choice with a longer name must not move chips into the menu.
            if not self._names_width:
                longest = max(widths.values(), default=0)
                self._names_width = min(longest, scaled(NAME_WIDTH), max(room, 0) // 3)
            names = self._names_width
            shown = _choose_shown(widths, room - self._more_width - names - GAP)
        height = self.sizeHint().height()
        x = _put(self._all, 0, height)
        for key, chip in chips:
            chip.setVisible(key in shown)
            if key in shown:
                x = _put(chip, x, height)
        hidden = [key for key, _ in chips if key not in shown]
        self._more.setVisible(bool(hidden))
        if hidden:
            self._name_hidden(hidden, self.width() - x)
            _put(self._more, x, height)

    def _name_hidden(self, hidden: Sequence[str], room: int) -> None:
        """Show how many chips are hidden, and which of them are taken."""
        taken = [self._titles[key] for key in hidden if key in self._chosen]
        n_rest = f"+ {len(hidden) - len(taken)}"
        self._more.setChecked(bool(taken))
        self._more.setToolTip(", ".join(taken) or self.tr("Show the other choices."))
        self._more.setText(f" {n_rest}" if taken else n_rest)
        if taken:
            room -= self._more.sizeHint().width()
            elide = Qt.TextElideMode.ElideRight
            names = self._more.fontMetrics().elidedText(", ".join(taken), elide, room)
            is_readable = len(names) > LEAST_NAME or names == taken[0]
            self._more.setText(f"{names if is_readable else len(taken)} {n_rest}")

    def _fill_menu(self) -> None:
        menu = self._more.menu()
        menu.clear()
        for key, title in self._titles.items():
            if self._chips[key].isHidden():
                action = menu.addAction(title)
                action.setIcon(self._marks.get(key, (QIcon(), ""))[0])
                action.setCheckable(True)
                action.setChecked(key in self._chosen)
                action.triggered.connect(lambda _=False, k=key: self._toggle(k))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many chips as fit."""
        super().resizeEvent(event)
        self._names_width = 0
        self._place()

    def sizeHint(self) -> QSize:
        """Ask for one row."""
        width = sum(chip.sizeHint().width() + GAP for chip in self._chips.values())
        return QSize(
            self._all.sizeHint().width() + width, self._all.sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow row: the chip for all, and the menu of the others."""
        first = self._all.sizeHint()
        more = self._more_width if self._chips else 0
        return QSize(max(first.width() + GAP + more, scaled(160)), first.height())


def _choose_shown(widths: dict[str, int], room: int) -> set[str]:
    """Return the first chips, as many as there is room for."""
    shown: set[str] = set()
    for key, width in widths.items():
        room -= width
        if room < 0:
            break
        shown.add(key)
    return shown


def _make_chip(title: str, parent: QWidget) -> QPushButton:
    chip = PushButton(title, parent)
    chip.setProperty("chip", True)
    chip.setCheckable(True)
    chip.setToolTip(title)
    chip.setAccessibleName(title)
    chip.setCursor(Qt.CursorShape.PointingHandCursor)
    return chip


def _put(chip: QPushButton, x: int, height: int) -> int:
    """Put a chip at x; return the x of the next chip."""
    width = chip.sizeHint().width()
    chip.setGeometry(x, 0, width, height)
    return x + width + GAP
