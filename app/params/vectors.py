"""Params of the tasks that encode, search and explain similarity."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams, refers_to

EncoderName = Annotated[
    str,
    Meta(
        description="Encoder. Default: the one in use in the project, or else the "
        "bundled one.",
        extra=refers_to("encoder"),
    ),
]


class Encode(TaskParams, frozen=True, kw_only=True, tag="encode"):
    """Encode corpora: one vector per sentence, saved in the project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Corpora to encode.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ]
    encoder: EncoderName = ""


class Search(TaskParams, frozen=True, kw_only=True, tag="search"):
    """Find the sentences nearest in meaning to a text, in any language."""

    needs_project: ClassVar[bool] = True

    text: Annotated[str, Meta(min_length=1, description="Text to search for.")]
    k: Annotated[int, Meta(ge=1, le=10_000, description="Number of hits.")] = 10
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Search only these corpora.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        Meta(description="Search only this language.", extra={"option": "language"}),
    ] = ()
    encoder: EncoderName = ""
    words: Annotated[bool, Meta(description="Search for words instead of meaning.")] = (
        False
    )


class EvaluateTatoeba(TaskParams, frozen=True, kw_only=True, tag="evaluate-tatoeba"):
    """Measure retrieval error over a folder of Tatoeba test sets, as LASER does."""

    directory: Annotated[
        Path, Meta(description="Folder with tatoeba.CODE-eng.CODE and .eng files.")
    ]
    encoder: EncoderName = ""


class LookInside(TaskParams, frozen=True, kw_only=True, tag="look-inside"):
    """Compute what each token of two sentences contributes to their cosine."""

    text: Annotated[str, Meta(min_length=1, description="The first sentence.")]
    other: Annotated[
        str,
        Meta(
            description="The second sentence; by default the first is compared with "
            "itself."
        ),
    ] = ""
    encoder: EncoderName = ""
