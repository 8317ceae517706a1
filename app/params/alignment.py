"""Params of the task that aligns two documents."""

from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.vectors import EncoderName

Lines = Annotated[
    str,
    Meta(
        max_length=50,
        description="Align only these lines of the file, such as 1-500.",
    ),
]


class AlignDocuments(TaskParams, frozen=True, kw_only=True, tag="align-documents"):
    """Align two documents that are translations of each other in the same order."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    source: Annotated[
        str,
        Meta(min_length=1, description="Source corpus.", extra=refers_to("corpus")),
    ]
    target: Annotated[
        str,
        Meta(min_length=1, description="Target corpus.", extra=refers_to("corpus")),
    ]
    source_lines: Lines = ""
    target_lines: Lines = ""
    name: Annotated[
        str,
        Meta(
            max_length=200,
            description="Name of the alignment; by default made from the corpora.",
        ),
    ] = ""
    encoder: EncoderName = ""
    joined: Annotated[
        int,
        Meta(
            ge=1,
            le=4,
            description="Maximum number of consecutive sentences joined on one side of "
            "a link; both sides together have at most one more.",
        ),
    ] = 4
    skip: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Cost of a sentence without a translation, as a quantile of "
            "the costs of nearest sentences; lower values leave more unlinked.",
        ),
    ] = 0.55
    window: Annotated[
        int,
        Meta(
            ge=2,
            le=1_000,
            description="Number of sentences around the rough path to search for the "
            "finer path.",
        ),
    ] = 10
    seed: Seed = 1
