"""Encoders side by side: a row for what was measured, a column for each encoder."""

from collections.abc import Iterator, Sequence

from app.engine.reporting.tables import Table, make_table
from app.measurement_cells import Cell, cell_of
from app.measurement_tables import IDENTITY
from app.measurements import (
    Correlated,
    Measurement,
    Probed,
    Retrieved,
    SpaceMeasured,
    Transferred,
)

FIGURES: dict[type[Measurement], str] = {  # of each kind, the one that is compared
    Probed: "accuracy",
    Retrieved: "error",
    Correlated: "pearson",
    SpaceMeasured: "value",
    Transferred: "score",
}


def side_by_side(rows: Sequence[Measurement]) -> Iterator[Table]:
    """Give a table for each kind of which several encoders were measured.

    Long ones are left out: pictures show them, and the figures of each run.
    """
    for kind, figure in FIGURES.items():
        of_kind = [row for row in rows if type(row) is kind]
        if len({row.encoder for row in of_kind}) < 2:
            continue
        lines: dict[tuple[str, ...], dict[str, Cell]] = {}
        title = figure
        for row in of_kind:
            what = [cell_of(row, name) for name in IDENTITY if hasattr(row, name)]
            line = lines.setdefault(tuple(cell.text for _, cell in what), dict(what))
            title, line[row.encoder] = cell_of(row, figure)
        table = make_table(f"Side by side: {title}", [*lines.values()])
        if not table.is_long:
            yield table


__all__ = ["side_by_side"]
