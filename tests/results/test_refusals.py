"""What msgspec refuses is said in words."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from app.params.validation import split_validation_error


class Example(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=2)] = "ab"
    k: Annotated[int, Meta(ge=1, le=128)] = 1
    power: Annotated[float, Meta(gt=0.5)] = 1.0
    threshold: float | None = None
    margin: Literal["ratio", "distance"] = "ratio"
    lines: Annotated[list[str], Meta(max_length=1)] = []
    is_shown: bool = False


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"k": "x"}, "k", "it must be a whole number"),
        ({"k": 0}, "k", "it must be at least 1"),
        ({"k": 200}, "k", "it must be at most 128"),
        ({"power": 0.5}, "power", "it must be more than 0.5"),
        ({"threshold": "x"}, "threshold", "it must be a number"),
        ({"margin": "x"}, "margin", "'x' is not one of the choices"),
        ({"name": "a"}, "name", "its length in characters must be at least 2"),
        ({"lines": ["a", "b"]}, "lines", "enter at most 1"),
        ({"lines": [3]}, "lines", "it must be text"),
        ({"is_shown": "x"}, "is_shown", "it must be yes or no"),
        ({"kk": 1}, "", "there is no kk"),
    ],
)
def test_refusal_names_the_field_and_the_rule(
    values: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(values, Example, strict=False)
    assert split_validation_error(str(refused.value)) == (field, words)


def test_missing_field_is_named() -> None:
    refused = split_validation_error("Object missing required field `source`")
    assert refused == ("source", "it is missing")
