"""Punctuation as Moses has it: expected texts by its rules for English."""

import pytest

from app.engine.text.normalisation import normalise_punctuation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("„Ja“, sagte sie – gern…", '"Ja," sagte sie - gern...'),
        ("l’eau ‘fraîche’ `x` ''y''", "l'eau 'fraîche' 'x' \" y \""),
        ("«\xa0Non\xa0»\xa0!", '"Non"!'),
        ("a( b )c ( d ) .", "a (b) c (d)."),
        ("50 % , 20\xa0% : ja ;", "50% , 20%: ja;"),
        ("3\xa0500\xa0cm, nº\xa04", "3.500 cm, nº 4"),
        ("one—two   three", "one - two three"),
        (" a\nb\r ", "a b"),
        ("", ""),
    ],
)
def test_punctuation_follows_the_rules(text: str, expected: str) -> None:
    assert normalise_punctuation([text, "x"]) == [expected, "x"]


def test_no_text_gives_no_text() -> None:
    assert normalise_punctuation([]) == []
