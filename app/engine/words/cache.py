"""Keep word indexes, sentence languages and bitexts open between queries."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow
from app.engine.store.sentences import read_languages
from app.engine.store.words.indexes import read_word_index
from app.engine.words.equivalents.bitext import BitextCache
from app.engine.words.index import WordIndex, known_index, open_index

MAX_CACHED = 2  # arrays of some millions of rows
SMALL = 5_000  # sentences of a corpus indexed during a query, in about 0.1 s


class CorpusLanguages(NamedTuple):
    """The languages of the sentences of a corpus.

    Attributes:
        codes: distinct language codes, sorted.
        which: uint16 (n,), index of each sentence's code; None: a single code.
    """

    codes: tuple[str, ...]
    which: NDArray[np.uint16] | None

    def of(self, position: int) -> str:
        """Return the language of a sentence."""
        return self.codes[0 if self.which is None else int(self.which[position])]


class WordCache:
    """Caches of an open project for word queries; used by one thread.

    Attributes:
        project: the project, open for reading or writing.
        bitexts: the words of pairs of sentences.
    """

    def __init__(self, project: Project):
        """Initialise empty caches."""
        self.project = project
        # indexes built by queries stay in memory: queries do not write
        self._reading = Project(project.folder, project.store, None, [])
        self._indexes: dict[int, tuple[tuple[str, str], WordIndex]] = {}
        self._languages: dict[int, tuple[str, CorpusLanguages]] = {}
        self._remembered: dict[tuple[Any, ...], NDArray[np.int64]] = {}
        self.bitexts = BitextCache()

    def index(self, corpus: CorpusRow, *, builds: bool = True) -> WordIndex | None:
        """Return the index of a corpus; None if it is neither indexed nor small.

        Args:
            builds: whether to index a small corpus without an index now.
        """
        state = self._state(corpus)
        seen, held = self._indexes.get(corpus.id, (None, None))
        if held is not None and seen == state:
            return held
        found = known_index(self.project, corpus)
        if found is None and builds and corpus.n_sentences <= SMALL:
            found = open_index(self._reading, corpus, Report())
        self._indexes.pop(corpus.id, None)
        if found is not None:
            self._indexes[corpus.id] = (state, found)
        return found

    def open(self, corpus: CorpusRow, report: Report) -> WordIndex:
        """Return the index of a corpus for a task; build it if there is none.

        Raises:
            Cancelled: the index was not saved.
        """
        found = open_index(self.project, corpus, report)
        self._indexes[corpus.id] = (self._state(corpus), found)
        return found

    def remember(
        self, key: tuple[Any, ...], make: Callable[[], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """Return a recent array, or create it; not cached if the key starts empty.

        Args:
            key: everything that the array depends on.
            make: creates the array.
        """
        found = self._remembered.get(key)
        if found is None:
            found = make()
        if key[0]:
            self._remembered[key] = found
            for old in list(self._remembered)[:-MAX_CACHED]:
                del self._remembered[old]
        return found

    def languages(self, corpus: CorpusRow) -> CorpusLanguages:
        """Return the languages of a corpus's sentences."""
        seen, held = self._languages.get(corpus.id, (None, None))
        if held is not None and seen == corpus.language:
            return held
        found = CorpusLanguages((corpus.language,), None)
        listed = read_languages(self.project.store, corpus.id)
        if listed is not None:
            codes, which = np.unique(listed, return_inverse=True)
            names = tuple(str(code) for code in codes)
            found = CorpusLanguages(names, which.astype(np.uint16))
        self._languages[corpus.id] = (corpus.language, found)
        return found

    def _state(self, corpus: CorpusRow) -> tuple[str, str]:
        """Return the state of an index; if it changes, the index is reopened."""
        row = read_word_index(self.project.store, corpus.id)
        is_current = row is not None and not row.is_outdated
        return (row.array if row and is_current else "", corpus.language)


def word_cache(session: SearchSession) -> WordCache:
    """Return the word indexes that a session has open."""
    return session.cache(WordCache, lambda: WordCache(session.project))
