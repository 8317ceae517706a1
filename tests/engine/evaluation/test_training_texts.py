"""Warnings that an encoder was trained on the texts of an evaluation."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import insert, update

from app.engine.encoders.configs import CONFIG_FILE
from app.engine.encoders.folder import CARD_FILE
from app.engine.evaluation.training_texts import find_trained_aligned
from app.engine.project.project import Project, create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.reporting.runs import read_run
from app.engine.reporting.tables import tables_of
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.runs import read_measurements
from app.params.base import TaskParams
from app.params.encoders import AlignEncoder
from app.params.evaluation import AlignedTexts, EvaluateRetrieval
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.results.measurements import Retrieved
from app.results.tables import value_table
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus

LINKED = AlignedTexts(corpora=("en", "de"))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Has the encoders first and second, and three corpora."""
    with create_project(tmp_path / "p.isogloss") as project:
        for name in ("en", "de", "fr"):
            add_corpus(project, name, name, ["one", "two"])
        for name in ("first", "second"):
            folder = project.folder / "encoders" / name
            folder.mkdir(parents=True)
            (folder / CONFIG_FILE).write_text("{}", encoding="utf-8")
        yield project


def train(project: Project, params: TaskParams, state: str = "finished") -> None:
    run = queue_run(project, params)
    with project.store.begin() as connection:
        connection.execute(
            update(schema.run).where(schema.run.c.id == run).values(state=state)
        )


def notes(project: Project, params: AlignedTexts, encoder: str) -> list[str]:
    params = msgspec.structs.replace(params, encoder=encoder)
    return find_trained_aligned(project, params).notes


def link(project: Project, source: int, target: int) -> None:
    first = first_sentence_id(source), first_sentence_id(target)
    rows = [
        {"source_id": first[0] + n, "target_id": first[1] + n, "kind": "aligned"}
        for n in range(2)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), rows)


def test_corpora_of_the_training_are_named(project: Project) -> None:
    train(project, TrainEncoder(name="first", corpora=("1", "de")))
    (note,) = notes(project, LINKED, "first")
    assert note.startswith(
        "first was trained on pairs of en, de, so its results are too"
    )
    assert notes(project, LINKED, "second") == []
    assert notes(project, AlignedTexts(corpora=("en", "fr")), "first") == []


def test_a_fine_tuned_encoder_has_seen_what_it_started_from(project: Project) -> None:
    train(project, TrainEncoder(name="first", corpora=("en", "de", "gone")))
    train(project, FineTuneEncoder(name="second", initial="first", corpora=("fr",)))
    (note,) = notes(project, LINKED, "second")
    assert note.startswith("second was trained on pairs of en, de")


def test_excluded_corpora_and_failed_trainings_do_not_count(project: Project) -> None:
    train(
        project,
        TrainEncoder(name="first", corpora=("en", "de"), kept_out_corpora=("de",)),
    )
    train(project, TrainEncoder(name="second", corpora=("en", "de")), "failed")
    assert notes(project, LINKED, "first") == notes(project, LINKED, "second") == []


def test_files_are_recognised_by_their_hash_on_the_card(
    project: Project, tmp_path: Path
) -> None:
    table, kept_out = tmp_path / "renamed.tsv", tmp_path / "test set.tsv"
    rows = []
    for file, name in ((table, "eng-deu.tsv"), (kept_out, "test set.tsv")):
        file.write_text(f"{name}\n", encoding="utf-8")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        rows.append(f"| {name} | `{digest}` |")
    card = project.folder / "encoders" / "first" / CARD_FILE
    command = "isogloss train-encoder --pairs eng-deu.tsv --kept-out 'test set.tsv'"
    card.write_text("\n".join([*rows, command, ""]), encoding="utf-8")
    (note,) = notes(project, AlignedTexts(table=table), "first")
    assert note.startswith(
        "first was trained on renamed.tsv, so its results are too good"
    )
    assert notes(project, AlignedTexts(table=kept_out), "first") == []
    assert notes(project, AlignedTexts(table=table), "second") == []


def test_partners_of_a_training_corpus_were_trained_on(project: Project) -> None:
    link(project, 1, 2)
    train(project, TrainEncoder(name="first", corpora=("de",)))
    (note,) = notes(project, LINKED, "first")
    assert note.startswith("first was trained on pairs of en, de, so its results are")
    assert notes(project, AlignedTexts(corpora=("en", "fr")), "first") == []


def test_a_renamed_encoder_is_recognised_by_its_card(project: Project) -> None:
    train(project, TrainEncoder(name="first", corpora=("en", "de")))
    folder = project.folder / "encoders" / "first"
    (folder / CARD_FILE).write_text("# first\n\nAn encoder.\n", encoding="utf-8")
    folder.rename(folder.with_name("third"))
    (note,) = notes(project, LINKED, "third")
    assert note.startswith("third was trained on pairs of en, de")


def test_an_added_language_keeps_the_training_of_the_first_encoder(
    project: Project,
) -> None:
    train(project, TrainEncoder(name="first", corpora=("en", "de")))
    added = AlignEncoder(english="first", name="second", pairs=Path("eng-wol.tsv"))
    train(project, added)
    assert notes(project, LINKED, "second")


def test_the_corpus_of_an_added_language_was_trained_on(project: Project) -> None:
    link(project, 1, 2)
    train(project, AlignEncoder(english="first", name="second", corpus="de"))
    assert notes(project, LINKED, "second")
    assert notes(project, LINKED, "first") == []


def test_training_texts_are_noted_in_result_table_and_report(project: Project) -> None:
    save_tiny(project.folder / "encoders" / "tiny")
    link(project, 1, 2)
    link(project, 1, 3)
    train(project, TrainEncoder(name="tiny", corpora=("en", "de"), languages=("de",)))
    params = EvaluateRetrieval(corpora=("en", "de", "fr"), encoder="tiny")
    run = queue_run(project, params)
    perform_run(project, params, Report(run=run))
    rows = read_measurements(project.store, run)
    noted = {
        (row.source, row.target)
        for row in rows
        if isinstance(row, Retrieved) and row.note
    }
    assert noted == {("en", "de"), ("de", "en")}
    head, cells = value_table(rows)
    column = head.index("note")
    assert [row[column] for row in cells].count("trained on these texts") == 2
    reported = read_run(project, run)
    assert any(
        "tiny was trained on pairs of en, de" in n for n in reported.result["notes"]
    )
    figures = next(iter(tables_of(project, reported)))
    assert "Note" in figures.head
