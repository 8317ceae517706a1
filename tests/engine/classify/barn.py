"""A project with labelled corpora, and the encoder of known vectors in every task."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.classify import repository
from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks import train_classifier as training_module
from tests.engine.classify.word_encoder import WordEncoder, make_rows
from tests.engine.search.made import add_corpus


def label(project: Project, corpus_id: int, names: Sequence[str]) -> None:
    """Label the first sentences of a corpus; an empty name: none."""
    rows = [
        {
            "sentence_id": first_sentence_id(corpus_id) + index,
            "class_name": name,
            "who": "",
            "created_at": 0.0,
        }
        for index, name in enumerate(names)
        if name
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.label), rows)


def add_labelled(
    project: Project, name: str, language: str, rows: Sequence[tuple[str, ...]]
) -> int:
    """Put labelled sentences into a project."""
    corpus_id = add_corpus(project, name, language, [row[1] for row in rows])
    label(project, corpus_id, [row[0] for row in rows])
    return corpus_id


@contextmanager
def make_barn(folder: Path) -> Iterator[Project]:
    """Make a project with a labelled English corpus and a German one without labels."""
    with create_project(folder / "barn.isogloss") as project:
        add_labelled(project, "topics", "en", make_rows(60))
        texts = [text for _, text in make_rows(40, prefix="x", seed=3)]
        add_corpus(project, "Neues", "de", [*texts, "???"])
        yield project


def use_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every task read with the encoder of known vectors."""
    monkeypatch.setattr(training_module, "load_encoder", lambda *_, **__: WordEncoder())
    monkeypatch.setattr(repository, "load_encoder", lambda *_, **__: WordEncoder())
    monkeypatch.setattr(repository, "_known_name", lambda *_: "words")
