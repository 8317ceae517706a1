"""Record the creations of a job as the newest change, so that Undo deletes them."""

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
        id: id of the change, which a later change can reuse.
        created_at: time of the change, in seconds since 1970.
        undone: 1 if the change is undone.
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
    """Record the creation of a job, and return whether Undo now deletes it.

    It is not recorded if the user has made or undone changes since the job began: Undo
    and Redo then apply to these changes, and a long background job must not interfere.

    Args:
        project: the project, open for writing.
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
    """Return the change that restores a job's creation; None if it created nothing."""
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
