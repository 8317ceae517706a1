"""Evaluations of mining against a gold standard, from finished runs."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.number_format import format_score
from app.params.mining import EvaluateMining
from app.results.mining import EvaluateMiningResult
from app.views.client.runs import finished_runs
from app.views.widgets.number_format import format_age
from app.views.widgets.pair_set_text import SEPARATOR, margin_name, retrieval_name
from app.views.widgets.statistics_format import format_interval

_tr = partial(QCoreApplication.translate, "mining")

MAX_LISTED = 50


class MiningEvaluation(NamedTuple):
    """A finished evaluation run."""

    id: int
    params: EvaluateMining
    measured: EvaluateMiningResult
    ended_at: float

    @property
    def name(self) -> str:
        """The names of the files: deu.tsv – eng.tsv."""
        return f"{self.params.source.name} – {self.params.target.name}"


def list_evaluations(store: Engine) -> list[MiningEvaluation]:
    """Read the evaluations of a project, the newest first."""
    decode = msgspec.json.Decoder(EvaluateMiningResult).decode
    runs = finished_runs(store, EvaluateMining, decode, MAX_LISTED)
    return [
        MiningEvaluation(row.id, params, measured, row.ended_at or 0.0)
        for row, params, measured in runs
    ]


def describe_evaluation(one: MiningEvaluation) -> str:
    """Summarise the result: F1 93.1 % · ratio margin."""
    parts = [
        f"F1 {format_measure(one.measured.f1)}",
        margin_name(one.params.margin),
        format_age(one.ended_at),
    ]
    return SEPARATOR.join(parts)


def describe_evaluation_settings(one: MiningEvaluation) -> str:
    """Describe the settings and the gold standard."""
    params, measured = one.params, one.measured
    words = _tr("{margin} over {k} neighbours")
    parts = [
        measured.encoder,
        words.format(margin=margin_name(params.margin), k=params.k),
        retrieval_name(params.retrieval),
        _tr("gold standard {file}").format(file=params.gold.name),
        *(
            _tr("{margin}: best F1 {f1}").format(
                margin=margin_name(other.margin), f1=format_measure(other.f1)
            )
            for other in measured.margins
        ),
        format_age(one.ended_at),
    ]
    return SEPARATOR.join(parts)


def evaluation_figures(one: MiningEvaluation) -> list[tuple[str, str]]:
    """Return the figures of the header."""
    measured = one.measured
    is_best = one.params.threshold is None and measured.training is None
    words = _tr("best threshold") if is_best else _tr("threshold")
    if measured.training is not None:
        words = _tr("threshold of the training set")
    figures = [
        ("F1", format_measure(measured.f1)),
        (_tr("precision"), format_measure(measured.precision)),
        (_tr("recall"), format_measure(measured.recall)),
        (words, format_score(measured.threshold)),
        (_tr("pairs found"), f"{measured.pairs:,}"),
        (_tr("gold pairs"), f"{measured.gold:,}"),
    ]
    if measured.f1_interval is not None:
        interval = format_interval(*measured.f1_interval)
        figures.insert(3, (_tr("F1, 95\u00a0%"), interval))
    if not is_best:
        figures.insert(1, (_tr("best F1"), format_measure(measured.best_f1)))
    if measured.recommended:
        name = margin_name(measured.recommended)
        figures.append((_tr("recommended"), name))
    if measured.training is not None:
        f1 = format_measure(measured.training.f1)
        figures.insert(1, (_tr("F1 of the training set"), f1))
    return figures


def tabulate_errors(measured: EvaluateMiningResult) -> Iterator[Sequence[str]]:
    """Return the errors as a table with a header."""
    yield ("error", "score", "source", "target", "source_text", "target_text")
    for kind, errors in (("wrong", measured.wrong), ("missed", measured.missed)):
        for one in errors:
            score = "" if one.score is None else f"{one.score:.6f}"
            ids = (one.source, one.target)
            yield (kind, score, *ids, one.source_text, one.target_text)


def format_measure(share: float) -> str:
    """Format precision, recall or F1 as a percentage."""
    return f"{100 * share:.1f}\u00a0%"
