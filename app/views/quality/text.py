"""Findings as text: checks, kinds, differences and suggested corrections."""

import time
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication
from rapidfuzz.distance import Indel
from sqlalchemy import Engine

from app.engine.store.findings import FindingRun, list_finding_runs
from app.params import command_name
from app.params.base import TaskParams
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.views.client.runs import read_params
from app.views.widgets.number_format import format_ago, format_count
from app.views.widgets.pair_set_text import SEPARATOR

CHECKS: tuple[type[TaskParams], ...] = (
    FindDuplicates,
    CheckCorpus,
    FindLeakage,
    CompareEncoders,
)
CHECK_TASKS = tuple(command_name(search) for search in CHECKS)
SUGGESTION_PREFIX = (
    "Likely meant: "  # before what was meant, in the reason of a finding
)
MAX_COMPARED = 2_000  # letters of a text whose differences are marked
MAX_JOINED_GAP = 2  # equal letters between two differences that are marked as one
Span = tuple[int, int]


class QualityCheck(NamedTuple):
    """A search that was made.

    Attributes:
        params: None where another version made it.
    """

    run: FindingRun
    params: Any

    @property
    def id(self) -> int:
        """Its run."""
        return self.run.id

    @property
    def n(self) -> int:
        """How much it found."""
        return sum(self.run.counts.values())

    @property
    def name(self) -> str:
        """Name it: Duplicates · Harbour letters."""
        return SEPARATOR.join(
            [describe_check(self.run.task), *([self.data] if self.data else [])]
        )

    @property
    def data(self) -> str:
        """Return where it looked."""
        params = self.params
        if isinstance(params, FindLeakage):
            words = _tr("{corpus} in {others}")
            others = ", ".join(params.within)
            return words.format(corpus=params.corpus, others=others)
        if params is None:
            return ""
        where = ", ".join(params.corpora) or _tr("all corpora")
        if isinstance(params, FindDuplicates) and params.across:
            return SEPARATOR.join([where, _tr("translations too")])
        return where

    @property
    def facts(self) -> str:
        """Return how much was found, and when."""
        found = _tr("{n} found").format(n=format_count(self.n))
        if self.n == 0:
            found = _tr("nothing found")
        return SEPARATOR.join(
            [found, format_ago(max(time.time() - self.run.ended_at, 0))]
        )


def list_checks(store: Engine) -> list[QualityCheck]:
    """Read what was looked for in a project, the newest first."""
    runs = list_finding_runs(store, CHECK_TASKS)
    return [QualityCheck(run, read_params(run.params)) for run in runs]


def describe_check(task: str) -> str:
    """Return what is looked for."""
    names = {
        "find-duplicates": _tr("Duplicates"),
        "find-leakage": _tr("Leaks"),
        "check-corpus": _tr("Check of sentences"),
        "compare-encoders": _tr("Two encoders"),
    }
    return names.get(task, task)


def describe_finding_kind(kind: str) -> str:
    """Name a kind of findings."""
    names = {
        "equal": _tr("Equal"),
        "near": _tr("Nearly equal"),
        "translation": _tr("Translation"),
        "language": _tr("Wrong language"),
        "encoding": _tr("Damaged characters"),
        "boilerplate": _tr("Boilerplate"),
        "gained": _tr("Pair gained"),
        "lost": _tr("Pair lost"),
        "changed": _tr("Neighbours changed"),
    }
    return names.get(kind, kind)


def describe_state(state: str, other_state: str = "") -> str:
    """Return whether a sentence takes part, and the one beside it."""
    if state and other_state:
        return _tr("both left out")
    if other_state:
        return _tr("other {state}").format(state=describe_state(other_state))
    return {"hidden": _tr("hidden"), "removed": _tr("removed")}.get(state, "")


def extract_suggestion(detail: str) -> str:
    """Return what a damaged text likely meant; empty where nobody knows."""
    return detail.partition(SUGGESTION_PREFIX)[2]


def extract_reason(detail: str) -> str:
    """Return the reason of a finding without the text that was meant."""
    return detail.partition(SUGGESTION_PREFIX)[0].strip()


def find_differing_spans(one: str, other: str) -> tuple[list[Span], list[Span]]:
    """Return the places of both texts where they differ, whatever their case.

    Differences with a letter or two between them are marked as one.
    """
    one, other = one[:MAX_COMPARED], other[:MAX_COMPARED]
    folded = [_fold(text) for text in (one, other)]
    sides: tuple[list[Span], list[Span]] = ([], [])
    for step in Indel.opcodes(*folded):
        if step.tag != "equal":
            sides[0].append((step.src_start, step.src_end))
            sides[1].append((step.dest_start, step.dest_end))
    return _join_spans(sides[0], one), _join_spans(sides[1], other)


def _fold(text: str) -> str:
    """Return a text without case and of the same length."""
    return "".join(
        lower if len(lower := letter.lower()) == 1 else letter for letter in text
    )


def _join_spans(spans: list[Span], text: str) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if joined and start - joined[-1][1] <= MAX_JOINED_GAP:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return [span for span in joined if text[span[0] : span[1]].strip()]


def _tr(text: str) -> str:
    return QCoreApplication.translate("findings", text)
