"""Record what a job made as the newest change, so that Undo deletes it."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from app.engine.edits.base import EditResult
from app.engine.edits.journal import record_edit
from app.engine.project.project import Project
from app.engine.store.schema import edit
from app.params.base import TaskParams
from app.params.classify import ImportClassifier, TrainClassifier
from app.params.corpora import MakeSubcorpus
from app.params.mining import AlignDocuments, MinePairs, ScorePairs
from app.params.projection import ProjectMap
from app.params.words import ImportDictionary
from app.protocol.edits import StateChange
from app.protocol.edits.corpora import SetDictionaryState, SetSubcorpusState
from app.protocol.edits.labels import SetClassifierState
from app.protocol.edits.maps import SetProjectionState
from app.protocol.edits.pairs import SetMiningState
from app.results.jobs import MadeMap, MadePairSet, MadeRow, MadeSubcorpus


class JournalEnd(NamedTuple):
    """The newest change of a project; 0: there is none.

    Attributes:
        id: its id, which a later change can have again.
        created_at: when it was made, in seconds since 1970.
        undone: 1 if it is undone.
    """

    id: int = 0
    created_at: float = 0.0
    undone: int = 0


def read_journal_end(project: Project) -> JournalEnd:
    """Return the newest change."""
    with project.store.connect() as connection:
        return _newest(connection)


def record_creation(
    project: Project, params: TaskParams, result: dict[str, Any], begun: JournalEnd
) -> bool:
    """Record what a job made, and return whether Undo deletes it now.

    It is not recorded if the user has made or undone changes since the job began: Undo
    and Redo are then about these, and a long job that ends in the background must not
    come between them.

    Args:
        project: open for writing.
        begun: the newest change when the job began.
    """
    made = _made(params, result)
    if made is None or begun.undone:
        return False
    inverse = msgspec.structs.replace(made, state="deleted")
    with project.store.begin() as connection:
        is_newest = _newest(connection) == begun
        if is_newest:
            record_edit(connection, made, EditResult(0, "", inverse, []))
    return is_newest


def _made(params: TaskParams, result: dict[str, Any]) -> StateChange | None:
    """Return the change that brings back what a job made; None: it made nothing."""
    match params:
        case AlignDocuments() | MinePairs() | ScorePairs():
            mining = msgspec.convert(result, MadePairSet).mining
            return SetMiningState(minings=(mining,), state="ready") if mining else None
        case ProjectMap():
            map_ = msgspec.convert(result, MadeMap).map
            ids = (map_,) if map_ else ()
            return SetProjectionState(projections=ids, state="ready") if ids else None
        case TrainClassifier() | ImportClassifier():
            ids = (msgspec.convert(result, MadeRow).id,)
            return SetClassifierState(classifiers=ids, state="ready")
        case MakeSubcorpus() if not params.again:
            id_ = msgspec.convert(result, MadeSubcorpus).subcorpus
            return SetSubcorpusState(subcorpora=(id_,), state="ready") if id_ else None
        case ImportDictionary():
            ids = (msgspec.convert(result, MadeRow).id,)
            return SetDictionaryState(dictionaries=ids, state="ready")
    return None


def _newest(connection: Connection) -> JournalEnd:
    columns = edit.c.id, edit.c.created_at, edit.c.undone
    row = connection.execute(select(*columns).order_by(edit.c.id.desc()).limit(1))
    found = row.one_or_none()
    return JournalEnd() if found is None else JournalEnd(*found)
