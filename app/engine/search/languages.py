"""Filters by language: a code asks for itself and for all that is written below it."""

from collections.abc import Sequence


def is_wanted(code: str, wanted: Sequence[str]) -> bool:
    """Tell whether a stored code passes a filter: `zh` takes `zh-Hans`; empty: all."""
    return not wanted or any(
        code == one or code.startswith(f"{one}-") for one in wanted
    )
