"""Pair sets, pairs and judgements; classifiers and predictions."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0002"
down_revision = "0001"

TABLES = (
    *("mining", "pair", "judgement", "package", "opinion"),
    *("classifier", "prediction", "transfer"),
)


def upgrade() -> None:
    """Create the tables."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
