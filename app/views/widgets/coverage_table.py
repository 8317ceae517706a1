"""The table of coverage: a language a row, the worst first."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.coverage import VERDICTS, LanguageCoverage
from app.languages import language_name
from app.views.theme import GRID, scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.coverage_mark import (
    describe_coverage,
    format_percent,
    mark_icon,
    mark_size,
    verdict_text,
)
from app.views.widgets.sorted_item import SortedItem, Value
from app.views.words import format_count


class Column(NamedTuple):
    """A column: heading, what it means, its value of a language, and that in words."""

    title: str
    hint: str
    value: Callable[[LanguageCoverage], Value]
    text: Callable[[LanguageCoverage], str]
    width: int  # in steps of the grid
    of_pieces: bool = False


class CoverageTable(QTableWidget):
    """What was measured of each language; a heading sorts."""

    language_shown = Signal(object)  # LanguageCoverage or None
    language_chosen = Signal(object)  # LanguageCoverage: Enter, or a double click

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._columns = list_columns()
        self._rows: list[LanguageCoverage] = []
        self._encoder = ""
        self.setColumnCount(len(self._columns))
        self._make_headings()
        self.setIconSize(mark_size())
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(30, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        describe(self, self.tr("Coverage"), self.tr("One language a row."))
        self.setToolTip("")
        self.itemSelectionChanged.connect(self._on_selection_changed)
        self.itemActivated.connect(lambda _: self.language_chosen.emit(self.current))

    @property
    def current(self) -> LanguageCoverage | None:
        """The language whose row is selected."""
        items = self.selectedItems()
        if not items:
            return None
        return self._row(items[0].row())

    def show_languages(self, rows: Sequence[LanguageCoverage], encoder: str) -> None:
        """Show languages; the order that was chosen stays, and the selection."""
        before = self.current
        self._rows, self._encoder = list(rows), encoder
        self.setSortingEnabled(False)
        self.setRowCount(len(rows))
        for number, one in enumerate(rows):
            self._fill(number, one)
        self.setSortingEnabled(True)
        for row in range(self.rowCount()):
            if before is not None and self._row(row).language == before.language:
                self.selectRow(row)
        self._on_selection_changed()

    def show_theme(self) -> None:
        """Draw the marks in the colours in use."""
        for row in range(self.rowCount()):
            icon = mark_icon(self._row(row).verdict, tokens_of(self))
            self._cell(row, 0).setIcon(icon)

    def hide_pieces(self, is_hidden: bool) -> None:
        """Leave out what only an encoder with pieces has."""
        for number, column in enumerate(self._columns):
            if column.of_pieces:
                self.setColumnHidden(number, is_hidden)

    def lines(self) -> Iterator[Sequence[str]]:
        """Give the table as it stands, the headings first, with the reasons."""
        titles = [column.title for column in self._columns]
        yield (_tr("Code"), _tr("Verdict"), *titles, _tr("Why"))
        for row in range(self.rowCount()):
            one = self._row(row)
            cells = [self._cell(row, i).text() for i in range(len(self._columns))]
            yield (one.language, one.verdict, *cells, one.why)

    def _cell(self, row: int, column: int) -> QTableWidgetItem:
        cell = self.item(row, column)
        assert cell is not None, "every row is filled"
        return cell

    def _row(self, row: int) -> LanguageCoverage:
        """Give the language of a row, however the table is sorted."""
        number: int = self._cell(row, 0).data(_NUMBER_ROLE)
        return self._rows[number]

    def _make_headings(self) -> None:
        header = self.horizontalHeader()
        for number, column in enumerate(self._columns):
            item = QTableWidgetItem(column.title)
            item.setToolTip(column.hint)
            item.setTextAlignment(_LEFT if number == 0 else _RIGHT)
            self.setHorizontalHeaderItem(number, item)
            self.setColumnWidth(number, scaled(column.width * GRID, self))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(scaled(6 * GRID, self))

    def _fill(self, row: int, one: LanguageCoverage) -> None:
        tip = describe_coverage(one, self._encoder)
        for number, column in enumerate(self._columns):
            item = SortedItem(column.text(one), column.value(one))
            item.setTextAlignment(_LEFT if number == 0 else _RIGHT)
            item.setToolTip(tip)
            if number == 0:
                item.setData(_NUMBER_ROLE, row)
                item.setIcon(mark_icon(one.verdict, tokens_of(self)))
                words = f"{column.text(one)}, {verdict_text(one.verdict)}"
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            self.setItem(row, number, item)

    def _on_selection_changed(self) -> None:
        self.language_shown.emit(self.current)


def list_columns() -> list[Column]:
    """Give the columns; the first one sorts by the verdict."""
    return [
        Column(_tr("Language"), _tr("The worst first."), badness, _name, 24),
        Column(
            _tr("Sentences"),
            _tr("Number of different sentences that were measured."),
            lambda one: one.n,
            lambda one: format_count(one.n),
            12,
        ),
        *_columns_of_pieces(),
        *_columns_of_vectors(),
        Column(
            _tr("Trained"),
            _tr("Whether the encoder was trained on this language in this script."),
            lambda one: None if one.trained is None else float(one.trained),
            _trained,
            11,
        ),
    ]


def _columns_of_pieces() -> list[Column]:
    return [
        Column(
            _tr("Unknown"),
            _tr("Share of the pieces (or words) that the vocabulary does not have."),
            lambda one: one.unknown,
            lambda one: _share(one.unknown),
            11,
            of_pieces=True,
        ),
        Column(
            _tr("Pieces"),
            _tr("Pieces a word; a character where words are not spaced."),
            lambda one: one.pieces,
            _pieces,
            17,
            of_pieces=True,
        ),
        Column(
            _tr("Letters"),
            _tr("Share of the letters that are in the vocabulary."),
            lambda one: one.script,
            lambda one: _share(one.script),
            10,
            of_pieces=True,
        ),
    ]


def _columns_of_vectors() -> list[Column]:
    return [
        Column(
            _tr("Hubs"),
            _tr(
                "Share of the sentences that are among the ten nearest of three times "
                "as many others as the average, or more (Radovanović et al. 2010)."
            ),
            lambda one: one.hubs,
            lambda one: _share(one.hubs),
            9,
        ),
        Column(
            _tr("Zero"),
            _tr("Share of the sentences without a vector: nothing in them is known."),
            lambda one: one.zero,
            lambda one: _share(one.zero),
            9,
        ),
    ]


def badness(one: LanguageCoverage) -> str:
    """Give what orders languages: the verdict, then unknown pieces and hubs, falling.

    A text, so that it compares whole: digits of equal length, then the name.
    """
    numbers = [1 - (one.unknown or 0.0), 1 - (one.hubs or 0.0)]
    digits = "".join(f"{number:.4f}" for number in numbers)
    return f"{VERDICTS.index(one.verdict)}{digits}{language_name(one.language)}"


def _name(one: LanguageCoverage) -> str:
    return language_name(one.language)


def _share(value: float | None) -> str:
    return "–" if value is None else format_percent(value)


def _pieces(one: LanguageCoverage) -> str:
    if one.pieces is None:
        return "–"
    words = _tr("{n} / character") if one.per == "character" else _tr("{n} / word")
    return words.format(n=f"{one.pieces:.2f}")


def _trained(one: LanguageCoverage) -> str:
    if one.trained is None:
        return _tr("not known")
    return _tr("yes") if one.trained else _tr("no")


def _tr(text: str) -> str:
    return QCoreApplication.translate("coverage_table", text)


_NUMBER_ROLE = int(Qt.ItemDataRole.UserRole)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
