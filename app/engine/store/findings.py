"""Read and write the findings of quality checks."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, delete, insert, select

from app.engine.runtime.report import Report
from app.engine.store.rows import MAX_VARIABLES
from app.engine.store.schema import finding, hidden, run


class Finding(NamedTuple):
    """A finding about one or two sentences.

    Attributes:
        kind: equal, near, translation, language, encoding, boilerplate, untranslated,
            gained, lost, changed.
        sentence_id: the sentence of the finding.
        other_id: the sentence that it is compared with; None for a single sentence.
        cosine: cosine of their vectors.
        similarity: share of equal letters, 0…1.
        detail: the reason, as a sentence for the user.
    """

    kind: str
    sentence_id: int
    other_id: int | None = None
    cosine: float | None = None
    similarity: float | None = None
    detail: str = ""


class FindingRun(NamedTuple):
    """A quality check run that has finished.

    Attributes:
        message: summary of the run.
        counts: number of findings of each kind, in the order of the places.
    """

    id: int
    task: str
    params: str
    message: str
    ended_at: float
    counts: dict[str, int]


def list_finding_runs(
    store: Engine, tasks: Sequence[str], *, limit: int = 100
) -> list[FindingRun]:
    """List the finished runs of some tasks, newest first."""
    columns = (run.c.id, run.c.task, run.c.params, run.c.result, run.c.ended_at)
    query = select(*columns).where(run.c.state == "finished", run.c.task.in_(tasks))
    with store.connect() as connection:
        found = connection.execute(query.order_by(run.c.id.desc()).limit(limit)).all()
    rows = []
    for id_, task, params, result, ended_at in found:
        summary = json.loads(result or "{}")
        counts = {kind: int(n) for kind, n in summary.get("counts", {}).items() if n}
        message = str(summary.get("message", ""))
        rows.append(FindingRun(id_, task, params, message, ended_at or 0.0, counts))
    return rows


def finding_places(
    counts: dict[str, int], kinds: Sequence[str] = ()
) -> NDArray[np.int64]:
    """Return the places of a run's findings, of some kinds or of all: int64 (m,).

    They are stored by kind, in the order of the counts.
    """
    parts, first = [np.empty(0, np.int64)], 0
    for kind, n in counts.items():
        if not kinds or kind in kinds:
            parts.append(np.arange(first, first + n))
        first += n
    return np.concatenate(parts)


def open_finding_places(
    store: Engine, run_id: int, kinds: Sequence[str] = ()
) -> NDArray[np.int64]:
    """Return the places of findings without hidden sentences: int64 (m,)."""
    query = select(finding.c.place).where(finding.c.run_id == run_id)
    if kinds:
        query = query.where(finding.c.kind.in_(kinds))
    for side in (finding.c.sentence_id, finding.c.other_id):
        is_left_out = select(hidden.c.sentence_id).where(hidden.c.sentence_id == side)
        query = query.where(~is_left_out.exists())
    with store.connect() as connection:
        found = connection.scalars(query.order_by(finding.c.place))
        return np.fromiter(found, np.int64)


def read_finding_sentences(
    store: Engine,
    run_id: int,
    indices: NDArray[np.int64],
    sides: Sequence[str] = ("sentence",),
) -> NDArray[np.int64]:
    """Return the unique sentence ids at places (m,) of a run: int64, ascending.

    Args:
        sides: `sentence`, `other`, or both.
    """
    if not len(indices):
        return indices
    sql = (
        "SELECT place, sentence_id, coalesce(other_id, -1) FROM finding "
        "WHERE run_id = ? AND place BETWEEN ? AND ? ORDER BY place"
    )
    columns = np.dtype([(name, np.int64) for name in ("place", "sentence", "other")])
    with store.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        bounds = int(indices.min()), int(indices.max())
        found = np.fromiter(raw.execute(sql, (run_id, *bounds)), columns)
    found = found[np.isin(found["place"], indices)]
    ids = np.unique(np.concatenate([found[side] for side in sides]))
    return ids[ids >= 0]


def read_findings(
    store: Engine, run_id: int, indices: Sequence[int]
) -> list[Finding | None]:
    """Read findings of a run by place, in the given order; None if one is missing."""
    columns = [finding.c[name] for name in Finding._fields]
    found: dict[int, Finding] = {}
    with store.connect() as connection:
        for start in range(0, len(indices), MAX_VARIABLES):
            part = [int(index) for index in indices[start : start + MAX_VARIABLES]]
            query = select(finding.c.place, *columns)
            query = query.where(finding.c.run_id == run_id, finding.c.place.in_(part))
            for index, *values in connection.execute(query):
                found[index] = Finding(*values)
    return [found.get(int(index)) for index in indices]


STAGE = "Writing findings"
BLOCK = 10_000


def write_findings(
    store: Engine, run_id: int, rows: Sequence[Finding], report: Report
) -> None:
    """Save the findings of a run in one transaction, replacing its earlier findings."""
    with store.begin() as connection:
        connection.execute(delete(finding).where(finding.c.run_id == run_id))
        for start in range(0, len(rows), BLOCK):
            report.step(STAGE, start, len(rows))
            values = [
                {"run_id": run_id, "place": start + i, **row._asdict()}
                for i, row in enumerate(rows[start : start + BLOCK])
            ]
            connection.execute(insert(finding), values)
    report.changed("finding", run_id)
