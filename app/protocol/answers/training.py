"""Answers about the data of trainings."""

import msgspec


class PairLanguages(msgspec.Struct, frozen=True):
    """Warnings of pair files whose texts are not in the languages of their names."""

    warnings: tuple[str, ...] = ()
