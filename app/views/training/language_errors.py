"""Table of retrieval errors by language."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import describe
from app.views.widgets.number_format import format_error_rate
from app.views.widgets.statistics_format import (
    format_interval,
    format_percentage_points,
    format_rate_with_interval,
    wilson_interval,
)
from app.views.widgets.tables import (
    SelectionMode,
    content_widths,
    fit_columns,
    set_up_table,
)
from app.views.widgets.theme import GRID, colours_of, mix, scaled

SHARE_ROLE = int(Qt.ItemDataRole.UserRole)
BAR_HEIGHT, ROW = 6, 28  # pixels
LEAST_BAR, WIDEST_BAR = 24, 60  # pixels; with less space, bars are hidden
N_BRIEF, N_COLUMNS = 3, 5  # for one training: up to the best error, all
WIDEST_COLUMN = 112  # pixels; interval, language or name of a training


class LanguageError(NamedTuple):
    """The error of a language (or the mean) in one or two trainings.

    Attributes:
        key: name of the curve.
        title: display name of the language.
        values: 0…1, one per training; None if not measured.
        best: the lowest error of a single training; None if not measured.
        n_pairs: number of pairs behind each value; 0: unknown; empty: unknown for all.
            If present, the interval of the best error and the pairs are shown, too.
    """

    key: str
    title: str
    values: tuple[float | None, ...]
    best: float | None = None
    n_pairs: tuple[int, ...] = ()

    @property
    def details(self) -> list[str]:
        """The displayed numbers; errors have an interval and a number of pairs."""
        details = list(self.numbers)
        for index, (error, n) in enumerate(
            zip(self.values, self.n_pairs, strict=False)
        ):
            if error is not None and n:
                interval = wilson_interval(error, n)
                details[index] = format_rate_with_interval(error, *interval, n)
        return details

    @property
    def numbers(self) -> list[str]:
        """The displayed numbers: the values, and then the best error or the change."""
        is_pair = len(self.values) == 2
        last = _difference(self.values) if is_pair else self.best
        numbers = [
            *map(write_error, self.values),
            write_error(last, is_difference=is_pair),
        ]
        if self.n_pairs and not is_pair:
            n, best = self.n_pairs[0], self.best
            is_known = bool(n) and best is not None
            interval = format_interval(*wilson_interval(best or 0.0, n))
            numbers += [interval, f"{n:,}"] if is_known else ["–", "–"]
        return numbers


def write_error(number: float | None, *, is_difference: bool = False) -> str:
    """Format an error in percent, or a difference in points; None as a dash."""
    if number is None or math.isnan(number):
        return "–"
    write = format_percentage_points if is_difference else format_error_rate
    return write(number)


class LanguageErrorModel(TableModel):
    """Model of the errors, the mean first."""

    def __init__(self, columns: Sequence[str], parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[LanguageError] = []
        self.columns = list(columns)
        self._hints: Sequence[str] = ()

    def show_rows(self, rows: Sequence[LanguageError]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def set_columns(self, columns: Sequence[str], hints: Sequence[str] = ()) -> None:
        """Set the titles of the columns; `hints` explain the first ones."""
        self._hints = hints
        if len(columns) != len(self.columns):
            self.beginResetModel()
            self.columns, self.rows = list(columns), []
            self.endResetModel()
        self.columns = list(columns)
        last = len(self.columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def title(self, column: int) -> str:
        """Return the title of a column."""
        return self.columns[column]

    def title_hint(self, column: int) -> str:
        """Return the full title, which may be elided, and its explanation."""
        hints = dict(enumerate(self._hints))
        return ". ".join(filter(None, (self.columns[column], hints.get(column))))

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column's title."""
        return ALIGN_RIGHT if column else ALIGN_LEFT

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return a cell's text, share for the bar, or style."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.numbers[column - 1] if column else row.title
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                text = f"{row.title}, {self.columns[column]} {row.details[column - 1]}"
                return text if column else row.title
            case Qt.ItemDataRole.TextAlignmentRole:
                return ALIGN_RIGHT if column else None
            case Qt.ItemDataRole.FontRole if index.row() == 0:
                font = QFont(QApplication.font())
                font.setBold(True)
                return font
            case _ if role == SHARE_ROLE:
                return row.values[0]
        return None


class LanguageErrors(QTableView):
    """A table of errors; the plot shows the selected rows.

    The last column is the best error of a single training, or the change between two
    trainings in percentage points.
    """

    selection_changed = Signal()

    def __init__(self, columns: Sequence[str], parent: QWidget | None = None):
        """Initialise an empty table; `columns` are titles of the number columns."""
        super().__init__(parent)
        self._language = self.tr("Language")
        self._is_brief = False
        self._errors = LanguageErrorModel([self._language, *columns], self)
        self.setModel(self._errors)
        self.setItemDelegateForColumn(1, BarDelegate(self))
        set_up_table(self, ROW, SelectionMode.ExtendedSelection)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setDefaultAlignment(ALIGN_LEFT)
        describe(
            self,
            self.tr("Retrieval error by language, worst first"),
            self.tr("Select languages to show their curves."),
            has_tooltip=False,
        )
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def selected(self) -> list[str]:
        """Keys of the selected rows, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._errors.rows[row].key for row in rows]

    @property
    def rows(self) -> list[LanguageError]:
        """The rows in display order."""
        return self._errors.rows

    def set_columns(self, columns: Sequence[str], hints: Sequence[str] = ()) -> None:
        """Set the titles of the number columns; `hints` explain them."""
        self._errors.set_columns([self._language, *columns], ["", *hints])
        self.updateGeometry()

    def set_brief(self, *, is_brief: bool) -> None:
        """Hide the interval and the number of pairs, which tooltips show."""
        self._is_brief = is_brief
        self._fit()
        self.updateGeometry()

    def show_errors(
        self,
        mean: LanguageError,
        errors: Sequence[LanguageError],
        *,
        keeps_order: bool = False,
    ) -> None:
        """Show the mean, and then the languages from worst to best.

        Args:
            keeps_order: keep the order of the rows if they are of the same languages.
        """
        order = {row.key: index for index, row in enumerate(self._errors.rows)}
        if not keeps_order or order.keys() != {mean.key, *(row.key for row in errors)}:
            order = {}
        errors = sorted(
            errors, key=lambda row: (order.get(row.key, 0), *_sort_key(row))
        )
        rows = [mean, *errors]
        if rows == self._errors.rows:
            return
        selected, current = set(self.selected), self.currentIndex().row()
        model = self.selectionModel()
        model.blockSignals(True)
        self._errors.show_rows(rows)
        selection = QItemSelection()
        for place, row in enumerate(rows):
            if row.key in selected:
                index = self._errors.index(place, 0)
                selection.select(index, index)
        flag = QItemSelectionModel.SelectionFlag
        model.select(selection, flag.ClearAndSelect | flag.Rows)
        if current >= 0:
            index = self._errors.index(min(current, len(rows) - 1), 0)
            model.setCurrentIndex(index, flag.NoUpdate)
        model.blockSignals(False)
        self.updateGeometry()
        self._fit()

    def texts(self) -> list[list[str]]:
        """Return the text of the table, row by row."""
        return [[row.title, *row.numbers] for row in self.rows]

    def _on_selection_changed(self) -> None:
        self.selection_changed.emit()

    def _fit(self) -> None:
        """Fit all columns; bars get the remaining width."""
        most, n_columns = scaled(WIDEST_COLUMN), self._errors.n_columns()
        for column in range(N_BRIEF, n_columns):
            is_hidden = self._is_brief and n_columns == N_COLUMNS
            self.setColumnHidden(column, is_hidden)
        fit_columns(self, most=most)
        needed = content_widths(self, most)[0]
        bar = min(self.columnWidth(0) - needed, scaled(WIDEST_BAR))
        if bar >= scaled(LEAST_BAR):
            self.setColumnWidth(0, self.columnWidth(0) - bar)
            self.setColumnWidth(1, self.columnWidth(1) + bar)

    def minimumSizeHint(self) -> QSize:
        """Return the width of all columns without bars."""
        width = sum(content_widths(self, scaled(WIDEST_COLUMN)).values())
        width += self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self._fit()


class BarDelegate(QStyledItemDelegate):
    """Paints an error as a number with a bar on its left."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if share is None or math.isnan(share):
            return
        colours = colours_of(QApplication.palette())
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        metrics = QFontMetricsF(item.font)
        number = metrics.horizontalAdvance(format_error_rate(1.0)) + 2 * GRID
        rect = QRectF(item.rect)
        track = QRectF(
            rect.left() + GRID,
            rect.center().y() - BAR_HEIGHT / 2,
            rect.width() - number - GRID,
            BAR_HEIGHT,
        )
        if track.width() < LEAST_BAR - GRID:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(colours, "secondary", 0.18)))
        painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        track.setWidth(max(track.width() * min(share, 1.0), BAR_HEIGHT))
        painter.setBrush(QColor(colours.accent))
        painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        painter.restore()


def _sort_key(row: LanguageError) -> tuple[float, str]:
    value = row.values[0]
    return (1.0 if value is None else -value, row.title)


def _difference(values: Sequence[float | None]) -> float | None:
    one, other = values[0], values[-1]
    return None if one is None or other is None else other - one
