"""How a word is mostly written: Nacht, not nacht."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from app.engine.words.index import WordIndex

MOST = 10_000  # places of a form that are looked at


def usual_form(indexes: Sequence[WordIndex], word: str) -> str:
    """Give the most frequent form of a word, within sentences where it is there.

    At the beginning of a sentence capitals say nothing. A word that stands in no index
    is given as it is.
    """
    inside: Counter[str] = Counter()
    anywhere: Counter[str] = Counter()
    for index in indexes:
        forms = index.layer("form")
        for id_ in range(*forms.lexicon.range_of(word)):
            places = forms.order[forms.firsts[id_] : forms.firsts[id_ + 1]][:MOST]
            at = np.searchsorted(index.starts, places)
            is_first = index.starts[np.minimum(at, len(index.starts) - 1)] == places
            form = forms.lexicon.item(id_)
            inside[form] += int(len(places) - is_first.sum())
            anywhere[form] += len(places)
    counts = +inside or anywhere
    return max(counts, key=lambda form: (counts[form], form)) if counts else word


__all__ = ["usual_form"]
