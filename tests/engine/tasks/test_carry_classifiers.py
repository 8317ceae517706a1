"""A classifier carried from one project to another as a file."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.classify import repository
from app.engine.classify.classifier import CONFIG_FILE, WEIGHTS_FILE
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import list_classifiers
from app.engine.tasks import import_classifier as module
from app.engine.tasks.classify import classify
from app.engine.tasks.export_classifier import export_classifier
from app.engine.tasks.import_classifier import import_classifier
from app.engine.tasks.train_classifier import train_classifier
from app.errors import ResourceError, UserError
from app.params import build_params
from app.params.classify import (
    Classify,
    ExportClassifier,
    ImportClassifier,
    TrainClassifier,
)
from tests.engine.classify.barn import make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder
from tests.engine.search.made import add_corpus

VECTORS = (WordEncoder().encode(["xball xteam", "law tax", "snow rain"]),)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a classifier as a file, and its probabilities of `VECTORS`."""
    folder = tmp_path_factory.mktemp("one")
    with pytest.MonkeyPatch.context() as patch, make_barn(folder) as project:
        use_words(patch)
        values = {"name": "topics", "train": ["topics"], "head": "mlp", "lr": 0.05}
        train_classifier(project, build_params(TrainClassifier, values), Report())
        file = folder / "topics.zip"
        said = export(project, file)
        assert (said.encoder, said.dim, said.size) == (
            *("words", 10),
            file.stat().st_size,
        )
        classifier = repository.load_project_classifier(project, "topics")
        np.save(folder / "wanted.npy", classifier.probabilities(VECTORS))
    return folder


@pytest.fixture
def carried(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The classifier as a file, out of a project that is gone."""
    use_words(monkeypatch)
    for name in ("topics.zip", "wanted.npy"):
        shutil.copy(trained / name, tmp_path)
    return tmp_path / "topics.zip"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "other.isogloss") as project:
        yield project


def export(project: Project, out: Path, **fields: Any) -> Any:
    values = {"classifier": "topics", "out": str(out), **fields}
    return export_classifier(project, build_params(ExportClassifier, values), Report())


def take(project: Project, file: Path, **fields: Any) -> Any:
    values = {"file": str(file), **fields}
    return import_classifier(project, build_params(ImportClassifier, values), Report())


def test_it_says_the_same_in_another_project(carried: Path, other: Project) -> None:
    result = take(other, carried, name="again")
    assert (result.name, result.head, result.encoder) == ("again", "mlp", "words")
    classifier = repository.load_project_classifier(other, "again")
    wanted = np.load(carried.with_name("wanted.npy"))
    assert np.array_equal(classifier.probabilities(VECTORS), wanted)
    assert not len(classifier.training_ids)
    assert result.n_development == classifier.config.n_development > 0
    add_corpus(other, "texts", "de", ["xball xgoal", "xtax"])
    asked = build_params(Classify, {"classifier": "again", "corpora": ["texts"]})
    (corpus,) = classify(other, asked, Report()).corpora
    assert corpus.classes == {"politics": 1, "sport": 1, "weather": 0}


def test_a_name_that_is_taken_is_refused(carried: Path, other: Project) -> None:
    take(other, carried)
    with pytest.raises(UserError, match="classifier named 'topics' already exists"):
        take(other, carried)
    assert len(list_classifiers(other.store)) == 1


def test_another_encoder_is_refused_with_both_names(
    carried: Path, other: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    with pytest.raises(UserError, match=r"of 10 dimensions by words, but .* isogloss"):
        take(other, carried)

    class Others(WordEncoder):
        name, fingerprint = "others", "1" * 64

    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Others())
    with pytest.raises(UserError, match=r"by words, not by others. Select words"):
        take(other, carried)
    assert list_classifiers(other.store) == []
    assert not (other.folder / "classifiers").exists()


def test_what_is_no_classifier_is_refused(
    carried: Path, other: Project, tmp_path: Path
) -> None:
    whole = carried.read_bytes()
    broken = tmp_path / "broken.zip"
    for content in (b"", b"label\ttext\n", whole[: len(whole) // 2]):
        broken.write_bytes(content)
        with pytest.raises(UserError, match="damaged, or not a classifier"):
            take(other, broken)
    broken.write_bytes(whole.replace(b"weight", b"wright", 1))
    with pytest.raises(UserError, match="damaged"):
        take(other, broken)
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("notes.txt", "no classifier")
    with pytest.raises(UserError, match="damaged, or not a classifier"):
        take(other, broken)
    with pytest.raises(UserError, match=r"is a folder\. Choose a file"):
        take(other, tmp_path)
    with pytest.raises(ResourceError, match=r"nothing.zip cannot be read"):
        take(other, tmp_path / "nothing.zip")
    assert not (other.folder / "classifiers").exists()


def test_a_file_tells_no_folder_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    rows = tmp_path / "rows.tsv"
    rows.write_text("a\tball\na\tgoal\nb\ttax\nb\tvote\n", encoding="utf-8")
    with make_barn(tmp_path) as project:
        values = {"name": "topics", "train": [str(rows)], "head": "centroid"}
        train_classifier(project, build_params(TrainClassifier, values), Report())
        export(project, tmp_path / "c.zip")
        with pytest.raises(UserError, match="already exists"):
            export(project, tmp_path / "c.zip")
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        text = archive.read("classifier.json").decode()
    assert "rows.tsv" in text
    assert str(tmp_path) not in text


def test_weights_that_grow_when_they_are_unpacked_are_refused(
    carried: Path, other: Project, tmp_path: Path
) -> None:
    bomb = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(carried) as archive,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        copy.writestr(CONFIG_FILE, archive.read(CONFIG_FILE))
        copy.writestr(WEIGHTS_FILE, bytes(20_000_000))
    assert bomb.stat().st_size < 100_000

    with pytest.raises(UserError, match="larger than 16\u00a0MB when it is unpacked"):
        take(other, bomb)
