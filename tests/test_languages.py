import subprocess
import sys

import pytest

from app.languages import (
    find_language,
    is_right_to_left,
    language_name,
    language_script,
    parse_language,
    primary_language,
)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("en", "en"),
        ("eng", "en"),
        ("EN-us", "en-US"),
        ("zh-Hans", "zh-Hans"),
        ("zho_Hans", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("cmn", "zh"),
        ("swh", "sw"),
        ("arb_Arab", "ar"),
        ("srp_Latn", "sr-Latn"),
        ("ace_Arab", "ace-Arab"),
        ("iw", "he"),
        ("ger", "de"),
        ("yue_Hant", "yue"),
    ],
)
def test_every_form_of_a_code_is_stored_in_one(given: str, code: str) -> None:
    language = parse_language(given)

    assert language == (code, given, True)
    assert parse_language(code).code == code


@pytest.mark.parametrize("given", ["xx", "English", "e n", "en-"])
def test_an_unknown_code_is_kept_and_marked(given: str) -> None:
    language = parse_language(given)

    assert not language.known
    assert language.given == given


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("en", "English"),
        ("swh", "Swahili"),
        ("zh-Hant", "Chinese (Traditional)"),
        ("sr-Latn", "Serbian (Latin)"),
        ("en-x-2", "English (set 2)"),
        ("ace", "Acehnese"),
        ("xx", "xx"),
    ],
)
def test_languages_have_english_names(code: str, name: str) -> None:
    assert language_name(code) == name


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("deu", "de"),
        (" Deutsch ", "de"),
        ("GERMAN", "de"),
        ("español", "es"),
        ("espan\u0303ol", "es"),
        ("日本語", "ja"),
        ("Male", ""),  # mdy: too much a common word
        ("words", ""),
    ],
)
def test_a_language_is_found_by_code_english_or_own_name(name: str, code: str) -> None:
    assert find_language(name) == code


def test_direction_follows_the_script() -> None:
    assert is_right_to_left("ar")
    assert is_right_to_left("prs_Arab")
    assert is_right_to_left("min_Arab")
    assert not is_right_to_left("ar-Latn")
    assert not is_right_to_left("zh")


def test_script_and_primary_code_are_read_from_the_tag() -> None:
    assert language_script("zh-Hant") == "Hant"
    assert language_script("hi") == "Deva"
    assert primary_language("zho_Hans") == "zh"


def test_the_module_is_light() -> None:
    """The window imports it before it is drawn."""
    code = (
        "import sys, app.languages; "
        "print([m for m in ('numpy', 'sqlalchemy', 'lxml') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
