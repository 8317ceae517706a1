"""Apply edits of what belongs to corpora: sentences, documents, lists, dictionaries."""

from sqlalchemy import Connection

from app.engine.edits.base import EditResult
from app.engine.edits.documents import restore_documents, set_document_field
from app.engine.edits.hidden import hide_sentences, restore_hidden, show_sentences
from app.engine.edits.subcorpora import (
    rename_subcorpus,
    set_subcorpus_members,
    set_subcorpus_state,
)
from app.engine.edits.words import (
    rename_hit_list,
    set_dictionary_state,
    set_hit_list_state,
)
from app.engine.project.project import Project
from app.protocol.edits.corpora import (
    CorpusChange,
    HideSentences,
    RenameHitList,
    RenameSubcorpus,
    RestoreDocuments,
    RestoreHidden,
    SetDictionaryState,
    SetDocumentField,
    SetHitListState,
    SetSubcorpusMembers,
    SetSubcorpusState,
    ShowSentences,
)


def apply_corpus_edit(
    project: Project, connection: Connection, change: CorpusChange
) -> EditResult:
    """Make a change and return its inverse.

    Raises:
        UserError: what the change names is not there.
    """
    match change:
        case HideSentences():
            return hide_sentences(project, connection, change)
        case ShowSentences():
            return show_sentences(project, connection, change)
        case RestoreHidden():
            return restore_hidden(project, connection, change)
        case RenameSubcorpus():
            return rename_subcorpus(connection, change)
        case SetSubcorpusMembers():
            return set_subcorpus_members(project, connection, change)
        case SetSubcorpusState():
            return set_subcorpus_state(connection, change)
        case SetDocumentField():
            return set_document_field(connection, change)
        case RestoreDocuments():
            return restore_documents(connection, change)
        case RenameHitList():
            return rename_hit_list(connection, change)
        case SetDictionaryState():
            return set_dictionary_state(connection, change)
        case SetHitListState():
            return set_hit_list_state(connection, change)
