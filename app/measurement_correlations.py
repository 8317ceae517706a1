"""The picture of probing against downstream scores: ρ of each two, over encoders."""

from collections.abc import Iterator, Sequence

from app.charts import RHO, HeatMap
from app.measurement_notes import CORRECTIONS, CORRELATED
from app.measurements import ScoresCorrelated

SIGN, SIGNIFICANT = "*", 0.05


def charts_of_correlations(rows: Sequence[ScoresCorrelated]) -> Iterator[HeatMap]:
    """Draw a matrix each: probing a row, what it is set against a column."""
    for encoder in dict.fromkeys(row.encoder for row in rows):
        of_it = [row for row in rows if row.encoder == encoder]
        for correction in dict.fromkeys(row.correction for row in of_it):
            yield _draw([row for row in of_it if row.correction == correction])


def _draw(rows: Sequence[ScoresCorrelated]) -> HeatMap:
    first = rows[0]
    names = tuple(dict.fromkeys(row.probing for row in rows))
    columns = tuple(dict.fromkeys(row.downstream for row in rows))
    cells = {(row.probing, row.downstream): row for row in rows}
    grid = [[cells.get((name, column)) for column in columns] for name in names]
    correction = CORRECTIONS.get(first.correction, first.correction)
    return HeatMap(
        f"Probing against downstream scores · {first.encoder}",
        RHO,
        names,
        columns,
        tuple(tuple(c.spearman if c else None for c in row) for row in grid),
        low=-1.0,
        high=1.0,
        middle=0.0,
        note=CORRELATED.format(
            encoders=first.encoder, n=first.n_tests, correction=correction
        ),
        signs=tuple(tuple(_sign(cell) for cell in row) for row in grid),
        details=tuple(tuple(_detail(cell) for cell in row) for row in grid),
    )


def _sign(cell: ScoresCorrelated | None) -> str:
    p = cell.p_corrected if cell is not None else None
    return SIGN if p is not None and p < SIGNIFICANT else ""


def _detail(cell: ScoresCorrelated | None) -> str:
    """Tell n and p of a cell: 6 encoders, p 0.017, corrected 0.067."""
    if cell is None:
        return ""
    told = f"{cell.n} encoders"
    if cell.p is None or cell.p_corrected is None:
        return told
    return f"{told}, p {_format_p(cell.p)}, corrected {_format_p(cell.p_corrected)}"


def _format_p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


__all__ = ["charts_of_correlations"]
