"""Params of the tasks about hits: concordances, and hit lists that are kept."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.words import Corpora, Languages

MatchMode = Literal["words", "regex"]
# L1 is the first word to the left of the hit, R1 the first to its right, N the hit.
SortKey = Literal["L1", "L2", "L3", "N", "R1", "R2", "R3", "position", "random"]


class Concordance(TaskParams, frozen=True, kw_only=True, tag="concordance"):
    """List where a word, phrase, prefix or regular expression stands."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str,
        Meta(
            max_length=1_000,
            description="A word, a phrase, haus*, *ung, lemma:go, pos:VERB; or, with "
            "--mode regex, a regular expression.",
        ),
    ] = ""
    hits: Annotated[
        str,
        Meta(
            description="Name or id of a kept list: its lines, in its order, in the "
            "place of a search."
        ),
    ] = ""
    mode: Annotated[
        MatchMode, Meta(description="Words, or a regular expression over the text.")
    ] = "words"
    case: Annotated[bool, Meta(description="Tell capitals from small letters.")] = False
    corpora: Corpora = ()
    languages: Languages = ()
    sort: Annotated[
        tuple[SortKey, ...],
        Meta(
            max_length=3,
            description="Word that orders the lines: L1, R1 …, N (the hit), position "
            "or random; repeat it for up to three.",
        ),
    ] = ()
    top: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Lines at most; all are counted.")
    ] = 200
    near: Annotated[
        tuple[str, ...],
        Meta(
            description="Language in which each line's nearest sentence is given.",
        ),
    ] = ()
    context: Annotated[
        int,
        Meta(ge=0, le=50, description="Sentences before and after in what is written."),
    ] = 0
    out: Annotated[
        Path | None,
        Meta(description="File to write: .tsv, .xlsx or .docx."),
    ] = None
    save: Annotated[
        str,
        Meta(max_length=200, description="Keep the hits in the project by this name."),
    ] = ""
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Tell whether hits are kept, which writes the project."""
        return bool(self.save)


class MoveHits(TaskParams, frozen=True, kw_only=True, tag="move-hits"):
    """Find the hits of a kept list again in a corpus that was imported anew."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    hits: Annotated[str, Meta(description="Name or id of the list.")]
    corpus: Annotated[
        str, Meta(description="Name or id of the corpus where they are looked for.")
    ]
    name: Annotated[
        str,
        Meta(
            max_length=200, description="New list's name; empty: “old name in corpus”."
        ),
    ] = ""
