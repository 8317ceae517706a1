"""Fine-tuning: sizes of the first encoder, errors before and after, other languages."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.fine_tune_encoder import complete_settings, fine_tune_encoder
from app.engine.tasks.train_encoder import TrainEncoderResult, train_encoder
from app.engine.training.error_changes import describe_worse, list_changes, pair_samples
from app.errors import Cancelled, UserError
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.results.training import ErrorChange
from tests.engine.encoders.tiny import save_tiny
from tests.engine.tasks.test_train_encoder import CancelAt
from tests.engine.training.synthetic import write_pairs


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an encoder that has learned half of the made-up language."""
    folder = tmp_path_factory.mktemp("base")
    pairs = write_pairs(folder / "eng-xxx.tsv", 200)
    train_encoder(
        None,
        TrainEncoder(
            name="base",
            out=folder / "base",
            pairs=(pairs,),
            n_pieces=300,
            n_ngrams=64,
            dim=16,
            n_steps=15,
            batch_size=32,
            n_warmup=2,
            storage="float32",
        ),
        Report(),
    )
    return folder / "base"


def settings(base: Path, tmp_path: Path, **values: Any) -> FineTuneEncoder:
    file = tmp_path / "eng-yyy.tsv"
    pairs = file if file.exists() else write_pairs(file, 400, seed=7)
    given = {
        "name": "mine",
        "out": tmp_path / "mine",
        "initial": str(base),
        "pairs": (pairs,),
        "n_steps": 40,
        "batch_size": 64,
        "lr": 0.02,
        "n_warmup": 2,
        "evaluate_every": 20,
    }
    return FineTuneEncoder(**{**given, **values})


@pytest.fixture(scope="module")
def tuned(
    base: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TrainEncoderResult, dict[int, dict[str, float]]]:
    """Return a finished fine-tuning, and its curves."""
    folder = tmp_path_factory.mktemp("tuned")
    curves = Curves()
    result = fine_tune_encoder(None, settings(base, folder), curves.report)
    return result, curves.points


class Curves:
    """Keeps the points of the curves."""

    def __init__(self) -> None:
        self.report = Report(self)
        self.points: dict[int, dict[str, float]] = {}

    def progress(self, stage: str, done: int, total: int, note: str) -> None: ...

    def metric(self, step: int, values: dict[str, float]) -> None:
        self.points.setdefault(step, {}).update(values)

    def changed(self, kind: str, row_id: int) -> None: ...


def test_own_pairs_get_better_and_the_first_encoder_decides_the_sizes(
    tuned: tuple[TrainEncoderResult, dict[int, dict[str, float]]],
) -> None:
    result, curves = tuned
    config = read_config(Path(result.folder))
    assert isinstance(config, StaticConfig)
    assert (config.dim, config.n_ngrams, config.precision) == (16, 64, "float32")
    assert set(config.languages) == {"eng", "xxx", "yyy"}
    assert config.description.startswith("base, trained further.")
    (own,) = [one for one in result.changes if not one.is_other]
    assert own.language == "yyy"
    assert own.before == curves[0]["dev.error.yyy"]
    assert own.after == result.development_error
    assert own.after < own.before - 0.1
    assert result.record.settings["dim"] == 16


def test_other_languages_are_measured_on_the_sample_sentences(
    base: Path, tuned: tuple[TrainEncoderResult, dict[int, dict[str, float]]]
) -> None:
    result, _ = tuned
    others = {one.language: one for one in result.changes if one.is_other}
    assert len(others) == 11
    pairs = pair_samples(())["de"]
    for folder, side in ((str(base), "before"), (result.folder, "after")):
        encode = load_encoder(folder).encode
        sides = [unit(encode([pair[i] for pair in pairs])) for i in (0, 1)]
        wrong = 0  # counted one by one, in both directions
        for queries, candidates in (sides, sides[::-1]):
            for i, query in enumerate(queries):
                wrong += int(np.argmax(candidates @ query)) != i
        assert getattr(others["de"], side) == pytest.approx(wrong / (2 * len(pairs)))


def unit(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def test_what_was_measured_before_survives_an_interruption(
    base: Path,
    tmp_path: Path,
    tuned: tuple[TrainEncoderResult, dict[int, dict[str, float]]],
) -> None:
    params = settings(base, tmp_path, checkpoint_every_s=1e-6)
    with pytest.raises(Cancelled):
        fine_tune_encoder(None, params, CancelAt(20).report)
    resumed = fine_tune_encoder(None, params, Report())
    assert resumed.resumed_at_step > 0
    assert resumed.changes == tuned[0].changes


def test_samples_of_trained_languages_are_left_out() -> None:
    pairs = pair_samples(("deu", "zho_Hans", "eng"))
    assert set(pairs) == {"ar", "el", "es", "fr", "hi", "ja", "ru", "sw", "tr"}
    assert {len(own) for own in pairs.values()} == {60}


def test_a_warning_names_the_languages_that_got_worse() -> None:
    before = {"dev.error": 0.5, "dev.error.wol": 0.5, "dev.others": 0.0}
    names = ("de", "el", "tr")
    before |= {f"dev.others.{name}": 0.02 for name in names}
    after = {name: value - 0.01 for name, value in before.items()}
    changes = list_changes(before, after)
    assert [(one.language, one.is_other) for one in changes] == [
        ("wol", False),
        ("de", True),
        ("el", True),
        ("tr", True),
    ]
    assert describe_worse(changes) == ""
    worse = list_changes(before, after | {"dev.others.el": 0.20})
    assert describe_worse(worse) == (
        "Other languages got worse: the mean error of 3 languages on the sample "
        "sentences changed from 2.0 to 7.3\u00a0% (Greek 2.0 to 20.0\u00a0%). Use "
        "fewer steps or a lower learning rate."
    )
    slightly = [
        ErrorChange("de", True, 0.02, 0.03),
        ErrorChange("el", True, 0.02, 0.04),
    ]
    assert "from 2.0 to 3.5\u00a0%. Use fewer" in describe_worse(slightly)
    own = [ErrorChange("wol", False, 0.1, 0.9)]  # the user sees that in the table
    assert describe_worse(own) == ""


def test_an_encoder_that_gets_no_better_is_kept_as_it_was(
    base: Path, tmp_path: Path
) -> None:
    params = settings(base, tmp_path, lr=1e-9, n_steps=2, evaluate_every=1)
    result = fine_tune_encoder(None, params, Report())
    assert result.kept_step == 0
    assert all(one.before == one.after for one in result.changes)
    assert (
        result.warning == f"No step had a lower error than {base}, so nothing changed."
    )


def test_an_encoder_that_cannot_be_trained_is_refused(
    base: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "laser"
    save_tiny(folder)
    file = folder / "encoder.json"
    laser = {
        "architecture": "bilstm",
        "name": "laser",
        "dim": 8,
        "n_pieces": 10,
        "is_laser": True,
    }
    file.write_bytes(msgspec.json.encode(laser))
    with pytest.raises(UserError, match="laser was imported"):
        complete_settings(None, settings(folder, tmp_path))
    with pytest.raises(UserError, match="Unknown encoder"):
        complete_settings(None, settings(base, tmp_path, initial="none"))
    with pytest.raises(UserError, match="Choose corpora or at least one pair file"):
        fine_tune_encoder(None, settings(base, tmp_path, pairs=()), Report())
