"""Numbers have one style in the engine's messages and in the window."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication

import app
from app.number_format import format_percent, format_range, format_score
from app.views.widgets.number_format import format_badge

# A number and an ordinary space, which can end a line; a sign without any space.
OTHER_STYLES = re.compile(
    r"\{[^{}]*\} %|\{[^{}]*:\.\d%\}|(?<!\{NO_BREAK)\}%(?! ?ESCAPE)|\d %(?![\w(])"
)

# A number, an ordinary space and a unit.
BREAKING_UNITS = re.compile(r"[}\d] ([KMGT]B|kB|ms|s|min|h|px|pt)\b")

# A cosine or a score by a format of its own; exports have four digits or more.
OTHER_SCORES = re.compile(
    r"\{[^{}]*\b_?(cosine|similarity|threshold|(hit|near|pair|one|row)\.score)\b"
    r"[^{}]*:\.[0-3{]"
)

# A number that can be over 999, without commas between its thousands, in an f-string.
OTHER_COUNTS = re.compile(
    r"^f.*((?<!<)\b[Ll]ine \{(?!_format)(?![^{}]*:,)[^{}]+\}|"
    r"\{(len\([^{}]*\)|[\w.]*\bn_\w+|[\w.]*\bdim)\}"
    r" (sentences|pairs|words|tokens|pieces|characters|dimensions)\b)"
)

SEARCH_PATTERNS = ("like(", "pattern=")  # of SQL, where % is any text


def texts_of(file: Path) -> Iterator[tuple[int, str]]:
    """Return the texts in the code of a module, without comments and docstrings."""
    code = file.read_text("utf-8")
    tree = ast.parse(code)
    lines = code.splitlines()
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    docstrings = {id(node.value) for node in statements}
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr | ast.Constant) or id(node) in docstrings:
            continue
        line = lines[node.lineno - 1]
        if not any(pattern in line for pattern in SEARCH_PATTERNS):
            yield node.lineno, ast.unparse(node)


@cache
def texts_of_program() -> list[tuple[str, str]]:
    """Return each text of the program with its place."""
    folder = Path(app.__path__[0])
    return [
        (f"{file.relative_to(folder)}:{number}", text)
        for file in sorted(folder.rglob("*.py"))
        if "number_format.py" not in file.name
        for number, text in texts_of(file)
    ]


def test_a_share_is_a_whole_number_of_per_cent_that_stays_in_its_line() -> None:
    assert format_percent(0.834) == "83\u00a0%"
    assert format_percent(0.834, 2) == "83.40\u00a0%"


@pytest.mark.parametrize(
    "style",
    [OTHER_STYLES, BREAKING_UNITS, OTHER_COUNTS, OTHER_SCORES],
)
def test_no_module_writes_a_number_in_another_way(style: re.Pattern[str]) -> None:
    found = [(place, text) for place, text in texts_of_program() if style.search(text)]
    assert found == []


def test_a_cosine_has_two_digits_at_a_glance_and_three_where_it_is_compared() -> None:
    assert [format_badge(0.5714), format_score(0.5714)] == ["0.57", "0.571"]
    assert [format_badge(-0.2), format_score(1.0632)] == ["\u22120.20", "1.063"]


def test_no_line_breaks_within_an_interval(qapp: QApplication) -> None:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout = QTextLayout(f"mean {format_range('57.1', format_percent(0.73, 1))}")
    layout.setTextOption(option)
    layout.beginLayout()
    ends = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(1)
        ends.append(line.textStart() + line.textLength())
    layout.endLayout()
    assert ends == [len("mean "), len(layout.text())]
