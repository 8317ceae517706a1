"""Queries about the tokens of sentences."""

from app.protocol.answers.attribution import TokensAnswer
from app.protocol.base import BaseQuery


class TokensQuery(BaseQuery[TokensAnswer], frozen=True, kw_only=True):
    """Request the contributions of the tokens of two sentences to their cosine.

    Attributes:
        first, second: texts; if the second is empty, the first is compared with itself.
        first_sentence, second_sentence: ids of sentences instead of texts.
    """

    first: str = ""
    second: str = ""
    first_sentence: int | None = None
    second_sentence: int | None = None
    encoder: str = ""
    requester: str = ""
