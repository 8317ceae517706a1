"""Steps of a chain of queries, each written as one line of text.

Examples are `field year=1850..1890` and `not words haus*`. A step selects some of the
sentences that the previous step selected; with `not` it selects the other sentences.
The text after words, regex, label, document, language, within and the = of a field is
used literally; parameters of other steps are written name=value, with quotes around
spaces.
"""

import re
import shlex
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.errors import UserError
from app.params.validation import convert_line, read_parameters

NOT = "not "
RANGE = ".."
_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}")  # 1850, 1850-06, 1850-06-30
MAX_STEPS = 50
Text = Annotated[str, Meta(min_length=1, max_length=1_000)]
Characters = Annotated[int, Meta(ge=0, le=1_000_000)]


class _Step(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="step",
):
    """Base of every step.

    Attributes:
        turned: the step selects the sentences that it would otherwise remove.
    """

    turned: bool = False


class FieldStep(_Step, frozen=True, kw_only=True, tag="field"):
    """Sentences of documents whose field has a value, or one within a range."""

    name: Text
    # a case-insensitive text, or a range: see parse_range and parse_date_range
    value: Annotated[str, Meta(max_length=1_000)] = ""

    def __post_init__(self) -> None:
        """Reject an empty range."""
        bounds = parse_range(self.value)
        if bounds is not None and bounds[0] > bounds[1]:
            raise ValueError(f"{bounds[0]:g} is above {bounds[1]:g}")
        dates = parse_date_range(self.value)
        if dates is not None and all(dates) and dates[0][: len(dates[1])] > dates[1]:
            raise ValueError(f"{dates[0]} is after {dates[1]}")


class DocumentStep(_Step, frozen=True, kw_only=True, tag="document"):
    """Sentences of documents with a name; `*` matches anything."""

    name: Text


class ContainsStep(_Step, frozen=True, kw_only=True, tag="words"):
    """Sentences with a word, a phrase, a lemma or a part of speech.

    Written as in Concordance: haus*, *ung, lemma:go, pos:VERB, or several in a row.
    """

    text: Text


class RegexStep(_Step, frozen=True, kw_only=True, tag="regex"):
    """Sentences that match a regular expression of the Python package regex."""

    pattern: Text


class LanguageStep(_Step, frozen=True, kw_only=True, tag="language"):
    """Sentences in a language."""

    code: Annotated[str, Meta(min_length=1, max_length=40)]


class LengthStep(_Step, frozen=True, kw_only=True, tag="length"):
    """Sentences of at least `min` and at most `max` characters."""

    min: Characters = 0
    max: Characters = 1_000_000

    def __post_init__(self) -> None:
        """Reject an empty range."""
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")


class NearStep(_Step, frozen=True, kw_only=True, tag="near"):
    """The sentences nearest in meaning to a text.

    `top`: so many; `cosine`: those of at least this cosine; both: what fulfils both.
    """

    text: Annotated[str, Meta(min_length=1, max_length=10_000)]
    top: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    cosine: Annotated[float, Meta(ge=-1, le=1)] | None = None

    def __post_init__(self) -> None:
        """Reject a step that would select all sentences."""
        if self.top is None and self.cosine is None:
            raise ValueError("say how near: top=500 or cosine=0.5")


class LabelStep(_Step, frozen=True, kw_only=True, tag="label"):
    """Sentences with a label, or with any label if no name is set."""

    name: Annotated[str, Meta(max_length=1_000)] = ""


class TranslatedStep(_Step, frozen=True, kw_only=True, tag="translated"):
    """Sentences that have a translation: by a link, or by a pair that was judged.

    `into`: code of its language; `accepted`: only by pairs that were accepted.
    """

    into: Annotated[str, Meta(max_length=40)] = ""
    accepted: bool = False


class WithinStep(_Step, frozen=True, kw_only=True, tag="within"):
    """Sentences of another sub-corpus."""

    name: Text


class SampleStep(_Step, frozen=True, kw_only=True, tag="sample"):
    """A random sample; the same seed selects the same sentences."""

    n: Annotated[int, Meta(ge=1, le=10_000_000)] = 1_000
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 1


QueryStep = (
    FieldStep
    | DocumentStep
    | ContainsStep
    | RegexStep
    | LanguageStep
    | LengthStep
    | NearStep
    | LabelStep
    | TranslatedStep
    | WithinStep
    | SampleStep
)
ALL_STEPS: tuple[type[_Step], ...] = QueryStep.__args__
# steps whose parameter is all text after the name
_PLAIN = {
    "document": "name",
    "words": "text",
    "regex": "pattern",
    "language": "code",
    "label": "name",
    "within": "name",
}


def step_name(one: QueryStep | type[_Step]) -> str:
    """Return the name of a step."""
    return str(one.__struct_config__.tag)


def parse_step(line: str) -> QueryStep:
    """Parse a line: optionally `not`, then a name and its parameters.

    Raises:
        UserError: unknown step or parameter, or a value out of range.
    """
    whole = line.strip()
    turned = whole.startswith(NOT)
    name, _, rest = whole.removeprefix(NOT).strip().partition(" ")
    known = [step_name(one) for one in ALL_STEPS]
    if name not in known:
        raise UserError(f"Unknown step {name!r}. Steps: {', '.join(known)}.")
    values = {"step": name, "turned": turned, **_values(name, rest.strip(), line)}
    found: QueryStep = convert_line(values, QueryStep, f"The step {line!r}")
    return found


def format_step(one: QueryStep) -> str:
    """Format a step as a line, without default values."""
    name = step_name(one)
    head = f"{NOT}{name}" if one.turned else name
    if isinstance(one, FieldStep):
        return f"{head} {one.name}={one.value}"
    if name in _PLAIN:
        return f"{head} {getattr(one, _PLAIN[name])}".strip()
    words = []
    for field in msgspec.structs.fields(type(one)):
        value = getattr(one, field.name)
        if field.name != "turned" and (field.required or value != field.default):
            words.append(f"{field.name}={shlex.quote(str(value))}")
    return " ".join([head, *words])


def parse_steps(lines: Sequence[str]) -> list[QueryStep]:
    """Parse the lines of steps.

    Raises:
        UserError: a line is invalid, or there are too many lines.
    """
    steps = [parse_step(line) for line in lines if line.strip()]
    if len(steps) > MAX_STEPS:
        raise UserError(f"{len(steps)} steps are too many. The maximum is {MAX_STEPS}.")
    return steps


def parse_range(value: str) -> tuple[float, float] | None:
    """Parse `1850..1890`, `1850..` or `..1890`; None: the value is a text.

    Returns:
        The lowest and the highest number, both inclusive.
    """
    low, dots, high = value.partition(RANGE)
    if not dots or not (low.strip() or high.strip()):
        return None
    try:
        bounds = float(low or "-inf"), float(high or "inf")
    except ValueError:
        return None
    return bounds


def parse_date_range(value: str) -> tuple[str, str] | None:
    """Parse `1850-06..1890`, `1850-06-30..` or `..1850-06`; None: not dates.

    Returns:
        The first and the last date, both inclusive; empty: open.
    """
    first, dots, last = (part.strip() for part in value.partition(RANGE))
    dates = [one for one in (first, last) if one]
    if not dots or not any(map(is_date, dates)):
        return None
    return (first, last) if all(map(_DATE.fullmatch, dates)) else None


def is_date(text: str) -> bool:
    """Return whether a text is an ISO 8601 date with a month."""
    return "-" in text and _DATE.fullmatch(text) is not None


def _values(name: str, rest: str, line: str) -> dict[str, Any]:
    """Return the values of a line by name."""
    if name in _PLAIN:
        return {_PLAIN[name]: rest}
    if name == "field":
        key, sign, value = rest.partition("=")
        if not sign:
            raise UserError(f"The step {line!r}: write field NAME=VALUE.")
        return {"name": key.strip(), "value": value.strip()}
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UserError(f"The step {line!r} can't be read: {error}.") from error
    return read_parameters(words, f"The step {line!r}")
