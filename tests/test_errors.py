"""Errors at the border: each family has its sentence, and only faults are faults."""

import errno
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from app.errors import UserError, describe_error


def test_what_the_file_system_refuses_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("x", encoding="utf-8")
    with pytest.raises(OSError, match=r".+") as caught:
        (tmp_path / "letter" / "folder").mkdir()
    described = describe_error(caught.value)
    assert described.kind == "resource"
    assert "letter" in described.message
    full = OSError(errno.ENOSPC, "No space left")
    assert "disk is full" in describe_error(full).message


def test_a_damaged_database_names_the_backups(tmp_path: Path) -> None:
    file = tmp_path / "project.sqlite"
    file.write_bytes(b"no database" * 1000)
    engine = create_engine(f"sqlite:///{file}")
    with pytest.raises(Exception, match="not a database") as caught:
        engine.connect().execute(text("SELECT 1 FROM sqlite_master"))
    engine.dispose()
    described = describe_error(caught.value)
    assert described.kind == "user"
    assert "backups" in described.message


def test_a_database_that_cannot_be_opened_is_no_fault(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(tmp_path)
    assert describe_error(caught.value).kind == "resource"


def test_a_wrong_statement_is_our_fault() -> None:
    connection = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("SELECT 1 FROM nothing")
    connection.close()
    assert describe_error(caught.value).kind == "bug"


def test_a_sentence_stays_short_whatever_was_typed() -> None:
    described = describe_error(UserError("begin " + "x" * 100_000 + " end"))
    assert len(described.message) <= 2_010
    assert described.message.startswith("begin ")
    assert described.message.endswith(" end")
