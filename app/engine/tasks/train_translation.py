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
    """A direction that was trained.

    Attributes:
        n_pairs: it was trained on.
        development_loss: mean cross-entropy of a piece on held-out pairs, of the saved
            weights; None: not measured.
    """

    source: str
    target: str
    n_pairs: int
    development_loss: float | None


class TrainTranslationResult(msgspec.Struct, frozen=True):
    """What a trained model is.

    Attributes:
        n_steps: steps in all.
        kept_step: step whose weights were saved: the best ones by the development
            metric, else the last.
        ending: "last step", "patience" or "finished early".
        resumed_at_step: step from which this run continued; 0: from the beginning.
        loss: of the last batches; None: ended before the first point of the curves.
        n_parameters: weights that were trained.
        size_bytes: of the folder.
        elapsed_s: of the whole training, with the runs that were interrupted.
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
    """Train a model and write its folder; continue where an equal run was stopped.

    Raises:
        UserError: the data do not fit the settings, or the model exists.
        Paused: as the user requested; the same command continues.
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
