"""Nearest sentences of the visible lines, requested by page and cached."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal
from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of
from app.engine.store.sentences import list_translations, read_sentences
from app.errors import ErrorInfo
from app.languages import is_right_to_left
from app.params.vectors import Encode
from app.protocol.answers.reading import TranslatedWord, WordMarksAnswer
from app.protocol.answers.words import LOW_SCORE, LineNeighboursAnswer
from app.protocol.queries.reading import MarkedText, WordMarksQuery
from app.protocol.queries.words import LineNeighboursQuery
from app.views.client.state import AppState
from app.views.concordance.context import Span
from app.views.concordance.model import KwicRow
from app.views.concordance.session import LoadedConcordance
from app.views.widgets.controls import make_button
from app.views.widgets.indexing_text import join_corpus_names
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.word_marks import group_words

MAX_REQUESTED = 100  # sentences of one query
MAX_CACHED = 20_000
MAX_MARKED = 60  # lines of one query
MAX_LANGUAGES = 3  # shown below a line
DEFAULT_LANGUAGE = "en"  # default without links, unless the lines are in it
N_EXAMINED = 50  # lines whose translations are counted

_Hit = tuple[int, Span]  # a sentence, and the hit in it


class NeighbourSentence(NamedTuple):
    """A sentence near a line, with its displayed values."""

    id: int
    text: str
    language: str
    score: float | None
    is_translation: bool

    @property
    def is_similar(self) -> bool:
        """Return whether it is a linked translation, or its cosine is above chance."""
        is_low = self.score is not None and self.score <= LOW_SCORE
        return self.is_translation or not is_low


class LineNeighbours(QObject):
    """Requests and caches the neighbours of visible lines, one query at a time.

    Attributes:
        languages: codes of at most three languages to show.
        not_encoded: ids of the corpora that the last answer could not search.
    """

    found = Signal()  # new neighbours arrived: repaint the lines
    settled = Signal()  # the neighbours of all visible lines are known

    def __init__(
        self, state: AppState, visible_ids: Callable[[], list[int]], parent: QObject
    ):
        """Initialise with the function that returns the ids of visible sentences."""
        super().__init__(parent)
        self._state, self._visible_ids = state, visible_ids
        self.languages: tuple[str, ...] = ()
        self._own_language = ""  # for lines that are in the language to show
        self.not_encoded: list[int] = []
        self._cache: dict[int, list[NeighbourSentence]] = {}
        self._words: dict[_Hit, dict[int, list[TranslatedWord]]] = {}
        self._wanted: dict[_Hit, MarkedText] = {}  # words not known yet
        self._word_timer = QTimer(self, singleShot=True, interval=0)
        self._word_timer.timeout.connect(self._request_words)
        self._asked: LineNeighboursQuery | None = None  # pending
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._request)
        state.embeddings_changed.connect(self.clear)
        state.encoders.switched.connect(self.clear)

    @property
    def n_languages(self) -> int:
        """Return the number of languages shown."""
        return len(self.languages)

    def near(self, sentence_id: int) -> Sequence[NeighbourSentence] | None:
        """Return the neighbours of a sentence by language; None if not known yet."""
        return self._cache.get(sentence_id)

    def translated_words(self, row: KwicRow, target: int) -> list[TranslatedWord]:
        """Return the words in a neighbour that translate the hit of a line.

        The first call requests the words; `found` is emitted when they arrive.
        """
        key = (row.sentence.id, row.hit)
        near = self._cache.get(row.sentence.id)
        if key not in self._words and key not in self._wanted and near:
            self._wanted[key] = MarkedText(
                text=row.sentence.text,
                begin=row.hit[0],
                end=row.hit[1],
                targets=tuple(one.id for one in near),
                sentence=row.sentence.id,
            )
            self._word_timer.start()
        return self._words.get(key, {}).get(target, [])

    def set_languages(self, languages: Sequence[str], own_language: str = "") -> None:
        """Set the languages to show.

        Args:
            languages: at most three codes.
            own_language: shown instead of a single language for lines in that language;
                empty: allow neighbours in the language of the line.
        """
        self.languages = tuple(languages[:MAX_LANGUAGES])
        self._own_language = own_language
        self.clear()

    def clear(self) -> None:
        """Clear all neighbours after a change of the encoder or vectors."""
        self._cache.clear()
        self._words.clear()
        self._wanted.clear()
        self._asked = None  # the pending answer may be outdated
        self.update_visible()

    def update_visible(self) -> None:
        """Request the missing neighbours of the visible lines after a delay."""
        if self.languages:
            self._timer.start()

    def _request(self) -> None:
        project = self._state.project
        if self._asked is not None or project is None or not self.languages:
            return
        missing = [id_ for id_ in self._visible_ids() if id_ not in self._cache]
        if not missing or not project.searchable:
            self.settled.emit()
            return
        languages = self._languages_of(missing[0])
        missing = [id_ for id_ in missing if self._languages_of(id_) == languages]
        query = LineNeighboursQuery(
            sentences=tuple(missing[:MAX_REQUESTED]),
            languages=languages,
            requester="concordance",
        )
        self._asked = query
        self._state.ask(query, partial(self._on_answer, query))

    def _languages_of(self, sentence_id: int) -> tuple[str, ...]:
        """Return the languages of the neighbours of a line."""
        project = self._state.project
        id_ = corpus_of(sentence_id)
        corpora = project.corpora if project is not None and self._own_language else ()
        is_own = any(
            row.id == id_ and (row.language,) == self.languages for row in corpora
        )
        return (self._own_language,) if is_own else self.languages

    def _request_words(self) -> None:
        wanted = dict(list(self._wanted.items())[:MAX_MARKED])
        if wanted and self._state.project is not None:
            texts = tuple(wanted.values())
            query = WordMarksQuery(texts=texts, requester="concordance")
            self._state.ask(query, partial(self._on_words, wanted))

    def _on_words(
        self, wanted: dict[_Hit, MarkedText], answer: WordMarksAnswer | ErrorInfo
    ) -> None:
        known = [key for key, text in wanted.items() if self._wanted.get(key) is text]
        if isinstance(answer, ErrorInfo):
            if answer.kind == "superseded":
                return  # the newer query includes these lines
            answer = WordMarksAnswer([[] for _ in wanted])
        if len(self._words) > MAX_CACHED:
            self._words.clear()
        for key, found in zip(wanted, answer.found, strict=True):
            if key in known:
                del self._wanted[key]
                self._words[key] = group_words(found)
        self.found.emit()
        if self._wanted:
            self._word_timer.start()

    def _on_answer(
        self, query: LineNeighboursQuery, answer: LineNeighboursAnswer | ErrorInfo
    ) -> None:
        if query is not self._asked or self._state.project is None:
            return
        self._asked = None
        if isinstance(answer, ErrorInfo):
            if answer.kind not in ("superseded", "crash"):
                self._cache |= {id_: [] for id_ in query.sentences}
                self._state.error_posted.emit(answer)
            self.settled.emit()
            return
        self._store(query, answer)
        self.found.emit()
        self._request()

    def _store(self, query: LineNeighboursQuery, answer: LineNeighboursAnswer) -> None:
        project = self._state.project
        assert project is not None
        self.not_encoded = answer.not_encoded
        if len(self._cache) > MAX_CACHED:
            self._cache.clear()
        near = read_neighbours(project.store, answer, query.languages)
        self._cache |= dict(zip(query.sentences, near, strict=True))


def read_neighbours(
    store: Engine, answer: LineNeighboursAnswer, languages: Sequence[str]
) -> list[list[NeighbourSentence]]:
    """Read the nearest sentence in each language, for each line of an answer."""
    ids = list({one.sentence for found in answer.neighbours for one in found})
    rows = dict(zip(ids, read_sentences(store, ids), strict=True))
    near = [
        [
            NeighbourSentence(
                row.id, row.text, row.language, one.score, one.is_translation
            )
            for one in found
            if (row := rows[one.sentence]) is not None
        ]
        for found in answer.neighbours
    ]
    return [_best(found, languages) for found in near]


def _best(
    near: Sequence[NeighbourSentence], languages: Sequence[str]
) -> list[NeighbourSentence]:
    """Return the first neighbour of each language; translations come first."""
    found = []
    for language in languages:
        found += [one for one in near if one.language == language][:1]
    return sorted(found, key=lambda one: not one.is_translation)


class NeighbourLanguages(QObject):
    """Selects the languages of the neighbours: the user's choice, or a default.

    Attributes:
        changed: emitted with the codes of the languages to show.
        is_chosen: whether the user chose the languages.
    """

    changed = Signal(object)

    def __init__(
        self,
        state: AppState,
        neighbours: LineNeighbours,
        messages: MessageBar,
        parent: QObject,
    ):
        super().__init__(parent)
        self._state, self._neighbours, self._messages = state, neighbours, messages
        self.is_chosen = False
        self._reported: tuple[int, ...] = ()  # corpora without vectors
        self._report_text = ""  # current message about missing vectors
        self._shown: tuple[tuple[str, ...], str] = ((), "")
        neighbours.found.connect(lambda: self._report(neighbours.not_encoded))
        state.embeddings_changed.connect(self._withdraw_encoded)

    def propose(self, found: LoadedConcordance) -> None:
        """Show a default language until the user chooses one.

        The default differs from the main language of the first lines. It is the
        language of most of their translations or, without translations, English or
        the largest language. Ties go to a language with the same script direction.
        Lines in the default language have neighbours in the main language.
        """
        project = self._state.project
        if self.is_chosen or project is None or not len(found.lines):
            return
        corpora = {row.id: row for row in project.corpora}
        ids = found.lines.lines[:N_EXAMINED, 0].tolist()
        rows = [row for id_ in ids if (row := corpora.get(corpus_of(id_))) is not None]
        usual = Counter(row.language for row in rows).most_common(1)
        own = usual[0][0] if usual else ""
        translations = list_translations(project.store, ids).values()
        linked = [corpora.get(corpus_of(one)) for some in translations for one in some]
        n_linked = Counter(row.language for row in linked if row is not None)
        encoded = {row.corpus_id for row in project.searchable}
        others = [
            row for row in project.texts if row.id in encoded and row.language != own
        ]
        if others:
            best = max(
                others,
                key=lambda row: (
                    n_linked[row.language],
                    row.language == DEFAULT_LANGUAGE,
                    row.n_sentences,
                    is_right_to_left(row.language) == is_right_to_left(own),
                ),
            )
            self._show((best.language,), own)

    def choose(self, languages: Sequence[str]) -> None:
        """Show neighbours in these languages instead of the default."""
        self.is_chosen = True
        self._show(tuple(languages))

    def report_missing_vectors(self) -> None:
        """Report the corpora without vectors if no query is sent to detect them."""
        project = self._state.project
        if project is not None and not project.searchable:  # no query is sent
            shown = self._neighbours.languages
            self._report(row.id for row in project.texts if row.language in shown)

    def save(self) -> list[str] | None:
        """Return the languages chosen by the user; None if the default is used."""
        return list(self._neighbours.languages) if self.is_chosen else None

    def restore(self, saved: Any) -> None:
        """Restore the result of `save`."""
        if isinstance(saved, list):
            self.choose([str(code) for code in saved])

    def _show(self, languages: tuple[str, ...], own: str = "") -> None:
        if (languages, own) != self._shown:
            self._report(())
            self._neighbours.set_languages(languages, own)
            self._shown = (languages, own)
        self.changed.emit(self._neighbours.languages)

    def _withdraw_encoded(self) -> None:
        """Remove corpora from the report that have been encoded or deleted."""
        project = self._state.project
        if project is not None:
            encoded = {row.corpus_id for row in project.searchable}
            there = {row.id for row in project.corpora}
            self._report(id_ for id_ in self._reported if id_ in there - encoded)

    def _report(self, ids: Iterable[int]) -> None:
        """Show which corpora have no vectors, unless the message is unchanged."""
        missing = tuple(ids)
        if missing != self._reported:
            if self._reported:
                self._messages.withdraw(self._report_text)
            if missing:
                self._post_missing(missing)
        self._reported = missing

    def _post_missing(self, missing: tuple[int, ...]) -> None:
        names = [row.name for row in self._state.corpora if row.id in missing]
        text = self.tr("{names}: not encoded, so not searched for nearest sentences.")
        button = make_button(
            self.tr("Encode corpora"),
            self.tr("Encode these corpora now."),
            lambda: self._state.run(Encode(corpora=tuple(map(str, missing)))),
        )
        self._report_text = text.format(names=join_corpus_names(names))
        self._messages.post(self._report_text, buttons=[button])
