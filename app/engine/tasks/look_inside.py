"""Task: compute what each token of two sentences contributes to their cosine."""

from typing import TYPE_CHECKING, Literal

import msgspec

from app.engine.attribution.answer import attribute_similarity
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.params.vectors import LookInside
from app.protocol.answers.attribution import SentenceScores

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_VALUES = 4_000  # in all matrices, so that the result stays below 60 KB


class MatrixValues(msgspec.Struct, frozen=True):
    """A matrix with its values; see `TokenMatrix`."""

    name: str
    side: Literal["first", "second", "both"]
    head: int
    shape: tuple[int, int]
    entropy: float | None
    values: list[list[float]]


class LookInsideResult(msgspec.Struct, frozen=True):
    """Scores of tokens; see `TokensAnswer`.

    Attributes:
        matrices: the similarity matrix, then as many attention matrices as fit.
    """

    encoder: str
    pooling: str
    cosine: float
    first: SentenceScores
    second: SentenceScores
    matrices: list[MatrixValues]
    how: list[str]
    notes: list[str]


def look_inside(
    project: "Project | None", params: LookInside, report: Report
) -> LookInsideResult:
    """Compute what each token of two sentences contributes to their cosine.

    Raises:
        UserError: the encoder can't tokenise a sentence.
    """
    report.step("Comparing tokens", 0, 1)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    answer, flat = attribute_similarity(encoder, params.text, params.other)
    matrices, notes, n_values = [], list(answer.notes), 0
    for one in answer.matrices:
        n = one.shape[0] * one.shape[1]
        n_values += n
        if n_values > MAX_VALUES:
            notes.append("More matrices are left out; the window shows all of them.")
            break
        rows = flat[one.at : one.at + n].reshape(one.shape).tolist()
        values = [[round(value, 4) for value in row] for row in rows]
        matrices.append(
            MatrixValues(one.name, one.side, one.head, one.shape, one.entropy, values)
        )
    report.step("Comparing tokens", 1, 1)
    return LookInsideResult(
        encoder=answer.encoder,
        pooling=answer.pooling,
        cosine=answer.cosine,
        first=answer.first,
        second=answer.second,
        matrices=matrices,
        how=answer.how,
        notes=notes,
    )
