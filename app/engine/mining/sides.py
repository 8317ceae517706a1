"""One side of mining: the vectors of a corpus and the sentences that take part."""

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
    """The sentences of one side that take part.

    Attributes:
        rows: int64 (n,), rising.
        stands_for: int64 (all,), for each row the one that takes part for it: itself,
            or the first of equal text; -1 for those that are left out.
        n_unknown: rows whose vector is zero: the encoder knows no piece of them.
    """

    rows: IdArray
    stands_for: IdArray
    n_unknown: int

    @property
    def n_duplicates(self) -> int:
        """Count the sentences for which an equal one stands."""
        return int((self.stands_for != LEFT_OUT).sum()) - len(self.rows)


def select_participants(
    hashes: IdArray,
    norms: NDArray[np.float32],
    *,
    wanted: NDArray[np.bool_] | None = None,
    is_once: bool = True,
) -> Participants:
    """Choose the sentences that take part.

    Args:
        hashes: int64 (all,), of the texts.
        norms: float32 (all,), lengths of the vectors; 0: nothing is known of the text.
        wanted: bool (all,), of the language asked for; None: all.
        is_once: the first of sentences with equal text stands for all.
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
    """One side.

    Attributes:
        corpus: whose sentences.
        language: stored code of those that take part; empty: all.
        embedding: their vectors.
        exact: the unit vectors, mapped, and the rows that take part.
        participants: who takes part, and for whom.
    """

    corpus: CorpusRow
    language: str
    embedding: EmbeddingRow
    exact: ExactSide
    participants: Participants

    def sentence_ids(self, places: IdArray) -> IdArray:
        """Return the sentences at places among those that take part; -1 stays."""
        rows = self.participants.rows[places]
        return np.where(places < 0, -1, rows + first_sentence_id(self.corpus.id))

    @property
    def described(self) -> str:
        """Name the corpus, and the language where one was chosen."""
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
    """Open a side.

    Args:
        language: code of those that take part, in any form; empty: all.
        is_once: of sentences with equal text the first takes part.

    Raises:
        UserError: the corpus has no vectors yet or is in a language that the encoder
            does not have, or nothing takes part.
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
    """Return which sentences may take part: bool (n,); None: all."""
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
        UserError: some are.
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
