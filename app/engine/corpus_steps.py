"""The changes of sub-corpora, hidden sentences, documents, kept hits, dictionaries."""

from sqlalchemy import Connection

from app.corpus_changes import CorpusChange, RenameHitList, SetHitListState
from app.engine.change_steps import Step
from app.engine.project import Project
from app.engine.words.hit_steps import rename_hit_list, set_hit_list_state


def apply_corpus_step(
    project: Project, connection: Connection, change: CorpusChange
) -> Step:
    """Make a change and tell its inverse.

    Raises:
        UserError: what the change names is not there.
    """
    match change:
        case RenameHitList():
            return rename_hit_list(connection, change)
        case SetHitListState():
            return set_hit_list_state(connection, change)
        case _:
            raise NotImplementedError(type(change).__name__)
