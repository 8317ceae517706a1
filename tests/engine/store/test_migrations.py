"""A project of an older format gets what is new, and keeps what it has."""

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect

from app.engine.project import project as module
from app.engine.project.project import create_project, open_project
from app.engine.store import schema_migration
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.journal import TextChanges
from app.engine.store.pairs.judged_ranges import read_judged_ranges
from app.engine.store.pairs.sets import first_pair_id, read_current_judgements
from app.engine.store.schema import SCHEMA_VERSION, metadata
from app.engine.store.schema_migration import schema_of
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange
from tests.engine.review.made import add_corpora, add_pairs, edit

ROW = (
    "INSERT INTO corpus (name, language, language_given, state, n_sentences, source, "
    "report, created_at) VALUES ('old', 'en', 'en', 'ready', 0, '', '{}', 0)"
)


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of format 1, as its release left it."""
    upgrade = command.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", lambda c, _: upgrade(c, "0001"))
        patch.setattr(schema_migration, "SCHEMA_VERSION", 1)
        patch.setattr(module, "_clean_up", lambda *_: None)  # it reads newer tables
        with create_project(tmp_path / "old.isogloss") as project:
            folder = project.folder
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        connection.execute(ROW)
        connection.commit()
        names = {n for (n,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "pair" not in names
    return folder


def test_format_1_gets_the_tables_of_pairs_and_a_copy_is_kept(old: Path) -> None:
    assert schema_of(old) == 1
    with open_project(old) as project:
        assert project.notices == [
            f"{old.name} was converted to format {SCHEMA_VERSION}."
        ]
        tables = inspect(project.store).get_table_names()
        assert set(metadata.tables) <= set(tables)
        assert [corpus.name for corpus in list_corpora(project.store)] == ["old"]
    assert (old / "project.format-1.sqlite").is_file()
    assert schema_of(old) == SCHEMA_VERSION


def test_a_migrated_project_has_the_tables_of_a_new_one(
    old: Path, tmp_path: Path
) -> None:
    create_project(tmp_path / "new.isogloss").close()
    open_project(old).close()
    made = [_tables(folder) for folder in (old, tmp_path / "new.isogloss")]
    assert made[0] == made[1]


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_received_project_of_every_format_passes_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    upgrade = command.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", lambda c, _: upgrade(c, f"{version:04d}"))
        patch.setattr(schema_migration, "SCHEMA_VERSION", version)
        patch.setattr(module, "_clean_up", lambda *_: None)  # it reads newer tables
        create_project(tmp_path / "old.isogloss").close()
    sent = Path(shutil.copytree(tmp_path / "old.isogloss", tmp_path / "sent.isogloss"))
    with closing(sqlite3.connect(sent / "project.sqlite")) as connection:
        connection.execute(ROW)
        connection.execute("ANALYZE")
        connection.commit()
    assert schema_of(sent) == version
    with open_project(sent) as project:
        assert [corpus.name for corpus in list_corpora(project.store)] == ["old"]
    assert schema_of(sent) == SCHEMA_VERSION
    open_project(sent).close()


def test_verdicts_of_ranges_are_marked_as_the_journal_knows_them(
    tmp_path: Path,
) -> None:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        first = first_pair_id(1)
        edit(project, JudgePairs(pairs=(first,), verdict="accept"))
        edit(project, JudgeRange(mining=1, verdict="accept", which="unjudged"))
        edit(project, JudgePairs(pairs=(first + 1,), note="kept with its verdict"))
        edit(project, JudgePairs(pairs=(first + 2,), verdict="accept"))
        folder = project.folder
        expected = {first + n: n not in (0, 2) for n in range(6)}
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        # not in format 5
        for table in ("judged_range", "retrieval_hits", "text_change"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE alembic_version SET version_num = '0005'")
        connection.execute("PRAGMA user_version = 5")
        connection.commit()
    with open_project(folder) as project:
        found = read_current_judgements(project.store, list(expected))
        ranges = read_judged_ranges(project.store)
    assert {id_: ranges.has(row.given_id) for id_, row in found.items()} == expected
    assert found[first + 1].note == "kept with its verdict"


def test_an_older_project_knows_what_may_have_changed(tmp_path: Path) -> None:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project)
        first = first_sentence_id(1)
        begun = time.time()
        for index in range(2):
            edit(project, EditSentence(sentence=first + index, text="an other text"))
        edited = time.time()
        edit(project, Undo())
        folder = project.folder
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        connection.execute("DROP TABLE text_change")  # not in format 7
        connection.execute("UPDATE alembic_version SET version_num = '0007'")
        connection.execute("PRAGMA user_version = 7")
        connection.commit()
    with open_project(folder) as project:
        changes = TextChanges(project.store, begun)
        assert changes.list_changed(begun) == [first, first + 1]
        # the undo has no time: it may have been later
        assert changes.list_changed(edited) == [first + 1]
        assert changes.list_changed(time.time()) == []


def _tables(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        return dict(connection.execute("SELECT name, sql FROM sqlite_master"))
