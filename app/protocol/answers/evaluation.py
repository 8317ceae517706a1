"""Answers to queries about evaluations."""

import msgspec


class PairedComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems compared on the same rows.

    Attributes:
        n: number of rows.
        one, other: rates, 0…1: retrieval errors or classifier accuracies.
        difference: `one` minus `other`.
        low, high: 95 % interval of the difference, by paired bootstrap.
        only_one, only_other: number of rows that only one system got right.
        p: p-value of the exact McNemar test.
    """

    n: int
    one: float
    other: float
    difference: float
    low: float
    high: float
    only_one: int
    only_other: int
    p: float


class DirectionComparison(PairedComparison, frozen=True, kw_only=True):
    """Two evaluations of the same texts in one direction."""

    source: str
    target: str


class MeanComparison(msgspec.Struct, frozen=True):
    """The mean errors of two evaluations over the directions that both measured.

    Attributes:
        n: pairs of sentences, each counted once.
        one, other: mean errors, 0…1.
        difference: `one` minus `other`.
        low, high: 95 % interval of the difference, resampling pairs in all directions.
    """

    n_directions: int
    n: int
    one: float
    other: float
    difference: float
    low: float
    high: float


class RetrievalComparison(msgspec.Struct, frozen=True):
    """Two evaluations compared.

    Attributes:
        directions: directions in the order of the first run, at most 500.
        mean: comparison of the means over all directions.
        n_left_out: directions that only one run measured on the same texts.
    """

    directions: tuple[DirectionComparison, ...]
    mean: MeanComparison
    n_left_out: int


class RetrievalError(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence whose nearest sentence is not its translation.

    Attributes:
        line: line of the sentence in its corpus or file, from 1.
        expected, found: its translation, and the nearest sentence.
        expected_cosine, found_cosine: their cosines with the source, -1…1.
    """

    line: int
    source: str
    expected: str
    found: str
    expected_cosine: float
    found_cosine: float

    @property
    def is_copy(self) -> bool:
        """Return whether the found sentence has the text of the translation."""
        return self.found == self.expected


class RetrievalErrors(msgspec.Struct, frozen=True, kw_only=True):
    """The errors of a retrieval evaluation in one direction.

    Attributes:
        n: number of sentences.
        n_wrong: number of errors.
        n_copies: number of errors in which another copy of the translation was found.
        errors: first 500 errors.
    """

    n: int
    n_wrong: int
    n_copies: int
    errors: tuple[RetrievalError, ...]


class TreebankOffers(msgspec.Struct, frozen=True, kw_only=True):
    """The features and relations of a treebank that probing sets can be made of.

    Attributes:
        n_sentences: number of sentences read.
        n_features, n_relations: total numbers, including those not listed.
        features: feature → value → number of sentences.
        relations: relation → number of sentences.
    """

    n_sentences: int = 0
    n_features: int = 0
    n_relations: int = 0
    features: dict[str, dict[str, int]] = {}
    relations: dict[str, int] = {}
