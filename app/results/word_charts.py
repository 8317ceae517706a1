"""Build the charts of word lists: frequencies, collocates and keyness."""

from collections.abc import Sequence
from typing import Any

from app.results.charts import Bar, BarChart

N_BARS = 25  # the first rows of a list
Row = dict[str, Any]


def draw_word_list(page: str, rows: Sequence[Row]) -> BarChart | None:
    """Draw the first rows of a list; None where a picture tells nothing."""
    shown = rows[:N_BARS]
    if not shown:
        return None
    labels = tuple(str(row["item"]) for row in shown)
    match page:
        case "frequencies":
            bars = [Bar(row["per_million"], row["low"], row["high"]) for row in shown]
            return BarChart(
                "Frequencies",
                "per million words",
                labels,
                {"per million": tuple(bars)},
                note="Lines are the 95 % interval of each estimate.",
            )
        case "collocates":
            sides = {
                "left of it": tuple(Bar(float(row["n_left"])) for row in shown),
                "right of it": tuple(Bar(float(row["n_right"])) for row in shown),
            }
            return BarChart(
                "Left and right",
                "times near the word",
                labels,
                sides,
                note="How often each collocate stands on either side.",
            )
        case "keyness":
            bars = [Bar(row["log_ratio"], row["low"], row["high"]) for row in shown]
            return BarChart(
                "Effect size",
                "log ratio",
                labels,
                {"log ratio": tuple(bars)},
                note="1 is twice as frequent here; lines are the 95 % interval.",
            )
    return None
