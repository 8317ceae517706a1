"""Trainings that are refused leave nothing, and what looks wrong is told."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.train_encoder import train_encoder
from app.errors import Paused, UserError
from tests.engine.tasks.test_train_encoder_job import BILSTM, params, train
from tests.engine.training.making import Curve, pause


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"objectives": ("translation",), "target_languages": ("xyz",)}, "xyz"),
        ({**BILSTM, "storage": "int4"}, "Only static encoders can be stored as int4"),
        (
            {"storage": "int4", "dim": 17},
            "int4 storage needs an even number of dimensions, but 17 is odd",
        ),
        (
            {"units": "words"},
            "Only the transformer supports words as units. Use pieces with static",
        ),
        ({**BILSTM, "dim": 17}, "half for each direction, but 17 is odd"),
        ({"languages": ("fr",)}, "No pairs are in fr; found: deu, eng"),
        ({"kept_out": ("eng-deu.tsv",)}, "Fewer than two of 300 pairs"),
    ],
    ids=[
        "no such language",
        "int4 of a bilstm",
        "int4 of odd size",
        "words of a static encoder",
        "bilstm of odd size",
        "no file of that language",
        "all kept out",
    ],
)
def test_what_is_refused_leaves_nothing(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    if "kept_out" in values:
        values = {"kept_out": (tmp_path / values["kept_out"][0],)}
    with pytest.raises(UserError, match=message):
        train(params(tmp_path, **values))
    assert list((tmp_path / "out").glob("*")) == []


def test_an_initial_encoder_of_other_pieces_is_refused(tmp_path: Path) -> None:
    first = train(params(tmp_path, n_steps=2))
    model = (Path(first.folder) / "vocabulary.model").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    (other / "vocabulary.model").write_bytes(model + b"\xf8\x07\x01")  # a field more
    values = {"initial": first.folder, "out": tmp_path / "second", "n_steps": 2}
    with pytest.raises(UserError, match="has a different vocabulary than"):
        train(params(tmp_path, **values, vocabulary=other))
    assert train(params(tmp_path, **values, vocabulary=Path(first.folder))).n_steps == 2


def test_what_was_too_little_to_measure_on_is_told(tmp_path: Path) -> None:
    file = tmp_path / "eng-fra.tsv"
    file.write_text("one\tun\n" * 40, encoding="utf-8")
    german = params(tmp_path).pairs[0]
    result = train(params(tmp_path, pairs=(german, file), n_development=5, n_steps=3))
    assert any("hold out: French 40." in note for note in result.notes)
    assert result.loss is not None
    assert result.loss > 0  # three steps have a point too


def test_a_kill_right_after_saving_is_gone_on_from(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        settings = params(tmp_path, out=None, checkpoint_every_s=1e-9)
        folder = project.folder / "encoders"

        def stop_at_work(path: Path, **options: Any) -> None:
            if ".training-" in path.name:  # the last that is done
                raise KeyboardInterrupt
            rmtree(path, **options)

        rmtree = shutil.rmtree
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shutil, "rmtree", stop_at_work)
            with pytest.raises(KeyboardInterrupt):
                train_encoder(project, settings, Report())
        made = (folder / "tiny" / "weights.safetensors").read_bytes()
        with pytest.raises(UserError, match="already exists"):  # another training
            train_encoder(project, msgspec.structs.replace(settings, seed=2), Report())
        result = train_encoder(project, settings, Report())
        assert (result.resumed_at_step, result.n_steps) == (20, 20)
        assert [file.name for file in folder.iterdir()] == ["tiny"]
        assert (folder / "tiny" / "weights.safetensors").read_bytes() == made


def test_an_encoder_of_the_name_is_never_taken_for_the_trained_one(
    tmp_path: Path,
) -> None:
    settings = params(tmp_path, checkpoint_every_s=1e-9)
    with pytest.raises(Paused):
        train(settings, Curve(10, pause))
    (tmp_path / "out" / "tiny").mkdir()
    with pytest.raises(UserError, match="already exists"):
        train(settings)


@pytest.mark.parametrize("name", ["a/b", "..", " sp ", "con:x"])
def test_a_name_that_is_no_folders_is_refused(name: str, tmp_path: Path) -> None:
    with (
        create_project(tmp_path / "p.isogloss") as project,
        pytest.raises(UserError, match="Invalid encoder name"),
    ):
        train_encoder(project, params(tmp_path, out=None, name=name), Report())
