"""The page of a classifier: figures with n and interval, classes, what was found."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.rows import CorpusRow
from app.views.classifiers import Classifier, describe_settings, figures_of_classifier
from app.views.classify_words import DOT
from app.views.label_checks import read_report
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.class_table import ClassRow, ClassTable
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.figure_row import FigureRow
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.scrolled import make_scrolled
from app.views.widgets.section import Section
from app.views.widgets.splits import make_split
from app.views.words import count_words


class ClassifierPage(QWidget):
    """Shows a classifier.

    Attributes:
        shown: the classifier; None before the first.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.shown: Classifier | None = None
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.figures = FigureRow()
        self.classes = ClassTable()
        self._file = PlotFile(
            state, self.classes, self.tr("Training classes"), self.classes.table
        )
        self.findings = Section(self.tr("Found in its training rows"))
        self.uses = Section(self.tr("Used on"))
        self._lay_out(actions)
        state.labels.changed.connect(self._show_keys)

    @property
    def words(self) -> list[str]:
        """What was found, and what it was used on."""
        sections = (self.findings, self.uses)
        return [w.text() for s in sections for w in s.widgets(type(make_label()))]

    def show_classifier(self, one: Classifier) -> None:
        """Show a classifier."""
        self.shown = one
        self._name.setText(one.row.name)
        self._facts.setText(describe_settings(one))
        self.figures.show_figures(figures_of_classifier(one))
        report = read_report(one.row.report)
        counts = {row.name: row.n for row in report.sets[0].classes} if report else {}
        names = list(one.row.classes) or list(counts)
        key_of = self._state.labels.key_of
        self.classes.show_rows(
            [ClassRow(name, key_of(name), counts.get(name, 0)) for name in names]
        )
        self.findings.clear()
        for text in report.warnings if report is not None else ():
            self.findings.add(make_label(f"• {text}", "warning", wraps=True))
        if report is not None and not report.warnings:
            text = self.tr("Nothing that speaks against them.")
            self.findings.add(make_label(text, "secondary", wraps=True))
        self._show_uses(one)

    def _show_keys(self) -> None:
        """Show the keys of the classes as they are now."""
        key_of = self._state.labels.key_of
        rows = self.classes.rows
        self.classes.show_rows([row._replace(key=key_of(row.name)) for row in rows])

    def _show_uses(self, one: Classifier) -> None:
        project = self._state.project
        corpora = project.corpora if project is not None else []
        known: dict[int, CorpusRow] = {row.id: row for row in corpora}
        self.uses.clear()
        one_said, many = self.tr("1 sentence"), self.tr("{n} sentences")
        for row in one.predictions:
            if row.corpus_id in known:
                n = count_words(row.n_rows, one_said, many)
                text = DOT.join([known[row.corpus_id].name, n])
                self.uses.add(make_label(text, wraps=True))
        if not one.predictions:
            text = self.tr("No corpus yet: classify one, and browse what it says.")
            self.uses.add(make_label(text, "secondary", wraps=True))

    def focus_first(self) -> None:
        """Put the keyboard on the classes."""
        self.classes.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        row = ActionRow()
        row.set_actions(
            [
                (actions["test_this"], self.tr("Test it on languages…")),
                (actions["train_again"], self.tr("Train again…")),
                (actions["rename"], self.tr("Rename…")),
                (actions["delete"], self.tr("Delete")),
                (actions["copy_training"], self.tr("Copy as command")),
            ]
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(make_action_button(actions["apply"], kind="primary"))
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.classes, 1)
        column.addWidget(self._file.make_menu(), 0, Qt.AlignmentFlag.AlignLeft)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(GRID, 0, 0, 0)
        column.setSpacing(2 * GRID)
        column.addWidget(self.findings)
        column.addWidget(self.uses)
        column.addStretch()
        split = make_split(left, make_scrolled(right), sizes=(56 * GRID, 56 * GRID))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(row)
        layout.addSpacing(GRID)
        layout.addWidget(self.figures)
        layout.addSpacing(GRID)
        layout.addWidget(split, 1)
