"""Queries about corpora to import."""

from typing import Any

from app.protocol.base import BaseQuery


class PreviewQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What an import would read: the answer is a `text.preview.Preview` as JSON."""

    params: dict[str, Any]  # ImportCorpus, perhaps without languages yet
