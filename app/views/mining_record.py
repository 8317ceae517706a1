"""What is kept of a set of pairs: figures for its head, and all of it in groups."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.engine.store.pair_rows import MiningRow
from app.views.mining_words import (
    format_part,
    format_score,
    kind_words,
    margin_words,
    verdict_words,
)
from app.views.widgets.record_tree import RecordRow
from app.views.words import format_count

Group = tuple[str, Sequence[RecordRow]]


def _tr(text: str) -> str:
    return QCoreApplication.translate("mining", text)


def figures_of(
    row: MiningRow, counts: Mapping[str, int] | None
) -> list[tuple[str, str]]:
    """Give the figures of the head: pairs of what it is and how much.

    Args:
        row: the set.
        counts: pairs by verdict; None: not known yet.
    """
    figures = [(_tr("pairs"), format_count(row.n_pairs))]
    if row.n_candidates:
        figures.append((_tr("candidates beside"), format_count(row.n_candidates)))
    if counts is not None:
        n = sum(counts.values())
        judged = f"{format_count(n)} ({format_part(n, row.n_pairs)})"
        figures.append((_tr("judged"), judged if n else "0"))
        for verdict in ("accept", "reject"):
            if counts.get(verdict):
                words = verdict_words(verdict)
                figures.append((words, format_count(counts[verdict])))
    report = row.report
    if row.kind == "scored":
        figures += _figures_of_bitext(report)
    elif "n_sources" in report:
        n, m = report["n_sources"], report["n_targets"]
        words = _tr("sentences compared")
        figures.append((words, f"{format_count(n)} × {format_count(m)}"))
        n_left_out = int(report.get("n_found", 0)) - row.n_pairs
        if n_left_out > 0:
            words = _tr("left out of those found")
            figures.append((words, format_count(n_left_out)))
    recall = report.get("recall")
    if isinstance(recall, dict) and "share" in recall:
        words = _tr("of the true neighbours found ({index}, {n} sentences)")
        title = words.format(
            index=report.get("index", ""), n=format_count(recall["sentences"])
        )
        share, error = 100 * recall["share"], 100 * recall["error"]
        figures.append((title, f"{share:.1f} % ± {error:.1f}"))
    return figures


def groups_of(row: MiningRow) -> list[Group]:
    """Give all that is kept of a set of pairs, in groups."""
    threshold = "" if row.threshold is None else format_score(row.threshold)
    made = [
        RecordRow(_tr("Made"), (kind_words(row.kind),)),
        RecordRow(_tr("Run"), (row.run_id or "",)),
        RecordRow(_tr("Encoder"), (row.encoder,)),
        RecordRow(_tr("SHA-256 of the encoder"), (row.fingerprint,)),
        RecordRow(_tr("Score"), (margin_words(row.margin),)),
        RecordRow(_tr("Neighbours"), (row.k,)),
        RecordRow(_tr("Retrieval"), (row.retrieval,)),
        RecordRow(_tr("Threshold"), (threshold,)),
    ]
    made = [one for one in made if one.values[0] not in ("", 0)]
    return [
        (_tr("How it was made"), made),
        (_tr("Counts"), _counts(row)),
        (_tr("What the filters left out"), _filters(row.report)),
        (_tr("Quantiles of the scores"), _quantiles(row.report)),
    ]


def _figures_of_bitext(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    figures = []
    if report.get("mean") is not None:
        figures.append((_tr("mean score"), format_score(report["mean"])))
    quantiles = report.get("quantiles") or {}
    if "0.05" in quantiles:
        words = _tr("the worst 5 % are below")
        figures.append((words, format_score(quantiles["0.05"])))
    if report.get("best") is not None:
        words = _tr("have no better candidate")
        figures.append((words, format_part(round(1000 * report["best"]), 1000)))
    return figures


def _counts(row: MiningRow) -> list[RecordRow]:
    titles = {
        "n_sources": _tr("Source sentences that took part"),
        "n_targets": _tr("Target sentences that took part"),
        "n_duplicates": _tr("Sentences of equal text, left out"),
        "n_unknown": _tr("Sentences of which the encoder knows nothing, left out"),
        "n_found": _tr("Pairs found"),
        "n_below": _tr("Pairs below the threshold"),
    }
    rows = [
        RecordRow(title, (format_count(int(row.report[name])),))
        for name, title in titles.items()
        if isinstance(row.report.get(name), int)
    ]
    rows.append(RecordRow(_tr("Pairs kept"), (format_count(row.n_pairs),)))
    if row.n_candidates:
        n = format_count(row.n_candidates)
        rows.append(RecordRow(_tr("Candidates kept beside them"), (n,)))
    return rows


def _filters(report: Mapping[str, Any]) -> list[RecordRow]:
    steps = report.get("filters")
    words = _tr("−{n}, {left} left ({alone} by this filter alone)")
    return [
        RecordRow(
            str(step["filter"]),
            (
                words.format(
                    n=format_count(step["n_removed"]),
                    left=format_count(step["n_left"]),
                    alone=format_count(step["n_alone"]),
                ),
            ),
        )
        for step in (steps if isinstance(steps, list) else [])
    ]


def _quantiles(report: Mapping[str, Any]) -> list[RecordRow]:
    found = report.get("quantiles")
    words = _tr("{share} of the pairs are below")
    return [
        RecordRow(
            words.format(share=f"{100 * float(share):g} %"), (format_score(score),)
        )
        for share, score in (found.items() if isinstance(found, dict) else ())
    ]
