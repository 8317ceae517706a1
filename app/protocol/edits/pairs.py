"""Edits of pairs and pair sets; judgements are appended, never replaced."""

from typing import Annotated, Literal

from msgspec import Meta

from app.params.pairs import JudgementFilter
from app.protocol.base import BaseChange, Name, RowState

Verdict = Literal["accept", "reject", "skip", "flag", ""]  # empty: none
MAX_TEXT, MAX_TAG = 20_000, 100  # characters
PairText = Annotated[str, Meta(max_length=MAX_TEXT)]
AnnotatorName = Annotated[str, Meta(max_length=200)]
PairTag = Annotated[str, Meta(min_length=1, max_length=MAX_TAG)]
MAX_PAIRS = 2_000  # per change; larger changes use a range of scores


class JudgePairs(BaseChange, frozen=True, kw_only=True):
    """Judge pairs: change the given values, and keep all others.

    Attributes:
        pairs: ids of the pairs.
        verdict: new verdict; None: unchanged; empty: withdrawn.
        source_text, target_text: edited texts; None: unchanged; empty: as imported.
        note: new note; None: unchanged; empty: removed.
        add_tags, remove_tags: names.
    """

    pairs: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_PAIRS)]
    verdict: Verdict | None = None
    source_text: PairText | None = None
    target_text: PairText | None = None
    note: PairText | None = None
    add_tags: tuple[PairTag, ...] = ()
    remove_tags: tuple[PairTag, ...] = ()


class SwapRunnerUp(BaseChange, frozen=True, kw_only=True):
    """Swap the runner-up in or out on one side of a pair; resets the verdict."""

    pair: int
    side: Literal["source", "target"] = "target"


class JudgeRange(BaseChange, frozen=True, kw_only=True):
    """Judge all pairs of a mining whose score is in a range, at once.

    Attributes:
        lowest, highest: inclusive bounds of the range; None: no bound.
        which: only pairs with this current verdict.
    """

    mining: int
    verdict: Verdict
    lowest: float | None = None
    highest: float | None = None
    which: JudgementFilter = "unjudged"


class CopyJudgements(BaseChange, frozen=True, kw_only=True):
    """Copy the judgements of the same two sentences in other pair sets.

    Pairs of the set with a verdict or an edited text are not changed.
    """

    mining: int


class UndoJudgement(BaseChange, frozen=True, kw_only=True):
    """Append the states before a step for its pairs: the inverse of the above."""

    step: int


class SetMerge(BaseChange, frozen=True, kw_only=True):
    """Withdraw the judgements merged from a package, or merge them again.

    Attributes:
        step: step that applied judgements to pairs not judged here; 0: none.
        first_opinion, last_opinion: ids of the opinions of the merge.
        is_merged: whether to merge the opinions again; otherwise withdraw them.
    """

    step: int
    first_opinion: int
    last_opinion: int
    is_merged: bool = False


class RenameAnnotator(BaseChange, frozen=True, kw_only=True):
    """Rename the annotator of judgements made in this project.

    Attributes:
        old, new: names; empty: no name.
        until: id of the newest judgement to rename, which makes the edit the
            inverse of a renaming; None: all.
    """

    old: AnnotatorName
    new: AnnotatorName
    until: int | None = None


class RenameMining(BaseChange, frozen=True, kw_only=True):
    """Rename a pair set."""

    mining: int
    name: Name


class SetMiningState(BaseChange, frozen=True, kw_only=True):
    """Mark pair sets as deleted, or restore them."""

    minings: Annotated[tuple[int, ...], Meta(min_length=1)]
    state: RowState


class AddPair(BaseChange, frozen=True, kw_only=True):
    """Add a manual pair of two sentences, to review in a set of manual pairs.

    Attributes:
        source, target: ids of the sentences.
        cosine: cosine of their vectors, if known.
    """

    source: int
    target: int
    cosine: Annotated[float, Meta(ge=-1.001, le=1.001)] | None = None


class RemovePair(BaseChange, frozen=True, kw_only=True):
    """Remove the newest pair of a manual set: the inverse of the above."""

    pair: int


PairChange = (
    JudgePairs
    | SwapRunnerUp
    | JudgeRange
    | CopyJudgements
    | UndoJudgement
    | SetMerge
    | RenameAnnotator
    | RenameMining
    | SetMiningState
    | AddPair
    | RemovePair
)
