"""Entries of a map's legend."""

import numpy as np
import pytest

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
        f"{year} – {year + 1}": 200 for year in range(2009, 2025, 2)
    }


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
    assert list(rows)[-1] == f"{0.99 * 7 / 8 + 0.01 / 8:.2f} – 0.99"
