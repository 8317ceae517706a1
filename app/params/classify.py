"""Params of the tasks that train, measure, use and exchange classifiers."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName

HeadName = Literal["logistic", "mlp", "nli", "relatedness", "centroid", "knn"]
FeaturesName = Literal["auto", "single", "pair", "difference"]

# The perceptrons of the papers: one choice of the window sets these fields.
PRESETS: dict[str, dict[str, object]] = {
    "MLDoc, as in the paper (10)": {
        "head": "mlp",
        "hidden": (10,),
        "batch_size": 12,
        "dropout": 0.2,
    },
    "MLDoc, as released (10, 8)": {
        "head": "mlp",
        "hidden": (10, 8),
        "batch_size": 12,
        "dropout": 0.2,
    },
    "XNLI (512, 384)": {
        "head": "nli",
        "hidden": (512, 384),
        "batch_size": 128,
        "dropout": 0.3,
    },
    "Sentiment (512, 512)": {
        "head": "mlp",
        "hidden": (512, 512),
        "batch_size": 16,
        "lr": 0.0005,
        "lr_decay": 0.9,
        "n_epochs": 20,
    },
}


class HeadSettings(TaskParams, frozen=True, kw_only=True):
    """What every task that trains a head takes."""

    head: Annotated[
        HeadName,
        Meta(
            description="Head on the frozen vectors: logistic regression, a perceptron "
            "(mlp), one for pairs of texts (nli), scores of pairs (relatedness), "
            "the nearest centroid, or the vote of the nearest neighbours (knn)."
        ),
    ] = "logistic"
    hidden: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=8_192)], ...],
        Meta(
            description="Size of a hidden layer, tanh; once for each layer. Default: "
            "10 (mlp), 512 and 384 (nli), none (relatedness)."
        ),
    ] = ()
    features: Annotated[
        FeaturesName,
        Meta(
            description="Features: the text's vector (single); of a pair u, v, u*v and "
            "|u-v| (pair) or the last two (difference); auto: as the head and the data "
            "are."
        ),
    ] = "auto"
    inverse_l2: Annotated[
        Annotated[float, Meta(gt=0, le=1e9)] | None,
        Meta(
            description="Inverse strength C of logistic regression's L2 penalty; "
            "default: the best one in 5-fold cross-validation.",
        ),
    ] = None
    optimiser: Annotated[
        Literal["adam", "lbfgs"],
        Meta(description="Optimiser of a perceptron; lbfgs looks at all rows at once."),
    ] = "adam"
    n_epochs: Annotated[
        int, Meta(ge=1, le=10_000, description="Epochs of a perceptron, at most.")
    ] = 100
    batch_size: Annotated[
        int, Meta(ge=1, le=65_536, description="Rows of one step of Adam.")
    ] = 64
    lr: Annotated[
        float, Meta(gt=0, le=1, description="Learning rate of Adam at first.")
    ] = 0.001
    lr_decay: Annotated[
        float,
        Meta(gt=0, le=1, description="What it is multiplied by after each epoch."),
    ] = 1.0
    dropout: Annotated[
        float,
        Meta(ge=0, le=0.95, description="Share of values left out before a layer."),
    ] = 0.0
    patience: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="Epochs without a better one on the development set, after "
            "which training ends.",
        ),
    ] = 10
    balanced: Annotated[
        bool, Meta(description="Weigh classes alike, however many rows they have.")
    ] = False
    k: Annotated[
        int, Meta(ge=1, le=1_000, description="Neighbours that vote (knn).")
    ] = 5
    lowest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Lowest score (relatedness).")
    ] = 0.0
    highest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Highest score (relatedness).")
    ] = 5.0
    development_share: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.9,
            description="Share of the training rows that is held out for early "
            "stopping and calibration, where no development set is given.",
        ),
    ] = 0.1
    similar_labels: Annotated[
        Literal["refuse", "merge", "keep"],
        Meta(
            description="What is done with labels that differ only by case or spaces: "
            "refuse the data, take them for one, or keep them apart."
        ),
    ] = "refuse"
    documents: Annotated[
        bool,
        Meta(
            description="Each text is a document: the mean of its sentences' vectors "
            "stands for it."
        ),
    ] = False
    encoder: EncoderName = ""
    seed: Seed = 1


class EvaluateTransfer(
    HeadSettings, frozen=True, kw_only=True, tag="evaluate-transfer"
):
    """Train a classifier on one language and test it on others."""

    train: Annotated[
        str,
        Meta(
            description="Labelled rows: a file of label, tab, text (or label, tab, "
            "text, tab, text), also .xz, or a corpus of the project (name or id; two "
            "corpora of pairs: A+B)."
        ),
    ] = ""
    tests: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="LANGUAGE=FILE or LANGUAGE=CORPUS to test on, in that form.",
            extra={"option": "test"},
        ),
    ]
    development: Annotated[
        str,
        Meta(
            description="Development set in the training language, in the same form; "
            "empty: a share of the training rows."
        ),
    ] = ""
    language: Annotated[str, Meta(description="Language of the training rows.")] = "en"
    classifier: Annotated[
        str,
        Meta(description="Trained classifier of the project, instead of --train."),
    ] = ""
    matrix: Annotated[
        bool,
        Meta(
            description="Test pairs in every two languages too: the first text in one, "
            "the second in the other; the tests must be aligned row by row."
        ),
    ] = False
    apart: Annotated[
        bool,
        Meta(
            description="Leave out training rows that links say are translations of "
            "test rows; a test on the training corpus gets these rows only."
        ),
    ] = False
    out: Annotated[
        Path | None,
        Meta(
            description="JSON file for all details: confusion matrices, classes, "
            "errors with their nearest training texts."
        ),
    ] = None


class TrainClassifier(HeadSettings, frozen=True, kw_only=True, tag="train-classifier"):
    """Train a classifier on labelled sentences and keep it in the project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    name: Annotated[
        str, Meta(min_length=1, max_length=200, description="Name of the classifier.")
    ]
    train: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Labelled rows: a corpus of the project (name or id; two "
            "corpora of pairs: A+B), or a file of label, tab, text, also .xz.",
        ),
    ]
    development: Annotated[
        str,
        Meta(
            description="Development set in the training language, in the same form; "
            "empty: a share of the training rows."
        ),
    ] = ""
    language: Annotated[
        str,
        Meta(description="Language of the training rows; empty: the corpus's own."),
    ] = ""


class Classify(TaskParams, frozen=True, kw_only=True, tag="classify"):
    """Classify every sentence of corpora by a trained classifier."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    classifier: Annotated[
        str, Meta(min_length=1, description="Name or id of the classifier.")
    ]
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Name or id of a corpus; for a classifier of pairs A+B.",
            extra={"option": "corpus"},
        ),
    ]
    encoder: EncoderName = ""


class CheckLabels(HeadSettings, frozen=True, kw_only=True, tag="check-labels"):
    """Tell before training what labels hold: balance, leaks, what is doubtful."""

    train: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Labelled rows: a corpus of the project (name or id; two "
            "corpora of pairs: A+B), or a file of label, tab, text, also .xz.",
        ),
    ]
    tests: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE or NAME=CORPUS whose rows may hide in the training "
            "set, as they are or as a translation.",
            extra={"option": "test"},
        ),
    ] = ()
    suspects: Annotated[
        int,
        Meta(
            ge=0,
            le=200,
            description="Labels to list that are most likely wrong, by what the rest "
            "of the data says (5-fold); 0: none are looked for.",
        ),
    ] = 50


class EvaluateFewShot(HeadSettings, frozen=True, kw_only=True, tag="evaluate-few-shot"):
    """Measure what some labels of the target language would add."""

    train: Annotated[
        str,
        Meta(
            min_length=1,
            description="Labelled rows of the training language: a file or a corpus, "
            "as for evaluate-transfer.",
        ),
    ]
    target: Annotated[
        str,
        Meta(
            min_length=1,
            description="Labelled rows of the target language, from which labels are "
            "drawn; in the same form.",
        ),
    ]
    test: Annotated[
        str,
        Meta(
            description="Rows of the target language to test on; empty: half of those "
            "of --target, which are then not drawn."
        ),
    ] = ""
    sizes: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...],
        Meta(
            description="Number of labels of the target language; once for each. "
            "Default: 10, 50, 100, 500, 1,000 as far as there are so many.",
            extra={"option": "size"},
        ),
    ] = ()
    apart: Annotated[
        bool,
        Meta(
            description="Leave out training rows that links say are translations of "
            "rows of the target language."
        ),
    ] = False
    repeats: Annotated[
        int, Meta(ge=1, le=100, description="Draws of each number of labels.")
    ] = 5


class ExportPredictions(
    TaskParams, frozen=True, kw_only=True, tag="export-predictions"
):
    """Write classified sentences with their classes and probabilities."""

    needs_project: ClassVar[bool] = True

    classifier: Annotated[
        str, Meta(min_length=1, description="Name or id of the classifier.")
    ]
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Name or id of a corpus, or of two of pairs: A+B; default: all "
            "that are classified, of pairs each corpus with the last one it was "
            "classified with.",
            extra={"option": "corpus"},
        ),
    ] = ()
    out: Annotated[Path, Meta(description="File to write: .tsv, .csv or .jsonl.")]
    classes: Annotated[
        tuple[str, ...],
        Meta(description="Only sentences of this class.", extra={"option": "class"}),
    ] = ()
    lowest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        Meta(description="Lowest probability (score); default: all."),
    ] = None
    highest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        Meta(description="Highest probability (score); default: all."),
    ] = None
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Only sentences of this language (a code).",
            extra={"option": "language"},
        ),
    ] = ()
    said_only: Annotated[
        bool,
        Meta(
            description="Write the probability of the class that was said, not those "
            "of all classes, for which the encoder is needed."
        ),
    ] = False
    replace: Annotated[
        bool, Meta(description="Replace the file if it is there already.")
    ] = False


PAIR_SIGN = "+"


class ExportClassifier(TaskParams, frozen=True, kw_only=True, tag="export-classifier"):
    """Write a classifier as one file, to be used in another project."""

    needs_project: ClassVar[bool] = True

    classifier: Annotated[
        str, Meta(min_length=1, description="Name or id of the classifier.")
    ]
    out: Annotated[
        Path, Meta(description="File to write: a .zip of weights and settings.")
    ]
    replace: Annotated[
        bool, Meta(description="Replace the file if it is there already.")
    ] = False


class ImportClassifier(TaskParams, frozen=True, kw_only=True, tag="import-classifier"):
    """Take a classifier that export-classifier wrote into a project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[Path, Meta(description="File that export-classifier wrote.")]
    name: Annotated[
        str,
        Meta(max_length=200, description="Name to give it; empty: the one it has."),
    ] = ""
    encoder: EncoderName = ""
