"""What the engine is asked of a map: what marks a selection, what is near another."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, QTemporaryDir, QTimer, Signal

from app.engine.store.arrays import map_array, write_array
from app.errors import ErrorInfo
from app.languages import language_name
from app.map_questions import SelectionQuery, SimilarityQuery
from app.views.classify_words import DOT
from app.views.map_colourings import Colouring, Column, numbers_of
from app.views.map_points import MapPoints
from app.views.state import AppState
from app.views.words import format_count

SIMILARITY = "similarity"
MOST_ASKED = 2_000  # sentences in a question; more are in a file beside it
ASK_AFTER_MS = 150  # without another selection
N_LANGUAGES, N_WORDS = 4, 10  # told of a selection


class SelectionFacts(QObject):
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
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
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
            sentences=tuple(ids.tolist()) if len(ids) <= MOST_ASKED else (),
            file=self._write(ids) if len(ids) > MOST_ASKED else None,
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


def similarity_column() -> Column:
    """Give the column of the nearness to the chosen sentence."""
    return Column(SIMILARITY, _tr("Nearness to the chosen sentence"))


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
            found: Colouring = numbers_of(similarity_column(), values)
            self.answered.emit(found)


def _describe(answer: dict[str, Any]) -> str:
    """Say languages and words: German 31, English 20 · marked by storm, ferry."""
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
    return DOT.join(part for part in parts if part)


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)
