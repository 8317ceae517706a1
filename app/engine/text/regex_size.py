"""Estimate the size of a compiled regular expression, in which repeats are expanded.

The package regex expands the minimum number of repeats, including nested repeats:
(?:(?:a{1000}){1000}){1000} would take 270 GB before a time limit applies.
"""

import re

from app.errors import UserError

MAX_ITEMS = 100_000  # 270 bytes each
MAX_SHOWN = 60  # characters of an expression in a message
# in this order: an escape, a set of characters, a counted repeat, white space (which
# (?x) leaves out), any other character
_PART = re.compile(
    r"\\[pPN]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\[\]])*\]"
    r"|\{(?P<least>\d+)(?:,\d*)?\}|(?P<space>\s)|(?P<sign>.)",
    re.DOTALL,
)


def check_expression_size(expression: str) -> None:
    """Check that an expression does not exhaust the memory.

    Raises:
        UserError: the expression is larger than `MAX_ITEMS`.
    """
    if expression_size(expression) > MAX_ITEMS:
        shown = expression[:MAX_SHOWN] + "…" * (len(expression) > MAX_SHOWN)
        raise UserError(
            f"{shown!r} is too large: its expanded repeats "
            f"are more than {MAX_ITEMS:,} characters. Make it simpler."
        )


def expression_size(expression: str) -> int:
    """Count the items of an expression with expanded minimum repeats."""
    sums, last = [0], 0  # of each open group; of the last repeatable item
    for part in _PART.finditer(expression):
        least, sign = part["least"], part["sign"]
        if sign == "(":
            sums.append(0)
            last = 0
        elif sign == ")" and len(sums) > 1:
            last = sums.pop()
            sums[-1] += last
        elif least is not None:
            more = last * max(int(least[:9]) - 1, 0)
            sums[-1] += more
            last += more
        elif part["space"]:
            sums[-1] += 1
        elif sign not in ("?", "*", "+"):
            sums[-1] += 1
            last = 1
    return sum(sums)
