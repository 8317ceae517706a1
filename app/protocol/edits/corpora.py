"""Edits of sub-corpora, hidden sentences, documents, hit lists and dictionaries."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.protocol.base import BaseChange, Name, RowIds, RowState


class FoundSentences(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences that a search found, given by the places of its findings.

    Attributes:
        run: id of the search run.
        places: places of the findings, if there are few.
        file: otherwise an `.npy` of int64 places, written like files of ids.
        side: the first sentences, the others, or both.
    """

    run: int
    places: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    side: Literal["sentence", "other", "both"] = "sentence"


class HideSentences(BaseChange, frozen=True, kw_only=True):
    """Hide sentences everywhere; they are only marked, and can be restored.

    Attributes:
        sentences: ids, if there are few.
        file: otherwise an `.npy` of int64 ids, written by the window to its
            cache folder; the engine stores the data needed for undo.
        found: additional sentences; deleted ones are skipped.
        state: hidden sentences can be shown in their corpus's table, removed ones not.
        reason: reason that the table shows.
    """

    sentences: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    found: FoundSentences | None = None
    state: Literal["hidden", "removed"] = "hidden"
    reason: Annotated[str, Meta(max_length=500)] = ""


class ShowSentences(BaseChange, frozen=True, kw_only=True):
    """Restore some sentences, or all that were hidden in one step."""

    sentences: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    found: FoundSentences | None = None
    step: int | None = None


class RestoreHidden(BaseChange, frozen=True, kw_only=True):
    """Restore the state of sentences before or after a change (undo or redo).

    Attributes:
        array: stem of the file of the change (see `app/engine/edits/hidden.py`).
        to: the state to restore, before or after.
        reasons: reasons of the steps in the file.
    """

    array: str
    to: Literal["before", "after"]
    reasons: dict[int, str]


MAX_SENTENCE = 20_000  # characters of an edited text, which must fit in a message


class EditSentence(BaseChange, frozen=True, kw_only=True):
    """Replace the text of a sentence.

    Attributes:
        text: new text; line breaks become spaces.
        words: JSON of annotated words that an undo restores; empty: the words
            of the sentence move with the text.
    """

    sentence: int
    text: str
    words: str = ""


class RenameSubcorpus(BaseChange, frozen=True, kw_only=True):
    """Rename a sub-corpus."""

    subcorpus: int
    name: Name


class SetSubcorpusMembers(BaseChange, frozen=True, kw_only=True):
    """Replace the sentences of a sub-corpus with the current results of a chain.

    Attributes:
        corpora, steps: corpora and steps of the chain.
        array: stem of the file of sentences (see `app/engine/store/subcorpora.py`).
        n_sentences, counts: number of sentences, in total and per corpus.
    """

    subcorpus: int
    corpora: tuple[int, ...]
    steps: tuple[str, ...]
    array: str
    n_sentences: int
    counts: dict[int, int]


class SetSubcorpusState(BaseChange, frozen=True, kw_only=True):
    """Mark sub-corpora as deleted, or restore them."""

    subcorpora: RowIds
    state: RowState


class SetDocumentField(BaseChange, frozen=True, kw_only=True):
    """Set a field of some documents of a corpus; an empty value removes it."""

    corpus: int
    documents: RowIds  # first
    field: Name
    value: Annotated[str, Meta(max_length=1_000)]


class RestoreDocuments(BaseChange, frozen=True, kw_only=True):
    """Restore all fields of sections of documents: the inverse of the above.

    Attributes:
        firsts: first position of each section.
        fields: fields of each section.
    """

    corpus: int
    firsts: tuple[int, ...]
    fields: tuple[dict[str, str], ...]


class RenameHitList(BaseChange, frozen=True, kw_only=True):
    """Rename a list of hits."""

    hits: int
    name: Name


class SaveHits(BaseChange, frozen=True, kw_only=True):
    """Save sentences, or words in them, as a list of hits.

    Attributes:
        name: name of the list.
        text: query that found the hits.
        sentences: ids of the sentences, in the order of the list.
        words: whether the hits are the words of the query, not complete sentences.
        corpora: names of the corpora that were searched; empty: all.
        languages: codes of the languages that were searched; empty: all.
    """

    name: Name
    text: str
    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=10_000)]
    words: bool = False
    corpora: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class SetHitListState(BaseChange, frozen=True, kw_only=True):
    """Mark lists of hits as deleted, or restore them."""

    lists: RowIds
    state: RowState


class SetDictionaryState(BaseChange, frozen=True, kw_only=True):
    """Mark dictionaries as deleted, or restore them."""

    dictionaries: RowIds
    state: RowState


HiddenChange = HideSentences | ShowSentences | RestoreHidden
SubcorpusChange = RenameSubcorpus | SetSubcorpusMembers | SetSubcorpusState
DocumentChange = SetDocumentField | RestoreDocuments


class SetVectorsLanguage(BaseChange, frozen=True, kw_only=True):
    """Correct the language of a project's word vectors."""

    vectors: Name
    language: str


ListChange = RenameHitList | SaveHits | SetHitListState | SetDictionaryState
