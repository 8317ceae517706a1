"""Functions that read and describe evaluations and their results."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.corpora import CorpusRow
from app.engine.store.runs import list_measured_runs, read_measurements, read_run
from app.languages import language_name
from app.params import Params, command_name
from app.params.evaluation import EvaluateRetrieval
from app.params.probing import Probe
from app.params.quality import CompareEncoders
from app.results.annotations import task_title
from app.results.measurements import Measurement, Retrieved
from app.results.tables import join_runs
from app.views.client.runs import read_params
from app.views.widgets.number_format import format_age, pluralize
from app.views.widgets.pair_set_text import SEPARATOR

_tr = partial(QCoreApplication.translate, "evaluations")

N_NAMED = 2  # files or encoders named; the rest are counted
PROBE_TASK = command_name(Probe)  # notes list what could not be probed


class Evaluation(NamedTuple):
    """A run with measurements.

    Attributes:
        params: the params; None if another version wrote them.
        n: number of measurements.
    """

    id: int
    task: str
    params: Params | None
    ended_at: float
    encoders: tuple[str, ...]
    n: int = 0

    @property
    def name(self) -> str:
        """The kind and the data: Retrieval · 12 corpora."""
        parts = (describe_evaluation_kind(self.task), self.data)
        return SEPARATOR.join(part for part in parts if part)

    @property
    def data(self) -> str:
        """The names of the data; empty if unknown."""
        params: Any = self.params
        corpora = getattr(params, "corpora", ())
        if len(corpora) > N_NAMED:
            return _tr("{n} corpora").format(n=len(corpora))
        if corpora:
            return " – ".join(corpora)
        if (table := getattr(params, "table", None)) is not None:
            return str(table.name)
        if (source := getattr(params, "source", None)) is not None:
            return f"{source.name} – {params.target.name}"
        fields = ("data", "scores")
        files = [one for name in fields for one in getattr(params, name, ())]
        return _shorten_list(
            [Path(str(one).partition("=")[2] or str(one)).name for one in files]
        )

    @property
    def facts(self) -> str:
        """The encoders, settings that affect the figures, and the age."""
        encoders, ago = self.encoders, format_age(self.ended_at)
        if isinstance(self.params, CompareEncoders):  # rows name one or both: a → b
            encoders = self.params.encoders
        return SEPARATOR.join([_shorten_list(encoders), *self._settings, ago])

    @property
    def _settings(self) -> list[str]:
        """List the non-default settings of retrieval."""
        params = self.params
        if not isinstance(params, EvaluateRetrieval):
            return []
        n_random = params.n_random
        one, many = _tr("1 random candidate"), _tr("{n} random candidates")
        parts = [
            (params.drop_duplicates, _tr("without duplicates")),
            (n_random is not None, pluralize(n_random or 0, one, many)),
            (params.pools, _tr("with additional sentences")),
            (params.variants, _tr("with variants")),
            (params.matrix and not params.corpora, _tr("all pairs of columns")),
        ]
        return [text for is_set, text in parts if is_set]


def list_evaluations(store: Engine) -> list[Evaluation]:
    """Return the evaluations of a project, the newest first."""
    return [
        Evaluation(
            run.id, run.task, read_params(run.params), run.ended_at, run.encoders, run.n
        )
        for run in list_measured_runs(store)
    ]


def read_result_rows(store: Engine, runs: Sequence[int]) -> list[Measurement]:
    """Return the measurements of runs; repeated encoders get the run's name."""
    return join_runs({run: read_measurements(store, run) for run in runs})


def name_languages(
    rows: Sequence[Measurement], corpora: Sequence[CorpusRow]
) -> list[Measurement]:
    """Return the language of each corpus in retrieval, if all are different."""
    names = {corpus.name: language_name(corpus.language) for corpus in corpora}
    found = [row for row in rows if isinstance(row, Retrieved)]
    used = {name for row in found for name in (row.source, row.target)}
    if not used <= names.keys() or len({names[name] for name in used}) < len(used):
        return list(rows)
    return [
        replace(row, source=names[row.source], target=names[row.target])
        if isinstance(row, Retrieved)
        else row
        for row in rows
    ]


def name_evaluations(shown: Sequence[Evaluation]) -> list[str]:
    """Name evaluations by encoders, and by run if these are the same."""
    names = [_shorten_list(one.encoders) for one in shown]
    words = _tr("{encoder} (run {run})")
    return [
        words.format(encoder=name, run=one.id) if names.count(name) > 1 else name
        for name, one in zip(names, shown, strict=True)
    ]


def read_result_notes(
    store: Engine, shown: Sequence[Evaluation]
) -> tuple[list[str], list[str]]:
    """Return the notes on skipped data and on the results of evaluations.

    For several evaluations, a note on results is prefixed with its evaluation, unless
    all have the note or it begins with the encoder.
    """
    skipped: list[str] = []
    notes_of: list[list[str]] = []
    for one in shown:
        row = read_run(store, one.id)
        result = json.loads((row.result if row is not None else "") or "{}")
        is_probing = one.task == PROBE_TASK
        found = _texts(result, "notes")
        skipped += [*(found if is_probing else ()), *_texts(result, "failures")]
        notes_of.append([] if is_probing else found)
    shared = set.intersection(*map(set, notes_of)) if notes_of else set()
    notes = [
        note
        if note in shared or note.startswith(tuple(f"{e} " for e in one.encoders))
        else f"{name}: {note}"
        for one, name, found in zip(
            shown, name_evaluations(shown), notes_of, strict=True
        )
        for note in found
    ]
    return list(dict.fromkeys(skipped)), list(dict.fromkeys(notes))


def _texts(result: dict[str, Any], key: str) -> list[str]:
    return [one for one in result.get(key) or () if isinstance(one, str)]


def describe_evaluation_kind(task: str) -> str:
    """Return the title of a kind of evaluation."""
    return _tr(task_title(task))


def _shorten_list(names: Sequence[str]) -> str:
    """Return the first names and the number of further names: a.tsv and 6 more."""
    if len(names) <= N_NAMED:
        return ", ".join(names)
    words = _tr("{names} and {n} more")
    return words.format(names=names[0], n=len(names) - 1)
