"""Inline codes of imported segments."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0005"
down_revision = "0004"

TABLES = ("coded_segment",)


def upgrade() -> None:
    """Create the table."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
