"""Says which encoder and run made the vectors of a corpus."""

import time

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store import rows
from app.views.words import format_count


def describe_vectors(store: Engine, embedding: rows.EmbeddingRow) -> str:
    """Name encoder, dimensions, run, day and device; and what is missing."""
    words = _tr("{encoder} · {dim} dimensions")
    lines = [words.format(encoder=embedding.encoder, dim=embedding.dim)]
    run_id = embedding.run_id
    run = None if run_id is None else rows.read_run(store, run_id)
    if run is not None:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started_at))
        facts = [_tr("run {id}").format(id=run.id), day, run.device]
        lines.append(" · ".join(fact for fact in facts if fact))
    if embedding.n_done < embedding.n_rows:
        words = _tr("{done} of {total} sentences are encoded")
        done, total = format_count(embedding.n_done), format_count(embedding.n_rows)
        lines.append(words.format(done=done, total=total))
    return "\n".join(lines)


def _tr(text: str) -> str:
    return QCoreApplication.translate("vector_facts", text)
