"""Sidebar with the list of trainings."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QRectF, Signal
from PySide6.QtGui import QAction, QPainter, QShowEvent
from PySide6.QtWidgets import QApplication, QListView, QStyleOptionViewItem, QWidget

from app.views.training.runs import STOPPED, TrainingRun, describe_status
from app.views.training.text import DOT, format_measured
from app.views.widgets.boxes import make_column
from app.views.widgets.cells import Index
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.kept_rows import RowKeeper, arrange_newest_first
from app.views.widgets.number_format import (
    format_age,
    format_count,
    format_share,
)
from app.views.widgets.sections import HeadingWithCount
from app.views.widgets.theme import colours_of
from app.views.widgets.two_line_list import (
    ROW_ROLE,
    RowDelegate,
    RowListModel,
    RowText,
    paint_two_lines,
    select_rows,
    selected_rows,
    set_up_list,
)

_tr = partial(QCoreApplication.translate, "training")


class TrainingList(QListView):
    """A list for selecting one training to show, or two to compare."""

    selection_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._trainings = RowListModel(_describe_row, self)
        self._in_order: Sequence[TrainingRun] = ()
        self._keeper = RowKeeper(self, lambda index: index.data(ROW_ROLE).id)
        self.setModel(self._trainings)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        set_up_list(
            self,
            RowDelegate(_paint_row, self),
            self.tr("Trainings"),
            self.tr("Select a training, or two with Ctrl or Shift to compare them."),
        )
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def selected(self) -> list[TrainingRun]:
        """The selected trainings, the newest first."""
        ids = {self._trainings.rows[row].id for row in selected_rows(self)}
        return [training for training in self._in_order if training.id in ids]

    @property
    def trainings(self) -> list[TrainingRun]:
        """All trainings, the newest first."""
        return list(self._in_order)

    def show_trainings(self, trainings: Sequence[TrainingRun]) -> None:
        """Show trainings, the newest first, keeping the selection."""
        selected = [training.id for training in self.selected]
        self._in_order = trainings
        by_id = {training.id: training for training in trainings}
        shown = [training.id for training in self._trainings.rows]
        order = arrange_newest_first(self, shown, list(by_id))
        with self._keeper.keep():
            self._show_rows([by_id[id_] for id_ in order], selected)

    def _show_rows(
        self, trainings: Sequence[TrainingRun], selected: Sequence[int]
    ) -> None:
        self.selectionModel().blockSignals(True)
        self._trainings.show_rows(trainings)
        self.selectionModel().blockSignals(False)
        self._select_rows(selected)

    def select(self, ids: Sequence[int]) -> None:
        """Select only these trainings."""
        self._select_rows(ids)
        self.selection_changed.emit()

    def _select_rows(self, ids: Sequence[int]) -> None:
        rows = enumerate(self._trainings.rows)
        select_rows(self, [row for row, training in rows if training.id in ids])

    def _on_selection_changed(self) -> None:
        self.selection_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Update the order when the user returns to the list."""
        if not event.spontaneous():
            selected = [training.id for training in self.selected]
            self._show_rows(self._in_order, selected)
        super().showEvent(event)


def describe_training(training: TrainingRun) -> str:
    """Describe state, measurement and age: running · error 12.5 % · just now."""
    state, ago = _state_and_age(training)
    best = _describe_best(training)
    if best and training.measure == "error":
        best = _tr("lowest retrieval error {n}").format(n=best)
    return DOT.join(filter(None, (state, best, ago)))


def _describe_best(training: TrainingRun) -> str:
    """Format the lowest error; for a translation model, with the measure's name."""
    if training.best is None:
        return ""
    number = format_measured(training.measure, training.best)
    return {
        "error": number,
        "cross-entropy": _tr("cross-entropy {n}").format(n=number),
        "bleu": f"BLEU {number}",
    }[training.measure]


def _describe_row(training: TrainingRun) -> RowText:
    words = f"{training.name}, {describe_training(training)}"
    return RowText(training.id, training.name, words)


def _paint_row(
    painter: QPainter, rect: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    training: TrainingRun = index.data(ROW_ROLE)
    tokens = colours_of(QApplication.palette())
    colours = {
        "running": tokens.accent,
        "interrupted": tokens.warning,
        "failed": tokens.warning,
    }
    has_error = training.measure == "error"  # the number column contains only errors
    measured = [] if has_error else filter(None, [_describe_best(training)])
    paint_two_lines(
        painter,
        rect,
        item,
        (training.name, DOT.join([*_state_and_age(training), *measured])),
        colour=colours.get(training.state, tokens.secondary),
        number=_describe_best(training) if has_error else "",
    )


def _state_and_age(training: TrainingRun) -> tuple[str, str]:
    """Describe state and age, with the share of steps if it stopped early."""
    state, at = describe_status(training.state), training.unfinished
    if at.n_total and training.state in STOPPED:
        words = _tr("{state} at {share}")
        state = words.format(state=state, share=format_share(at.n_done, at.n_total))
    return state, format_age(training.row.started_at)


class TrainingSidebar(QWidget):
    """Shows the trainings of the project, with buttons above and below.

    Attributes:
        list: the list of trainings.
    """

    def __init__(
        self,
        new: Sequence[QAction],
        compare: Sequence[QAction],
        parent: QWidget | None = None,
    ):
        """Initialise with buttons for new trainings and comparisons."""
        super().__init__(parent)
        self.list = TrainingList()
        self._heading = HeadingWithCount(self.tr("Trainings"))
        self._none = make_label(
            self.tr(
                "No trainings yet. Choose a preset, estimate what it needs, and start "
                "the training."
            ),
            "secondary",
            wraps=True,
        )
        layout = make_column(
            self._heading,
            *map(make_action_button, new),
            self._none,
            (self.list, 1),
            parent=self,
        )
        for action in compare:
            layout.addWidget(make_action_button(action, kind="quiet"))

    def show_trainings(self, trainings: Sequence[TrainingRun]) -> None:
        """Show trainings, keeping the selection."""
        self.list.show_trainings(trainings)
        self._heading.set_count(format_count(len(trainings)))
        self._none.setVisible(not trainings)
