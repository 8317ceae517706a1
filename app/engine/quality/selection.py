"""Select the sentences to check and open their vectors."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import IdArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.mining.exact_search import ExactSide
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.projection.points import (
    CodedNames,
    check_finite,
    load_points,
    read_point_languages,
)
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.search.corpus_encoding import encode_corpora
from app.engine.store.corpora import CorpusRow, first_sentence_id, list_corpora
from app.engine.store.lookup import find_corpora
from app.engine.store.sentences import iterate_texts, read_integers, read_sentences
from app.errors import UserError

FOLDER = "care"  # in a project's arrays/: joined vectors of several corpora
READING_STAGE = "Reading sentences"
READ_AT_ONCE = 10_000


class SentenceSelection(NamedTuple):
    """The active sentences of corpora.

    Attributes:
        corpora: corpora by id.
        ids: int64 (n,), ascending sentence ids.
        languages: language of each sentence.
    """

    corpora: list[CorpusRow]
    ids: IdArray
    languages: CodedNames

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.ids)

    @property
    def named(self) -> str:
        """The names of the corpora."""
        return ", ".join(corpus.name for corpus in self.corpora)


class EncodedSentences(NamedTuple):
    """The selected sentences that have a vector.

    Attributes:
        places: indices in the selection, int64 (m,), ascending.
        side: their unit vectors, memory-mapped.
        encoder: encoder of the vectors.
    """

    places: IdArray
    side: ExactSide
    encoder: Encoder

    def part(
        self, is_in: "IdArray | np.ndarray[tuple[int], np.dtype[np.bool_]]"
    ) -> "EncodedSentences":
        """Return some of the sentences, by indices int64 (m,) or a mask (n,)."""
        rows = np.arange(len(self.places)) if self.side.rows is None else self.side.rows
        side = ExactSide(self.side.vectors, rows[is_in])
        return EncodedSentences(self.places[is_in], side, self.encoder)


def select_sentences(project: Project, names: Sequence[str]) -> SentenceSelection:
    """Select the active sentences of corpora and sub-corpora (no names = all).

    Raises:
        UserError: an unknown corpus, or no sentences.
    """
    rows = find_corpora(project.store, names) if names else list_corpora(project.store)
    parts = [np.empty(0, np.int64)]
    for row in rows:
        taken = active_positions(project, row)
        positions = np.arange(row.n_sentences) if taken is None else taken
        parts.append(positions + first_sentence_id(row.id))
    ids = np.unique(np.concatenate(parts))
    if not len(ids):
        where = ", ".join(row.name for row in rows)
        raise UserError(
            f"{where} has no active sentences. Restore hidden ones or choose another "
            "corpus."
            if where
            else "The project has no corpus yet. Import one first."
        )
    corpora = sorted({row.id: row for row in rows}.values(), key=lambda row: row.id)
    return SentenceSelection(
        corpora, ids, read_point_languages(project.store, corpora, ids)
    )


def encode_selection(
    project: Project, chosen: SentenceSelection, encoder_name: str, report: Report
) -> EncodedSentences:
    """Encode the sentences that have no vector yet, and open the vectors.

    Raises:
        UserError: an unknown encoder, one that knows no subword of any sentence, or a
            vector with a value that is not a number.
    """
    report.step("Loading the encoder", 0, 1)
    device = preferred_device()
    encoder = load_encoder(encoder_name, project.folder, device=device)
    encode_corpora(project, encoder, chosen.corpora, report)
    points = load_points(project, chosen.corpora, encoder, folder_of(project), report)
    check_finite(points, chosen.corpora, report)
    _, rows, places = np.intersect1d(
        points.ids, chosen.ids, assume_unique=True, return_indices=True
    )
    if not len(rows):
        raise UserError(
            f"{encoder.name} knows no part of any sentence of {chosen.named}. Choose "
            "another encoder."
        )
    own = rows if points.side.rows is None else points.side.rows[rows]
    return EncodedSentences(places, ExactSide(points.side.vectors, own), encoder)


def folder_of(project: Project) -> Path:
    """Return the folder of joined vectors."""
    return project.folder / "arrays" / FOLDER


def drop_folder(project: Project) -> None:
    """Delete the joined vectors (Windows keeps files that are still mapped)."""
    shutil.rmtree(folder_of(project), ignore_errors=True)


def read_hashes(project: Project, chosen: SentenceSelection) -> IdArray:
    """Read the hashes of the texts: int64 (n,)."""
    parts = []
    for corpus, ids in _by_corpus(chosen):
        hashes = read_integers(project.store, corpus.id, "hash")
        parts.append(hashes[ids - first_sentence_id(corpus.id)])
    return np.concatenate(parts)


def read_all_texts(
    project: Project, chosen: SentenceSelection, report: Report
) -> list[str]:
    """Read the texts of all selected sentences, in order."""
    texts: list[str] = []
    for corpus, ids in _by_corpus(chosen):
        wanted = set(ids.tolist()) if len(ids) < corpus.n_sentences else None
        for page in iterate_texts(project.store, corpus.id):
            report.step(READING_STAGE, len(texts), len(chosen))
            texts += [text for id_, text in page if wanted is None or id_ in wanted]
    return texts


def read_some_texts(project: Project, ids: IdArray, report: Report) -> dict[int, str]:
    """Read the texts of sentences by their ids, int64 (m,)."""
    wanted = np.unique(ids).tolist()
    texts: dict[int, str] = {}
    for start in range(0, len(wanted), READ_AT_ONCE):
        report.step(READING_STAGE, start, len(wanted))
        part = wanted[start : start + READ_AT_ONCE]
        rows = read_sentences(project.store, part)
        texts |= {row.id: row.text for row in rows if row is not None}
    return texts


def _by_corpus(chosen: SentenceSelection) -> list[tuple[CorpusRow, IdArray]]:
    parts = []
    for corpus in chosen.corpora:
        bounds = [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
        first, last = np.searchsorted(chosen.ids, bounds)
        if last > first:
            parts.append((corpus, chosen.ids[first:last]))
    return parts
