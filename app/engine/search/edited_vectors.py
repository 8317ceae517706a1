"""Vectors of sentences whose text was edited, by each encoder of their corpus.

Only the edited sentence is encoded again. If its encoder can't be loaded, or only has
imported vectors, the sentence has a zero vector, which every search skips, until its
corpus is encoded again or the edit is undone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from app.arrays import IdArray
from app.engine.encoders.encoder import Encoder, encoder_of_language
from app.engine.encoders.registry import load_encoder
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import (
    EditedRows,
    EmbeddingRow,
    embeddings_of_corpus,
    is_embedding_complete,
    map_embedding,
    read_edited_rows,
    record_edited_rows,
    remove_unused_edits,
    write_edited_rows,
)
from app.engine.store.sentences import read_sentences
from app.errors import ResourceError, UserError


class TextEdit(NamedTuple):
    """A new text of a sentence.

    Attributes:
        corpus_id, position: corpus and position of the sentence.
        language: language of the corpus.
        old_hash, new_hash: hashes of the old and the new text.
        text: new text.
    """

    corpus_id: int
    position: int
    language: str
    old_hash: int
    new_hash: int
    text: str


class EditedEmbedding(NamedTuple):
    """An embedding with the vector of an edited sentence, to be recorded.

    Attributes:
        row: record before the edit.
        stem, n_zero: values to record.
        is_encoded: whether the edited sentence has a vector.
    """

    row: EmbeddingRow
    stem: str
    n_zero: int
    is_encoded: bool


def encode_edited_text(
    project: Project, connection: Connection, edit: TextEdit
) -> list[EditedEmbedding]:
    """Encode a new text by each encoder of its corpus, and write the vectors.

    They have no effect until they are recorded. Nothing is computed if the new text is
    the one in the arrays. Sentences not encoded yet are skipped, since they will be
    encoded with the new text.
    """
    return [
        _edit_embedding(project, row, edit)
        for row in embeddings_of_corpus(connection, edit.corpus_id)
        if _has_row(project, row, edit.position)
    ]


def encode_missing_edits(project: Project, encoder: Encoder, row: EmbeddingRow) -> int:
    """Encode the edited sentences that have no vector; returns how many there were."""
    edited = read_edited_rows(project.folder, row)
    missing = np.flatnonzero(~edited["is_encoded"])
    if not len(missing):
        return 0
    first = first_sentence_id(row.corpus_id)
    ids = [first + int(place) for place in edited["row"][missing]]
    found = read_sentences(project.store, ids)
    _fill(edited, missing, encoder, [one.text if one else "" for one in found])
    n_zero = row.n_zero - int(np.count_nonzero(edited["norm"][missing]))
    stem = write_edited_rows(project.folder, row, edited)
    with project.store.begin() as connection:
        record_edited_rows(connection, row.id, stem, n_zero)
    remove_unused_edits(project.store, project.folder)
    return len(missing)


def _has_row(project: Project, row: EmbeddingRow, position: int) -> bool:
    """Return whether a sentence was encoded; not if its arrays are damaged."""
    if row.n_done < row.n_rows:
        return position < row.n_done
    return is_embedding_complete(project.folder, row)


def _edit_embedding(
    project: Project, row: EmbeddingRow, edit: TextEdit
) -> EditedEmbedding:
    edited = read_edited_rows(project.folder, row)
    is_own = edited["row"] == edit.position
    known = edited["original"][is_own]
    original = int(known[0]) if len(known) else edit.old_hash
    edited, is_encoded = edited[~is_own], True
    if edit.new_hash != original:
        new = np.zeros(1, edited.dtype)
        new["row"], new["original"] = edit.position, original
        encoder = _load(project, row, edit.language)
        if encoder is not None:
            _fill(new, np.zeros(1, np.int64), encoder, [edit.text])
        is_encoded = bool(new["is_encoded"][0])
        edited = np.concatenate([edited, new])
    stem = write_edited_rows(project.folder, row, edited)
    now = row._replace(array=stem)
    before, after = (_n_zero(project, one, edit.position) for one in (row, now))
    return EditedEmbedding(row, stem, row.n_zero - before + after, is_encoded)


def _fill(
    edited: EditedRows, indices: IdArray, encoder: Encoder, texts: Sequence[str]
) -> None:
    """Encode texts into rows."""
    unit_vectors, norms = normalise_rows(encoder.encode(texts))
    edited["unit"][indices], edited["norm"][indices] = unit_vectors, norms
    edited["is_encoded"][indices] = True


def _load(project: Project, row: EmbeddingRow, language: str) -> Encoder | None:
    """Load the encoder of an embedding; None if there is none that can encode."""
    try:
        loaded = load_encoder(row.encoder, project.folder)
        encoder = encoder_of_language(loaded, language)
        encoder.encode([])  # raises for an encoder that only has imported vectors
    except (UserError, ResourceError):
        return None
    return encoder if encoder.fingerprint == row.fingerprint else None


def _n_zero(project: Project, row: EmbeddingRow, position: int) -> int:
    """Return 1 if a sentence of a complete embedding has no vector, else 0."""
    if row.n_done < row.n_rows:
        return 0
    return int(map_embedding(project.folder, row)[2][position] == 0)
