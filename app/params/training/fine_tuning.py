"""Params of fine-tuning: a training from an encoder, with defaults for few pairs."""

from typing import Annotated

from app.params.base import option
from app.params.training.encoder import TrainEncoder
from app.params.training.options import (
    BatchSize,
    LearningRate,
    MeasuringInterval,
    Patience,
    StepCount,
    WarmUpSteps,
)


class FineTuneEncoder(TrainEncoder, frozen=True, kw_only=True, tag="fine-tune-encoder"):
    """Train an encoder further on your own pairs, and measure what changes.

    The defaults were chosen on pairs of four languages; docs/encoders.md lists the
    measurements.
    """

    initial: Annotated[
        str,
        option(
            "Encoder to start from; empty: the one in use. Its architecture, sizes and "
            "storage replace those of the other options."
        ),
    ] = ""
    n_steps: StepCount = 300
    batch_size: BatchSize = 256
    lr: LearningRate = 0.002
    n_warmup: WarmUpSteps = 20
    n_development: Annotated[
        int,
        option(
            "Pairs of each language held out to measure the retrieval error before and "
            "after (at most a tenth of them); 0 = none.",
            ge=0,
            le=100_000,
        ),
    ] = 500
    evaluate_every: MeasuringInterval = 25
    patience: Patience = 4
