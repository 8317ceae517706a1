"""Import: a killed one goes on, or is given up."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import insert, update

from app.engine.edits.runs import remove_incomplete_corpora
from app.engine.exchange import corpus_import
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import list_corpora
from app.engine.tasks.import_corpus import ImportResult, import_corpus
from app.errors import UserError
from app.params import params_to_json
from app.params.corpora import ImportCorpus
from tests.engine.tasks.importing import (
    EMPTY,
    count_rows,
    params_of,
    run_import,
    texts_of,
    write,
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


def start_run(project: Project) -> int:
    row = {
        "task": "import-corpus",
        "params": "{}",
        "state": "running",
        "started_at": 0.0,
    }
    with project.store.begin() as connection:
        return int(connection.execute(insert(schema.run).values(**row)).lastrowid)


KILLED = """
import os, sys
from pathlib import Path
from app.engine.project.project import open_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.tasks.import_corpus import import_corpus
from app.engine.exchange import corpus_import
from app.params import params_from_json

class KillingSink(SilentSink):
    n = 0
    def changed(self, kind, row_id):
        self.n += 1
        if self.n == 6:  # two corpora: three shards are committed
            os._exit(9)

corpus_import.SHARD = 100
project = open_project(Path(sys.argv[1]))
report = Report(KillingSink(), run=int(sys.argv[2]))
import_corpus(project, params_from_json(sys.argv[3]), report)
"""


def write_table(tmp_path: Path) -> Path:
    rows = [
        f"{i}\tword {i % 700}\tWort\x02 {i % 900}" if i % 50 else f"{i}\tword\t"
        for i in range(2000)
    ]
    rows = [f"{row}\t{'x' * 700}" for row in rows]  # several blocks of 256 KB
    return write(tmp_path, "\n".join(rows), "t.tsv")


def kill_import(project: Project, params: ImportCorpus) -> int:
    """Import in a process that is killed after three shards; returns the run."""
    run = start_run(project)
    record = params_to_json(params)
    project.close()
    command = [sys.executable, "-c", KILLED, str(project.folder), str(run), record]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr
    return run


def comparable(result: ImportResult) -> list[Any]:
    return [
        msgspec.structs.replace(corpus.report, elapsed_s=0.0)
        for corpus in result.corpora
    ]


def test_killed_import_goes_on_and_ends_as_without_the_kill(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = params_of(
        write_table(tmp_path), languages=["en", "de"], columns=["2", "3"]
    )
    whole = import_corpus(project, params, Report())
    texts = [texts_of(project, corpus.id) for corpus in whole.corpora]
    counts = count_rows(project)

    run = kill_import(project, params)

    with open_project(project.folder) as again:
        left = list_corpora(again.store, states=["importing"])
        assert [row.n_sentences > 0 for row in left] == [True, True]
        assert len(list_corpora(again.store)) == 2
        monkeypatch.setattr(corpus_import, "SHARD", 130)
        resumed = import_corpus(again, params, Report(run=run))

        assert [corpus.id for corpus in resumed.corpora] == [row.id for row in left]
        assert comparable(resumed) == comparable(whole)
        assert [texts_of(again, corpus.id) for corpus in resumed.corpora] == texts
        assert count_rows(again) == {key: 2 * n for key, n in counts.items()}
        assert import_corpus(again, params, Report(run=run)) == resumed


def test_killed_import_of_a_file_that_changed_is_refused(
    project: Project, tmp_path: Path
) -> None:
    path = write_table(tmp_path)
    params = params_of(path, languages=["en", "de"], columns=["2", "3"])
    run = kill_import(project, params)
    path.write_text(path.read_text(encoding="utf-8").replace("word 5\t", "other\t"))

    with open_project(project.folder) as again:
        with pytest.raises(UserError, match="changed since its import was interrupted"):
            import_corpus(again, params, Report(run=run))
        assert count_rows(again) == EMPTY


def test_interrupted_import_can_be_dropped(project: Project, tmp_path: Path) -> None:
    params = params_of(
        write_table(tmp_path), languages=["en", "de"], columns=["2", "3"]
    )
    run = kill_import(project, params)

    with open_project(project.folder) as again:
        assert len(remove_incomplete_corpora(again, run)) == 2
        assert count_rows(again) == EMPTY


def test_corpora_of_a_run_that_failed_are_removed_by_the_next_import(
    project: Project, tmp_path: Path
) -> None:
    params = params_of(
        write_table(tmp_path), languages=["en", "de"], columns=["2", "3"]
    )
    run = kill_import(project, params)
    with open_project(project.folder) as again:
        with again.store.begin() as connection:
            failed = update(schema.run).where(schema.run.c.id == run)
            connection.execute(failed.values(state="failed"))

        run_import(again, write(tmp_path, "word\n"), languages=["en"])

        assert count_rows(again) == EMPTY | {"corpus": 1, "sentence": 1, "words": 1}
