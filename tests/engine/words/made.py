"""Word indexes of made sentences, in memory."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow
from app.engine.words.index import WordIndex, memory_index
from app.engine.words.index_builder import Collected
from app.engine.words.selection import CorpusPart, SharedParts, share_ids
from app.params.words import Layer


def make_index(
    sentences: Sequence[Sequence[str]],
    *,
    lemmas: Sequence[Sequence[str]] | None = None,
    language: str = "en",
) -> WordIndex:
    """Index sentences that are given as their words, one space between them."""
    columns = {"form": list(chain.from_iterable(sentences))}
    if lemmas is not None:
        columns["lemma"] = list(chain.from_iterable(lemmas))
        columns["pos"] = ["X"] * len(columns["form"])
    items = {layer: list(dict.fromkeys(column)) for layer, column in columns.items()}
    ends = [np.cumsum([len(word) + 1 for word in words]) - 1 for words in sentences]
    end = np.concatenate([np.empty(0), *ends]).astype(np.int32)
    lengths = np.array([len(word) for word in columns["form"]], np.int32)
    collected = Collected(
        begins=end - lengths,
        ends=end,
        starts=np.cumsum([0, *map(len, sentences)]),
        ids={
            layer: np.array([items[layer].index(item) for item in column], np.int32)
            for layer, column in columns.items()
        },
        items=items,
        has_unspaced=False,
    )
    corpus = CorpusRow(
        1, "made", language, language, "ready", len(sentences), "", {}, 0
    )
    return memory_index(corpus, collected, Report())


def make_shared(
    index: WordIndex,
    *,
    layer: Layer = "word",
    mask: Sequence[bool] | None = None,
    documents: Sequence[int] | None = None,
) -> SharedParts:
    """Return the words of an index as what is counted."""
    numbers = np.array(documents or [0] * index.n_sentences, np.int32)
    chosen = None if mask is None else np.array(mask)
    n_documents = len(set(numbers.tolist()))
    return share_ids(
        [CorpusPart(index, index.layer(layer), chosen, numbers, n_documents)]
    )
