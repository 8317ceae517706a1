"""Params of fine-tuning: a training from an encoder, with defaults for few pairs."""

from typing import Annotated

from msgspec import Meta

from app.params.training.encoder import MAX_COUNT, TrainEncoder


class FineTuneEncoder(TrainEncoder, frozen=True, kw_only=True, tag="fine-tune-encoder"):
    """Train an encoder further on your own pairs, and measure what changes.

    The defaults were chosen on pairs of four languages; docs/encoders.md lists the
    measurements.
    """

    initial: Annotated[
        str,
        Meta(
            description="Encoder to start from; empty: the one in use. Its "
            "architecture, sizes and storage replace those of the other options."
        ),
    ] = ""
    n_steps: Annotated[
        int, Meta(ge=1, le=MAX_COUNT, description="Number of steps.")
    ] = 300
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Maximum number of pairs per batch.")
    ] = 256
    lr: Annotated[float, Meta(gt=0, le=1, description="Peak learning rate.")] = 0.002
    n_warmup: Annotated[
        int, Meta(ge=0, le=MAX_COUNT, description="Number of linear warm-up steps.")
    ] = 20
    n_development: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="Pairs of each language held out to measure the retrieval "
            "error before and after (at most a tenth of them); 0 = none.",
        ),
    ] = 500
    evaluate_every: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_COUNT,
            description="Steps between measurements on held-out data.",
        ),
    ] = 25
    patience: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Stop after this many measurements without improvement; "
            "0 = never.",
        ),
    ] = 4
