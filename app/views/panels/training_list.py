"""The list of trainings: name, state, lowest error, when; one or two are chosen."""

import time
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.theme import tokens_of
from app.views.training_runs import Training, state_words
from app.views.training_words import DOT
from app.views.widgets.controls import describe
from app.views.widgets.row_delegate import Index, RowDelegate, paint_two_lines
from app.views.words import format_ago, format_error

TRAINING_ROLE = int(Qt.ItemDataRole.UserRole)


class TrainingModel(QAbstractListModel):
    """The trainings of the project, the newest first."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.trainings: list[Training] = []

    def show_trainings(self, trainings: Sequence[Training]) -> None:
        """Show trainings; rows that stay the same keep their places."""
        is_same = [t.id for t in trainings] == [t.id for t in self.trainings]
        if is_same:
            self.trainings = list(trainings)
            if trainings:
                last = self.index(len(trainings) - 1)
                self.dataChanged.emit(self.index(0), last)
            return
        self.beginResetModel()
        self.trainings = list(trainings)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the trainings."""
        return 0 if parent is not None and parent.isValid() else len(self.trainings)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give a training, its name, or its words for a screen reader."""
        if not index.isValid():
            return None
        training = self.trainings[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return training.name
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return f"{training.name}, {describe_training(training)}"
            case _ if role == TRAINING_ROLE:
                return training
        return None


class TrainingList(QListView):
    """Trainings of which one is chosen to look at, or two to compare."""

    choice_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._trainings = TrainingModel(self)
        self.setModel(self._trainings)
        self.setItemDelegate(RowDelegate(_paint_row, self))
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Trainings"),
            self.tr("Choose one to look at, or two with Ctrl or Shift to compare."),
        )
        self.setToolTip("")
        self.selectionModel().selectionChanged.connect(lambda: self._tell())

    @property
    def chosen(self) -> list[Training]:
        """The trainings that are chosen, in the order of the list."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._trainings.trainings[row] for row in rows]

    @property
    def trainings(self) -> list[Training]:
        """Every training."""
        return self._trainings.trainings

    def show_trainings(self, trainings: Sequence[Training]) -> None:
        """Show trainings; those chosen stay chosen."""
        kept = [training.id for training in self.chosen]
        self.selectionModel().blockSignals(True)
        self._trainings.show_trainings(trainings)
        self._select(kept)
        self.selectionModel().blockSignals(False)

    def choose(self, ids: Sequence[int]) -> None:
        """Choose trainings, and no others."""
        self.selectionModel().blockSignals(True)
        self._select(ids)
        self.selectionModel().blockSignals(False)
        self.viewport().update()
        self._tell()

    def _select(self, ids: Sequence[int]) -> None:
        model = self.selectionModel()
        flag = model.SelectionFlag
        model.clearSelection()
        for row, training in enumerate(self._trainings.trainings):
            if training.id in ids:
                index = self._trainings.index(row)
                model.select(index, flag.Select)
                model.setCurrentIndex(index, flag.NoUpdate)

    def _tell(self) -> None:
        self.choice_changed.emit()


def describe_training(training: Training) -> str:
    """Say state and age: running · 5 minutes ago."""
    ago = format_ago(max(time.time() - training.row.started_at, 0.0))
    parts = [state_words(training.state), ago]
    if training.best is not None:
        parts.insert(1, format_error(training.best))
    return DOT.join(parts)


def _paint_row(
    painter: QPainter, place: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    training: Training = index.data(TRAINING_ROLE)
    tokens = tokens_of(QApplication.palette())
    colours = {
        "running": tokens.accent,
        "interrupted": tokens.warning,
        "failed": tokens.warning,
    }
    paint_two_lines(
        painter,
        place,
        item,
        (training.name, _second_line(training)),
        colour=colours.get(training.state, tokens.secondary),
        number="" if training.best is None else format_error(training.best),
    )


def _second_line(training: Training) -> str:
    ago = format_ago(max(time.time() - training.row.started_at, 0.0))
    return DOT.join([state_words(training.state), ago])
