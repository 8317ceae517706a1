"""Measurements, the files that evaluations read, and maps."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0003"
down_revision = "0002"

TABLES = ("measurement", "run_file", "projection")


def upgrade() -> None:
    """Create the tables."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
