"""Answers to queries about evaluations."""

import msgspec


class PairedComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems compared on the same rows.

    Attributes:
        n: rows.
        one, other: their rates, 0…1: errors of retrieval, accuracies of classifiers.
        difference: one minus other.
        low, high: its 95 % interval, by paired bootstrap.
        only_one, only_other: rows that only one of them got right.
        p: of the exact McNemar test.
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
        difference: one minus other.
        low, high: its 95 % interval; pairs were drawn with all their directions.
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
        directions: in the order of the first run, 500 at most.
        mean: over all of them.
        n_left_out: directions of both runs that the other did not measure on the same
            texts.
    """

    directions: tuple[DirectionComparison, ...]
    mean: MeanComparison
    n_left_out: int


class RetrievalError(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence whose nearest sentence is not its translation.

    Attributes:
        line: of the sentence in its corpus or file, from 1.
        expected, found: its translation, and the nearest sentence.
        expected_cosine, found_cosine: of these with the source, -1…1.
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
    """What an evaluation of retrieval got wrong in one direction.

    Attributes:
        n: sentences; n_wrong: errors; n_copies: where another copy was found.
        errors: the first 500.
    """

    n: int
    n_wrong: int
    n_copies: int
    errors: tuple[RetrievalError, ...]


class TreebankOffers(msgspec.Struct, frozen=True, kw_only=True):
    """The features and relations of a treebank that probing sets can be made of.

    Attributes:
        n_sentences: that were read.
        n_features, n_relations: with those that are not listed.
        features: feature → value → number of sentences.
        relations: relation → number of sentences.
    """

    n_sentences: int = 0
    n_features: int = 0
    n_relations: int = 0
    features: dict[str, dict[str, int]] = {}
    relations: dict[str, int] = {}
