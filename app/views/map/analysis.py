"""Map queries: keywords of a selection, similarity, and changed neighbours."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, QTemporaryDir, QTimer, Signal

from app.arrays import FloatArray, IdArray
from app.engine.store.arrays import map_array, write_array
from app.engine.store.projections import ProjectionRow
from app.errors import ErrorInfo
from app.languages import language_name
from app.number_format import format_percent, format_range
from app.protocol.answers.maps import (
    ComparisonAnswer,
    SelectionAnswer,
    SimilarityAnswer,
)
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    SelectionQuery,
    SimilarityQuery,
)
from app.views.client.state import AppState
from app.views.map.colouring import (
    MOVEMENT,
    SIMILARITY,
    ColourColumn,
    Colouring,
    colour_by_number,
)
from app.views.map.drawing.points import MapPoints
from app.views.widgets.number_format import format_count
from app.views.widgets.statistics_format import SEPARATOR

_tr = partial(QCoreApplication.translate, "map")

MAX_INLINE_IDS = 2_000  # ids sent with a query; longer lists are written to a file
QUERY_DELAY_MS = 150  # since the last change of the selection
N_LANGUAGES, N_WORDS = 4, 10  # shown for a selection


class SelectionKeywords(QObject):
    """Asks which words and languages distinguish the selection.

    Attributes:
        text: the answer as text; empty until there is one.
    """

    ready = Signal()

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.text = ""
        self._newest: SelectionQuery | None = None
        self._map_id, self._ids = 0, np.empty(0, np.int64)
        self._folder, self._n_files = QTemporaryDir(), 0
        self._timer = QTimer(self, singleShot=True, interval=QUERY_DELAY_MS)
        self._timer.timeout.connect(self._send)

    def request(self, points: MapPoints, ids: IdArray | None) -> None:
        """Request the keywords of a selection after a delay; None: no selection."""
        self.text, self._newest = "", None
        self._timer.stop()
        if ids is not None:
            self._map_id, self._ids = points.row.id, ids
            self._timer.start()

    def _send(self) -> None:
        ids, is_small = self._ids, len(self._ids) <= MAX_INLINE_IDS
        query = SelectionQuery(
            projection=self._map_id,
            sentences=tuple(ids.tolist()) if is_small else (),
            file=None if is_small else self._write(ids),
            n_words=N_WORDS,
            n_typical=0,
        )
        self._newest = query
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    def _write(self, ids: IdArray) -> Path:
        """Write the ids of a large selection to a file, replacing the previous file."""
        self._n_files += 1
        folder = Path(self._folder.path())
        for file in folder.glob("*.npy"):
            file.unlink(missing_ok=True)
        file = folder / f"{self._n_files}.npy"
        write_array(file, ids)
        return file

    def _on_answer(
        self, query: SelectionQuery, answer: SelectionAnswer | ErrorInfo
    ) -> None:
        if query is self._newest and isinstance(answer, SelectionAnswer):
            self.text = _describe(answer)
            self.ready.emit()


def similarity_column() -> ColourColumn:
    """Return the column with the similarity to the chosen sentence."""
    return ColourColumn(SIMILARITY, _tr("Similarity to the selected sentence"))


class MapSimilarity(QObject):
    """Asks how similar the sentences of a map are to the chosen one."""

    ready = Signal(object)  # Colouring

    def __init__(self, state: AppState, name: str, parent: QObject):
        """Initialise; `name` distinguishes the queries of two maps."""
        super().__init__(parent)
        self._state, self._name = state, name

    def request(self, points: MapPoints, sentence_id: int) -> None:
        """Request the cosine between a sentence and every sentence of the map."""
        query = SimilarityQuery(
            projection=points.row.id, sentence=sentence_id, requester=self._name
        )
        self._state.ask(query, lambda answer: self._on_answer(points, answer))

    def _on_answer(
        self, points: MapPoints, answer: SimilarityAnswer | ErrorInfo
    ) -> None:
        project = self._state.project
        if project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
            return
        values = np.array(map_array(project.folder / answer.file), np.float32)
        if len(values) == len(points):
            self.ready.emit(colour_by_number(similarity_column(), values))


def _describe(answer: SelectionAnswer) -> str:
    """Describe languages and keywords: German 31 · keywords: storm, ferry."""
    languages = describe_languages(
        [(language_name(code), n) for code, n in answer.languages]
    )
    words = ", ".join(word.word for word in answer.words)
    keywords = _tr("keywords: {words}").format(words=words) if words else ""
    return SEPARATOR.join(part for part in (languages, keywords) if part)


def describe_languages(languages: Sequence[tuple[str, int]]) -> str:
    """Return the first languages with their counts: German 31, English 20."""
    parts = [f"{name} {format_count(n)}" for name, n in languages[:N_LANGUAGES]]
    n_more = len(languages) - N_LANGUAGES
    if n_more > 0:
        parts.append(_tr("{n} more").format(n=n_more))
    return ", ".join(parts)


class MapMovement(NamedTuple):
    """Changes in the nearest neighbours of sentences between two encoders.

    Attributes:
        ids: int64 (n,), the most changed first.
        shares: float32 (n,), share of nearest neighbours that are the same, 0…1.
        answer: the number of neighbours, and the mean share with its interval.
    """

    ids: IdArray
    shares: FloatArray
    answer: ComparisonAnswer

    def describe(self) -> str:
        """Return the mean share as a sentence."""
        answer = self.answer
        text = _tr(
            "{mean} of the {k} nearest neighbours are the same for both encoders "
            "(95\u00a0%: {interval}, n = {n}). The most changed sentences come "
            "first."
        )
        return text.format(
            k=answer.k,
            n=format_count(len(self.ids)),
            mean=format_percent(answer.mean),
            interval=format_range(*map(format_percent, (answer.low, answer.high))),
        )

    def column(self) -> ColourColumn:
        """Return the column with the share of changed neighbours."""
        return ColourColumn(MOVEMENT, _tr("Changed neighbours"))

    def colouring(self, points: MapPoints) -> Colouring:
        """Return a colouring by the share of neighbours that changed."""
        values = np.full(len(points), np.nan, np.float32)
        at = np.minimum(np.searchsorted(points.ids, self.ids), len(points) - 1)
        is_here = points.ids[at] == self.ids
        values[at[is_here]] = 1 - self.shares[is_here]
        return colour_by_number(self.column(), values)


class MapComparison(QObject):
    """Requests the changes in nearest neighbours between two maps.

    Attributes:
        movement: the newest answer; None before the first.
        is_pending: the answer is still being computed.
    """

    ready = Signal()

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.movement: MapMovement | None = None
        self.is_pending = False

    def request(self, one: ProjectionRow, other: ProjectionRow) -> None:
        """Request the changes in nearest neighbours between two maps."""
        self.movement, self.is_pending = None, True
        query = CompareProjectionsQuery(one=one.id, other=other.id)
        self._state.ask(query, self._on_answer)

    def clear(self) -> None:
        """Discard the comparison."""
        self.movement, self.is_pending = None, False

    def _on_answer(self, answer: ComparisonAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None or not self.is_pending:
            return
        self.is_pending = False
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
        else:
            self.movement = MapMovement(
                np.array(map_array(project.folder / answer.ids_file), np.int64),
                np.array(map_array(project.folder / answer.shares_file), np.float32),
                answer,
            )
        self.ready.emit()
