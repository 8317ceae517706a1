"""Names that are proposed for projects."""

from pathlib import Path

import pytest

from app.views.widgets.project_actions import name_after


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (["letters.en.txt"], "letters"),
        (["news.en", "news.fi"], "news"),
        (["pairs_en.tsv", "pairs_pt.tsv"], "pairs"),
        (["chapter1.txt", "chapter2.txt"], "chapter"),
        (["english.txt", "svenska.txt"], "harbour"),
        (["letters.txt", "letterbox.txt"], "harbour"),
    ],
)
def test_a_project_is_named_after_what_its_files_share(
    files: list[str], name: str
) -> None:
    folder = Path("/data/harbour")
    assert name_after([folder / file for file in files]) == name


def test_a_folder_of_the_system_gives_no_name() -> None:
    files = [Path.home() / "english.txt", Path.home() / "svenska.txt"]
    assert name_after(files) == "english"
    others = [Path("/data/a/english.txt"), Path("/data/b/svenska.txt")]
    assert name_after(others) == "english"
