"""The languages that an encoder covers: summary, table and details."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QTableWidget, QWidget

from app.languages import language_name
from app.protocol.answers.encoders import EncoderInfo
from app.results.coverage import COVERAGE_RATINGS, LanguageCoverage
from app.views.client.encoders import Coverage
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.coverage_mark import (
    describe_coverage,
    format_small_percent,
    mark_icon,
    mark_size,
    verdict_name,
)
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.export_dialog import ExportDialog, ask_table_export, freeze_table
from app.views.widgets.number_format import (
    describe_device,
    format_age,
    format_count,
    format_share,
    format_throughput,
    pluralize,
)
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.tables import (
    TableColumn,
    cell_of,
    fill_row,
    fit_columns,
    set_up_columns,
    set_up_table,
)
from app.views.widgets.theme import GRID, colours_of, scaled

_tr = partial(QCoreApplication.translate, "coverage_table")
LEAST_HEIGHT = 24 * GRID  # minimum height of the table
DETAIL_LINES = 3  # lines about a language

CoverageColumn = TableColumn[LanguageCoverage]


class CoverageTable(QTableWidget):
    """Table of measurements by language, sortable by column."""

    language_selected = Signal(object)  # LanguageCoverage or None
    language_activated = Signal(object)  # LanguageCoverage, by Enter or double-click

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._columns = list_columns()
        self._rows: list[LanguageCoverage] = []
        self._outdated: Mapping[str, float] = {}
        self._encoder = ""
        set_up_table(self, 30)
        set_up_columns(self, self._columns)
        self.setIconSize(mark_size())
        self.setSortingEnabled(True)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        describe(
            self,
            self.tr("Coverage"),
            self.tr("One row per language."),
            has_tooltip=False,
        )
        self.itemSelectionChanged.connect(self._on_selection_changed)
        self.itemActivated.connect(lambda _: self.language_activated.emit(self.current))

    @property
    def current(self) -> LanguageCoverage | None:
        """The selected language, or None."""
        items = self.selectedItems()
        if not items:
            return None
        return self._row(items[0].row())

    def show_languages(
        self,
        rows: Sequence[LanguageCoverage],
        encoder: str,
        outdated: Mapping[str, float],
    ) -> None:
        """Show languages, the worst first, keeping sort order and selection."""
        before = self.current
        self._rows = sorted(rows, key=coverage_sort_key)
        self._encoder, self._outdated = encoder, outdated
        self.setSortingEnabled(False)
        self.setRowCount(len(rows))
        for number, one in enumerate(self._rows):
            self._fill(number, one)
        self.setSortingEnabled(True)
        fit_columns(self)
        for row in range(self.rowCount()):
            if before is not None and self._row(row).language == before.language:
                self.selectRow(row)
        self._on_selection_changed()

    def show_theme(self) -> None:
        """Redraw the marks in the colours of the current theme."""
        for row in range(self.rowCount()):
            icon = mark_icon(self._row(row).verdict, colours_of(self))
            cell_of(self, row, 0).setIcon(icon)

    def hide_pieces(self, is_hidden: bool) -> None:
        """Hide the columns that only apply to encoders with pieces."""
        for number, column in enumerate(self._columns):
            if column.is_optional:
                self.setColumnHidden(number, is_hidden)
        fit_columns(self)

    def lines(self) -> Iterator[Sequence[str]]:
        """Return headings and rows in display order, with the reasons."""
        titles = [column.title for column in self._columns]
        yield (_tr("Code"), _tr("Verdict"), *titles, _tr("Why"))
        for row in range(self.rowCount()):
            one = self._row(row)
            cells = [cell_of(self, row, i).text() for i in range(len(self._columns))]
            yield (one.language, one.verdict, *cells, one.why)

    def _row(self, row: int) -> LanguageCoverage:
        """Return the language in a row of the sorted table."""
        number: int = cell_of(self, row, 0).data(_NUMBER_ROLE)
        return self._rows[number]

    def _fill(self, row: int, one: LanguageCoverage) -> None:
        cell = fill_row(self, row, self._columns, one)
        cell.setData(_NUMBER_ROLE, row)
        cell.setIcon(mark_icon(one.verdict, colours_of(self)))
        words = f"{cell.text()}, {verdict_name(one.verdict)}"
        cell.setData(Qt.ItemDataRole.AccessibleTextRole, words)
        tip = describe_coverage(one, self._encoder, self._outdated)
        for column in range(len(self._columns)):
            cell_of(self, row, column).setToolTip(tip)

    def _on_sorted(self, column: int) -> None:
        """Restore the order from worst to best if no column is sorted."""
        if column < 0:
            self.show_languages(self._rows, self._encoder, self._outdated)

    def _on_selection_changed(self) -> None:
        self.language_selected.emit(self.current)

    def minimumSizeHint(self) -> QSize:
        """Return the size for some languages."""
        return QSize(super().minimumSizeHint().width(), scaled(LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        fit_columns(self)


def list_columns() -> list[CoverageColumn]:
    """Return the columns, the language first."""
    return [
        CoverageColumn(
            _tr("Language"),
            _tr("Without sorting by a column, the worst coverage is first."),
            _format_name,
            _format_name,
        ),
        CoverageColumn(
            _tr("Sentences"),
            _tr("Number of distinct sentences measured."),
            lambda one: one.n,
            lambda one: format_count(one.n),
        ),
        *_list_piece_columns(),
        *_list_vector_columns(),
        CoverageColumn(
            _tr("Trained"),
            _tr("Whether the encoder was trained on this language in this script."),
            lambda one: None if one.trained is None else float(one.trained),
            _format_trained,
        ),
        CoverageColumn(
            _tr("Pieces"),
            _tr("Pieces per word, or per character where words aren't spaced."),
            lambda one: one.pieces,
            _format_pieces,
            is_optional=True,
        ),
    ]


def _list_piece_columns() -> list[CoverageColumn]:
    return [
        CoverageColumn(
            _tr("Unknown"),
            _tr("Share of pieces (or words) that are not in the vocabulary."),
            lambda one: one.unknown,
            lambda one: _format_share(one.unknown),
            is_optional=True,
        ),
        CoverageColumn(
            _tr("Letters"),
            _tr("Share of letters that are in the vocabulary."),
            lambda one: one.script,
            lambda one: _format_share(one.script),
            is_optional=True,
        ),
    ]


def _list_vector_columns() -> list[CoverageColumn]:
    return [
        CoverageColumn(
            _tr("Hubs"),
            _tr(
                "Share of sentences that are among the ten nearest of at least three "
                "times as many others as the average (Radovanović et al. 2010)."
            ),
            lambda one: one.hubs,
            lambda one: _format_share(one.hubs),
        ),
        CoverageColumn(
            _tr("Zero"),
            _tr(
                "Share of sentences without a vector, because the encoder knows no "
                "part of them."
            ),
            lambda one: one.zero,
            lambda one: _format_share(one.zero),
        ),
    ]


def coverage_sort_key(one: LanguageCoverage) -> str:
    """Return a sort key: verdict, and then unknown pieces and hubs, descending.

    The key is a text of digits of fixed width, followed by the name.
    """
    numbers = [1 - (one.unknown or 0.0), 1 - (one.hubs or 0.0)]
    digits = "".join(f"{number:.4f}" for number in numbers)
    return f"{COVERAGE_RATINGS.index(one.verdict)}{digits}{language_name(one.language)}"


def _format_name(one: LanguageCoverage) -> str:
    return language_name(one.language)


def _format_share(value: float | None) -> str:
    return "–" if value is None else format_small_percent(value)


def _format_pieces(one: LanguageCoverage) -> str:
    if one.pieces is None:
        return "–"
    words = _tr("{n} / character") if one.per == "character" else _tr("{n} / word")
    return words.format(n=f"{one.pieces:.2f}")


def _format_trained(one: LanguageCoverage) -> str:
    if one.trained is None:
        return _tr("unknown")
    return _tr("yes") if one.trained else _tr("no")


_NUMBER_ROLE = int(Qt.ItemDataRole.UserRole)


class CoveragePage(QWidget):
    """Coverage of an encoder, or an offer to measure it."""

    measure_requested = Signal()
    measure_files_requested = Signal()  # measure on text files, without a corpus
    cancel_requested = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.table = CoverageTable()
        self._encoder = ""
        self._coverage: Coverage | None = None
        self._outdated: Mapping[str, float] = {}
        self._has_corpora = False
        self._summary = make_label("", "secondary", wraps=True)
        self._detail = make_label("", "secondary", wraps=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._make_buttons()
        self._running = make_label("", "secondary")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_empty())
        self._pages.addWidget(self._make_full())
        self._progress = as_widget(make_row((self._running, 1), self._cancel, gap=None))
        self._progress.hide()
        make_column(
            self._progress, (self._pages, 1), parent=self, margins=(0, 2 * GRID, 0, 0)
        )
        self.table.language_selected.connect(self._on_language_selected)
        self.table.language_activated.connect(self._on_language_activated)

    @property
    def summary(self) -> str:
        """The text above the table."""
        return self._summary.text()

    @property
    def detail(self) -> str:
        """The text about the selected language."""
        return self._detail.text()

    @property
    def is_empty(self) -> bool:
        """Return whether there are no measurements."""
        return self._pages.currentIndex() == 0

    def show_coverage(self, encoder: EncoderInfo, coverage: Coverage | None) -> None:
        """Show the measurements of an encoder."""
        self._encoder, self._coverage = encoder.name, coverage
        self._pages.setCurrentIndex(0 if coverage is None else 1)
        rows = list(coverage.languages.values()) if coverage is not None else []
        self._outdated = coverage.outdated if coverage is not None else {}
        self.table.show_languages(rows, encoder.name, self._outdated)
        if coverage is not None:
            self._summary.setText(self._summarise(coverage))
        has_pieces = coverage is None or coverage.last.has_pieces
        self.table.hide_pieces(not has_pieces)

    def show_ages(self) -> None:
        """Update the age of the measurements."""
        if self._coverage is not None:
            self._summary.setText(self._summarise(self._coverage))
            self._on_language_selected(self.table.current)

    def show_run(self, run: RunState | None) -> None:
        """Show the progress of a measurement, or None if none is running."""
        self._progress.setVisible(run is not None)
        self._again.setEnabled(run is None)
        self._first.setEnabled(run is None)
        if run is None:
            return
        words = self.tr("Waiting to measure…")
        if run.total:
            words = self.tr("Measuring: {stage}, {share}")
            share = format_share(run.done, run.total)
            words = words.format(stage=run.note or run.stage, share=share)
        elif run.stage:
            words = f"{run.stage}…"
        self._running.setText(words)

    def set_writable(self, is_writable: bool, *, has_corpora: bool) -> None:
        """Offer to measure corpora or files if the project is writable."""
        self._has_corpora = has_corpora
        self._again.setVisible(is_writable)
        self._first.setVisible(is_writable)
        button = self.tr("Measure coverage")
        words = self.tr(
            "Measure how well the encoder covers the languages of this project before "
            "you rely on it. This takes seconds."
        )
        if not has_corpora:
            button = self.tr("Measure on files…")
            words = self.tr(
                "This project has no corpus. Import one, or measure the encoder's "
                "coverage on text files."
            )
        self._empty.set_words(self.tr("Coverage not measured yet"), words)
        self._first.setText(button)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the table."""
        return ask_table_export(
            self._state,
            self,
            self.tr("Export coverage"),
            self.tr("coverage of {name}").format(name=self._encoder),
            freeze_table(self.table.lines),
            self.table.rowCount(),
        )

    def _make_buttons(self) -> None:
        self._again = make_button(
            self.tr("Measure again"),
            self.tr("Measure the coverage of every language of this project."),
            self._on_measure_clicked,
            kind="quiet",
        )
        self._first = make_button(
            self.tr("Measure coverage"),
            self.tr("Measure the coverage of every language of this project."),
            self._on_measure_clicked,
            kind="primary",
        )
        self._export = make_button(
            self.tr("Export…"),
            self.tr("Export the table."),
            self.ask_export,
            kind="quiet",
        )
        offer_in_palette(self._export, self.tr("Export coverage…"))
        self._cancel = make_button(
            self.tr("Cancel"), self.tr("Stop measuring."), self.cancel_requested.emit
        )
        self._hub = make_button(
            self.tr("Show the largest hub"),
            self.tr("Show the sentence that is a near neighbour of most others."),
            lambda: self._on_language_activated(self.table.current),
            kind="quiet",
        )
        offer_in_palette(self._hub, self._hub.text())

    def _make_empty(self) -> QWidget:
        self._empty = EmptyState("", "", [self._first], icon="encoders")
        return make_scroll_area(self._empty)

    def _make_full(self) -> QWidget:
        head = WrappingRow()
        head.addWidget(self._summary)
        head.add_stretch()
        for button in (self._export, self._again):
            head.addWidget(button)
        foot = make_row(
            (self._detail, 1), (self._hub, 0, Qt.AlignmentFlag.AlignTop), gap=None
        )
        return as_widget(make_column(head, (self.table, 1), foot))

    def _summarise(self, coverage: Coverage) -> str:
        """Summarise the verdicts, the time and the speed of the measurement."""
        counts = Counter(one.verdict for one in coverage.languages.values())
        n, last = len(coverage.languages), coverage.last
        languages = pluralize(n, self.tr("1 language"), self.tr("{n} languages"))
        verdicts = ", ".join(
            f"{counts[one]} {verdict_name(one)}"
            for one in COVERAGE_RATINGS[::-1]
            if counts[one]
        )
        parts = [f"{languages}: {verdicts}"]
        when = format_age(coverage.measured_at)
        parts.append(self.tr("measured {when}").format(when=when))
        if n_old := len(coverage.outdated):
            one_old = self.tr("1 language measured before its last import")
            many = self.tr("{n} languages measured before their last imports")
            parts.append(pluralize(n_old, one_old, many))
        if last.sentences_per_s:
            rate = format_throughput(last.sentences_per_s, self.tr("sentences"))
            parts.append(f"{rate} ({describe_device(last.device)})")
        if not last.has_pieces:
            parts.append(self.tr("vocabulary not measured: the encoder has no pieces"))
        return " · ".join(parts)

    def _on_measure_clicked(self) -> None:
        (
            self.measure_requested
            if self._has_corpora
            else self.measure_files_requested
        ).emit()

    def _on_language_selected(self, one: LanguageCoverage | None) -> None:
        self._hub.setVisible(one is not None and one.hub is not None)
        if one is None:
            self._detail.setText(
                self.tr(
                    "Covered (green) means that no measurement found a problem, not "
                    "that translations are found. To check that, measure retrieval in "
                    "Evaluate."
                )
            )
            return
        lines_height = self._detail.fontMetrics().height() * DETAIL_LINES
        self._detail.setMinimumHeight(lines_height)  # so that the table does not move
        text = describe_coverage(one, self._encoder, self._outdated)
        lines = text.splitlines()
        first = lines[0].replace(self.tr("this language"), language_name(one.language))
        rest = f"{lines[1]} {', '.join(lines[2:])}."
        self._detail.setText(f"{first}\n{rest}")

    def _on_language_activated(self, one: LanguageCoverage | None) -> None:
        if one is not None and one.hub is not None:
            self._state.view_requests.place_requested.emit(one.hub)
