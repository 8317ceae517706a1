"""Labels of sentences, computed from tree and words.

The tasks are those of Conneau et al. 2018, "What you can cram into a single vector",
section 2, on dependency trees of Universal Dependencies in place of phrase structure;
only the top constituents need phrase structure.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from app.engine.probing.treebanks.brackets import Constituent
from app.engine.probing.treebanks.reader import Sentence, Word, text_of
from app.errors import UserError

LENGTHS = (5, 9, 13, 17, 21, 26, 29)  # limits of SentEval's six bins of words
VERBS = ("VERB", "AUX")
TENSES = ("Past", "Pres")
NUMBERS = ("Plur", "Sing")
PLACES = ("root", "subject", "object")


class LabelledSentence(NamedTuple):
    """A sentence with its label.

    Attributes:
        target: word that determines the label; None: no single word.
        level: number of words; rows of different labels are matched within a level.
    """

    text: str
    label: str
    target: Word | None = None
    level: int = 0


class LabelledSentences(NamedTuple):
    """Labelled sentences of a treebank.

    Attributes:
        dropped: reason → number of sentences without a label.
        classes: ordered classes, if neighbours are similar; empty: the labels have no
            order.
    """

    rows: list[LabelledSentence]
    dropped: Counter[str]
    classes: tuple[str, ...] = ()


T = TypeVar("T")
Labeller = Callable[[T], LabelledSentence | str]  # a row, or a reason for none


def label_all(sentences: Sequence[T], labeller: Labeller[T]) -> LabelledSentences:
    """Label sentences, or trees of sentences, one by one."""
    rows: list[LabelledSentence] = []
    dropped: Counter[str] = Counter()
    for sentence in sentences:
        found = labeller(sentence)
        if isinstance(found, str):
            dropped[found] += 1
        else:
            rows.append(found)
    return LabelledSentences(rows, dropped)


def label_length(sentence: Sentence) -> LabelledSentence | str:
    """SentLen: the bin of the number of words."""
    text = text_of(sentence.units)
    n_words = text.count(" ") + 1
    if not LENGTHS[0] <= n_words < LENGTHS[-1]:
        return f"not {LENGTHS[0]} to {LENGTHS[-1] - 1} words long"
    return LabelledSentence(text, str(sum(n_words >= begin for begin in LENGTHS) - 1))


def label_depths(sentences: Sequence[Sentence]) -> LabelledSentences:
    """TreeDepth: arcs on the longest path from the root to a leaf.

    Rows are matched by length, so that each length has equally many rows of each depth;
    SentEval draws uncorrelated lengths and depths instead.
    """
    rows = []
    for sentence in sentences:
        text = text_of(sentence.units)
        rows.append(
            LabelledSentence(text, str(depth_of(sentence)), None, text.count(" ") + 1)
        )
    depths = sorted({int(row.label) for row in rows})
    return LabelledSentences(rows, Counter(), tuple(str(depth) for depth in depths))


def depth_of(sentence: Sentence) -> int:
    """Count the arcs between the root and its most distant descendant."""
    depths = []
    for word in sentence.words:
        depth, index = 0, word
        while index.head >= 0:
            depth, index = depth + 1, sentence.words[index.head]
        depths.append(depth)
    return max(depths)


def label_tenses(sentences: Sequence[Sentence]) -> LabelledSentences:
    """Tense: the tense of the main clause's finite verb, present or past.

    Participles count only in a treebank in which they are a past tense, as in Czech,
    where most past roots without an auxiliary are participles.
    """
    forms = Counter(
        sentence.words[sentence.root].feats.get("VerbForm", "Fin")
        for sentence in sentences
        if _is_past_without_auxiliary(sentence)
    )
    has_participles = 2 * forms["Part"] > forms.total()
    return label_all(sentences, partial(label_tense, has_participles=has_participles))


def label_tense(
    sentence: Sentence, *, has_participles: bool = False
) -> LabelledSentence | str:
    """Label one sentence; `has_participles`: past participles are a past tense."""
    verb = _finite_verb(sentence, has_participles=has_participles)
    if verb is None:
        return "the main clause has no finite verb"
    return _label_feature(sentence, verb, "Tense", TENSES)


def number_labeller(place: str) -> Labeller[Sentence]:
    """SubjNum and ObjNum: the number of the root's subject or object, a noun."""

    def label(sentence: Sentence) -> LabelledSentence | str:
        found = bearer_of(sentence, place)
        if isinstance(found, str):
            return found
        if found.kind != "NOUN":
            return f"the {place} is not a common noun"
        return _label_feature(sentence, found, "Number", NUMBERS)

    return label


def feature_labeller(requested: str) -> Labeller[Sentence]:
    """Label a feature of the root, subject, object, or the only word of a class.

    Args:
        requested: feature such as root:Mood, subject:Case or NOUN:Gender.

    Raises:
        UserError: the feature has another form.
    """
    place, sign, feature = requested.partition(":")
    if not sign or not place or not feature:
        raise UserError(
            f"{requested!r} is not a feature. Write the word and its feature, such as "
            "root:Mood, subject:Case or NOUN:Gender."
        )

    def label(sentence: Sentence) -> LabelledSentence | str:
        found = bearer_of(sentence, place, feature)
        if isinstance(found, str):
            return found
        return _label_feature(sentence, found, feature, ())

    return label


def label_relation(sentences: Sequence[Sentence], requested: str) -> LabelledSentences:
    """Label whether a relation occurs in the sentence or, with root:, on its root.

    Rows are matched by length, since a long sentence has more relations. A relation
    without a subtype includes all subtypes.
    """
    is_of_root = requested.startswith("root:")
    relation = requested.removeprefix("root:")
    rows = []
    for sentence in sentences:
        words = sentence.words
        indices = sentence.children(sentence.root) if is_of_root else range(len(words))
        has_it = any(_is_relation(words[i], relation) for i in indices)
        text = text_of(sentence.units)
        rows.append(
            LabelledSentence(text, "yes" if has_it else "no", None, text.count(" ") + 1)
        )
    return LabelledSentences(rows, Counter())


def _label_feature(
    sentence: Sentence, word: Word, feature: str, values: tuple[str, ...]
) -> LabelledSentence | str:
    value = word.feats.get(feature)
    if value is None:
        return f"the word has no {feature}"
    if values and value not in values:
        return f"{feature} is {value}"
    return LabelledSentence(text_of(sentence.units), value, word)


def _finite_verb(sentence: Sentence, *, has_participles: bool) -> Word | None:
    """Find the main clause's finite verb: an auxiliary or copula, else the root.

    So "has gone" is present, as in SentEval, which uses the finite verb's tag.
    """
    root = sentence.words[sentence.root]
    candidates = [one for one in (*_helpers(sentence), root) if one.kind in VERBS]
    for word in candidates:
        if word.feats.get("VerbForm", "Fin") == "Fin" and "Tense" in word.feats:
            return word
    return root if has_participles and _is_past_without_auxiliary(sentence) else None


def _is_past_without_auxiliary(sentence: Sentence) -> bool:
    root = sentence.words[sentence.root]
    is_past = root.kind in VERBS and root.feats.get("Tense") == "Past"
    return is_past and not _helpers(sentence)


def _helpers(sentence: Sentence) -> list[Word]:
    """Return the auxiliaries and copulas of the root."""
    children = [sentence.words[i] for i in sentence.children(sentence.root)]
    return [one for one in children if one.relation.partition(":")[0] in ("aux", "cop")]


def bearer_of(sentence: Sentence, place: str, feature: str = "") -> Word | str:
    """Find the only word of a position or, for a word class, with the feature."""
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


def _is_relation(word: Word, requested: str) -> bool:
    return requested in relation_names(word)


def relation_names(word: Word) -> tuple[str, ...]:
    """Return a word's relation with and without its subtype."""
    bare = word.relation.partition(":")[0]
    return (bare,) if bare == word.relation else (bare, word.relation)


MIN_LETTERS = 4  # minimum letters of a target, as in SentEval
N_TARGETS = 1_000  # maximum, as in SentEval
MIN_TARGETS = 2
MIN_TARGET_COUNT = 20  # sentences
MAX_TARGET_SHARE = 0.01  # of sentences that contain a target, to exclude function words
NO_CONTENT = ("PUNCT", "SYM", "NUM", "X", "_")


def label_words(sentences: Sequence[Sentence]) -> LabelledSentences:
    """WC: which of up to 1,000 words of medium frequency occurs in the sentence.

    SentEval uses the ranks 2,000 to 3,000 of a corpus of 100 million words; in a
    treebank these are too rare, so the targets are the most frequent words that occur
    in at most 1 % of the sentences. A sentence contains exactly one target, once: more
    targets leave fewer such sentences, so the number of targets maximises the
    information of the labels.
    """
    targets = _choose_targets(sentences)
    ranks = {word: rank for rank, word in enumerate(targets)}
    held = [
        [ranks[unit.lower()] for unit in sentence.units if unit.lower() in ranks]
        for sentence in sentences
    ]
    n_targets = max(_numbers(len(targets)), key=partial(_bits_of_targets, held))
    rows: list[LabelledSentence] = []
    dropped: Counter[str] = Counter()
    for sentence, found in zip(sentences, held, strict=True):
        own = [rank for rank in found if rank < n_targets]
        if len(own) == 1:
            rows.append(LabelledSentence(text_of(sentence.units), targets[own[0]]))
        else:
            dropped["several target words" if own else "no target word"] += 1
    return LabelledSentences(rows, dropped)


def bits_of(k: int, n: int) -> float:
    """Return the information of k classes with n rows each: k n log2(k) bits."""
    return k * n * math.log2(k)


def _numbers(most: int) -> Iterator[int]:
    """Return numbers of targets to try, each smaller by a factor of √2."""
    yield most
    while most > MIN_TARGETS:
        most = max(MIN_TARGETS, round(most / math.sqrt(2)))
        yield most


def _bits_of_targets(held: Sequence[Sequence[int]], n_targets: int) -> float:
    """Return the information of the labels for the first n targets."""
    counts: Counter[int] = Counter()
    for found in held:
        own = [rank for rank in found if rank < n_targets]
        if len(own) == 1:
            counts[own[0]] += 1
    ordered = sorted(counts.values(), reverse=True)
    return max((bits_of(k, n) for k, n in enumerate(ordered, 1)), default=0.0)


def _choose_targets(sentences: Sequence[Sentence]) -> list[str]:
    """Choose the target words of WC, lower-cased, most frequent first."""
    counts: Counter[str] = Counter()
    content: set[str] = set()
    for sentence in sentences:
        counts.update({unit.lower() for unit in sentence.units})
        for word in sentence.words:
            is_whole = word.form == sentence.units[word.unit]
            if is_whole and word.form.isalpha() and word.kind not in NO_CONTENT:
                content.add(word.form.lower())
    # words are shorter in syllabic and logographic scripts
    fewest = min(MIN_LETTERS, _median([len(word) for word in content]))
    most = max(MIN_TARGET_COUNT, MAX_TARGET_SHARE * len(sentences))
    fitting = [
        word
        for word in content
        if MIN_TARGET_COUNT <= counts[word] <= most and len(word) >= fewest
    ]
    ranked = sorted(fitting, key=lambda word: (-counts[word], word))
    return ranked[:N_TARGETS]


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2] if values else 0


N_SEQUENCES = 19  # that are classes; all other sequences are one class
OTHER = "OTHER"
END_SIGNS = frozenset(".!?…。！？؟।")  # sentence-final punctuation


def label_top_constituents(trees: Sequence[Constituent]) -> LabelledSentences:
    """TopConst: the sequence of constituents directly below the sentence.

    The 19 most frequent sequences are classes, and all other sequences are one class.
    As in SentEval, sentences end with punctuation, and have no punctuation or quotation
    mark between the constituents.
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
    """Return the labels below a sentence, or the reason why there are none."""
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
