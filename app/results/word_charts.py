"""Build the charts of word lists: frequencies, collocates and keyness."""

from collections.abc import Sequence

from app.protocol.answers.words import (
    CollocateRow,
    FrequencyRow,
    KeywordRow,
    WordRow,
)
from app.results.charts import Bar, BarChart

N_BARS = 25  # the first rows of a list


def draw_word_list(rows: Sequence[WordRow]) -> BarChart | None:
    """Return a chart of the first rows of a list; None for equivalents."""
    shown = rows[:N_BARS]
    labels = tuple(row.item for row in shown)
    frequencies = [row for row in shown if isinstance(row, FrequencyRow)]
    if frequencies:
        if any(row.per_million is None for row in frequencies):
            counts = tuple(Bar(float(row.n)) for row in frequencies)
            return BarChart("Frequencies", "occurrences", labels, {"count": counts})
        bars = tuple(
            Bar(row.per_million or 0.0, row.low, row.high) for row in frequencies
        )
        return BarChart(
            "Frequencies",
            "per million words",
            labels,
            {"per million": bars},
            note="Lines: 95\u00a0% confidence intervals",
        )
    collocates = [row for row in shown if isinstance(row, CollocateRow)]
    if collocates:
        sides = {
            "left": tuple(Bar(float(row.n_left)) for row in collocates),
            "right": tuple(Bar(float(row.n_right)) for row in collocates),
        }
        return BarChart(
            "Left and right",
            "occurrences near the word",
            labels,
            sides,
            note="Occurrences left and right of the word.",
        )
    keywords = [row for row in shown if isinstance(row, KeywordRow)]
    if keywords:
        bars = tuple(Bar(row.log_ratio, row.low, row.high) for row in keywords)
        return BarChart(
            "Effect size",
            "log ratio",
            labels,
            {"log ratio": bars},
            note="1: twice as frequent. Lines: 95\u00a0% intervals.",
        )
    return None
