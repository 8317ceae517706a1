"""Answers to queries about pairs, their review, and mining."""

from typing import Literal

import msgspec

from app.params.mining import MarginName
from app.params.pairs import WantedVerdict


class QueueAnswer(msgspec.Struct, frozen=True):
    """The pairs of a queue.

    Attributes:
        file: array file of the project with int64 ids (n,), in order.
        n: number of pairs.
        n_by_verdict: pairs by verdict, "" for not judged, whatever verdict is selected.
        n_in_set: all pairs of the set by verdict, whatever is selected.
    """

    file: str
    n: int
    n_by_verdict: dict[str, int]
    n_in_set: dict[str, int] = {}


class MatchedWord(msgspec.Struct, frozen=True):
    """A word of a text and its most similar word on the other side.

    Attributes:
        start, end: characters of the current text.
        similarity: cosine; None: the word has no vector.
        match: position of the other word in its list.
    """

    start: int
    end: int
    similarity: float | None
    match: int | None = None


class MatchedWords(msgspec.Struct, frozen=True):
    """The words of both texts."""

    source: list[MatchedWord]
    target: list[MatchedWord]


class PairNeighbour(msgspec.Struct, frozen=True):
    """A sentence near one side of a pair: its id and cosine."""

    sentence: int
    cosine: float


class RunnerUp(msgspec.Struct, frozen=True):
    """The second-best sentence for one side: its id and score."""

    sentence: int
    score: float | None


class PairExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a pair has its score.

    Attributes:
        pair: its id.
        margin: of the pair set; empty: a package without scores.
        cosine: the numerator of the score.
        source_mean, target_mean: mean cosine with the k nearest neighbours.
        denominator: None for the absolute margin.
        text: these in a sentence.
        source_neighbours: targets nearest to the source, the nearest first.
        target_neighbours: sources nearest to the target.
        runner_up: for the source; None: there is none.
        reverse: runner-up for the target.
        length_ratio: characters of the longer by those of the shorter text.
        words: matched words; None: they can't be compared.
        words_text: how the words were compared.
        notes: what could not be computed, and why.
        scored: first sentences of the source and target that score, cosine and means
            belong to: the current ones, unless these can't be scored.
    """

    pair: int
    score: float
    margin: MarginName | Literal[""]
    cosine: float
    source_mean: float
    target_mean: float
    denominator: float | None
    text: str
    source_neighbours: list[PairNeighbour]
    target_neighbours: list[PairNeighbour]
    runner_up: RunnerUp | None = None
    reverse: RunnerUp | None = None
    length_ratio: float | None = None
    words: MatchedWords | None = None
    words_text: str = ""
    notes: list[str] = []
    scored: tuple[int, int] = (0, 0)


class PrecisionPoint(msgspec.Struct, frozen=True):
    """Precision of the pairs at or above a threshold, with its 95 % interval.

    Attributes:
        n: judgements at or above it.
        n_kept: pairs at or above it.
    """

    threshold: float
    precision: float
    low: float
    high: float
    n: int
    n_kept: int


class ThresholdAnswer(msgspec.Struct, frozen=True):
    """The threshold that the judgements suggest.

    Attributes:
        n_judged: accepted or rejected pairs.
        curve: precision by threshold, the highest threshold first.
        advice: the lowest threshold with the target precision; None: there is none.
        text: the advice in a sentence.
        warning: may be empty.
        tip: what other order helps; may be empty.
    """

    n_judged: int
    curve: list[PrecisionPoint]
    advice: PrecisionPoint | None
    text: str
    warning: str = ""
    tip: str = ""


class AnnotatorCount(msgspec.Struct, frozen=True):
    """An annotator and the number of pairs they judged; no name: the user."""

    who: str
    n: int


class AgreementFigure(msgspec.Struct, frozen=True):
    """A measure of agreement with its 95 % interval; None: can't be estimated."""

    value: float
    low: float | None
    high: float | None


class PairExportPreview(msgspec.Struct, frozen=True):
    """What an export of pairs would write.

    Attributes:
        n: pairs; of large sets those without a text are still counted.
        rows: source and target of the first ones.
        notice: a sentence on which pairs are the default; may be empty.
        verdicts: of the pairs that are included by default; empty if some were named.
        counts: pairs by verdict, with the empty one of pairs that are not judged.
    """

    n: int
    rows: list[tuple[str, str]]
    notice: str
    verdicts: tuple[WantedVerdict, ...] = ()
    counts: dict[str, int] = {}


class AgreementAnswer(msgspec.Struct, frozen=True):
    """How far annotators agree on the pairs that several judged.

    Attributes:
        annotators: everyone who judged pairs of the set.
        n_shared: pairs that two or more judged independently.
        raw: share of equal judgements; None: there are none.
        kappa: Cohen's kappa.
        alpha: Krippendorff's alpha.
        n_conflicts: pairs to resolve.
        text: all of this in a sentence.
        n_undecided: other pairs, which somebody flagged or skipped.
        n_as_range: other pairs, which somebody judged with a range of scores.
        n_single: other pairs, which one annotator judged.
        flagged_by_others: pairs of another verdict, or none, that others flagged, by
            name.
    """

    annotators: list[AnnotatorCount]
    n_shared: int
    raw: AgreementFigure | None
    kappa: AgreementFigure | None
    alpha: AgreementFigure | None
    n_conflicts: int
    text: str
    n_undecided: int = 0
    n_as_range: int = 0
    n_single: int = 0
    flagged_by_others: dict[str, int] = {}


class MiningPlan(msgspec.Struct, frozen=True):
    """An estimate of what mining needs on this machine.

    Attributes:
        seconds: in total; None: not known before the index is built.
        memory_bytes: peak memory of the engine, with the index.
        n_sources, n_targets: sentences; duplicates count each.
        text: the estimate in a sentence.
    """

    seconds: float | None
    memory_bytes: int
    n_sources: int
    n_targets: int
    text: str


class FilterStep(msgspec.Struct, frozen=True):
    """What one filter of a recipe did.

    Attributes:
        filter: its line.
        n_left: pairs after it.
        n_removed: pairs that it removed of those before it.
        n_alone: pairs that it would remove of all pairs.
        examples: the first pairs that it removed: positions, or ids in an answer.
        was_known: its result was cached.
    """

    filter: str
    n_left: int
    n_removed: int
    n_alone: int
    examples: list[int]
    was_known: bool


class RecipePreview(msgspec.Struct, frozen=True):
    """What the filters of a recipe do to a sample: its size, and each step."""

    pairs: int
    steps: list[FilterStep]


class SimilarTexts(msgspec.Struct, frozen=True):
    """The ids of two corpora of similar content; 0: there are none."""

    source: int = 0
    target: int = 0
