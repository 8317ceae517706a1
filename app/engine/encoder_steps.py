"""The changes of a project's encoders that can be undone."""

from pathlib import Path

from sqlalchemy import Connection, update

from app.encoder_changes import (
    ChooseEncoder,
    EncoderChange,
    RemoveEncoder,
    RenameEncoder,
    RestoreEncoder,
)
from app.engine.change_steps import Step
from app.engine.encoders import shelf
from app.engine.encoders.checkpoint import DEFAULT_ENCODER, find_encoder
from app.engine.encoders.folder import fingerprint_of
from app.engine.store import schema

CHANGED = [("encoder", 0)]  # encoders are folders: no row has a number


def apply_encoder_step(
    folder: Path, connection: Connection, change: EncoderChange
) -> Step:
    """Make one change of the encoders of the project in a folder.

    Raises:
        UserError: there is no such encoder, or a name can't be given.
        ResourceError: the disk refuses to move a folder.
    """
    match change:
        case ChooseEncoder():
            return _choose(folder, change)
        case RenameEncoder():
            return _rename(folder, connection, change)
        case RemoveEncoder():
            is_chosen = shelf.read_choice(folder) == change.encoder
            trash = shelf.remove_encoder(folder, change.encoder)
            inverse = RestoreEncoder(change.encoder, trash, is_chosen)
            return Step(0, f"{change.encoder} is removed.", inverse, CHANGED)
        case RestoreEncoder():
            shelf.restore_encoder(
                folder, change.encoder, change.trash, is_chosen=change.is_chosen
            )
            back = RemoveEncoder(change.encoder)
            return Step(0, f"{change.encoder} is brought back.", back, CHANGED)


def _choose(folder: Path, change: ChooseEncoder) -> Step:
    """Take an encoder into use; the bundled one has no name: a newer one follows it."""
    old, name = shelf.read_choice(folder), change.encoder or DEFAULT_ENCODER
    wanted = "" if name == DEFAULT_ENCODER else name
    find_encoder(name, folder)
    if old == wanted:
        return Step(0, f"{name} is in use already.", None, [])
    shelf.write_choice(folder, wanted)
    text = f"{name} is used for search and encoding now."
    return Step(0, text, ChooseEncoder(old), CHANGED)


def _rename(folder: Path, connection: Connection, change: RenameEncoder) -> Step:
    """Rename the folder, and the encoder in the record of its vectors."""
    name = change.name.strip()
    shelf.rename_encoder(folder, change.encoder, name)
    table = schema.embedding
    fingerprint = fingerprint_of(folder / shelf.FOLDER / name)
    connection.execute(
        update(table).where(table.c.fingerprint == fingerprint).values(encoder=name)
    )
    text = f"{change.encoder} is called {name}."
    changed = [*CHANGED, ("embedding", 0)]
    return Step(0, text, RenameEncoder(name, change.encoder), changed)
