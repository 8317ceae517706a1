"""Validation of struct values, with error messages in plain words."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from app.errors import UserError

_KINDS = {
    "int": "it must be a whole number",
    "float": "it must be a number",
    "bool": "it must be yes or no",
    "str": "it must be text",
    "array": "it must be a list",
}
_SIGNS = {
    ">=": "must be at least",
    "<=": "must be at most",
    ">": "must be more than",
    "<": "must be less than",
}
_RULES = (
    (r"Expected `(?:int|float)` (>=|<=|>|<) (\S+)", "it {sign} {bound}"),
    (
        r"Expected `str` of length (>=|<=|>|<) (\S+)",
        "its length in characters {sign} {bound}",
    ),
    (r"Expected `array` of length (>=|<=|>|<) (\S+)", "enter {most} {bound}"),
)


def describe_validation_error(text: str) -> str:
    """Return msgspec's error on a value in plain words; unknown errors unchanged.

    Args:
        text: message of a `ValidationError`, without the path.
    """
    for pattern, words in _RULES:
        found = re.fullmatch(pattern, text)
        if found:
            bound = found[2].removesuffix(".0")
            sign = _SIGNS[found[1]]
            most = sign.removeprefix("must be ")
            return words.format(sign=sign, most=most, bound=bound)
    kind = re.fullmatch(r"Expected `(\w+)(?: \| null)?`, got `.*`", text)
    if kind and kind[1] in _KINDS:
        return _KINDS[kind[1]]
    choice = re.fullmatch(r"Invalid enum value (.*)", text)
    if choice:
        return f"{choice[1]} is not one of the choices"
    field = re.fullmatch(
        r"Object (contains unknown|missing required) field `(.*)`", text
    )
    if field:
        known = "there is no {}" if field[1] == "contains unknown" else "{} is missing"
        return known.format(field[2])
    return text


def split_validation_error(text: str) -> tuple[str, str]:
    """Return the rejected field (empty: the complete struct) and the reason."""
    missing = re.fullmatch(r"Object missing required field `(\w+)`", text)
    if missing:
        return missing[1], "it is missing"
    why, _, place = text.partition(" - at `$.")
    return place.split("`")[0].split("[")[0], describe_validation_error(why)


def read_parameters(words: Iterable[str], place: str) -> dict[str, str]:
    """Return the parameters of a line by name.

    Args:
        words: words of the form `name=value`.
        place: name of the line in the error.

    Raises:
        UserError: a word has no `=`.
    """
    values = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise UserError(f"{place}: {word!r} is not a parameter. Write name=value.")
        values[key] = value
    return values


def convert_line(values: Mapping[str, object], type_: Any, place: str) -> Any:
    """Convert a line to a struct; numbers may be text.

    Raises:
        UserError: a parameter's value is invalid; the message contains its name.
    """
    try:
        return msgspec.convert(values, type=type_, strict=False)
    except msgspec.ValidationError as error:
        field, why = split_validation_error(str(error))
        raise UserError(f"{place}{field and f', {field}'}: {why}.") from error
