import socket

import pytest

from app.engine.text.language_detection import (
    LanguageGuess,
    describe_language_mismatch,
    guess_language,
)

GERMAN = ["Heute ist das Wetter schön und wir gehen in den Park."] * 3


def test_language_is_guessed_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    guess = guess_language(GERMAN)

    assert guess.code == "de"
    assert guess.confidence > 0.9
    assert guess_language(["今天天气很好，我们去公园吧。"]).code == "zh"
    assert guess_language([]) == LanguageGuess("", 0.0)


@pytest.mark.parametrize(
    ("guess", "declared", "is_said"),
    [
        (LanguageGuess("de", 0.95), "eng", True),
        (LanguageGuess("de", 0.95), "deu", False),
        (LanguageGuess("de", 0.3), "eng", False),
        (LanguageGuess("zh", 0.95), "zh-Hant", False),
        (LanguageGuess("da", 0.95), "nob", False),
        (LanguageGuess("id", 0.8), "ace", False),  # the model does not know Acehnese
        (LanguageGuess("", 0.0), "eng", False),
    ],
)
def test_mismatch_is_said_where_it_is_sure(
    guess: LanguageGuess, declared: str, is_said: bool
) -> None:
    assert bool(describe_language_mismatch(guess, declared)) == is_said


def test_mismatch_names_both_languages() -> None:
    sentence = describe_language_mismatch(LanguageGuess("de", 0.95), "eng")

    assert sentence == "The text looks like German (95\u00a0% sure), not English."
