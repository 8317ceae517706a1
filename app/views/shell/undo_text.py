"""Name the changes that Undo and Redo are about: hide 1 sentence."""

from functools import partial

from PySide6.QtCore import QCoreApplication

from app.errors import ResourceError
from app.protocol.edits import Change, RenameChange, StateChange
from app.protocol.edits.alignments import (
    AlignmentChange,
    MergeBead,
    MoveBoundary,
    SplitBead,
    UnlinkBead,
)
from app.protocol.edits.corpora import (
    EditSentence,
    RestoreDocuments,
    RestoreHidden,
    SaveHits,
    SetDictionaryState,
    SetDocumentField,
    SetHitListState,
    SetSubcorpusMembers,
    SetSubcorpusState,
    SetVectorsLanguage,
)
from app.protocol.edits.encoders import (
    ChooseEncoder,
    EncoderChange,
    RemoveEncoder,
    RenameEncoder,
    RestoreEncoder,
)
from app.protocol.edits.general import (
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    SetRunState,
)
from app.protocol.edits.labels import (
    LabelSentences,
    RenameClass,
    SetClassifierState,
)
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.maps import SetProjectionState
from app.protocol.edits.pairs import (
    AddPair,
    CopyJudgements,
    JudgePairs,
    JudgeRange,
    RenameAnnotator,
    SetMerge,
    SetMiningState,
    SwapRunnerUp,
)
from app.views.client.project_reader import ProjectReader
from app.views.widgets.number_format import pluralize

_tr = partial(QCoreApplication.translate, "undo_text")


def name_undone(project: ProjectReader) -> str:
    """Name the change that is undone next, or return an empty text."""
    return _name(project, project.next_changes.undone)


def name_redone(project: ProjectReader) -> str:
    """Name the change that is redone next, or return an empty text."""
    return _name(project, project.next_changes.redone)


def _name(project: ProjectReader, change: Change | None) -> str:
    match change:
        case None:
            return ""
        case RestoreHidden():
            return _name_hiding(project, change)
        case SetMerge():
            return _tr("merge a package")
        case _ if isinstance(change, AlignmentChange):
            return _name_alignment(change)
        case _ if isinstance(change, EncoderChange):
            return _name_encoder(change)
    return _name_change(change)


def _name_change(change: Change) -> str:
    name = ""
    match change:
        case JudgePairs(pairs=pairs):
            name = pluralize(len(pairs), _tr("judge 1 pair"), _tr("judge {n} pairs"))
            if change.verdict is None:
                name = pluralize(len(pairs), _tr("edit 1 pair"), _tr("edit {n} pairs"))
        case JudgeRange():
            name = _tr("judge a range of pairs")
        case CopyJudgements():
            name = _tr("copy judgements")
        case SwapRunnerUp():
            name = _tr("swap in a runner-up")
        case AddPair():
            name = _tr("add 1 pair")
        case ChangeLinks():
            name = _tr("change links")
        case LabelSentences(sentences=ids):
            one, many = _tr("label 1 sentence"), _tr("label {n} sentences")
            name = pluralize(len(ids), one, many)
        case RenameAnnotator():
            name = _tr("rename annotator {name}").format(name=change.old)
        case RenameClass():
            name = _tr("rename {name}").format(name=", ".join(change.old_names))
        case EditSentence():
            name = _tr("edit sentence")
        case SetNote():
            name = _tr("write a note") if change.text else _tr("remove a note")
        case SetCorpusLanguage():
            name = _tr("change the language of a corpus")
        case SetVectorsLanguage():
            name = _tr("change the language of word vectors")
        case SetDocumentField(documents=ids, field=field):
            count = pluralize(len(ids), _tr("1 document"), _tr("{n} documents"))
            words = _tr("change {field} of {documents}")
            name = words.format(field=field, documents=count)
        case RestoreDocuments():
            name = _tr("import the fields of documents")
        case SetSubcorpusMembers():
            name = _tr("update a sub-corpus")
        case SaveHits():
            name = _tr("save {name}").format(name=change.name)
        case _ if isinstance(change, RenameChange):
            name = _tr("rename to {name}").format(name=change.name)
        case _ if isinstance(change, StateChange):
            is_deletion = change.state == "deleted"
            name = _tr("delete") if is_deletion else _tr("add")
            name = f"{name} {_name_rows(change)}"
        case _:
            pass
    return name


def _name_alignment(change: AlignmentChange) -> str:
    match change:
        case SplitBead():
            return _tr("split a link")
        case MergeBead():
            return _tr("merge 2 links")
        case MoveBoundary():
            return _tr("move the end of a link")
        case UnlinkBead():
            return _tr("remove a link")
    return _tr("restore links")


def _name_encoder(change: EncoderChange) -> str:
    match change:
        case ChooseEncoder(encoder=""):
            return _tr("use the bundled encoder")
        case ChooseEncoder(encoder=name):
            words = _tr("use {name}")
        case RenameEncoder(name=name):
            words = _tr("rename to {name}")
        case RemoveEncoder(encoder=name):
            words = _tr("remove {name}")
        case RestoreEncoder(encoder=name):
            words = _tr("restore {name}")
    return words.format(name=name)


def _name_rows(change: StateChange) -> str:
    match change:
        case SetCorpusState(corpora=ids):
            names = _tr("1 corpus"), _tr("{n} corpora")
        case SetSubcorpusState(subcorpora=ids):
            names = _tr("1 sub-corpus"), _tr("{n} sub-corpora")
        case SetMiningState(minings=ids):
            names = _tr("1 pair set"), _tr("{n} pair sets")
        case SetProjectionState(projections=ids):
            names = _tr("1 map"), _tr("{n} maps")
        case SetHitListState(lists=ids):
            names = _tr("1 hit list"), _tr("{n} hit lists")
        case SetClassifierState(classifiers=ids):
            names = _tr("1 classifier"), _tr("{n} classifiers")
        case SetDictionaryState(dictionaries=ids):
            names = _tr("1 dictionary"), _tr("{n} dictionaries")
        case SetRunState(runs=ids):
            names = _tr("1 run"), _tr("{n} runs")
    return pluralize(len(ids), *names)


def _name_hiding(project: ProjectReader, change: RestoreHidden) -> str:
    from app.engine.store.hidden_sentences import describe_affected_sentences

    try:
        n, state = describe_affected_sentences(project.folder, change.array)
    except ResourceError:  # the file is gone: undo says so
        return ""
    texts = {
        "hidden": (_tr("hide 1 sentence"), _tr("hide {n} sentences")),
        "removed": (_tr("remove 1 sentence"), _tr("remove {n} sentences")),
        "": (_tr("show 1 sentence"), _tr("show {n} sentences")),
    }
    return pluralize(n, *texts[state])
