"""The size of regular expressions before they are compiled."""

import pytest

from app.engine.text.regex_size import check_expression_size, expression_size
from app.errors import UserError


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("", 0),
        ("abc", 3),
        ("a{3}b", 4),
        ("(ab){3}c", 7),
        ("((ab{2}){3}){4}", 36),
        (r"\p{Lu}{4}[a-z{9}]{2}\d{3,}", 9),
        ("a{0,9}b{,9}", 6),
        ("(a {3}", 4),
        ("a{2}{3}", 6),
        ("(a+)+)", 2),
    ],
)
def test_least_repeats_are_written_out(expression: str, size: int) -> None:
    assert expression_size(expression) == size


@pytest.mark.parametrize(
    "expression",
    ["(?:(?:a{1000}){1000}){1000}", "a{9999999999}", r"(?x)(\w {1000}) {1000}"],
)
def test_what_would_fill_the_memory_is_refused(expression: str) -> None:
    with pytest.raises(UserError, match="is too large"):
        check_expression_size(expression)
