"""What a treebank offers to ask for: features and relations, with counts."""

from collections import Counter
from collections.abc import Iterator, Sequence

from app.engine.probing.treebank_labels import PLACES, bearer_of, relation_names
from app.engine.probing.trees import Sentence, Word


def list_features(sentences: Sequence[Sentence]) -> dict[str, Counter[str]]:
    """Count what features can be asked for: place:feature → value → sentences."""
    found: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for place, word in _bearers(sentence):
            for feature, value in word.feats.items():
                found.setdefault(f"{place}:{feature}", Counter())[value] += 1
    return found


def list_relations(sentences: Sequence[Sentence]) -> Counter[str]:
    """Count the sentences that have a relation, and (root:…) those whose root has."""
    found: Counter[str] = Counter()
    for sentence in sentences:
        root = sentence.root
        names = {form for word in sentence.words for form in relation_names(word)}
        own = {
            form
            for i in sentence.children(root)
            for form in relation_names(sentence.words[i])
        }
        found.update(names - {"root"})
        found.update(f"root:{name}" for name in own)
    return found


def _bearers(sentence: Sentence) -> Iterator[tuple[str, Word]]:
    """Give what `bearer_of` finds in each place, a word class once for each feature."""
    for place in PLACES:
        found = bearer_of(sentence, place)
        if not isinstance(found, str):
            yield place, found
    counts = Counter(
        (word.kind, feature) for word in sentence.words for feature in word.feats
    )
    for word in sentence.words:
        once = {f: v for f, v in word.feats.items() if counts[word.kind, f] == 1}
        if once:
            yield word.kind, word._replace(feats=once)
