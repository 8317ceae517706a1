"""Apply edits of encoders: choose, rename, remove, restore; remove vectors."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, update

from app.engine.edits.base import EditResult, has_open_run
from app.engine.encoders import registry
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import DEFAULT_ENCODER, find_encoder
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.embeddings import (
    EmbeddingRow,
    delete_embedding,
    list_embeddings,
)
from app.engine.store.rows import select_fields
from app.errors import UserError
from app.protocol.edits.encoders import (
    ChooseEncoder,
    EncoderChange,
    RemoveEncoder,
    RenameEncoder,
    RestoreEncoder,
)

CHANGED = [("encoder", 0)]  # encoders are folders without a row id


def apply_encoder_edit(
    folder: Path, connection: Connection, change: EncoderChange
) -> EditResult:
    """Apply one edit of the encoders of a project.

    Raises:
        UserError: the encoder does not exist, or the name is invalid.
        ResourceError: a folder can't be moved.
    """
    match change:
        case ChooseEncoder():
            return _choose(folder, change)
        case RenameEncoder():
            return _rename(folder, connection, change)
        case RemoveEncoder():
            is_chosen = registry.read_choice(folder) == change.encoder
            trash = registry.remove_encoder(folder, change.encoder)
            inverse = RestoreEncoder(change.encoder, trash, is_chosen)
            return EditResult(0, f"{change.encoder} removed.", inverse, CHANGED)
        case RestoreEncoder():
            registry.restore_encoder(
                folder, change.encoder, change.trash, is_chosen=change.is_chosen
            )
            back = RemoveEncoder(change.encoder)
            return EditResult(0, f"{change.encoder} restored.", back, CHANGED)


def keep_encoder(project: Project) -> None:
    """Keep the bundled encoder that computed the vectors, and offer the newer one."""
    names = {row.encoder for row in list_embeddings(project.store)}
    is_read_only = project.is_read_only
    kept = registry.keep_choice(project.folder, names, is_read_only=is_read_only)
    if kept and not is_read_only:
        project.newer_encoder = DEFAULT_ENCODER


def _choose(folder: Path, change: ChooseEncoder) -> EditResult:
    """Use an encoder."""
    old, name = registry.read_choice(folder), change.encoder or DEFAULT_ENCODER
    find_encoder(name, folder)
    if (old or DEFAULT_ENCODER) == name:
        return EditResult(0, f"{name} is already in use.", None, [])
    registry.write_choice(folder, registry.stored_choice(name))
    text = f"{name} is now used for search and encoding."
    return EditResult(0, text, ChooseEncoder(old), CHANGED)


def _rename(folder: Path, connection: Connection, change: RenameEncoder) -> EditResult:
    """Rename the encoder's folder, and the encoder in the records of its vectors."""
    name = change.name.strip()
    registry.rename_encoder(folder, change.encoder, name)
    table = schema.embedding
    fingerprint = fingerprint_of(folder / registry.FOLDER / name)
    connection.execute(
        update(table).where(table.c.fingerprint == fingerprint).values(encoder=name)
    )
    text = f"Renamed {change.encoder} to {name}."
    changed = [*CHANGED, ("embedding", 0)]
    return EditResult(0, text, RenameEncoder(name, change.encoder), changed)


def drop_vectors(project: Project, fingerprints: Sequence[str]) -> EditResult:
    """Remove all vectors of encoders; to restore them, the texts must be encoded again.

    Raises:
        UserError: a job is running, which may read or write the vectors.
    """
    table = schema.embedding
    query = select_fields(table, EmbeddingRow)
    query = query.where(table.c.fingerprint.in_(fingerprints))
    with project.store.connect() as connection:
        if has_open_run(connection):
            raise UserError("A task is running. Remove vectors when it has finished.")
        rows = [EmbeddingRow(*row) for row in connection.execute(query)]
    for row in rows:
        delete_embedding(project.store, project.folder, row)
    n_bytes = sum(row.n_rows * (6 * row.dim + 4) for row in rows)
    n = "1 corpus" if len(rows) == 1 else f"{len(rows)} corpora"
    text = f"Removed the vectors of {n}: {n_bytes / 1000000.0:,.1f}\u00a0MB freed."
    return EditResult(0, text, None, [("embedding", row.id) for row in rows])
