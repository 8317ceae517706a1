"""What Edit carries about pairs: judgements, which are only ever appended."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Verdict = Literal["accept", "reject", "skip", "flag", ""]  # empty: none
Which = Literal[
    "all", "unjudged", "judged", "accept", "reject", "flag", "skip", "conflict"
]
Text = Annotated[str, Meta(max_length=20_000)]
Tag = Annotated[str, Meta(min_length=1, max_length=100)]
MAX_PAIRS = 2_000  # of one change; more are named by their scores


class _Change(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="change",
    forbid_unknown_fields=True,
):
    """Base of these changes."""


class JudgePairs(_Change, frozen=True, kw_only=True):
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
    source_text: Text | None = None
    target_text: Text | None = None
    note: Text | None = None
    add_tags: tuple[Tag, ...] = ()
    remove_tags: tuple[Tag, ...] = ()


class SwapRunnerUp(_Change, frozen=True, kw_only=True):
    """Put the runner-up in the place of one side of a pair; again: back."""

    pair: int
    side: Literal["source", "target"] = "target"


class JudgeRange(_Change, frozen=True, kw_only=True):
    """Judge all pairs of a mining whose score is in a range, at once.

    Attributes:
        lowest, highest: both are in the range; None: no bound.
        which: only those that are so judged now.
    """

    mining: int
    verdict: Verdict
    lowest: float | None = None
    highest: float | None = None
    which: Which = "unjudged"


class UndoJudgement(_Change, frozen=True, kw_only=True):
    """Append what held before a step, for each pair of it: the inverse of the above."""

    step: int


class RenameMining(_Change, frozen=True, kw_only=True):
    """Give a set of pairs another name."""

    mining: int
    name: Annotated[str, Meta(min_length=1, max_length=200)]


class SetMiningState(_Change, frozen=True, kw_only=True):
    """Delete sets of pairs (a mark) or bring them back."""

    minings: Annotated[tuple[int, ...], Meta(min_length=1)]
    state: Literal["ready", "deleted"]


class AddPair(_Change, frozen=True, kw_only=True):
    """Put two sentences together by hand: a pair to review, in a set of its own kind.

    Attributes:
        source, target: ids of the sentences.
        cosine: of their vectors, where it is known.
    """

    source: int
    target: int
    cosine: Annotated[float, Meta(ge=-1.001, le=1.001)] | None = None


class RemovePair(_Change, frozen=True, kw_only=True):
    """Take the newest pair of a set made by hand away: the inverse of the above."""

    pair: int


PairChange = (
    JudgePairs
    | SwapRunnerUp
    | JudgeRange
    | UndoJudgement
    | RenameMining
    | SetMiningState
    | AddPair
    | RemovePair
)
