"""What lies behind the score of a language: confusion, errors, what else was run."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.params.classify import PAIR_SIGN
from app.transfer import LanguageDetails
from app.views.classify_words import format_rate, format_with_interval
from app.views.mining_sides import find_chosen
from app.views.state import AppState
from app.views.theme import GRID
from app.views.transfers import BoardRow, Transfer
from app.views.widgets.comparison_pane import ComparisonPane
from app.views.widgets.confusion_matrix import ConfusionMatrix
from app.views.widgets.controls import make_label
from app.views.widgets.few_shot_pane import FewShotPane
from app.views.widgets.language_matrix import LanguageMatrix
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.transfer_errors import TransferErrors

CONFUSION, ERRORS, FEW_SHOT, COMPARISON, MATRIX = range(5)  # tabs


class TransferBehind(QWidget):
    """Tabs on one language of a test.

    Attributes:
        confusion: the matrix.
        errors: the most confident errors.
        few_shot: what labels of the language would add.
        comparison: with another test.
        matrix: of pairs whose texts are of two languages.
    """

    place_wanted = Signal(object)  # id of a sentence

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._transfer: Transfer | None = None
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.confusion = ConfusionMatrix()
        self.errors = TransferErrors()
        self.few_shot = FewShotPane(state)
        self.comparison = ComparisonPane(state)
        self.matrix = LanguageMatrix()
        self._score = make_label("", "secondary", wraps=True)
        hint = make_label(
            self.tr("Wrong rows, the surest first: look here for doubtful labels."),
            "secondary",
            wraps=True,
        )
        self._pairs = make_label("", "secondary", wraps=True)
        files = [
            PlotFile(state, table, words, table.table, whole=table.copy)
            for table, words in (
                (self.confusion, self.tr("Confusion matrix")),
                (self.matrix, self.tr("Languages of pairs")),
            )
        ]
        self._confusion_file, self.matrix_file = files
        menus = [file.make_menu() for file in files]
        self.tabs.addTab(_page(_row(self._score, menus[0]), self.confusion), "")
        self.tabs.addTab(_page(hint, self.errors), "")
        self.tabs.addTab(self.few_shot, self.tr("Few labels"))
        self.tabs.addTab(self.comparison, self.tr("Comparison"))
        self.tabs.addTab(
            _page(_row(self._pairs, menus[1]), self.matrix),
            self.tr("Languages of pairs"),
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)
        self.errors.place_wanted.connect(self.place_wanted)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    @property
    def score(self) -> str:
        """What is said of the language."""
        return self._score.text()

    def show_transfer(
        self, one: Transfer, rows: list[BoardRow], others: Sequence[Transfer]
    ) -> None:
        """Take a test, and what it can be compared with; its first language follows."""
        self._transfer = one
        matrix = one.told.matrix
        self.tabs.setTabVisible(MATRIX, bool(matrix))
        n = rows[0].n if rows else 0
        self.matrix.show_matrix(matrix, n)
        words = self.tr(
            "Accuracy on {n} pairs each: the first text's language down, the second's "
            "across."
        )
        self._pairs.setText(words.format(n=f"{n:,}"))
        self.comparison.show_transfer(one, others)
        self._on_tab_changed()

    def show_language(
        self, row: BoardRow | None, details: LanguageDetails | None
    ) -> None:
        """Show a language of the test."""
        self.confusion.show_details(details)
        one = self._transfer
        has_places = one is not None and self._has_places(one, row)
        home = one.told.training.language if one is not None else ""
        self.errors.show_details(details, has_places=has_places, home=home)
        title = row.title if row is not None else ""
        words = self.tr("Confusion · {language}").format(language=title)
        self.tabs.setTabText(CONFUSION, words)
        self._confusion_file.name = words.replace(" ·", "")
        n = len(details.errors) if details is not None else 0
        words = self.tr("Most confident errors · {language} ({n})")
        self.tabs.setTabText(ERRORS, words.format(language=title, n=n))
        words = self.tr("Few labels · {language}").format(language=title)
        self.tabs.setTabText(FEW_SHOT, words)
        self._score.setText(self._describe(row, details))
        self.few_shot.show_language(one, row.key if row is not None else "")

    def _on_tab_changed(self) -> None:
        if self.tabs.currentIndex() == COMPARISON:
            self.comparison.ask()

    def _has_places(self, one: Transfer, row: BoardRow | None) -> bool:
        """Tell whether the test of a language is on corpora of the project."""
        project = self._state.project
        if project is None or row is None:
            return False
        places = dict(test.split("=", 1) for test in one.params.tests)
        place = places.get(row.key, "")
        names = [place] if find_chosen(project, place) else place.split(PAIR_SIGN)
        return all(find_chosen(project, name) for name in names)

    def _describe(self, row: BoardRow | None, details: LanguageDetails | None) -> str:
        if row is None or details is None:
            return self.tr("Classes were not tested here, so there is no matrix.")
        words = self.tr(
            "{language}: accuracy {accuracy}, macro-F1 {f1}. Rows are the labels, "
            "columns what was said. The probabilities are off by {off} on the mean."
        )
        bounds = details.macro_f1_interval
        return words.format(
            language=row.title,
            accuracy=format_with_interval(row.value, row.low, row.high, row.n),
            f1=format_with_interval(details.score.macro_f1, *bounds, row.n),
            off=format_rate(details.calibration_error),
        )


def _row(words: QWidget, button: QWidget) -> QWidget:
    row = QWidget()
    box = QHBoxLayout(row)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(GRID)
    box.addWidget(words, 1)
    box.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    return row


def _page(*widgets: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, GRID, 0, 0)
    column.setSpacing(GRID)
    for widget in widgets:
        column.addWidget(widget)
    column.setStretch(len(widgets) - 1, 1)
    return page
