"""Describe the changes that Undo and Redo apply to: delete the map “Sea”."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.errors import ResourceError
from app.protocol.edits import Change, RenameChange, StateChange
from app.protocol.edits.alignments import (
    AlignmentChange,
    MergeBead,
    MoveBoundary,
    RestoreBeads,
    SplitBead,
    UnlinkBead,
)
from app.protocol.edits.corpora import (
    EditSentence,
    RenameHitList,
    RenameSubcorpus,
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
    RenameCorpus,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    SetRunState,
)
from app.protocol.edits.labels import (
    LabelSentences,
    RenameClass,
    RenameClassifier,
    SetClassifierState,
)
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.protocol.edits.pairs import (
    AddPair,
    CopyJudgements,
    JudgePairs,
    JudgeRange,
    PairChange,
    RenameAnnotator,
    RenameMining,
    SetMerge,
    SetMiningState,
    SwapRunnerUp,
    Verdict,
)
from app.quotations import quote_first_words
from app.views.client.project_reader import ProjectReader
from app.views.widgets.number_format import format_count, pluralize

_tr = partial(QCoreApplication.translate, "undo_text")


class EditPlaces:
    """Records the view of this window in which each change was made."""

    def __init__(self) -> None:
        self._views: dict[int, str] = {}  # view by the change's id in the journal
        self._newest = 0
        self._view: str | None = None  # view of changes not in the journal yet

    def reset(self, newest: int) -> None:
        """Start with a new project; `newest`: id of its last change."""
        self._views, self._newest, self._view = {}, newest, None

    def add(self, view: str) -> None:
        """Record that a change was made in a view."""
        self._view = view

    def find(self, newest: int) -> str:
        """Return the view of the newest change, or empty for another window.

        Args:
            newest: id of the change in the journal, which contains all changes.
        """
        if self._view is not None:
            new = range(self._newest + 1, newest + 1)
            self._views |= dict.fromkeys(new, self._view)
        self._newest, self._view = newest, None
        return self._views.get(newest, "")


def name_undone(project: ProjectReader) -> str:
    """Describe the next change to undo, or return an empty text."""
    return _name(project, project.next_changes.undone)


def name_redone(project: ProjectReader) -> str:
    """Describe the next change to redo, or return an empty text."""
    return _name(project, project.next_changes.redone)


def _name(project: ProjectReader, change: Change | None) -> str:
    match change:
        case None:
            return ""
        case RestoreHidden():
            return _name_hiding(project, change)
        case _ if isinstance(change, RenameChange):
            return _name_renaming(change)
        case _ if isinstance(change, StateChange):
            is_deletion = change.state == "deleted"
            words = _tr("delete {rows}") if is_deletion else _tr("add {rows}")
            return words.format(rows=_name_rows(project, change))
        case _ if isinstance(change, PairChange):
            return _name_pair_change(project, change)
        case _ if isinstance(change, AlignmentChange):
            return _name_alignment(project, change)
        case _ if isinstance(change, EncoderChange):
            return _name_encoder(change)
    return _name_text_change(project, change) or _name_corpus_change(project, change)


def _name_pair_change(project: ProjectReader, change: PairChange) -> str:
    match change:
        case JudgePairs(pairs=ids, verdict=verdict):
            words = _tr("edit {pairs}") if verdict is None else _name_verdict(verdict)
            if verdict == "accept" and len(ids) == 1 and _is_link(project, ids[0]):
                words = _tr("confirm {pairs}")
            return words.format(pairs=_name_pairs(project, ids))
        case JudgeRange(mining=id_, verdict=verdict):
            words = _tr("a range of pairs of {set}")
            words = _name_verdict(verdict).format(pairs=words)
            return words.format(set=_name_row(project, "mining", id_))
        case CopyJudgements(mining=id_):
            words = _tr("copy judgements to {set}")
            return words.format(set=_name_row(project, "mining", id_))
        case SwapRunnerUp(pair=id_):
            words = _tr("swap in a runner-up of {pair}")
            return words.format(pair=_name_pairs(project, (id_,)))
        case AddPair(source=source):
            quoted = _quote(project, source)
            words = _tr("add the pair {text}") if quoted else _tr("add 1 pair")
            return words.format(text=quoted)
        case RenameAnnotator(old=old, new=new):
            words = _tr("rename the annotator {old} to {new}")
            nameless = _tr("without a name")
            return words.format(old=old or nameless, new=new or nameless)
        case SetMerge():
            return _tr("merge a package")
    return ""


def _name_verdict(verdict: Verdict) -> str:
    return {
        "accept": _tr("accept {pairs}"),
        "reject": _tr("reject {pairs}"),
        "skip": _tr("skip {pairs}"),
        "flag": _tr("flag {pairs}"),
        "": _tr("clear the verdict of {pairs}"),
    }[verdict]


def _name_text_change(project: ProjectReader, change: Change) -> str:
    """Describe a change of sentences or classes; empty for other changes."""
    words, first, n, label = "", 0, 1, ""
    match change:
        case LabelSentences(sentences=(first, *others), class_name=label):
            n += len(others)
            words = _tr("label {text} as {label}")
            words = words if label else _tr("remove the label of {text}")
        case SetNote(sentence=first, text=note):
            words = _tr("write a note on {text}") if note else ""
            words = words or _tr("remove the note on {text}")
        case EditSentence(text=text):  # the edited text, for Redo as well
            words = _tr("edit the sentence {text}")
            return words.format(text=quote_first_words(text))
        case RenameClass(old_names=names, name=name):
            words = _tr("rename the class {old} to {new}")
            old, new = quote_first_words(", ".join(names)), quote_first_words(name)
            return words.format(old=old, new=new)
    if not words:
        return ""
    named, label = _name_sentences(project, first, n), quote_first_words(label)
    return words.format(text=named, label=label)


def _name_corpus_change(project: ProjectReader, change: Change) -> str:
    match change:
        case ChangeLinks(added=added, removed=removed):
            one, many = _tr("remove 1 link"), _tr("remove {n} links")
            if added:
                one, many = _tr("add 1 link"), _tr("add {n} links")
            is_both = bool(added and removed)
            n = len(added or removed)
            return _tr("change links") if is_both else pluralize(n, one, many)
        case SetCorpusLanguage(corpus=id_):
            words = _tr("change the language of {corpus}")
            return words.format(corpus=_name_row(project, "corpus", id_))
        case SetVectorsLanguage(vectors=name):
            words = _tr("change the language of the word vectors {name}")
            return words.format(name=quote_first_words(name))
        case SetDocumentField(corpus=id_, documents=ids, field=field):
            words = _tr("change {field} of {documents} of {corpus}")
            count = pluralize(len(ids), _tr("1 document"), _tr("{n} documents"))
            corpus = _name_row(project, "corpus", id_)
            return words.format(field=field, documents=count, corpus=corpus)
        case RestoreDocuments(corpus=id_):
            words = _tr("import the fields of documents of {corpus}")
            return words.format(corpus=_name_row(project, "corpus", id_))
        case SetSubcorpusMembers(subcorpus=id_):
            words = _tr("update {subcorpus}")
            return words.format(subcorpus=_name_row(project, "subcorpus", id_))
        case SaveHits(name=name):
            return _tr("save the hit list {name}").format(name=quote_first_words(name))
    return ""


def _name_alignment(project: ProjectReader, change: AlignmentChange) -> str:
    if isinstance(change, RestoreBeads):
        return _tr("restore links")
    quoted = _quote_pair(project, change.bead)  # a new link keeps the id
    words = {
        SplitBead: (_tr("split the link {text}"), _tr("split a link")),
        MergeBead: (_tr("merge the link {text} with the next"), _tr("merge 2 links")),
        MoveBoundary: (
            _tr("move the end of the link {text}"),
            _tr("move the end of a link"),
        ),
        UnlinkBead: (_tr("remove the link {text}"), _tr("remove a link")),
    }
    named, nameless = words[type(change)]
    return named.format(text=quoted) if quoted else nameless


def _name_encoder(change: EncoderChange) -> str:
    match change:
        case ChooseEncoder(encoder=""):
            return _tr("use the bundled encoder")
        case ChooseEncoder(encoder=name):
            words = _tr("use the encoder {name}")
        case RenameEncoder(name=name):
            words = _tr("rename the encoder to {name}")
        case RemoveEncoder(encoder=name):
            words = _tr("remove the encoder {name}")
        case RestoreEncoder(encoder=name):
            words = _tr("restore the encoder {name}")
    return words.format(name=name)


def _name_renaming(change: RenameChange) -> str:
    match change:
        case RenameClassifier():
            words = _tr("rename the classifier to {name}")
        case RenameCorpus():
            words = _tr("rename the corpus to {name}")
        case RenameHitList():
            words = _tr("rename the hit list to {name}")
        case RenameMining():
            words = _tr("rename the pair set to {name}")
        case RenameProjection():
            words = _tr("rename the map to {name}")
        case RenameSubcorpus():
            words = _tr("rename the sub-corpus to {name}")
    return words.format(name=quote_first_words(change.name))


def _name_rows(project: ProjectReader, change: StateChange) -> str:
    match change:
        case SetRunState(runs=ids):
            return pluralize(len(ids), _tr("1 run"), _tr("{n} runs"))
        case SetCorpusState(corpora=ids):
            table, many = "corpus", _tr("{n} corpora")
        case SetSubcorpusState(subcorpora=ids):
            table, many = "subcorpus", _tr("{n} sub-corpora")
        case SetMiningState(minings=ids):
            table, many = "mining", _tr("{n} pair sets")
        case SetProjectionState(projections=ids):
            table, many = "projection", _tr("{n} maps")
        case SetHitListState(lists=ids):
            table, many = "hit_list", _tr("{n} hit lists")
        case SetClassifierState(classifiers=ids):
            table, many = "classifier", _tr("{n} classifiers")
        case SetDictionaryState(dictionaries=ids):
            table, many = "dictionary", _tr("{n} dictionaries")
    if len(ids) == 1:
        return _name_row(project, table, ids[0])
    return many.format(n=format_count(len(ids)))


def _name_row(project: ProjectReader, table: str, id_: int) -> str:
    """Describe a row by kind and name: the map “Sea”, or 1 map without a name."""
    from app.engine.store.rows import read_name
    from app.engine.store.schema import metadata

    named, nameless = {
        "corpus": (_tr("the corpus {name}"), _tr("1 corpus")),
        "subcorpus": (_tr("the sub-corpus {name}"), _tr("1 sub-corpus")),
        "mining": (_tr("the pair set {name}"), _tr("1 pair set")),
        "projection": (_tr("the map {name}"), _tr("1 map")),
        "hit_list": (_tr("the hit list {name}"), _tr("1 hit list")),
        "classifier": (_tr("the classifier {name}"), _tr("1 classifier")),
        "dictionary": (_tr("the dictionary {name}"), _tr("1 dictionary")),
    }[table]
    name = quote_first_words(read_name(project.store, metadata.tables[table], id_))
    return named.format(name=name) if name else nameless


def _name_pairs(project: ProjectReader, ids: Sequence[int]) -> str:
    if len(ids) > 1:
        return _tr("{n} pairs").format(n=format_count(len(ids)))
    quoted = _quote_pair(project, ids[0])
    words = (
        _tr("the link {text}") if _is_link(project, ids[0]) else _tr("the pair {text}")
    )
    return words.format(text=quoted) if quoted else _tr("1 pair")


def _is_link(project: ProjectReader, pair: int) -> bool:
    """Return whether a pair is a link in an alignment."""
    from app.engine.store.pairs.sets import pair_set_of

    own = pair_set_of(pair)
    return any(row.id == own and row.kind == "aligned" for row in project.minings)


def _quote_pair(project: ProjectReader, pair: int) -> str:
    """Quote the first words of a pair's source; empty for a deleted pair."""
    from app.engine.store.pairs.judgements import read_pair_states

    with project.store.connect() as connection:
        state = read_pair_states(connection, (pair,)).get(pair)
    if state is None:
        return ""
    edited = quote_first_words(state.source_text or "")
    return edited or _quote(project, state.source_id)


def _name_sentences(project: ProjectReader, first: int, n: int) -> str:
    if n > 1:
        return _tr("{n} sentences").format(n=format_count(n))
    quoted = _quote(project, first)
    words = _tr("the sentence {text}") if quoted else _tr("1 sentence")
    return words.format(text=quoted)


def _quote(project: ProjectReader, sentence_id: int) -> str:
    from app.engine.store.sentences import read_sentences

    (row,) = read_sentences(project.store, [sentence_id])
    return quote_first_words(row.text) if row else ""


def _name_hiding(project: ProjectReader, change: RestoreHidden) -> str:
    from app.engine.store.hidden_sentences import describe_affected_sentences

    try:
        n, state, first = describe_affected_sentences(project.folder, change.array)
    except ResourceError:  # the file was deleted; Undo reports the error
        return ""
    words = {
        "hidden": _tr("hide {sentences}"),
        "removed": _tr("remove {sentences}"),
        "": _tr("show {sentences}"),
    }[state]
    return words.format(sentences=_name_sentences(project, first, n))
