"""Training an encoder from files of pairs: the folder, the errors, the resume."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_retrieval import evaluate_retrieval
from app.engine.tasks.train_encoder import train_encoder
from app.errors import Cancelled, ResourceError, UserError
from app.params.evaluation import EvaluateRetrieval
from app.params.training.encoder import TrainEncoder
from tests.engine.training.synthetic import make_pairs, write_pairs


class CancelAt:
    """A sink that cancels its report at a step of training."""

    def __init__(self, step: int):
        self.report = Report(self)
        self._step = step

    def progress(self, stage: str, done: int, total: int, note: str) -> None: ...

    def metric(self, step: int, values: dict[str, float]) -> None:
        if step >= self._step:
            self.report.cancel()

    def changed(self, kind: str, row_id: int) -> None: ...


def params(tmp_path: Path, **values: Any) -> TrainEncoder:
    file = tmp_path / "eng-xxx.tsv"
    settings: dict[str, Any] = {
        "name": "tiny",
        "out": tmp_path / "encoders" / "tiny",
        "pairs": (file if file.exists() else write_pairs(file, 400),),
        "n_pieces": 300,
        "n_bigrams": 64,
        "n_ngrams": 0,
        "dim": 32,
        "n_steps": 200,
        "batch_size": 64,
        "n_warmup": 5,
        "lr": 0.03,
    }
    return TrainEncoder(**{**settings, **values})


def measure(tmp_path: Path, encoder: Path) -> float:
    unseen = make_pairs(100, seed=9)
    for name, lines in zip("ab", zip(*unseen, strict=True), strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = EvaluateRetrieval(
        source=tmp_path / "a", target=tmp_path / "b", encoder=str(encoder)
    )
    return evaluate_retrieval(None, settings, Report()).error_source_to_target


def test_trained_encoder_finds_translations_of_unseen_sentences(tmp_path: Path) -> None:
    result = train_encoder(None, params(tmp_path), Report())
    folder = Path(result.folder)
    assert result.n_pairs == 400
    assert result.n_languages == 1
    assert read_config(folder).dim == 32
    assert "eng-xxx.tsv" in (folder / "README.md").read_text(encoding="utf-8")
    assert [one.name for one in folder.parent.iterdir()] == ["tiny"]
    # by chance 99 of 100 would be wrong; each word has its one translation
    assert measure(tmp_path, folder) < 0.1


def test_cancelled_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    settings = params(tmp_path, checkpoint_every_s=1e-6)
    with pytest.raises(Cancelled):
        train_encoder(None, settings, CancelAt(50).report)
    resumed = train_encoder(None, settings, Report())
    whole = train_encoder(
        None, params(tmp_path, out=tmp_path / "encoders" / "whole"), Report()
    )
    assert resumed.resumed_at_step == 50
    assert whole.resumed_at_step == 0
    fingerprints = {load_encoder(one.folder).fingerprint for one in (resumed, whole)}
    assert len(fingerprints) == 1


def test_other_settings_begin_anew(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        train_encoder(
            None, params(tmp_path, checkpoint_every_s=1e-6), CancelAt(20).report
        )
    result = train_encoder(None, params(tmp_path, lr=0.02, n_steps=20), Report())
    assert result.resumed_at_step == 0


def test_an_encoder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "encoders" / "tiny").mkdir(parents=True)
    with pytest.raises(UserError, match="already exists"):
        train_encoder(None, params(tmp_path), Report())


def test_no_pairs_and_no_place_are_users_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Choose corpora"):
        train_encoder(None, params(tmp_path, pairs=()), Report())
    with pytest.raises(UserError, match="folder to write"):
        train_encoder(None, params(tmp_path, out=None), Report())


def test_words_of_a_list_are_trained_with_their_weight(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    text = "".join(f"xxx\t{a}\t{b}\n" for a, b in make_pairs(60, seed=3))
    words.write_text(text, encoding="utf-8")
    settings = params(
        tmp_path, word_lists=(words,), pair_weights=("*.words:0.5",), n_steps=3
    )
    result = train_encoder(None, settings, Report())
    assert result.n_pairs > 400 + 3 * 60 / 7  # a group has seven entries at most
    card = (tmp_path / "encoders" / "tiny" / "README.md").read_text(encoding="utf-8")
    assert "| words.tsv | `" in card
    assert "| eng-xxx.words.tsv | `" in card
    assert "| pair_weights | *.words:0.5 |" in card


def test_a_weight_that_no_file_has_is_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No pair file is named 'eng-yyy\*'"):
        train_encoder(None, params(tmp_path, pair_weights=("eng-yyy*:2",)), Report())


def test_missing_file_of_pairs_is_a_resource_error(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"no\.tsv"):
        train_encoder(None, params(tmp_path, pairs=(tmp_path / "no.tsv",)), Report())


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "a\nb", "isogloss-2"])
def test_a_name_that_could_not_be_found_is_refused(name: str, tmp_path: Path) -> None:
    with (
        create_project(tmp_path / "p") as project,
        pytest.raises(UserError, match=r"Choose another|Invalid encoder name"),
    ):
        train_encoder(project, params(tmp_path, name=name, out=None), Report())
