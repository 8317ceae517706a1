"""The filters of a recipe: a name and parameters each, written as one line of text.

`length min=3 max=300` is a line; values with spaces stand in quotes.
"""

import shlex
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.errors import UserError
from app.params.validation import split_validation_error

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
        """Refuse bounds between which there is nothing."""
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")


class RatioFilter(_Filter, frozen=True, kw_only=True, tag="ratio"):
    """The longer text has at most `max` times the characters of the shorter one.

    `usual`: characters of the target for one of the source, where the languages differ:
    0.35 from English to Chinese.
    """

    max: Annotated[float, Meta(ge=1, le=1_000)] = 2.5
    usual: Annotated[float, Meta(gt=0, le=100)] = 1.0


class IdentityFilter(_Filter, frozen=True, kw_only=True, tag="identity"):
    """The texts are not the same but for case, punctuation and spaces.

    `similar`: nor is one a near copy: so much of both is the same, 0…1 (1: all of it).
    """

    similar: Share = 1.0


class ScriptFilter(_Filter, frozen=True, kw_only=True, tag="script"):
    """At least `min` of the letters of each text are of its language's script."""

    min: Share = 0.5


class LanguageFilter(_Filter, frozen=True, kw_only=True, tag="language"):
    """No text is plainly in another language than its own.

    `sure`: probability from which the detector is believed.
    """

    sure: Share = 0.5


class NumbersFilter(_Filter, frozen=True, kw_only=True, tag="numbers"):
    """The texts hold the same numbers, in digits of any script.

    `max`: numbers of either text that may be missing in the other.
    """

    max: Annotated[int, Meta(ge=0, le=1_000)] = 0


class NamesFilter(_Filter, frozen=True, kw_only=True, tag="names"):
    """At least `min` of the names of the text with fewer are words of the other.

    A name is a word within a sentence that begins with a capital letter; it is compared
    in Latin letters, and alike is enough. Texts without case have none.
    """

    min: Share = 0.5


class AddressesFilter(_Filter, frozen=True, kw_only=True, tag="addresses"):
    """The texts hold the same addresses of pages and of mail."""


class RegexFilter(_Filter, frozen=True, kw_only=True, tag="regex"):
    r"""Pairs whose texts match a pattern are kept, or left out.

    Patterns are those of Python's package regex: `\p{Greek}` is a Greek letter.

    `side`: which text is looked at; either: one of both is enough.
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
    """Name a filter as a line does."""
    return str(one.__struct_config__.tag)


def parse_filter(line: str) -> Filter:
    """Read a line: a name, then parameters `name=value`.

    Raises:
        UserError: there is no such filter or parameter, or its value is out of bounds.
    """
    try:
        name, *words = shlex.split(line)
    except ValueError as error:
        raise UserError(f"The filter {line!r} can't be read: {error}.") from error
    values: dict[str, Any] = {"filter": name}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise UserError(
                f"The filter {line!r}: {word!r} is no parameter; write name=value."
            )
        values[key] = value
    known = [filter_name(one) for one in ALL_FILTERS]
    if name not in known:
        raise UserError(f"There is no filter {name!r}; there are {', '.join(known)}.")
    try:
        found: Filter = msgspec.convert(values, type=Filter, strict=False)
    except msgspec.ValidationError as error:
        field, why = split_validation_error(str(error))
        place = f"{line!r}, {field}" if field else f"{line!r}"
        raise UserError(f"The filter {place}: {why}.") from error
    return found


def format_filter(one: Filter) -> str:
    """Write a filter as a line; what is as by default is left out."""
    words = [filter_name(one)]
    for field in msgspec.structs.fields(type(one)):
        value = getattr(one, field.name)
        if field.required or value != field.default:
            words.append(f"{field.name}={value}")
    return shlex.join(words)


def parse_recipe(lines: Sequence[str]) -> list[Filter]:
    """Read the lines of a recipe."""
    return [parse_filter(line) for line in lines if line.strip()]
