"""Entries of a map's legend."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.map.colouring import (
    FIELD,
    LENGTH,
    SIMILARITY,
    ColourColumn,
    colour_by_number,
)
from app.views.map.legend import legend_rows
from app.views.widgets.theme import LIGHT


def titles(key: str, values: list[float]) -> dict[str, int]:
    colouring = colour_by_number(ColourColumn(key, ""), np.array(values, np.float32))
    rows = legend_rows(colouring, (), LIGHT)
    assert sum(row.n for row in rows) == len(values)
    return {row.title: row.n for row in rows}


def test_years_are_whole_and_in_one_entry_each() -> None:
    years = [float(year) for year in range(2009, 2025) for _ in range(100)]
    assert titles(f"{FIELD}:year", years) == {
        f"{year} – {year + 1}": 200 if 2008 < year < 2024 else 100
        for year in range(2008, 2026, 2)
    }


@pytest.mark.parametrize(
    ("first", "last", "step"),
    [
        *((1840, 1849, 1), (1784, 1922, 20), (1801, 1900, 20), (1503, 2024, 100)),
        *((1788, 1999, 25), (1801, 1849, 5), (0, 950, 100), (1600, 1999, 50)),
    ],
)
def test_classes_of_years_begin_at_round_years(
    first: int, last: int, step: int
) -> None:
    rows = titles(f"{FIELD}:year", [float(year) for year in range(first, last + 1)])
    starts = range(first // step * step, last + 1, step)
    ends = [(start, start + step - 1) for start in starts]
    assert list(rows) == [f"{a} – {b}" if a < b else f"{a}" for a, b in ends]
    assert min(rows.values()) > 0


@given(
    st.lists(st.floats(-1e4, 1e4, width=32), min_size=2, max_size=50),
    st.booleans(),
)
def test_no_class_at_an_end_is_empty(values: list[float], is_whole: bool) -> None:
    known = [float(round(value)) if is_whole else value for value in values]
    rows = list(titles(f"{FIELD}:size", known).values())
    assert rows[0] > 0
    assert rows[-1] > 0


def test_entries_at_the_ends_name_outliers_and_points_without_a_year_have_one() -> None:
    years = [1840.0, *(float(year) for year in range(1841, 1921) for _ in range(50))]
    rows = titles(f"{FIELD}:year", [*years, 1930.0, *[float("nan")] * 7])
    first, *_, last, none = rows
    assert first.startswith("1840 – ")
    assert last.endswith(" – 1930")
    assert none == "No year"
    assert rows[none] == 7


def test_few_whole_numbers_have_an_entry_each() -> None:
    assert titles(f"{FIELD}:stars", [1.0, 2.0, 2.0, 3.0]) == {"1": 1, "2": 2, "3": 1}


@pytest.mark.parametrize("n", [5, 64, 1_000])
def test_entries_have_the_whole_numbers_of_their_titles(n: int) -> None:
    values = np.arange(n, dtype=np.float32)
    column = ColourColumn(LENGTH, "")
    colouring = colour_by_number(column, values)
    inside = values[(values > colouring.low) & (values < colouring.high)]
    for row in legend_rows(colouring, (), LIGHT):
        ends = [int(end.replace(",", "")) for end in row.title.split(" – ")]
        of_title = inside[(inside >= ends[0]) & (inside <= ends[-1])]
        of_codes = values[np.isin(colouring.codes, row.codes)]
        np.testing.assert_array_equal(of_title, of_codes[np.isin(of_codes, inside)])


def test_other_numbers_have_decimals() -> None:
    rows = titles(SIMILARITY, [0.0, 0.5, 1.0])
    assert list(rows)[-1] == "0.90 – 1.00"
    assert rows == {"0.00 – 0.10": 1, **dict.fromkeys(list(rows)[1:-1], 0)} | {
        "0.50 – 0.60": 1,
        "0.90 – 1.00": 1,
    }


def test_entries_of_numbers_close_together_have_different_titles() -> None:
    rows = titles(SIMILARITY, [0.991, 0.9921, 0.9932, 0.9999])
    assert list(rows)[:2] == ["0.991 – 0.992", "0.992 – 0.993"]
    assert list(rows)[-1] == "0.999 – 1.000"


def test_large_numbers_have_separators_and_years_have_none() -> None:
    rows = titles(f"{FIELD}:size", [2009.0, 12_000.0, 250_000.0])
    assert next(iter(rows)) == "0 – 24,999"
    assert list(rows)[-1].endswith("250,000")
    rows = titles(f"{FIELD}:weight", [0.5, 1_250.5])
    assert list(rows)[-1] == "1,200.00 – 1,400.00"
