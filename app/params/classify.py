"""Params of the tasks that train, measure, use and exchange classifiers."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import (
    CorpusNames,
    Formulas,
    ProjectTask,
    Seed,
    TaskParams,
    WritingTask,
    option,
)
from app.params.vectors import EncoderName

HeadName = Literal["logistic", "mlp", "nli", "relatedness", "centroid", "knn"]
PAIR_SIGN = "+"  # between the names of two corpora of pairs
FeaturesName = Literal["auto", "single", "pair", "difference"]

# Published perceptrons, presets in the window. Patience 0: training does not stop
# before the last epoch.
PRESETS: dict[str, dict[str, object]] = {
    # Artetxe and Schwenk 2019, section 4.2, trained as their released code does
    "MLDoc, as in the paper (10)": {
        "head": "mlp",
        "hidden": (10,),
        "batch_size": 12,
        "lr": 0.001,
        "lr_decay": 1.0,
        "dropout": 0.2,
        "n_epochs": 500,
        "patience": 0,
        "keep": "best",
    },
    "MLDoc, as released (10, 8)": {
        "head": "mlp",
        "hidden": (10, 8),
        "batch_size": 12,
        "lr": 0.001,
        "lr_decay": 1.0,
        "dropout": 0.2,
        "n_epochs": 500,
        "patience": 0,
        "keep": "best",
    },
    # section 4.1 of the same paper
    "XNLI (512, 384)": {
        "head": "nli",
        "hidden": (512, 384),
        "batch_size": 128,
        "lr": 0.001,
        "lr_decay": 1.0,
        "dropout": 0.3,
        "n_epochs": 200,
        "patience": 0,
        "keep": "best",
    },
    # Chidambaram et al. 2019, section 5.3: 20 epochs, without a choice among them
    "Sentiment (512, 512)": {
        "head": "mlp",
        "hidden": (512, 512),
        "batch_size": 16,
        "lr": 0.0005,
        "lr_decay": 0.9,
        "dropout": 0.0,
        "n_epochs": 20,
        "patience": 0,
        "keep": "last",
    },
}
WITH_LBFGS = {"n_epochs": 100, "patience": 10}  # the published recipes use Adam
# Default values of a head's unset fields.
RECIPES: dict[HeadName, dict[str, object]] = {
    "mlp": PRESETS["MLDoc, as in the paper (10)"],
    "nli": PRESETS["XNLI (512, 384)"],
    "relatedness": {
        "hidden": (),
        "batch_size": 64,
        "lr": 0.001,
        "lr_decay": 1.0,
        "dropout": 0.0,
        "n_epochs": 100,
        "patience": 10,
        "keep": "best",
    },
}

ClassifierName = Annotated[
    str, option("The classifier.", min_length=1, refers_to="classifier")
]
LabelledRows = Annotated[
    tuple[str, ...],
    option(
        "Labelled rows: a corpus (for pairs two corpora A+B), or a file of label, "
        "tab, text, also .xz.",
        min_length=1,
        window="Labelled rows: a corpus, two corpora of pairs, or a file with label, "
        "tab, text, also .xz.",
    ),
]
DevelopmentRows = Annotated[
    str,
    option(
        "Development set in the training language, in the same form; default: part "
        "of the training rows."
    ),
]
Replace = Annotated[bool, option("Overwrite if the file exists.")]


class HeadSettings(TaskParams, frozen=True, kw_only=True):
    """Settings of every task that trains a head."""

    head: Annotated[
        HeadName,
        option(
            "Head on the frozen vectors: logistic regression, multilayer perceptron "
            "(mlp), MLP on pairs (nli), score of pairs (relatedness), nearest "
            "centroid, or nearest neighbours (knn)."
        ),
    ] = "logistic"
    hidden: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=8_192)], ...],
        option(
            "Size of a hidden tanh layer; repeat for more layers. Default: 10 "
            "(MLP), 512 and 384 (MLP on pairs), none (relatedness)."
        ),
    ] = ()
    features: Annotated[
        FeaturesName,
        option(
            "Features: the text's vector (single); for pairs u, v, u*v and |u-v| "
            "(pair) or only the last two (difference); auto: depends on the head and "
            "the data."
        ),
    ] = "auto"
    inverse_l2: Annotated[
        Annotated[float, Meta(gt=0, le=1e9)] | None,
        option(
            "C, the inverse strength of the L2 penalty of logistic regression. "
            "Smaller values reduce overfitting. Default: chosen by 5-fold "
            "cross-validation."
        ),
    ] = None
    optimiser: Annotated[
        Literal["adam", "lbfgs"],
        option("Optimiser of an MLP; L-BFGS uses all rows in each step."),
    ] = "adam"
    n_epochs: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        option(
            "Maximum epochs of an MLP. Default, as published: 500, on pairs 200; "
            "100 for relatedness and with L-BFGS."
        ),
    ] = None
    batch_size: Annotated[
        Annotated[int, Meta(ge=1, le=65_536)] | None,
        option(
            "Rows in each step of Adam. Default: 12 (MLP), 128 (MLP on "
            "pairs), 64 (relatedness)."
        ),
    ] = None
    lr: Annotated[
        Annotated[float, Meta(gt=0, le=1)] | None,
        option("Initial learning rate of Adam. Default: 0.001."),
    ] = None
    lr_decay: Annotated[
        Annotated[float, Meta(gt=0, le=1)] | None,
        option("Factor of the learning rate after each epoch. Default: 1."),
    ] = None
    dropout: Annotated[
        Annotated[float, Meta(ge=0, le=0.95)] | None,
        option(
            "Share of values dropped before each layer. Default: 0.2 (MLP), 0.3 "
            "(MLP on pairs), 0 (relatedness)."
        ),
    ] = None
    patience: Annotated[
        Annotated[int, Meta(ge=0, le=10_000)] | None,
        option(
            "Epochs without improvement on the development set after which training "
            "stops; 0: never. Default: never; 10 for relatedness and with L-BFGS."
        ),
    ] = None
    keep: Annotated[
        Literal["best", "last"],
        option(
            "Epoch whose weights are kept: the best on the development set, or the "
            "last.",
            title="Epoch to keep",
        ),
    ] = "best"
    balanced: Annotated[bool, option("Give all classes the same weight.")] = False
    k: Annotated[int, option("Number of nearest neighbours.", ge=1, le=1_000)] = 5
    lowest: Annotated[float, option("Lowest score (relatedness).", ge=-1e6, le=1e6)] = (
        0.0
    )
    highest: Annotated[
        float, option("Highest score (relatedness).", ge=-1e6, le=1e6)
    ] = 5.0
    development_share: Annotated[
        float,
        option(
            "Share of training rows held out for early stopping and calibration if "
            "there is no development set.",
            gt=0,
            lt=0.9,
        ),
    ] = 0.1
    similar_labels: Annotated[
        Literal["refuse", "merge", "keep"],
        option(
            "Labels that differ only by case or spaces: refuse the data, merge them, "
            "or keep them as separate classes."
        ),
    ] = "refuse"
    documents: Annotated[
        bool,
        option(
            "Texts are documents: the vector of each is the mean of its sentences' "
            "vectors."
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
        option(
            "Labelled rows: a file of label, tab, text (for pairs another tab and "
            "text), also .xz, or a corpus (for pairs two corpora A+B).",
            window="Labelled rows: a file of label, tab, text (for pairs another tab "
            "and text), also .xz, or a corpus, for pairs two.",
        ),
    ] = ""
    tests: Annotated[
        tuple[str, ...],
        option(
            "LANGUAGE=FILE or LANGUAGE=CORPUS to test on, in the same form.",
            min_length=1,
            name="test",
        ),
    ]
    development: DevelopmentRows = ""
    language: Annotated[str, option("Language of the training rows.")] = "en"
    classifier: Annotated[
        str, option("Trained classifier of the project, instead of training rows.")
    ] = ""
    matrix: Annotated[
        bool,
        option(
            "Also test pairs whose texts are in two languages, for every two "
            "languages; the tests must be aligned row by row."
        ),
    ] = False
    apart: Annotated[
        bool,
        option(
            "Exclude training rows that are linked as translations of test rows; a "
            "test on the training corpus uses only the excluded rows."
        ),
    ] = False
    out: Annotated[
        Path | None,
        option(
            "JSON file for details: confusion matrices, classes, errors and their "
            "nearest training texts."
        ),
    ] = None
    keep_as: Annotated[
        str,
        option(
            "Name of the classifier in the project. Default: it is not kept.",
            window="Name of the classifier in the project. Empty: it is not kept.",
            title="Keep the classifier as",
            max_length=200,
        ),
    ] = ""

    @property
    def holds_lock(self) -> bool:
        """Return whether the classifier is saved in a project."""
        return bool(self.keep_as)


class TrainClassifier(HeadSettings, frozen=True, kw_only=True, tag="train-classifier"):
    """Train a classifier on labelled sentences and save it in the project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    name: Annotated[
        str, option("Name of the classifier.", min_length=1, max_length=200)
    ]
    train: LabelledRows
    development: DevelopmentRows = ""
    language: Annotated[
        str, option("Language of the training rows; default: that of the corpus.")
    ] = ""


class Classify(WritingTask, frozen=True, kw_only=True, tag="classify"):
    """Classify every sentence of corpora with a trained classifier."""

    continues: ClassVar[bool] = True

    classifier: ClassifierName
    corpora: Annotated[
        CorpusNames,
        option(
            "Corpora to classify; for pairs two corpora A+B.",
            min_length=1,
            window="Corpora to classify; for pairs two corpora.",
        ),
    ]
    encoder: EncoderName = ""


class CheckLabels(HeadSettings, frozen=True, kw_only=True, tag="check-labels"):
    """Check labels for class balance, test-set leakage and doubtful labels."""

    train: LabelledRows
    tests: Annotated[
        tuple[str, ...],
        option(
            "NAME=FILE or NAME=CORPUS to search for duplicates and translations of "
            "training rows.",
            name="test",
        ),
    ] = ()
    suspects: Annotated[
        int,
        option(
            "Number of doubtful labels to list (5-fold cross-validation); 0: skip this "
            "check.",
            ge=0,
            le=200,
        ),
    ] = 50


class EvaluateFewShot(HeadSettings, frozen=True, kw_only=True, tag="evaluate-few-shot"):
    """Measure how much a few labels in the target language improve accuracy."""

    train: Annotated[
        str,
        option(
            "Labelled rows in the training language: a file or a corpus.",
            min_length=1,
        ),
    ]
    target: Annotated[
        str,
        option(
            "Labelled rows in the target language to draw labels from, in the same "
            "form.",
            min_length=1,
        ),
    ]
    test: Annotated[
        str,
        option(
            "Rows in the target language to test on; default: half of the target rows, "
            "which are then not drawn."
        ),
    ] = ""
    sizes: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...],
        option(
            "Number of target labels; repeat for more points. Default: 10, 50, 100, "
            "500 and 1,000, as far as there are enough.",
            name="size",
        ),
    ] = ()
    apart: Annotated[
        bool,
        option("Exclude training rows that are linked as translations of target rows."),
    ] = False
    repeats: Annotated[
        int, option("Random draws for each number of labels.", ge=1, le=100)
    ] = 5


class ExportPredictions(
    ProjectTask, frozen=True, kw_only=True, tag="export-predictions"
):
    """Export classified sentences with their classes and probabilities."""

    classifier: ClassifierName
    corpora: Annotated[
        tuple[str, ...],
        option(
            "Corpora; for pairs two corpora A+B. Default: all classified corpora, for "
            "pairs with the corpus they were last classified with.",
            name="corpus",
            window="Corpora; for pairs two corpora. Default: all classified corpora.",
        ),
    ] = ()
    out: Annotated[Path, option("File to write: .tsv, .csv or .jsonl.")]
    formulas: Formulas = "auto"
    classes: Annotated[
        tuple[str, ...], option("Include only this class. Default: all.", name="class")
    ] = ()
    lowest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        option("Lowest probability (score). Default: all."),
    ] = None
    highest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        option("Highest probability (score). Default: all."),
    ] = None
    languages: Annotated[
        tuple[str, ...],
        option("Include only this language (a code). Default: all.", name="language"),
    ] = ()
    said_only: Annotated[
        bool,
        option(
            "Export only the probability of the predicted class; those of all classes "
            "need the encoder."
        ),
    ] = False
    replace: Replace = False


class ExportTransfer(ProjectTask, frozen=True, kw_only=True, tag="export-transfer"):
    """Export the prediction for every row of a transfer test."""

    run: Annotated[
        int, option("Number of the run of the test, as shown in Runs.", ge=1)
    ]
    out: Annotated[Path, option("File to write: .tsv, .csv or .jsonl.")]
    formulas: Formulas = "auto"
    replace: Replace = False


class ExportClassifier(ProjectTask, frozen=True, kw_only=True, tag="export-classifier"):
    """Export a classifier as one file, for use in another project."""

    classifier: ClassifierName
    out: Annotated[Path, option("File to write: a .zip with weights and settings.")]
    replace: Replace = False


class ImportClassifier(WritingTask, frozen=True, kw_only=True, tag="import-classifier"):
    """Import a classifier that was exported from another project."""

    file: Annotated[Path, option("File of an exported classifier.")]
    name: Annotated[
        str,
        option("Name in this project; default: the name in the file.", max_length=200),
    ] = ""
    encoder: EncoderName = ""
