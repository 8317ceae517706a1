"""Errors dialog: the sentences with a wrong retrieval result in a direction."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QDialog, QTableWidget, QWidget

from app.engine.store.runs import read_measurements
from app.errors import ErrorInfo
from app.languages import language_name, parse_language
from app.number_format import format_score
from app.protocol.answers.evaluation import RetrievalError, RetrievalErrors
from app.protocol.queries.evaluation import RetrievalErrorsQuery
from app.results.measurements import Retrieved
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.evaluate.difference import COMPARED_TASKS
from app.views.evaluate.results import Evaluation
from app.views.widgets.boxes import Stretch, make_row
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT, LANGUAGE_ROLE
from app.views.widgets.controls import ENTER_KEYS, describe, make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.sentence_label import FullTextPopup
from app.views.widgets.statistics_format import format_rate
from app.views.widgets.tables import (
    ROW_HEIGHT_TWO,
    SortableItem,
    TextDelegate,
    set_up_table,
)
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "RetrievalErrorsDialog")
WIDTH, HEIGHT = 130 * GRID, 80 * GRID
N_TEXTS = 3  # columns: sentence, expected, found


class MeasuredDirection(NamedTuple):
    """A direction measured by an evaluation.

    Attributes:
        run: id of the evaluation.
        source, target: names in the measurements.
    """

    run: int
    encoder: str
    source: str
    target: str


def list_directions(
    project: ProjectReader, shown: Sequence[Evaluation]
) -> list[MeasuredDirection]:
    """Return the directions of retrieval evaluations."""
    return [
        MeasuredDirection(one.id, row.encoder, row.source, row.target)
        for one in shown
        if one.task in COMPARED_TASKS
        for row in read_measurements(project.store, one.id)
        if isinstance(row, Retrieved)
    ]


class RetrievalErrorsDialog(QDialog):
    """Shows expected and found sentences for each error in a direction.

    Attributes:
        direction: selector of the direction.
        table: table with an error per row.
    """

    shown = Signal()  # the answer was shown

    def __init__(
        self,
        state: AppState,
        directions: Sequence[MeasuredDirection],
        chosen: MeasuredDirection,
        parent: QWidget,
    ):
        """Initialise, and request the errors of one of several directions."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Errors of retrieval"))
        self._state, self._directions = state, list(directions)
        self._errors: Sequence[RetrievalError] = ()
        corpora = state.project.corpora if state.project is not None else ()
        self._languages = {row.name: row.language for row in corpora}
        self.direction = QComboBox()
        describe(
            self.direction,
            self.tr("Direction"),
            self.tr("Choose the direction whose errors are listed."),
        )
        for one in self._directions:
            self.direction.addItem(self._name(one))
        self.direction.setMaxVisibleItems(20)
        self._summary = make_label("", wraps=True)
        self.table = _ErrorTable()
        hint = self.tr("One error per row. Enter shows the full text.")
        describe(self.table, self.tr("Errors"), hint, has_tooltip=False)
        self._lay_out()
        self.direction.setCurrentIndex(self._directions.index(chosen))
        self.direction.currentIndexChanged.connect(lambda _: self._ask())
        self._ask()

    @property
    def text(self) -> str:
        """The text above the table."""
        return self._summary.text()

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the table."""
        name = self._name(self._chosen).replace(":", "").replace(" → ", " to ")
        return ask_table_export(
            self._state,
            self,
            self.tr("Export errors"),
            self.tr("errors {direction}").format(direction=name),
            self._lines,
            len(self._errors),
        )

    @property
    def _chosen(self) -> MeasuredDirection:
        return self._directions[self.direction.currentIndex()]

    def _name(self, one: MeasuredDirection) -> str:
        """Name a direction, with the encoder if there are several."""
        name = f"{language_name(one.source)} → {language_name(one.target)}"
        if len({other.encoder for other in self._directions}) > 1:
            return f"{one.encoder}: {name}"
        return name

    def _ask(self) -> None:
        chosen = self._chosen
        self._summary.setText(self.tr("Reading the errors…"))
        self._show_errors(())
        query = RetrievalErrorsQuery(
            run=chosen.run, source=chosen.source, target=chosen.target
        )
        self._state.ask(query, partial(self._on_answer, chosen))

    def _on_answer(
        self, asked: MeasuredDirection, answer: RetrievalErrors | ErrorInfo
    ) -> None:
        if asked != self._chosen:
            return  # another direction was chosen
        if isinstance(answer, ErrorInfo):
            self._summary.setText(answer.message)
        else:
            self._summary.setText(_summarise(answer))
            self._show_errors(answer.errors)
        self.shown.emit()

    def _show_errors(self, errors: Sequence[RetrievalError]) -> None:
        self._errors = errors
        chosen = self._chosen
        source, target = map(self._language, (chosen.source, chosen.target))
        self.table.show_errors(errors, (source, target, target))
        self._export.setEnabled(bool(errors))

    def _language(self, name: str) -> str:
        """Return the language code of a corpus or column; empty if unknown."""
        language = parse_language(name)
        return self._languages.get(name, language.code if language.known else "")

    def _lines(self) -> Iterator[Sequence[str]]:
        yield _titles()
        for one in self._errors:
            cosines = one.expected_cosine, one.found_cosine
            figures = [str(one.line), *(f"{cosine:.6f}" for cosine in cosines)]
            yield [one.source, one.expected, one.found, *figures]

    def _lay_out(self) -> None:
        self._export = make_button(
            self.tr("Export…"), self.tr("Export the errors."), self.ask_export
        )
        close = make_button(self.tr("Close"), self.tr("Close the list."), self.reject)
        close.setDefault(True)
        layout = lay_out_dialog(self)
        layout.addWidget(self.direction)
        layout.addWidget(self._summary)
        hint = self.tr("Double-click a sentence, or press Enter, to read it in full.")
        layout.addWidget(self.table, 1)
        layout.addWidget(make_label(hint, "secondary"))
        layout.addLayout(make_row(self._export, Stretch(), close))
        fit_dialog(self, WIDTH, HEIGHT)


class _ErrorTable(QTableWidget):
    """Table with two-line texts, line number of the sentence, and two cosines."""

    def __init__(self) -> None:
        super().__init__(0, len(_titles()))
        set_up_table(self, ROW_HEIGHT_TWO)
        self.setHorizontalHeaderLabels(list(_titles()))
        delegate = TextDelegate(self)
        delegate.max_lines = 2
        for column in range(len(_titles())):
            heading = self.horizontalHeaderItem(column)
            assert heading is not None, "every column has a label"
            is_text = column < N_TEXTS
            heading.setTextAlignment(ALIGN_LEFT if is_text else ALIGN_RIGHT)
            if is_text:
                self.setItemDelegateForColumn(column, delegate)
        self.setSortingEnabled(True)
        self.cellDoubleClicked.connect(self.show_full_text)

    def show_full_text(self, row: int, column: int) -> None:
        """Show the full text of a cell, or the sentence for other columns."""
        item = self.item(row, column if column < N_TEXTS else 0)
        if item is not None:
            popup = FullTextPopup(
                item.text(), item.data(LANGUAGE_ROLE), self.viewport()
            )
            popup.show_over(self.visualItemRect(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the full text of the current cell on Enter or Space."""
        if event.key() in (*ENTER_KEYS, Qt.Key.Key_Space) and self.currentRow() >= 0:
            self.show_full_text(self.currentRow(), self.currentColumn())
        else:
            super().keyPressEvent(event)

    def show_errors(
        self, errors: Sequence[RetrievalError], languages: Sequence[str]
    ) -> None:
        """Show errors, with the languages of the three texts."""
        self.setSortingEnabled(False)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setRowCount(len(errors))
        for index, one in enumerate(errors):
            texts = one.source, one.expected, one.found
            for column, text in enumerate(texts):
                item = SortableItem(text, text)
                item.setToolTip(text)
                item.setData(LANGUAGE_ROLE, languages[column])
                self.setItem(index, column, item)
            cosines = one.expected_cosine, one.found_cosine
            numbers = [(format_count(one.line), float(one.line))]
            numbers += [(format_score(cosine), cosine) for cosine in cosines]
            for column, (text, value) in enumerate(numbers, N_TEXTS):
                item = SortableItem(text, value)
                item.setTextAlignment(ALIGN_RIGHT)
                self.setItem(index, column, item)
        self.setSortingEnabled(True)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width among the texts."""
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        numbers = range(N_TEXTS, self.columnCount())
        for column in numbers:
            self.resizeColumnToContents(column)
        room = self.viewport().width() - sum(map(self.columnWidth, numbers))
        for column in range(N_TEXTS):
            self.setColumnWidth(column, max(room // N_TEXTS, scaled(12 * GRID, self)))


def _titles() -> Sequence[str]:
    return (
        *(_tr("Sentence"), _tr("Translation"), _tr("Found instead")),
        *(_tr("Line"), _tr("Cosine, translation"), _tr("Cosine, found")),
    )


def _summarise(answer: RetrievalErrors) -> str:
    """Describe the number of errors and some reasons."""
    one, many = _tr("1 sentence"), _tr("{n} sentences")
    if not answer.n_wrong:
        words = _tr("The nearest sentence is the translation for all {sentences}.")
        return words.format(sentences=pluralize(answer.n, one, many))
    words = _tr(
        "For {wrong} of {sentences} ({share}), the nearest sentence is not the "
        "translation."
    )
    parts = [
        words.format(
            wrong=format_count(answer.n_wrong),
            sentences=pluralize(answer.n, one, many),
            share=format_rate(answer.n_wrong / answer.n),
        )
    ]
    if answer.n_copies:
        words = _tr("In {n} cases, it has the same text as the translation.")
        parts.append(words.format(n=format_count(answer.n_copies)))
    if len(answer.errors) < answer.n_wrong:
        words = _tr("The first {n} are listed.")
        parts.append(words.format(n=format_count(len(answer.errors))))
    return " ".join(parts)
