"""Documents, words, sub-corpora, hidden sentences, findings, hits, dictionaries."""

from alembic import op

from app.engine.store.schema import metadata

revision = "0004"
down_revision = "0003"

TABLES = (
    "document",
    "analysis",
    "word_index",
    "subcorpus",
    "hidden",
    "finding",
    "hit_list",
    "hit",
    "dictionary",
    "entry",
)


def upgrade() -> None:
    """Create the tables."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
