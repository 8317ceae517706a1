"""Times at which the texts of sentences changed, including undo and redo."""

import time

from alembic import op

from app.engine.store.schema import metadata

revision = "0008"
down_revision = "0007"

TABLES = ("text_change",)
# The time of an undo is unknown, so any earlier result may be outdated.
_FIND_EARLIER = """
INSERT INTO text_change (sentence_id, changed_at, old_hash)
SELECT json_extract(change, '$.sentence'), iif(undone, :now, created_at), 0
FROM edit WHERE json_extract(change, '$.change') = 'EditSentence' ORDER BY id
"""


def upgrade() -> None:
    """Create the table, and fill it from the journal."""
    tables = [metadata.tables[name] for name in TABLES]
    metadata.create_all(op.get_bind(), tables=tables)
    op.get_bind().exec_driver_sql(_FIND_EARLIER, {"now": time.time()})
