"""Two maps side by side: the other one, and what moved between them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.engine.store.arrays import map_array
from app.engine.store.projection_rows import ProjectionRow
from app.errors import ErrorInfo
from app.map_questions import CompareProjectionsQuery
from app.views.map_colourings import Colouring, Column, numbers_of
from app.views.map_points import MapPoints
from app.views.state import AppState
from app.views.words import format_count

MOVED = "moved"


class Moves(NamedTuple):
    """What moved between two maps.

    Attributes:
        one, other: ids of the maps.
        ids: int64 (n,), the most changed first.
        kept: float32 (n,), share of the nearest that are kept, 0…1.
        k: how many nearest.
        mean, low, high: the mean share, and its 95 % interval.
        is_sample: not all sentences were compared.
    """

    one: int
    other: int
    ids: NDArray[np.int64]
    kept: NDArray[np.float32]
    k: int
    mean: float
    low: float
    high: float
    is_sample: bool

    def describe(self) -> str:
        """Say it in a sentence."""
        words = _tr(
            "{mean} of the {k} nearest neighbours are the same by both encoders "
            "(95 %: {low} – {high}, n = {n}); the most changed first"
        )
        return words.format(
            k=self.k,
            n=format_count(len(self.ids)),
            mean=f"{100 * self.mean:.0f} %",
            low=f"{100 * self.low:.0f} %",
            high=f"{100 * self.high:.0f} %",
        )

    def column(self) -> Column:
        """Give the column that it is."""
        return Column(MOVED, _tr("What moved"))

    def colouring(self, points: MapPoints) -> Colouring:
        """Colour points by the share of their neighbours that are others now."""
        values = np.full(len(points), np.nan, np.float32)
        at = np.minimum(np.searchsorted(points.ids, self.ids), len(points) - 1)
        is_here = points.ids[at] == self.ids
        values[at[is_here]] = 1 - self.kept[is_here]
        return numbers_of(self.column(), values)


class MapComparison(QObject):
    """Asks what moved.

    Attributes:
        moves: the newest answer; None: there is none.
        is_asking: the answer is being worked out.
    """

    answered = Signal()

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.moves: Moves | None = None
        self.is_asking = False

    def ask(self, one: ProjectionRow, other: ProjectionRow) -> None:
        """Ask what moved between two maps."""
        self.moves, self.is_asking = None, True
        query = CompareProjectionsQuery(one=one.id, other=other.id)
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    def forget(self) -> None:
        """Compare nothing any more."""
        self.moves, self.is_asking = None, False

    def _on_answer(
        self, query: CompareProjectionsQuery, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        project = self._state.project
        if project is None or not self.is_asking:
            return
        self.is_asking = False
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
        else:
            self.moves = _read_moves(project.folder, query, answer)
        self.answered.emit()


def _read_moves(
    folder: Path, query: CompareProjectionsQuery, answer: dict[str, Any]
) -> Moves:
    return Moves(
        query.one,
        query.other,
        np.array(map_array(folder / answer["file"]), np.int64),
        np.array(map_array(folder / answer["shares"]), np.float32),
        int(answer["k"]),
        float(answer["kept"]),
        float(answer["low"]),
        float(answer["high"]),
        bool(answer.get("is_sample")),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)
