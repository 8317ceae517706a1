"""Edit the text of a sentence, and update all data derived from it.

The following change in the same transaction as the text:

- its row in the keyword index;
- its annotated words and saved hits: those outside the edited part move with the text;
- the word index of its corpus, which becomes outdated and is rebuilt by the next query;
- its vector by each encoder (see `app/engine/search/edited_vectors.py`).

Labels, notes, links and judgements belong to the sentence and do not change. Neither do
results of runs, such as scores, maps, predictions and findings, since each run records
its time. No task may be active, since its results could be based on the old text.
Trainings are an exception, since they take hours and write no vectors or word indexes
of corpora.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, select, update

from app.engine.edits.base import NO_CHANGE, EditResult, find_row, has_open_run
from app.engine.project.project import Project
from app.engine.store.corpora import corpus_of, position_of
from app.engine.store.corpus_writes import write_sentence_text
from app.engine.store.embeddings import record_edited_rows
from app.engine.store.schema import analysis, corpus, hit, sentence
from app.engine.store.words.indexes import AnalysedWord, mark_word_index_outdated
from app.engine.text.normalisation import clean_text, text_hashes
from app.engine.words.tokenizer import tokenize
from app.errors import UserError
from app.protocol.edits.corpora import EditSentence

if TYPE_CHECKING:
    from app.engine.search.edited_vectors import EditedEmbedding

TRAININGS = (  # names of tasks
    *("train-encoder", "train-grid", "fine-tune-encoder"),
    *("train-translation", "train-translation-grid"),
)
MAX_SHOWN = 60  # characters of a text in a message
MISSING = "The sentence is not in the project any more."


def edit_sentence(
    project: Project, connection: Connection, change: EditSentence
) -> EditResult:
    """Replace the text of a sentence.

    Raises:
        UserError: the text is empty, the sentence was deleted, or a task is active.
        ResourceError: the disk is full.
    """
    text = clean_text(change.text)[0]
    if not text:
        raise UserError("A sentence can't be empty. Enter its text, or hide it.")
    old = find_row(connection, sentence, change.sentence, MISSING)
    if text == old.text:
        return NO_CHANGE
    if has_open_run(connection, without=TRAININGS):
        raise UserError("A task is running. Edit the sentence when it has finished.")
    new_hash = int(text_hashes([text])[0])
    edited = _encode(project, connection, old, (text, new_hash))
    write_sentence_text(connection, old.id, (old.text, text), (old.hash, new_hash))
    words = _replace_words(connection, old, text, change.words)
    _move_hits(connection, old.id, _Changed(old.text, text), new_hash)
    mark_word_index_outdated(connection, corpus_of(old.id))
    for one in edited:
        record_edited_rows(connection, one.row.id, one.stem, one.n_zero)
    return EditResult(
        old.id,
        _describe(text, edited),
        EditSentence(sentence=old.id, text=old.text, words=words),
        [("sentence", old.id), *(("embedding", one.row.id) for one in edited)],
        msgspec.structs.replace(change, text=text),
    )


def _encode(
    project: Project, connection: Connection, old: Row[Any], new: tuple[str, int]
) -> "list[EditedEmbedding]":
    """Encode the new text (with its hash) with each encoder of the corpus."""
    # Loads torch.
    from app.engine.search.edited_vectors import TextEdit, encode_edited_text

    own = find_row(connection, corpus, corpus_of(old.id), MISSING)
    if own.state != "ready":
        raise UserError(MISSING)
    text, new_hash = new
    edit = TextEdit(own.id, position_of(old.id), own.language, old.hash, new_hash, text)
    return encode_edited_text(project, connection, edit)


def _describe(text: str, edited: "list[EditedEmbedding]") -> str:
    """Describe the new text, and the encoders that could not encode it."""
    shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN].rstrip()}…"
    done = f"The sentence is now “{shown}”."
    names = ", ".join(one.row.encoder for one in edited if not one.is_encoded)
    if not names:
        return done
    return (
        f"{done} It has no vector by {names} now, so that searches by {names} skip it."
    )


class _Changed(NamedTuple):
    """A text before and after an edit."""

    old: str
    new: str

    @property
    def begin(self) -> int:
        """Number of characters before the first difference."""
        least = min(len(self.old), len(self.new))
        return next((n for n in range(least) if self.old[n] != self.new[n]), least)

    @property
    def end(self) -> int:
        """Offset in the old text after the last difference."""
        most = min(len(self.old), len(self.new)) - self.begin
        same = range(most)
        n = next((n for n in same if self.old[~n] != self.new[~n]), most)
        return len(self.old) - n


def _replace_words(
    connection: Connection, old: Row[Any], text: str, restored: str
) -> str:
    """Update the annotated words of a sentence, and return the old words (JSON).

    Args:
        connection: in a transaction.
        old: the sentence before the edit.
        restored: words to restore instead (JSON); empty: none.
    """
    is_own = analysis.c.sentence_id == old.id
    words: str | None = connection.scalar(select(analysis.c.words).where(is_own))
    if words is None:
        return ""
    known = msgspec.json.decode(words, type=list[AnalysedWord])
    moved = _move_words(known, _Changed(old.text, text), old.language)
    new = restored or msgspec.json.encode(moved).decode()
    connection.execute(update(analysis).where(is_own).values(words=new))
    return words


def _move_words(
    words: list[AnalysedWord], changed: _Changed, language: str
) -> list[AnalysedWord]:
    """Keep the words outside an edit, and find the others in the text.

    New words have neither lemma nor part of speech.
    """
    begin, end = changed.begin, changed.end
    by = len(changed.new) - len(changed.old)
    before = [
        word
        for word in words
        if word.end < begin or (word.end == begin and _is_apart(changed, begin, begin))
    ]
    after = [
        word._replace(start=word.start + by, end=word.end + by)
        for word in words
        if word.start > end or (word.start == end and _is_apart(changed, end, end + by))
    ]
    low = max((word.end for word in before), default=0)
    high = min((word.start for word in after), default=len(changed.new))
    found = [
        AnalysedWord(start, stop, changed.new[start:stop], "", "")
        for start, stop in tokenize(changed.new, language)
        if start >= low and stop <= high
    ]
    return [*before, *found, *after]


def _is_apart(changed: _Changed, old_place: int, new_place: int) -> bool:
    """Return whether no word crosses given offsets of the old and the new text."""
    sides = (changed.old, old_place), (changed.new, new_place)
    return not any(
        0 < index < len(text) and text[index - 1].isalnum() and text[index].isalnum()
        for text, index in sides
    )


def _move_hits(
    connection: Connection, sentence_id: int, changed: _Changed, new_hash: int
) -> None:
    """Update the saved hits in a sentence; a hit grows or shrinks with its text."""
    begin, end = changed.begin, changed.end
    by = len(changed.new) - len(changed.old)
    columns = (hit.c.list_id, hit.c.place, hit.c.start, hit.c.end)
    query = select(*columns).where(hit.c.sentence_id == sentence_id)
    for list_id, place, start, stop in connection.execute(query).all():
        if start > begin:
            start = start + by if start >= end else begin
        if stop >= end:
            stop += by
        elif stop > begin:
            stop = end + by
        connection.execute(
            update(hit)
            .where(hit.c.list_id == list_id, hit.c.place == place)
            .values(start=start, end=stop, hash=new_hash)
        )
