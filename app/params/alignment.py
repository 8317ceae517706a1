"""Params of the task that aligns two documents."""

from typing import Annotated

from app.params.base import Seed, SourceCorpus, WritingTask, option
from app.params.vectors import EncoderName

Lines = Annotated[
    str, option("Align only these lines of the file, such as 1-500.", max_length=50)
]


class AlignDocuments(WritingTask, frozen=True, kw_only=True, tag="align-documents"):
    """Align two documents that are translations of each other in the same order."""

    source: SourceCorpus
    target: Annotated[str, option("Target corpus.", min_length=1, refers_to="corpus")]
    source_lines: Lines = ""
    target_lines: Lines = ""
    name: Annotated[
        str,
        option(
            "Name of the alignment; by default made from the corpora.", max_length=200
        ),
    ] = ""
    encoder: EncoderName = ""
    joined: Annotated[
        int,
        option(
            "Maximum number of consecutive sentences joined on one side of a link; "
            "both sides together have at most one more.",
            ge=1,
            le=4,
        ),
    ] = 4
    skip: Annotated[
        float,
        option(
            "Cost of a sentence without a translation, as a quantile of the costs of "
            "nearest sentences; lower values leave more unlinked.",
            ge=0,
            le=1,
        ),
    ] = 0.55
    window: Annotated[
        int,
        option(
            "Number of sentences around the rough path to search for the finer path.",
            ge=2,
            le=1_000,
        ),
    ] = 10
    seed: Seed = 1
