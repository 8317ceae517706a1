"""The words on both sides of sentence pairs, gathered once for all queries."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.search.languages import matches_language
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.pairs.sets import PairSetRow
from app.engine.store.sentences import read_languages
from app.engine.words.equivalents.pairs import (
    Eligible,
    PairIds,
    join_pairs,
    read_linked,
    read_set,
    turn_pairs,
)
from app.engine.words.index import WordIndex
from app.engine.words.lexicon import Lexicon, pack_items, sort_items
from app.engine.words.patterns import WordPattern, find_places
from app.params.words import Layer


class TokenRanges(NamedTuple):
    """Token ranges of some pairs in one corpus.

    Attributes:
        pairs: int64 (q,), indices of the pairs.
        begins, ends: int64 (q,), first token and last token + 1 of each pair.
        words: int (t,), word id of each token of the corpus; negative: not a word.
    """

    pairs: IntArray
    begins: IntArray
    ends: IntArray
    words: NDArray[np.integer]


class PairWords(NamedTuple):
    """One side of p pairs over v words; each pair lists its distinct words.

    Attributes:
        firsts: int64 (p + 1,), first word of each pair.
        words: int64 (m,), word ids, ascending in each pair.
        pairs: int64 (m,), pairs by word, ascending for each word.
        word_firsts: int64 (v + 1,), first pair of each word.
        lengths: int64 (p,), tokens of each pair, with repetitions.
    """

    firsts: IntArray
    words: IntArray
    pairs: IntArray
    word_firsts: IntArray
    lengths: IntArray

    @property
    def n_pairs_of(self) -> IntArray:
        """Count the pairs of each word: int64 (v,)."""
        return np.diff(self.word_firsts)

    def pairs_of(self, word: int) -> IntArray:
        """Return the pairs of a word: int64 (m,), ascending."""
        return self.pairs[self.word_firsts[word] : self.word_firsts[word + 1]]

    def words_of(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        """Return the words (t,) of pairs (m,), pair by pair, and counts per pair."""
        lengths = self.firsts[pairs + 1] - self.firsts[pairs]
        return self.words[expand_ranges(self.firsts[pairs], lengths)], lengths


def gather_words(parts: Sequence[TokenRanges], n_pairs: int, n_words: int) -> PairWords:
    """Collect the words of one side of pairs.

    Args:
        parts: token ranges, by corpus.
        n_pairs: number of pairs, including pairs without words.
        n_words: highest id + 1.
    """
    lengths = np.zeros(n_pairs, np.int64)
    keys = [np.empty(0, np.int64)]
    for part in parts:
        n_tokens = part.ends - part.begins
        lengths[part.pairs] += n_tokens
        words = part.words[expand_ranges(part.begins, n_tokens)].astype(np.int64)
        key = np.repeat(part.pairs, n_tokens) * n_words + words
        keys.append(key[words >= 0])
    both = _unique(np.concatenate(keys))
    pairs, words = np.divmod(both, max(n_words, 1))
    by_word = np.sort(words * max(n_pairs, 1) + pairs)
    return PairWords(
        _firsts(pairs, n_pairs),
        words,
        by_word % max(n_pairs, 1),
        _firsts(words, n_words),
        lengths,
    )


def expand_ranges(begins: IntArray, lengths: IntArray) -> IntArray:
    """Return the indices of consecutive ranges: int64 (sum of lengths,)."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(lengths.sum())


def _unique(keys: IntArray) -> IntArray:
    keys = np.sort(keys)
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    return keys[is_new]


def _firsts(values: IntArray, n: int) -> IntArray:
    """Return the first index of each value 0 … n - 1, and the end: int64 (n + 1,)."""
    counts = np.bincount(values, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)])


MAX_CACHED = 2  # recent queries: both directions
IndexOpener = Callable[[CorpusRow], WordIndex | None]
Maps = dict[int, NDArray[np.int32]]  # shared id of each id of a corpus


class BitextOptions(NamedTuple):
    """Options that select sentence pairs.

    Attributes:
        corpora: corpora or sub-corpora of the word.
        source_language: language of the word; empty: any except the target language.
        target_language: language of the translations.
        minings: pair sets; empty: links and alignments.
        accepted: use only accepted pairs of pair sets.
        layer: layer of both sides.
    """

    corpora: Sequence[CorpusRow]
    source_language: str
    target_language: str
    minings: Sequence[PairSetRow] = ()
    accepted: bool = False
    layer: Layer = "word"


class BitextSide(NamedTuple):
    """One side of pairs.

    Attributes:
        words: words of the pairs.
        lexicon: items of the word ids.
        parts: token ranges of the pairs in each corpus.
        indexes: word indexes of these corpora.
        ids: id in the lexicon of each item of a corpus, by corpus.
    """

    words: PairWords
    lexicon: Lexicon
    parts: list[TokenRanges]
    indexes: list[WordIndex]
    ids: Maps


class WordBitext(NamedTuple):
    """Pairs and their words.

    Attributes:
        pairs: sentences of the pairs.
        layer: layer of the words.
        source, target: the two sides.
    """

    pairs: PairIds
    layer: Layer
    source: BitextSide
    target: BitextSide

    def find(self, pattern: WordPattern) -> tuple[IntArray, IntArray]:
        """Find the pairs with a word or phrase, and its component words.

        Returns:
            int64 (q,): indices of the pairs, ascending; int64 (w,): word ids.
        """
        found, words = [], []
        for part, index in zip(self.source.parts, self.source.indexes, strict=True):
            firsts, lasts = find_places(index, pattern)
            n_before = np.searchsorted(firsts, (part.begins, part.ends))
            found.append(part.pairs[n_before[1] > n_before[0]])
            longest = int((lasts - firsts).max(initial=-1)) + 1
            for step in range(longest):
                at = (firsts + step)[firsts + step <= lasts]
                words.append(part.words[at].astype(np.int64))
        nobody = [np.empty(0, np.int64)]
        ids = np.unique(np.concatenate(words + nobody))
        return np.sort(np.concatenate(found + nobody)), ids[ids >= 0]


class BitextCache:
    """Caches the bitexts of recent queries."""

    def __init__(self) -> None:
        self._kept: dict[str, WordBitext] = {}
        self._codes: dict[tuple[int, str], NDArray[Any] | None] = {}  # of the sentences

    def open(
        self, project: Project, wanted: BitextOptions, open_index: IndexOpener
    ) -> tuple[WordBitext, list[int]]:
        """Return the bitext of the current pairs.

        Returns:
            The bitext, and the ids of corpora without a word index, whose pairs are
            left out.
        """
        pairs = self._pairs_of(project, wanted)
        rows = {row.id: row for row in list_corpora(project.store)}
        ids = np.unique(np.concatenate([pairs.sources >> 32, pairs.targets >> 32]))
        opened = {id_: open_index(rows[id_]) for id_ in ids.tolist()}
        indexes = {id_: index for id_, index in opened.items() if index is not None}
        missing = [id_ for id_, index in opened.items() if index is None]
        if missing:
            is_known = np.isin(pairs.sources >> 32, list(indexes))
            pairs = pairs.some(is_known & np.isin(pairs.targets >> 32, list(indexes)))
        key = _key(pairs, indexes, wanted.layer)
        if key not in self._kept:
            for old in list(self._kept)[: 1 - MAX_CACHED]:
                del self._kept[old]
            self._kept[key] = build_bitext(pairs, indexes, wanted.layer)
        return self._kept[key], missing

    def _pairs_of(self, project: Project, wanted: BitextOptions) -> PairIds:
        """Read the pairs, and orient them so that the word's side comes first."""
        store = project.store
        if wanted.minings:
            accepted = wanted.accepted
            sets = [read_set(store, row, accepted=accepted) for row in wanted.minings]
            pairs = join_pairs(sets)
        else:
            pairs = read_linked(store)
        target = wanted.target_language
        sources = [
            self._eligible(project, corpus, wanted.source_language, without=target)
            for corpus in wanted.corpora
        ]
        targets = [self._eligible(project, row, target) for row in list_corpora(store)]
        return turn_pairs(pairs, sources, targets)

    def _eligible(
        self, project: Project, corpus: CorpusRow, language: str, *, without: str = ""
    ) -> Eligible:
        """Return which sentences of a corpus are active and in a language."""
        key = corpus.id, corpus.language
        if key not in self._codes:
            self._codes[key] = read_languages(project.store, corpus.id)
        mask = _in_language(self._codes[key], corpus, language, without)
        rows = active_positions(project, corpus)
        if rows is not None:
            takes_part = np.zeros(corpus.n_sentences, np.bool_)
            takes_part[rows] = True
            mask = takes_part if mask is None else mask & takes_part
        return Eligible(corpus, mask)


def build_bitext(
    pairs: PairIds, indexes: dict[int, WordIndex], layer: Layer
) -> WordBitext:
    """Collect the words of pairs.

    Args:
        indexes: word indexes, by corpus.

    Raises:
        UserError: a corpus lacks the lemmas or parts of speech of the layer.
    """
    return WordBitext(
        pairs,
        layer,
        _side(pairs.sources, pairs.n_sources, indexes, layer),
        _side(pairs.targets, pairs.n_targets, indexes, layer),
    )


def _side(
    ids: IntArray, counts: IntArray, indexes: dict[int, WordIndex], layer: Layer
) -> BitextSide:
    corpora, positions = ids >> 32, ids & 0xFFFFFFFF
    there = [indexes[id_] for id_ in np.unique(corpora).tolist()]
    lexicon, maps = _join_lexicons(there, layer)
    parts = []
    for index in there:
        of_it = np.flatnonzero(corpora == index.corpus_id)
        first = positions[of_it]
        last = np.minimum(first + counts[of_it], index.n_sentences)
        numbers = maps[index.corpus_id][index.layer(layer).tokens]
        begins, ends = index.starts[first], index.starts[last]
        parts.append(TokenRanges(of_it, begins, ends, numbers))
    words = gather_words(parts, len(ids), len(lexicon))
    return BitextSide(words, lexicon, parts, there, maps)


def _join_lexicons(indexes: Sequence[WordIndex], layer: Layer) -> tuple[Lexicon, Maps]:
    """Return all items in one order, and their new ids; -1 for missing values."""
    lexicons = [index.layer(layer).lexicon for index in indexes]
    if len(lexicons) == 1:
        ids = np.arange(len(lexicons[0]), dtype=np.int32)
        if len(ids) and not lexicons[0].item(0):
            ids[0] = -1
        return lexicons[0], {indexes[0].corpus_id: ids}
    items = [lexicon.all_items() for lexicon in lexicons]
    every, _ = sort_items(list(dict.fromkeys(item for part in items for item in part)))
    known = {item: place for place, item in enumerate(every)}
    known[""] = -1
    maps = {
        index.corpus_id: np.array([known[item] for item in part], np.int32)
        for index, part in zip(indexes, items, strict=True)
    }
    return Lexicon(pack_items(every)), maps


def _in_language(
    codes: NDArray[Any] | None, corpus: CorpusRow, language: str, without: str
) -> NDArray[np.bool_] | None:
    """Return which sentences are in one language and not in another; None: all.

    Args:
        codes: str (n,), code of each sentence; None: the code of the corpus.
        language: code; empty: any.
        without: code of the excluded language; empty: none.
    """

    def is_it(code: str) -> bool:
        is_other = bool(without) and matches_language(code, [without])
        return not is_other and matches_language(code, [language] if language else [])

    if codes is not None:
        return np.isin(
            codes, [code for code in np.unique(codes).tolist() if is_it(code)]
        )
    return None if is_it(corpus.language) else np.zeros(corpus.n_sentences, np.bool_)


def _key(pairs: PairIds, indexes: dict[int, WordIndex], layer: Layer) -> str:
    digest = blake2b(layer.encode(), digest_size=16)
    for column in pairs:
        digest.update(column.tobytes())
    for id_, index in sorted(indexes.items()):
        digest.update(f"{id_} {index.stem} {index.n_tokens};".encode())
    return digest.hexdigest()
