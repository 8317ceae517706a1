"""Warnings that an encoder has seen the texts of an evaluation in its training."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from app.engine.encoders.configs import CONFIG_FILE
from app.engine.encoders.folder import CARD_FILE
from app.engine.evaluation.training_texts import note_training_texts
from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.params.evaluation import AlignedTexts
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
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


def train(project: Project, params: TrainEncoder, state: str = "finished") -> None:
    run = queue_run(project, params)
    with project.store.begin() as connection:
        connection.execute(
            update(schema.run).where(schema.run.c.id == run).values(state=state)
        )


def notes(project: Project, params: AlignedTexts, encoder: str) -> list[str]:
    return list(note_training_texts(project, params, encoder))


def test_corpora_of_the_training_are_named(project: Project) -> None:
    train(project, TrainEncoder(name="first", corpora=("1", "de")))
    (note,) = notes(project, LINKED, "first")
    assert note.startswith("first was trained on pairs of en, de, so the error is too")
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
    assert note.startswith("first was trained on renamed.tsv, so the error is too low")
    assert notes(project, AlignedTexts(table=kept_out), "first") == []
    assert notes(project, AlignedTexts(table=table), "second") == []
