"""The changes of sub-corpora, hidden sentences, documents, kept hits, dictionaries."""

from sqlalchemy import Connection

from app.corpus_changes import (
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
from app.engine.change_steps import Step
from app.engine.document_steps import restore_documents, set_document_field
from app.engine.hidden_steps import hide_sentences, restore_hidden, show_sentences
from app.engine.project import Project
from app.engine.subcorpus_steps import (
    rename_subcorpus,
    set_subcorpus_members,
    set_subcorpus_state,
)
from app.engine.words.dictionary_steps import set_dictionary_state
from app.engine.words.hit_steps import rename_hit_list, set_hit_list_state


def apply_corpus_step(
    project: Project, connection: Connection, change: CorpusChange
) -> Step:
    """Make a change and tell its inverse.

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
