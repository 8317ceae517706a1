"""The first schema."""

from alembic import op

from app.engine.store.schema import FTS_SQL, metadata

revision = "0001"
down_revision = None

TABLES = (
    *("corpus", "sentence", "link", "label", "note", "embedding", "run", "metric"),
    *("search", "edit", "view_state"),
)


def upgrade() -> None:
    """Create the tables."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
    op.execute(FTS_SQL)
