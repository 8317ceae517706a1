"""Params of the tasks that train encoders and vocabularies."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import Seed, TaskParams


class TrainVocabulary(TaskParams, frozen=True, kw_only=True, tag="train-vocabulary"):
    """Train a sentencepiece unigram vocabulary on pairs or corpora."""

    out: Annotated[Path, Meta(description="Folder to write the vocabulary into.")]
    pairs: Annotated[
        tuple[Path, ...],
        Meta(description="TSV of english⇥foreign; may be repeated; also .xz."),
    ] = ()
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of pieces.")
    ] = 48_000
    n_sentences: Annotated[
        int, Meta(ge=100, description="Sentences sampled over the languages.")
    ] = 600_000
    sampling_exponent: Annotated[
        float,
        Meta(ge=0, le=1, description="Languages are sampled by size to this power."),
    ] = 0.5
    seed: Seed = 1


class TrainEncoder(TaskParams, frozen=True, kw_only=True, tag="train-encoder"):
    """Train a static encoder by translation ranking on aligned sentences."""

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = True

    name: Annotated[str, Meta(min_length=1, description="Name of the new encoder.")]
    pairs: Annotated[
        tuple[Path, ...],
        Meta(description="TSV of english⇥foreign; may be repeated; also .xz."),
    ] = ()
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Aligned corpus of the project (name or id); its partners "
            "are the corpora it is linked with.",
            extra={"option": "corpus"},
        ),
    ] = ()
    out: Annotated[
        Path | None,
        Meta(description="Folder to write into; default: the project's encoders."),
    ] = None
    vocabulary: Annotated[
        Path | None,
        Meta(description="Folder of a trained vocabulary; default: train one."),
    ] = None
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of subword pieces.")
    ] = 48_000
    n_bigrams: Annotated[
        int, Meta(ge=0, le=1_048_576, description="Rows for hashed bigrams of pieces.")
    ] = 65_536
    dim: Annotated[int, Meta(ge=8, le=2048, description="Dimensions.")] = 256
    n_steps: Annotated[int, Meta(ge=1, description="Number of steps.")] = 5_000
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Pairs in a batch.")
    ] = 2_048
    languages_per_batch: Annotated[
        int,
        Meta(
            ge=1,
            le=1024,
            description="Languages in a batch: few make hard negatives, many learn "
            "small languages faster.",
        ),
    ] = 16
    sampling_exponent: Annotated[
        float,
        Meta(ge=0, le=1, description="Languages are sampled by size to this power."),
    ] = 0.5
    temperature: Annotated[
        float, Meta(ge=0.03, le=1, description="Temperature of the softmax.")
    ] = 0.05
    margin: Annotated[
        float,
        Meta(ge=0, lt=1, description="Additive margin on the true pair's cosine."),
    ] = 0.1
    lr: Annotated[float, Meta(gt=0, le=1, description="Highest learning rate.")] = 0.01
    n_warmup: Annotated[
        int, Meta(ge=0, description="Steps of linear warm-up; then linear to zero.")
    ] = 200
    checkpoint_every_s: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between checkpoints.")
    ] = 20.0
    seed: Seed = 1
