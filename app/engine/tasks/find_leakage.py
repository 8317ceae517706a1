"""Task: find sentences of one corpus that also occur in another, also translated."""

import time

import numpy as np

from app.engine.mining.approximate_search import Recall
from app.engine.project.project import Project
from app.engine.projection.points import read_point_languages
from app.engine.quality.duplicates import read_hashed_texts
from app.engine.quality.findings import describe_recall, save_findings
from app.engine.quality.leakage import LeakSide, find_leaks
from app.engine.quality.neighbours import combine_recalls
from app.engine.quality.selection import (
    SentenceSelection,
    drop_folder,
    encode_selection,
    select_sentences,
)
from app.engine.runtime.report import Report
from app.engine.store.findings import Finding
from app.errors import UserError
from app.number_format import format_percent
from app.params.quality import FindLeakage
from app.plurals import count_text
from app.results.task import TaskResult

KINDS = ("equal", "near", "translation")  # most certain first


class FindLeakageResult(TaskResult, frozen=True, kw_only=True):
    """Counts of leaked sentences.

    Attributes:
        sentences: sentences of the test set; within: sentences that were searched.
        leaked: test sentences that occur, each counted once; share: as a share of
            `sentences`.
        counts: findings of each kind: equal, near, translation.
        recall: share of the neighbours that the approximate search found; None if all
            pairs were compared.
    """

    sentences: int
    within: int
    leaked: int
    share: float
    counts: dict[str, int]
    recall: Recall | None
    encoder: str
    seconds: float


def find_leakage(
    project: Project, params: FindLeakage, report: Report
) -> FindLeakageResult:
    """Find sentences of a test set that occur in other corpora, also translated.

    Raises:
        UserError: unknown corpus or encoder, no sentences, both sides are the same, or
            a vector contains NaN.
        Cancelled: nothing is saved.
    """
    begun = time.monotonic()
    unseen = select_sentences(project, [params.corpus])
    within = _without(project, select_sentences(project, params.within), unseen)
    try:
        sides = [
            LeakSide(
                chosen,
                encode_selection(project, chosen, params.encoder, report),
                read_hashed_texts(project, chosen, report),
            )
            for chosen in (unseen, within)
        ]
        leaks = find_leaks(sides[0], sides[1], params, report)
    finally:
        drop_folder(project)
    found = _most_certain_first([leaks.found[index] for index in sorted(leaks.found)])
    counts = save_findings(project, found, report)
    recall = combine_recalls(leaks.recalls)
    message = _message(unseen, within, counts)
    return FindLeakageResult(
        sentences=len(unseen),
        within=len(within),
        leaked=len(found),
        share=len(found) / len(unseen),
        counts=counts,
        recall=recall,
        encoder=sides[0].known.encoder.name,
        seconds=time.monotonic() - begun,
        message=message if recall is None else f"{message} {describe_recall(recall)}",
    )


def _most_certain_first(found: list[Finding]) -> list[Finding]:
    """Order findings by kind, then by similarity, then by position."""

    def doubt(one: Finding) -> tuple[int, float]:
        return KINDS.index(one.kind), -(one.similarity or one.cosine or 1.0)

    return sorted(found, key=doubt)


def _without(
    project: Project, chosen: SentenceSelection, others: SentenceSelection
) -> SentenceSelection:
    """Return a selection without the sentences of another selection.

    Raises:
        UserError: no sentences remain.
    """
    ids = np.setdiff1d(chosen.ids, others.ids, assume_unique=True)
    if not len(ids):
        raise UserError(
            f"{chosen.named} contains only the test sentences. Choose another corpus "
            "to search in."
        )
    return SentenceSelection(
        chosen.corpora, ids, read_point_languages(project.store, chosen.corpora, ids)
    )


def _message(
    unseen: SentenceSelection, within: SentenceSelection, counts: dict[str, int]
) -> str:
    """Return the message of the result."""
    n = sum(counts.values())
    return (
        f"{n:,} of {count_text(len(unseen), 'sentence')} of {unseen.named} "
        f"({format_percent(n / len(unseen), 1)}) found in {within.named}: "
        f"{counts.get('equal', 0):,} equal, {counts.get('near', 0):,} nearly equal, "
        f"{count_text(counts.get('translation', 0), 'likely translation')}."
    )
