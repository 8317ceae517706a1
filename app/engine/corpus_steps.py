"""The changes of sub-corpora, hidden sentences, documents, kept hits, dictionaries."""

from sqlalchemy import Connection

from app.corpus_changes import CorpusChange
from app.engine.change_steps import Step
from app.engine.project import Project


def apply_corpus_step(
    project: Project, connection: Connection, change: CorpusChange
) -> Step:
    """Make a change and tell its inverse.

    Raises:
        UserError: what the change names is not there.
    """
    match change:
        case _:
            raise NotImplementedError(type(change).__name__)
