"""Queries about corpora: import previews."""

from typing import Any

from app.protocol.answers.corpora import ImportPreview
from app.protocol.base import BaseQuery


class PreviewQuery(BaseQuery[ImportPreview], frozen=True, kw_only=True):
    """Request a preview of an import."""

    params: dict[str, Any]  # fields of ImportCorpus; languages may be missing
