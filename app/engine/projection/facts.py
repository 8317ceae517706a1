"""What sentences of a map are: their languages, labels and texts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.projection.points import IdArray
from app.engine.store.bulk import read_languages
from app.engine.store.rows import CorpusRow, first_id, read_sentences

NO_CLASS = ""


class Coded(NamedTuple):
    """A name of each of n sentences: names[codes].

    Attributes:
        codes: int32 (n,).
        names: each once.
    """

    codes: NDArray[np.int32]
    names: list[str]

    def counts(self, places: "IdArray | slice") -> list[tuple[str, int]]:
        """Count the names of some sentences, the most frequent first."""
        counts = np.bincount(self.codes[places], minlength=len(self.names)).tolist()
        found = [pair for pair in zip(self.names, counts, strict=True) if pair[1]]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def languages_of(store: Engine, corpora: Sequence[CorpusRow], ids: IdArray) -> Coded:
    """Give the language of each sentence; `ids` int64 (n,), rising."""
    names: list[str] = []
    codes = np.zeros(len(ids), np.int32)
    for corpus in corpora:
        part = slice(
            *np.searchsorted(ids, [first_id(corpus.id), first_id(corpus.id + 1)])
        )
        listed = read_languages(store, corpus.id)
        if listed is None:
            codes[part] = _place(names, corpus.language)
            continue
        found, which = np.unique(
            listed[ids[part] - first_id(corpus.id)], return_inverse=True
        )
        places = np.array([_place(names, str(code)) for code in found], np.int32)
        codes[part] = places[which]
    return Coded(codes, names)


def texts_of(store: Engine, ids: IdArray) -> list[str]:
    """Read texts; one that is gone is empty."""
    rows = read_sentences(store, ids.tolist())
    return ["" if row is None else row.text for row in rows]


def _place(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)
