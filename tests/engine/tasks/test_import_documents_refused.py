"""Import: folders and files of documents that are refused say why, and keep nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run, record_files
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import list_corpora
from app.errors import UserError
from tests.engine.tasks.importing import params_of, run_import, write


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


def test_a_damaged_file_of_a_folder_is_named_with_its_line_and_nothing_is_kept(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "TEI"
    folder.mkdir()
    text = "<TEI><text><body><p>Wort.</p></body></text></TEI>"
    for name in ("eins", "drei"):
        write(folder, text, f"{name}.xml")
    write(folder, text.replace("</p>", "\n</q>"), "zwei.xml")

    with pytest.raises(UserError, match=r"zwei\.xml is malformed at line 2"):
        run_import(project, folder, languages=["de"])

    assert list_corpora(project.store, states=["ready", "importing"]) == []
    with project.store.connect() as connection:
        assert connection.execute(schema.document.select()).all() == []


def test_a_file_whose_name_is_not_utf8_is_told(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "Namen"
    folder.mkdir()
    file = write(folder, "Wort.\n", "gut.txt")
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_text("Wort.\n")
    except OSError:
        pytest.skip("this disk has no such names")
    params = params_of(folder, languages=["de"])
    run = queue_run(project, params)  # whose record leaves the file out
    assert list(record_files(project.store, run, params, Report())) == [str(file)]
    with pytest.raises(UserError, match="UTF-8"):
        run_import(project, folder, languages=["de"])


def test_a_folder_without_a_text_is_refused_by_its_name(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "leer"
    folder.mkdir()
    with pytest.raises(UserError, match="leer has no file that can be imported"):
        run_import(project, folder, languages=["de"])
