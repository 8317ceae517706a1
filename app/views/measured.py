"""Evaluations: the runs that measured something, as rows and words."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.measurement_rows import list_measured, read_measurements
from app.engine.store.rows import read_run
from app.measurement_notes import kind_of
from app.measurement_tables import join_runs
from app.measurements import Measurement
from app.params import command_name
from app.params.probing import Probe
from app.views.mining_words import DOT
from app.views.past_params import read_params
from app.views.words import format_ago

N_NAMED = 2  # files or encoders named before the rest are counted
PROBE = command_name(Probe)  # its notes are of what could not be probed
FAILURES = "failures"  # of a result: sentences on what was skipped; else "notes"


class Evaluation(NamedTuple):
    """A run that measured something.

    Attributes:
        params: None where another version made it.
    """

    id: int
    task: str
    params: Any
    ended_at: float
    encoders: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name it: Retrieval · 12 corpora."""
        return DOT.join(
            [kind_words(self.task), *([data] if (data := self.data) else [])]
        )

    @property
    def data(self) -> str:
        """Say what it was measured on; empty: it is not known."""
        params = self.params
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
        return _few(
            [Path(str(one).partition("=")[2] or str(one)).name for one in files]
        )

    @property
    def facts(self) -> str:
        """Say which encoders, and when."""
        ago = format_ago(max(time.time() - self.ended_at, 0))
        return DOT.join([_few(self.encoders), ago])


def list_evaluations(store: Engine) -> list[Evaluation]:
    """Read the evaluations of a project, the newest first."""
    return [
        Evaluation(
            run.id, run.task, read_params(run.params), run.ended_at, run.encoders
        )
        for run in list_measured(store)
    ]


def read_rows(store: Engine, runs: Sequence[int]) -> list[Measurement]:
    """Read what runs measured, side by side."""
    return join_runs({run: read_measurements(store, run) for run in runs})


def read_notes(store: Engine, runs: Sequence[int]) -> tuple[list[str], list[str]]:
    """Read what runs said: of what they skipped, and of the figures."""
    skipped: list[str] = []
    notes: list[str] = []
    for run in runs:
        row = read_run(store, run)
        result = json.loads(row.result or "{}") if row is not None else {}
        told = [note for note in result.get("notes") or () if isinstance(note, str)]
        is_of_failures = row is not None and row.task == PROBE
        (skipped if is_of_failures else notes).extend(told)
        skipped += [one for one in result.get(FAILURES) or () if isinstance(one, str)]
    return list(dict.fromkeys(skipped)), list(dict.fromkeys(notes))


def kind_words(task: str) -> str:
    """Say what was measured."""
    return _tr(kind_of(task))


def _few(names: Sequence[str]) -> str:
    """Name some, and count the rest: a.tsv, b.tsv and 6 more."""
    if len(names) <= N_NAMED:
        return ", ".join(names)
    words = _tr("{names} and {n} more")
    return words.format(names=names[0], n=len(names) - 1)


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluations", text)
