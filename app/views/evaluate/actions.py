"""Actions of the evaluate view; the controller connects and enables them."""

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
from app.views.widgets.controls import add_action

EvaluationActions = dict[str, QAction]
FORM_ACTIONS: dict[str, type[TaskParams]] = {  # the params that their dialogs ask for
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
    return (
        _make_measurement_actions(parent)
        | _make_preparation_actions(parent)
        | _make_result_actions(parent)
    )


def _make_measurement_actions(parent: QWidget) -> EvaluationActions:
    tr = parent.tr
    return {
        "probe": add_action(
            parent,
            tr("Probe…"),
            hint=tr("Measure which properties small classifiers find in vectors."),
        ),
        "retrieval": add_action(
            parent,
            tr("Retrieval…"),
            hint=tr("Measure how often the nearest sentence is the translation."),
        ),
        "tatoeba": add_action(
            parent,
            tr("Tatoeba test sets…"),
            hint=tr("Measure retrieval error in every language of a folder, as LASER."),
        ),
        "sts": add_action(
            parent,
            tr("Textual similarity…"),
            hint=tr("Measure how well cosines correlate with human scores."),
        ),
        "spaces": add_action(
            parent,
            tr("Vector spaces…"),
            hint=tr("Measure the shape and similarity of languages' vector spaces."),
        ),
        "downstream": add_action(
            parent,
            tr("Downstream tasks…"),
            hint=tr("Train and test classifiers on frozen vectors, as SentEval does."),
        ),
        "translation": add_action(
            parent,
            tr("Translation…"),
            hint=tr("Measure BLEU of a translation model in every direction."),
        ),
    }


def _make_preparation_actions(parent: QWidget) -> EvaluationActions:
    tr = parent.tr
    return {
        "correlations": add_action(
            parent,
            tr("Correlate probing and downstream scores…"),
            hint=tr("Correlate existing scores of several encoders."),
        ),
        "sets": add_action(
            parent,
            tr("Make probing sets from a treebank…"),
            hint=tr("Make probing files for any language that has a treebank."),
        ),
        "corpora": add_action(
            parent,
            tr("Evaluate retrieval on linked corpora"),
            hint=tr("Search for the translation of each sentence. Needs no file."),
        ),
    }


def _make_result_actions(parent: QWidget) -> EvaluationActions:
    tr = parent.tr
    return {
        "report": add_action(
            parent,
            tr("Report…"),
            keys="Ctrl+E",
            hint=tr("Write methods, charts and tables of the shown evaluations."),
        ),
        "rerun": add_action(
            parent,
            tr("Run again…"),
            hint=tr("Evaluate with the same or changed settings."),
        ),
        "copy_command": add_action(
            parent,
            tr("Copy as command"),
            hint=tr("Copy the terminal command of this evaluation."),
        ),
        "copy_rows": add_action(
            parent,
            tr("Copy table"),
            hint=tr("Copy the table of results, for a spreadsheet."),
        ),
    }
