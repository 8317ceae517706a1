"""Sentences that are in another language than their corpus says."""

from app.engine.mining.scripts import script_share
from app.engine.store.pair_texts import UNSPACED
from app.engine.text.guess import describe_other_language, guess_language
from app.languages import language_name, language_script, primary_language

FEWEST, FEWEST_UNSPACED = 30, 12  # letters from which a guess is worth something
FEWEST_OF_SCRIPT = 10  # letters, none of which is of the language's script
LEAST_OF_SCRIPT = 0.5  # of the letters, of the script of the language that is guessed


def describe_wrong_language(text: str, language: str, sure: float) -> str:
    """Say that a text is not in its language; empty: it is, or nobody can tell.

    Languages that the detector takes for each other are no finding (`text/guess.py`).

    Args:
        text: the sentence.
        language: stored code.
        sure: probability from which the detector is believed, 0…1.
    """
    n_letters = sum(letter.isalpha() for letter in text)
    script = language_script(language)
    if n_letters >= FEWEST_OF_SCRIPT and script and script_share(text, script) == 0:
        return f"No letter is of the script of {language_name(language)}."
    is_unspaced = primary_language(language) in UNSPACED
    if n_letters < (FEWEST_UNSPACED if is_unspaced else FEWEST):
        return ""
    found = describe_other_language(text, language, sure)
    if found and script_share(text, language_script(_guessed(text))) < LEAST_OF_SCRIPT:
        return ""  # NBA中哪个球员薪酬最低: the detector takes a name for Polish
    return found


def _guessed(text: str) -> str:
    return guess_language([text]).code
