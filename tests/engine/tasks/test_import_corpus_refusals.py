"""Import: a refusal or a cancel is one sentence and leaves nothing."""

import gzip
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from app.engine.exchange import corpus_import
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.store import corpus_writes
from app.engine.store.corpora import list_corpora
from app.engine.tasks.import_corpus import import_corpus
from app.errors import Cancelled, ResourceError, UserError, describe_error
from tests.engine.tasks.importing import (
    EMPTY,
    TMX,
    count_rows,
    params_of,
    run_import,
    write,
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


def make_case(name: str, folder: Path) -> tuple[list[Path], dict[str, Any]]:
    """Make the files of a bad import."""
    many = "some words here\n" * 300
    fields: dict[str, Any] = {"languages": ["en"]}
    path = folder / "bad file ü.txt"
    if name == "binary":
        path.write_bytes(bytes(range(256)) * 20)
    elif name == "empty":
        path.touch()
    elif name == "blank lines":
        path.write_text("\n \n\t\n", encoding="utf-8")
    elif name == "truncated":
        path = folder / "bad.txt.gz"
        path.write_bytes(gzip.compress(many.encode() * 900)[:-9])
    elif name == "long line":
        path.write_text(many + "w" * 5_000_000 + "\n", encoding="utf-8")
    elif name == "malformed":
        path = folder / "bad.tmx"
        unit = '<tu><tuv xml:lang="en"><seg>w</seg></tuv></tu>\n'
        path.write_text(TMX.format(body=unit * 300 + "<tu>"), encoding="utf-8")
    elif name == "no language":
        path.write_text(many, encoding="utf-8")
        fields = {}
    elif name == "missing":
        path = folder / "missing.txt"
    else:
        other = folder / "x.fr"
        path = folder / "x.en"
        path.write_text(many, encoding="utf-8")
        other.write_text(many + "one more\n", encoding="utf-8")
        return [path, other], {"languages": ["en", "fr"]}
    return [path], fields


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("binary", UserError, "bad file ü.txt is not a text file but a binary file"),
        ("empty", UserError, "bad file ü.txt is empty"),
        ("blank lines", UserError, "no sentences to import: of 3 read, 3 are"),
        ("truncated", UserError, "bad.txt.gz is damaged or incomplete"),
        ("long line", UserError, "Line 301 of"),
        ("malformed", UserError, "bad.tmx is malformed at line 301"),
        ("no language", UserError, "The language of"),
        ("missing", ResourceError, "missing.txt does not exist"),
        ("unequal", UserError, "x.en has 300, x.fr has 301"),
    ],
)
def test_refusal_is_a_sentence_and_leaves_nothing(
    name: str,
    error: type[Exception],
    sentence: str,
    project: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(corpus_import, "SHARD", 100)
    files, fields = make_case(name, tmp_path)

    with pytest.raises(error) as caught:
        run_import(project, *files, **fields)

    assert sentence in str(caught.value)
    assert count_rows(project) == EMPTY


class ActingSink(SilentSink):
    """Acts when the first shard is written."""

    def __init__(self) -> None:
        self.action: Any = None

    def changed(self, kind: str, row_id: int) -> None:
        if self.action:
            action, self.action = self.action, None
            action()


def test_file_that_disappears_while_it_is_read_is_refused(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_import, "SHARD", 100)
    path = write(tmp_path, f"{'some words here ' * 200}\n" * 300)
    sink = ActingSink()
    sink.action = path.unlink

    with pytest.raises(ResourceError, match=r"a\.txt does not exist"):
        import_corpus(project, params_of(path, languages=["en"]), Report(sink))

    assert count_rows(project) == EMPTY


def test_cancel_removes_what_was_imported(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_import, "SHARD", 100)
    path = write(tmp_path, f"{'some words here ' * 200}\tworter\n" * 300, "t.tsv")
    sink = ActingSink()
    report = Report(sink)
    sink.action = report.cancel

    with pytest.raises(Cancelled):
        import_corpus(project, params_of(path, languages=["en", "de"]), report)

    assert count_rows(project) == EMPTY


def test_what_cancel_had_no_time_for_is_removed_before_the_next_import(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_writes, "PURGE_ROWS", 100)
    result = run_import(project, write(tmp_path, "word\n" * 500), languages=["en"])
    corpus_writes.mark_corpora_removed(project.store, [result.corpora[0].id])

    assert not corpus_writes.purge_removed_corpora(project.store, seconds=0)
    assert list_corpora(project.store) == []
    assert 0 < count_rows(project)["sentence"] < 500
    later = run_import(project, write(tmp_path, "word\n"), languages=["en"])

    assert count_rows(project) | {"corpus": 1} == EMPTY | {
        "corpus": 1,
        "sentence": 1,
        "words": 1,
    }
    assert later.corpora[0].n_sentences == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_full_disk_is_a_resource_error_and_leaves_nothing(
    project: Project, tmp_path: Path
) -> None:
    import resource

    path = write(tmp_path, "".join(f"some words {i} here\n" for i in range(200_000)))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file may grow over 3 MB: what a full disk does, for this process only.
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, limits[1]))
    try:
        with pytest.raises((DBAPIError, sqlite3.Error)) as caught:
            run_import(project, path, languages=["en"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    described = describe_error(caught.value)
    assert described.kind == "resource"
    assert "probably because the disk is full" in described.message
    assert list_corpora(project.store) == []
    run_import(project, write(tmp_path, "word\n"), languages=["en"])
    assert count_rows(project) == EMPTY | {"corpus": 1, "sentence": 1, "words": 1}


@pytest.mark.parametrize("encoding", ["hex", "undefined", "utf-16"])
def test_an_encoding_that_does_not_fit_is_refused(
    encoding: str, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path, "some words\n")
    with pytest.raises(UserError):
        run_import(project, path, languages=["en"], encoding=encoding)
    assert count_rows(project) == EMPTY


@pytest.mark.parametrize("name", ["", "\t\x00", "x" * 201])
def test_a_name_that_cannot_be_shown_is_refused(
    name: str, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path, "some words\n")
    with pytest.raises(UserError, match="The name of a corpus has"):
        run_import(project, path, languages=["en"], names=[name])
