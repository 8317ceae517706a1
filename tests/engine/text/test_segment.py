import pytest

from app.engine.text.segmentation import (
    is_hard_wrapped,
    split_note,
    split_paragraph,
    split_sentences,
)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Smith came. He left.", ["Dr. Smith came. ", "He left."]),
        ("zh-Hans", "你好。今天天气很好！", ["你好。", "今天天气很好！"]),
        ("hi", "नमस्ते। कैसे हो?", ["नमस्ते। ", "कैसे हो?"]),
        ("th", "สวัสดีครับ วันนี้", ["สวัสดีครับ", "วันนี้"]),
    ],
)
def test_paragraph_is_split(language: str, text: str, expected: list[str]) -> None:
    assert split_sentences(text, language) == expected


def test_sentences_keep_the_line_they_begin_in() -> None:
    lines = ["One is here. Two", "goes on. Three is", "last."]

    pieces = list(split_paragraph(lines, 7, "en"))

    assert [(piece.text, piece.line) for piece in pieces] == [
        ("One is here.", 7),
        ("Two goes on.", 7),
        ("Three is last.", 8),
    ]


def test_lines_of_chinese_are_joined_without_a_space() -> None:
    pieces = list(split_paragraph(["今天天气", "很好。"], 1, "zh"))

    assert [piece.text for piece in pieces] == ["今天天气很好。"]


def test_hard_line_breaks_are_known_by_length_and_empty_lines() -> None:
    wrapped = [*["x" * 70] * 5, "", *["x" * 68] * 5, "", "end"]

    assert is_hard_wrapped(wrapped)
    assert not is_hard_wrapped([line for line in wrapped if line])
    assert not is_hard_wrapped(["x" * 700, "", "x" * 500, "", "y" * 300, "z" * 400])


def test_sentences_on_lines_of_their_own_are_no_hard_line_breaks() -> None:
    sentence = f"{'x' * 69}."
    assert not is_hard_wrapped([*[sentence] * 30, "", *[sentence] * 30, "", "end"])
    assert not is_hard_wrapped(["x" * (20 + 7 * (n % 8)) for n in range(80)])


def test_full_lines_without_an_empty_line_are_hard_line_breaks() -> None:
    wrapped = [f"{'x' * (72 - n % 9)}{'.' if n % 10 == 0 else 'x'}" for n in range(60)]
    assert is_hard_wrapped(wrapped)


def test_split_at_spaces_is_said() -> None:
    assert split_note("th") == (
        "Thai was split at spaces and line ends, which are not always sentences."
    )
    assert split_note("en") == ""
