"""Answers about the findings of quality checks."""

import msgspec


class FindingsAnswer(msgspec.Struct, frozen=True):
    """Findings of a check.

    Attributes:
        file: a .npy file of their int64 indices in the run, (n,).
    """

    file: str
    n: int
