"""Task: estimate time, memory and disk space of a training run from a short trial."""

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

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
from app.params.training.encoder import PlanTraining
from app.params.training.fields import unused_fields
from app.results.training import TrainingPlan

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.training.trial import Trial

STAGE = "Trying a few steps"


def plan_training(
    project: "Project | None", params: PlanTraining, report: Report
) -> TrainingPlan:
    """Run some steps with a sample of the real data and the real settings.

    Nothing is written to the encoder's folder, and no vocabulary is trained.

    Raises:
        UserError: the data do not fit the settings.
        ResourceError: not even the smallest batch fits in the GPU's memory.
    """
    from app.engine.training.recipes import make_recipe
    from app.engine.training.trainers.precision import repeatable
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
    """Split the sample, which validates it, and return the seconds this takes."""
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
) -> TrainingPlan:
    """Extrapolate from the sample and the trial to the complete training."""
    params = sample.params
    split_s, data_bytes = taken
    prepare_s = sample.growth * split_s + 2 * sample.n_lines * trial.cut_s
    n_measured = min(params.n_development, sample.n_lines // sample.n_files // 10)
    measure_s = 2 * n_measured * sample.n_files * trial.encode_s
    n_measurements = params.n_steps // params.evaluate_every + 1
    n_steps = params.n_steps
    if "n_coarse_steps" not in unused_fields(msgspec.structs.asdict(params)):
        n_steps += params.n_coarse_steps
    training_s = n_steps * trial.step_s + n_measurements * measure_s
    work_bytes = trial.work_bytes(training_s, params.checkpoint_every_s)
    return TrainingPlan(
        time_s=prepare_s + training_s,
        step_s=trial.step_s,
        prepare_s=prepare_s,
        measure_s=measure_s,
        memory_bytes=trial.memory_bytes,
        disk_bytes=round(work_bytes + sample.growth * data_bytes),
        saved_bytes=trial.saved_bytes(params.storage),
        n_parameters=trial.n_parameters,
        n_examples=sample.n_lines,
        device=device,
        precision=trial.precision,
        sentences_per_s=trial.n_sentences / trial.step_s,
        tokens_per_s=trial.n_tokens / trial.step_s,
        steps_per_s=1 / trial.step_s,
        notes=(*sample.notes, *trial.notes, *trial.memory_notes(device)),
    )


def _tree_bytes(folder: Path) -> int:
    """Return the size of all files under a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
