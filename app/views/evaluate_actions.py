"""What can be done in the evaluate view: actions, enabled when they are possible."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from app.params import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.probing import Probe
from app.params.treebanks import MakeProbingSets
from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.probing_view import ProbingView

MEASURES = ("probe", "retrieval", "sts", "spaces", "downstream")
FURTHER = ("corpora", "correlations", "sets")  # stand apart in the menu


def make_actions(view: "ProbingView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {}
    for name, struct, text, hint in _list_measures(tr):
        made[name] = add_action(view, text, partial(jobs.ask, struct), hint=hint)
    made["corpora"] = add_action(
        view,
        tr("Measure retrieval between linked corpora"),
        jobs.measure_corpora,
        hint=tr("Find each translation again among all others; needs no file."),
    )
    return made | _make_keeping(view)


def _list_measures(
    tr: Callable[[str], str],
) -> tuple[tuple[str, type[TaskParams], str, str], ...]:
    """List what a form asks for: name, params, text and hint of its action."""
    return (
        (
            "probe",
            Probe,
            tr("Probe…"),
            tr("Measure what small classifiers find of properties in the vectors."),
        ),
        (
            "retrieval",
            EvaluateRetrieval,
            tr("Retrieval…"),
            tr("Measure how often the nearest sentence is the translation."),
        ),
        (
            "sts",
            EvaluateSts,
            tr("Similarity of texts…"),
            tr("Measure how well cosines follow the scores that people gave."),
        ),
        (
            "spaces",
            EvaluateSimilarityOfSpaces,
            tr("Spaces…"),
            tr("Measure the shape of languages' vectors, and how alike they are."),
        ),
        (
            "downstream",
            EvaluateDownstream,
            tr("Downstream tasks…"),
            tr("Train and test classifiers on frozen vectors, in SentEval's manner."),
        ),
        (
            "correlations",
            CorrelateMeasurements,
            tr("Probing against downstream scores…"),
            tr("Correlate scores of all encoders; nothing is measured again."),
        ),
        (
            "sets",
            MakeProbingSets,
            tr("Make probing sets from a treebank…"),
            tr("Make files to probe with, of any language with a treebank."),
        ),
    )


def _make_keeping(view: "ProbingView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "report": add_action(
            view,
            tr("Report…"),
            jobs.ask_report,
            keys="Ctrl+E",
            hint=tr("Write what is shown as one page: methods, pictures, tables."),
        ),
        "again": add_action(
            view,
            tr("Run the evaluation again…"),
            jobs.ask_again,
            hint=tr("Measure with the same settings, or with some changed."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that measures this in a terminal."),
        ),
        "figures": add_action(
            view,
            tr("Copy the figures"),
            lambda: view.page.copy_rows(),
            hint=tr("Copy the table of figures, to paste into a spreadsheet."),
        ),
    }


def refresh_actions(
    actions: dict[str, QAction], *, n_shown: int, has_params: bool, can_write: bool
) -> None:
    """Enable what can be done with what is shown."""
    for name in (*MEASURES, *FURTHER):
        actions[name].setEnabled(can_write)
    actions["report"].setEnabled(can_write and n_shown > 0)
    actions["again"].setEnabled(can_write and n_shown == 1 and has_params)
    actions["copy"].setEnabled(has_params)
    actions["figures"].setEnabled(n_shown > 0)
