"""Dialog for training a translation model, with a matrix of directions."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QWidget,
)

from app.engine.store.sentences import list_linked_corpora
from app.errors import ErrorInfo
from app.languages import language_name
from app.params import Params
from app.params.grid_cells import Trainable
from app.params.training.fields import TITLES
from app.params.translation import TrainTranslation
from app.protocol.answers.translation import LanguageColumns
from app.protocol.queries.translation import LanguageColumnsQuery
from app.views.client.state import AppState
from app.views.training.plan import EstimateRow
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import (
    MANY_LANGUAGES,
    corpus_choices,
    find_chosen,
    linked_pairs,
    name_corpus,
    names_by_id,
    suggest_linked,
)
from app.views.widgets.dialogs import lay_out_field
from app.views.widgets.fields import Field
from app.views.widgets.form import FormParts
from app.views.widgets.reference_fields import make_check_lists
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID
from app.views.widgets.training_names import free_name, taken_names

# Set by the matrix, or useful on the command line only.
SKIPPED = ("languages", "directions", "without", "out", "decay", "precision")
LARGEST = MANY_LANGUAGES  # languages in the matrix
MOST_NAMED = 5  # up to this many languages, columns have names
QUICK: dict[str, Any] = {  # minutes on two cores, with thousands of pairs
    "n_steps": 1_500,
    "n_pieces": 2_000,
    "embed_dim": 64,
    "dim": 128,
    "bridge_dim": 128,
    "evaluate_every": 250,
}
STANDARD = {name: getattr(TrainTranslation(), name) for name in QUICK}


class DirectionMatrix(QWidget):
    """Checkboxes for source languages (rows) and target languages (columns)."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.boxes: dict[tuple[str, str], QCheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._languages: tuple[str, ...] = ()

    def show_languages(self, languages: tuple[str, ...]) -> None:
        """Show directions between languages; existing directions keep their state."""
        if languages == self._languages:
            return
        self._languages = languages
        off = {key for key, box in self.boxes.items() if not box.isChecked()}
        self._clear()
        for index, code in enumerate(languages, 1):
            self._grid.addWidget(make_label(language_name(code)), index, 0)
            target = code if len(languages) > MOST_NAMED else language_name(code)
            self._grid.addWidget(make_label(f"→ {target}"), 0, index)
            for column, target in enumerate(languages, 1):
                if code != target:
                    box = self._make_box(code, target)
                    box.setChecked((code, target) not in off)
                    self._grid.addWidget(box, index, column)
        self._grid.setColumnStretch(len(languages) + 1, 1)

    def omit(self, directions: Collection[str]) -> None:
        """Select all directions except these, such as deu-fra."""
        for (source, target), box in self.boxes.items():
            box.setChecked(f"{source}-{target}" not in directions)

    def omitted(self) -> tuple[str, ...]:
        """Return the directions that are not selected, such as deu-fra."""
        return tuple(
            f"{source}-{target}"
            for (source, target), box in self.boxes.items()
            if not box.isChecked()
        )

    def _make_box(self, source: str, target: str) -> QCheckBox:
        box = QCheckBox()
        name = self.tr("Train {source} → {target}")
        words = name.format(source=language_name(source), target=language_name(target))
        box.setAccessibleName(words)
        box.setToolTip(words)
        box.toggled.connect(self.changed)
        self.boxes[source, target] = box
        return box

    def _clear(self) -> None:
        self.boxes = {}
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()


def _proposed_corpora(state: AppState) -> tuple[str, ...]:
    """Return the linked corpora if they have 2 to LARGEST languages."""
    rows = suggest_linked(state.project) if state.project is not None else []
    if not 1 < len({row.language for row in rows}) <= LARGEST:
        return ()
    return tuple(name_corpus(state.corpora, row) for row in rows)


def _all_corpora(state: AppState, values: TrainTranslation) -> tuple[str, ...]:
    """Return the corpora in settings, and linked corpora in other languages.

    If settings contain one corpus, training uses the corpora linked to it.
    """
    project = state.project
    chosen = [row for name in values.corpora for row in find_chosen(project, name)]
    missing = set(values.languages) - {row.language for row in chosen}
    if not chosen or not missing or project is None:
        return values.corpora
    found = (list_linked_corpora(project.store, row) for row in chosen)
    linked = set().union(*found)
    others = [
        name_corpus(state.corpora, row)
        for row in state.corpora
        if row.id in linked and row.language in missing
    ]
    return (*values.corpora, *others)


class TranslationDialog(TaskDialog):
    """Asks for the corpora, the directions and the model."""

    started = Signal(object)  # RunState

    struct: ClassVar[type[TrainTranslation]] = TrainTranslation
    stem: ClassVar[str] = "translation"  # stem of the proposed name

    def __init__(
        self,
        state: AppState,
        values: TrainTranslation | None = None,
        parent: QWidget | None = None,
    ):
        """Initialise with an unused name; `values` None means the defaults."""
        self._proposed = _proposed_corpora(state)
        name = free_name(self.stem, taken_names(state))
        super().__init__(
            state,
            self.struct,
            msgspec.structs.replace(
                values,
                name=name,
                out=None,
                corpora=_all_corpora(state, values),
            )
            if values is not None
            else msgspec.structs.replace(self.defaults(), name=name),
            skip=SKIPPED,
            note=self.tr(
                "Train on at least two linked corpora, or on a table. The model learns "
                "the selected directions. It also translates the others (zero-shot), "
                "but with more errors. The model also encodes sentences."
            ),
            parent=parent,
        )
        self._table: Path | None = None
        self._columns: tuple[str, ...] = ()  # language columns of the table
        self.matrix = DirectionMatrix()
        self.matrix_title = make_label(self.tr("Directions"))
        self.sizes = self._make_sizes()
        self.below.setContentsMargins(0, 2 * GRID, 0, 0)
        self.below.addWidget(self.matrix_title)
        self.below.addWidget(self.matrix, 0, Qt.AlignmentFlag.AlignLeft)
        self.below.addLayout(lay_out_field(self.tr("Size"), self.sizes))
        if values is None:
            self.form.fold(self.rare or (), shows_changed=False)
        self.estimate = EstimateRow(state, lambda: self.list_trainings())
        self.estimate.failed.connect(self.show_error)
        self.estimate.estimated.connect(self.fit)
        self.foot.addWidget(self.estimate)
        self.form.changed.connect(self._on_changed)
        self.matrix.changed.connect(self.estimate.clear)
        self._on_changed()
        self.matrix.omit(values.without if values is not None else ())

    def defaults(self) -> TrainTranslation:
        """Return the initial settings of the form."""
        return TrainTranslation(**QUICK, corpora=self._proposed)

    def form_parts(self) -> FormParts:
        """Return the labels of settings, as in other training forms."""
        return FormParts(titles=TITLES, inputs=self.make_lists())

    def make_lists(self) -> dict[str, Field]:
        """Create the check lists, of which that of corpora offers linked ones."""
        inputs = make_check_lists(self._state, self._struct)
        project = self._state.project
        linked = linked_pairs(project) if project is not None else []
        corpora = inputs.get("corpora")
        if linked and corpora is not None and isinstance(corpora.widget, CheckList):
            corpora.widget.set_choices(
                corpus_choices(project, linked), names_by_id(project)
            )
        return inputs

    def heading(self) -> str:
        """Return the title."""
        return self.tr("Train a translation model")

    def start(self, params: Params) -> None:
        """Train the model."""
        self.started.emit(self._state.run(params))

    def list_trainings(self) -> list[Trainable]:
        """Return the trainings to estimate; empty, with an error shown, if invalid."""
        params = self._params()
        return [params] if isinstance(params, TrainTranslation) else []

    def _make_sizes(self) -> QComboBox:
        box = QComboBox()
        box.setPlaceholderText(self.tr("Other"))
        box.addItem(self.tr("Quick: a few minutes for a few thousand pairs"), QUICK)
        box.addItem(self.tr("Standard: about an hour on a CPU"), STANDARD)
        hint = self.tr("Set the sizes of the model and the number of steps.")
        describe(box, self.tr("Size"), hint)
        box.activated.connect(lambda: self.form.write(box.currentData()))
        return box

    def _show_size(self) -> None:
        """Select the size that matches the settings, if any."""
        raw, sizes = self.form.raw(), (QUICK, STANDARD)
        fitting = [
            index for index, size in enumerate(sizes) if size.items() <= raw.items()
        ]
        self.sizes.setCurrentIndex(fitting[0] if fitting else -1)

    def _on_changed(self) -> None:
        self.estimate.clear()
        self._show_size()
        table = self.form.raw().get("table")
        if table != self._table:
            self._table, self._columns = table, ()
            self.form.clear_errors()
            self._error.hide()
            if table is not None:
                if self.form.raw().get("corpora") == list(self._proposed):
                    self.form.write({"corpora": ()})
                query = LanguageColumnsQuery(file=table)
                self._state.ask(query, self._on_columns)
        self._show_languages()
        self._check_data()

    def _check_data(self) -> None:
        """Show missing data below the corpora, and enable the buttons."""
        values = self.form.raw()
        has_table = values.get("table") is not None
        problem = ""
        if has_table and values.get("corpora"):
            problem = self.tr("Choose a table or corpora, not both.")
        elif not has_table and len(self._languages()) < 2:
            problem = self.tr("Choose corpora in at least two languages, or a table.")
        if problem:
            self.form.show_error("corpora", problem, focuses=False)
        for button in (self.run_button, self.estimate.button):
            button.setEnabled(not problem)

    def _on_columns(self, answer: LanguageColumns | ErrorInfo) -> None:
        if isinstance(answer, LanguageColumns):
            self._columns = answer.languages
            self._show_languages()
        elif answer.kind != "superseded":
            self.show_error(answer.message)

    def _show_languages(self) -> None:
        """Show the languages of the table or of the selected corpora."""
        languages = self._languages()
        has_matrix = 1 < len(languages) <= LARGEST
        self.matrix.show_languages(languages if has_matrix else ())
        self.matrix_title.setVisible(has_matrix)
        QTimer.singleShot(0, self, self.fit)  # after the directions are laid out

    def _languages(self) -> tuple[str, ...]:
        if self._table is not None:
            return self._columns
        names = self.form.raw().get("corpora", ())
        rows = [row for name in names for row in find_chosen(self._state.project, name)]
        return tuple(dict.fromkeys(row.language for row in rows))

    def _params(self) -> Params | None:
        params = super()._params()
        if not isinstance(params, TrainTranslation):
            return params
        changed: Params = msgspec.structs.replace(
            params, languages=self._languages(), without=self.matrix.omitted()
        )
        return changed
