"""Params of the task that probes encoders, and of the one that makes its data."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
from app.params.vectors import EncoderName

ProbeName = Literal["logistic", "mlp"]


class Probe(TaskParams, frozen=True, kw_only=True, tag="probe"):
    """Measure what a small classifier finds of a property in an encoder's vectors."""

    keeps_parts: ClassVar[bool] = True

    data: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            description="Probing file in SentEval's format, in any language: split "
            "(tr, va or te), tab, label, tab, text; also .xz.",
        ),
    ]
    encoders: Annotated[
        tuple[EncoderName, ...],
        Meta(
            description="Encoder to probe: a bundled or project one, or a folder. "
            "Default: the one in use.",
            extra={"option": "encoder"},
        ),
    ] = ()
    classifiers: Annotated[
        tuple[ProbeName, ...],
        Meta(
            min_length=1,
            description="Probe on the frozen vectors: logistic regression, or the "
            "tuned perceptron of the protocol (mlp), which leaves tasks with many "
            "classes, such as word content, to logistic regression.",
            extra={"option": "classifier"},
        ),
    ] = ("logistic",)
    seeds: Annotated[
        int,
        Meta(
            ge=1,
            le=20,
            description="Seeds 1…n of whatever is drawn: the perceptron's weights, the "
            "control task, the random vectors, the untrained twin.",
        ),
    ] = 3
    control: Annotated[
        bool,
        Meta(
            description="Measure selectivity too: the accuracy less that of a control "
            "task, in which words have random classes."
        ),
    ] = True
    baselines: Annotated[
        bool,
        Meta(
            description="Measure the baselines too: majority, length, TF-IDF naive "
            "Bayes, a bag of random vectors, the encoder's untrained twin."
        ),
    ] = True
    n_train: Annotated[
        Annotated[int, Meta(ge=2, le=10_000_000)] | None,
        Meta(
            description="Training rows at most, of each class its share; default: all.",
        ),
    ] = None
    out: Annotated[
        Path | None, Meta(description="TSV to write: a row for each measurement.")
    ] = None
