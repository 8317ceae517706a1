"""Verdicts set for a range of scores; earlier ones are read from the journal."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0006"
down_revision = "0005"

TABLES = ("judged_range",)
_FIND_EARLIER = """
INSERT INTO judged_range (kind, first_id, last_id)
SELECT 'judgement', min(id), max(id) FROM judgement
WHERE verdict <> '' AND step IN (
    SELECT json_extract(inverse, '$.step') FROM edit
    WHERE json_extract(change, '$.change') = 'JudgeRange'
) GROUP BY step
"""


def upgrade() -> None:
    """Create the table, and fill it from the journal."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
    op.get_bind().exec_driver_sql(_FIND_EARLIER)
