"""Answers to queries about maps."""

import msgspec


class SelectionWord(msgspec.Struct, frozen=True, kw_only=True):
    """A word that distinguishes the selected sentences from the others.

    Attributes:
        z: log-odds ratio, in standard errors.
        n: selected sentences that contain it.
        n_others: other sentences that contain it.
    """

    word: str
    z: float
    n: int
    n_others: int


class SelectionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A description of selected sentences; counts are in descending order.

    Attributes:
        n: sentences of the selection that are on the map.
        languages: sentences by language code.
        corpora: sentences by corpus id.
        classes: sentences by label; "" counts those without one.
        clusters: sentences by cluster number.
        words: distinctive words, most distinctive first; from a sample of a large
            selection.
        typical: ids of the sentences nearest to the mean of the selection.
    """

    n: int
    languages: list[tuple[str, int]]
    corpora: list[tuple[int, int]]
    classes: list[tuple[str, int]]
    clusters: list[tuple[int, int]]
    words: list[SelectionWord]
    typical: list[int]


class ComparisonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The differences of sentence neighbours between the encoders of two maps.

    Attributes:
        ids_file: array file of the project with int64 ids (n,), the most changed first.
        shares_file: array file with float32 (n,) in the same order: the share of the k
            nearest neighbours that both encoders have in common, 0…1.
        n: number of compared sentences.
        k: number of neighbours.
        n_shared: number of sentences on both maps; more than n if a sample was
            compared.
        mean: mean share.
        low, high: 95 % interval of the mean.
    """

    ids_file: str
    shares_file: str
    n: int
    k: int
    n_shared: int
    mean: float
    low: float
    high: float


class SimilarityAnswer(msgspec.Struct, frozen=True):
    """The cosine of every sentence of a map with one sentence.

    Attributes:
        file: array file of the project with float32 (n,), −1…1, in the order of the
            map's ids; NaN for removed corpora.
    """

    file: str
