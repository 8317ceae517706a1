"""Import: what is kept, and what the report says."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from app.engine.classify.labelled_rows import read_labelled
from app.engine.exchange.import_report import Duplicate, ImportReport, LineReason
from app.engine.project.project import Project, create_project
from app.engine.store import corpus_writes, schema
from app.engine.store.connections import DATABASE
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.labels import read_corpus_labels, read_label
from app.engine.store.sentences import read_sentences, read_translations
from app.engine.store.words.keyword_index import keyword_query
from app.errors import UserError
from tests.engine.tasks.importing import TMX, count_rows, run_import, texts_of, write


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        yield made


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
    assert (row.id, row.text, row.language) == (
        first_sentence_id(corpus_id),
        "wé",
        "fr",
    )
    assert (row.line, row.length) == (2, 2)


def test_sides_of_a_parallel_text_are_linked(project: Project, tmp_path: Path) -> None:
    english = write(tmp_path, "one\n\nthree\nfour\n", "x.en")
    french = write(tmp_path, "un\n\n\nquatre\n", "x.fr")

    result = run_import(project, english, french, languages=["en", "fr"])

    one, other = result.corpora
    assert (one.name, other.name) == ("x.en", "x.fr")
    assert texts_of(project, one.id) == ["one", "four"]
    assert texts_of(project, other.id) == ["un", "quatre"]
    assert one.report.refused == (LineReason(3, "no text in French", text="three"),)
    assert (one.report.n_read, one.report.n_kept, one.report.n_empty) == (4, 2, 1)
    found = read_translations(project.store, first_sentence_id(other.id) + 1)
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

    first = first_sentence_id(result.corpora[0].id)
    assert read_label(project.store, first) == "weather"
    assert read_label(project.store, first + 1) == ""


def test_labelled_pairs_stand_row_by_row_and_are_no_translations(
    project: Project, tmp_path: Path
) -> None:
    rows = ["a\tone word\ttwo words", "\tno words\tnor word", "b\tword\tthe word"]
    path = write(tmp_path, "\n".join(["label\tp\th", *rows]) + "\n", "nli.tsv")

    result = run_import(
        project,
        path,
        languages=["en", "en"],
        columns=["p", "h"],
        label_column="label",
        sides="pairs",
    )

    one, two = (corpus.id for corpus in result.corpora)
    assert count_rows(project)["link"] == 0
    pairs = read_labelled(project, f"{one}+{two}")
    assert pairs.labels == ["a", "b"]
    assert pairs.texts == (["one word", "word"], ["two words", "the word"])
    assert pairs.n_unlabelled == 1


def test_a_label_of_zero_is_a_label(project: Project, tmp_path: Path) -> None:
    lines = '{"text": "a word", "label": 0}\n{"text": "words", "label": null}\n'
    path = write(tmp_path, lines, "t.jsonl")
    result = run_import(project, path, languages=["en"], label_column="label")
    assert read_corpus_labels(project.store, result.corpora[0].id) == {0: "0"}


def test_words_are_found_in_every_script(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "The weather is fine.\n今天天气很好。\nวันนี้อากาศดีมาก\n")
    first = first_sentence_id(run_import(project, path, languages=["en"]).corpora[0].id)

    found = {}
    with project.store.connect() as connection:
        for typed in ("weath*", "天气", "อากาศ"):
            sql = "SELECT rowid FROM sentence_words WHERE sentence_words MATCH ?"
            match = (keyword_query(typed),)
            found[typed] = list(connection.exec_driver_sql(sql, match).scalars())

    assert found == {"weath*": [first], "天气": [first + 1], "อากาศ": [first + 2]}


def test_a_name_in_another_language_is_made_distinct_by_the_language(
    project: Project, tmp_path: Path
) -> None:
    imports = (("a.en.txt", "en"), ("a.de.txt", "de"), ("a.de.txt", "de"))
    names = [
        run_import(project, write(tmp_path, "word\n", file), languages=[code])
        .corpora[0]
        .name
        for file, code in imports
    ]
    assert names == ["a", "a.de", "a.de 2"]


def test_names_are_made_unique_or_refused(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "word\n", "mein Büchlein.txt")

    first = run_import(project, path, languages=["de"])
    second = run_import(project, path, languages=["de"])

    assert first.corpora[0].name == "mein Büchlein"
    assert second.corpora[0].name == "mein Büchlein 2"
    with pytest.raises(UserError, match="The name 'mein Büchlein' is already in use"):
        run_import(project, path, languages=["de"], names=["mein Büchlein"])
    with pytest.raises(UserError, match=r"2 names for 1 corpus\. Set one"):
        run_import(project, path, languages=["de"], names=["a", "b"])


def test_unknown_language_is_a_warning(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "word\n")

    corpus = run_import(project, path, languages=["qqx"]).corpora[0]

    assert (corpus.language, corpus.code) == ("qqx", "qqx")
    assert any("'qqx' is not an ISO 639 code" in note for note in corpus.report.notes)


def test_result_fits_a_message(project: Project, tmp_path: Path) -> None:
    rows = [f"word e\u0301 {i}\tWort" if i % 2 else f"word {i}" for i in range(3000)]
    path = write(tmp_path, "\n".join(rows), "t.tsv")

    result = run_import(
        project, path, languages=["en", "de"], columns=["1", "2"], header="no"
    )

    assert len(msgspec.json.encode(result)) < 16_000
    row = list_corpora(project.store)[0]
    assert len(row.report["refused"]) == 200
    assert row.report["refused"][0]["text"] == "word 0"
    assert row.report["refused_reasons"] == {"the row has too few columns": 1500}
    assert len(json.dumps(row.report)) < 64 * 1024


def test_database_is_sound_after_imports_and_removals(
    project: Project, tmp_path: Path
) -> None:
    kept = run_import(project, write(tmp_path, "wörter 今天\n" * 50), languages=["de"])
    gone = run_import(project, write(tmp_path, "words\n" * 50), languages=["en"])
    corpus_writes.mark_corpora_removed(project.store, [gone.corpora[0].id])
    corpus_writes.purge_removed_corpora(project.store)

    connection = sqlite3.connect(project.folder / DATABASE)
    check = "INSERT INTO sentence_words(sentence_words) VALUES ('integrity-check')"
    connection.execute(check)
    sql = "SELECT count(*) FROM sentence_words WHERE sentence_words MATCH ?"
    n_kept = connection.execute(sql, ("wörter",)).fetchone()
    n_gone = connection.execute(sql, ("words",)).fetchone()
    connection.close()
    assert (n_kept, n_gone) == ((50,), (0,))
    assert kept.corpora[0].report.n_duplicates == 49


def test_a_name_stays_in_its_line(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, "some words\n")
    made = run_import(project, path, languages=["en"], names=["a\nb\tc "]).corpora
    assert made[0].name == "a b c"


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_a_column_says_the_language_of_each_sentence(
    project: Project, tmp_path: Path, name: str
) -> None:
    rows = [("deu", "Wo ist er?"), ("eng", "Where is he?"), ("", "What?"), ("?", "Who")]
    if name == "a.jsonl":
        lines = [json.dumps({"lang": code, "text": text}) for code, text in rows]
    else:
        sign = "\t" if name == "a.tsv" else ","
        lines = [sign.join(row) for row in [("lang", "text"), *rows]]
    path = write(tmp_path, "\n".join(lines), name)
    result = run_import(project, path, languages=["fr"], language_column="lang")
    (report,) = result.corpora
    assert (report.n_sentences, report.report.n_refused) == (3, 1)
    assert "'?' is not a language code" in str(report.report)
    low = first_sentence_id(report.id)
    found = read_sentences(project.store, [low, low + 1, low + 2])
    assert [row.language for row in found if row] == ["de", "en", "fr"]


def test_a_column_of_languages_is_for_one_text_a_row(
    project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path, "lang\ta\tb\nde\tja\tyes\n", "a.tsv")
    with pytest.raises(UserError, match="needs one text per row"):
        run_import(
            project,
            path,
            languages=["de", "en"],
            columns=["a", "b"],
            language_column="lang",
        )


def test_a_table_of_two_languages_becomes_two_linked_corpora_by_itself(
    project: Project, tmp_path: Path
) -> None:
    rows = "The ferry will not sail tomorrow.\tDie Fähre fährt morgen nicht.\n"
    file = write(tmp_path, f"english\tdeutsch\n{rows}", "a.tsv")
    one, other = run_import(project, file).corpora
    assert (one.code, other.code, one.n_sentences) == ("en", "de", 1)
    assert "were taken as translations of each other" in one.report.notes[0]
    assert (
        read_translations(project.store, first_sentence_id(one.id))[0].language == "de"
    )
