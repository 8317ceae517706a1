"""Task: estimate time, memory and disk space of a translation training."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.translation.training import read_data
from app.params.translation import PlanTranslation
from app.results.training import TrainingPlan

if TYPE_CHECKING:
    from app.engine.project.project import Project

NO_VOCABULARY = (
    "The vocabularies are not trained yet. The estimate excludes the time to train "
    "them."
)


def plan_translation(
    project: "Project | None", params: PlanTranslation, report: Report
) -> TrainingPlan:
    """Read the data, and run some steps with a sample and the real settings.

    Raises:
        UserError: the data do not fit the settings.
        ResourceError: not even the smallest batch fits in the GPU's memory.
    """
    from app.engine.translation.trial import try_translation

    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="isogloss-plan-") as folder:
        prepared = read_data(project, params, Path(folder), report)
        read_s = time.perf_counter() - begun
        trial, measure_s, device = try_translation(prepared, params, report)
    n_sentences = sum(map(len, prepared.texts.texts.values()))
    prepare_s = read_s + n_sentences * trial.cut_s
    n_measurements = params.n_steps // params.evaluate_every + 1
    training_s = params.n_steps * trial.step_s + n_measurements * measure_s
    return TrainingPlan(
        time_s=prepare_s + training_s,
        step_s=trial.step_s,
        prepare_s=prepare_s,
        measure_s=measure_s,
        memory_bytes=trial.memory_bytes,
        disk_bytes=trial.work_bytes(training_s, params.checkpoint_every_s),
        saved_bytes=trial.saved_bytes("float16"),
        n_parameters=trial.n_parameters,
        n_examples=sum(map(len, prepared.pairs.training.values())),
        device=device,
        precision=trial.precision,
        sentences_per_s=trial.n_sentences / trial.step_s,
        tokens_per_s=trial.n_tokens / trial.step_s,
        steps_per_s=1 / trial.step_s,
        notes=(NO_VOCABULARY, *trial.notes, *trial.memory_notes(device)),
    )
