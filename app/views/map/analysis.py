"""Map queries: keywords of a selection, similarity, and movement between maps."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, QTemporaryDir, QTimer, Signal

from app.engine.store.arrays import map_array, write_array
from app.engine.store.projections import ProjectionRow
from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    SelectionQuery,
    SimilarityQuery,
)
from app.views.client.state import AppState
from app.views.map.colouring import ColourColumn, Colouring, colour_by_number
from app.views.map.drawing.points import MapPoints
from app.views.widgets.number_format import format_count
from app.views.widgets.statistics_format import SEPARATOR

SIMILARITY = "similarity"
MAX_INLINE_IDS = 2_000  # sentences in a question; more are in a file beside it
QUERY_DELAY_MS = 150  # without another selection
N_LANGUAGES, N_WORDS = 4, 10  # told of a selection


class SelectionKeywords(QObject):
    """Asks which words mark a selection, and in which languages it is.

    Attributes:
        text: the answer in words; empty while there is none.
    """

    answered = Signal()

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.text = ""
        self._query: SelectionQuery | None = None
        self._asked: tuple[int, NDArray[np.int64]] = (0, np.empty(0, np.int64))
        self._folder, self._n_files = QTemporaryDir(), 0
        self._timer = QTimer(self, singleShot=True, interval=QUERY_DELAY_MS)
        self._timer.timeout.connect(self._ask)

    def ask(self, points: MapPoints, ids: NDArray[np.int64] | None) -> None:
        """Ask about a selection on a map, soon; None: there is none."""
        self.text, self._query = "", None
        self._timer.stop()
        if ids is not None:
            self._asked = points.row.id, ids
            self._timer.start()

    def _ask(self) -> None:
        map_id, ids = self._asked
        query = SelectionQuery(
            projection=map_id,
            sentences=tuple(ids.tolist()) if len(ids) <= MAX_INLINE_IDS else (),
            file=self._write(ids) if len(ids) > MAX_INLINE_IDS else None,
            n_words=N_WORDS,
            n_typical=0,
        )
        self._query = query
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    def _write(self, ids: NDArray[np.int64]) -> Path:
        """Write the ids of a large selection for the engine; the last one goes."""
        self._n_files += 1
        folder = Path(self._folder.path())
        for file in folder.glob("*.npy"):
            file.unlink(missing_ok=True)
        file = folder / f"{self._n_files}.npy"
        write_array(file, ids)
        return file

    def _on_answer(
        self, query: SelectionQuery, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        if query is self._query and isinstance(answer, dict):
            self.text = _describe(answer)
            self.answered.emit()


def similarity_column() -> ColourColumn:
    """Return the column of the nearness to the chosen sentence."""
    return ColourColumn(SIMILARITY, _tr("Nearness to the chosen sentence"))


class MapSimilarity(QObject):
    """Asks how near the sentences of a map are to the chosen one."""

    answered = Signal(object)  # Colouring

    def __init__(self, state: AppState, asker: str, parent: QObject):
        """Make it; `asker` keeps the questions of two maps apart."""
        super().__init__(parent)
        self._state, self._asker = state, asker

    def ask(self, points: MapPoints, sentence_id: int) -> None:
        """Ask for the cosines of all sentences with one."""
        query = SimilarityQuery(
            projection=points.row.id, sentence=sentence_id, asker=self._asker
        )
        self._state.ask(query, lambda answer: self._on_answer(points, answer))

    def _on_answer(self, points: MapPoints, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
            return
        values = np.array(map_array(project.folder / answer["file"]), np.float32)
        if len(values) == len(points):
            found: Colouring = colour_by_number(similarity_column(), values)
            self.answered.emit(found)


def _describe(answer: dict[str, Any]) -> str:
    """Return languages and words: German 31, English 20 · marked by storm, ferry."""
    languages = [
        f"{language_name(code)} {format_count(n)}"
        for code, n in answer.get("languages", ())[:N_LANGUAGES]
    ]
    rest = len(answer.get("languages", ())) - N_LANGUAGES
    if rest > 0:
        languages.append(_tr("{n} more").format(n=rest))
    parts = [", ".join(languages)]
    words = ", ".join(str(one["word"]) for one in answer.get("words", ()))
    if words:
        parts.append(_tr("marked by {words}").format(words=words))
    return SEPARATOR.join(part for part in parts if part)


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)


MOVEMENT = "moved"


class MapMovement(NamedTuple):
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
        """Return it in a sentence."""
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

    def column(self) -> ColourColumn:
        """Return the column that it is."""
        return ColourColumn(MOVEMENT, _tr("What moved"))

    def colouring(self, points: MapPoints) -> Colouring:
        """Colour points by the share of their neighbours that are others now."""
        values = np.full(len(points), np.nan, np.float32)
        at = np.minimum(np.searchsorted(points.ids, self.ids), len(points) - 1)
        is_here = points.ids[at] == self.ids
        values[at[is_here]] = 1 - self.kept[is_here]
        return colour_by_number(self.column(), values)


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
        self.moves: MapMovement | None = None
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
) -> MapMovement:
    return MapMovement(
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
