"""Params of the task that looks inside sentences."""

from typing import Annotated

from msgspec import Meta

from app.params.base import TaskParams
from app.params.vectors import EncoderName


class LookInside(TaskParams, frozen=True, kw_only=True, tag="look-inside"):
    """Tell what each token of two sentences does for their cosine."""

    text: Annotated[str, Meta(min_length=1, description="The first sentence.")]
    other: Annotated[
        str,
        Meta(description="The second one; empty: the first is compared with itself."),
    ] = ""
    encoder: EncoderName = ""
