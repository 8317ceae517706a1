"""Table of scores by language of a transfer test."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTableWidget, QWidget

from app.number_format import NO_BREAK
from app.views.classify.transfer.results import TransferScore
from app.views.widgets.controls import describe
from app.views.widgets.statistics_format import (
    format_coefficient,
    format_coefficient_change,
    format_percentage_points,
    format_rate,
)
from app.views.widgets.tables import (
    HEADING_PADDING,
    TableColumn,
    cell_of,
    fill_row,
    fit_columns,
    set_up_columns,
    set_up_table,
)

_tr = partial(QCoreApplication.translate, "transfer_table")

KEY_ROLE = int(Qt.ItemDataRole.UserRole)
LANGUAGE, ACCURACY = 0, 2  # columns


class TransferTable(QTableWidget):
    """Scores by language; clicking a heading sorts them."""

    language_shown = Signal(str)  # key of the language

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._home = 0.0
        self._columns = self._make_columns()
        set_up_table(self)
        set_up_columns(self, self._columns)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        describe(
            self,
            self.tr("Transfer board"),
            self.tr("One language per row."),
            has_tooltip=False,
        )
        self.itemSelectionChanged.connect(self._on_selection_changed)

    @property
    def current_key(self) -> str:
        """The key of the selected language; empty if none."""
        items = self.selectedItems()
        return (
            str(cell_of(self, items[0].row(), LANGUAGE).data(KEY_ROLE)) if items else ""
        )

    @property
    def keys(self) -> list[str]:
        """The keys of languages in the current order."""
        return [
            str(cell_of(self, row, LANGUAGE).data(KEY_ROLE))
            for row in range(self.rowCount())
        ]

    def show_rows(
        self, rows: Sequence[TransferScore], home: float, *, has_scores: bool
    ) -> None:
        """Show languages in the given order, until the user sorts them.

        Args:
            home: the score in the training language.
            has_scores: whether the test is on scores of pairs, not classes.
        """
        self._home = home
        self.blockSignals(True)
        self.setSortingEnabled(False)
        self.setRowCount(len(rows))
        for index, row in enumerate(rows):
            cell = fill_row(self, index, self._columns, row)
            cell.setData(KEY_ROLE, row.key)
            font = cell.font()
            font.setBold(row.is_home)
            cell.setFont(font)
        self.setSortingEnabled(True)
        for number, column in enumerate(self._columns):
            self.setColumnHidden(number, has_scores and column.is_optional)
        name = _tr("Pearson’s r") if has_scores else _tr("Accuracy, %")
        heading = self.horizontalHeaderItem(ACCURACY)
        assert heading is not None, "every column has a heading"
        heading.setText(name + HEADING_PADDING)
        fit_columns(self)
        self.clearSelection()
        self.blockSignals(False)
        others = [row.key for row in rows if not row.is_home]
        if rows:
            self.choose((others or [rows[0].key])[0])

    def choose(self, key: str) -> None:
        """Select the row of a language."""
        if key in self.keys and key != self.current_key:
            self.selectRow(self.keys.index(key))
            self.scrollToItem(cell_of(self, self.keys.index(key), LANGUAGE))

    def _make_columns(self) -> list[TableColumn[TransferScore]]:
        gap: TableColumn[TransferScore] = TableColumn(
            _tr("Gap"),
            _tr(
                "Score in the training language minus this one, in points (of r for "
                "scores). The difference is of the unrounded scores."
            ),
            lambda row: self._home - row.value,
            lambda row: "" if row.is_home else _gap(row, self._home - row.value),
        )
        accuracy, *classes = _score_columns()
        return [*_row_columns(), accuracy, gap, *classes, _known_column()]

    def _on_selection_changed(self) -> None:
        if self.selectedItems():
            self.language_shown.emit(self.current_key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        fit_columns(self)


def _row_columns() -> list[TableColumn[TransferScore]]:
    return [
        TableColumn(
            _tr("Language"),
            _tr(
                "Language of the test. The training language is bold. If no test is in "
                "it, rows held out of the training are shown."
            ),
            lambda row: row.title,
            _title,
        ),
        TableColumn(
            _tr("n"),
            _tr("Number of test rows."),
            lambda row: row.n,
            lambda row: f"{row.n:,}",
        ),
    ]


def _score_columns() -> list[TableColumn[TransferScore]]:
    return [
        TableColumn(
            _tr("Accuracy, %"),
            _tr(
                "Share of correct rows, with its 95\u00a0% bootstrap interval. At 0 "
                "and 100\u00a0% all resamples are equal: the Wilson interval is shown."
            ),
            lambda row: row.value,
            _main,
        ),
        TableColumn(
            _tr("Macro-F1, %"),
            _tr(
                "Mean F1 of the classes, with its 95\u00a0% bootstrap interval, unless "
                "all resamples are equal."
            ),
            lambda row: row.f1,
            lambda row: _score(row.f1, row.f1_low, row.f1_high),
            is_optional=True,
        ),
        TableColumn(
            _tr("Majority"),
            _tr("Accuracy of always predicting the most frequent class of these rows."),
            lambda row: row.majority,
            lambda row: _rate(row.majority),
            is_optional=True,
        ),
    ]


def _known_column() -> TableColumn[TransferScore]:
    hint = _tr(
        "Test rows that are also in the training set, or look like translations of "
        "training rows. They inflate the scores."
    )
    return TableColumn(
        _tr("Known"),
        hint,
        lambda row: row.n_known,
        lambda row: f"{row.n_known:,}" if row.n_known else "",
        is_optional=True,
    )


def _title(row: TransferScore) -> str:
    words = _tr("{language} (training)") if row.key else _tr("{language} (held out)")
    return words.format(language=row.title) if row.is_home else row.title


def _main(row: TransferScore) -> str:
    """Format accuracy, or r for scores: 0.71 (0.65–0.76)."""
    if not row.is_correlation:
        return _score(row.value, row.low, row.high)
    interval = f"{format_coefficient(row.low)}–{format_coefficient(row.high)}"
    return f"{format_coefficient(row.value)}{NO_BREAK}({interval})"


def _gap(row: TransferScore, gap: float) -> str:
    return (
        format_coefficient_change(gap)
        if row.is_correlation
        else format_percentage_points(gap)
    )


def _rate(value: float | None) -> str:
    return "" if value is None else format_rate(value)


def _score(value: float | None, low: float | None, high: float | None) -> str:
    """Format a score and its interval in %: 45.2 (36.5–54.0)."""
    if value is None or low is None or high is None:
        return _rate(value)
    if low == high:
        return f"{100 * value:.1f}"
    return f"{100 * value:.1f}{NO_BREAK}({100 * low:.1f}–{100 * high:.1f})"
