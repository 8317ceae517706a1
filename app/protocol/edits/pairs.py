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
MAX_PAIRS = 2_000  # of one change; more are named by their scores


class JudgePairs(BaseChange, frozen=True, kw_only=True):
    """Judge pairs: what is given holds from now on, the rest stays as it is.

    Attributes:
        pairs: ids.
        verdict: None: as it is; empty: taken back.
        source_text, target_text: as edited; None: as it is; empty: as imported.
        note: None: as it is; empty: taken away.
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
    """Put the runner-up in the place of one side of a pair, not judged; again: back."""

    pair: int
    side: Literal["source", "target"] = "target"


class JudgeRange(BaseChange, frozen=True, kw_only=True):
    """Judge all pairs of a mining whose score is in a range, at once.

    Attributes:
        lowest, highest: both are in the range; None: no bound.
        which: only those that are so judged now.
    """

    mining: int
    verdict: Verdict
    lowest: float | None = None
    highest: float | None = None
    which: JudgementFilter = "unjudged"


class CopyJudgements(BaseChange, frozen=True, kw_only=True):
    """Copy the judgements of the same two sentences in other pair sets.

    Pairs of the set that have a verdict or an edited text stay as they are.
    """

    mining: int


class UndoJudgement(BaseChange, frozen=True, kw_only=True):
    """Append what held before a step, for each pair of it: the inverse of the above."""

    step: int


class SetMerge(BaseChange, frozen=True, kw_only=True):
    """Withdraw the judgements that a package brought, or merge them again.

    Attributes:
        step: that applied judgements to pairs not judged here; 0: none did.
        first_opinion, last_opinion: ids of the opinions of the merge.
        is_merged: merge them again; otherwise withdraw them.
    """

    step: int
    first_opinion: int
    last_opinion: int
    is_merged: bool = False


class RenameAnnotator(BaseChange, frozen=True, kw_only=True):
    """Rename the annotator of the judgements that were made in this project.

    Attributes:
        old, new: the names; empty: no name.
        until: id of the newest judgement that has the old name; None: of all. It makes
            the edit the inverse of a renaming.
    """

    old: AnnotatorName
    new: AnnotatorName
    until: int | None = None


class RenameMining(BaseChange, frozen=True, kw_only=True):
    """Rename a pair set."""

    mining: int
    name: Name


class SetMiningState(BaseChange, frozen=True, kw_only=True):
    """Delete sets of pairs (a mark) or bring them back."""

    minings: Annotated[tuple[int, ...], Meta(min_length=1)]
    state: RowState


class AddPair(BaseChange, frozen=True, kw_only=True):
    """Put two sentences together by hand: a pair to review, in a set of its own kind.

    Attributes:
        source, target: ids of the sentences.
        cosine: of their vectors, where it is known.
    """

    source: int
    target: int
    cosine: Annotated[float, Meta(ge=-1.001, le=1.001)] | None = None


class RemovePair(BaseChange, frozen=True, kw_only=True):
    """Take the newest pair of a set made by hand away: the inverse of the above."""

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
