"""The sentences found by a retrieval evaluation, to compare two encoders."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0007"
down_revision = "0006"

TABLES = ("retrieval_hits",)


def upgrade() -> None:
    """Create the table."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
