"""Labels of a sentence that follow from its constituency tree.

Conneau et al. 2018, "What you can cram into a single vector", section 2.
"""

from collections import Counter
from collections.abc import Sequence

from app.engine.probing.treebanks.brackets import Constituent
from app.engine.probing.treebanks.labels import (
    LabelledSentence,
    LabelledSentences,
    label_all,
)

N_SEQUENCES = 19  # that are classes; all others are one
OTHER = "OTHER"
END_SIGNS = frozenset(".!?…。！？؟।")  # that end a sentence


def label_top_constituents(trees: Sequence[Constituent]) -> LabelledSentences:
    """TopConst: the sequence of constituents directly below the sentence.

    The 19 most frequent sequences are classes, and all others are one. As in SentEval,
    sentences have an end sign, and no punctuation or quotation mark between the
    constituents.
    """
    rows, dropped, _ = label_all(trees, _label_tree)
    frequent = Counter(row.label for row in rows).most_common()
    ranked = sorted(frequent, key=lambda item: (-item[1], item[0]))[:N_SEQUENCES]
    kept = {name for name, _ in ranked}
    return LabelledSentences(
        [row if row.label in kept else row._replace(label=OTHER) for row in rows],
        dropped,
    )


def _label_tree(tree: Constituent) -> LabelledSentence | str:
    found = top_sequence(tree)
    if isinstance(found, str):
        return found
    return LabelledSentence(" ".join(tree.words), "_".join(found))


def top_sequence(tree: Constituent) -> tuple[str, ...] | str:
    """Return the labels below a sentence; else the reason why there are none."""
    if not tree.label.startswith("S"):  # S, SQ, SBARQ, SINV
        return "the tree is not a sentence (S)"
    *parts, last = tree.parts
    if not last.word or not set(last.word) <= END_SIGNS:
        return "the sentence has no end sign"
    if not parts or any(_is_sign(part) for part in parts):
        return "punctuation between the constituents"
    return (*(part.label for part in parts), ".")


def _is_sign(part: Constituent) -> bool:
    return bool(part.word) and not any(map(str.isalnum, part.word))
