"""Answers about concordances, word lists, collocates, keywords and equivalents."""

import msgspec


class ConcordanceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a concordance.

    Attributes:
        file: array of lines in the project, int64 (m, 3): sentence id, start and end
            in code points of the text.
        words: array of int32 (m, 12): start and end of the words L3, L2, L1, R1, R2
            and R3 of each line in code points; -1 where there is no such word.
        n: all hits; n_lines: m.
        n_sentences: sentences with a hit.
        n_searched: sentences that were searched.
        n_tokens: words in these; None for a regular expression or several languages.
        is_cut: the search timed out.
        not_indexed: ids of corpora that were skipped because they have no word index.
        notes: sentences for the user.
    """

    file: str
    words: str
    n: int
    n_lines: int
    n_sentences: int
    n_searched: int
    n_tokens: int | None
    is_cut: bool
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]
    elapsed_s: float


LOW_SCORE = 0.4  # cosine of sentences that are hardly similar


class LineNeighbour(msgspec.Struct, frozen=True):
    """A sentence that is near a concordance line.

    Attributes:
        score: cosine, -1…1; None if one of the two has no vector.
        is_translation: a link connects the two.
    """

    sentence: int
    score: float | None
    language: str
    is_translation: bool = False

    @property
    def is_similar(self) -> bool:
        """Return whether it is a translation, or its cosine is above that of chance."""
        return self.is_translation or self.score is None or self.score > LOW_SCORE


class LineNeighboursAnswer(msgspec.Struct, frozen=True):
    """The nearest sentences of several lines.

    Attributes:
        neighbours: those of each sentence in the query.
        not_encoded: ids of corpora without vectors.
    """

    neighbours: list[list[LineNeighbour]]
    not_encoded: list[int]


class FrequencyRow(msgspec.Struct, frozen=True):
    """A word or n-gram.

    Attributes:
        rank: by frequency, from 1, in the whole list.
        n: occurrences.
        per_million: occurrences per million words; None: the texts are in several
            languages, whose words are not comparable units.
        low, high: 95 % interval of `per_million` (Wilson 1927), as if words fell by
            chance.
        n_documents: documents that contain it.
        dispersion: DP (Gries 2008), 0 even … 1 clumped; None if there is one document.
    """

    item: str
    rank: int
    n: int
    per_million: float | None
    low: float | None
    high: float | None
    n_documents: int
    dispersion: float | None


class FrequenciesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a frequency list.

    Attributes:
        n_items: rows of the whole list.
        n_tokens, n_documents: how much was counted.
        not_indexed: ids of corpora that were skipped because they have no word index.
        not_counted: the list takes long to count, and was not.
        notes: sentences for the user.
    """

    rows: list[FrequencyRow]
    n_items: int
    n_tokens: int
    n_documents: int
    not_indexed: tuple[int, ...]
    not_counted: bool
    notes: tuple[str, ...]


class CollocateRow(msgspec.Struct, frozen=True):
    """A word that occurs near another one.

    Attributes:
        n: occurrences near a hit; n_left, n_right: on either side of one.
        n_corpus: all occurrences.
        expected: the `n` expected by chance.
        log_likelihood: G², negative if the word is rarer than expected.
    """

    item: str
    n: int
    n_left: int
    n_right: int
    n_corpus: int
    expected: float
    log_likelihood: float
    log_dice: float
    t_score: float


class CollocatesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The words that occur near a word: near `n_hits` hits among `n_tokens` words."""

    rows: list[CollocateRow]
    n_hits: int
    n_tokens: int
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]


class KeywordRow(msgspec.Struct, frozen=True):
    """A word or n-gram that distinguishes one corpus from another.

    Attributes:
        log_likelihood: G², negative if the item is rarer than in the other corpus.
        log_ratio: log2 of the ratio of both frequencies; low, high: 95 % interval.
    """

    item: str
    n: int
    per_million: float
    n_against: int
    per_million_against: float
    log_likelihood: float
    log_ratio: float
    low: float
    high: float


class KeynessAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The words that distinguish `n_tokens` words from `n_tokens_against` others.

    Attributes:
        n_items: items that are frequent enough to be compared.
    """

    rows: list[KeywordRow]
    n_items: int
    n_tokens: int
    n_tokens_against: int
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]


SIGNIFICANT_G2 = 3.84  # p < 0.05 of χ² with one degree of freedom


class EquivalentScores(msgspec.Struct, frozen=True):
    """A candidate translation of a word and its scores.

    Attributes:
        form: how the candidate is mostly written.
        n: pairs with the word and the candidate.
        n_own: those of them in which no other source word is associated with the
            candidate more strongly.
        n_target: pairs with the candidate.
        share: `n` as a share of the pairs with the word; low, high: 95 % interval.
        score: log-likelihood of the `n_own` pairs, which ranks the candidates.
        log_likelihood: that of all pairs.
        in_dictionary: whether the dictionary confirms it; None without a dictionary.
    """

    item: str
    form: str
    n: int
    n_own: int
    n_target: int
    share: float
    low: float
    high: float
    score: float
    log_likelihood: float
    dice: float
    in_dictionary: bool | None

    @property
    def is_significant(self) -> bool:
        """Return whether its direct pairs are more than chance would have."""
        return self.score >= SIGNIFICANT_G2


class EquivalentRow(EquivalentScores, frozen=True):
    """A candidate translation of a word.

    Attributes:
        examples: ids of source and target sentences.
    """

    examples: list[tuple[int, int]]


class EquivalentsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate translations of a word.

    Attributes:
        n_word: pairs with the word.
        n_pairs: all pairs.
        missing: translations in the dictionary that no pair contains.
        notes: sentences for the user.
    """

    rows: list[EquivalentRow]
    n_word: int
    n_pairs: int
    not_indexed: tuple[int, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


class TranslationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A word of the other language that is near a mapped word.

    Attributes:
        csls: 2 cosine - the mean cosines of both words with their ten nearest.
        csls_rank, isf_rank, nn_rank: ranks from 1; None: not among the best.
        cosine: of the mapped word and this one.
        rank: by frequency, from 1.
        n_neighbours: words that have this one among their ten nearest.
        is_hub: that number is far above the mean.
        n_linked: pairs of linked sentences with both words.
        agrees: linked sentences and CSLS both have it as a translation.
    """

    item: str
    csls: float
    csls_rank: int | None
    isf_rank: int | None
    nn_rank: int | None
    cosine: float
    rank: int
    n_neighbours: int
    is_hub: bool
    n_linked: int
    agrees: bool


class TranslationsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The translations of a word in mapped word vectors.

    Attributes:
        source_language, target_language: codes; empty if unknown.
        n_pairs: pairs of linked sentences in these languages.
        missing: the best equivalents from linked sentences that no ranking has.
        not_indexed: ids of corpora that were skipped because they have no word index.
        notes: sentences for the user.
    """

    rows: list[TranslationRow]
    source_language: str
    target_language: str
    n_pairs: int
    missing: tuple[str, ...]
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]


class NeighbourRow(msgspec.Struct, frozen=True, kw_only=True):
    """A word near another word of its language, or an answer to an analogy.

    Attributes:
        cosine: with the word, or with b - a + c.
        rank: by frequency, from 1.
    """

    item: str
    cosine: float
    rank: int


class NeighboursAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The nearest words in the word vectors of one language.

    Attributes:
        language: code; empty if unknown.
        n_words: words that have a vector.
        not_indexed, notes: empty.
    """

    rows: list[NeighbourRow]
    language: str
    n_words: int
    not_indexed: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


# as arrays: 3,000 words stay far below the limit of a line
class MovedWord(msgspec.Struct, frozen=True, array_like=True):
    """A source word on a map: its place before and after mapping."""

    item: str
    before: tuple[float, float]
    after: tuple[float, float]


class PlacedWord(msgspec.Struct, frozen=True, array_like=True):
    """A target word on a map."""

    item: str
    place: tuple[float, float]


class WordMapAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The most frequent words of two mapped languages on a plane.

    Attributes:
        share: of the variance of the mapped words that the plane shows, 0…1.
    """

    sources: list[MovedWord]
    targets: list[PlacedWord]
    source_language: str
    target_language: str
    share: float


WordRow = (
    FrequencyRow
    | CollocateRow
    | KeywordRow
    | EquivalentRow
    | TranslationRow
    | NeighbourRow
)
WordListAnswer = (
    FrequenciesAnswer
    | CollocatesAnswer
    | KeynessAnswer
    | EquivalentsAnswer
    | TranslationsAnswer
    | NeighboursAnswer
)
