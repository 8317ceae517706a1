"""Sort and filter the sentences of a table: ids in order, a million at once."""

import contextlib
import operator
import secrets
import unicodedata
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import IdArray
from app.engine.project.active_sentences import active_positions, subcorpus_positions
from app.engine.project.project import Project
from app.engine.search.languages import matches_language
from app.engine.store.arrays import write_array
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.hidden_sentences import hidden_ids
from app.engine.store.sentences import (
    PAGE,
    IntegerColumn,
    iterate_texts,
    read_integers,
    read_languages,
    read_texts,
)
from app.engine.store.words.keyword_index import is_at_word_start
from app.protocol.queries.search import OrderQuery

MAX_SHARED_ARRAYS = 16  # files kept while a project is open


class _Part(NamedTuple):
    """The sentences of one corpus that are in the order; ids ascend."""

    corpus: CorpusRow
    ids: IdArray

    @property
    def positions(self) -> IdArray:
        """Their places in the corpus: int64 (m,)."""
        return self.ids - first_sentence_id(self.corpus.id)


def order_sentences(
    project: Project, corpora: Sequence[CorpusRow], query: OrderQuery
) -> IdArray:
    """Return the ids of sentences in the order of a query, equal ones by id.

    Text is sorted by the code points of its case-folded form.
    """
    store = project.store
    parts = []
    for corpus in corpora:
        at_start = query.at_word_start
        found = find_sentences(store, corpus, query.find, at_word_start=at_start)
        parts.append(_Part(corpus, _visible_ids(project, corpus, found, query)))
    if query.languages:
        parts = [_of_languages(store, part, query.languages) for part in parts]
    ids = _concatenate([part.ids for part in parts])
    if query.order_by == "position":
        return ids[::-1].copy() if query.descending else ids
    if query.order_by == "text":
        return ids[_order_of_texts(store, parts, query.descending)]
    if query.order_by == "language":
        codes = [_languages(store, part) for part in parts]
        together = np.concatenate([np.empty(0, np.str_), *codes])
        _, keys = np.unique(together, return_inverse=True)
    else:
        keys = _concatenate([_numbers(store, part, query.order_by) for part in parts])
    return ids[np.argsort(-keys if query.descending else keys, kind="stable")]


def _visible_ids(
    project: Project, corpus: CorpusRow, ids: IdArray, query: OrderQuery
) -> IdArray:
    """Keep the active sentences or, if the query says so, the hidden ones."""
    first = first_sentence_id(corpus.id)
    if query.hidden == "only":
        hidden = hidden_ids(project.store, corpus.id, state="hidden")
        if corpus.subcorpus:
            hidden = np.intersect1d(
                hidden, subcorpus_positions(project, corpus) + first
            )
        return np.intersect1d(ids, hidden, assume_unique=True)
    rows = active_positions(project, corpus)
    if rows is None:
        return ids
    return np.intersect1d(ids, rows + first, assume_unique=True)


def find_sentences(
    store: Engine, corpus: CorpusRow, wanted: str, *, at_word_start: bool = False
) -> IdArray:
    """Return the ids of sentences that contain a text, ignoring case, ascending."""
    first = first_sentence_id(corpus.id)
    if not wanted:
        return np.arange(first, first + corpus.n_sentences, dtype=np.int64)
    needle = unicodedata.normalize("NFC", wanted)
    folded = needle.casefold()
    if all(c.isascii() or c.lower() == c.upper() for c in needle):
        escaped = needle.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        pages = iterate_texts(store, corpus.id, pattern=f"%{escaped}%")
        if not at_word_start:
            return np.array([id_ for page in pages for id_, _ in page], np.int64)
    else:  # SQLite ignores the case of ASCII letters only
        pages = iterate_texts(store, corpus.id)
    contains = is_at_word_start if at_word_start else operator.contains
    found = [
        id_ for page in pages for id_, text in page if contains(text.casefold(), folded)
    ]
    return np.array(found, np.int64)


class SharedArrayFolder:
    """A folder of arrays for the window to map; only the newest are kept."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._files: deque[Path] = deque()

    def write(self, array: NDArray[Any]) -> Path:
        """Write an array under a new name; the oldest file is deleted."""
        file = self._folder / f"order-{secrets.token_hex(8)}.npy"
        write_array(file, array)
        self._files.append(file)
        if len(self._files) > MAX_SHARED_ARRAYS:
            with contextlib.suppress(OSError):  # Windows: the window still maps it
                self._files.popleft().unlink(missing_ok=True)
        return file


def _of_languages(store: Engine, part: _Part, wanted: Sequence[str]) -> _Part:
    """Keep the sentences in the wanted languages."""
    codes, which = np.unique(_languages(store, part), return_inverse=True)
    is_kept = np.array([matches_language(str(code), wanted) for code in codes], bool)
    return _Part(part.corpus, part.ids[is_kept[which]])


def _languages(store: Engine, part: _Part) -> NDArray[np.str_]:
    languages = read_languages(store, part.corpus.id)
    if languages is None:
        return np.full(len(part.ids), part.corpus.language)
    chosen: NDArray[np.str_] = languages[part.positions]
    return chosen


def _numbers(store: Engine, part: _Part, order_by: str) -> NDArray[np.int64]:
    column: IntegerColumn = "length" if order_by == "length" else "line"
    return read_integers(store, part.corpus.id, column)[part.positions]


def _order_of_texts(
    store: Engine, parts: Sequence[_Part], descending: bool
) -> list[int]:
    keys: list[str] = []
    for part in parts:
        for start in range(0, part.corpus.n_sentences, PAGE):
            end = min(start + PAGE, part.corpus.n_sentences)
            low, high = np.searchsorted(part.positions, (start, end))
            if low == high:
                continue
            texts = read_texts(store, part.corpus.id, start, end)
            places = (part.positions[low:high] - start).tolist()
            keys += [texts[index].casefold() for index in places]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)


def _concatenate(arrays: Sequence[IdArray]) -> IdArray:
    return np.concatenate([np.empty(0, np.int64), *arrays])
