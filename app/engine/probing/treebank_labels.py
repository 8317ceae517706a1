"""Labels that a tree gives its sentence: length, depth, tense, number, features.

The tasks are those of Conneau et al. 2018, "What you can cram into a single vector",
section 2, on dependency trees of Universal Dependencies in place of phrase structure.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from app.engine.probing.treebank import text_of
from app.engine.probing.trees import Sentence, Word
from app.errors import UserError

LENGTHS = (5, 9, 13, 17, 21, 26, 29)  # where SentEval's six bins of words begin and end
VERBS = ("VERB", "AUX")
TENSES = ("Past", "Pres")
NUMBERS = ("Plur", "Sing")
PLACES = ("root", "subject", "object")


class Row(NamedTuple):
    """A sentence with its label.

    Attributes:
        target: the word that bears the answer; None: no one word does.
        level: rows of different labels are matched within a level: their words.
    """

    text: str
    label: str
    target: Word | None = None
    level: int = 0


class Rows(NamedTuple):
    """What a definition makes of a treebank.

    Attributes:
        dropped: reason → sentences without a label.
        classes: in the order in which they stand, where neighbours belong together;
            empty: the labels have no order.
    """

    rows: list[Row]
    dropped: Counter[str]
    classes: tuple[str, ...] = ()


Labeller = Callable[[Sentence], Row | str]  # a row, or the reason why there is none


def label_all(sentences: Sequence[Sentence], labeller: Labeller) -> Rows:
    """Label sentences one by one."""
    rows: list[Row] = []
    dropped: Counter[str] = Counter()
    for sentence in sentences:
        found = labeller(sentence)
        if isinstance(found, str):
            dropped[found] += 1
        else:
            rows.append(found)
    return Rows(rows, dropped)


def label_length(sentence: Sentence) -> Row | str:
    """SentLen: the bin of the number of words."""
    text = text_of(sentence.units)
    n_words = text.count(" ") + 1
    if not LENGTHS[0] <= n_words < LENGTHS[-1]:
        return f"not {LENGTHS[0]} to {LENGTHS[-1] - 1} words long"
    return Row(text, str(sum(n_words >= begin for begin in LENGTHS) - 1))


def label_depths(sentences: Sequence[Sentence]) -> Rows:
    """TreeDepth: arcs on the longest path from the root to a leaf.

    Rows are matched by length, where SentEval draws lengths and depths that do not
    correlate: at each length there are as many of each depth.
    """
    rows = []
    for sentence in sentences:
        text = text_of(sentence.units)
        rows.append(Row(text, str(depth_of(sentence)), None, text.count(" ") + 1))
    depths = sorted({int(row.label) for row in rows})
    return Rows(rows, Counter(), tuple(str(depth) for depth in depths))


def depth_of(sentence: Sentence) -> int:
    """Count the arcs between the root and the word that is farthest below it."""
    depths = []
    for word in sentence.words:
        depth, place = 0, word
        while place.head >= 0:
            depth, place = depth + 1, sentence.words[place.head]
        depths.append(depth)
    return max(depths)


def label_tense(sentence: Sentence) -> Row | str:
    """Tense: that of the main clause's finite verb, present or past."""
    verb = _finite_verb(sentence)
    if verb is None:
        return "the main clause has no finite verb"
    return _label_feature(sentence, verb, "Tense", TENSES)


def number_labeller(place: str) -> Labeller:
    """SubjNum and ObjNum: the number of the root's subject or object, a noun."""

    def label(sentence: Sentence) -> Row | str:
        found = bearer_of(sentence, place)
        if isinstance(found, str):
            return found
        if found.kind != "NOUN":
            return f"the {place} is no common noun"
        return _label_feature(sentence, found, "Number", NUMBERS)

    return label


def feature_labeller(wanted: str) -> Labeller:
    """Ask for a feature of the root, subject, object, or the one word of a class.

    Args:
        wanted: such as root:Mood, subject:Case or NOUN:Gender.

    Raises:
        UserError: it is not of that form.
    """
    place, sign, feature = wanted.partition(":")
    if not sign or not place or not feature:
        raise UserError(
            f"{wanted!r} names no feature: write the word that bears it and the "
            "feature, such as root:Mood, subject:Case or NOUN:Gender."
        )

    def label(sentence: Sentence) -> Row | str:
        found = bearer_of(sentence, place, feature)
        if isinstance(found, str):
            return found
        return _label_feature(sentence, found, feature, ())

    return label


def label_relation(sentences: Sequence[Sentence], wanted: str) -> Rows:
    """Ask whether a relation is in the sentence, or with root: on its root.

    Rows are matched by length, for a long sentence has more relations. Without a
    subtype the relation is meant with any.
    """
    is_of_root = wanted.startswith("root:")
    relation = wanted.removeprefix("root:")
    rows = []
    for sentence in sentences:
        words = sentence.words
        places = sentence.children(sentence.root) if is_of_root else range(len(words))
        has_it = any(_is_relation(words[i], relation) for i in places)
        text = text_of(sentence.units)
        rows.append(Row(text, "yes" if has_it else "no", None, text.count(" ") + 1))
    return Rows(rows, Counter())


def _label_feature(
    sentence: Sentence, word: Word, feature: str, values: tuple[str, ...]
) -> Row | str:
    value = word.feats.get(feature)
    if value is None:
        return f"the word has no {feature}"
    if values and value not in values:
        return f"{feature} is {value}"
    return Row(text_of(sentence.units), value, word)


def _finite_verb(sentence: Sentence) -> Word | None:
    """Find the main clause's finite verb: an auxiliary or copula, else the root.

    So "has gone" is present, as in SentEval, which goes by the finite verb's tag. A
    root with a tense and no auxiliary need not be marked as finite (participles that
    are the past tense in Slavic languages).
    """
    words, root = sentence.words, sentence.root
    helpers = [
        words[i]
        for i in sentence.children(root)
        if words[i].relation.partition(":")[0] in ("aux", "cop")
    ]
    candidates = [one for one in (*helpers, words[root]) if one.kind in VERBS]
    for word in candidates:
        if word.feats.get("VerbForm", "Fin") == "Fin" and "Tense" in word.feats:
            return word
    if words[root].kind in VERBS and not helpers and "Tense" in words[root].feats:
        return words[root]
    return None


def bearer_of(sentence: Sentence, place: str, feature: str = "") -> Word | str:
    """Find the one word of a place; of a word class the one that has the feature."""
    words = sentence.words
    if place == "root":
        return words[sentence.root]
    if place in PLACES:
        relation = {"subject": "nsubj", "object": "obj"}[place]
        found = [
            words[i]
            for i in sentence.children(sentence.root)
            if _is_relation(words[i], relation)
        ]
    else:
        found = [word for word in words if word.kind == place and feature in word.feats]
    if len(found) == 1:
        return found[0]
    name = f"the root has {{}} {place}" if place in PLACES else f"{{}} {place}"
    return name.format("more than one" if found else "no")


def _is_relation(word: Word, wanted: str) -> bool:
    return wanted in relation_names(word)


def relation_names(word: Word) -> tuple[str, ...]:
    """Name a word's relation with its subtype and without."""
    bare = word.relation.partition(":")[0]
    return (bare,) if bare == word.relation else (bare, word.relation)
