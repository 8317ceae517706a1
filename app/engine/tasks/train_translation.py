"""Task: train a multilingual translation model."""

import time
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.folder import folder_bytes
from app.engine.runtime.report import Report
from app.engine.translation.training import prepare_translation, train_and_save
from app.params.translation import TrainTranslation

if TYPE_CHECKING:
    from app.engine.project.project import Project


class TrainedDirection(msgspec.Struct, frozen=True):
    """A trained direction.

    Attributes:
        n_pairs: training pairs.
        development_loss: mean cross-entropy per piece of the saved weights on held-out
            pairs; None: not measured.
    """

    source: str
    target: str
    n_pairs: int
    development_loss: float | None


class TrainTranslationResult(msgspec.Struct, frozen=True):
    """The trained model.

    Attributes:
        n_steps: number of steps.
        kept_step: step whose weights were saved: the best by the development metric,
            else the last.
        ending: "last step", "patience" or "finished early".
        resumed_at_step: step at which this run resumed; 0: it started from the
            beginning.
        loss: mean over the last batches; None: the run ended before the first point of
            the curves.
        n_parameters: number of trained weights.
        size_bytes: size of the folder.
        elapsed_s: time of the complete training, with interrupted runs.
    """

    name: str
    folder: str
    languages: tuple[str, ...]
    directions: tuple[TrainedDirection, ...]
    n_steps: int
    kept_step: int
    ending: str
    resumed_at_step: int
    loss: float | None
    device: str
    precision: str
    n_parameters: int
    size_bytes: int
    elapsed_s: float
    notes: tuple[str, ...]


def train_translation(
    project: "Project | None", params: TrainTranslation, report: Report
) -> TrainTranslationResult:
    """Train a model and write its folder, or resume an equal run.

    Raises:
        UserError: the data do not fit the settings, or the model exists.
        Paused: the user paused the run; the same command resumes it.
    """
    begun = time.monotonic()
    prepared = prepare_translation(project, params, report)
    done = train_and_save(prepared, params, report)
    report.changed("encoder", 0)
    trained = done.trained
    return TrainTranslationResult(
        name=prepared.name,
        folder=str(prepared.out),
        languages=prepared.languages,
        directions=tuple(
            TrainedDirection(s, t, n, trained.measured.get(f"dev.loss.{s}-{t}"))
            for (s, t), n in done.n_pairs.items()
        ),
        n_steps=trained.n_steps,
        kept_step=trained.kept_step,
        ending=trained.ending,
        resumed_at_step=trained.first_step,
        loss=trained.values.get("loss"),
        device=done.device,
        precision=done.precision,
        n_parameters=done.n_parameters,
        size_bytes=folder_bytes(prepared.out),
        elapsed_s=trained.total_seconds(begun),
        notes=tuple(filter(None, (trained.note,))),
    )
