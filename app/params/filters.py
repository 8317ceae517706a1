"""Filters of a recipe, each written as one line with a name and parameters.

`length min=3 max=300` is a line; values with spaces are quoted.
"""

import shlex
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.errors import UserError
from app.params.validation import convert_line, read_parameters

Share = Annotated[float, Meta(ge=0, le=1)]
Characters = Annotated[int, Meta(ge=0, le=1_000_000)]


class _Filter(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="filter",
):
    """Base of every filter."""


class LengthFilter(_Filter, frozen=True, kw_only=True, tag="length"):
    """Both texts have at least `min` and at most `max` characters."""

    min: Characters = 1
    max: Characters = 500

    def __post_init__(self) -> None:
        """Check the order of the limits."""
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")


class RatioFilter(_Filter, frozen=True, kw_only=True, tag="ratio"):
    """The longer text has at most `max` times the characters of the shorter one.

    `usual`: usual characters of the target per character of the source, such as 0.35
    from English to Chinese.
    """

    max: Annotated[float, Meta(ge=1, le=1_000)] = 2.5
    usual: Annotated[float, Meta(gt=0, le=100)] = 1.0


class IdentityFilter(_Filter, frozen=True, kw_only=True, tag="identity"):
    """The texts differ in more than case, punctuation and spaces.

    `similar`: they also differ in more than this share, 0…1 (1: exact copies only).
    """

    similar: Share = 1.0


class ScriptFilter(_Filter, frozen=True, kw_only=True, tag="script"):
    """At least the share `min` of the letters has the script of the language."""

    min: Share = 0.5


class LanguageFilter(_Filter, frozen=True, kw_only=True, tag="language"):
    """Neither text is clearly in another language.

    `sure`: lowest probability at which the language detector is trusted.
    """

    sure: Share = 0.5


class NumbersFilter(_Filter, frozen=True, kw_only=True, tag="numbers"):
    """The texts contain the same numbers, in digits of any script.

    `max`: numbers that may be missing in the other text.
    """

    max: Annotated[int, Meta(ge=0, le=1_000)] = 0


class NamesFilter(_Filter, frozen=True, kw_only=True, tag="names"):
    """At least the share `min` of the names occurs in the other text.

    Names are capitalised words inside a sentence, of the text with fewer of them. They
    are compared in Latin letters and may differ slightly. Scripts without case have
    none.
    """

    min: Share = 0.5


class AddressesFilter(_Filter, frozen=True, kw_only=True, tag="addresses"):
    """The texts contain the same web and mail addresses."""


class RegexFilter(_Filter, frozen=True, kw_only=True, tag="regex"):
    r"""Pairs whose texts match a pattern are removed, or kept.

    Patterns follow the Python package regex: `\p{Greek}` is a Greek letter.

    `side`: the text to match; either: one of both is enough.
    """

    pattern: Annotated[str, Meta(min_length=1, max_length=1_000)]
    side: Literal["source", "target", "either"] = "either"
    action: Literal["leave-out", "keep"] = "leave-out"


Filter = (
    LengthFilter
    | RatioFilter
    | IdentityFilter
    | ScriptFilter
    | LanguageFilter
    | NumbersFilter
    | NamesFilter
    | AddressesFilter
    | RegexFilter
)
ALL_FILTERS: tuple[type[_Filter], ...] = Filter.__args__


def filter_name(one: Filter | type[_Filter]) -> str:
    """Return the name of a filter in a line."""
    return str(one.__struct_config__.tag)


def parse_filter(line: str) -> Filter:
    """Parse a line: a name, then parameters `name=value`.

    Raises:
        UserError: unknown filter or parameter, or a value out of range.
    """
    try:
        name, *words = shlex.split(line)
    except ValueError as error:
        raise UserError(f"Can't read the filter {line!r}: {error}.") from error
    place = f"The filter {line!r}"
    values = {"filter": name, **read_parameters(words, place)}
    known = [filter_name(one) for one in ALL_FILTERS]
    if name not in known:
        raise UserError(f"Unknown filter {name!r}. Filters: {', '.join(known)}.")
    found: Filter = convert_line(values, Filter, place)
    return found


def format_filter(one: Filter) -> str:
    """Format a filter as a line, without default values."""
    words = [filter_name(one)]
    for field in msgspec.structs.fields(type(one)):
        value = getattr(one, field.name)
        if field.required or value != field.default:
            words.append(f"{field.name}={value}")
    return shlex.join(words)


def parse_recipe(lines: Sequence[str]) -> list[Filter]:
    """Parse the lines of a recipe."""
    return [parse_filter(line) for line in lines if line.strip()]
