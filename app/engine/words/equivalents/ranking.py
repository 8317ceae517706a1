"""Find and rank the translation equivalents of a word, with examples.

A word that often occurs next to another word is also associated with the translation of
that word: "water" with the translation of "drink". Such indirect associations (Melamed
2000, "Models of translational equivalence among words", section 2) are distinguished
from direct ones as in the links of Moore 2005, "A discriminative framework for
bilingual word alignment", section 3: in a pair, a candidate belongs to the word of the
other side with which it is most strongly associated. Pairs in which it belongs to
another word are not counted. Unlike in Moore 2005, a word may have several candidates
of its own in a pair, so that compounds and particles are found.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, IntArray
from app.engine.project.project import Project
from app.engine.statistics import wilson_interval
from app.engine.store.words.dictionaries import DictionaryRow, read_entries
from app.engine.words.association import dice, signed_log_likelihood
from app.engine.words.equivalents.bitext import (
    BitextCache,
    BitextOptions,
    IndexOpener,
    PairWords,
    WordBitext,
)
from app.engine.words.index import WordIndex
from app.engine.words.patterns import WordPattern, find_places, parse_pattern
from app.engine.words.tokenizer import entry_key, tokenize
from app.errors import UserError
from app.languages import primary_language
from app.protocol.answers.words import EquivalentRow, EquivalentsAnswer
from app.protocol.queries.words import EquivalentsQuery

N_CANDIDATES = 100  # minimum number of candidates whose own pairs are counted
TIE = 1e-9  # associations that differ by less are equal
MAX_PAIRS = 4_000  # pairs of a word read one by one; more are subsampled


class TranslationCandidates(NamedTuple):
    """Candidate translations of a word, strongest association first.

    Attributes:
        words: int64 (c,), word ids.
        n_both: int64 (c,), pairs with the word and the candidate.
        n_own: int64 (c,), those pairs in which no other source word is more strongly
            associated with the candidate.
        n_targets: int64 (c,), pairs with the candidate.
        scores: float64 (c,), log-likelihood ratio of the own pairs; 0 if there are no
            more than expected by chance.
        log_likelihoods: float64 (c,), signed log-likelihood ratio of all pairs.
    """

    words: IntArray
    n_both: IntArray
    n_own: IntArray
    n_targets: IntArray
    scores: DoubleArray
    log_likelihoods: DoubleArray


def find_translations(
    sources: PairWords,
    targets: PairWords,
    pairs: IntArray,
    matched: IntArray,
    *,
    n: int = N_CANDIDATES,
) -> TranslationCandidates:
    """Find candidate translations of a word or phrase.

    Args:
        pairs: int64 (q,), pairs with the word, ascending.
        matched: int64, ids of the component words, which do not compete with it.
        n: number of candidates to rate, those with the highest G² over all pairs.
    """
    n_pairs, n_targets = len(sources.lengths), targets.n_pairs_of
    found, _ = targets.words_of(pairs)
    n_both = np.bincount(found, minlength=len(n_targets))
    known = np.flatnonzero(n_both)
    plain = signed_log_likelihood(n_both[known], len(pairs), n_targets[known], n_pairs)
    best = np.lexsort((known, -n_both[known], -plain))[: max(n, N_CANDIDATES)]
    words, plain = known[best], plain[best]
    both, totals = n_both[words], n_targets[words]
    few = subsample_pairs(pairs), matched
    own = [are_own(sources, targets, few, word)[1] for word in words.tolist()]
    shares = np.array([part.mean() if len(part) else 0.0 for part in own])
    n_own = np.rint(shares * both).astype(np.int64)
    scores = np.maximum(signed_log_likelihood(n_own, len(pairs), totals, n_pairs), 0)
    columns = (words, both, n_own, totals)
    order = np.lexsort((words, -both, -plain, -scores))
    ids, n_both, n_own, n_targets = (column[order] for column in columns)
    return TranslationCandidates(
        ids, n_both, n_own, n_targets, scores[order], plain[order]
    )


def are_own(
    sources: PairWords,
    targets: PairWords,
    wanted: tuple[IntArray, IntArray],
    word: int,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return in which pairs a candidate belongs to the word and not to another word.

    Args:
        wanted: pairs with the word, ascending, and ids of its component words.
        word: the candidate.

    Returns:
        The pairs with both, int64 (b,), and whether the candidate belongs to the word,
        bool (b,).
    """
    pairs, matched = wanted
    n_pairs, of_candidate = len(sources.lengths), targets.pairs_of(word)
    both = np.intersect1d(pairs, of_candidate, assume_unique=True)
    if not len(both):
        return both, np.ones(0, np.bool_)
    seen = subsample_pairs(of_candidate)
    scale = len(of_candidate) / len(seen)
    source_words, _ = sources.words_of(seen)
    counts = np.bincount(source_words, minlength=len(sources.word_firsts) - 1) * scale
    rivals, lengths = sources.words_of(both)
    n_rivals = sources.n_pairs_of[rivals]
    together = np.minimum(counts[rivals], n_rivals)
    ties = signed_log_likelihood(together, n_rivals, len(of_candidate), n_pairs)
    ties[np.isin(rivals, matched)] = -np.inf
    # every pair contains at least one source word: the query
    strongest = np.maximum.reduceat(ties, np.cumsum(lengths) - lengths)  # (b,)
    n_both = len(np.intersect1d(seen, pairs, assume_unique=True)) * scale
    own = signed_log_likelihood(n_both, len(pairs), len(of_candidate), n_pairs)
    return both, strongest <= own + TIE


def subsample_pairs(pairs: IntArray) -> IntArray:
    """Return evenly spaced pairs, at most `MAX_PAIRS`: int64 (m,)."""
    return pairs[:: max(1, -(-len(pairs) // MAX_PAIRS))]


MAX_OCCURRENCES = 10_000  # occurrences of a form that are counted


def most_frequent_form(indexes: Sequence[WordIndex], word: str) -> str:
    """Return the most frequent form of a word, preferring forms inside sentences.

    Capitals at the start of a sentence are not informative. A word that is in no index
    is returned unchanged.
    """
    inside: Counter[str] = Counter()
    anywhere: Counter[str] = Counter()
    for index in indexes:
        forms = index.layer("form")
        for id_ in range(*forms.lexicon.range_of(word)):
            places = forms.order[forms.firsts[id_] : forms.firsts[id_ + 1]][
                :MAX_OCCURRENCES
            ]
            at = np.searchsorted(index.starts, places)
            is_first = index.starts[np.minimum(at, len(index.starts) - 1)] == places
            form = forms.lexicon.item(id_)
            inside[form] += int(len(places) - is_first.sum())
            anywhere[form] += len(places)
    counts = +inside or anywhere
    return max(counts, key=lambda form: (counts[form], form)) if counts else word


MAX_CANDIDATES = 1_000
FEW_PAIRS = 5  # with fewer pairs, the candidates cannot be distinguished
N_BEST = 200  # shortest examples, from which distinct ones are chosen


def find_equivalents(
    project: Project,
    wanted: BitextOptions,
    query: EquivalentsQuery,
    *,
    cache: BitextCache,
    open_index: IndexOpener,
    dictionary: DictionaryRow | None = None,
) -> EquivalentsAnswer:
    """Rank the candidate translations of a word.

    Args:
        query: the word and the options of the list; `wanted` is ignored.
        open_index: opens the word index of a corpus; None if it is not indexed.

    Raises:
        UserError: the text is not a word, or the dictionary has other languages.
    """
    pattern = parse_pattern(query.text)
    known = _translations(project, wanted, query.text, dictionary)
    if not wanted.source_language:
        wanted = _with_word(wanted, pattern, open_index)
    bitext, not_indexed = cache.open(project, wanted, open_index)
    pairs, matched = bitext.find(pattern)
    n = min(max(query.top, 1), MAX_CANDIDATES)
    found = find_translations(
        bitext.source.words, bitext.target.words, pairs, matched, n=n
    )
    order = _order(found, query, len(pairs))[: query.top]
    rows = []
    for index in order:
        row = _row(bitext, found, index, len(pairs), known)
        word = int(found.words[index])
        examples = _examples(bitext, (pairs, matched), word, query.n_examples)
        rows.append(msgspec.structs.replace(row, examples=examples))
    return EquivalentsAnswer(
        rows=rows,
        n_word=len(pairs),
        n_pairs=bitext.pairs.n,
        not_indexed=tuple(not_indexed),
        missing=() if known is None else tuple(_missing(bitext, pairs, known)),
        notes=tuple(_notes(bitext, len(pairs))),
    )


def _notes(bitext: WordBitext, n_word: int) -> list[str]:
    """Return notes on word segmentation and on a low number of pairs."""
    indexes = (*bitext.source.indexes, *bitext.target.indexes)
    notes = list(dict.fromkeys(note for one in indexes for note in one.notes))
    if 0 < n_word < FEW_PAIRS:
        few = "1 pair contains" if n_word == 1 else f"{n_word:,} pairs contain"
        notes.append(
            f"Only {few} the word: the ranking is unreliable. Link or mine more "
            "translations."
        )
    return notes


def _with_word(
    wanted: BitextOptions, pattern: WordPattern, open_index: IndexOpener
) -> BitextOptions:
    """Return the corpora with the word; pairs of other corpora are irrelevant."""
    kept = []
    for corpus in wanted.corpora:
        index = open_index(corpus)
        if index is None or len(find_places(index, pattern)[0]):
            kept.append(corpus)
    return wanted._replace(corpora=kept) if kept else wanted


def _order(
    found: TranslationCandidates, query: EquivalentsQuery, n_word: int
) -> list[int]:
    """Return the indices of the candidates in the requested order.

    A candidate that occurs with the word less often than by chance is left out.
    """
    kept = np.flatnonzero(
        (found.log_likelihoods >= 0) & (found.n_both >= query.min_count)
    )
    if query.order_by == "frequency":
        kept = kept[np.argsort(-found.n_both[kept], kind="stable")]
    elif query.order_by == "dice":
        keys = dice(found.n_both, n_word, found.n_targets)
        kept = kept[np.argsort(-keys[kept], kind="stable")]
    return [int(place) for place in kept]


def _row(
    bitext: WordBitext,
    found: TranslationCandidates,
    index: int,
    n_word: int,
    known: list[str] | None,
) -> EquivalentRow:
    item = bitext.target.lexicon.item(int(found.words[index]))
    n, n_target = int(found.n_both[index]), int(found.n_targets[index])
    share, is_word = wilson_interval(n, n_word), bitext.layer == "word"
    return EquivalentRow(
        item=item,
        form=most_frequent_form(bitext.target.indexes, item) if is_word else item,
        n=n,
        n_own=int(found.n_own[index]),
        n_target=n_target,
        share=share.value,
        low=share.low,
        high=share.high,
        score=float(found.scores[index]),
        log_likelihood=float(found.log_likelihoods[index]),
        dice=float(dice(n, n_word, n_target)),
        in_dictionary=entry_key(item) in known if known else None,
        examples=[],
    )


def _examples(
    bitext: WordBitext, wanted: tuple[IntArray, IntArray], word: int, n: int
) -> list[tuple[int, int]]:
    """Return pairs with both words: direct associations first, then short ones."""
    if not n:
        return []
    source, target = bitext.source.words, bitext.target.words
    few = subsample_pairs(wanted[0]), wanted[1]
    both, is_own = are_own(source, target, few, word)
    lengths = source.lengths[both] + target.lengths[both]
    best = both[np.lexsort((both, lengths, ~is_own))][:N_BEST]
    chosen: dict[bytes, tuple[int, int]] = {}  # by their words, to remove duplicates
    for pair in best.tolist():
        words, _ = source.words_of(np.array([pair]))
        ends = int(bitext.pairs.sources[pair]), int(bitext.pairs.targets[pair])
        chosen.setdefault(words.tobytes(), ends)
        if len(chosen) == n:
            break
    return list(chosen.values())


def _translations(
    project: Project, wanted: BitextOptions, text: str, dictionary: DictionaryRow | None
) -> list[str] | None:
    """Read translations from a dictionary; None without a dictionary.

    Raises:
        UserError: the dictionary has other languages.
    """
    if dictionary is None:
        return None
    languages = [
        primary_language(code)
        for code in (dictionary.source_language, dictionary.target_language)
    ]
    target = primary_language(wanted.target_language)
    source = primary_language(wanted.source_language) if wanted.source_language else ""
    if target not in languages or (source and source not in languages):
        raise UserError(
            f"The dictionary {dictionary.name} contains {' and '.join(languages)}, not "
            f"{wanted.target_language}. Choose another dictionary."
        )
    return read_entries(
        project.store,
        dictionary.id,
        entry_key(text),
        is_turned=target == languages[0],
    )


def _missing(bitext: WordBitext, pairs: IntArray, known: Sequence[str]) -> list[str]:
    """Return the translations (one or more words) that no pair with the word has."""
    return [one for one in known if not _is_found(bitext, pairs, one)]


def _is_found(bitext: WordBitext, pairs: IntArray, text: str) -> bool:
    left = pairs
    for begin, end in tokenize(text):
        low, high = bitext.target.lexicon.range_of(text[begin:end])
        with_it = [bitext.target.words.pairs_of(word) for word in range(low, high)]
        left = np.intersect1d(left, np.concatenate([*with_it, left[:0]]))
    return len(left) > 0
