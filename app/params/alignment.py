"""Params of the task that aligns two documents."""

from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName

Lines = Annotated[
    str,
    Meta(
        max_length=50,
        description="Only these lines of its file, such as 1-500; empty: all.",
    ),
]


class AlignDocuments(TaskParams, frozen=True, kw_only=True, tag="align-documents"):
    """Align two documents that are translations of each other in the same order."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    source: Annotated[
        str, Meta(min_length=1, description="Name or id of the source corpus.")
    ]
    target: Annotated[
        str, Meta(min_length=1, description="Name or id of the target corpus.")
    ]
    source_lines: Lines = ""
    target_lines: Lines = ""
    name: Annotated[
        str, Meta(max_length=200, description="Name of the result; empty: made.")
    ] = ""
    encoder: EncoderName = ""
    joined: Annotated[
        int,
        Meta(
            ge=1,
            le=4,
            description="Sentences in a row that a link may join on one side; both "
            "sides together have one more at most.",
        ),
    ] = 4
    skip: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Cost of a sentence without a translation, as a quantile of "
            "what sentences cost with their nearest: less leaves more of them alone.",
        ),
    ] = 0.5
    window: Annotated[
        int,
        Meta(
            ge=2,
            le=1_000,
            description="Sentences around a rough path in which the finer one is "
            "looked for.",
        ),
    ] = 10
    seed: Seed = 1
