"""Recipes as files: JSON with one line of text a filter."""

import json
from collections.abc import Sequence
from pathlib import Path

from app.errors import UserError
from app.params.filters import filter_line, parse_recipe

KEY = "isogloss-recipe"
VERSION = 1
# Lengths of a sentence, no copies, and the same numbers: safe in any two languages.
USUAL = ("length min=3 max=400", "identity", "numbers")


def write_recipe(file: Path, lines: Sequence[str]) -> None:
    """Write a recipe.

    Raises:
        OSError: the file can't be written.
    """
    values = {KEY: VERSION, "filters": list(lines)}
    text = json.dumps(values, ensure_ascii=False, indent=2)
    file.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_recipe(file: Path) -> list[str]:
    """Read a recipe: its lines, each as it is written by default.

    Raises:
        UserError: the file is no recipe, or names a filter that there is not.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} can't be read as a recipe: {error}.") from error
    lines = values.get("filters") if isinstance(values, dict) else None
    if not isinstance(lines, list) or KEY not in values:
        raise UserError(
            f"{file} is no recipe: it has no list of filters. Choose a file that was "
            "exported from a recipe."
        )
    return check_lines([str(line) for line in lines])


def check_lines(lines: Sequence[str]) -> list[str]:
    """Write lines as they are by default.

    Raises:
        UserError: one is no filter.
    """
    return [filter_line(one) for one in parse_recipe(lines)]
