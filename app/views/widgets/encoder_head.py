"""What is shown in the encoders view: its name, what it is, what can be done."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.views.encoder_book import EncoderCard
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.encoder_list import describe_card


class EncoderHead(QWidget):
    """Heading, facts and buttons of an encoder."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self._used = make_label(self.tr("In use for search and encoding"), "accent")
        self._buttons = ActionRow()
        self._top = QHBoxLayout()
        self._top.setSpacing(GRID)
        self._top.addWidget(self._name, 1)
        self._top.addWidget(self._used)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._top)
        layout.addWidget(self._facts)
        layout.addWidget(self._buttons)

    @property
    def words(self) -> tuple[str, str]:
        """Name and facts, as they are shown."""
        return self._name.text(), self._facts.text()

    def set_actions(self, use: QAction, others: Sequence[tuple[QAction, str]]) -> None:
        """Make buttons: of taking it into use, and of the rest."""
        words = self.tr("Use in this project")
        self._use = make_button(words, use.statusTip(), use.trigger, kind="primary")
        use.changed.connect(lambda: self._use.setVisible(use.isEnabled()))
        self._top.addWidget(self._use, 0, Qt.AlignmentFlag.AlignTop)
        self._use.setVisible(use.isEnabled())
        self._buttons.set_actions(others)

    def show_card(self, card: EncoderCard, *, is_used: bool) -> None:
        """Show an encoder."""
        self._name.setText(card.name)
        parts = [describe_card(card)]
        if card.n_parameters:
            words = self.tr("{n} million parameters")
            parts.insert(1, words.format(n=f"{card.n_parameters / 1e6:,.1f}"))
        if card.bundled:
            parts.append(self.tr("comes with Isogloss"))
        self._facts.hint = card.description
        self._facts.setText(" · ".join(parts))
        self._used.setVisible(is_used)
