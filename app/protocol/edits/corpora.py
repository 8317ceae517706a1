"""Edits of sub-corpora, hidden sentences, documents, hit lists and dictionaries."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.protocol.base import BaseChange, Name, RowIds, RowState


class FoundSentences(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences that a search found, named by the places of its findings.

    Attributes:
        run: the search.
        places: of the findings, where they are few.
        file: else an `.npy` of int64 places, written as the files of ids are.
        side: the first sentences, the others, or both.
    """

    run: int
    places: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    side: Literal["sentence", "other", "both"] = "sentence"


class HideSentences(BaseChange, frozen=True, kw_only=True):
    """Leave sentences out of everything: they are marked, and can be brought back.

    Attributes:
        sentences: ids, where they are few.
        file: else an `.npy` of int64 ids, written by the window in the folder of its
            caches; the engine keeps what it needs for an undo.
        found: further ones; those that are not in the project any more are left out.
        state: hidden ones can be shown in the table of their corpus, removed ones not.
        reason: shown beside them.
    """

    sentences: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    found: FoundSentences | None = None
    state: Literal["hidden", "removed"] = "hidden"
    reason: Annotated[str, Meta(max_length=500)] = ""


class ShowSentences(BaseChange, frozen=True, kw_only=True):
    """Bring back sentences: some, or all that were hidden in one step."""

    sentences: Annotated[tuple[int, ...], Meta(max_length=1_000)] = ()
    file: Path | None = None
    found: FoundSentences | None = None
    step: int | None = None


class RestoreHidden(BaseChange, frozen=True, kw_only=True):
    """Hide and show sentences as before or after a change: how it is undone, redone.

    Attributes:
        array: stem of the file of the change, `app/engine/edits/hidden.py`.
        to: which of the two.
        reasons: of the steps that the file names.
    """

    array: str
    to: Literal["before", "after"]
    reasons: dict[int, str]


MAX_SENTENCE = 20_000  # characters of a text that is entered: it fits in a message


class EditSentence(BaseChange, frozen=True, kw_only=True):
    """Replace the text of a sentence.

    Attributes:
        text: the new one; line breaks become spaces.
        words: JSON of the words of its source, which an undo restores; empty: those
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
    """Replace the sentences of a sub-corpus with those that a chain finds now.

    Attributes:
        corpora, steps: of the chain.
        array: stem of their file, `app/engine/store/subcorpora.py`.
        n_sentences, counts: how many there are, and of each corpus.
    """

    subcorpus: int
    corpora: tuple[int, ...]
    steps: tuple[str, ...]
    array: str
    n_sentences: int
    counts: dict[int, int]


class SetSubcorpusState(BaseChange, frozen=True, kw_only=True):
    """Delete sub-corpora (a mark) or bring them back."""

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
        firsts: position at which each begins.
        fields: of each.
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
        name: of the list.
        text: the query that found them.
        sentences: their ids, in the order of the list.
        words: the hits are the words of the query, not whole sentences.
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
    """Delete lists of hits (a mark) or bring them back."""

    lists: RowIds
    state: RowState


class SetDictionaryState(BaseChange, frozen=True, kw_only=True):
    """Delete dictionaries (a mark) or bring them back."""

    dictionaries: RowIds
    state: RowState


HiddenChange = HideSentences | ShowSentences | RestoreHidden
SubcorpusChange = RenameSubcorpus | SetSubcorpusMembers | SetSubcorpusState
DocumentChange = SetDocumentField | RestoreDocuments


class SetVectorsLanguage(BaseChange, frozen=True, kw_only=True):
    """Correct the language of word vectors of the project."""

    vectors: Name
    language: str


ListChange = RenameHitList | SaveHits | SetHitListState | SetDictionaryState
