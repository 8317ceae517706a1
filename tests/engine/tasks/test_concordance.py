"""The command concordance: lines as JSON, TSV, XLSX and DOCX, and kept."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.oxml.ns import qn
from openpyxl import load_workbook
from sqlalchemy import insert

from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.words.hit_lists import find_hit_list, read_saved_hits
from app.engine.tasks import concordance as task
from app.engine.tasks.concordance import ConcordanceResult, concordance
from app.engine.tasks.encode import encode
from app.engine.text.writers import docx as documents
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.vectors import Encode
from app.params.words import Concordance
from tests.cli.test_cli import run_cli
from tests.engine.search.made import WordEncoder, add_corpus, use_encoder

ENGLISH = ["The old mill.", "=mill(1) and a mill", "Rain.", "A windmill, no mill"]
ARABIC = ["رأى الولد القطة", "القطة على السجادة"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    encoder = WordEncoder(16)
    use_encoder(monkeypatch, encoder)
    with create_project(tmp_path / "mill.isogloss") as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "German", "de", ["Die alte mill.", "Regen."])
        add_corpus(project, "Arabic", "ar", ARABIC)
        stretch = {"corpus_id": 1, "first": 1, "n_sentences": 3, "name": "May"}
        link = {
            "source_id": first_sentence_id(1),
            "target_id": first_sentence_id(2),
            "kind": "gold",
        }
        with project.store.begin() as connection:
            fields = json.dumps({"year": "1987", "author": "A. Miller"})
            values = {**stretch, "fields": fields}
            connection.execute(insert(schema.document).values(**values))
            connection.execute(insert(schema.link).values(**link))
        yield project


def _run(project: Project, text: str, **fields: Any) -> ConcordanceResult:
    params = build_params(Concordance, {"text": text, **fields})
    return concordance(project, params, Report())


def test_lines_are_given_as_text(project: Project) -> None:
    result = _run(project, "mill", corpora=("English",), sort=("L1",), top=3)
    assert (result.n, result.n_sentences, result.n_searched) == (4, 3, 4)
    lines = [(line.left, line.hit, line.right, line.line) for line in result.lines]
    assert lines == [
        ("=", "mill", "(1) and a mill", 2),
        ("=mill(1) and a ", "mill", "", 2),
        ("A windmill, no ", "mill", "", 4),
    ]
    assert [line.document for line in result.lines] == ["May"] * 3
    assert result.message == "4 hits in 3 sentences."


def test_a_table_holds_every_column_that_there_is(
    project: Project, tmp_path: Path
) -> None:
    encode(project, Encode(corpora=("English", "German")), Report())
    out = tmp_path / "mill.tsv"
    wish = {"corpora": ("English",), "near": ("deu", "ar"), "context": 1}
    result = _run(project, "mill", out=out, **wish)
    with out.open(encoding="utf-8", newline="") as stream:
        first, second, third, fourth = csv.DictReader(stream, delimiter="\t")
    assert list(first) == [
        *("before", "left", "hit", "right", "after", "corpus", "document"),
        *("year", "author", "line", "language", "sentence"),
        *("near:de", "cosine:de", "by_link:de"),
        *("near:ar", "cosine:ar", "by_link:ar", "translations"),
    ]
    assert (first["before"], first["after"]) == ("", ENGLISH[1])
    assert (first["near:de"], first["by_link:de"]) == ("Die alte mill.", "yes")
    assert first["translations"] == "", "near:de has it"
    assert (first["document"], first["year"]) == ("", "")
    assert (second["year"], second["author"]) == ("1987", "A. Miller")
    assert second["by_link:de"] == "no"
    assert 0 < float(second["cosine:de"]) < 1
    assert fourth["near:ar"] == ""
    assert third["left"] == "=mill(1) and a "
    assert (result.lines, result.files) == ([], (out,))
    assert [note.split(" ")[0] for note in result.notes] == ["A", "No"]
    assert "exported to mill.tsv" in result.message


def test_a_workbook_holds_no_formula(project: Project, tmp_path: Path) -> None:
    _run(project, "mill|القطة", mode="regex", out=tmp_path / "m.xlsx")
    (sheet,) = load_workbook(tmp_path / "m.xlsx").worksheets
    header, *rows = sheet.iter_rows()
    names = [cell.value for cell in header]
    hits = [row[names.index("hit")] for row in rows]
    assert [cell.value for cell in hits] == ["mill"] * 6 + ["القطة"] * 2
    assert all(cell.font.bold for cell in hits)
    left = [row[names.index("left")] for row in rows]
    assert (left[1].value, left[1].data_type) == ("=", "s")
    assert (left[1].alignment.horizontal, left[6].alignment.horizontal) == (
        *("right", None),
    )
    right = rows[7][names.index("right")].alignment
    assert (right.readingOrder, sheet.freeze_panes) == (2, "A2")


def test_nearest_sentences_that_are_not_similar_are_left_out(project: Project) -> None:
    encode(project, Encode(corpora=("English", "German")), Report())
    rain = _run(project, "القطة", near=("de",)).lines
    assert [one.near for one in rain] == [[], []]
    first, *others = _run(project, "mill", near=("de",)).lines
    assert [near.text for near in first.near] == ["Die alte mill."]
    assert first.near[0].is_translation
    for near in (one for line in others for one in line.near):
        assert near.score is not None
        assert near.score > 0.4


def test_a_document_has_the_hit_bold_and_scripts_in_their_direction(
    project: Project, tmp_path: Path
) -> None:
    encode(project, Encode(corpora=("English", "German")), Report())
    out = tmp_path / "m.docx"
    _run(project, "mill|القطة", mode="regex", near=("de",), context=1, out=out)
    document = Document(str(out))
    assert document.core_properties.title == "Concordance of mill|القطة"
    assert document.paragraphs[0].text == "mill|القطة"
    assert document.paragraphs[1].text == "8 hits in 6 sentences of 8."
    leftward = [
        t._tbl.tblPr.find(qn("w:bidiVisual")) is not None for t in document.tables
    ]
    assert leftward == [False, True]
    latin, arabic = document.tables
    marks = [child.tag.split("}")[1] for child in arabic._tbl.tblPr]
    assert marks == ["tblStyle", "bidiVisual", "tblW", "tblLayout", "tblLook"]
    first, more = latin.rows[1].cells, latin.rows[2].cells[0]
    assert [cell.text for cell in first[:3]] == ["The old", "mill", "."]
    assert first[3].text == "English · line 1"
    assert [run.bold for cell in first[:3] for run in cell.paragraphs[0].runs] == [
        *(None, True, None)
    ]
    assert more.text.splitlines() == [
        f"↓ {ENGLISH[1]}",
        "German, translation by a link: Die alte mill.",
    ]
    page: Any = document.sections[0]
    printable = page.page_width - page.left_margin - page.right_margin
    columns: Any = latin.columns
    assert sum(column.width for column in columns) == printable
    hit = arabic.rows[1].cells[1].paragraphs[0]
    assert hit.text == "القطة"
    assert hit._p.pPr.find(qn("w:bidi")) is not None
    assert hit.runs[0].font.rtl
    assert first[1].paragraphs[0]._p.pPr.find(qn("w:bidi")) is None


def test_hits_are_kept_with_their_query(project: Project) -> None:
    result = _run(project, "mill", save=" mills ", sort=("R1",))
    kept = find_hit_list(project.store, "mills")
    assert (result.hits, kept.n_hits, result.lines) == (kept.id, 5, [])
    query = json.loads(kept.query)
    assert (query["text"], query["sort"], query["save"]) == ("mill", ["R1"], "")
    hits = read_saved_hits(project.store, kept.id)
    assert hits.lines.tolist()[0] == [first_sentence_id(1), 8, 12]
    assert sorted(hits.numbers.tolist()) == [1, 1, 2, 2, 4]


def test_a_kept_list_is_written_in_its_order_and_kept_again(
    project: Project, tmp_path: Path
) -> None:
    kept = _run(project, "mill", save="mills", sort=("L1",), corpora=("English",))
    out = tmp_path / "kept.tsv"
    result = _run(project, "", hits="mills", out=out, save="some", top=2)
    lines = out.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == [
        '"="',
        '"=mill(1) and a "',
    ]
    assert (result.n, result.n_sentences, result.n_searched) == (4, 3, 4)
    first, second = (
        read_saved_hits(project.store, id_).lines
        for id_ in (kept.hits or 0, result.hits or 0)
    )
    assert first[:2].tolist() == second.tolist()
    query = json.loads(find_hit_list(project.store, "some").query)
    assert (query["text"], query["sort"], query["hits"]) == ("mill", ["L1"], "")
    with pytest.raises(UserError, match="--text or --hits"):
        _run(project, "mill", hits="mills")
    with pytest.raises(UserError, match="The query is empty"):
        _run(project, "")


def test_languages_that_no_sentence_is_in_are_told(project: Project) -> None:
    result = _run(project, "mill", corpora=("English",), near=("fr",))
    assert result.notes == ("No nearest sentences: no corpus is in fr.",)
    with pytest.raises(UserError, match="No sentences in de"):
        _run(project, "mill", corpora=("English",), languages=("de",))


def test_words_that_nothing_keeps_the_index_of_are_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "SMALL", 2)
    with open_read_only(project.folder) as reading:
        result = _run(reading, "mill")
    (note,) = result.notes
    assert note.startswith("The word index of English was not saved")
    assert _run(project, "mill").notes == ()  # kept


def test_what_cannot_be_written_is_said_and_leaves_nothing(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"hits\.pdf does not show the format"):
        _run(project, "mill", out=tmp_path / "hits.pdf")
    there = tmp_path / "there.tsv"
    there.touch()
    with pytest.raises(UserError, match="already exists"):
        _run(project, "mill", out=there)
    _run(project, "mill", out=there, replace=True)
    assert there.read_text(encoding="utf-8").count("\n") == 6
    monkeypatch.setattr(documents, "MAX_LINES", 3)
    with pytest.raises(UserError, match=r"A \.docx can have at most 3 lines"):
        _run(project, "mill", out=tmp_path / "hits.docx")
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        concordance(project, Concordance(text="mill", out=tmp_path / "h.tsv"), report)
    with pytest.raises(UserError, match="no corpus 'Italian'"):
        _run(project, "mill", corpora=("Italian",))
    assert {file.name for file in tmp_path.iterdir()} == {"there.tsv", "mill.isogloss"}


def test_the_command_reads_beside_a_writer_and_keeps_only_alone(
    project: Project, tmp_path: Path
) -> None:
    command = ["concordance", str(project.folder), "--text", "mill", "--top", "1"]
    done = run_cli(*command, cwd=tmp_path)  # the project is open for writing here
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    (line,) = result["lines"]
    assert result["n"] == 5
    assert (line["left"], line["hit"], line["right"]) == ("The old ", "mill", ".")
    assert (line["corpus"], line["line"], line["near"]) == ("English", 1, [])
    # to keep hits, it waits for no other: it refuses, as all that writes
    assert Concordance(text="mill", save="mills").holds_lock
    assert not Concordance(text="mill").holds_lock
