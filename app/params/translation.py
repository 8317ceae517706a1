"""Params of the tasks that train translation models and translate."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.training.encoder import MAX_COUNT

ModelName = Annotated[
    str,
    Meta(
        min_length=1,
        description="Translation model.",
        extra=refers_to("translation model"),
    ),
]
BeamSize = Annotated[
    int,
    Meta(ge=1, le=64, description="Hypotheses per sentence; 1 = greedy search."),
]
LengthPenalty = Annotated[
    float,
    Meta(
        ge=0,
        le=5,
        description="Length penalty of the beam search; 0 = none.",
    ),
]


class TrainTranslation(TaskParams, frozen=True, kw_only=True, tag="train-translation"):
    """Train a multilingual translation model on sentences in several languages."""

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = True

    # --- name and data ---
    name: Annotated[
        str,
        Meta(
            max_length=100,
            description="Name of the new model; empty: name of the folder.",
        ),
    ] = ""
    table: Annotated[
        Path | None,
        Meta(
            description="TSV file with one column per language and a header of "
            "language codes, or .xz. Cells may be empty."
        ),
    ] = None
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Aligned corpus of the project. Links between the "
            "corpora are the pairs.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language of the model. Default: all of the table or of the "
            "corpora.",
            extra={"option": "language"},
        ),
    ] = ()
    directions: Annotated[
        tuple[str, ...],
        Meta(
            description="Direction to train, such as eng-deu. Default: all.",
            extra={"option": "direction"},
        ),
    ] = ()
    without: Annotated[
        tuple[str, ...],
        Meta(
            description="Direction to leave out of the training, such as deu-fra. "
            "Translating it is then zero-shot."
        ),
    ] = ()
    copies: Annotated[
        bool,
        Meta(description="Also train each language to reproduce its own sentences."),
    ] = False
    out: Annotated[
        Path | None,
        Meta(description="Folder to write to; default: the project's encoders."),
    ] = None

    # --- model ---
    system: Annotated[
        Literal["bridge", "attention", "shared"],
        Meta(
            description="Attention bridge between the encoders and decoders of the "
            "languages; ordinary attention without a bridge; or one shared encoder and "
            "decoder with a token for the target language."
        ),
    ] = "bridge"
    n_heads: Annotated[
        int, Meta(ge=1, le=50, description="Heads (rows) of the bridge.")
    ] = 10
    bridge_dim: Annotated[
        int, Meta(ge=8, le=8192, description="Inner size of the bridge.")
    ] = 256
    penalty: Annotated[
        float,
        Meta(
            ge=0,
            le=1000,
            description="Weight of the penalty on heads that attend to the same "
            "tokens; 0 = none.",
        ),
    ] = 1.0
    n_pieces: Annotated[
        int,
        Meta(ge=100, le=64_000, description="Subword pieces of each vocabulary."),
    ] = 4_000
    embed_dim: Annotated[
        int, Meta(ge=8, le=2048, description="Dimensions of a piece embedding.")
    ] = 128
    dim: Annotated[
        int,
        Meta(
            ge=8,
            le=2048,
            multiple_of=2,
            description="Dimensions of the encoders' and decoders' states, and of a "
            "sentence vector.",
        ),
    ] = 256
    n_layers: Annotated[
        int, Meta(ge=1, le=8, description="Layers of each encoder and decoder.")
    ] = 1
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="Share of values dropped during training.")
    ] = 0.1
    max_tokens: Annotated[
        int,
        Meta(
            ge=4,
            le=1024,
            description="Pieces per sentence; longer sentences are truncated.",
        ),
    ] = 128
    lowercase: Annotated[
        bool, Meta(description="Lower-case all texts; translations are in lower case.")
    ] = True

    # --- steps ---
    n_steps: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_COUNT,
            description="Number of steps. Each trains one direction; directions take "
            "turns.",
        ),
    ] = 10_000
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Maximum number of pairs per batch.")
    ] = 64
    batch_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000_000,
            description="Maximum number of pieces per batch, padding included; "
            "0 = no limit.",
        ),
    ] = 6_000
    lr: Annotated[float, Meta(gt=0, le=1, description="Peak learning rate.")] = 0.002
    n_warmup: Annotated[
        int, Meta(ge=0, le=MAX_COUNT, description="Number of linear warm-up steps.")
    ] = 100
    decay: Annotated[
        Literal["linear", "cosine", "constant"],
        Meta(description="How the learning rate falls after the warm-up."),
    ] = "linear"
    clip_norm: Annotated[
        float,
        Meta(ge=0, le=1e6, description="Maximum gradient norm; 0 = no clipping."),
    ] = 1.0
    precision: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Meta(description="Arithmetic precision; auto: the fastest that is safe."),
    ] = "float32"

    # --- development set and checkpoints ---
    n_development: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="Pairs of each direction held out to choose the best weights "
            "(at most a tenth of them); 0 = none.",
        ),
    ] = 200
    select_by: Annotated[
        Literal["loss", "bleu"],
        Meta(
            description="Measure on the held-out pairs that chooses the weights: mean "
            "loss, or mean BLEU of greedy translations."
        ),
    ] = "loss"
    evaluate_every: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_COUNT,
            description="Steps between measurements on the held-out pairs.",
        ),
    ] = 500
    patience: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Stop after this many measurements without improvement; "
            "0 = never.",
        ),
    ] = 0
    checkpoint_every_s: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between checkpoints.")
    ] = 20.0
    seed: Seed = 1


class PlanTranslation(
    TrainTranslation, frozen=True, kw_only=True, tag="plan-translation"
):
    """Estimate time, memory and disk space of a translation training in a trial."""

    writes_project: ClassVar[bool] = False


class TrainTranslationGrid(
    TrainTranslation, frozen=True, kw_only=True, tag="train-translation-grid"
):
    """Train a translation model for each combination of settings, and compare them."""

    needs_project: ClassVar[bool] = True
    keeps_parts: ClassVar[bool] = True

    vary: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Setting and its values, such as n_heads=1|10|25|50 or "
            "penalty=0|1. With several settings, every combination is trained; those "
            "that are joined by & change together: n_heads&penalty=1&0|10&1.",
        ),
    ]
    test: Annotated[
        Path | None,
        Meta(
            description="TSV file with one column per language: measure BLEU of the "
            "trained and of the zero-shot directions."
        ),
    ] = None
    n_sentences: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_COUNT,
            description="Test sentences per direction, from the first row on; 0 = all.",
        ),
    ] = 0
    beam_size: BeamSize = 1
    sts: Annotated[
        tuple[str, ...],
        Meta(
            description="LANGUAGE=FILE with score, tab, text, tab, text: measure the "
            "correlation of cosines and scores.",
        ),
    ] = ()
    labelled: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE with label, tab, text: measure the accuracy of "
            "logistic regression, as evaluate-downstream.",
        ),
    ] = ()
    probing: Annotated[
        tuple[Path, ...],
        Meta(
            description="File with split, tab, label, tab, text: measure the accuracy "
            "of logistic regression, as probe.",
        ),
    ] = ()


class Translate(TaskParams, frozen=True, kw_only=True, tag="translate"):
    """Translate the lines of a file with a translation model."""

    model: ModelName
    source: Annotated[str, Meta(min_length=1, description="Language of the sentences.")]
    target: Annotated[
        str, Meta(min_length=1, description="Language to translate into.")
    ]
    file: Annotated[Path, Meta(description="Text file with one sentence per line.")]
    beam_size: BeamSize = 4
    length_penalty: LengthPenalty = 0.6


class EvaluateTranslation(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-translation"
):
    """Measure BLEU and chrF of a translation model in every direction."""

    writes_project: ClassVar[bool] = True

    model: ModelName
    table: Annotated[
        Path,
        Meta(
            description="TSV file with one column per language and a header of "
            "language codes, or .xz. Empty cells are left out."
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language to translate from and into. Default: all of the "
            "model that the table has.",
            extra={"option": "language"},
        ),
    ] = ()
    n_sentences: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_COUNT,
            description="Sentences per direction, from the first row on; 0 = all.",
        ),
    ] = 0
    beam_size: BeamSize = 4
    length_penalty: LengthPenalty = 0.6
    seed: Seed = 1
