"""Malicious and damaged project folders are rejected."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from app.engine.project.project import create_project, open_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array
from app.engine.store.embeddings import embedding_files, list_embeddings, map_embedding
from app.engine.tasks.encode import encode
from app.engine.tasks.import_corpus import import_corpus
from app.errors import DamagedDataError, UnsafeProjectError, UserError, describe_error
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode

LINES = [f"The ferry number {n} leaves at noon." for n in range(20)]
posix = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a corpus and its vectors."""
    place = tmp_path_factory.mktemp("template")
    text = place / "ferries.txt"
    text.write_text("\n".join(LINES), encoding="utf-8")
    with create_project(place / "p.isogloss") as project:
        import_corpus(project, ImportCorpus(files=(text,), languages=("en",)), Report())
        encode(project, Encode(corpora=("ferries",)), Report())
        return project.folder


@pytest.fixture
def received(template: Path, tmp_path: Path) -> Path:
    """A copy of it, as somebody else sends it."""
    return Path(shutil.copytree(template, tmp_path / "received.isogloss"))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Files of the user that have nothing to do with the project."""
    folder = tmp_path / "home"
    (folder / "views").mkdir(parents=True)
    for name in ("thesis.npy", "project-2020-01-01.sqlite", "views/a.npy", "notes.txt"):
        (folder / name).write_text("my work", encoding="utf-8")
    return folder


def execute(folder: Path, *statements: str) -> None:
    """Change a database as an attacker does."""
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def content(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, without following links."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in files
        if file.name not in ("project.sqlite-shm", "project.sqlite-wal")
    }


def check_refused(folder: Path, words: str) -> None:
    """Opening in each way is refused in one sentence, soon, and changes nothing."""
    before = content(folder)
    for opening in (open_project, open_read_only):
        started = time.monotonic()
        with pytest.raises(UserError, match=words) as refusal:
            opening(folder)
        assert time.monotonic() - started < 20
        assert describe_error(refusal.value).kind in ("user", "unsafe")
        assert "\n" not in str(refusal.value)
    assert content(folder) == before


@posix
@pytest.mark.parametrize(
    "place",
    ["arrays", "backups", "indexes", "encoders", "exports", "arrays/views", "x/y"],
)
def test_a_linked_folder_is_not_followed(
    received: Path, outside: Path, place: str
) -> None:
    before = content(outside)
    link = received / place
    if link.is_dir():
        shutil.rmtree(link)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside, target_is_directory=True)
    check_refused(received, "is a link")
    assert content(outside) == before


@posix
@pytest.mark.parametrize(
    "place",
    [
        *("lock", "project.sqlite-journal", "arrays/1.npy", "encoders/choice.json"),
        *("project.sqlite-wal", "project.format-1.sqlite.part", "project.sqlite"),
    ],
)
def test_a_linked_file_is_not_followed(
    received: Path, outside: Path, place: str
) -> None:
    before = content(outside)
    (received / place).unlink(missing_ok=True)
    (received / place).symlink_to(
        outside / "notes.txt" if place != "project.sqlite" else received / "copy"
    )
    if place == "project.sqlite":
        create_project(received.parent / "other").close()
        shutil.copy(received.parent / "other" / "project.sqlite", received / "copy")
    check_refused(received, "is a link")
    assert content(outside) == before


@posix
def test_a_link_that_appears_after_the_check_is_not_followed(
    received: Path, outside: Path
) -> None:
    with open_project(received) as project:
        (row,) = list_embeddings(project.store)
        file = embedding_files(received, row.array)[0]
        file.rename(outside / "moved.npy")
        file.symlink_to(outside / "moved.npy")
        with pytest.raises(DamagedDataError):
            map_embedding(received, row)


@posix
def test_a_pipe_in_a_project_does_not_block(received: Path) -> None:
    os.mkfifo(received / "arrays" / "7-x.unit.npy")
    check_refused(received, "is a special file")


def test_a_journal_that_names_another_file_is_refused(
    received: Path, outside: Path
) -> None:
    victim = str(outside / "notes.txt").encode()
    magic = bytes.fromhex("d9d505f920a163d7")
    numbers = len(victim).to_bytes(4, "big") + sum(victim).to_bytes(4, "big")
    journal = magic + b"\0" * 504 + b"\0\0\0\1" + victim + numbers + magic
    (received / "project.sqlite-journal").write_bytes(journal)
    check_refused(received, "names a file outside the project")
    assert (outside / "notes.txt").read_text(encoding="utf-8") == "my work"


@pytest.mark.parametrize(
    "stem", ["../../out", "/etc/passwd", "a/b", "..", "", "C:\\x", "a\0b", "*", "ä"]
)
@pytest.mark.parametrize("table", ["embedding", "word_index", "subcorpus"])
def test_a_stem_that_is_a_path_is_refused(
    received: Path, tmp_path: Path, table: str, stem: str
) -> None:
    victim = tmp_path / "out.unit.npy"
    victim.write_bytes(b"my work")
    rows = {
        "embedding": f"UPDATE embedding SET array = {quoted(stem)}",
        "word_index": "INSERT INTO word_index (corpus_id, segmenter, n_tokens, n_types,"
        f" has_lemmas, array, created_at) VALUES (1, '', 1, 1, 0, {quoted(stem)}, 0)",
        "subcorpus": "INSERT INTO subcorpus (name, state, corpora, steps, array, "
        "n_sentences, counts, created_at) VALUES ('s', 'ready', '[]', '[]', "
        f"{quoted(stem)}, 0, '{{}}', 0)",
    }
    execute(received, rows[table])
    check_refused(received, "contains the file name")
    assert victim.read_bytes() == b"my work"


def quoted(text: str) -> str:
    """Write a text as an SQL expression, also with a zero character."""
    return f"CAST(x'{text.encode().hex()}' AS TEXT)"


ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    "SELECT x AS id FROM c"
)


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            [
                "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM sentence; END",
            ],
            "the trigger 't'",
        ),
        (["CREATE VIEW v AS SELECT * FROM sentence"], "the view 'v'"),
        (["DROP TABLE note", f"CREATE VIEW note AS {ENDLESS}"], "the view 'note'"),
        (["CREATE INDEX i ON sentence (upper(text))"], "the index 'i'"),
        (["CREATE TABLE mine (a)"], "the table 'mine'"),
        (
            ["DROP TABLE note", "CREATE TABLE note (a, b AS (zeroblob(1000000000)))"],
            "the table 'note'",
        ),
        (["CREATE VIRTUAL TABLE w USING fts5(a)"], "the table 'w"),
        (["DROP TABLE label"], "no (table 'label'|index .*label)"),
        (
            [
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_master SET sql = replace(sql, 'text TEXT', 'text INT') "
                "WHERE name = 'note'",
            ],
            "the table 'note'",
        ),
        (["PRAGMA user_version = 0"], "The database of"),
        (["PRAGMA user_version = 2"], "The database of"),
        (["PRAGMA user_version = -3"], "The database of"),
    ],
)
def test_a_schema_that_no_project_has_is_refused(
    received: Path, statements: list[str], words: str
) -> None:
    execute(received, *statements)
    check_refused(received, words)
    with closing(sqlite3.connect(received / "project.sqlite")) as connection:
        if "sentence" not in "".join(statements):
            return
        n = connection.execute("SELECT count(*) FROM sentence").fetchone()
        assert n == (len(LINES),)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE corpus SET n_sentences = 'many'", "corpus.*n_sentences"),
        ("UPDATE sentence SET text = x'ff00ff' WHERE line = 3", "sentence.*text"),
        ("UPDATE corpus SET report = '{\"n\":'", "corpus.*report"),
        ("UPDATE corpus SET report = '[]'", "corpus.*report"),
        ("UPDATE embedding SET dim = 3.5", "embedding.*dim"),
        (
            "INSERT INTO subcorpus (name, state, corpora, steps, array, n_sentences, "
            "counts, created_at) VALUES "
            "('s', 'ready', '[]', '[]', 'a', 0, '{\"x\": 1}', 0)",
            "list subcorpora",
        ),
        (
            "UPDATE corpus SET language = CAST(x'80ff' AS TEXT)",
            "",
        ),
    ],
)
def test_values_of_a_wrong_type_are_refused(
    received: Path, statement: str, words: str
) -> None:
    execute(received, statement)
    if words:
        check_refused(received, words)
        return
    with pytest.raises((UserError, OperationalError)) as refusal:
        open_project(received)
    assert describe_error(refusal.value).kind in ("user", "unsafe")


def test_damaged_pages_are_refused(received: Path) -> None:
    file = received / "project.sqlite"
    data = bytearray(file.read_bytes())
    for page in range(4, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
    file.write_bytes(data)
    check_refused(received, "damaged")


def test_the_command_line_exits_with_1_and_one_line(
    received: Path, tmp_path: Path
) -> None:
    execute(received, "CREATE VIEW v AS SELECT 1")
    done = subprocess.run(
        [sys.executable, "-m", "app", "search", str(received), "--text", "ferry"],
        capture_output=True,
        text=True,
        env=os.environ | {"ISOGLOSS_DATA": str(tmp_path)},
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "the view 'v'" in done.stderr


def write_npy(file: Path, array: np.ndarray, *, allow_pickle: bool = False) -> None:
    with file.open("wb") as stream:
        np.save(stream, array, allow_pickle=allow_pickle)


ARRAYS: list[Callable[[Path, tuple[int, int]], object]] = [
    lambda file, shape: write_npy(file, np.zeros(shape, np.float64)),
    lambda file, shape: write_npy(file, np.zeros(shape[::-1], np.float32)),
    lambda file, shape: write_npy(file, np.zeros((1, 1), np.float32)),
    lambda file, shape: write_npy(
        file, np.array([[{"a": 1}]], object), allow_pickle=True
    ),
    lambda file, shape: file.write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'"),
    lambda file, shape: file.write_bytes(b""),
    lambda file, shape: file.write_bytes(file.read_bytes()[:200]),
]


@pytest.mark.parametrize("damage", ARRAYS)
def test_an_array_of_another_shape_or_type_is_refused(
    received: Path, damage: Callable[[Path, tuple[int, int]], object]
) -> None:
    with open_project(received) as project:
        (row,) = list_embeddings(project.store)
        damage(embedding_files(received, row.array)[0], (row.n_rows, row.dim))
        with pytest.raises(DamagedDataError) as refusal:
            map_embedding(received, row)
    assert describe_error(refusal.value).kind == "user"


def test_an_array_of_texts_is_no_array_of_numbers(tmp_path: Path) -> None:
    write_npy(tmp_path / "a.npy", np.array(["a", "b"]))
    with pytest.raises(DamagedDataError):
        map_array(tmp_path / "a.npy")


def test_runs_that_name_files_outside_are_not_offered_again(received: Path) -> None:
    row = (
        "INSERT INTO run (task, params, state, device, versions, result, error, "
        "started_at) VALUES ('encode', '{}', 'interrupted', '', '{{}}', '', '', 0)"
    )
    harmless = json.dumps({"type": "encode", "encoder": "isogloss-2"})
    harmful = json.dumps({"type": "export-pairs", "out": "/home/me/.profile"})
    execute(received, row.format(harmless), row.format(harmful))
    with open_project(received) as project:
        assert any("unfinished run" in notice for notice in project.notices)
        with project.store.connect() as connection:
            states = connection.exec_driver_sql("SELECT state FROM run").fetchall()
    assert states == [("interrupted",), ("cancelled",)]


def test_a_project_that_was_verified_is_known_until_its_file_is_replaced(
    received: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[Path] = []
    monkeypatch.setattr(
        "app.engine.project.project.verify_project",
        lambda folder, **_: verified.append(folder),
    )
    open_project(received).close()
    open_project(received).close()
    assert verified == [received]
    shutil.copy(received / "project.sqlite", tmp_path / "other")
    (tmp_path / "other").replace(received / "project.sqlite")
    open_project(received).close()
    assert verified == [received, received]


def test_statistics_of_the_database_are_allowed(received: Path) -> None:
    execute(received, "ANALYZE")
    open_project(received).close()


def test_a_project_can_be_opened_through_a_link_to_its_folder(
    received: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.isogloss"
    link.symlink_to(received, target_is_directory=True)
    open_project(link).close()


@posix
def test_new_projects_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        create_project(tmp_path / "new.isogloss").close()
    finally:
        os.umask(old)
    folder = tmp_path / "new.isogloss"
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in ("project.sqlite", "lock"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_a_definition_that_is_not_text_is_refused(received: Path) -> None:
    file = received / "project.sqlite"
    file.write_bytes(file.read_bytes().replace(b"language_given", b"language\xbagiven"))
    check_refused(received, "which no Isogloss project contains in this form")


@pytest.mark.parametrize(
    ("index", "byte"),
    [(18, 9), (100, 255)],  # the version that may read the file; the first page
)
def test_a_database_that_cannot_be_read_is_refused(
    received: Path, index: int, byte: int
) -> None:
    file = received / "project.sqlite"
    data = bytearray(file.read_bytes())
    data[index : index + 2] = bytes((byte, byte))
    file.write_bytes(data)
    check_refused(received, "is damaged")


def test_a_record_of_formats_that_misses_a_step_is_refused(received: Path) -> None:
    execute(
        received,
        "DROP TABLE coded_segment",
        "DROP TABLE judged_range",
        "DROP TABLE retrieval_hits",
        "DROP TABLE text_change",
        "DELETE FROM alembic_version",
        "PRAGMA user_version = 4",
    )
    with pytest.raises(UnsafeProjectError, match="record of formats is damaged"):
        open_project(received)
    with closing(sqlite3.connect(received / "project.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (4,)
