"""What became of the pairs of each file, as numbers and as sentences."""

from collections.abc import Iterator, Sequence

import msgspec

WARNED_COPIES = 0.1  # share of lines with equal columns
N_NAMED = 8  # languages named in a note


class PairCounts(msgspec.Struct, frozen=True):
    """What became of the pairs of one file.

    Attributes:
        language: of its second column, or the file's name where that does not tell.
        n_read: lines.
        n_trained: pairs to train on.
        n_development: held out to measure on.
        n_left_out: pairs with a sentence of a file or corpus that is kept out.
        n_repeats: further pairs with a sentence of a pair that is measured on.
        n_blank: lines of which a column is empty.
        n_copied: pairs of equal columns; they stay.
    """

    language: str
    n_read: int
    n_trained: int
    n_development: int
    n_left_out: int
    n_repeats: int
    n_blank: int
    n_copied: int


def describe_counts(counts: Sequence[PairCounts]) -> Iterator[str]:
    """Say in sentences what was left out and what looks wrong."""
    for field, words in (
        ("n_left_out", "pairs hold a sentence that is kept out and were left out"),
        ("n_repeats", "pairs hold a sentence that is measured on and were left out"),
        ("n_blank", "lines have an empty column and were left out"),
    ):
        numbers = {c.language: getattr(c, field) for c in counts if getattr(c, field)}
        if numbers:
            yield f"{sum(numbers.values()):,} {words} ({_name_largest(numbers)})."
    copied = {
        c.language: c.n_copied
        for c in counts
        if c.n_copied >= WARNED_COPIES * max(1, c.n_read)
    }
    if copied:
        yield (
            f"{sum(copied.values()):,} pairs have equal columns, perhaps copies of the "
            f"source ({_name_largest(copied)})."
        )


def describe_unmeasured(counts: Sequence[PairCounts]) -> str:
    """Name the languages of which nothing was held out; empty: there are none."""
    numbers = {c.language: c.n_trained for c in counts if not c.n_development}
    if not numbers:
        return ""
    return (
        "Too few different pairs to hold some out and measure on: "
        f"{_name_largest(numbers)}."
    )


def _name_largest(numbers: dict[str, int]) -> str:
    """Name the languages with the largest numbers: deu 12, fra 3 and 4 more."""
    largest = sorted(numbers.items(), key=lambda item: -item[1])
    named = ", ".join(f"{name} {number:,}" for name, number in largest[:N_NAMED])
    n_more = len(largest) - N_NAMED
    return f"{named} and {n_more} more" if n_more > 0 else named
