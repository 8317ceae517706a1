"""Results of a label check: sets, warnings, and a table for correcting labels."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.engine.store.labels import read_labels
from app.languages import language_name
from app.results.labels import CheckedSet, DoubtfulLabel
from app.views.classify.label_checks import LabelCheck
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    LANGUAGE_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import (
    ENTER_KEYS,
    describe,
    make_action_button,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.number_format import format_age, pluralize
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.statistics_format import format_rate, name_noted_language
from app.views.widgets.tables import (
    TextDelegate,
    fit_columns,
    set_up_large_table,
    set_up_table,
)
from app.views.widgets.theme import GRID, colours_of, scaled

CONFIDENCE, TEXT, LABEL, SUGGESTED = range(4)
WIDTHS = {CONFIDENCE: 92, LABEL: 92, SUGGESTED: 96}


class DoubtfulLabelModel(TableModel):
    """Model of doubtful labels, the most likely errors first."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.doubts: tuple[DoubtfulLabel, ...] = ()
        self._labels: dict[int, str] = {}
        self._language = ""

    def show_doubts(self, doubts: tuple[DoubtfulLabel, ...], language: str) -> None:
        """Show doubtful labels of sentences in a language."""
        self.beginResetModel()
        self.doubts, self._language = doubts, language
        self.endResetModel()

    def show_labels(self, labels: dict[int, str]) -> None:
        """Show the current labels, by sentence."""
        self._labels = labels
        self.emit_all_changed()

    def label_of(self, one: DoubtfulLabel) -> str:
        """Return the current label of a sentence."""
        return self._labels.get(one.place, "") if self._labels else one.label

    def n_rows(self) -> int:
        """Return the number of doubtful labels."""
        return len(self.doubts)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return SUGGESTED + 1

    def title(self, column: int) -> str:
        """Return the title of a column."""
        sentence, label = self.tr("Sentence"), self.tr("Label")
        return (self.tr("Confidence"), sentence, label, self.tr("Suggested"))[column]

    def title_hint(self, column: int) -> str | None:
        """Return an explanation of the confidence."""
        if column != CONFIDENCE:
            return None
        return self.tr(
            "Probability of the suggested class, by classifiers trained on the "
            "other rows (5-fold)."
        )

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell; corrected labels have the colour of decisions."""
        if not index.isValid():
            return None
        one, column = self.doubts[index.row()], index.column()
        label = self.label_of(one)
        is_corrected = label != one.label
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                cells = {
                    CONFIDENCE: format_rate(one.probability),
                    TEXT: " | ".join(one.texts),
                    LABEL: f"✓ {label}" if is_corrected else label,
                    SUGGESTED: one.suggested,
                }
                return cells[column]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(column)
            case Qt.ItemDataRole.ForegroundRole if column == LABEL and is_corrected:
                return QColor(colours_of(QApplication.palette()).human)
            case _ if role == LANGUAGE_ROLE:
                return self._language
        return None


class DoubtfulLabelTable(QTableView):
    """Shows doubtful labels."""

    label_requested = Signal(object, str)  # id of a sentence, class
    digit_pressed = Signal(int, object)  # 0 … 9, id of the sentence
    sentence_opened = Signal(object)  # id
    sentence_selected = Signal(object)  # id

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.doubts = DoubtfulLabelModel(self)
        self.setModel(self.doubts)
        set_up_large_table(self)
        self.setItemDelegateForColumn(TEXT, TextDelegate(self))
        header = self.horizontalHeader()
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, scaled(width, self))
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        describe(
            self,
            self.tr("Doubtful labels"),
            self.tr("Enter assigns the suggested class, the keys 1 to 9 another."),
            has_tooltip=False,
        )
        self.doubleClicked.connect(
            lambda index: self.sentence_opened.emit(self._doubts[index.row()].place)
        )
        self.selectionModel().currentRowChanged.connect(self._announce_current)
        self.clicked.connect(self._announce_current)  # even on the current row

    @property
    def current_id(self) -> int | None:
        """Id of the sentence in the current row."""
        row = self.currentIndex().row()
        return self._doubts[row].place if 0 <= row < len(self._doubts) else None

    @property
    def _doubts(self) -> Sequence[DoubtfulLabel]:
        return self.doubts.doubts

    def select_next(self) -> None:
        """Go to the next row."""
        self.selectRow(min(self.currentIndex().row() + 1, len(self._doubts) - 1))

    def _announce_current(self) -> None:
        self.sentence_selected.emit(self.current_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Label the current sentence by key."""
        row = self.currentIndex().row()
        is_digit = Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9
        if row >= 0 and is_digit:
            digit = event.key() - Qt.Key.Key_0
            self.digit_pressed.emit(digit, self._doubts[row].place)
        elif row >= 0 and event.key() in ENTER_KEYS:
            one = self._doubts[row]
            self.label_requested.emit(one.place, one.suggested)
        else:
            super().keyPressEvent(event)


MAX_SETS = 6  # visible rows of sets
MIN_TABLE_HEIGHT = 20  # in grid steps; a lower page scrolls
N_WARNINGS = 4  # initially shown


class LabelFindings(QWidget):
    """Shows the newest label check of a corpus, or offers to run one."""

    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, checking: QAction, parent: QWidget | None = None
    ):
        """Initialise an empty page; `checking` is the action that runs the check."""
        super().__init__(parent)
        self._state = state
        self._check: LabelCheck | None = None
        self._corpus: CorpusRow | None = None
        self._summary = make_label("", "secondary", wraps=True)
        self._warnings = make_label("", "warning", wraps=True)
        self._all_warnings: list[str] = []
        self._shows_all = False
        self.warnings_button = make_button(
            "",
            self.tr("Show or hide the other warnings of the check."),
            self._toggle_warnings,
            kind="quiet",
        )
        words = self.tr("Show or hide the warnings of a label check")
        offer_in_palette(self.warnings_button, words)
        self.sets = _SetTable()
        self.doubts = DoubtfulLabelTable()
        self._doubts_title = make_label("", "section", wraps=True)
        head = make_row(
            (self._summary, 1),
            (make_action_button(checking), 0, Qt.AlignmentFlag.AlignTop),
        )
        self.doubts.setMinimumHeight(scaled(MIN_TABLE_HEIGHT * GRID))
        page = QWidget()
        layout = make_column(
            head,
            self._warnings,
            (self.warnings_button, 0, Qt.AlignmentFlag.AlignLeft),
            self.sets,
            self._doubts_title,
            (self.doubts, 1),
            parent=page,
            margins=(0, GRID, 0, 0),
        )
        self._rest = QWidget()  # fills the space if the page is empty
        layout.addWidget(self._rest, 1)
        make_column(make_scroll_area(page), parent=self)
        labels = state.labels
        self.doubts.label_requested.connect(self._on_label_requested)
        self.doubts.digit_pressed.connect(self._on_digit_pressed)
        self.doubts.sentence_opened.connect(self.place_requested)
        labels.labelled.connect(self._show_labels)

    @property
    def text(self) -> str:
        """Summary and warnings."""
        return "\n".join([self._summary.text(), *self._all_warnings])

    @property
    def shown_warnings(self) -> str:
        """The visible warnings."""
        return "" if self._warnings.isHidden() else self._warnings.text()

    def show_check(self, check: LabelCheck | None, corpus: CorpusRow | None) -> None:
        """Show a check, or None if there is none yet."""
        self._summary.setText(self._summarise(check))
        if self._is_shown(check, corpus):
            return
        self._check, self._corpus = check, corpus
        result = check.result if check is not None else None
        self._all_warnings = [
            name_noted_language(text)
            for text in (result.data.warnings if result is not None else ())
        ]
        self._show_warnings(are_all=False)
        self.sets.show_sets(result.data.sets if result is not None else ())
        doubtful = result.doubtful if result is not None else ()
        self.doubts.doubts.show_doubts(doubtful, corpus.language if corpus else "")
        self.doubts.setVisible(bool(doubtful))
        self._rest.setVisible(not doubtful)
        self._doubts_title.setText(self._title_doubts())
        self._doubts_title.setVisible(result is not None)
        if doubtful:
            self._show_labels()
            self.doubts.selectRow(0)
        else:
            self.doubts.sentence_selected.emit(None)

    def _toggle_warnings(self) -> None:
        self._show_warnings(are_all=not self._shows_all)

    def _show_warnings(self, *, are_all: bool) -> None:
        """Show the first warnings, with a button for the rest, or all warnings."""
        self._shows_all = are_all
        warnings = self._all_warnings
        shown = warnings if are_all else warnings[:N_WARNINGS]
        self._warnings.setText("\n".join(f"• {text}" for text in shown))
        self._warnings.setVisible(bool(warnings))
        words = self.tr("Show all {n} warnings").format(n=len(warnings))
        if are_all:
            words = self.tr("Show first {n} warnings").format(n=N_WARNINGS)
        self.warnings_button.setText(words)
        self.warnings_button.setAccessibleName(words)
        self.warnings_button.setVisible(len(warnings) > N_WARNINGS)

    def _is_shown(self, check: LabelCheck | None, corpus: CorpusRow | None) -> bool:
        """Return whether the check is already shown, so that the selection stays."""
        if check is None or self._check is None or corpus is None:
            return False
        return check.id == self._check.id and corpus == self._corpus

    def _summarise(self, check: LabelCheck | None) -> str:
        if check is None:
            return self.tr(
                "A check finds rows that are also in a test, as duplicates or "
                "translations, equal texts with different labels, and labels that "
                "the other rows contradict."
            )
        words = self.tr("Checked {ago} against {tests}.")
        n = len(check.result.data.sets) - 1
        tests = pluralize(n, self.tr("1 test corpus"), self.tr("{n} test corpora"))
        ago = format_age(check.ended_at)
        return words.format(ago=ago, tests=tests)

    def _title_doubts(self) -> str:
        if self._check is None:
            return ""
        result = self._check.result
        if result.doubts_note:
            return result.doubts_note
        words = self.tr(
            "{n} of {total} labels may be wrong. Enter assigns the suggestion, keys "
            "1–9 another class."
        )
        if not result.n_doubtful:
            words = self.tr("None of {total} labels looks wrong.")
        total = result.data.sets[0].n if result.data.sets else 0
        return words.format(n=f"{result.n_doubtful:,}", total=f"{total:,}")

    def _show_labels(self) -> None:
        project = self._state.project
        ids = [one.place for one in self.doubts.doubts.doubts]
        if project is not None and ids:
            self.doubts.doubts.show_labels(read_labels(project.store, ids))

    def _on_label_requested(self, sentence: int, name: str) -> None:
        if self._state.labels.label(name, [sentence]):
            self.doubts.select_next()

    def _on_digit_pressed(self, digit: int, sentence: int) -> None:
        if self._state.labels.label_by_key(digit, [sentence]):
            self.doubts.select_next()


class _SetTable(QTableWidget):
    """One set of labelled rows per row."""

    def __init__(self) -> None:
        super().__init__()
        set_up_table(self, 26)
        describe(
            self,
            self.tr("Sets"),
            self.tr("One set of labelled rows per row."),
            has_tooltip=False,
        )

    def show_sets(self, sets: tuple[CheckedSet, ...]) -> None:
        """Show sets, the training set first."""
        titles = [
            self.tr("Set"),
            self.tr("Rows"),
            self.tr("Classes"),
            self.tr("Unlabelled"),
            self.tr("Repeats"),
            self.tr("Two labels"),
            self.tr("In training"),
            self.tr("Translated"),
        ]
        self.setColumnCount(len(titles))
        self.setHorizontalHeaderLabels(titles)
        hints = {
            4: self.tr("Rows whose text is also in an earlier row of the set."),
            5: self.tr("Rows whose text has different labels in the set."),
            6: self.tr("Rows that are also in the training set."),
            7: self.tr("Rows that look like translations of training rows."),
        }
        self.setRowCount(len(sets))
        for index, one in enumerate(sets):
            numbers = (one.n, one.n_classes, one.n_unlabelled, one.n_repeated)
            leaks = (one.n_contradicting, one.n_duplicates, one.n_translations)
            cells = [language_name(one.name), *(f"{n:,}" for n in (*numbers, *leaks))]
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text if index or column < 6 else "")
                item.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
                item.setToolTip(hints.get(column, titles[column]))
                self.setItem(index, column, item)
        header = self.horizontalHeader()
        for column in range(len(titles)):
            heading = self.horizontalHeaderItem(column)
            if heading is not None:
                heading.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
                heading.setToolTip(hints.get(column, titles[column]))
        rows = min(len(sets), MAX_SETS)
        frame = header.sizeHint().height() + 2 * self.frameWidth() + GRID // 2
        self.setFixedHeight(self.verticalHeader().defaultSectionSize() * rows + frame)
        self.setVisible(bool(sets))
        fit_columns(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        fit_columns(self)
