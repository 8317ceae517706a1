"""Queries about encoders."""

from app.protocol.answers.encoders import EncoderListing
from app.protocol.answers.search import WarmUpAnswer
from app.protocol.base import BaseQuery


class EncodersQuery(BaseQuery[EncoderListing], frozen=True):
    """Request the encoders that the project can use."""


class WarmQuery(BaseQuery[WarmUpAnswer], frozen=True, kw_only=True):
    """Load the encoder and map the vectors, so that the first search is fast."""

    encoder: str = ""
    reranker: str = ""
