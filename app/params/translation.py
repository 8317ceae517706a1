"""Params of the tasks that train translation models and translate."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from app.params.base import CorpusNames, Seed, TaskParams, option
from app.params.training.options import (
    MAX_COUNT,
    BatchSize,
    CheckpointInterval,
    ClipNorm,
    Decay,
    Dropout,
    EmbedDim,
    LabelledFiles,
    LearningRate,
    OutFolder,
    Patience,
    Precision,
    StsFiles,
    WarmUpSteps,
)

ModelName = Annotated[
    str, option("Translation model.", min_length=1, refers_to="translation model")
]
BeamSize = Annotated[
    int, option("Number of hypotheses per sentence. 1 = greedy search.", ge=1, le=64)
]
LengthPenalty = Annotated[
    float, option("Length penalty of the beam search. 0 = none.", ge=0, le=5)
]


class TrainTranslation(TaskParams, frozen=True, kw_only=True, tag="train-translation"):
    """Train a multilingual translation model on sentences in several languages."""

    writes_project: ClassVar[bool] = True

    # --- data and name ---
    corpora: Annotated[
        CorpusNames,
        option(
            "Linked corpus of the project. The linked sentences of two corpora are "
            "training pairs.",
            window="Linked corpora. The linked sentences of two corpora are training "
            "pairs.",
        ),
    ] = ()
    table: Annotated[
        Path | None,
        option(
            "TSV file (also .xz) with one column per language and a header of "
            "language codes. Cells may be empty."
        ),
    ] = None
    name: Annotated[
        str,
        option("Name of the new model. Default: name of the folder.", max_length=100),
    ] = ""
    languages: Annotated[
        tuple[str, ...],
        option(
            "Language of the model. Default: all languages of the table or corpora.",
            name="language",
        ),
    ] = ()
    directions: Annotated[
        tuple[str, ...],
        option("Direction to train, such as eng-deu. Default: all.", name="direction"),
    ] = ()
    without: Annotated[
        tuple[str, ...],
        option(
            "Direction to leave out of the training, such as deu-fra. Translating it "
            "is then zero-shot."
        ),
    ] = ()
    copies: Annotated[
        bool,
        option(
            "Also train each language to reproduce its own sentences (autoencoding)."
        ),
    ] = False
    out: OutFolder = None

    # --- model ---
    system: Annotated[
        Literal["bridge", "attention", "shared"],
        option(
            "Attention bridge between the encoders and decoders of the languages, "
            "attention without a bridge, or one encoder and decoder that all languages "
            "share, with a token for the target language.",
        ),
    ] = "bridge"
    n_heads: Annotated[
        int, option("Number of heads (rows) of the bridge.", ge=1, le=50)
    ] = 10
    bridge_dim: Annotated[int, option("Hidden size of the bridge.", ge=8, le=8192)] = (
        256
    )
    penalty: Annotated[
        float,
        option(
            "Weight of the penalty on heads that attend to the same tokens. 0 = none.",
            ge=0,
            le=1000,
        ),
    ] = 1.0
    n_pieces: Annotated[
        int, option("Number of subword pieces of each vocabulary.", ge=100, le=64_000)
    ] = 4_000
    embed_dim: EmbedDim = 128
    dim: Annotated[
        int,
        option(
            "Dimensions of the states of encoders and decoders, and of a sentence "
            "vector.",
            ge=8,
            le=2048,
            multiple_of=2,
        ),
    ] = 256
    n_layers: Annotated[
        int, option("Number of layers of each encoder and decoder.", ge=1, le=8)
    ] = 1
    dropout: Dropout = 0.1
    max_tokens: Annotated[
        int,
        option(
            "Maximum number of subword pieces per sentence. The rest is not used.",
            ge=4,
            le=1024,
        ),
    ] = 128
    lowercase: Annotated[
        bool,
        option("Convert all texts to lower case. Translations are in lower case too."),
    ] = True

    # --- steps ---
    n_steps: Annotated[
        int,
        option(
            "Number of steps. Each step trains one direction. Directions alternate.",
            ge=1,
            le=MAX_COUNT,
        ),
    ] = 10_000
    batch_size: BatchSize = 64
    batch_tokens: Annotated[
        int,
        option(
            "Maximum number of pieces per batch, padding included. 0 = no limit.",
            ge=0,
            le=10_000_000,
        ),
    ] = 6_000
    lr: LearningRate = 0.002
    n_warmup: WarmUpSteps = 100
    decay: Decay = "linear"
    clip_norm: ClipNorm = 1.0
    precision: Precision = "float32"

    # --- development set and checkpoints ---
    n_development: Annotated[
        int,
        option(
            "Number of pairs of each direction that are not trained on but select the "
            "weights (at most a tenth of the pairs). 0 = none.",
            ge=0,
            le=100_000,
        ),
    ] = 200
    select_by: Annotated[
        Literal["loss", "bleu"],
        option(
            "Measure on the development pairs that selects the weights: mean loss, or "
            "mean BLEU of greedy translations."
        ),
    ] = "loss"
    evaluate_every: Annotated[
        int,
        option(
            "Number of steps between measurements on the development pairs.",
            ge=1,
            le=MAX_COUNT,
        ),
    ] = 500
    patience: Patience = 0
    checkpoint_every_s: CheckpointInterval = 20.0
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
        option(
            "Setting and its values, such as n_heads=1|10|25|50 or penalty=0|1. With "
            "several settings, every combination is trained; those that are joined by "
            "& change together: n_heads&penalty=1&0|10&1.",
            window="Settings and their values. Every combination is trained.",
            min_length=1,
        ),
    ]
    test: Annotated[
        Path | None,
        option(
            "TSV file with one column per language, to measure BLEU of the trained and "
            "the zero-shot directions.",
            title="Test table",
        ),
    ] = None
    n_sentences: Annotated[
        int,
        option(
            "Number of test sentences per direction, from the first row on. 0 = all.",
            title="Test sentences",
            ge=0,
            le=MAX_COUNT,
        ),
    ] = 0
    beam_size: BeamSize = 1
    sts: StsFiles = ()
    labelled: LabelledFiles = ()
    probing: Annotated[
        tuple[Path, ...],
        option(
            "File with split, tab, label, tab, text, to measure the accuracy of "
            "logistic regression, as in probing.",
            title="Probing files",
        ),
    ] = ()


class Translate(TaskParams, frozen=True, kw_only=True, tag="translate"):
    """Translate the lines of a file with a translation model."""

    model: ModelName
    source: Annotated[str, option("Language of the sentences.", min_length=1)]
    target: Annotated[str, option("Language to translate into.", min_length=1)]
    file: Annotated[Path, option("Text file with one sentence per line.")]
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
        option(
            "TSV file (also .xz) with one column per language and a header of "
            "language codes. Empty cells are left out."
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        option(
            "Language to translate from and into. Default: all languages of the model "
            "that the table contains.",
            name="language",
        ),
    ] = ()
    n_sentences: Annotated[
        int,
        option(
            "Number of sentences per direction, from the first row on. 0 = all.",
            ge=0,
            le=MAX_COUNT,
        ),
    ] = 0
    beam_size: BeamSize = 4
    length_penalty: LengthPenalty = 0.6
    seed: Seed = 1
