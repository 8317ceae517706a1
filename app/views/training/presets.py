"""Cards of presets, one of which is selected."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.params.training.presets import Preset, PresetLevel
from app.views.widgets.controls import PushButton, describe, make_label, restyle
from app.views.widgets.theme import GRID

SHORTEST_TITLE = 12  # minimum characters of a title in a narrow card


class PresetCard(PushButton):
    """A card for one preset, or for several with a combo box.

    Attributes:
        key: key of the preset shown.
    """

    preset_chosen = Signal(str)

    def __init__(
        self, title: str, time: str, presets: Sequence[tuple[str, Preset]]
    ) -> None:
        """Initialise a card.

        Args:
            presets: keys and presets; the first is initially shown.
        """
        super().__init__()
        self._presets = dict(presets)
        self.key = presets[0][0]
        self._title, self._time = title, time
        self._needs_of: dict[str, tuple[str, bool]] = {}
        self.setCheckable(True)
        self.setProperty("presetCard", True)
        self.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding
        )
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._summary = make_label("", wraps=True)
        self._needs = make_label("", "secondary", wraps=True)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID - 4, 2 * GRID, 2 * GRID - 4)
        layout.setSpacing(6)
        heading, duration = make_label(title, "heading"), make_label(time, "secondary")
        for label in (heading, duration):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(label)
        self._choice = self._make_choice()
        if self._choice is not None:
            layout.addWidget(self._choice)
        layout.addWidget(self._summary)
        layout.addStretch()
        layout.addWidget(self._needs)
        for label in (self._summary, self._needs):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(lambda: self._choose(self.key))
        self._show_preset()

    @property
    def needs(self) -> str:
        """The resources of the preset, as shown."""
        return self._needs.text()

    def show_needs(self, key: str, text: str, *, is_warning: bool = False) -> None:
        """Show the resources for a preset on this machine, or an error."""
        self._needs_of[key] = text, is_warning
        self._show_preset()

    def mark(self, key: str) -> None:
        """Show the card as selected if the preset belongs to it."""
        if key in self._presets:
            self.key = key
            if self._choice is not None:
                self._choice.setCurrentIndex(self._choice.findData(key))
        self.setChecked(key in self._presets)
        self._show_preset()

    def _make_choice(self) -> QComboBox | None:
        """Create a combo box for several presets; None for one."""
        if len(self._presets) == 1:
            return None
        choice = QComboBox()
        choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        choice.setMinimumContentsLength(SHORTEST_TITLE)
        for key, preset in self._presets.items():
            choice.addItem(preset.title, key)
            choice.setItemData(
                choice.count() - 1, preset.summary, Qt.ItemDataRole.ToolTipRole
            )
        describe(choice, self.tr("Preset"), self.tr("Choose what is trained."))
        choice.activated.connect(lambda _: self._choose(str(choice.currentData())))
        return choice

    def _choose(self, key: str) -> None:
        self.mark(key)
        self.preset_chosen.emit(key)

    def _show_preset(self) -> None:
        preset = self._presets[self.key]
        self._summary.setText(preset.summary)
        unknown = self.tr("not estimated yet")
        text, is_warning = self._needs_of.get(self.key, (unknown, False))
        self._needs.setText(text)
        restyle(self._needs, "role", "warning" if is_warning else "secondary")
        hint = f"{self._title}: {self._time}. {preset.summary} {self._needs.text()}"
        describe(self, f"{self._title}, {preset.title}", hint)
        self._fit()

    def _fit(self) -> None:
        """Fit the height to the wrapped lines (QPushButton assumes one line)."""
        height = self._layout.heightForWidth(max(self.width(), 20 * GRID))
        self.setMinimumHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the rewrapped lines."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Fit the height after the text size changes."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Return the size of the text."""
        return QSize(30 * GRID, self.minimumHeight())


class PresetRow(QWidget):
    """The cards in a row, or stacked if there is no room."""

    preset_chosen = Signal(str)

    def __init__(self, presets: dict[str, Preset], parent: QWidget | None = None):
        super().__init__(parent)
        self.cards: dict[PresetLevel, PresetCard] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        layout = self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        words: dict[PresetLevel, tuple[str, str]] = {
            "quick": (self.tr("Quick"), self.tr("minutes on a CPU")),
            "solid": (self.tr("Standard"), self.tr("hours on a CPU, minutes on a GPU")),
            "paper": (self.tr("Published"), self.tr("sizes from the literature")),
        }
        for name, (title, time) in words.items():
            own = [(key, p) for key, p in presets.items() if p.card == name]
            card = PresetCard(title, time, own)
            card.preset_chosen.connect(self._on_chosen)
            self.cards[name] = card
            layout.addWidget(card, 1)

    def set_stacked(self, is_stacked: bool) -> None:
        """Stack the cards, or put them in a row."""
        direction = QBoxLayout.Direction
        self._layout.setDirection(
            direction.TopToBottom if is_stacked else direction.LeftToRight
        )

    def mark(self, key: str) -> None:
        """Mark the selected preset; empty for none."""
        for card in self.cards.values():
            card.mark(key)

    def _on_chosen(self, key: str) -> None:
        self.mark(key)
        self.preset_chosen.emit(key)
