"""One side of mining in a project: the vectors of a corpus, and who takes part."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.encoder import Encoder
from app.engine.mining.rescoring import ExactSide
from app.engine.mining.sides import IdArray, Participants, take_part
from app.engine.project import Project
from app.engine.search.languages import is_wanted
from app.engine.store.arrays import map_embedding
from app.engine.store.bulk import read_integers, read_languages
from app.engine.store.embedding_writes import find_embedding
from app.engine.store.find import titled
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow, EmbeddingRow, first_id
from app.errors import UserError
from app.languages import parse_language
from app.params import Encode
from app.params.flags import command_text


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
        """Give the sentences at places among those that take part; -1 stays."""
        rows = self.participants.rows[places]
        return np.where(places < 0, -1, rows + first_id(self.corpus.id))

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
        project: open for reading or writing.
        corpus: whose sentences.
        encoder: whose vectors.
        language: code of those that take part, in any form; empty: all.
        is_once: of sentences with equal text the first takes part.

    Raises:
        UserError: the corpus has no vectors yet, or nothing takes part.
    """
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
    wanted = who_is_wanted(project, corpus, code)
    participants = take_part(hashes, norms, wanted=wanted, is_once=is_once)
    if not len(participants.rows):
        raise UserError(_nobody(corpus, code, participants))
    exact = ExactSide(unit_vectors, participants.rows)
    return ProjectSide(titled(project.store, corpus), code, row, exact, participants)


def who_is_wanted(
    project: Project, corpus: CorpusRow, code: str
) -> NDArray[np.bool_] | None:
    """Tell which sentences may take part: bool (n,); None: all."""
    chosen = members(project, corpus)
    if chosen is None:
        return of_language(project, corpus, code) if code else None
    wanted = np.zeros(corpus.n_sentences, bool)
    wanted[chosen] = True
    if code:
        wanted &= of_language(project, corpus, code)
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
            f"The same sentences of {source.corpus.name} are on both sides: choose two "
            "corpora, or two languages of one."
        )


def of_language(project: Project, corpus: CorpusRow, code: str) -> NDArray[np.bool_]:
    """Tell which sentences of a corpus are in a language: bool (n,)."""
    codes = read_languages(project.store, corpus.id)
    if codes is None:
        return np.full(corpus.n_sentences, is_wanted(corpus.language, [code]))
    chosen = [one for one in np.unique(codes) if is_wanted(str(one), [code])]
    return np.isin(codes, chosen)


def _nobody(corpus: CorpusRow, code: str, participants: Participants) -> str:
    if participants.n_unknown:
        return (
            f"The encoder knows no piece of any sentence of {corpus.name}: choose "
            "another encoder."
        )
    if code:
        return f"{corpus.name} has no sentence in the language {code}."
    return f"{corpus.name} has no sentence that takes part."
