"""Row of choice chips; those that do not fit move into a menu."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from app.views.widgets.controls import PushButton
from app.views.widgets.theme import scaled

GAP = 6


class Chips(QWidget):
    """Choices of which none or several are taken; none taken means all.

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
        self._more.setCheckable(False)
        self._more.setAccessibleName(self.tr("More choices"))
        self._more.setToolTip(self.tr("Choose among the rest."))
        self._more.setMenu(QMenu(self._more))
        self._more.menu().aboutToShow.connect(self._fill_menu)
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
            chip.setToolTip(words or self._titles[key])
            chip.setAccessibleDescription(words)
        self._place()

    def choose(self, keys: Iterable[str]) -> None:
        """Take these and no others."""
        wanted = set(keys) & set(self._titles)
        is_new = wanted != self._chosen
        self._chosen = wanted
        self._show_chosen()
        if is_new:
            self.changed.emit()

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
        """Lay the chips out; those taken come into sight first, in the row's order.

        The chip that takes all goes into the menu where one taken needs its room.
        """
        chips = list(self._chips.items())
        widths = {key: chip.sizeHint().width() + GAP for key, chip in chips}
        room, all_width = self.width(), self._all.sizeHint().width() + GAP
        shown, has_all = set(widths), True
        if sum(widths.values()) - GAP > room - all_width:
            self._more.setText(f"+ {len(chips)}")
            room -= self._more.sizeHint().width() + GAP
            shown = _choose_shown(widths, self._chosen, room - all_width)
            more = _choose_shown(widths, self._chosen, room)
            has_all = not (more - shown) & self._chosen
            shown = shown if has_all else more
        height = self.sizeHint().height()
        self._all.setVisible(has_all)
        x = _put(self._all, 0, height) if has_all else 0
        for key, chip in chips:
            chip.setVisible(key in shown)
            if key in shown:
                x = _put(chip, x, height)
        n_hidden = len(chips) - len(shown)
        self._more.setVisible(n_hidden > 0)
        if n_hidden:
            self._more.setText(f"+ {n_hidden}")
            _put(self._more, x, height)

    def _fill_menu(self) -> None:
        menu = self._more.menu()
        menu.clear()
        if self._all.isHidden():
            menu.addAction(self._all.text()).triggered.connect(self._all.click)
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
        more = self._more.sizeHint().width() if self._chips else 0
        return QSize(max(first.width() + GAP + more, scaled(160)), first.height())


def _choose_shown(widths: dict[str, int], chosen: set[str], room: int) -> set[str]:
    shown: set[str] = set()
    for key in [*(k for k in widths if k in chosen), *widths]:
        if key not in shown and widths[key] <= room:
            shown.add(key)
            room -= widths[key]
        elif key not in shown:
            break
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
    """Put a chip at x; returns where the next one goes."""
    width = chip.sizeHint().width()
    chip.setGeometry(x, 0, width, height)
    return x + width + GAP
