"""The first schema."""

from alembic import op

from app.engine.store.schema import FTS_SQL, metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    metadata.create_all(op.get_bind())
    op.execute(FTS_SQL)
