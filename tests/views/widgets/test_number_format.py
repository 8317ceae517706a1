"""Numbers have one style in every view."""

import re
from pathlib import Path

import app.views
from app.views.widgets.number_format import (
    format_badge,
    format_percent,
    format_score,
)

# A number and an ordinary space, which can end a line; a sign without any space.
OTHER_STYLES = re.compile(r"\{[^{}]*\} %|\{[^{}]*:\.\d%\}|(?<!\{NO_BREAK)\}%")

# A cosine or a score by a format of its own; exports have four digits or more.
OTHER_SCORES = re.compile(
    r"\{[^{}]*\b_?(cosine|similarity|threshold|(hit|near|pair|one|row)\.score)\b"
    r"[^{}]*:\.[0-3{]"
)


def lines_with(style: re.Pattern[str]) -> list[str]:
    """Return the lines of the views that contain a style."""
    folder = Path(app.views.__path__[0])
    return [
        f"{file.relative_to(folder)}:{number}: {line.strip()}"
        for file in sorted(folder.rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if style.search(line)
    ]


def test_a_share_is_a_whole_number_of_per_cent_that_stays_in_its_line() -> None:
    assert format_percent(0.834) == "83\u00a0%"


def test_no_view_writes_per_cent_in_another_way() -> None:
    assert lines_with(OTHER_STYLES) == []


def test_a_cosine_has_two_digits_at_a_glance_and_three_where_it_is_compared() -> None:
    assert [format_badge(0.5714), format_score(0.5714)] == ["0.57", "0.571"]
    assert [format_badge(-0.2), format_score(1.0632)] == ["\u22120.20", "1.063"]


def test_no_view_writes_a_cosine_or_a_score_in_another_way() -> None:
    found = lines_with(OTHER_SCORES)
    assert [line for line in found if "number_format.py" not in line] == []
