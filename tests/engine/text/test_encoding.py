from pathlib import Path

import pytest

from app.engine.text.encoding import find_encoding
from app.errors import UserError

GERMAN = "Das Café liegt an der Straße. Wir hörten schöne Musik über die Brücke.\n"


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("cp1252", "cp1252"),
    ],
)
def test_encoding_of_a_german_text_is_found(
    encoding: str, name: str, tmp_path: Path
) -> None:
    path = write(tmp_path, (GERMAN * 40).encode(encoding))

    assert find_encoding(path, language="de").name == name


@pytest.mark.parametrize(
    ("encoding", "language", "text"),
    [
        ("cp1251", "ru", "Сегодня хорошая погода. Мы пошли в парк.\n"),
        ("koi8_r", "ru", "Сегодня хорошая погода. Мы пошли в парк.\n"),
        ("cp932", "ja", "今日は天気がいいですね。公園へ行きましょう。\n"),
        ("gb18030", "zh", "今天天气很好，我们去公园吧。\n"),
        ("cp1254", "tr", "Bugün hava güzel. Şimdi çıkıyoruz. İyi günler.\n"),
        ("cp1253", "el", "Σήμερα ο καιρός είναι καλός. Πάμε στο πάρκο.\n"),
    ],
)
def test_old_encodings_are_found(
    encoding: str, language: str, text: str, tmp_path: Path
) -> None:
    data = (text * 50).encode(encoding)

    guess = find_encoding(write(tmp_path, data), language=language)

    assert data.decode(guess.name) == text * 50
    assert guess.confidence < 1


def test_first_other_character_far_behind_the_head_decides(tmp_path: Path) -> None:
    path = write(tmp_path, b"plain line\n" * 100_000 + GERMAN.encode("cp1252") * 9)

    assert find_encoding(path, language="de").name == "cp1252"
    assert find_encoding(path, language="de", is_preview=True).name == "utf-8"


def test_choice_of_the_user_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path, GERMAN.encode())

    assert find_encoding(path, wanted="latin-1").name == "iso8859-1"
    with pytest.raises(UserError, match="Unknown encoding 'latein'"):
        find_encoding(path, wanted="latein")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (bytes(range(256)) * 50, "a binary file"),
        (b"\x01\x02\x03\x04" * 100, "a binary file"),
        (b"%PDF-1.7 text", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
    ],
)
def test_binary_file_is_refused(data: bytes, kind: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"a.txt is not a text file but {kind}"):
        find_encoding(write(tmp_path, data))
