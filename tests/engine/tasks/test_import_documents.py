"""Import: documents and their fields, from folders, columns, headers and comments."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.engine.edits.runs import remove_incomplete_corpora
from app.engine.exchange import corpus_import
from app.engine.project import runs
from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import queue_run, read_files, record_files
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.documents import (
    document_numbers,
    document_of,
    list_documents,
    read_last_line,
    shorten_document_names,
)
from app.engine.tasks.import_corpus import import_corpus
from app.errors import UserError
from tests.engine.tasks.importing import params_of, run_import, texts_of, write
from tests.engine.tasks.test_import_corpus_resume import kill_import

NAMES = {
    "Roman/Keller_1854.txt": "Wort eins.\nWort zwei.\n",
    "Roman/von_Arnim_1820.txt": "Wort drei.\n",
    "Brief/Гоголь_1842.txt": "Слово.\n",
    "Brief/鲁迅_1923.txt": "狂人日记。\n",
    "Brief/Goethe_undatiert.txt": "Wort ohne Jahr.\n",
    "Brief/2.txt": "Nummer zwei.\n",
    "Brief/10.txt": "Nummer zehn.\n",
}
PATTERN = "{genre}/{author}_{year}"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


def make_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Texte"
    for name, text in NAMES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "Roman" / ".versteckt.txt").write_text("Wort", encoding="utf-8")
    (folder / "leer.txt").write_bytes(b"")
    (folder / "tabelle.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return folder


def documents_of(project: Project, corpus: int) -> dict[str, dict[str, str]]:
    return {row.name: row.fields for row in list_documents(project.store, corpus)}


def analyses_of(project: Project) -> dict[int, Any]:
    with project.store.connect() as connection:
        rows = connection.execute(schema.analysis.select()).all()
    return {row.sentence_id: json.loads(row.words) for row in rows}


def test_the_last_line_is_that_of_the_longest_file(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "Texte"
    folder.mkdir()
    for name, n in (("a", 2), ("b", 5), ("c", 1)):
        write(folder, "".join(f"{name} {i}\n" for i in range(n)), f"{name}.txt")
    run_import(project, folder, languages=("en",))
    (corpus,) = list_corpora(project.store)
    assert corpus.n_sentences == 8
    assert read_last_line(project.store, corpus) == 5


def test_each_file_of_a_folder_is_a_document_with_the_fields_of_its_name(
    project: Project, tmp_path: Path
) -> None:
    folder = make_folder(tmp_path)

    made = run_import(project, folder, languages=["de"], fields_pattern=PATTERN)

    corpus, report = made.corpora[0], made.corpora[0].report
    assert (corpus.name, report.format, report.n_documents) == ("Texte", "text", 7)
    assert documents_of(project, corpus.id) == {
        "Brief/2": {},
        "Brief/10": {},
        "Brief/Goethe_undatiert": {"genre": "Brief", "author": "Goethe"},
        "Brief/Гоголь_1842": {"genre": "Brief", "author": "Гоголь", "year": "1842"},
        "Brief/鲁迅_1923": {"genre": "Brief", "author": "鲁迅", "year": "1923"},
        "Roman/Keller_1854": {"genre": "Roman", "author": "Keller", "year": "1854"},
        "Roman/von_Arnim_1820": {
            "genre": "Roman",
            "author": "von_Arnim",
            "year": "1820",
        },
    }
    assert texts_of(project, corpus.id)[:2] == ["Nummer zwei.", "Nummer zehn."]
    assert report.document_fields == {"genre": 5, "author": 5, "year": 4}
    misfit = (
        "does not match the pattern of the names, so it has no fields from its name."
    )
    assert report.document_problems == (
        f"Brief/2 {misfit}",
        f"Brief/10 {misfit}",
        "Brief/Goethe_undatiert: 'undatiert' is not a year, so it has no field year.",
    )
    assert set(report.notes) == {
        "leer.txt is empty (0 bytes) and skipped.",
        "tabelle.csv is not text, unlike most files, and skipped.",
    }


def test_the_record_of_a_run_has_a_hash_of_each_file_of_a_folder(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path)
    params = params_of(folder, languages=["de"])
    run = queue_run(project, params)
    record_files(project.store, run, params, Report())
    hashes = read_files(project.store, run)
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.name[0] != "."
    ]
    digest = {str(path): sha256(path.read_bytes()).hexdigest() for path in files}
    assert hashes == digest

    monkeypatch.setattr(runs, "MAX_FILES_RECORDED", len(files) - 2)
    short = record_files(project.store, run, params, Report())
    *named, rest = short
    assert rest == f"{folder} (2 more files)"
    assert all(short[name] == digest[name] for name in named)
    last, _ = set(digest) - set(named)
    Path(last).write_text("Anders.", encoding="utf-8")
    assert record_files(project.store, run, params, Report())[rest] != short[rest]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["Brief/2", "Roman/3"], ["2", "3"]),
        (["a/x/1", "a/y/1", "b/2"], ["x/1", "y/1", "2"]),
        (["a/x/1", "b/x/1", "1"], ["a/x/1", "b/x/1", "1"]),
    ],
)
def test_names_are_told_apart_by_their_folders(
    names: list[str], short: list[str]
) -> None:
    assert [shorten_document_names(names)[name] for name in names] == short


def test_the_document_of_a_sentence_is_found_by_its_id_and_its_position(
    project: Project, tmp_path: Path
) -> None:
    corpus_id = run_import(project, make_folder(tmp_path), languages=["de"]).corpora[0]
    corpus = list_corpora(project.store)[0]

    found = document_of(project.store, first_sentence_id(corpus.id) + 6)

    assert found is not None
    assert (found.name, found.first, found.n_sentences) == ("Roman/Keller_1854", 5, 2)
    assert document_numbers(project.store, corpus).tolist() == [0, 1, 2, 3, 4, 5, 5, 6]
    assert document_of(project.store, first_sentence_id(corpus_id.id + 1)) is None


def test_several_files_are_one_corpus_where_the_user_says_so(
    project: Project, tmp_path: Path
) -> None:
    files = [write(tmp_path, f"Wort {n}.\n", f"Band_{n}.txt") for n in (1, 2)]

    made = run_import(
        project,
        *files,
        languages=["de"],
        together=True,
        fields_pattern="{_}_{volume}",
        number_fields=["volume"],
    )

    assert [corpus.name for corpus in made.corpora] == [tmp_path.name]
    assert documents_of(project, made.corpora[0].id) == {
        "Band_1": {"volume": "1"},
        "Band_2": {"volume": "2"},
    }


def test_what_is_told_of_a_line_names_the_file_it_is_in(
    project: Project, tmp_path: Path
) -> None:
    files = [write(tmp_path, "Wort.\nNeu.\n", f"{name}.txt") for name in "ab"]
    files[1].write_bytes(b"Wort.\n\xff\xfe\xff kaputt\n\nWort.\n")

    report = (
        run_import(project, *files, languages=["de"], together=True, encoding="utf-8")
        .corpora[0]
        .report
    )

    assert [(one.file, one.line) for one in report.refused] == [("b", 2)]
    assert [
        (one.file, one.line, one.first_file, one.first_line)
        for one in report.duplicates
    ] == [("b", 1, "a", 1), ("b", 4, "a", 1)]


def write_columns(tmp_path: Path, kind: str) -> Path:
    rows = [
        {"text": "Wort a.", "book": "x", "author": "K", "year": 1854},
        {"text": "Wort b.", "book": "y", "author": "L", "year": 1900},
        {"text": "Wort c.", "book": "x", "author": "K", "year": 1854},
    ]
    path = tmp_path / f"t.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    elif kind == "parquet":
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    else:
        lines = [",".join(rows[0]), *(",".join(map(str, r.values())) for r in rows)]
        path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_name_the_document_of_a_row_and_its_fields(
    project: Project, tmp_path: Path, kind: str
) -> None:
    path = write_columns(tmp_path, kind)

    made = run_import(
        project,
        path,
        languages=["de"],
        document_column="book",
        field_columns=["author", "year"],
    )

    rows = list_documents(project.store, made.corpora[0].id)
    x, y = {"author": "K", "year": "1854"}, {"author": "L", "year": "1900"}
    assert [(row.name, row.fields) for row in rows] == [("x", x), ("y", y), ("x", x)]
    assert made.corpora[0].report.n_documents == 2
    corpus = list_corpora(project.store)[0]
    assert document_numbers(project.store, corpus).tolist() == [0, 1, 0]


def test_a_row_without_its_field_is_kept_and_both_sides_have_the_documents(
    project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path, "en\tde\tauthor\nword\tWort\tK\nwords\tWörter\n", "t.tsv")

    made = run_import(
        project,
        path,
        languages=["en", "de"],
        columns=["en", "de"],
        field_columns=["author"],
    )

    for corpus in made.corpora:
        assert documents_of(project, corpus.id) == {"K": {"author": "K"}, "t": {}}


CONLLU = """# newdoc id = Heft 1
# author = Keller
# meta::genre = Roman
# sent_id = a
# text = Zum  Haus.
1-2	Zum	_	_	_	_	_	_	_	_
1	Zu	zu	ADP	_	_	0	root	_	_
2	dem	der	DET	_	_	1	det	_	_
2.1	leer	leer	X	_	_	_	_	_	_
3	Haus	Haus	NOUN	_	_	1	obj	_	SpaceAfter=No
4	.	.	PUNCT	_	_	1	punct	_	_

# sent_id = b
# speaker = Anna
# text = Anders geschrieben
1	Anderes	anders	ADV	_	_	0	root	_	_
2	geschrieben	_	VERB	_	_	1	x	_	_

# newdoc
# text = कुत्ता
1	कुत्ता	कुत्ता	NOUN	_	_	0	root	_	_

"""


def test_conllu_gives_documents_fields_and_the_words_that_fit_the_text(
    project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path, CONLLU, "h.conllu")

    made = run_import(project, path, languages=["de"], field_columns=["speaker"])

    corpus = made.corpora[0]
    known = {"author": "Keller", "genre": "Roman"}
    rows = list_documents(project.store, corpus.id)
    assert [(row.name, row.fields) for row in rows] == [
        ("Heft 1", known),
        ("Heft 1", {**known, "speaker": "Anna"}),
        ("document 2", {}),
    ]
    assert (corpus.report.n_analysed, corpus.report.n_misfits) == (2, 1)
    first = first_sentence_id(corpus.id)
    assert analyses_of(project) == {
        first: [
            [0, 3, "Zu", "zu", "ADP"],
            [0, 3, "dem", "der", "DET"],
            [5, 9, "Haus", "Haus", "NOUN"],
            [9, 10, ".", ".", "PUNCT"],
        ],
        first + 2: [[0, 6, "कुत्ता", "कुत्ता", "NOUN"]],
    }


def test_a_killed_import_of_a_folder_goes_on_and_documents_are_as_without_the_kill(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Bände"
    folder.mkdir()
    for n in range(20):
        lines = "".join(
            f"# text = Wort {n} {i}\n1\tWort\tWort\tNOUN\t_\t_\t0\tx\t_\t_\n"
            f"2\t{n}\t{n}\tNUM\t_\t_\t1\tx\t_\t_\n3\t{i}\t_\tNUM\t_\t_\t1\tx\t_\t_\n\n"
            for i in range(90)
        )
        write(folder, lines, f"{n}.conllu")
    params = params_of(folder, languages=["de"], fields_pattern="{volume}")
    whole = import_corpus(project, params, Report()).corpora[0]
    rows = list_documents(project.store, whole.id)
    n_words = len(analyses_of(project))

    run = kill_import(project, params)

    with open_project(project.folder) as again:
        left = list_corpora(again.store, states=["importing"])[0]
        assert 0 < left.n_sentences < 1800
        monkeypatch.setattr(corpus_import, "SHARD", 70)
        resumed = import_corpus(again, params, Report(run=run)).corpora[0]

        assert [row.n_sentences for row in rows] == [90] * 20
        assert list_documents(again.store, resumed.id) == rows
        reports = [
            msgspec.structs.replace(c.report, elapsed_s=0.0) for c in (whole, resumed)
        ]
        assert reports[0] == reports[1]
        assert len(analyses_of(again)) == 2 * n_words == 3600


def test_a_given_up_import_leaves_no_documents_and_no_words(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "Bände"
    folder.mkdir()
    for n in range(8):
        write(
            folder, "# text = w\n1\tw\tw\tX\t_\t_\t0\tx\t_\t_\n\n" * 100, f"{n}.conllu"
        )
    run = kill_import(project, params_of(folder, languages=["de"]))

    with open_project(project.folder) as again:
        remove_incomplete_corpora(again, run)

        assert analyses_of(again) == {}
        with again.store.connect() as connection:
            assert connection.execute(schema.document.select()).all() == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"fields_pattern": "novel"}, "has no field"),
        ({"fields_pattern": "{a}{b}"}, "two fields without a character"),
        ({"fields_pattern": "{a}_{a}"}, "same field twice"),
        ({"format": "moses"}, "be documents"),
    ],
)
def test_a_pattern_or_format_that_cannot_be_is_refused(
    project: Project, tmp_path: Path, fields: dict[str, str], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        run_import(project, make_folder(tmp_path), languages=["de"], **fields)
    assert list_corpora(project.store, states=["ready", "importing"]) == []


def test_two_corpora_under_one_name_are_refused_and_nothing_is_lost(
    project: Project, tmp_path: Path
) -> None:
    folder = make_folder(tmp_path)
    run_import(project, folder, languages=["de"], names=["Texte"])

    with pytest.raises(UserError, match="The name 'Texte' is already in use"):
        run_import(project, folder, languages=["de"], names=["Texte"])
    second = run_import(project, folder, languages=["de"]).corpora[0]

    assert second.name == "Texte 2"
    assert len(list_corpora(project.store)) == 2
