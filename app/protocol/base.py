"""Base structs of edits and queries, tagged by the name of the struct."""

import msgspec


class BaseChange(
    msgspec.Struct, frozen=True, tag_field="change", forbid_unknown_fields=True
):
    """Base of every change."""


class BaseQuery(
    msgspec.Struct, frozen=True, tag_field="query", forbid_unknown_fields=True
):
    """Base of every query; the latest of a kind wins."""
