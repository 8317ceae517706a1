"""Nearest sentences of the visible lines, requested by page and cached."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.engine.store.sentences import read_sentences
from app.errors import ErrorInfo
from app.protocol.queries.words import LineNeighboursQuery
from app.views.concordance.delegate import NeighbourSentence

if TYPE_CHECKING:
    from app.views.client.state import AppState

MAX_REQUESTED = 100  # sentences of one question
MAX_CACHED = 20_000
MAX_LANGUAGES = 3  # shown below a line


class LineNeighbours(QObject):
    """Asks for what is in sight while no question is open, and remembers.

    Attributes:
        languages: codes that are wanted, at most three.
        not_encoded: ids of the corpora that the last answer could not look in.
    """

    found = Signal()  # some came: draw the lines anew
    settled = Signal()  # nothing in sight is missing any more

    def __init__(
        self, state: "AppState", visible_ids: Callable[[], list[int]], parent: QObject
    ):
        """Take the window's state, and what gives the sentences in sight."""
        super().__init__(parent)
        self._state, self._visible_ids = state, visible_ids
        self.languages: tuple[str, ...] = ()
        self.not_encoded: list[int] = []
        self._known: dict[int, list[NeighbourSentence]] = {}
        self._is_open = False
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.ask)

    @property
    def n_languages(self) -> int:
        """Count the languages that are shown."""
        return len(self.languages)

    def near(self, sentence_id: int) -> Sequence[NeighbourSentence] | None:
        """Give those near to a sentence, a language after the other; None: not yet."""
        return self._known.get(sentence_id)

    def choose(self, languages: Sequence[str]) -> None:
        """Want other languages."""
        self.languages = tuple(languages[:MAX_LANGUAGES])
        self.forget()

    def forget(self) -> None:
        """Ask again: another encoder is in use, or vectors came or went."""
        self._known.clear()
        self.look()

    def look(self) -> None:
        """Look soon whether something in sight is missing."""
        if self.languages:
            self._timer.start()

    def ask(self) -> None:
        """Ask for what is missing, unless an answer is still to come."""
        project = self._state.project
        if self._is_open or project is None or not self.languages:
            return
        wanted = [id_ for id_ in self._visible_ids() if id_ not in self._known]
        if not wanted or not project.searchable:
            self.settled.emit()
            return
        query = LineNeighboursQuery(
            sentences=tuple(wanted[:MAX_REQUESTED]),
            languages=self.languages,
            asker="concordance",
        )
        self._is_open = True
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    def _on_answer(
        self, query: LineNeighboursQuery, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        self._is_open = False
        project = self._state.project
        if project is None:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind not in ("superseded", "crash"):
                self._known |= {id_: [] for id_ in query.sentences}
            self.settled.emit()
            return
        if query.languages == self.languages:
            self._take(query.sentences, answer)
            self.found.emit()
        self.ask()

    def _take(self, asked: Sequence[int], answer: dict[str, Any]) -> None:
        project = self._state.project
        assert project is not None
        self.not_encoded = list(answer.get("not_encoded", []))
        listed: list[list[dict[str, Any]]] = answer["neighbours"]
        ids = list({one["sentence"] for found in listed for one in found})
        texts = dict(zip(ids, read_sentences(project.store, ids), strict=True))
        if len(self._known) > MAX_CACHED:
            self._known.clear()
        for sentence, found in zip(asked, listed, strict=True):
            rows = [(one, texts[one["sentence"]]) for one in found]
            near = [
                NeighbourSentence(
                    row.id,
                    row.text,
                    row.language,
                    one.get("score"),
                    bool(one.get("is_translation")),
                )
                for one, row in rows
                if row is not None
            ]
            self._known[sentence] = _best(near, self.languages)


def _best(
    near: Sequence[NeighbourSentence], languages: Sequence[str]
) -> list[NeighbourSentence]:
    """Take the first of each language, in the order of the languages."""
    found = []
    for language in languages:
        found += [one for one in near if one.language == language][:1]
    return found
