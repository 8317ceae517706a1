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
        n_by_verdict: pairs by verdict ("": not judged), regardless of the selected
            verdict.
        n_in_set: all pairs of the set by verdict, regardless of filters.
    """

    file: str
    n: int
    n_by_verdict: dict[str, int]
    n_in_set: dict[str, int] = {}


class MatchedWord(msgspec.Struct, frozen=True):
    """A word of a text and its most similar word on the other side.

    Attributes:
        start, end: start and end in the current text, in characters.
        similarity: cosine; None: the word has no vector.
        match: index of the other word in its list.
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
    """A nearest neighbour of one side of a pair: id and cosine."""

    sentence: int
    cosine: float


class RunnerUp(msgspec.Struct, frozen=True):
    """The second-best sentence for one side: id and score."""

    sentence: int
    score: float | None


class PairExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """An explanation of a pair's score.

    Attributes:
        pair: its id.
        margin: margin of the pair set; empty: a package without scores.
        cosine: the numerator of the score.
        source_mean, target_mean: mean cosine with the k nearest neighbours.
        denominator: denominator of the score; None for the absolute margin.
        text: explanation of these parts in a sentence.
        source_neighbours: nearest targets of the source, nearest first.
        target_neighbours: nearest sources of the target.
        runner_up: runner-up for the source; None: none.
        reverse: runner-up for the target; None: none.
        length_ratio: characters of the longer text divided by those of the shorter.
        words: matched words; None: they can't be compared.
        words_text: how the words were compared.
        notes: missing parts and the reasons.
        scored: first sentences of the scored source and target: the current sentences,
            unless they can't be scored.
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
        n: judgements at or above the threshold.
        n_kept: pairs at or above the threshold.
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
        advice: lowest threshold with the target precision; None: none.
        text: advice in a sentence.
        warning: warning; may be empty.
        tip: suggestion of another order; may be empty.
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
    """A measure of agreement with its 95 % interval; None if it can't be estimated."""

    value: float
    low: float | None
    high: float | None


class PairExportPreview(msgspec.Struct, frozen=True):
    """A preview of an export of pairs.

    Attributes:
        n: number of pairs; in large sets including pairs without a text.
        rows: source and target of the first pairs.
        notice: sentence on the default selection of pairs; may be empty.
        verdicts: verdicts of the default selection; empty if verdicts were chosen.
        counts: pairs by verdict ("": not judged).
    """

    n: int
    rows: list[tuple[str, str]]
    notice: str
    verdicts: tuple[WantedVerdict, ...] = ()
    counts: dict[str, int] = {}


class AgreementAnswer(msgspec.Struct, frozen=True):
    """The agreement of annotators on the pairs that several judged.

    Attributes:
        annotators: everyone who judged pairs of the set.
        n_shared: pairs that two or more judged independently.
        raw: share of equal judgements; None: no judgements.
        kappa: Cohen's kappa.
        alpha: Krippendorff's alpha.
        n_conflicts: pairs to resolve.
        text: summary in a sentence.
        n_undecided: other pairs that an annotator flagged or skipped.
        n_as_range: other pairs judged as part of a range of scores.
        n_single: other pairs judged by one annotator.
        flagged_by_others: pairs flagged by others and not flagged here, by annotator.
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
    """An estimate of time and memory for mining on this machine.

    Attributes:
        seconds: total time; None: unknown until the index is built.
        memory_bytes: peak memory of the engine, with the index.
        n_sources, n_targets: number of sentences, including duplicates.
        text: estimate in a sentence.
    """

    seconds: float | None
    memory_bytes: int
    n_sources: int
    n_targets: int
    text: str


class FilterStep(msgspec.Struct, frozen=True):
    """The effect of one filter of a recipe.

    Attributes:
        filter: line of the filter.
        n_left: pairs left after the filter.
        n_removed: pairs removed from those left by earlier filters.
        n_alone: pairs that the filter alone would remove.
        examples: first removed pairs: indices, or ids in an answer.
        was_known: whether the result was cached.
    """

    filter: str
    n_left: int
    n_removed: int
    n_alone: int
    examples: list[int]
    was_known: bool


class RecipePreview(msgspec.Struct, frozen=True):
    """The effect of a recipe on a sample: its size, and each step."""

    pairs: int
    steps: list[FilterStep]


class SimilarTexts(msgspec.Struct, frozen=True):
    """The ids of two corpora with similar content; 0: none."""

    source: int = 0
    target: int = 0
