"""Sentences and further candidates of a retrieval evaluation."""

from typing import TYPE_CHECKING, NamedTuple

from app.engine.evaluation.aligned_texts import (
    MIN_ALIGNED_ROWS,
    AlignedData,
    read_aligned_texts,
)
from app.engine.evaluation.recording import digest_texts
from app.engine.text.changed_facts import make_variants
from app.engine.text.line_files import read_lines
from app.errors import UserError
from app.params.evaluation import EvaluateRetrieval

if TYPE_CHECKING:
    from app.engine.project.project import Project


class RetrievalTexts(NamedTuple):
    """Sentences and candidates of a retrieval evaluation.

    Attributes:
        aligned: sentences.
        pool: further candidates in the language of the first target.
        n_variants: number of candidates that are variants of the targets.
    """

    aligned: AlignedData
    pool: list[str]
    n_variants: int

    @property
    def pool_name(self) -> str:
        """Return the name of the column that the further candidates belong to."""
        return self.aligned.pairs[0][1]

    def candidates(self, name: str) -> list[str]:
        """Return the candidates of a column."""
        further = self.pool if name == self.pool_name else []
        return self.aligned.texts[name] + further


def read_retrieval_texts(
    params: EvaluateRetrieval, project: "Project | None"
) -> RetrievalTexts:
    """Read the sentences and the pool, without duplicates if set in the params.

    Raises:
        UserError: a file can't be read, its sides are not aligned, options conflict, or
            too few sentences remain.
    """
    aligned = read_aligned_texts(params, project)
    if (params.pools or params.variants) and aligned.is_matrix:
        raise UserError(
            "A pool has the language of one compared column. Remove either the matrix "
            "or the pool and the variants."
        )
    if params.drop_duplicates:
        aligned = _drop_duplicates(aligned)
    pool = [text for file in params.pools for text in read_lines(file)]
    variants = _make_variants(aligned, params)
    return RetrievalTexts(aligned, pool + variants, len(variants))


def digest_direction(
    texts: RetrievalTexts, params: EvaluateRetrieval, names: tuple[str, str]
) -> str:
    """Return the SHA-256 of the texts of one direction, source and target."""
    further = digest_texts(texts.pool)
    if params.n_random is not None:
        further += f" {params.n_random} {params.seed}"
    digests = [digest_texts(texts.aligned.texts[name]) for name in names]
    return digest_texts([*digests, further])


def _drop_duplicates(aligned: AlignedData) -> AlignedData:
    """Keep the first row with each sentence, in every language.

    Raises:
        UserError: fewer than two rows remain.
    """
    seen: dict[str, set[str]] = {name: set() for name in aligned.texts}
    kept = []
    for row, texts in enumerate(zip(*aligned.texts.values(), strict=True)):
        sides = list(zip(seen.values(), texts, strict=True))
        if all(text not in known for known, text in sides):
            kept.append(row)
            for known, text in sides:
                known.add(text)
    if len(kept) < MIN_ALIGNED_ROWS:
        raise UserError(
            f"Without duplicates, too few rows are left ({len(kept)}; at least "
            f"{MIN_ALIGNED_ROWS} are needed). Keep the duplicates."
        )
    return aligned.keep(kept)


def _make_variants(aligned: AlignedData, params: EvaluateRetrieval) -> list[str]:
    """Return variants of the target sentences.

    Raises:
        UserError: there are no variants.
    """
    if not params.variants:
        return []
    name = aligned.pairs[0][1]
    variants = make_variants(aligned.texts[name], params.variants, seed=params.seed)
    if not variants:
        raise UserError(
            f"No variant of a sentence of {name} could be made. Variants need English "
            "sentences in the target file or the compared column."
        )
    return variants
