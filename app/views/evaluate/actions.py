"""Actions of the evaluate view; the controller connects and enables them."""

from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.params.base import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.probing import MakeProbingSets, Probe
from app.params.translation import EvaluateTranslation
from app.params.vectors import EvaluateTatoeba
from app.views.widgets.controls import add_action, start_menu_sections

EvaluationActions = dict[str, QAction]
FORM_ACTIONS: dict[str, type[TaskParams]] = {  # params of their dialogs
    "probe": Probe,
    "retrieval": EvaluateRetrieval,
    "tatoeba": EvaluateTatoeba,
    "sts": EvaluateSts,
    "spaces": EvaluateSimilarityOfSpaces,
    "downstream": EvaluateDownstream,
    "translation": EvaluateTranslation,
    "correlations": CorrelateMeasurements,
    "sets": MakeProbingSets,
}
MENU_GROUPS = (
    ("probe", "retrieval", "tatoeba", "sts", "spaces", "downstream", "translation"),
    ("corpora", "correlations", "sets"),
)


def make_evaluation_actions(parent: QWidget) -> EvaluationActions:
    """Return the actions of the view, by name."""
    made = _make_measurement_actions(parent)
    for group in (_make_preparation_actions(parent), _make_result_actions(parent)):
        start_menu_sections(next(iter(group.values())))
        made |= group
    return made


def _make_measurement_actions(parent: QWidget) -> EvaluationActions:
    add, tr = partial(add_action, parent), parent.tr
    return {
        "probe": add(
            tr("Probe…"),
            tr(
                "Measure which linguistic properties a classifier can predict from "
                "vectors."
            ),
        ),
        "retrieval": add(
            tr("Retrieval…"),
            tr("Measure how often the nearest sentence is the translation."),
        ),
        "tatoeba": add(
            tr("Tatoeba test sets…"),
            tr(
                "Measure the retrieval error for every language in a folder, as LASER "
                "does."
            ),
        ),
        "sts": add(
            tr("Textual similarity…"),
            tr("Measure how well cosines correlate with human scores."),
        ),
        "spaces": add(
            tr("Vector spaces…"),
            tr("Measure the shape and similarity of languages' vector spaces."),
        ),
        "downstream": add(
            tr("Downstream tasks…"),
            tr("Train and test classifiers on an encoder's vectors, as SentEval does."),
        ),
        "translation": add(
            tr("Translation…"),
            tr("Measure BLEU of a translation model in every direction."),
        ),
    }


def _make_preparation_actions(parent: QWidget) -> EvaluationActions:
    add, tr = partial(add_action, parent), parent.tr
    return {
        "correlations": add(
            tr("Correlate probing and downstream scores…"),
            tr("Correlate existing scores of several encoders."),
        ),
        "sets": add(
            tr("Make probing sets from a treebank…"),
            tr("Make probing files for any language that has a treebank."),
        ),
        "corpora": add(
            tr("Evaluate retrieval on linked corpora"),
            tr(
                "Measure how often the nearest sentence is the translation, on linked "
                "corpora of the project."
            ),
        ),
    }


def _make_result_actions(parent: QWidget) -> EvaluationActions:
    add, tr = partial(add_action, parent), parent.tr
    return {
        "report": add(
            tr("Report…"),
            tr("Write methods, charts and tables of the shown evaluations."),
            keys="Ctrl+E",
        ),
        "rerun": add(
            tr("Run again…"), tr("Evaluate with the same or changed settings.")
        ),
        "errors": add(
            tr("Errors…"),
            tr("List the sentences that retrieval got wrong in one direction."),
        ),
        "difference": add(
            tr("Test difference…"),
            tr(
                "Estimate how much two evaluations of retrieval differ on the same "
                "texts. Select both with Ctrl."
            ),
        ),
        "copy_command": add(
            tr("Copy as command"), tr("Copy the terminal command of this evaluation.")
        ),
        "copy_rows": add(
            tr("Copy table"), tr("Copy the table of results, for a spreadsheet.")
        ),
    }
