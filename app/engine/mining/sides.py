"""One side of mining: the vectors of a corpus and the participating sentences."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IdArray
from app.engine.encoders.encoder import Encoder, encoder_of_language
from app.engine.mining.exact_search import ExactSide
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.search.languages import matches_language
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.embeddings import EmbeddingRow, find_embedding, map_embedding
from app.engine.store.lookup import with_subcorpus_name
from app.engine.store.sentences import read_integers, read_languages
from app.errors import UserError
from app.languages import parse_language
from app.params.flags import command_text
from app.params.vectors import Encode

LEFT_OUT = -1


class Participants(NamedTuple):
    """The participating sentences of one side.

    Attributes:
        rows: int64 (n,), ascending.
        stands_for: int64 (all,), for each row its participating representative: itself,
            or the first row with equal text; -1: left out.
        n_unknown: rows with a zero vector, since the encoder knows none of their
            pieces.
    """

    rows: IdArray
    stands_for: IdArray
    n_unknown: int

    @property
    def n_duplicates(self) -> int:
        """Count the sentences represented by an equal sentence."""
        return int((self.stands_for != LEFT_OUT).sum()) - len(self.rows)


def select_participants(
    hashes: IdArray,
    norms: NDArray[np.float32],
    *,
    wanted: NDArray[np.bool_] | None = None,
    is_once: bool = True,
) -> Participants:
    """Select the participating sentences.

    Args:
        hashes: int64 (all,), hashes of the texts.
        norms: float32 (all,), lengths of the vectors; 0: unknown text.
        wanted: bool (all,), sentences that may participate; None: all.
        is_once: whether the first of equal texts represents all.
    """
    is_in = norms > 0
    n_unknown = int((~is_in).sum()) if wanted is None else int((wanted & ~is_in).sum())
    if wanted is not None:
        is_in &= wanted
    rows = np.nonzero(is_in)[0]
    stands_for = np.full(len(hashes), LEFT_OUT, np.int64)
    if not is_once:
        stands_for[rows] = rows
        return Participants(rows, stands_for, n_unknown)
    _, first, inverse = np.unique(hashes[rows], return_index=True, return_inverse=True)
    stands_for[rows] = rows[first][inverse]
    return Participants(np.sort(rows[first]), stands_for, n_unknown)


class ProjectSide(NamedTuple):
    """One side of mining in a project.

    Attributes:
        corpus: corpus of the sentences.
        language: stored code of the participating sentences; empty: all.
        embedding: record of their vectors.
        exact: the mapped unit vectors, and the participating rows.
        participants: the participating sentences.
    """

    corpus: CorpusRow
    language: str
    embedding: EmbeddingRow
    exact: ExactSide
    participants: Participants

    def sentence_ids(self, indices: IdArray) -> IdArray:
        """Return the ids of participants by index; -1 stays -1."""
        rows = self.participants.rows[indices]
        return np.where(indices < 0, -1, rows + first_sentence_id(self.corpus.id))

    @property
    def described(self) -> str:
        """Return the corpus name, with the language if one was chosen."""
        given = f" ({self.language})" if self.language else ""
        return f"{self.corpus.name}{given}"


def load_side(
    project: Project,
    corpus: CorpusRow,
    encoder: Encoder,
    *,
    language: str = "",
    is_once: bool = True,
) -> ProjectSide:
    """Open one side.

    Args:
        language: code of the participating sentences, in any form; empty: all.
        is_once: whether only the first of equal texts participates.

    Raises:
        UserError: the corpus has no vectors yet or has a language that the encoder does
            not support, or no sentence participates.
    """
    encoder_of_language(encoder, corpus.language)
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None or row.n_done < row.n_rows:
        missing = Encode(corpora=(str(corpus.id),), encoder=encoder.name)
        raise UserError(
            f"{corpus.name} is not encoded by {encoder.name} yet. "
            f"Run: {command_text(missing, project.folder)}"
        )
    code = parse_language(language).code if language else ""
    unit_vectors, _, norms = map_embedding(project.folder, row)
    hashes = read_integers(project.store, corpus.id, "hash")
    wanted = wanted_mask(project, corpus, code)
    participants = select_participants(hashes, norms, wanted=wanted, is_once=is_once)
    if not len(participants.rows):
        raise UserError(_nobody(corpus, code, participants))
    exact = ExactSide(unit_vectors, participants.rows)
    return ProjectSide(
        with_subcorpus_name(project.store, corpus), code, row, exact, participants
    )


def wanted_mask(
    project: Project, corpus: CorpusRow, code: str
) -> NDArray[np.bool_] | None:
    """Return which sentences may participate: bool (n,); None: all."""
    chosen = active_positions(project, corpus)
    if chosen is None:
        return language_mask(project, corpus, code) if code else None
    wanted = np.zeros(corpus.n_sentences, bool)
    wanted[chosen] = True
    if code:
        wanted &= language_mask(project, corpus, code)
    return wanted


def check_apart(source: ProjectSide, target: ProjectSide) -> None:
    """Check that no sentence is on both sides.

    Raises:
        UserError: some sentences are on both sides.
    """
    if source.corpus.id != target.corpus.id:
        return
    rows = (source.participants.rows, target.participants.rows)
    if len(np.intersect1d(*rows, assume_unique=True)):
        raise UserError(
            f"The same sentences of {source.corpus.name} are on both sides. Choose "
            "two corpora, or two languages of one corpus."
        )


def language_mask(project: Project, corpus: CorpusRow, code: str) -> NDArray[np.bool_]:
    """Return which sentences of a corpus are in a language: bool (n,)."""
    codes = read_languages(project.store, corpus.id)
    if codes is None:
        return np.full(corpus.n_sentences, matches_language(corpus.language, [code]))
    chosen = [one for one in np.unique(codes) if matches_language(str(one), [code])]
    return np.isin(codes, chosen)


def _nobody(corpus: CorpusRow, code: str, participants: Participants) -> str:
    if participants.n_unknown:
        return (
            f"The encoder knows no part of any sentence of {corpus.name}. Choose "
            "another encoder."
        )
    if code:
        return f"{corpus.name} has no sentences in the language {code}."
    return f"All sentences of {corpus.name} are hidden or outside the sub-corpus."
