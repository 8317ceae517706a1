"""Writes of what searches for doublets, damage and leaks found."""

from collections.abc import Sequence

from sqlalchemy import Engine, delete, insert

from app.engine.report import Report
from app.engine.store.finding_rows import Finding
from app.engine.store.word_tables import finding

STAGE = "write findings"
BLOCK = 10_000


def write_findings(
    store: Engine, run_id: int, rows: Sequence[Finding], report: Report
) -> None:
    """Keep what a run found, all or nothing, in place of what it told before."""
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
