"""Task: compute what each token of two sentences contributes to their cosine."""

from typing import TYPE_CHECKING, Any

import msgspec

from app.engine.attribution.answer import attribute_similarity as look
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.params.vectors import LookInside

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_VALUES = 4_000  # of matrices that are told; the result is at most 60 KB


class LookInsideResult(msgspec.Struct, frozen=True):
    """What was found; see `TokensQuery`.

    Attributes:
        matrices: as many, from the first on, as fit: similarity, then attention.
    """

    encoder: str
    pooling: str
    cosine: float
    first: dict[str, Any]
    second: dict[str, Any]
    matrices: list[dict[str, Any]]
    how: list[str]
    notes: list[str]


def look_inside(
    project: "Project | None", params: LookInside, report: Report
) -> LookInsideResult:
    """Look inside two sentences with one encoder.

    Raises:
        UserError: a sentence can't be looked into.
    """
    report.step("Looking inside", 0, 1)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    found = look(encoder, params.text, params.other)
    matrices, notes = [], list(found.answer["notes"])
    n_values = 0
    for one in found.answer["matrices"]:
        height, width = one["shape"]
        n_values += height * width
        if n_values > MAX_VALUES:
            notes.append("Further matrices are left out: the window shows them all.")
            break
        at = one.pop("at")
        values = found.matrices[at : at + height * width].reshape(height, width)
        rows = [[round(float(value), 4) for value in row] for row in values]
        matrices.append(one | {"values": rows})
    report.step("Looking inside", 1, 1)
    return LookInsideResult(**{**found.answer, "matrices": matrices, "notes": notes})
