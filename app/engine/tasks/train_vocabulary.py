"""Task: train a vocabulary of subwords or words on sentence pairs."""

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.runtime.blocking_calls import ChildCall, run_in_child
from app.engine.runtime.report import Report
from app.engine.training.vocabulary_sample import (
    LanguageShare,
    SamplePlan,
    measure_shares,
    plan_sample,
    write_sample,
)
from app.errors import UserError
from app.params.training import TrainVocabulary

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.text.word_vocabulary import PieceCounter

STAGE = "Training the vocabulary"
SETTINGS_FILE = "vocabulary.json"
BLOCK_LINES = 20_000


class TrainVocabularyResult(msgspec.Struct, frozen=True):
    """What a trained vocabulary is.

    Attributes:
        folder: where it stands.
        n_pieces: pieces, or words, that it has.
        n_sentences: sentences it was trained on.
        languages: each one's share of the tokens before and after the sampling.
    """

    folder: str
    n_pieces: int
    n_sentences: int
    languages: tuple[LanguageShare, ...]


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
    name = _file_name(params)
    if params.out.exists() and not params.out.is_dir():
        raise UserError(f"{params.out} is a file: choose a new folder.")
    if (params.out / name).exists():
        raise UserError(f"{params.out} has a vocabulary already: choose a new folder.")
    folder = params.out.with_name(f".{params.out.name}.part")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    folder.mkdir(parents=True)
    try:
        result = _build(files, params, folder, report)
        params.out.mkdir(parents=True, exist_ok=True)
        for file in (name, SETTINGS_FILE):  # the settings tell that it is whole
            shutil.move(folder / file, params.out / file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def _build(
    files: Sequence[Path], params: TrainVocabulary, folder: Path, report: Report
) -> TrainVocabularyResult:
    """Sample, train and measure in a hidden folder."""
    plan = plan_sample(
        files,
        report,
        n_sentences=params.n_sentences,
        exponent=params.sampling_exponent,
        seed=params.seed,
    )
    sample = folder / "sample.txt"
    write_sample(plan, sample, report)
    if params.units == "words":
        n_pieces, counter = _choose_words(sample, folder, plan, params, report)
    else:
        n_pieces, counter = _fit(sample, folder, plan, params, report)
    shares = measure_shares(plan, counter, report)
    result = TrainVocabularyResult(str(params.out), n_pieces, plan.n_sentences, shares)
    _write_settings(folder / SETTINGS_FILE, params, result)
    return result


def _fit(
    sample: Path,
    folder: Path,
    plan: SamplePlan,
    params: TrainVocabulary,
    report: Report,
) -> "tuple[int, PieceCounter]":
    """Train in a child process, since sentencepiece cannot be interrupted."""
    from app.engine.text.subword_vocabulary import MODEL_FILE, load_vocabulary

    call = ChildCall(
        "app.engine.text.subword_vocabulary:fit_vocabulary",
        {
            "sample": str(sample),
            "model": str(folder / MODEL_FILE),
            "n_pieces": params.n_pieces,
            "n_threads": os.cpu_count() or 1,
            "seed": params.seed,
            "kind": params.model,
        },
    )
    size_mb = sample.stat().st_size / 1e6
    note = f"{plan.n_sentences:,} sentences, {size_mb:.1f} MB"
    n_pieces = int(run_in_child(call, report, stage=STAGE, note=note))
    return n_pieces, load_vocabulary(folder)


def _choose_words(
    sample: Path,
    folder: Path,
    plan: SamplePlan,
    params: TrainVocabulary,
    report: Report,
) -> "tuple[int, PieceCounter]":
    """Choose the most frequent words of the sample."""
    from app.engine.text import word_vocabulary

    counts: Counter[str] = Counter()
    done = 0
    with sample.open(encoding="utf-8", newline="\n") as lines:
        while block := list(islice(lines, BLOCK_LINES)):
            report.step(STAGE, done, plan.n_sentences, f"{len(counts):,} words")
            counts.update(word_vocabulary.count_words(block))
            done += len(block)
    chosen = word_vocabulary.most_frequent(counts, params.n_pieces)
    if not chosen:
        raise UserError("There is not a single word in the pairs: check the files.")
    (folder / word_vocabulary.WORDS_FILE).write_bytes(
        word_vocabulary.write_words(chosen)
    )
    return len(chosen), word_vocabulary.WordVocabulary(chosen)


def _file_name(params: TrainVocabulary) -> str:
    """Name the file of the vocabulary."""
    from app.engine.text.subword_vocabulary import MODEL_FILE
    from app.engine.text.word_vocabulary import WORDS_FILE

    return WORDS_FILE if params.units == "words" else MODEL_FILE


def _write_settings(
    file: Path, params: TrainVocabulary, result: TrainVocabularyResult
) -> None:
    """Write beside the model how it was made, and of what languages."""
    is_words = params.units == "words"
    settings = {
        "kind": "words" if is_words else f"sentencepiece {params.model}",
        "n_pieces": result.n_pieces,
        "n_sentences": result.n_sentences,
        "sampling_exponent": params.sampling_exponent,
        "seed": params.seed,
        "languages": result.languages,
    }
    file.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2))
