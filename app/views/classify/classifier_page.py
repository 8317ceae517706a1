"""Training step: the list of classifiers, and the page of a classifier."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.engine.store.corpora import CorpusRow
from app.params.classify import TrainClassifier
from app.views.classify.actions import ClassifyActions
from app.views.classify.classes import ClassRow, ClassTable
from app.views.classify.classifier_form import ClassifierForm
from app.views.classify.label_checks import read_data_report
from app.views.classify.sources import LabelledSource
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow, FigureRow
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.classifiers import (
    TrainedClassifier,
    classifier_figures,
    describe_classifier,
    describe_classifier_settings,
    read_classifiers,
)
from app.views.widgets.controls import ElidedLabel, make_action_button, make_label
from app.views.widgets.number_format import pluralize
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    add_heading,
    make_scroll_area,
    make_split,
)
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.sections import TitledSection
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow


class ClassifierPage(QWidget):
    """Shows a classifier.

    Attributes:
        shown: the classifier shown; None before the first.
    """

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.shown: TrainedClassifier | None = None
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.figures = FigureRow()
        self.warning = ElidedLabel("warning")
        self.classes = ClassTable()
        self._file = PlotExporter(
            state, self.classes, self.tr("Training classes"), self.classes.table
        )
        self.findings = TitledSection(self.tr("Warnings about its training data"))
        self.uses = TitledSection(self.tr("Used on"))
        self._lay_out(actions)
        state.labels.changed.connect(self._show_keys)

    @property
    def texts(self) -> list[str]:
        """The warnings, and the corpora that were classified."""
        sections = (self.findings, self.uses)
        return [w.text() for s in sections for w in s.widgets(type(make_label()))]

    def show_classifier(self, one: TrainedClassifier) -> None:
        """Show a classifier."""
        self.shown = one
        self._name.setText(one.row.name)
        self._facts.setText(describe_classifier_settings(one))
        self.figures.show_figures(classifier_figures(one))
        text, self.warning.hint = one.warning
        self.warning.setText(text)
        self.warning.setVisible(bool(text))
        report = read_data_report(one.row.report)
        sets = report.sets[:1] if report is not None else ()  # empty if imported
        counts = {row.name: row.n for found in sets for row in found.classes}
        names = list(one.row.classes) or list(counts)
        key_of = self._state.labels.key_of
        none = 0 if sets else None
        self.classes.show_rows(
            [ClassRow(name, key_of(name), counts.get(name, none)) for name in names]
        )
        self.findings.clear()
        for text in report.warnings if report is not None else ():
            self.findings.add(make_label(f"• {text}", "warning", wraps=True))
        if report is None or not report.warnings:
            text = self.tr("No warnings.") if sets else self.tr("Not known.")
            self.findings.add(make_label(text, "secondary", wraps=True))
        self._show_uses(one)

    def _show_keys(self) -> None:
        """Update the keys of the classes."""
        key_of = self._state.labels.key_of
        rows = self.classes.rows
        self.classes.show_rows([row._replace(key=key_of(row.name)) for row in rows])

    def _show_uses(self, one: TrainedClassifier) -> None:
        corpora = self._state.corpora
        known: dict[int, CorpusRow] = {row.id: row for row in corpora}
        self.uses.clear()
        single, many = self.tr("1 sentence"), self.tr("{n} sentences")
        for row in one.predictions:
            if row.corpus_id in known:
                n = pluralize(row.n_rows, single, many)
                text = SEPARATOR.join([known[row.corpus_id].name, n])
                self.uses.add(make_label(text, wraps=True))
        if not one.predictions:
            text = self.tr("Not used yet. Classify a corpus to browse predictions.")
            self.uses.add(make_label(text, "secondary", wraps=True))

    def focus_first(self) -> None:
        """Set the focus on the classes."""
        self.classes.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, actions: ClassifyActions) -> None:
        row = ActionRow()
        row.set_actions(
            [
                (actions.classify_text, self.tr("Classify a sentence…")),
                (actions.test_classifier, self.tr("Test on languages…")),
                (actions.train_again, self.tr("Train again…")),
                (actions.rename, self.tr("Rename…")),
                (actions.export, self.tr("Export…")),
                (actions.delete, self.tr("Delete")),
                (actions.copy_training, self.tr("Copy as command")),
            ]
        )
        head = make_row(
            (self._name, 1), make_action_button(actions.apply, kind="primary")
        )
        left = as_widget(
            make_column(
                (self.classes, 1),
                (self._file.make_menu(), 0, Qt.AlignmentFlag.AlignLeft),
            )
        )
        right = as_widget(
            make_column(
                self.findings,
                self.uses,
                Stretch(),
                gap=2 * GRID,
                margins=(GRID, 0, 0, 0),
            )
        )
        split = make_split(
            left, make_scroll_area(right), sizes=(56 * GRID, 56 * GRID), parent=self
        )
        make_column(
            head,
            self._facts,
            row,
            GRID,
            self.figures,
            self.warning,
            GRID,
            (split, 1),
            parent=self,
            gap=4,
        )


class ClassifierStep(QWidget):
    """The list of classifiers, and the page of a classifier or the form.

    Attributes:
        classifiers: the project's classifiers, the newest first.
        setup: the form for a new classifier.
        page: the page of a classifier.
        list: the list of classifiers.
    """

    shown_changed = Signal()
    train_requested = Signal(object)  # TrainClassifier

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.classifiers: list[TrainedClassifier] = []
        self.setup = ClassifierForm(state)
        self.page = ClassifierPage(state, actions)
        self.list = TwoLineList(
            self.tr("Classifiers"),
            self.tr("Select the classifier to show."),
            is_newest_first=True,
        )
        self.list.addAction(actions.delete)
        self._lay_out(actions)
        self.list.choice_changed.connect(self._on_chosen)
        self.setup.train_requested.connect(self.train_requested)
        state.labels.changed.connect(self._on_labels_changed)

    @property
    def shown(self) -> TrainedClassifier | None:
        """The classifier shown, or None if the form is shown."""
        is_page = self._pages.currentWidget() is self.page
        return self.page.shown if is_page else None

    def refresh(self) -> None:
        """Show the classifiers of the project."""
        project = self._state.project
        if project is None:
            return
        self.classifiers = read_classifiers(project.store)
        self.list.show_rows(
            [
                TwoLineRow(one.row.id, one.row.name, describe_classifier(one))
                for one in self.classifiers
            ]
        )
        self._count.setText(f"{len(self.classifiers):,}" if self.classifiers else "")
        self.setup.offer(self.classifiers)
        shown = self.shown
        if shown is not None:
            now = next((o for o in self.classifiers if o.row.id == shown.row.id), None)
            if now is None:
                self.begin_new()
            else:
                self.page.show_classifier(now)
        self.shown_changed.emit()

    def begin_new(self, source: LabelledSource | None = None) -> None:
        """Show the form, filled for labelled rows, if any."""
        self.list.choose(None)
        self._pages.setCurrentWidget(self.setup)
        self.setup.focus_first()
        self.shown_changed.emit()
        if source is not None:
            self.setup.begin(source)

    def begin_again(self, params: TrainClassifier) -> None:
        """Show the form, filled with the settings of a previous training."""
        self.setup.use(params)
        self.begin_new()

    def unused_name(self, name: str) -> str:
        """Return the name, numbered if it is taken."""
        return self.setup.unused_name(name)

    def choose(self, classifier_id: int) -> bool:
        """Show a classifier, and return whether it exists."""
        return self.list.choose(classifier_id)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        if self.shown is None:
            self.setup.focus_first()
        else:
            self.page.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Return the state of the page and the form."""
        shown = self.shown
        return {
            "classifier": shown.row.id if shown is not None else None,
            "setup": self.setup.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        self.setup.restore_state(state.get("setup", {}))
        if isinstance(state.get("classifier"), int):
            self.choose(state["classifier"])

    def _on_labels_changed(self) -> None:
        self.setup.offer(self.classifiers)

    def _on_chosen(self) -> None:
        chosen = self.list.chosen
        one = next((one for one in self.classifiers if one.row.id == chosen), None)
        if one is not None:
            self.page.show_classifier(one)
            self._pages.setCurrentWidget(self.page)
            self.shown_changed.emit()

    def _lay_out(self, actions: ClassifyActions) -> None:
        self._count = make_label("", "secondary")
        new = make_action_button(actions.new_classifier, kind="primary")
        new.setText(self.tr("New…"))
        actions.new_classifier.changed.connect(lambda: new.setText(self.tr("New…")))
        left = add_heading(self.tr("Classifiers"), self.list, self._count, new)
        right = QWidget()
        self._pages = QStackedLayout(right)
        self._pages.addWidget(self.setup)
        self._pages.addWidget(self.page)
        split = make_split(left, right, sizes=LIST_AND_PAGE, growing=1, parent=self)
        make_column(split, parent=self)
