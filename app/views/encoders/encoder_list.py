"""The list of encoders: name, architecture, size, and a mark for the one in use."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QListView, QStyleOptionViewItem, QWidget

from app.protocol.answers.encoders import EncoderInfo
from app.views.client.encoders import EncoderStore
from app.views.widgets.cells import Index
from app.views.widgets.encoder_button import describe_encoder
from app.views.widgets.theme import colours_of
from app.views.widgets.two_line_list import (
    ROW_ROLE,
    RowDelegate,
    RowListModel,
    RowText,
    paint_two_lines,
    set_up_list,
)

DOT_SIZE = 8.0


class ListedEncoder(NamedTuple):
    """An encoder in the list.

    Attributes:
        info: the encoder.
        is_in_use: whether search and encoding use it.
        base: name of the encoder whose word vectors it uses; empty if none.
    """

    info: EncoderInfo
    is_in_use: bool
    base: str

    @property
    def facts(self) -> str:
        """The text below the name."""
        words = describe_encoder(self.info)
        if not self.base:
            return words
        needs = QCoreApplication.translate("EncoderListModel", "needs {name}")
        return f"{needs.format(name=self.base)} · {words}"


class EncoderListView(QListView):
    """A list of encoders, with one selected."""

    selection_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._encoders = RowListModel(_describe_row, self)
        self.setModel(self._encoders)
        set_up_list(
            self,
            RowDelegate(_paint_row, self),
            self.tr("Encoders"),
            self.tr("Select the encoder to show."),
        )
        self.selectionModel().currentChanged.connect(lambda *_: self._on_changed())

    @property
    def encoder(self) -> EncoderInfo | None:
        """The selected encoder, or None."""
        row = self.currentIndex().row()
        return self._encoders.rows[row].info if row >= 0 else None

    def show_encoders(self, known: EncoderStore) -> None:
        """Show encoders; keep the selection, or else select the one in use."""
        encoders, in_use = known.cards, known.chosen
        shown = self.encoder.name if self.encoder is not None else ""
        self.selectionModel().blockSignals(True)
        self._encoders.show_rows(
            [
                ListedEncoder(one, one.name == in_use, known.base_of(one))
                for one in encoders
            ]
        )
        self.selectionModel().blockSignals(False)
        names = [encoder.name for encoder in encoders]
        self.select(shown if shown in names else in_use)
        if self.encoder is None and encoders:
            self.select(names[0])
        self.selection_changed.emit()

    def select(self, name: str) -> bool:
        """Select an encoder, and return whether it exists."""
        for row, encoder in enumerate(self._encoders.rows):
            if encoder.info.name == name:
                self.setCurrentIndex(self._encoders.index(row))
                return True
        return False

    def _on_changed(self) -> None:
        if self.encoder is not None:
            self.selection_changed.emit()


def _describe_row(row: ListedEncoder) -> RowText:
    encoder = row.info
    words = f"{encoder.name}, {row.facts}"
    if row.is_in_use:
        in_use = QCoreApplication.translate("EncoderListModel", "{words}, in use")
        words = in_use.format(words=words)
    words = f"{words}\n{encoder.description}".strip()
    return RowText(encoder.name, encoder.name, words)


def _paint_row(
    painter: QPainter, rect: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    row: ListedEncoder = index.data(ROW_ROLE)
    if row.is_in_use:
        _paint_dot(painter, rect)
    lines = (row.info.name, row.facts)
    paint_two_lines(painter, rect, item, lines)


def _paint_dot(painter: QPainter, rect: QRectF) -> None:
    """Paint the dot on the right."""
    accent = QColor(colours_of(QApplication.palette()).accent)
    dot = QRectF(
        rect.right() - DOT_SIZE, rect.center().y() - DOT_SIZE / 2, DOT_SIZE, DOT_SIZE
    )
    painter.setPen(QPen(accent, 1.5))
    painter.setBrush(accent)
    painter.drawEllipse(dot)
    rect.setRight(dot.left() - 8)
