"""Numbers have one style in every view."""

import re
from pathlib import Path

import app.views
from app.views.widgets.number_format import format_percent

# A number and an ordinary space, which can end a line; a sign without any space.
OTHER_STYLES = re.compile(r"\{[^{}]*\} %|\{[^{}]*:\.\d%\}|(?<!\{NO_BREAK)\}%")


def test_a_share_is_a_whole_number_of_per_cent_that_stays_in_its_line() -> None:
    assert format_percent(0.834) == "83\u00a0%"


def test_no_view_writes_per_cent_in_another_way() -> None:
    folder = Path(app.views.__path__[0])
    found = [
        f"{file.relative_to(folder)}:{number}: {line.strip()}"
        for file in sorted(folder.rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if OTHER_STYLES.search(line)
    ]
    assert found == []
