"""The list of encoders: name, architecture, size and which one is in use."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QObject,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.client.encoders import EncoderInfo
from app.views.widgets.controls import describe
from app.views.widgets.number_format import format_bytes
from app.views.widgets.theme import tokens_of
from app.views.widgets.two_line_list import Index, RowDelegate, paint_two_lines

CARD_ROLE = int(Qt.ItemDataRole.UserRole)
IN_USE_ROLE = CARD_ROLE + 1
DOT_SIZE = 8.0


class EncoderListModel(QAbstractListModel):
    """The encoders of the project, the bundled ones first."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.cards: list[EncoderInfo] = []
        self._chosen = ""

    def show_cards(self, cards: Sequence[EncoderInfo], chosen: str) -> None:
        """Show encoders; one of them is in use."""
        self.beginResetModel()
        self.cards, self._chosen = list(cards), chosen
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the encoders."""
        return 0 if parent is not None and parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return an encoder, its name, or its words for a screen reader."""
        if not index.isValid():
            return None
        card = self.cards[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return card.name
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return self._describe(card)
            case _ if role == CARD_ROLE:
                return card
            case _ if role == IN_USE_ROLE:
                return card.name == self._chosen
        return None

    def _describe(self, card: EncoderInfo) -> str:
        words = f"{card.name}, {describe_card(card)}"
        if card.name == self._chosen:
            words = self.tr("{words}, in use").format(words=words)
        return f"{words}\n{card.description}".strip()


class EncoderListView(QListView):
    """Encoders, one of which is shown."""

    choice_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._encoders = EncoderListModel(self)
        self.setModel(self._encoders)
        self.setItemDelegate(RowDelegate(_paint_row, self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self, self.tr("Encoders"), self.tr("Choose the encoder to show."))
        self.setToolTip("")
        self.selectionModel().currentChanged.connect(lambda *_: self._on_changed())

    @property
    def card(self) -> EncoderInfo | None:
        """The encoder that is shown."""
        row = self.currentIndex().row()
        return self._encoders.cards[row] if row >= 0 else None

    def show_cards(self, cards: Sequence[EncoderInfo], chosen: str) -> None:
        """Show encoders; the one shown stays, else the one in use is shown."""
        shown = self.card.name if self.card is not None else ""
        self.selectionModel().blockSignals(True)
        self._encoders.show_cards(cards, chosen)
        self.selectionModel().blockSignals(False)
        names = [card.name for card in cards]
        self.choose(shown if shown in names else chosen)
        if self.card is None and cards:
            self.choose(names[0])
        self.choice_changed.emit()

    def choose(self, name: str) -> bool:
        """Show an encoder; returns whether it is there."""
        for row, card in enumerate(self._encoders.cards):
            if card.name == name:
                self.setCurrentIndex(self._encoders.index(row))
                return True
        return False

    def _on_changed(self) -> None:
        if self.card is not None:
            self.choice_changed.emit()


def describe_card(card: EncoderInfo) -> str:
    """Return in short what an encoder is: static · 256 dimensions · 31 MB."""
    words = QApplication.translate("EncoderList", "{dim} dimensions")
    parts = [name_architecture(card.architecture), words.format(dim=card.dim)]
    if card.size_bytes:
        parts.append(format_bytes(card.size_bytes))
    return " · ".join(parts)


def name_architecture(architecture: str) -> str:
    """Name an architecture as people do."""
    names = {
        "bilstm": QApplication.translate("EncoderList", "BiLSTM"),
        "sentence-transformers": QApplication.translate(
            "EncoderList", "sentence transformer"
        ),
        "vectors": QApplication.translate("EncoderList", "vectors only"),
    }
    return names.get(architecture, architecture)


def _paint_row(
    painter: QPainter, place: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if index.data(IN_USE_ROLE):
        _paint_dot(painter, place)
    card: EncoderInfo = index.data(CARD_ROLE)
    paint_two_lines(painter, place, item, (card.name, describe_card(card)))


def _paint_dot(painter: QPainter, place: QRectF) -> None:
    """Paint the dot on the right."""
    accent = QColor(tokens_of(QApplication.palette()).accent)
    dot = QRectF(
        place.right() - DOT_SIZE, place.center().y() - DOT_SIZE / 2, DOT_SIZE, DOT_SIZE
    )
    painter.setPen(QPen(accent, 1.5))
    painter.setBrush(accent)
    painter.drawEllipse(dot)
    place.setRight(dot.left() - 8)
