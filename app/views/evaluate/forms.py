"""Specifications of the evaluation forms: title, files and options of each task."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, get_args

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
    VariantKind,
)
from app.params.probing import MakeProbingSets, Probe, ProbeName, ProbingTask
from app.params.translation import EvaluateTranslation
from app.params.vectors import EvaluateTatoeba
from app.results.jobs import ProbingSets

_tr = partial(QCoreApplication.translate, "evaluation_setups")

FieldChoices = dict[str, list[tuple[str, str]]]  # values and titles, by field


class FormSpec(NamedTuple):
    """Specification of the form of a task.

    Attributes:
        title: the title of the dialog.
        note: information in addition to the fields.
        files: file fields; dropped files go to the first.
        choices: fields with a checkbox for each value.
        rare: fields that are initially hidden.
        skip: fields that are never shown.
    """

    title: str
    note: str = ""
    files: Sequence[str] = ()
    choices: Sequence[tuple[str, Sequence[str]]] = ()
    rare: Sequence[str] = ()
    skip: Sequence[str] = ()


def find_form_spec(struct: type[TaskParams]) -> FormSpec:
    """Return the form specification of a task."""
    return (_encoder_forms() | _task_forms() | _other_forms())[struct]


def _encoder_forms() -> dict[type[TaskParams], FormSpec]:
    """Return the forms of the tasks that measure the vectors of encoders."""
    aligned = _tr(
        "Choose one of three sources: a table with one column per language, two files "
        "aligned line by line, or linked corpora of the project."
    )
    probing = [("classifiers", get_args(ProbeName))]
    return {
        Probe: FormSpec(
            _tr("Probe encoders"),
            files=("data",),
            choices=probing,
            rare=("n_train",),
            skip=("out",),
        ),
        EvaluateRetrieval: FormSpec(
            _tr("Measure retrieval"),
            aligned,
            choices=[("variants", get_args(VariantKind))],
            rare=("pools", "variants", "n_random", "seed"),
        ),
        EvaluateTatoeba: FormSpec(_tr("Measure Tatoeba retrieval")),
        EvaluateSts: FormSpec(
            _tr("Measure textual similarity"),
            _tr("Name each file after its language, such as de.tsv."),
            ("data",),
            rare=("lowest", "highest", "seed"),
        ),
        EvaluateSimilarityOfSpaces: FormSpec(
            _tr("Compare vector spaces"),
            aligned,
            choices=[("measures", get_args(MeasureName))],
            rare=(
                *("distance", "n_samples", "sample_size"),
                *("k", "n_sentences", "seed"),
            ),
        ),
    }


def _task_forms() -> dict[type[TaskParams], FormSpec]:
    """Return the forms of the tasks that measure classifiers and translation models."""
    return {
        EvaluateDownstream: FormSpec(
            _tr("Evaluate downstream tasks"),
            _tr("Name each file after its task, such as MR.tsv."),
            ("data", "scores", "tests", "developments"),
            rare=(
                *("n_folds", "n_inner_folds", "features", "n_hidden", "dropout"),
                *("normalised", "word_vectors", "lowest", "highest"),
                *("language", "seed"),
            ),
        ),
        EvaluateTranslation: FormSpec(
            _tr("Evaluate translation"),
            _tr("To train a model, choose Train a translation model… in Training."),
            rare=("languages", "n_sentences", "length_penalty", "seed"),
        ),
    }


def _other_forms() -> dict[type[TaskParams], FormSpec]:
    """Return the forms of tasks that prepare or compare measurements."""
    return {
        CorrelateMeasurements: FormSpec(
            _tr("Correlate scores"),
            _tr(
                "Needs at least four encoders with probing and other scores in this "
                "project. Uses existing scores only."
            ),
            choices=[("against", get_args(ScoreName))],
        ),
        MakeProbingSets: FormSpec(
            _tr("Make probing sets"),
            _tr(
                "Makes files for probing from treebanks in CoNLL-U format, and top "
                "constituents from bracketed trees."
            ),
            ("treebanks",),
            [("tasks", get_args(ProbingTask))],
            rare=(
                *("n_train", "n_dev", "n_test", "fewest_words", "most_words"),
                *("replace", "seed"),
            ),
        ),
    }


def describe_dropped_classes(made: ProbingSets) -> str:
    """List probing sets with fewer classes than published: SentLen 5 of 6."""
    parts = [
        _tr("{name} {n} of {all}").format(
            name=one.name, n=one.n_classes, all=one.n_classes_published
        )
        for one in made.sets
        if one.file and one.n_classes < one.n_classes_published
    ]
    words = _tr("Some classes were too rare. Classes that were kept: {sets}.")
    return words.format(sets=", ".join(parts)) if parts else ""
