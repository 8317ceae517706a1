"""Predictions step: the predictions of a classifier, corrected by key."""

from functools import partial
from itertools import chain
from typing import Any, Literal

import msgspec
import numpy as np
from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.engine.store.arrays import map_array
from app.engine.store.classifiers import find_edited
from app.errors import ErrorInfo
from app.protocol.answers.classify import (
    PredictionChangesAnswer,
    PredictionsAnswer,
    SuggestionsAnswer,
)
from app.protocol.queries.classify import (
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.views.classify.actions import ClassifyActions
from app.views.classify.prediction_table import PredictionColumns, PredictionFilters
from app.views.classify.typed_text import TypedTextPanel
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.classifiers import TrainedClassifier, classified_key
from app.views.widgets.controls import ElidedLabel, make_action_button, make_label
from app.views.widgets.corpus_choices import ids_of_chips
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.id_order import ArrayOrder, IdOrder
from app.views.widgets.list_and_pages import ListAndPages
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.statistics_format import SEPARATOR, format_rate, head_name
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

_tr = partial(QCoreApplication.translate, "PredictionPage")

PredictionMode = Literal["all", "suggested", "changed"]
QUERY_DELAY_MS = 200  # since the last change
N_SUGGESTED = 50
MAX_CHANGES_SHOWN = 4  # the most frequent class changes


class PredictionPage(QWidget):
    """Shows the predictions of a classifier.

    Attributes:
        shown_classifier: the classifier shown; None before the first.
        mode: all predictions, suggestions to label, or changes after retraining.
        edits: shows the number of sentences edited since classification.
        outdated: corpora of these sentences, as named in `Classify`.
    """

    shown = Signal()  # the sentences in the table changed
    edits_counted = Signal()
    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.shown_classifier: TrainedClassifier | None = None
        self.mode: PredictionMode = "all"
        self._before: TrainedClassifier | None = None  # the classifier to compare with
        self._name = ElidedLabel("heading")
        self._facts = make_label("", "secondary", wraps=True)
        self.edits = ElidedLabel("warning")
        self.outdated: tuple[str, ...] = ()
        self._filters = filters = PredictionFilters()
        self.classes, self.languages = filters.classes, filters.languages
        self.corpora = filters.corpora
        self.which, self.order = filters.which, filters.order
        self.lowest = filters.lowest
        self.table = SentenceTable()
        self._timer = QTimer(self, singleShot=True, interval=QUERY_DELAY_MS)
        self._timer.timeout.connect(self.ask)
        self._columns = PredictionColumns(state, self.table.page_model)
        self._lay_out(actions)
        self._connect()
        actions.show_all.triggered.connect(self.show_all)
        actions.show_suggestions.triggered.connect(self.show_suggestions)

    @property
    def facts(self) -> str:
        """The text about the sentences shown."""
        return self._facts.text()

    def show_classifier(self, one: TrainedClassifier) -> None:
        """Show all predictions of a classifier."""
        shown = self.shown_classifier
        is_other = shown is None or shown.row.id != one.row.id
        self.shown_classifier = one
        if is_other:
            self.mode, self._before = "all", None
            self._filters.clear()
        self._name.setText(one.row.name)
        self._filters.offer(self._state.project, one)
        self._count_edits()
        self.ask()

    def show_all(self) -> None:
        """Show all predictions."""
        self.mode = "all"
        self.ask()

    def show_suggestions(self) -> None:
        """Show sentences suggested for labelling."""
        self.mode = "suggested"
        self.ask()

    def show_changes(self, before: TrainedClassifier) -> None:
        """Show where an older classifier predicted another class."""
        self.mode, self._before = "changed", before
        self.ask()

    def ask(self) -> None:
        """Query the sentences for the current mode and filters."""
        self._timer.stop()
        one, before = self.shown_classifier, self._before
        if one is None:
            return
        self._filters.show_for(one, is_all=self.mode == "all")
        self.back.setVisible(self.mode != "all")
        ids = ids_of_chips(self.corpora.chosen)
        if self.mode == "suggested":
            query = SuggestQuery(
                classifier=one.row.id,
                corpora=ids.corpora,
                subcorpora=ids.subcorpora,
                n=N_SUGGESTED,
            )
            self._state.ask(query, self._on_suggested)
        elif self.mode == "changed" and before is not None:
            changes = PredictionChangesQuery(
                before=before.row.id,
                after=one.row.id,
                corpora=ids.corpora,
                subcorpora=ids.subcorpora,
            )
            self._state.ask(changes, self._on_changes)
        else:
            self._state.ask(self.query(one), self._on_predictions)

    def query(self, one: TrainedClassifier) -> PredictionsQuery:
        """Return the query of the filters."""
        percent = self.lowest.value()
        ids = ids_of_chips(self.corpora.chosen)
        return PredictionsQuery(
            classifier=one.row.id,
            corpora=ids.corpora,
            subcorpora=ids.subcorpora,
            classes=self.classes.chosen,
            languages=self.languages.chosen,
            lowest=percent / 100 if percent and not one.gives_scores else None,
            which=self.which.currentData(),
            order=self.order.currentData(),
        )

    def focus_first(self) -> None:
        """Set the focus on the table."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _count_edits(self) -> None:
        """Show the number of sentences edited since classification."""
        project, one = self._state.project, self.shown_classifier
        if project is None or one is None:
            return
        edited = find_edited(project.store, one.predictions)
        self.outdated = tuple(map(classified_key, edited))
        ids = frozenset(chain.from_iterable(edited.values()))
        if self._columns.edited != ids:
            self._columns.edited = ids
            self.table.page_model.forget_rows()
        n = len(ids)
        text = pluralize(
            n,
            self.tr("1 sentence changed since these predictions."),
            self.tr("{n} sentences changed since these predictions."),
        )
        self.edits.setText(text)
        self._edits_row.setVisible(n > 0)
        self.edits_counted.emit()

    def _on_corpora_changed(self) -> None:
        """Update the corpora and sub-corpora in the filter."""
        one, chosen = self.shown_classifier, self.corpora.chosen
        if one is not None:
            self._filters.offer(self._state.project, one)
            self._filters.show_for(one, is_all=self.mode == "all")
            if self.corpora.chosen != chosen:
                self.ask()

    def _on_predictions(self, answer: PredictionsAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._show_error(answer)
            return
        n_by_class = answer.n_by_class
        one = self.shown_classifier
        if one is not None and one.row.classes:
            self.classes.set_choices(
                [
                    (name, f"{name} {format_count(n_by_class.get(name, 0))}")
                    for name in one.row.classes
                ]
            )
        found = pluralize(answer.n, self.tr("1 sentence"), self.tr("{n} sentences"))
        if one is not None and one.is_of_pairs:
            found = pluralize(answer.n, self.tr("1 pair"), self.tr("{n} pairs"))
        words = self.tr("{found}. Keys 1–9 assign a label, 0 removes it.")
        if one is not None and one.gives_scores:
            words = self.tr("{found} with a score.")
        self._facts.setText(words.format(found=found))
        self._show_file(answer.file)

    def _on_suggested(self, answer: SuggestionsAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._show_error(answer)
            return
        words = self.tr(
            "{sentences} to label next: uncertain and different from one another. "
            "Label them with the keys 1–9, then retrain."
        )
        ids = [one.sentence for one in answer.sentences]
        one, many = self.tr("1 sentence"), self.tr("{n} sentences")
        self._facts.setText(words.format(sentences=pluralize(len(ids), one, many)))
        self._show(ArrayOrder(np.array(ids, np.int64)))

    def _on_changes(self, answer: PredictionChangesAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._show_error(answer)
            return
        assert self.shown_classifier is not None
        assert self._before is not None
        words = self.tr(
            "{name} changed {n} of {total} predictions of {before} ({rate}): {moves}"
        )
        if not answer.n:
            words = self.tr("{name} changed none of {total} predictions of {before}.")
        move = self.tr("{before} → {after} {n}")
        moves = ", ".join(
            move.format(**msgspec.structs.asdict(one))
            for one in answer.moves[:MAX_CHANGES_SHOWN]
        )
        n, total = answer.n, answer.n_compared
        text = words.format(
            name=self.shown_classifier.row.name,
            before=self._before.row.name,
            n=format_count(n),
            total=format_count(total),
            rate=format_rate(n / max(total, 1)),
            moves=moves,
        )
        self._facts.setText(text)
        self._show_file(answer.file)

    def _show_error(self, error: ErrorInfo) -> None:
        if error.kind != "superseded":
            self._facts.setText(error.message)
            self._show(ArrayOrder(np.empty(0, np.int64)))

    def _show_file(self, name: str) -> None:
        project = self._state.project
        if project is not None:
            self._show(ArrayOrder(map_array(project.folder / name)))

    def _show(self, order: IdOrder) -> None:
        project = self._state.project
        if project is not None:
            before = self._before if self.mode == "changed" else None
            columns = self._columns.of(self.shown_classifier, before)
            self.table.show_ids(project.store, order, columns=columns)
            self.shown.emit()

    def _on_lowest_changed(self) -> None:
        self._timer.start()

    def _select_sentence(self) -> None:
        if self.isVisible():  # else another page owns the selection
            self._state.select_sentence(self.table.current_id)

    def _on_digit_pressed(self, digit: int) -> None:
        if self.shown_classifier is None or self.shown_classifier.gives_scores:
            return  # scores have no classes
        ids = self.table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._state.labels.label_by_key(digit, ids):
            self.table.step_on()

    def _connect(self) -> None:
        for chips in (self.classes, self.languages, self.corpora):
            chips.changed.connect(self.ask)
        for box in (self.which, self.order):
            box.currentIndexChanged.connect(self.ask)
        self.lowest.valueChanged.connect(self._on_lowest_changed)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        self.table.sentence_selected.connect(self._select_sentence)
        self.table.selection_cleared.connect(self._select_sentence)
        self.table.sentence_opened.connect(self.place_requested)
        offer_sentence_actions(self._state, self.table)
        self._state.labels.labelled.connect(self.table.page_model.forget_rows)
        self._state.texts_changed.connect(self.table.page_model.forget_rows)
        self._state.texts_changed.connect(self._count_edits)
        self._state.corpora_changed.connect(self._on_corpora_changed)

    def _lay_out(self, actions: ClassifyActions) -> None:
        self.back = make_action_button(actions.show_all)
        again = make_action_button(actions.predict_again)
        self._edits_row = as_widget(make_row((self.edits, 1), again))
        self._edits_row.hide()
        head = make_row(
            (self._name, 1),
            self.back,
            make_action_button(actions.apply, kind="primary"),
        )
        make_column(
            head,
            _make_tools(actions),
            self._edits_row,
            self._filters,
            self._facts,
            (self.table, 1),
            parent=self,
        )


def _make_tools(actions: ClassifyActions) -> ActionRow:
    tools = ActionRow()
    tools.set_actions(
        [
            (actions.show_suggestions, _tr("Suggest what to label")),
            (actions.retrain, _tr("Retrain")),
            (actions.show_changes, _tr("Show changes")),
            (actions.export_predictions, _tr("Export…")),
        ]
    )
    return tools


class PredictionStep(QWidget):
    """The list of applied classifiers, and the predictions of a classifier.

    Attributes:
        typed: panel that classifies typed text.
        page: the page of predictions.
        classifiers: the list of applied classifiers.
    """

    shown_changed = Signal()
    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self._found: list[TrainedClassifier] = []
        self.typed = TypedTextPanel(state)
        self.classifiers = TwoLineList(
            self.tr("Classifiers in use"),
            self.tr("Select the classifier whose predictions are shown."),
            is_newest_first=True,
        )
        empty = EmptyState(
            self.tr("No corpus is classified yet"),
            self.tr(
                "Classify corpora of any size in any language, then browse the "
                "predictions by class and probability."
            ),
            [
                make_action_button(actions.apply, kind="primary"),
                make_action_button(actions.new_classifier),
            ],
            icon="classify",
        )
        self._body = ListAndPages(self.tr("In use"), self.classifiers, None, self)
        self.page = PredictionPage(state, actions, self._body.pages)
        state.inspectable_made.emit(self.page)
        self._body.add_pages(empty, self.page)
        make_column(self.typed, (self._body, 1), parent=self, gap=2 * GRID)
        self.classifiers.choice_changed.connect(self._on_chosen)
        self.typed.classifier_chosen.connect(self._on_typed_chosen)
        self.page.place_requested.connect(self.place_requested)
        self.page.edits_counted.connect(self.shown_changed)

    @property
    def sentence(self) -> int | None:
        """Id of the selected sentence, or None."""
        return self.page.table.current_id

    @property
    def shown(self) -> TrainedClassifier | None:
        """The classifier whose predictions are shown, or None."""
        return self.page.shown_classifier if self._body.has_rows else None

    @property
    def chosen(self) -> TrainedClassifier | None:
        """The classifier chosen last, for typed text or in the list."""
        return self.typed.classifier

    def refresh(self, found: list[TrainedClassifier]) -> None:
        """Show the applied classifiers, and offer all classifiers for typed text."""
        self.typed.offer(found)
        typed = self.typed.classifier
        self._found = [one for one in found if one.predictions]
        self._body.show_rows(
            [
                TwoLineRow(one.row.id, one.row.name, self._describe(one))
                for one in self._found
            ],
            n=0,
        )
        if typed is not None and typed.predictions:
            self.classifiers.choose(typed.row.id)
        chosen = self.classifiers.chosen
        one = next((one for one in self._found if one.row.id == chosen), None)
        if one is None and self._found:
            self.classifiers.choose(self._found[0].row.id)
        elif one is not None and one != self.page.shown_classifier:
            self.page.show_classifier(one)
        self.shown_changed.emit()

    def begin_text(self, one: TrainedClassifier | None) -> None:
        """Focus the field for typed text, with a classifier or the last one used."""
        if one is not None:
            self.typed.choose(one.row.id)
        self.typed.focus_first()

    def choose(self, classifier_id: int) -> bool:
        """Show the predictions of a classifier, and return whether it has any."""
        return self.classifiers.choose(classifier_id)

    def query(self, one: TrainedClassifier) -> PredictionsQuery:
        """Return the query for the filters and a classifier."""
        return self.page.query(one)

    def show_changes(self, before: TrainedClassifier) -> None:
        """Show where an older classifier predicted another class."""
        self.page.show_changes(before)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        if self.shown is not None:
            self.page.focus_first()
        else:
            self.typed.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Return the state of the step."""
        shown = self.shown
        return {"classifier": shown.row.id if shown is not None else None}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        if isinstance(state.get("classifier"), int):
            self.choose(state["classifier"])

    def _describe(self, one: TrainedClassifier) -> str:
        n = sum(row.n_rows for row in one.predictions)
        sentences = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        n = len(one.predictions)
        corpora = pluralize(n, self.tr("1 corpus"), self.tr("{n} corpora"))
        return SEPARATOR.join([head_name(one.row.head), sentences, corpora])

    def _on_chosen(self) -> None:
        chosen = self.classifiers.chosen
        one = next((one for one in self._found if one.row.id == chosen), None)
        if one is not None:
            self.page.show_classifier(one)
            self.typed.choose(one.row.id)
            self.shown_changed.emit()

    def _on_typed_chosen(self) -> None:
        """Show the predictions of the classifier chosen for typed text, if any."""
        one = self.typed.classifier
        if one is not None:
            self.choose(one.row.id)
