"""Task: estimate time, memory and disk space of a training run from a short trial."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import psutil

from app.engine.encoders.new_config import check_settings
from app.engine.runtime.report import Report
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.pair_splits import split_pairs
from app.engine.training.preparation import find_pairs
from app.engine.training.trial_data import (
    SAMPLE_LINES,
    Sample,
    make_trial_inputs,
    sample_data,
)
from app.params.training import PlanTraining

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.training.trial import Trial

WEIGHT_BYTES, KEPT_BYTES = 4, 12  # of a weight; of a weight and its two moments
N_CHECKPOINTS = 3  # two are kept while the next one is written
STAGE = "Trying some steps"


class PlanTrainingResult(msgspec.Struct, frozen=True):
    """What a training will take on this machine, about.

    Attributes:
        time_s: seconds to the last step, without the training of a vocabulary.
        step_s: of one step; prepare_s: before the first; measure_s: of one
            measurement of the development error.
        memory_bytes: at the peak: of the engine, or of the GPU if it trains there.
        disk_bytes: of the work folder at its largest.
        n_parameters: weights that are trained.
        n_examples: pairs or other examples, about.
        device, precision: what computes, and how.
        sentences_per_s, tokens_per_s, steps_per_s: rates of the steps.
        notes: sentences for the user.
    """

    time_s: float
    step_s: float
    prepare_s: float
    measure_s: float
    memory_bytes: int
    disk_bytes: int
    n_parameters: int
    n_examples: int
    device: str
    precision: str
    sentences_per_s: float
    tokens_per_s: float
    steps_per_s: float
    notes: tuple[str, ...]


def plan_training(
    project: "Project | None", params: PlanTraining, report: Report
) -> PlanTrainingResult:
    """Try some steps with a sample of the real data and the real settings.

    Nothing is written where the encoder would stand, and no vocabulary is trained.

    Raises:
        UserError: the data do not fit the settings.
        ResourceError: not even the smallest batch fits in the GPU's memory.
    """
    from app.engine.training.precision import repeatable
    from app.engine.training.recipes import make_recipe
    from app.engine.training.trial import first_params, try_steps

    check_settings(params)
    folder = Path(tempfile.mkdtemp(prefix="isogloss-plan-"))
    try:
        files = find_pairs(
            project, params, folder / "plan", report, n_most=SAMPLE_LINES
        )
        settings = msgspec.structs.replace(params, pairs=files, corpora=())
        sample = sample_data(settings, folder / "sample", report)
        split_s = _time_split(sample, folder / "split", report)
        sample, work = make_trial_inputs(project, sample, folder, report)
        report.step(STAGE, 0, 0)
        with repeatable(work.device):
            recipe = make_recipe(work, first_params(sample.params), report)
            trial = try_steps(recipe, sample.params, sample.texts(), report)
        data_bytes = _tree_bytes(work.folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _describe(sample, recipe.device, trial, (split_s, data_bytes))


def _time_split(sample: Sample, folder: Path, report: Report) -> float:
    """Give the seconds that splitting the sample takes; what is wrong in it is told."""
    folder.mkdir()
    nothing = HeldOutSentences(np.empty(0, np.uint64))
    begun = time.perf_counter()
    n_development = sample.params.n_development
    split_pairs(
        sample.params.pairs, nothing, folder, report, n_development=n_development
    )
    return time.perf_counter() - begun


def _describe(
    sample: Sample, device: str, trial: "Trial", taken: tuple[float, int]
) -> PlanTrainingResult:
    """Reckon from the sample and the trial to the whole training."""
    params = sample.params
    growth = sample.n_lines / sample.n_sampled
    split_s, data_bytes = taken
    prepare_s = growth * split_s + 2 * sample.n_lines * trial.cut_s
    n_measured = min(params.n_development, sample.n_lines // sample.n_files // 10)
    measure_s = 2 * n_measured * sample.n_files * trial.encode_s
    n_measurements = params.n_steps // params.evaluate_every + 1
    n_bytes = trial.n_parameters * (N_CHECKPOINTS * KEPT_BYTES + WEIGHT_BYTES)
    return PlanTrainingResult(
        time_s=prepare_s + params.n_steps * trial.step_s + n_measurements * measure_s,
        step_s=trial.step_s,
        prepare_s=prepare_s,
        measure_s=measure_s,
        memory_bytes=trial.memory_bytes,
        disk_bytes=round(n_bytes + growth * data_bytes),
        n_parameters=trial.n_parameters,
        n_examples=sample.n_lines,
        device=device,
        precision=trial.precision,
        sentences_per_s=trial.n_sentences / trial.step_s,
        tokens_per_s=trial.n_tokens / trial.step_s,
        steps_per_s=1 / trial.step_s,
        notes=(*sample.notes, *trial.notes, *_memory_notes(trial, device)),
    )


def _memory_notes(trial: "Trial", device: str) -> Iterator[str]:
    """Warn of a training that does not fit in the machine's memory."""
    available = psutil.virtual_memory().total
    if not device.startswith("cuda") and trial.memory_bytes > available:
        yield (
            f"It needs {trial.memory_bytes / 1e9:.1f} GB of memory, but this machine "
            f"has {available / 1e9:.1f} GB: choose smaller sizes or a smaller batch."
        )


def _tree_bytes(folder: Path) -> int:
    """Return the size of all files under a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
