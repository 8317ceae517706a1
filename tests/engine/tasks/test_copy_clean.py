"""The data of a refused project can be copied into a new one, without its traps."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.engine.project.project import create_project, open_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.embeddings import is_embedding_complete, list_embeddings
from app.engine.tasks.copy_clean import copy_clean
from app.engine.tasks.encode import encode
from app.engine.tasks.import_corpus import import_corpus
from app.errors import UnsafeProjectError, UserError
from app.params.corpora import ImportCorpus
from app.params.projects import CopyClean
from app.params.vectors import Encode
from tests.engine.project.test_hostile_projects import content, execute

LINES = [f"The ferry number {n} leaves at noon." for n in range(20)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A project with a corpus and its vectors."""
    text = tmp_path / "ferries.txt"
    text.write_text("\n".join(LINES), encoding="utf-8")
    with create_project(tmp_path / "p.isogloss") as project:
        import_corpus(project, ImportCorpus(files=(text,), languages=("en",)), Report())
        encode(project, Encode(corpora=("ferries",)), Report())
        return project.folder


def test_everything_valid_is_copied_and_the_traps_are_not(
    source: Path, tmp_path: Path
) -> None:
    execute(
        source,
        "CREATE TRIGGER t AFTER INSERT ON sentence BEGIN DELETE FROM sentence; END",
        "CREATE VIEW v AS SELECT 1",
        "UPDATE sentence SET text = x'00' WHERE line = 3",
        "INSERT INTO embedding (corpus_id, encoder, fingerprint, dim, n_rows, n_done, "
        "n_zero, array, created_at) VALUES (1, 'e', 'f', 1, 1, 1, 0, '../../out', 0)",
    )
    (source / "backups").rmdir()
    (source / "backups").symlink_to(tmp_path, target_is_directory=True)
    (source / "encoders" / "link").symlink_to(tmp_path)
    before = content(source)
    with pytest.raises(UnsafeProjectError):
        open_project(source)
    out = tmp_path / "clean.isogloss"
    result = copy_clean(None, CopyClean(source=source, out=out), Report())
    assert content(source) == before
    assert set(result.left_out) == {
        "1 row of sentence",
        "1 row of embedding",
        "encoders/link, which is a link",
    }
    with open_project(out) as project:
        assert [c.name for c in list_corpora(project.store)] == ["ferries"]
        (row,) = list_embeddings(project.store)
        assert is_embedding_complete(out, row)
        with project.store.connect() as connection:
            texts = connection.exec_driver_sql("SELECT text FROM sentence").fetchall()
            found = connection.exec_driver_sql(
                "SELECT rowid FROM sentence_words WHERE sentence_words MATCH 'ferry'"
            ).fetchall()
    assert [text for (text,) in texts] == [n for i, n in enumerate(LINES) if i != 2]
    assert len(found) == 19


def test_a_table_that_is_a_view_without_end_is_left_out(
    source: Path, tmp_path: Path
) -> None:
    execute(
        source,
        "DROP TABLE note",
        "CREATE VIEW note AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
        "SELECT x + 1 FROM c) SELECT x AS sentence_id FROM c",
    )
    out = tmp_path / "clean.isogloss"
    result = copy_clean(None, CopyClean(source=source, out=out), Report())
    assert result.left_out == ["the table note"]
    open_project(out).close()


def test_rows_in_the_write_ahead_log_are_copied(source: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(source / "project.sqlite")) as connection:
        connection.execute("UPDATE corpus SET name = 'boats'")
        connection.execute("CREATE VIEW v AS SELECT 1")
        connection.commit()  # in the log: the connection is still open
        copied = Path(shutil.copytree(source, tmp_path / "copied.isogloss"))
    out = tmp_path / "clean.isogloss"
    copy_clean(None, CopyClean(source=copied, out=out), Report())
    with open_project(out) as project:
        assert [c.name for c in list_corpora(project.store)] == ["boats"]


@pytest.mark.parametrize("name", ["p.isogloss", "p.isogloss/inside", "other"])
def test_nothing_is_left_of_a_copy_that_fails(
    source: Path, tmp_path: Path, name: str
) -> None:
    if name == "other":
        (source / "project.sqlite").write_bytes(b"no database" * 1000)
    before = content(tmp_path)
    with pytest.raises(UserError):
        copy_clean(None, CopyClean(source=source, out=tmp_path / name), Report())
    assert content(tmp_path) == before
