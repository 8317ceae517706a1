"""Vectors of labelled texts, and features for heads."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from app.arrays import FloatArray
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import (
    find_embedding,
    is_embedding_complete,
    map_embedding,
)
from app.engine.text.segmentation import split_sentences


def vectors_of(
    project: Project | None,
    encoder: Encoder,
    rows: LabelledRows,
    report: Report,
    *,
    document_language: str = "",
    keeps: bool = True,
) -> tuple[FloatArray, ...]:
    """Return a unit vector for each text of each column: float32 (n, d).

    Args:
        project: project with stored vectors; None: encode all texts.
        encoder: encodes texts without stored vectors.
        rows: texts or pairs.
        document_language: not empty: the texts are documents in that language, each
            the mean of its sentences' vectors (as LASER does with MLDoc).
        keeps: whether to store new vectors in the project.
    """
    keeper = project if keeps else None
    if document_language:
        return tuple(
            document_vectors(keeper, encoder, texts, document_language, report)
            for texts in rows.texts
        )
    source = project, keeper
    return _columns_of(source, encoder, rows, report, normalised=True)


def raw_vectors_of(
    project: Project | None,
    encoder: Encoder,
    rows: LabelledRows,
    report: Report,
    *,
    keeps: bool = True,
) -> tuple[FloatArray, ...]:
    """Return vectors that are not normalised: float32 (n, d).

    See `vectors_of`.
    """
    source = project, project if keeps else None
    return _columns_of(source, encoder, rows, report, normalised=False)


def _columns_of(
    source: tuple[Project | None, Project | None],
    encoder: Encoder,
    rows: LabelledRows,
    report: Report,
    *,
    normalised: bool,
) -> tuple[FloatArray, ...]:
    """Return the vectors of each column; `source` has and stores vectors."""
    project, keeper = source
    found = []
    for column, texts in enumerate(rows.texts):
        kept = _kept_rows(project, encoder, rows, column, normalised=normalised)
        if kept is None:
            language = rows.language(column)
            kept = encode_cached(keeper, encoder, texts, report, language=language)
            if normalised:
                kept, _ = normalise_rows(kept)
        found.append(kept)
    return tuple(found)


def document_language(rows: LabelledRows, *, documents: bool) -> str:
    """Return the language for splitting documents: the corpus's, or English for files.

    Empty if the texts are not documents.
    """
    if not documents:
        return ""
    return rows.corpora[0].language if rows.corpora else "en"


def document_vectors(
    project: Project | None,
    encoder: Encoder,
    texts: Sequence[str],
    language: str,
    report: Report,
) -> FloatArray:
    """Return the normalised mean of each document's sentence vectors."""
    parts = [split_sentences(text, language) or [text] for text in texts]
    flat = [sentence for part in parts for sentence in part]
    made = encode_cached(project, encoder, flat, report, language=language)
    vectors, _ = normalise_rows(made)
    ends = np.cumsum([len(part) for part in parts])
    sums = np.add.reduceat(vectors, np.concatenate([[0], ends[:-1]]), axis=0)
    return normalise_rows(sums.astype(np.float32))[0]


def _kept_rows(
    project: Project | None,
    encoder: Encoder,
    rows: LabelledRows,
    column: int,
    *,
    normalised: bool,
) -> FloatArray | None:
    """Return stored vectors of a corpus's rows, if the corpus is completely encoded."""
    if project is None or not rows.corpora:
        return None
    corpus = rows.corpora[column]
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None or not is_embedding_complete(project.folder, row):
        return None
    unit_vectors, _, norms = map_embedding(project.folder, row)
    positions = rows.places[:, column] - first_sentence_id(corpus.id)
    vectors = np.asarray(unit_vectors[positions])
    return vectors if normalised else vectors * norms[positions, None]


FeatureName = Literal["single", "pair", "difference"]


def make_features(vectors: tuple[FloatArray, ...], kind: FeatureName) -> FloatArray:
    """Make the features of texts or pairs.

    The features of a single text are its vector; of a pair, u, v, u∗v and |u−v|
    (Conneau et al. 2017, InferSent, section 3.1; in LASER's order), or only |u−v| and
    u∗v, which do not depend on the order of the texts (Tai et al. 2015, equation 15).

    Args:
        vectors: float32 (n, d); two for pairs.
        kind: single, pair or difference.

    Returns:
        float32 (n, d), (n, 4d) or (n, 2d).
    """
    if kind == "single":
        return vectors[0]
    first, second = vectors
    product, difference = first * second, np.abs(first - second)
    if kind == "difference":
        return np.concatenate([difference, product], axis=1)  # -> (n, 2d)
    return np.concatenate([first, second, product, difference], axis=1)  # -> (n, 4d)


def n_texts(kind: FeatureName) -> int:
    """Return the number of texts per row."""
    return 1 if kind == "single" else 2


def n_features(dim: int, kind: FeatureName) -> int:
    """Return the number of features for vectors of `dim` dimensions."""
    return {"single": 1, "pair": 4, "difference": 2}[kind] * dim
