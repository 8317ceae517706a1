"""The list of encoders: name, architecture, size and which one is in use."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QListView, QStyleOptionViewItem, QWidget

from app.protocol.answers.encoders import EncoderInfo
from app.views.widgets.cells import DISPLAY_ROLE, Index
from app.views.widgets.controls import describe
from app.views.widgets.encoder_button import describe_encoder
from app.views.widgets.theme import tokens_of
from app.views.widgets.two_line_list import RowDelegate, paint_two_lines

ENCODER_ROLE = int(Qt.ItemDataRole.UserRole)
IN_USE_ROLE = ENCODER_ROLE + 1
DOT_SIZE = 8.0


class EncoderListModel(QAbstractListModel):
    """The encoders of the project, the bundled ones first."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.encoders: list[EncoderInfo] = []
        self._in_use = ""

    def show_encoders(self, encoders: Sequence[EncoderInfo], in_use: str) -> None:
        """Show encoders; one of them is in use."""
        self.beginResetModel()
        self.encoders, self._in_use = list(encoders), in_use
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the encoders."""
        return 0 if parent is not None and parent.isValid() else len(self.encoders)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return an encoder, its name, or its words for a screen reader."""
        if not index.isValid():
            return None
        encoder = self.encoders[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return encoder.name
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return self._describe(encoder)
            case _ if role == ENCODER_ROLE:
                return encoder
            case _ if role == IN_USE_ROLE:
                return encoder.name == self._in_use
        return None

    def _describe(self, encoder: EncoderInfo) -> str:
        words = f"{encoder.name}, {describe_encoder(encoder)}"
        if encoder.name == self._in_use:
            words = self.tr("{words}, in use").format(words=words)
        return f"{words}\n{encoder.description}".strip()


class EncoderListView(QListView):
    """Encoders, one of which is shown."""

    selection_changed = Signal()

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
    def encoder(self) -> EncoderInfo | None:
        """The encoder that is shown."""
        row = self.currentIndex().row()
        return self._encoders.encoders[row] if row >= 0 else None

    def show_encoders(self, encoders: Sequence[EncoderInfo], in_use: str) -> None:
        """Show encoders; the one shown stays, else the one in use is shown."""
        shown = self.encoder.name if self.encoder is not None else ""
        self.selectionModel().blockSignals(True)
        self._encoders.show_encoders(encoders, in_use)
        self.selectionModel().blockSignals(False)
        names = [encoder.name for encoder in encoders]
        self.select(shown if shown in names else in_use)
        if self.encoder is None and encoders:
            self.select(names[0])
        self.selection_changed.emit()

    def select(self, name: str) -> bool:
        """Show an encoder; returns whether it is there."""
        for row, encoder in enumerate(self._encoders.encoders):
            if encoder.name == name:
                self.setCurrentIndex(self._encoders.index(row))
                return True
        return False

    def _on_changed(self) -> None:
        if self.encoder is not None:
            self.selection_changed.emit()


def _paint_row(
    painter: QPainter, place: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if index.data(IN_USE_ROLE):
        _paint_dot(painter, place)
    encoder: EncoderInfo = index.data(ENCODER_ROLE)
    paint_two_lines(painter, place, item, (encoder.name, describe_encoder(encoder)))


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
