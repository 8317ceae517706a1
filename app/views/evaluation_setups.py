"""How the forms of evaluations are made: what each needs, its files, lists to tick."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

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
    aligned = _tr(
        "Needs a table with a language a column, or two files aligned line by line, "
        "or corpora of the project that are linked: name one of the three."
    )
    probing = [("classifiers", get_args(ProbeName))]
    setups: dict[type[TaskParams], Setup] = {
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
            _tr("Needs treebanks in CoNLL-U; makes files that Probe takes."),
            ("treebanks",),
            [("tasks", get_args(ProbingTask))],
        ),
    }
    return setups[struct]


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluation_setups", text)
