"""Save the findings of a quality check and describe the recall of its search."""

from collections import Counter
from collections.abc import Sequence

from app.engine.mining.approximate_search import Recall
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.findings import Finding, write_findings
from app.number_format import format_percent
from app.plurals import count_text


def save_findings(
    project: Project, found: Sequence[Finding], report: Report
) -> dict[str, int]:
    """Write and report the findings of a run by kind; outside a run, write nothing.

    Returns:
        The number of findings of each kind, in the stored order.
    """
    counts = dict(Counter(one.kind for one in found))
    kinds = list(counts)
    ordered = sorted(found, key=lambda one: kinds.index(one.kind))
    if report.run is not None and not project.is_read_only:
        write_findings(project.store, report.run, ordered, report)
    return counts


def describe_recall(recall: Recall) -> str:
    """Describe the share of pairs found by an approximate search."""
    if not recall.sentences:
        return (
            "Because there are so many sentences, each was compared only with "
            "similar ones. A sample contained no pair, so the share of missed pairs "
            "is unknown."
        )
    return (
        "Because there are so many sentences, each was compared only with similar "
        f"ones. This found {format_percent(recall.share, 1)} of the pairs of a sample "
        f"(95\u00a0%: {100 * recall.low:.1f} to {format_percent(recall.high, 1)}, "
        f"{count_text(recall.sentences, 'pair')})."
    )
