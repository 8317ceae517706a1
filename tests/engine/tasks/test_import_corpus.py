"""Import: what is kept, what the report says, and that a refusal leaves nothing."""

import gzip
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, insert, select, update

from app.engine.project import Project, create_project, open_project
from app.engine.report import Report, SilentSink
from app.engine.search.keywords import keyword_query
from app.engine.store import schema, writes
from app.engine.store.rows import first_id, list_corpora, read_label, read_translations
from app.engine.store.session import DATABASE
from app.engine.tasks.import_corpus import ImportResult, drop_import, import_corpus
from app.engine.text import corpus_filler
from app.engine.text.import_report import Duplicate, ImportReport, LineReason
from app.errors import Cancelled, ResourceError, UserError
from app.params import ImportCorpus, build_params

TMX = '<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>'


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


def params_of(*files: Path, **fields: Any) -> ImportCorpus:
    params: ImportCorpus = build_params(ImportCorpus, {"files": files, **fields})
    return params


def run_import(project: Project, *files: Path, **fields: Any) -> ImportResult:
    return import_corpus(project, params_of(*files, **fields), Report())


def write(tmp_path: Path, text: str, name: str = "a.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def texts_of(project: Project, corpus_id: int) -> list[str]:
    table = schema.sentence
    low, high = first_id(corpus_id), first_id(corpus_id + 1)
    query = select(table.c.text).where(table.c.id.between(low, high - 1))
    with project.store.connect() as connection:
        return list(connection.scalars(query.order_by(table.c.id)))


def count_rows(project: Project) -> dict[str, int]:
    tables = (schema.corpus, schema.sentence, schema.link, schema.label)
    with project.store.connect() as connection:
        counts = {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in tables
        }
        # Each text of these tests holds a word that begins so.
        sql = "SELECT count(*) FROM sentence_words WHERE sentence_words MATCH 'w*'"
        counts["words"] = connection.exec_driver_sql(sql).scalar() or 0
    return counts


EMPTY = {"corpus": 0, "sentence": 0, "link": 0, "label": 0, "words": 0}


def start_run(project: Project) -> int:
    row = {
        "task": "import-corpus",
        "params": "{}",
        "state": "running",
        "started_at": 0.0,
    }
    with project.store.begin() as connection:
        return int(connection.execute(insert(schema.run).values(**row)).lastrowid)


def test_a_text_becomes_a_corpus_with_a_report(
    project: Project, tmp_path: Path
) -> None:
    path = write(
        tmp_path,
        "Heute ist das Wetter schön.\n\nWir gehen in den Park.\x00\n"
        "Heute ist das Wetter schön.\nheute ist das wetter schön!\n"
        "Cafe\u0301 am See.\n",
    )

    corpus = run_import(project, path, languages=["deu"]).corpora[0]

    row = list_corpora(project.store)[0]
    report = msgspec.convert(row.report, type=ImportReport)
    assert (row.name, row.language, row.language_given) == ("a", "de", "deu")
    assert (row.state, row.n_sentences, row.source) == ("ready", 5, str(path))
    assert texts_of(project, row.id)[1] == "Wir gehen in den Park."
    assert corpus.report == report
    assert (report.n_read, report.n_kept, report.n_empty) == (6, 5, 1)
    assert report.repaired == (
        LineReason(3, "control characters were removed"),
        LineReason(6, "characters were composed (Unicode NFC)"),
    )
    assert report.duplicates == (Duplicate(4, 1),)
    assert (report.n_duplicates, report.n_near_duplicates) == (1, 1)
    assert (report.guessed_language, report.mismatch) == ("de", "")
    assert (report.encoding, report.format) == ("utf-8", "text")
    assert report.unknown_share is None or 0 <= report.unknown_share < 0.2


def test_sentences_keep_line_length_and_hash(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "\nwé\n")

    corpus_id = run_import(project, path, languages=["fr"]).corpora[0].id

    with project.store.connect() as connection:
        row = connection.execute(select(schema.sentence)).one()
    assert (row.id, row.text, row.language) == (first_id(corpus_id), "wé", "fr")
    assert (row.line, row.length) == (2, 2)


def test_sides_of_a_parallel_text_are_linked(project: Project, tmp_path: Path) -> None:
    english = write(tmp_path, "one\n\nthree\nfour\n", "x.en")
    french = write(tmp_path, "un\n\n\nquatre\n", "x.fr")

    result = run_import(project, english, french, languages=["en", "fr"])

    one, other = result.corpora
    assert (one.name, other.name) == ("x.en", "x.fr")
    assert texts_of(project, one.id) == ["one", "four"]
    assert texts_of(project, other.id) == ["un", "quatre"]
    assert one.report.refused == (LineReason(3, "there is no text in French"),)
    assert (one.report.n_read, one.report.n_kept, one.report.n_empty) == (4, 2, 1)
    found = read_translations(project.store, first_id(other.id) + 1)
    assert [row.text for row in found] == ["four"]


def test_three_languages_of_a_tmx_are_linked_each_with_each(
    project: Project, tmp_path: Path
) -> None:
    variants = "".join(
        f'<tuv xml:lang="{tag}"><seg>word {tag}</seg></tuv>'
        for tag in ("en", "fr", "de")
    )
    path = write(tmp_path, TMX.format(body=f"<tu>{variants}</tu>" * 2), "t.tmx")

    result = run_import(project, path)

    assert [corpus.name for corpus in result.corpora] == ["t.en", "t.fr", "t.de"]
    assert count_rows(project)["link"] == 6


def test_labels_are_kept_as_imported(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "text\ttopic\nIt rains.\tweather\nWell.\t\n", "t.tsv")

    result = run_import(project, path, languages=["en"], label_column="topic")

    first = first_id(result.corpora[0].id)
    assert read_label(project.store, first) == "weather"
    assert read_label(project.store, first + 1) == ""


def test_words_are_found_in_every_script(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "The weather is fine.\n今天天气很好。\nวันนี้อากาศดีมาก\n")
    first = first_id(run_import(project, path, languages=["en"]).corpora[0].id)

    found = {}
    with project.store.connect() as connection:
        for typed in ("weath*", "天气", "อากาศ"):
            sql = "SELECT rowid FROM sentence_words WHERE sentence_words MATCH ?"
            match = (keyword_query(typed),)
            found[typed] = list(connection.exec_driver_sql(sql, match).scalars())

    assert found == {"weath*": [first], "天气": [first + 1], "อากาศ": [first + 2]}


def test_names_are_made_unique_or_refused(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "word\n", "mein Büchlein.txt")

    first = run_import(project, path, languages=["de"])
    second = run_import(project, path, languages=["de"])

    assert first.corpora[0].name == "mein Büchlein"
    assert second.corpora[0].name == "mein Büchlein 2"
    with pytest.raises(UserError, match="There is a corpus called 'mein Büchlein'"):
        run_import(project, path, languages=["de"], names=["mein Büchlein"])
    with pytest.raises(UserError, match="2 names were given for 1 corpora"):
        run_import(project, path, languages=["de"], names=["a", "b"])


def test_unknown_language_is_a_warning(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "word\n")

    corpus = run_import(project, path, languages=["qqx"]).corpora[0]

    assert (corpus.language, corpus.code) == ("qqx", "qqx")
    assert any("'qqx' is no code of ISO 639" in note for note in corpus.report.notes)


# --- refusals: one sentence, and the project as it was ---


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
        ("binary", UserError, "bad file ü.txt is no text: it is a binary file"),
        ("empty", UserError, "bad file ü.txt is empty"),
        ("blank lines", UserError, "no sentence that could be kept: of 3 read, 3 are"),
        ("truncated", UserError, "bad.txt.gz is damaged or was not copied whole"),
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
    monkeypatch.setattr(corpus_filler, "SHARD", 100)
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
    monkeypatch.setattr(corpus_filler, "SHARD", 100)
    monkeypatch.setattr("app.engine.text.lines.CHUNK", 4096)
    path = write(tmp_path, "some words here\n" * 3000)
    sink = ActingSink()
    sink.action = path.unlink

    with pytest.raises(ResourceError, match=r"a\.txt does not exist \(any more\)"):
        import_corpus(project, params_of(path, languages=["en"]), Report(sink))

    assert count_rows(project) == EMPTY


def test_cancel_removes_what_was_imported(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_filler, "SHARD", 100)
    monkeypatch.setattr("app.engine.text.lines.CHUNK", 4096)
    path = write(tmp_path, "some words here\tworter\n" * 3000, "t.tsv")
    sink = ActingSink()
    report = Report(sink)
    sink.action = report.cancel

    with pytest.raises(Cancelled):
        import_corpus(project, params_of(path, languages=["en", "de"]), report)

    assert count_rows(project) == EMPTY


def test_what_cancel_had_no_time_for_is_removed_before_the_next_import(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writes, "PURGE_ROWS", 100)
    result = run_import(project, write(tmp_path, "word\n" * 500), languages=["en"])
    writes.mark_removing(project.store, [result.corpora[0].id])

    assert not writes.purge_removing(project.store, seconds=0)
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
        with pytest.raises(ResourceError, match="the disk is probably full"):
            run_import(project, path, languages=["en"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert list_corpora(project.store) == []
    run_import(project, write(tmp_path, "word\n"), languages=["en"])
    assert count_rows(project) == EMPTY | {"corpus": 1, "sentence": 1, "words": 1}


# --- a kill, and going on ---

KILLED = """
import os, sys
from pathlib import Path
from app.engine.project import open_project
from app.engine.report import Report, SilentSink
from app.engine.tasks.import_corpus import import_corpus
from app.engine.text import corpus_filler, lines
from app.params import params_from_json

class KillingSink(SilentSink):
    n = 0
    def changed(self, kind, row_id):
        self.n += 1
        if self.n == 6:  # two corpora: three shards are committed
            os._exit(9)

corpus_filler.SHARD, lines.CHUNK = 100, 4096
project = open_project(Path(sys.argv[1]))
report = Report(KillingSink(), run=int(sys.argv[2]))
import_corpus(project, params_from_json(sys.argv[3]), report)
"""


def write_table(tmp_path: Path) -> Path:
    rows = [
        f"{i}\tword {i % 700}\tWort\x02 {i % 900}" if i % 50 else f"{i}\tword\t"
        for i in range(2000)
    ]
    return write(tmp_path, "\n".join(rows), "t.tsv")


def kill_import(project: Project, params: ImportCorpus) -> int:
    """Import in a process that is killed after three shards; returns the run."""
    from app.params import params_to_json

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
        monkeypatch.setattr(corpus_filler, "SHARD", 130)
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
        assert len(drop_import(again, run)) == 2
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


def test_result_fits_a_message(project: Project, tmp_path: Path) -> None:
    rows = [f"word e\u0301 {i}\tWort" if i % 2 else f"word {i}" for i in range(3000)]
    path = write(tmp_path, "\n".join(rows), "t.tsv")

    result = run_import(
        project, path, languages=["en", "de"], columns=["1", "2"], header="no"
    )

    assert len(msgspec.json.encode(result)) < 16_000
    row = list_corpora(project.store)[0]
    assert len(row.report["refused"]) == 200
    assert row.report["refused_reasons"] == {"the row has too few columns": 1500}
    assert len(json.dumps(row.report)) < 64 * 1024


def test_database_is_sound_after_imports_and_removals(
    project: Project, tmp_path: Path
) -> None:
    kept = run_import(project, write(tmp_path, "wörter 今天\n" * 50), languages=["de"])
    gone = run_import(project, write(tmp_path, "words\n" * 50), languages=["en"])
    writes.mark_removing(project.store, [gone.corpora[0].id])
    writes.purge_removing(project.store)

    connection = sqlite3.connect(project.folder / DATABASE)
    check = "INSERT INTO sentence_words(sentence_words) VALUES ('integrity-check')"
    connection.execute(check)
    sql = "SELECT count(*) FROM sentence_words WHERE sentence_words MATCH ?"
    n_kept = connection.execute(sql, ("wörter",)).fetchone()
    n_gone = connection.execute(sql, ("words",)).fetchone()
    connection.close()
    assert (n_kept, n_gone) == ((50,), (0,))
    assert kept.corpora[0].report.n_duplicates == 49
