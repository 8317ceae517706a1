"""Tabs on a language of a transfer test, with confusion and language matrices."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.languages import language_name
from app.params.classify import PAIR_SIGN
from app.results.transfer import LanguageDetails
from app.views.classify.transfer.comparison import ComparisonPane
from app.views.classify.transfer.errors import TransferErrors
from app.views.classify.transfer.few_shot import FewShotPane
from app.views.classify.transfer.results import TransferRun, TransferScore
from app.views.client.state import AppState
from app.views.widgets.boxes import (
    as_widget,
    make_column,
    make_row,
    make_tabs,
    parent_of_pages,
)
from app.views.widgets.cells import ALIGN_RIGHT
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import find_chosen
from app.views.widgets.number_format import pluralize
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import (
    format_rate,
    format_rate_with_interval,
    wilson_interval,
)
from app.views.widgets.theme import GRID, colours_of, mix, scaled

N_METRICS = 3  # columns after the classes: recall, precision, F1
CELL_WIDTH, METRIC_WIDTH = 10 * GRID, 9 * GRID  # pixels


class ConfusionMatrix(QTableWidget):
    """Confusion matrix shaded by share of the true class, with precision, recall, F1.

    Attributes:
        details: details of the language shown; None before the first.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.details: LanguageDetails | None = None
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setDefaultSectionSize(scaled(28, self))
        describe(self, self.tr("Confusion matrix"), has_tooltip=False)

    def show_details(self, details: LanguageDetails | None) -> None:
        """Show the details of a language, or clear the table if None."""
        self.details = details
        self.clear()
        n = len(details.classes) if details is not None else 0
        self.setRowCount(n)
        self.setColumnCount(n + N_METRICS if n else 0)
        if details is None:
            return
        predicted = [
            self.tr("predicted {name}").format(name=name) for name in details.classes
        ]
        facts = [self.tr("recall"), self.tr("precision"), self.tr("F1")]
        self.setHorizontalHeaderLabels([*details.classes, *facts])
        for column, words in enumerate([*predicted, *facts]):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setToolTip(words)
        self.setVerticalHeaderLabels(
            [f"{one.name}  ({one.n:,})" for one in details.per_class]
        )
        self._fill(details)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(self.columnCount()):
            width = CELL_WIDTH if column < n else METRIC_WIDTH
            needed = header.sectionSizeHint(column) + GRID
            self.setColumnWidth(column, max(scaled(width, self), needed))

    def table(self) -> Iterator[Sequence[str]]:
        """Return the counts as a table with a header."""
        details = self.details
        if details is None:
            return
        yield ("class", *details.classes, "recall", "precision", "f1")
        for one, row in zip(details.per_class, details.confusion, strict=True):
            values = (one.recall, one.precision, one.f1)
            facts = ("" if v is None else f"{v:.6f}" for v in values)
            yield (one.name, *map(str, row), *facts)

    def copy(self) -> "ConfusionMatrix":
        """Return another table that shows the same."""
        other = ConfusionMatrix()
        other.show_details(self.details)
        return other

    def _fill(self, details: LanguageDetails) -> None:
        words = self.tr("{n} of {total} rows of {true} were classified as {predicted}")
        for index, (one, row) in enumerate(
            zip(details.per_class, details.confusion, strict=True)
        ):
            for column, n in enumerate(row):
                item = QTableWidgetItem(f"{n:,}" if n else "")
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                name = details.classes[column]
                text = words.format(n=n, total=one.n, true=one.name, predicted=name)
                item.setToolTip(f"{text}.")
                item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
                self.setItem(index, column, item)
            for number, value in enumerate((one.recall, one.precision, one.f1)):
                item = QTableWidgetItem("–" if value is None else format_rate(value))
                item.setTextAlignment(ALIGN_RIGHT)
                item.setToolTip(
                    pluralize(one.n, self.tr("Of 1 row."), self.tr("Of {n} rows."))
                )
                self.setItem(index, len(row) + number, item)
        self._paint()

    def _paint(self) -> None:
        """Shade correct cells in the accent colour and errors in the warning colour."""
        details, colours = self.details, colours_of(self)
        if details is None:
            return
        for index, row in enumerate(details.confusion):
            total = max(sum(row), 1)
            for column, n in enumerate(row):
                item = self.item(index, column)
                if item is None:
                    continue
                name = "accent" if index == column else "warning"
                share = 0.5 * n / total
                item.setBackground(QBrush(QColor(mix(colours, name, share))))

    def changeEvent(self, event: QEvent) -> None:
        """Shade the cells in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "details"):
            self._paint()


RateMatrix = Mapping[str, Mapping[str, float]]


class LanguageMatrix(QTableWidget):
    """Rates by pair of languages, shaded."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._matrix: RateMatrix = {}
        self._n = 0
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setDefaultSectionSize(scaled(26, self))
        describe(
            self,
            self.tr("Accuracy by the languages of the two texts"),
            has_tooltip=False,
        )

    def show_matrix(self, matrix: RateMatrix, n: int) -> None:
        """Show accuracies by the language of the first text and of the second.

        Args:
            matrix: accuracies, 0…1.
            n: pairs of each.
        """
        self._matrix, self._n = matrix, n
        names = list(matrix)
        self.setRowCount(len(names))
        self.setColumnCount(len(names))
        titles = [language_name(name) for name in names]
        self.setHorizontalHeaderLabels(titles)
        self.setVerticalHeaderLabels(titles)
        for row, one in enumerate(names):
            for column, other in enumerate(names):
                value = matrix[one].get(other)
                item = QTableWidgetItem("" if value is None else format_rate(value))
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                words = f"{titles[row]} + {titles[column]}"
                if value is not None:
                    rate = format_rate_with_interval(
                        value, *wilson_interval(value, n), n
                    )
                    words = f"{words}: {rate}"
                item.setToolTip(words)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                self.setItem(row, column, item)
        self._paint()

    def table(self) -> Iterator[Sequence[str]]:
        """Return the rates 0…1 with their 95 % intervals (Wilson), the header first."""
        yield ("first", "second", "accuracy", "low", "high", "n")
        for one, row in self._matrix.items():
            for other, value in row.items():
                numbers = (value, *wilson_interval(value, self._n))
                yield (one, other, *(f"{v:.6f}" for v in numbers), str(self._n))

    def copy(self) -> "LanguageMatrix":
        """Return another table that shows the same."""
        other = LanguageMatrix()
        other.show_matrix(self._matrix, self._n)
        return other

    def _paint(self) -> None:
        values = [v for row in self._matrix.values() for v in row.values()]
        if not values:
            return
        low, span = min(values), max(max(values) - min(values), 1e-6)
        colours, names = colours_of(self), list(self._matrix)
        for row, one in enumerate(names):
            for column, other in enumerate(names):
                item, value = self.item(row, column), self._matrix[one].get(other)
                if item is not None and value is not None:
                    share = 0.08 + 0.42 * (value - low) / span
                    item.setBackground(QBrush(QColor(mix(colours, "accent", share))))

    def changeEvent(self, event: QEvent) -> None:
        """Shade the cells in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_matrix"):
            self._paint()


CONFUSION_TAB, ERRORS_TAB, FEW_SHOT_TAB, COMPARISON_TAB, MATRIX_TAB = range(5)  # tabs


class TransferDetails(QWidget):
    """Tabs on one language of a test.

    Attributes:
        confusion: the matrix.
        errors: the most confident errors.
        comparison: with another test.
        matrix: of pairs whose texts are in two languages.
    """

    place_requested = Signal(object)  # id of a sentence
    room_changed = Signal()  # it may need another height

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._transfer: TransferRun | None = None
        self._row: TransferScore | None = None
        self.tabs = make_tabs(self)
        pages = parent_of_pages(self.tabs)
        self.confusion = ConfusionMatrix()
        self.errors = TransferErrors()
        self._few_shot_box = make_column()
        self.comparison = ComparisonPane(state, pages)
        self.matrix = LanguageMatrix()
        self._score = make_label("", "secondary", wraps=True)
        self._hint = make_label("", "secondary", wraps=True)
        self._pairs = make_label("", "secondary", wraps=True)
        files = [
            PlotExporter(state, table, words, table.table, whole=table.copy)
            for table, words in (
                (self.confusion, self.tr("Confusion matrix")),
                (self.matrix, self.tr("Languages of pairs")),
            )
        ]
        self._confusion_file, self.matrix_file = files
        menus = [file.make_menu() for file in files]
        self.tabs.addTab(
            _page(pages, _row(self._score, menus[0]), self.confusion),
            self.tr("Confusion"),
        )
        self.tabs.addTab(
            _page(pages, _row(self._hint, self.errors.place_button), self.errors),
            self.tr("Most confident errors"),
        )
        self.tabs.addTab(as_widget(self._few_shot_box), self.tr("Few labels"))
        self.tabs.addTab(self.comparison, self.tr("Comparison"))
        self.tabs.addTab(
            _page(pages, _row(self._pairs, menus[1]), self.matrix),
            self.tr("Languages of pairs"),
        )
        make_column(self.tabs, parent=self)
        self.errors.place_requested.connect(self.place_requested)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    @cached_property
    def few_shot(self) -> FewShotPane:
        """Accuracy by the number of labels in the language; made when it is shown."""
        pane = FewShotPane(self._state, self._few_shot_box.parentWidget())
        self._few_shot_box.addWidget(pane)
        self._show_few_labels(pane)
        return pane

    @property
    def score(self) -> str:
        """The text above the confusion matrix."""
        return self._score.text()

    def least_height(self, width: int) -> int:
        """Return the height that the tab in sight needs in a width."""
        layout = self.tabs.currentWidget().layout()
        assert layout is not None, "every tab has one"
        bar = self.tabs.tabBar().sizeHint().height()
        return bar + layout.totalMinimumHeightForWidth(width)

    def show_transfer(
        self, one: TransferRun, rows: list[TransferScore], others: Sequence[TransferRun]
    ) -> None:
        """Show a test; `others` are offered for comparison."""
        self._transfer = one
        matrix = one.result.matrix
        self.tabs.setTabVisible(MATRIX_TAB, bool(matrix))
        n = rows[0].n if rows else 0
        self.matrix.show_matrix(matrix, n)
        words = self.tr(
            "Accuracy on {n} pairs each. Rows: language of the first text. Columns: "
            "language of the second text."
        )
        self._pairs.setText(words.format(n=f"{n:,}"))
        self.comparison.show_transfer(one, [row.key for row in rows], others)
        self._on_tab_changed()

    def show_language(
        self, row: TransferScore | None, details: LanguageDetails | None
    ) -> None:
        """Show a language of the test."""
        self.confusion.show_details(details)
        one = self._transfer
        has_places = one is not None and self._has_places(one, row)
        home = one.result.training.language if one is not None else ""
        self.errors.show_details(details, has_places=has_places, home=home)
        title = row.title if row is not None else ""
        words = self.tr("Confusion {language}").format(language=title)
        self._confusion_file.name = words
        n = len(details.errors) if details is not None else 0
        words = self.tr(
            "{language}: {errors}, most confident first. Check here for doubtful "
            "labels."
        )
        errors = pluralize(n, self.tr("1 error"), self.tr("{n} errors"))
        self._hint.setText(words.format(language=title, errors=errors))
        self._score.setText(self._describe(row, details))
        self._row = row
        if "few_shot" in self.__dict__:
            self._show_few_labels(self.few_shot)

    def event(self, event: QEvent) -> bool:
        """Announce that a widget in a tab asks for other room."""
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.room_changed.emit()
        return is_handled

    def _on_tab_changed(self) -> None:
        if self.tabs.currentIndex() == COMPARISON_TAB:
            self.comparison.ask()
        elif self.tabs.currentIndex() == FEW_SHOT_TAB:
            self._show_few_labels(self.few_shot)

    def _show_few_labels(self, pane: FewShotPane) -> None:
        row = self._row
        key, n = (row.key, row.n) if row is not None else ("", 0)
        pane.show_language(self._transfer, key, n)

    def _has_places(self, one: TransferRun, row: TransferScore | None) -> bool:
        """Return whether the test of a language is on corpora of the project."""
        project = self._state.project
        if project is None or row is None:
            return False
        places = dict(test.split("=", 1) for test in one.params.tests)
        place = places.get(row.key, "")
        names = [place] if find_chosen(project, place) else place.split(PAIR_SIGN)
        return all(find_chosen(project, name) for name in names)

    def _describe(
        self, row: TransferScore | None, details: LanguageDetails | None
    ) -> str:
        if row is not None and details is None and not row.is_correlation:
            words = self.tr("No test is in {language}.")
            return words.format(language=row.title)
        if row is None or details is None:
            return self.tr("There is no confusion matrix, because scores were tested.")
        words = self.tr(
            "{language}: accuracy {accuracy}, macro-F1 {f1}. Rows are labels, columns "
            "are predictions. Calibration error: {error} points."
        )
        bounds = details.macro_f1_interval
        return words.format(
            language=row.title,
            accuracy=format_rate_with_interval(row.value, row.low, row.high, row.n),
            f1=format_rate_with_interval(details.score.macro_f1, *bounds, row.n),
            error=f"{100 * details.calibration_error:.1f}",
        )


def _row(words: QWidget, button: QWidget) -> QWidget:
    return as_widget(make_row((words, 1), (button, 0, Qt.AlignmentFlag.AlignTop)))


def _page(parent: QWidget, *widgets: QWidget) -> QWidget:
    page = QWidget(parent)
    column = make_column(parent=page, margins=(0, GRID, 0, 0))
    for widget in widgets:
        column.addWidget(widget)
    column.setStretch(len(widgets) - 1, 1)
    return page
