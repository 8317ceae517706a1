"""Adding encoders made elsewhere: kinds, cards, names, refusals, and no traces."""

import hashlib
import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from app.engine.encoders import speed
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import list_encoders, load_encoder
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.words.indexes import TABLES
from app.engine.tasks.add_encoder import AddEncoderResult, add_encoder
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.wordvectors.project_files import open_table
from app.engine.wordvectors.table import save_table
from app.errors import Cancelled, ResourceError, UserError
from app.params.encoders import AddEncoder
from tests.engine.encoders.imported.made import laser_content, write_laser

TEXTS = ["bado kilu meno", "su te"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(speed, "WANTED_S", 0.0)
    with create_project(tmp_path / "barn.isogloss") as project:
        yield project


@pytest.fixture
def laser(tmp_path: Path, vocabulary: Vocabulary) -> Path:
    return write_laser(tmp_path / "from", vocabulary, laser_content(vocabulary))


def _add(project: Project, source: Path, **fields: Any) -> AddEncoderResult:
    params = AddEncoder(source=source, **fields)
    return add_encoder(project, params, Report())


def _traces(project: Project) -> list[str]:
    return [file.name for file in (project.folder / "encoders").iterdir()]


def test_laser_is_added_with_its_card(project: Project, laser: Path) -> None:
    licence = laser.parent / "LICENSE"
    licence.write_text("# BSD licence\n\nRedistribution is fine.", encoding="utf-8")
    result = _add(project, laser, licence=str(licence), languages=("de", "zh-Hans"))
    (card,) = [one for one in list_encoders(project.folder) if one.name == "laser"]
    digest = hashlib.sha256(laser.read_bytes()).hexdigest()
    assert (result.kind, result.dim, result.source_sha256) == ("laser", 8, digest)
    assert (card.architecture, card.languages) == ("bilstm", ("de", "zh-Hans"))
    assert (card.licence, card.origin) == ("BSD licence", "from/laser.pt")
    assert card.sentences_per_s == result.sentences_per_s > 0
    text = (result.folder / "README.md").read_text(encoding="utf-8")
    for fact in (
        digest,
        "Redistribution is fine.",
        "de, zh-Hans",
        "| dimensions | 8 |",
    ):
        assert fact in text
    assert load_encoder("laser", project.folder).encode(TEXTS).any()


def test_folder_of_isogloss_is_copied_and_gives_the_same_vectors(
    project: Project, laser: Path
) -> None:
    first = _add(project, laser)
    second = _add(project, first.folder, name="twin")
    assert (second.kind, second.folder.name) == ("isogloss", "twin")
    original = load_encoder("laser", project.folder).encode(TEXTS)
    copied = load_encoder("twin", project.folder).encode(TEXTS)
    np.testing.assert_array_equal(original, copied)


def test_what_is_wrong_is_named_in_the_source_not_in_its_copy(
    project: Project, laser: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(_add(project, laser).folder, damaged)
    weights = damaged / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:200])
    with pytest.raises(UserError) as caught:
        _add(project, damaged)
    assert str(weights) in str(caught.value)
    assert ".part" not in str(caught.value)


def test_name_that_is_taken_is_refused(project: Project, laser: Path) -> None:
    _add(project, laser)
    with pytest.raises(UserError, match="'laser' already"):
        _add(project, laser)
    with pytest.raises(UserError, match="Invalid encoder name"):
        _add(project, laser, name="../out")


def test_damaged_source_leaves_nothing(project: Project, laser: Path) -> None:
    laser.write_bytes(laser.read_bytes()[:1_000])
    with pytest.raises(UserError, match=r"incomplete \.pt file"):
        _add(project, laser)
    assert _traces(project) == []
    with pytest.raises(ResourceError, match="doesn't exist"):
        _add(project, laser.parent / "none.pt")
    with pytest.raises(UserError, match="is not an encoder"):
        _add(project, laser.parent)


@pytest.mark.parametrize(
    ("name", "start", "kind"),
    [
        ("a.gguf", b"GGUF\x03", "GGUF"),
        ("a", b"GGUF\x03", "GGUF"),
        ("a.onnx", b"\x08", "ONNX"),
    ],
)
def test_files_of_other_programs_are_named(
    name: str, start: bytes, kind: str, project: Project, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(start + bytes(100))
    with pytest.raises(
        UserError, match=f"is a {kind} file, which Isogloss doesn't read"
    ):
        _add(project, tmp_path / name)


def test_weights_without_effect_are_refused(
    project: Project, laser: Path, vocabulary: Vocabulary
) -> None:
    content = laser_content(vocabulary)
    content["model"] = {
        name: torch.zeros_like(w) for name, w in content["model"].items()
    }
    write_laser(laser.parent, vocabulary, content)
    with pytest.raises(UserError, match="returns no vectors"):
        _add(project, laser)
    assert _traces(project) == []


def test_cancel_leaves_nothing(project: Project, laser: Path) -> None:
    class CancelWhileMeasuring(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Reading the files":
                report.cancel()

    report = Report(CancelWhileMeasuring())
    with pytest.raises(Cancelled):
        add_encoder(project, AddEncoder(source=laser), report)
    assert _traces(project) == []


def test_missing_extra_is_named_with_the_command(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    source = _make_bert_folder(tmp_path)
    with pytest.raises(UserError, match="transformers, which is not installed"):
        _add(project, source, name="tiny")
    (source / "own.py").touch()  # refused with the extra too: that is said first
    with pytest.raises(UserError, match="contains custom code"):
        _add(project, source, name="tiny")
    assert _traces(project) == []


def test_an_extra_that_is_not_whole_is_told_in_a_sentence(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("transformers", "tokenizers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("import no_such_part", "utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match=r"can't be loaded .*no_such_part.*install it"):
        _add(project, _make_bert_folder(tmp_path), name="tiny")
    assert _traces(project) == []


def _make_bert_folder(parent: Path) -> Path:
    """Make a folder that is whole as far as can be told without loading it."""
    folder = parent / "tiny-bert"
    folder.mkdir()
    modules = '[{"path": "", "type": "sentence_transformers.models.Transformer"}]'
    (folder / "modules.json").write_text(modules, encoding="utf-8")
    (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    save_file({"a": np.zeros((3, 5))}, folder / "model.safetensors")
    return folder


def write_vectors(file: Path) -> Path:
    """Write word vectors of English words as text."""
    generator = np.random.default_rng(0)
    words = ["the", "ship", "harbour", "sails", "sea"]
    rows = [
        f"{w} {' '.join(f'{x:.4f}' for x in generator.normal(size=8))}" for w in words
    ]
    file.write_text("\n".join([f"{len(words)} 8", *rows]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("weighting", ["mean", "idf", "sif"])
def test_word_vectors_become_an_encoder(
    tmp_path: Path, project: Project, weighting: str
) -> None:
    file = write_vectors(tmp_path / "words.vec")
    text = tmp_path / "text.txt"
    text.write_text("The ship sails.\nThe sea, the harbour.\n", encoding="utf-8")
    added = _add(
        project,
        file,
        weighting=weighting,
        removes_component=weighting == "sif",
        text=None if weighting == "mean" else text,
    )
    assert (added.name, added.kind, added.dim) == ("words", "word-vectors", 8)
    vectors = load_encoder("words", project.folder).encode(["the ship", "nothing"])
    assert vectors[0].any()
    assert not vectors[1].any()


def test_word_vectors_of_the_project_become_an_encoder(
    tmp_path: Path, project: Project
) -> None:
    file = write_vectors(tmp_path / "words.vec")
    table, _ = open_table(None, file, Report(), max_words=10)
    stored = msgspec.structs.replace(table, language="en")
    save_table(project.folder / TABLES / "English", stored)
    _add(project, file, name="from a file")
    added = _add(project, Path("English"))
    assert (added.name, added.kind, added.dim) == ("English", "word-vectors", 8)
    folder = project.folder / "encoders" / "English"
    assert read_config(folder).languages == ("en",)
    one, other = (
        load_encoder(name, project.folder).encode(["the ship", "sea"])
        for name in ("English", "from a file")
    )
    np.testing.assert_array_equal(one, other)
    with pytest.raises(ResourceError, match="Finnish doesn't exist"):
        _add(project, Path("Finnish"))


def test_weights_without_a_text_are_refused(tmp_path: Path, project: Project) -> None:
    file = write_vectors(tmp_path / "words.vec")
    with pytest.raises(UserError, match="Choose a text file or a corpus"):
        _add(project, file, weighting="sif")
    assert not list((project.folder / "encoders").glob("*words*"))
