"""Task: train a sentencepiece vocabulary on pairs of sentences."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.child import ChildCall, run_in_child
from app.engine.report import Report
from app.engine.training.sample import write_sample
from app.errors import UserError
from app.params.training import TrainVocabulary

if TYPE_CHECKING:
    from app.engine.project import Project

STAGE = "Training the vocabulary"


class TrainVocabularyResult(msgspec.Struct, frozen=True):
    """What a trained vocabulary is.

    Attributes:
        folder: where it stands.
        n_pieces: pieces it has.
        n_sentences: sentences it was trained on.
    """

    folder: str
    n_pieces: int
    n_sentences: int


def train_vocabulary(
    project: "Project | None", params: TrainVocabulary, report: Report
) -> TrainVocabularyResult:
    """Train a vocabulary and write its folder.

    Raises:
        UserError: there are no pairs, or `out` has a vocabulary already.
    """
    if not params.pairs:
        raise UserError("Name at least one file of pairs to train a vocabulary on.")
    return build_vocabulary(params.pairs, params, report)


def build_vocabulary(
    files: Sequence[Path], params: TrainVocabulary, report: Report
) -> TrainVocabularyResult:
    """Train a vocabulary on files of pairs; also the first stage of an encoder's."""
    from app.engine.text.vocabulary import MODEL_FILE

    if (params.out / MODEL_FILE).exists():
        raise UserError(f"{params.out} has a vocabulary already: choose a new folder.")
    folder = params.out.with_name(f".{params.out.name}.part")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    folder.mkdir(parents=True)
    try:
        sample = folder / "sample.txt"
        n_sentences = write_sample(
            files,
            sample,
            report,
            n_sentences=params.n_sentences,
            exponent=params.sampling_exponent,
            seed=params.seed,
        )
        n_pieces = _fit(sample, folder / MODEL_FILE, n_sentences, params, report)
        params.out.mkdir(parents=True, exist_ok=True)
        _write_settings(folder / "vocabulary.json", params, n_pieces, n_sentences)
        for file in ("vocabulary.json", MODEL_FILE):
            shutil.move(folder / file, params.out / file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return TrainVocabularyResult(str(params.out), n_pieces, n_sentences)


def _fit(
    sample: Path, model: Path, n_sentences: int, params: TrainVocabulary, report: Report
) -> int:
    """Train in a child process, since sentencepiece cannot be interrupted."""
    call = ChildCall(
        "app.engine.text.vocabulary:fit_vocabulary",
        {
            "sample": str(sample),
            "model": str(model),
            "n_pieces": params.n_pieces,
            "n_threads": os.cpu_count() or 1,
            "seed": params.seed,
        },
    )
    size_mb = sample.stat().st_size / 1e6
    note = f"{n_sentences:,} sentences, {size_mb:.1f} MB"
    return int(run_in_child(call, report, stage=STAGE, note=note))


def _write_settings(
    file: Path, params: TrainVocabulary, n_pieces: int, n_sentences: int
) -> None:
    """Write beside the model how it was made."""
    settings = {
        "kind": "sentencepiece unigram",
        "n_pieces": n_pieces,
        "n_sentences": n_sentences,
        "sampling_exponent": params.sampling_exponent,
        "seed": params.seed,
    }
    file.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2))
