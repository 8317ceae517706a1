"""The most confident errors in a language, with their nearest training texts."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QTableView, QWidget

from app.results.transfer import ConfidentError, LanguageDetails, NearestExample
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.cells import DISPLAY_ROLE, LANGUAGE_ROLE, Index, TableModel
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.hit_card import ScoreBadge
from app.views.widgets.number_format import format_badge
from app.views.widgets.page_layout import make_split
from app.views.widgets.sentence_label import SentenceLabel
from app.views.widgets.statistics_format import format_rate, language_code
from app.views.widgets.tables import TextDelegate, set_up_large_table
from app.views.widgets.theme import GRID, QUERY_PX, scaled

CONFIDENCE, TEXT, LABEL, PREDICTED = range(4)
TABLE_WIDTH = 38 * GRID  # minimum


class TransferErrorModel(TableModel):
    """Model of the errors in a language."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.errors: tuple[ConfidentError, ...] = ()
        self.language = ""

    def show_errors(self, errors: tuple[ConfidentError, ...], language: str) -> None:
        """Show errors, the most confident first."""
        self.beginResetModel()
        self.errors, self.language = errors, language
        self.endResetModel()

    def n_rows(self) -> int:
        """Return the number of errors."""
        return len(self.errors)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return PREDICTED + 1

    def title(self, column: int) -> str:
        """Return the title of a column."""
        text, label = self.tr("Text"), self.tr("Label")
        return (self.tr("Confidence"), text, label, self.tr("Predicted"))[column]

    def title_hint(self, column: int) -> str | None:
        """Return an explanation of the confidence."""
        hint = self.tr("Calibrated probability of the predicted class.")
        return hint if column == CONFIDENCE else None

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell."""
        if not index.isValid():
            return None
        one, column = self.errors[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return _cell(one, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(column)
            case _ if role == LANGUAGE_ROLE:
                return self.language
        return None


class TransferErrors(QWidget):
    """The errors on the left, and details of the selected error on the right."""

    place_requested = Signal(object)  # id of a sentence to show in its corpus

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.errors = TransferErrorModel(self)
        self.table = QTableView()
        self.table.setModel(self.errors)
        set_up_large_table(self.table)
        self.table.setItemDelegateForColumn(TEXT, TextDelegate(self.table))
        header = self.table.horizontalHeader()
        for column in (CONFIDENCE, LABEL, PREDICTED):
            mode = QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        describe(self.table, self.tr("Most confident errors"), has_tooltip=False)
        self._has_places, self._home = False, ""
        self._card = QWidget()
        self._card.setObjectName("scrolled")
        self._column = make_column(
            parent=self._card, margins=(2 * GRID, GRID + 4, 2 * GRID, GRID)
        )
        frame = QFrame()
        frame.setProperty("card", True)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._card)
        make_column(area, parent=frame, margins=1)
        split = make_split(
            self.table, frame, sizes=(60 * GRID, 50 * GRID), gap=GRID, parent=self
        )
        make_column(split, parent=self)
        self.place_button = make_button(
            self.tr("Show in corpus"),
            self.tr("Show the sentence of the selected error in its corpus."),
            self._show_place,
            kind="quiet",
        )
        self._keep_room()
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)

    def _keep_room(self) -> None:
        """Reserve width for all columns of the table."""
        self.table.setMinimumWidth(scaled(TABLE_WIDTH))

    def changeEvent(self, event: QEvent) -> None:
        """Update the reserved width after the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()

    @property
    def texts(self) -> list[str]:
        """The texts about the selected error, from top to bottom."""
        found = []
        for index in range(self._column.count()):
            item = self._column.itemAt(index)
            widget = item.widget() if item is not None else None
            if widget is not None and widget.accessibleName():
                found.append(widget.accessibleName())
        return found

    def show_details(
        self, details: LanguageDetails | None, *, has_places: bool, home: str
    ) -> None:
        """Show a language.

        Args:
            details: details of the language, or None.
            has_places: whether the locations of errors are sentence ids.
            home: the training language.
        """
        self._has_places, self._home = has_places, home
        errors = details.errors if details is not None else ()
        language = language_code(details.name) if details is not None else ""
        self.errors.show_errors(errors, language)
        self._show_error(None)
        if errors:
            self.table.selectRow(0)

    @property
    def _current(self) -> ConfidentError | None:
        row, errors = self.table.currentIndex().row(), self.errors.errors
        return errors[row] if 0 <= row < len(errors) else None

    def _show_place(self) -> None:
        if self._current is not None:
            self.place_requested.emit(self._current.place)

    def _on_row_changed(self) -> None:
        self._show_error(self._current)

    def _show_error(self, one: ConfidentError | None) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.place_button.setVisible(self._has_places)
        self.place_button.setEnabled(one is not None)
        if one is None:
            words = self.tr("All rows were classified correctly.")
            self._add(make_label("" if self.errors.errors else words, "secondary"))
            self._column.addStretch()
            return
        words = self.tr("Labelled {label}, predicted {predicted} ({confidence})")
        confidence = format_rate(one.probability)
        text = words.format(
            label=one.label, predicted=one.predicted, confidence=confidence
        )
        self._add(_named(make_label(text, "warning", wraps=True), text))
        for text in one.texts:
            label = SentenceLabel(QUERY_PX)
            label.show_sentence(text, self.errors.language)
            self._add(_named(label, text))
        if one.nearest:
            title = self.tr("Nearest training texts")
            self._add(make_label(title, "section"))
        for near in one.nearest:
            self._add(_neighbour_row(near, self._home))
        self._column.addStretch()

    def _add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)


def _neighbour_row(near: NearestExample, language: str) -> QWidget:
    """Return a row with cosine, label and text of a training text."""
    badge = ScoreBadge()
    badge.show_cosine(near.cosine)
    text = " | ".join(near.texts)
    label = SentenceLabel()
    label.show_sentence(text, language)
    name = make_label(near.label, "accent")
    name.setMinimumWidth(scaled(64))
    row = QWidget()
    top = Qt.AlignmentFlag.AlignTop
    make_row((badge, 0, top), (name, 0, top), (label, 1), parent=row)
    row.setAccessibleName(f"{format_badge(near.cosine)} {near.label}: {text}")
    return row


def _named(widget: QWidget, name: str) -> QWidget:
    widget.setAccessibleName(name)
    return widget


def _cell(one: ConfidentError, column: int) -> str:
    texts: Sequence[str] = one.texts
    cells = {
        CONFIDENCE: format_rate(one.probability),
        TEXT: " | ".join(texts),
        LABEL: one.label,
        PREDICTED: one.predicted,
    }
    return cells[column]
