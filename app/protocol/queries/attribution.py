"""Queries about the tokens of sentences."""

from typing import Any

from app.protocol.base import BaseQuery


class TokensQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """The tokens of two sentences, and what each does for their cosine.

    The answer: {"encoder", "pooling", "cosine", "first": {"text", "tokens": [{"name",
    "contribution" (to the cosine, or null), "wins" (share of the dimensions of the
    maximum, 0…1, or null), "best": place of the most alike token of the other sentence,
    "similarity": their cosine}], "rest": what no token contributes, or null (all
    contributions and both rests: see `engine.look.inside`)}, "second": the same,
    "file": a .npy of float32 with all matrices one after the other, "matrices":
    [{"name": similarity, inner attention or layer N, "side": first, second or both,
    "head": from 1, 0 where it has none, "at": where it begins in the file, "shape",
    "entropy": or null}], "how": sentences on how it was made, "notes": what can't be
    told and why}.

    Attributes:
        first, second: texts; an empty second one: the first is compared with itself.
        first_sentence, second_sentence: ids of sentences in place of texts.
    """

    first: str = ""
    second: str = ""
    first_sentence: int | None = None
    second_sentence: int | None = None
    encoder: str = ""
    asker: str = ""  # the part of the window that asks: its questions are a kind apart
