"""How the forms of evaluations are made: what each needs, its files, lists to tick."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from PySide6.QtCore import QCoreApplication

from app.params import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
    MeasureName,
    ScoreName,
)
from app.params.probing import Probe, ProbeName
from app.params.treebanks import MakeProbingSets, ProbingTask
from app.views.mining_words import DOT
from app.views.words import format_count

N_VALUES = 4  # of a feature that are named
Offers = dict[str, list[tuple[str, str]]]  # by field: what can be ticked, its title


class Setup(NamedTuple):
    """How the form of a task is made.

    Attributes:
        title: of the menu's line and of the dialog.
        note: what it needs, in one sentence.
        files: fields of files; what is dropped goes to the first.
        choices: fields with a tick for each of some names.
        rare: fields that are hidden at first.
        skip: fields that keep their values.
    """

    title: str
    note: str
    files: Sequence[str] = ()
    choices: Sequence[tuple[str, Sequence[str]]] = ()
    rare: Sequence[str] = ()
    skip: Sequence[str] = ()


def setup_of(struct: type[TaskParams]) -> Setup:
    """Tell how the form of a task is made."""
    return (_measuring() | _beside_them())[struct]


def _measuring() -> dict[type[TaskParams], Setup]:
    """Give the forms of the tasks that measure encoders."""
    aligned = _tr(
        "Needs a table with a language a column, or two files aligned line by line, "
        "or corpora of the project that are linked: name one of the three."
    )
    probing = [("classifiers", get_args(ProbeName))]
    return {
        Probe: Setup(
            _tr("Probe"),
            _tr("Needs files with lines of split (tr, va, te), tab, label, tab, text."),
            ("data",),
            probing,
            ("n_train",),
            ("out",),
        ),
        EvaluateRetrieval: Setup(_tr("Retrieval"), aligned, rare=("pools",)),
        EvaluateSts: Setup(
            _tr("Similarity of texts"),
            _tr(
                "Needs files with lines of score, tab, text, tab, text; write "
                "LANGUAGE=FILE to name the language."
            ),
            ("data",),
            rare=("lowest", "highest", "seed"),
        ),
        EvaluateSimilarityOfSpaces: Setup(
            _tr("Spaces"),
            aligned,
            choices=[("measures", get_args(MeasureName))],
            rare=(
                *("distance", "n_samples", "sample_size"),
                *("k", "n_sentences", "seed"),
            ),
        ),
        EvaluateDownstream: Setup(
            _tr("Downstream tasks"),
            _tr(
                "Needs files with lines of label, tab, text, and for pairs a tab and a "
                "second text; write NAME=FILE to name the task."
            ),
            ("data", "scores", "tests", "developments"),
            rare=("n_folds", "n_inner_folds", "features", "lowest", "highest", "seed"),
        ),
    }


def _beside_them() -> dict[type[TaskParams], Setup]:
    """Give the forms of the tasks before and behind a measurement."""
    return {
        CorrelateMeasurements: Setup(
            _tr("Probing against downstream scores"),
            _tr(
                "Needs at least four encoders that were both probed and measured "
                "otherwise in this project; nothing is measured again."
            ),
            choices=[("against", get_args(ScoreName))],
        ),
        MakeProbingSets: Setup(
            _tr("Make probing sets from a treebank"),
            _tr(
                "Needs treebanks in CoNLL-U; makes files that Probe takes. Without a "
                "folder it lists the features and relations that can be asked for."
            ),
            ("treebanks",),
            [("tasks", get_args(ProbingTask))],
        ),
    }


def offers_of(result: Mapping[str, Any]) -> Offers:
    """Give what a treebank offers: features with their values, relations."""
    features = result.get("features") or {}
    relations = result.get("relations") or {}
    return {
        "features": [
            (name, f"{name}{DOT}{', '.join(list(values)[:N_VALUES])}")
            for name, values in features.items()
        ],
        "relations": [
            (name, f"{name}{DOT}{format_count(n)}") for name, n in relations.items()
        ],
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluation_setups", text)
