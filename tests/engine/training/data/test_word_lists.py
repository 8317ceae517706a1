"""Groups of words as pairs: every entry, in step on both sides; bad lists."""

from pathlib import Path

import pytest

from app.engine.runtime.report import Report
from app.engine.text.line_files import read_pairs
from app.engine.training.data.word_lists import write_word_groups
from app.errors import UserError

# 20 words of Telugu, a copy of the English, and one word of Odia
LINES = [f"tel\tw{i}\tt{i}\tnote" for i in range(20)] + [
    "tel\tTom\ttom",
    "ory\thouse\tଘର",
]


def write_list(folder: Path, *lines: str, name: str = "names.tsv") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def test_each_entry_is_in_three_groups_beside_its_translation(tmp_path: Path) -> None:
    file = write_list(tmp_path, *LINES)
    written = write_word_groups([file], tmp_path / "out", Report(), seed=1)
    assert [path.name for path in written] == ["eng-ory.names.tsv", "eng-tel.names.tsv"]
    assert list(read_pairs(written[0])) == [("house", "ଘର")] * 3
    groups = list(read_pairs(written[1]))
    words = [word for english, _ in groups for word in english.split()]
    assert sorted(words) == sorted([f"w{i}" for i in range(20)] * 3)
    for english, foreign in groups:
        assert foreign == english.replace("w", "t")
        assert len(english.split()) <= 7
    assert len({english for english, _ in groups}) > 9  # other groups each turn


def test_the_seed_decides_the_groups(tmp_path: Path) -> None:
    file = write_list(tmp_path, *LINES)
    first, again, other = (
        write_word_groups([file], tmp_path / str(n), Report(), seed=seed)[
            1
        ].read_bytes()
        for n, seed in enumerate((1, 1, 2))
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tel\thouse", r"names\.tsv, line 1: write a language code"),
        ("../up\thouse\tఇల్లు", r"names\.tsv, line 1: write a language code"),
        ("tel\tTom\tTom", r"names\.tsv has no word with a translation"),
    ],
)
def test_bad_lists_are_users_errors(line: str, message: str, tmp_path: Path) -> None:
    file = write_list(tmp_path, line)
    with pytest.raises(UserError, match=message):
        write_word_groups([file], tmp_path / "out", Report(), seed=1)


def test_two_lists_of_a_name_are_a_users_error(tmp_path: Path) -> None:
    files = [write_list(tmp_path / name, *LINES) for name in "ab"]
    with pytest.raises(UserError, match="Two word lists are named names"):
        write_word_groups(files, tmp_path / "out", Report(), seed=1)
