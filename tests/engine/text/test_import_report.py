import numpy as np

from app.engine.exchange.import_report import (
    MAX_SAMPLE,
    Duplicate,
    LengthBin,
    SideTally,
    describe_lengths,
    list_repeated_lines,
)


def test_duplicates_name_both_lines() -> None:
    hashes = np.array([7, 5, 7, 9, 5, 7])
    lines = np.array([1, 2, 4, 5, 6, 9])

    assert list_repeated_lines(hashes, lines) == (
        Duplicate(4, 1),
        Duplicate(6, 2),
        Duplicate(9, 1),
    )


def test_near_duplicates_leave_out_equal_texts() -> None:
    alike = np.array([7, 7, 7, 9, 7])  # the text of lines 1 and 2 is the same
    equal = np.array([1, 1, 2, 3, 2])
    lines = np.array([1, 2, 4, 5, 8])

    found = list_repeated_lines(alike, lines, equal=equal)

    assert found == (Duplicate(4, 1),)


def test_lengths_are_described() -> None:
    lengths = describe_lengths(np.array([1, 2, 3, 8]))

    assert (lengths.shortest, lengths.median, lengths.longest) == (1, 2.5, 8)
    assert lengths.mean == 3.5
    assert lengths.histogram == (
        LengthBin(1, 1, 1),
        LengthBin(2, 3, 2),
        LengthBin(4, 7, 0),
        LengthBin(8, 15, 1),
    )


def test_sample_is_spread_over_the_whole_text() -> None:
    tally = SideTally()
    for block in range(100):
        tally.add_sample([f"{block}.{i}" for i in range(1000)])

    blocks = {text.split(".")[0] for text in tally.sample}
    assert MAX_SAMPLE / 2 <= len(tally.sample) <= MAX_SAMPLE
    assert len(blocks) == 100
