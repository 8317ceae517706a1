"""Options that several trainings share, and the measurements of their grids."""

from pathlib import Path
from typing import Annotated, Literal

from app.params.base import option

MAX_COUNT = 1_000_000_000  # steps or sentences: the limit of the window's fields

# --- data ---
OutFolder = Annotated[
    Path | None, option("Folder to write to; default: the project's encoders.")
]
KeptOutFiles = Annotated[
    tuple[Path, ...],
    option(
        "File of a development or test set (one sentence per line, or columns). Pairs "
        "that contain one of its sentences are excluded."
    ),
]

# --- architecture ---
EmbedDim = Annotated[int, option("Dimensions of a piece embedding.", ge=8, le=2048)]
Dropout = Annotated[
    float, option("Share of values dropped during training.", ge=0, lt=1)
]
MaxTokens = Annotated[
    int, option("Tokens per sentence; longer sentences are truncated.", ge=4, le=4096)
]

# --- steps ---
StepCount = Annotated[int, option("Number of steps.", ge=1, le=MAX_COUNT)]
BatchSize = Annotated[
    int, option("Maximum number of pairs per batch.", ge=2, le=65_536)
]
LearningRate = Annotated[float, option("Peak learning rate.", gt=0, le=1)]
WarmUpSteps = Annotated[
    int, option("Number of linear warm-up steps.", ge=0, le=MAX_COUNT)
]
Decay = Annotated[
    Literal["linear", "cosine", "constant"],
    option("How the learning rate falls after the warm-up."),
]
ClipNorm = Annotated[
    float, option("Maximum gradient norm; 0 = no clipping.", ge=0, le=1e6)
]
Precision = Annotated[
    Literal["auto", "float32", "bfloat16", "float16"],
    option("Arithmetic precision; auto: the fastest that is safe."),
]

# --- development set and checkpoints ---
MeasuringInterval = Annotated[
    int,
    option("Steps between measurements on the development pairs.", ge=1, le=MAX_COUNT),
]
Patience = Annotated[
    int,
    option(
        "Stop after this many measurements without improvement; 0 = never.",
        ge=0,
        le=10_000,
    ),
]
CheckpointInterval = Annotated[
    float, option("Seconds between checkpoints.", gt=0, le=3600)
]

# --- measurements of a grid ---
StsFiles = Annotated[
    tuple[str, ...],
    option(
        "LANGUAGE=FILE with score, tab, text, tab, text, to measure the correlation of "
        "cosines and scores.",
        title="Similarity files",
    ),
]
LabelledFiles = Annotated[
    tuple[str, ...],
    option(
        "NAME=FILE with label, tab, text, to measure the accuracy of logistic "
        "regression, as in downstream tasks.",
        title="Labelled files",
    ),
]
