"""Specifications of the evaluation forms: title, files, options of each task."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from PySide6.QtCore import QCoreApplication

from app.params.base import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
    MeasureName,
    ScoreName,
)
from app.params.probing import MakeProbingSets, Probe, ProbeName, ProbingTask
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import SEPARATOR

N_VALUES = 4  # of a feature that are named
FieldChoices = dict[
    str, list[tuple[str, str]]
]  # by field: what can be ticked, its title


class FormSpec(NamedTuple):
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


def find_form_spec(struct: type[TaskParams]) -> FormSpec:
    """Return how the form of a task is made."""
    return (_measurement_forms() | _other_forms())[struct]


def _measurement_forms() -> dict[type[TaskParams], FormSpec]:
    """Return the forms of the tasks that measure encoders."""
    aligned = _tr(
        "Needs a table with a language a column, or two files aligned line by line, "
        "or corpora of the project that are linked: name one of the three."
    )
    probing = [("classifiers", get_args(ProbeName))]
    return {
        Probe: FormSpec(
            _tr("Probe"),
            _tr("Needs files with lines of split (tr, va, te), tab, label, tab, text."),
            ("data",),
            probing,
            ("n_train",),
            ("out",),
        ),
        EvaluateRetrieval: FormSpec(_tr("Retrieval"), aligned, rare=("pools",)),
        EvaluateSts: FormSpec(
            _tr("Similarity of texts"),
            _tr(
                "Needs files with lines of score, tab, text, tab, text; write "
                "LANGUAGE=FILE to name the language."
            ),
            ("data",),
            rare=("lowest", "highest", "seed"),
        ),
        EvaluateSimilarityOfSpaces: FormSpec(
            _tr("Spaces"),
            aligned,
            choices=[("measures", get_args(MeasureName))],
            rare=(
                *("distance", "n_samples", "sample_size"),
                *("k", "n_sentences", "seed"),
            ),
        ),
        EvaluateDownstream: FormSpec(
            _tr("Downstream tasks"),
            _tr(
                "Needs files with lines of label, tab, text, and for pairs a tab and a "
                "second text; write NAME=FILE to name the task."
            ),
            ("data", "scores", "tests", "developments"),
            rare=("n_folds", "n_inner_folds", "features", "lowest", "highest", "seed"),
        ),
    }


def _other_forms() -> dict[type[TaskParams], FormSpec]:
    """Return the forms of the tasks before and behind a measurement."""
    return {
        CorrelateMeasurements: FormSpec(
            _tr("Probing against downstream scores"),
            _tr(
                "Needs at least four encoders that were both probed and measured "
                "otherwise in this project; nothing is measured again."
            ),
            choices=[("against", get_args(ScoreName))],
        ),
        MakeProbingSets: FormSpec(
            _tr("Make probing sets from a treebank"),
            _tr(
                "Needs treebanks in CoNLL-U; makes files that Probe takes. Without a "
                "folder it lists the features and relations that can be asked for."
            ),
            ("treebanks",),
            [("tasks", get_args(ProbingTask))],
        ),
    }


def list_treebank_choices(result: Mapping[str, Any]) -> FieldChoices:
    """Return what a treebank offers: features with their values, relations."""
    features = result.get("features") or {}
    relations = result.get("relations") or {}
    return {
        "features": [
            (name, f"{name}{SEPARATOR}{', '.join(list(values)[:N_VALUES])}")
            for name, values in features.items()
        ],
        "relations": [
            (name, f"{name}{SEPARATOR}{format_count(n)}")
            for name, n in relations.items()
        ],
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluation_setups", text)
