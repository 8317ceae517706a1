"""Recipes of modules: codes of languages, initial encoders."""

import pytest

from app.engine.training.recipes import match_codes


@pytest.mark.parametrize(
    ("wanted", "there", "expected"),
    [
        (("eng", "spa"), ("deu", "eng"), ("eng", "spa")),
        (("eng", "spa"), ("de", "en", "es"), ("en", "es")),
        (("eng", "en"), ("en", "x"), ("en",)),
        (("no code",), ("en",), ("no code",)),
    ],
)
def test_codes_are_written_as_the_data_write_them(
    wanted: tuple[str, ...], there: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert match_codes(wanted, there) == expected
