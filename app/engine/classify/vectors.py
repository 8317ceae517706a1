"""Unit vectors of labelled texts: kept ones where there are, else encoded."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.engine.classify.labelled import Labelled
from app.engine.encoders.encoder import Encoder, normalise_rows
from app.engine.encoders.kept_vectors import encode_kept
from app.engine.report import Report
from app.engine.store.arrays import FloatArray, is_whole, map_embedding
from app.engine.store.embedding_writes import find_embedding
from app.engine.store.rows import first_id
from app.engine.text.segment import split_sentences

if TYPE_CHECKING:
    from app.engine.project import Project


def vectors_of(
    project: "Project | None",
    encoder: Encoder,
    rows: Labelled,
    report: Report,
    *,
    document_language: str = "",
    keeps: bool = True,
) -> tuple[FloatArray, ...]:
    """Give a unit vector for each text of each column: float32 (n, d).

    Args:
        project: whose vectors of corpora are taken; None: all are made.
        encoder: makes those that are not kept.
        rows: texts or pairs.
        report: shows the encoding.
        document_language: not empty: the texts are documents in that language, each
            the mean of its sentences' vectors (as LASER does with MLDoc).
        keeps: whether the project keeps what is made.
    """
    keeper = project if keeps else None
    if document_language:
        return tuple(
            document_vectors(keeper, encoder, texts, document_language, report)
            for texts in rows.texts
        )
    found = []
    for column, texts in enumerate(rows.texts):
        kept = _kept_rows(project, encoder, rows, column)
        if kept is None:
            kept, _ = normalise_rows(encode_kept(keeper, encoder, texts, report))
        found.append(kept)
    return tuple(found)


def document_language(rows: Labelled, *, documents: bool) -> str:
    """Give the language to split documents in: the corpus's, of a file English.

    Empty where the texts are no documents.
    """
    if not documents:
        return ""
    return rows.corpora[0].language if rows.corpora else "en"


def document_vectors(
    project: "Project | None",
    encoder: Encoder,
    texts: Sequence[str],
    language: str,
    report: Report,
) -> FloatArray:
    """Give the mean of the vectors of each document's sentences, at length 1."""
    parts = [split_sentences(text, language) or [text] for text in texts]
    flat = [sentence for part in parts for sentence in part]
    vectors, _ = normalise_rows(encode_kept(project, encoder, flat, report))
    ends = np.cumsum([len(part) for part in parts])
    sums = np.add.reduceat(vectors, np.concatenate([[0], ends[:-1]]), axis=0)
    return normalise_rows(sums.astype(np.float32))[0]


def _kept_rows(
    project: "Project | None", encoder: Encoder, rows: Labelled, column: int
) -> FloatArray | None:
    """Take the rows of a corpus's embedding by this encoder, where it is complete."""
    if project is None or not rows.corpora:
        return None
    corpus = rows.corpora[column]
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None or not is_whole(project.folder, row):
        return None
    unit_vectors, _, _ = map_embedding(project.folder, row)
    return np.asarray(unit_vectors[rows.places[:, column] - first_id(corpus.id)])
