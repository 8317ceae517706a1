"""Task: train an encoder on aligned sentences and other text."""

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.folder import folder_bytes
from app.engine.project.runs import versions
from app.engine.runtime.report import Report
from app.engine.training.card import write_card
from app.engine.training.corpus_names import name_corpora
from app.engine.training.development import METRIC, NLI_METRIC, selection_metric
from app.engine.training.error_changes import (
    describe_worse,
    list_changes,
    pair_samples,
)
from app.engine.training.pair_splits import PairCounts, describe_unmeasured
from app.engine.training.preparation import (
    SAVING_FILE,
    PreparedTraining,
    make_training_inputs,
    prepare_training,
    remove_folder_on_user_error,
)
from app.engine.training.record import TrainingRecord, make_command
from app.number_format import format_percent
from app.params import encode_hook
from app.params.training.encoder import TrainEncoder
from app.results.training import ErrorChange

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.training.batch_fitting import FittedRun
    from app.engine.training.recipes import Recipe, TrainingInputs


class TrainEncoderResult(msgspec.Struct, frozen=True):
    """The trained encoder.

    Attributes:
        name, folder: its name and location.
        n_pairs: training pairs and other training examples.
        n_languages: number of files of pairs.
        n_steps: number of steps.
        kept_step: step whose weights were saved: the best by the development error,
            else the last.
        ending: "last step", "patience" or "finished early".
        batch_size: smaller than requested if the GPU's memory was too small.
        device, precision: device and floating-point format of the steps.
        resumed_at_step: step at which this run resumed; 0: it started from the
            beginning.
        loss, error: means over the last batches; error is a rate 0…1 within a batch.
            None: the run ended before the first point of the curves, or not measured.
        development_error: error of the saved weights, 0…1, mean over the languages;
            None: not measured.
        nli_accuracy: accuracy of the saved weights on held-out pairs, 0…1; None: not
            measured.
        n_parameters: number of trained weights.
        size_bytes: size of the folder.
        elapsed_s: time of the complete training, with interrupted runs.
        n_left_out: excluded pairs, which contain a held-out sentence.
        counts: counts of used and omitted pairs of each file.
        notes: sentences on omitted and suspicious data.
        record: settings and data that the weights depend on.
        changes: errors before and after training, if it started from an encoder.
        warning: other languages got worse, or no language improved; empty: neither.
    """

    name: str
    folder: str
    n_pairs: int
    n_languages: int
    n_steps: int
    kept_step: int
    ending: str
    batch_size: int
    device: str
    precision: str
    resumed_at_step: int
    loss: float | None
    error: float | None
    development_error: float | None
    nli_accuracy: float | None
    n_parameters: int
    size_bytes: int
    elapsed_s: float
    n_left_out: int
    counts: tuple[PairCounts, ...]
    notes: tuple[str, ...]
    record: TrainingRecord
    changes: tuple[ErrorChange, ...] = ()
    warning: str = ""


def train_encoder(
    project: "Project | None", params: TrainEncoder, report: Report
) -> TrainEncoderResult:
    """Train an encoder and write its folder, or resume an equal run.

    Vocabulary, tokens and checkpoints are in a hidden folder next to the encoder's
    folder until training ends. The hidden folder's name contains a hash of settings and
    data, so that a run with other settings starts from scratch and keeps existing work.

    Raises:
        UserError: the data do not fit the settings, or the encoder exists.
        Paused: the user paused the run; the same command resumes it.
    """
    begun = time.monotonic()
    prepared = prepare_training(project, params, report)
    with remove_folder_on_user_error(prepared.folder):
        work = make_training_inputs(project, prepared, params, report)
        recipe, fitted = _train(work, prepared, params, report)
    result = _save(project, recipe, fitted, prepared, params)
    kept = _keep_head(project, recipe, fitted, prepared, report)
    result = msgspec.structs.replace(result, notes=(*result.notes, *kept))
    for old in prepared.out.parent.glob(f".{prepared.out.name}.training-*"):
        shutil.rmtree(old, ignore_errors=True)
    elapsed_s = fitted.trained.total_seconds(begun)
    return msgspec.structs.replace(result, elapsed_s=elapsed_s)


def _train(
    work: "TrainingInputs",
    prepared: PreparedTraining,
    params: TrainEncoder,
    report: Report,
) -> "tuple[Recipe, FittedRun]":
    """Train in the work folder."""
    from app.engine.training.batch_fitting import train_fitting
    from app.engine.training.development import DevelopmentSet
    from app.engine.training.loop import TrainingLoop, TrainingResult
    from app.engine.training.recipes import make_recipe
    from app.engine.training.trainers.precision import repeatable
    from app.engine.training.trainers.trainer import Trainer

    files = {name: Path(file) for name, file in prepared.split.development.items()}
    others = pair_samples(prepared.languages) if params.initial else {}
    development = DevelopmentSet(files, others) if files else None

    def run(trainer: Trainer, fitting: TrainEncoder, note: str) -> TrainingResult:
        return TrainingLoop(trainer, fitting, work.folder, report, development).run(
            note=note
        )

    with repeatable(work.device):
        recipe = make_recipe(work, params, report)
        return recipe, train_fitting(recipe, params, work.folder, report, run)


def _save(
    project: "Project | None",
    recipe: "Recipe",
    fitted: "FittedRun",
    prepared: PreparedTraining,
    params: TrainEncoder,
) -> TrainEncoderResult:
    """Write the encoder's folder with its card."""
    trained, split = fitted.trained, prepared.split
    unmeasured = describe_unmeasured(split.counts) if params.n_development else ""
    all_notes = (*split.notes, unmeasured, *recipe.notes, fitted.note, trained.note)
    changes = list_changes(trained.first, trained.measured) if params.initial else ()
    warning = describe_worse(changes)
    if changes and not trained.kept_step:
        warning = (
            f"No step had a lower error than {params.initial}, so nothing changed."
        )
    notes = tuple(filter(None, (*all_notes, warning)))
    record = _make_record(recipe, fitted, prepared, params)
    sentences = (_describe_ending(fitted), *notes)
    named = name_corpora(project, record)
    card = write_card(named, split.counts, sentences, trained.measured)
    (prepared.folder / SAVING_FILE).touch()
    if not prepared.out.exists():  # else a run was killed after saving
        recipe.save(prepared.out, trained.weights, card)
    return TrainEncoderResult(
        name=params.name,
        folder=str(prepared.out),
        n_pairs=recipe.n_examples,
        n_languages=len(split.files),
        n_steps=trained.n_steps,
        kept_step=trained.kept_step,
        ending=trained.ending,
        batch_size=fitted.params.batch_size,
        device=recipe.device,
        precision=fitted.precision,
        resumed_at_step=trained.first_step,
        loss=trained.values.get("loss"),
        error=trained.values.get("error"),
        development_error=trained.measured.get(METRIC),
        nli_accuracy=trained.measured.get(NLI_METRIC),
        n_parameters=fitted.n_parameters,
        size_bytes=folder_bytes(prepared.out),
        elapsed_s=0.0,
        n_left_out=sum(count.n_left_out for count in split.counts),
        counts=split.counts,
        notes=notes,
        record=record,
        changes=changes,
        warning=warning,
    )


def _keep_head(
    project: "Project | None",
    recipe: "Recipe",
    fitted: "FittedRun",
    prepared: PreparedTraining,
    report: Report,
) -> tuple[str, ...]:
    """Save the NLI head, if any, as a classifier; return a note with its path."""
    from app.engine.classify.encoder_head import (
        InferenceCounts,
        keep_classifier,
        make_inference_classifier,
    )

    trained = fitted.trained
    counts = InferenceCounts(*recipe.n_inference, trained.measured.get(NLI_METRIC, 0.0))
    classifier = make_inference_classifier(trained.heads, prepared.out, counts)
    if classifier is None:
        return ()
    return (keep_classifier(project, classifier, prepared.out, report),)


def _make_record(
    recipe: "Recipe",
    fitted: "FittedRun",
    prepared: PreparedTraining,
    params: TrainEncoder,
) -> TrainingRecord:
    """Return the settings and data that the weights depend on."""
    import torch

    return TrainingRecord(
        settings=msgspec.to_builtins(params, enc_hook=encode_hook),
        hashes=prepared.hashes,
        versions=versions(),
        device=recipe.device,
        n_threads=torch.get_num_threads(),
        precision=fitted.precision,
        command=make_command(params),
    )


def _describe_ending(fitted: "FittedRun") -> str:
    """Describe how a training ended."""
    trained = fitted.trained
    words = f"Ended after {trained.n_steps:,} of {fitted.params.n_steps:,} steps"
    reasons = {
        "last step": "",
        "patience": " because the development metric stopped improving",
        "finished early": " on request",
    }
    words += reasons[trained.ending]
    if trained.measured:
        metric = selection_metric(trained.measured, fitted.params.selected_by)
        best = {
            METRIC: "development error was the lowest",
            NLI_METRIC: "NLI accuracy was the highest",
        }
        words += (
            f"; the weights are those of step {trained.kept_step:,}, whose "
            f"{best[metric]}, {format_percent(trained.measured[metric], 1)}"
        )
    return f"{words}."
