"""Texts of the quality view: checks, kinds of findings, differences, corrections."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication
from rapidfuzz.distance import Indel
from sqlalchemy import Engine

from app.engine.store.findings import FindingRun, list_finding_runs
from app.params import command_name
from app.params.base import TaskParams
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.views.client.runs import read_params
from app.views.widgets.number_format import format_age, format_count, pluralize
from app.views.widgets.pair_set_text import SEPARATOR

_tr = partial(QCoreApplication.translate, "findings")

CHECKS: tuple[type[TaskParams], ...] = (
    FindDuplicates,
    CheckCorpus,
    FindLeakage,
    CompareEncoders,
)
CHECK_TASKS = tuple(command_name(check) for check in CHECKS)
SUGGESTION_PREFIX = "Likely meant: "  # prefix in the reason of a finding
MAX_COMPARED = 2_000  # characters compared
MAX_NAMED = 2  # maximum of corpora in the name of a check
MAX_JOINED_GAP = 2  # equal characters between merged differences
Span = tuple[int, int]


class QualityCheck(NamedTuple):
    """A finished quality check.

    Attributes:
        params: None if another version of the app ran the check.
    """

    run: FindingRun
    params: Any

    @property
    def id(self) -> int:
        """The id of the run."""
        return self.run.id

    @property
    def n(self) -> int:
        """The number of findings."""
        return sum(self.run.counts.values())

    @property
    def has_faults(self) -> bool:
        """Whether the findings are faults of sentences that can be hidden."""
        return self.run.task != command_name(CompareEncoders)

    @property
    def name(self) -> str:
        """The title of the check and its data: Duplicates · Harbour letters."""
        return SEPARATOR.join(
            [describe_check(self.run.task), *([self.data] if self.data else [])]
        )

    @property
    def data(self) -> str:
        """The compared encoders, if any, and the checked corpora."""
        params = self.params
        if isinstance(params, FindLeakage):
            words = _tr("{corpus} in {others}")
            others = _name_corpora(params.within)
            return words.format(corpus=params.corpus, others=others)
        if params is None:
            return ""
        where = _name_corpora(params.corpora) or _tr("all corpora")
        if isinstance(params, FindDuplicates) and params.across:
            return SEPARATOR.join([where, _tr("with unlinked translations")])
        if isinstance(params, CompareEncoders):
            words = _tr("{first} and {second}")
            first, second = params.encoders
            names = words.format(first=first, second=second)
            return SEPARATOR.join([names, where])
        return where

    @property
    def facts(self) -> str:
        """The number of findings and the age of the check."""
        found = pluralize(self.n, _tr("1 finding"), _tr("{n} findings"))
        if self.n == 0:
            found = _tr("no findings")
        return SEPARATOR.join([found, format_age(self.run.ended_at)])


def _name_corpora(names: Sequence[str]) -> str:
    """Return the names of a few corpora, or their number."""
    if len(names) <= MAX_NAMED:
        return ", ".join(names)
    return _tr("{n} corpora").format(n=format_count(len(names)))


def list_checks(store: Engine) -> list[QualityCheck]:
    """List the checks of a project, newest first."""
    runs = list_finding_runs(store, CHECK_TASKS)
    return [QualityCheck(run, read_params(run.params)) for run in runs]


def describe_check(task: str) -> str:
    """Return the name of a check."""
    names = {
        "find-duplicates": _tr("Duplicates"),
        "find-leakage": _tr("Test-set leakage"),
        "check-corpus": _tr("Sentence check"),
        "compare-encoders": _tr("Encoder comparison"),
    }
    return names.get(task, task)


def describe_finding_kind(kind: str) -> str:
    """Return the name of a kind of findings."""
    names = {
        "equal": _tr("Equal"),
        "near": _tr("Nearly equal"),
        "translation": _tr("Translation"),
        "language": _tr("Wrong language"),
        "encoding": _tr("Corrupted characters"),
        "boilerplate": _tr("Boilerplate"),
        "untranslated": _tr("Untranslated"),
        "gained": _tr("Pair gained"),
        "lost": _tr("Pair lost"),
        "changed": _tr("Neighbours changed"),
    }
    return names.get(kind, kind)


def describe_state(state: str, other_state: str = "") -> str:
    """Describe the states of both sentences; empty if both are active."""
    if state and other_state:
        return _tr("both excluded")
    if other_state:
        return _tr("other {state}").format(state=describe_state(other_state))
    return {"hidden": _tr("hidden"), "removed": _tr("removed")}.get(state, "")


def extract_suggestion(detail: str) -> str:
    """Return the suggested correction in a reason, or an empty string."""
    return detail.partition(SUGGESTION_PREFIX)[2]


def extract_reason(detail: str) -> str:
    """Return a reason without the suggested correction."""
    return detail.partition(SUGGESTION_PREFIX)[0].strip()


def find_differing_spans(one: str, other: str) -> tuple[list[Span], list[Span]]:
    """Return the differing spans of both texts, ignoring case.

    Differences separated by at most MAX_JOINED_GAP characters are merged.
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
    """Return a text in lower case with the same length."""
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
