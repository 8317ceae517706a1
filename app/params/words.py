"""Params of the tasks that count words: index, frequencies, collocates, keyness."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams

Layer = Literal["word", "form", "lemma", "pos"]
Corpora = Annotated[
    tuple[str, ...],
    Meta(
        description="Name or id of a corpus, or name of a sub-corpus; none: all.",
        extra={"option": "corpus"},
    ),
]
LayerField = Annotated[
    Layer,
    Meta(
        description="What is counted: words whatever their case, forms as they are "
        "written, lemmas or parts of speech (where CoNLL-U gave them)."
    ),
]
Languages = Annotated[
    tuple[str, ...],
    Meta(description="Only in this language.", extra={"option": "language"}),
]
Top = Annotated[int, Meta(ge=1, le=1_000_000, description="Rows at most.")]
SortCollocates = Literal["log-likelihood", "log-dice", "t-score", "frequency"]


class IndexWords(TaskParams, frozen=True, kw_only=True, tag="index-words"):
    """Index the words of corpora, so that concordances and counts take a moment."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()


class Frequencies(TaskParams, frozen=True, kw_only=True, tag="frequencies"):
    """Count words or n-grams, and how evenly documents share them."""

    needs_project: ClassVar[bool] = True

    corpora: Corpora = ()
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[
        int, Meta(ge=1, le=6, description="Words in a row that are counted together.")
    ] = 1
    find: Annotated[
        str, Meta(description="Only those that match: haus*, *ung, a regular /x/.")
    ] = ""
    min_count: Annotated[int, Meta(ge=1, description="Rarer ones are left out.")] = 1
    top: Top = 100


class Collocates(TaskParams, frozen=True, kw_only=True, tag="collocates"):
    """Find the words that stand near a word more often than chance would have them."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str, Meta(min_length=1, description="Word, phrase or prefix (haus*).")
    ]
    corpora: Corpora = ()
    languages: Languages = ()
    left: Annotated[
        int, Meta(ge=0, le=20, description="Words to the left that are looked at.")
    ] = 5
    right: Annotated[
        int, Meta(ge=0, le=20, description="Words to the right that are looked at.")
    ] = 5
    layer: LayerField = "word"
    order_by: Annotated[SortCollocates, Meta(description="Score that ranks them.")] = (
        "log-likelihood"
    )
    min_count: Annotated[
        int, Meta(ge=1, description="Found so often near the word at least.")
    ] = 2
    top: Top = 50


class Keyness(TaskParams, frozen=True, kw_only=True, tag="keyness"):
    """Compare corpora: the words that mark the ones against the others."""

    needs_project: ClassVar[bool] = True

    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Name or id of a corpus, or name of a sub-corpus.",
            extra={"option": "corpus"},
        ),
    ]
    against: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="What it is compared with, in that form."),
    ]
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[
        int, Meta(ge=1, le=6, description="Words in a row that are counted together.")
    ] = 1
    min_count: Annotated[
        int, Meta(ge=1, description="Found so often in both together at least.")
    ] = 5
    top: Top = 100
