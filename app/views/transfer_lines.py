"""A test of a classifier as tables in files: the board, and its errors."""

from collections.abc import Iterator, Sequence

from app.transfer import LanguageDetails
from app.views.transfers import BoardRow


def board_lines(rows: Sequence[BoardRow]) -> Iterator[Sequence[str]]:
    """Give the board as a table, the header first; rates 0…1."""
    yield (
        *("language", "name", "n", "accuracy", "low", "high"),
        *("macro_f1", "macro_f1_low", "macro_f1_high", "majority", "known_rows"),
    )
    for row in rows:
        numbers = (row.value, row.low, row.high, row.f1, row.f1_low, row.f1_high)
        cells = ["" if v is None else f"{v:.6f}" for v in (*numbers, row.majority)]
        yield (row.key, row.title, str(row.n), *cells, str(row.n_known))


def error_lines(details: Sequence[LanguageDetails]) -> Iterator[Sequence[str]]:
    """Give the most confident errors as a table, the header first."""
    yield (
        *("language", "place", "label", "predicted", "probability", "text"),
        *("nearest_text", "nearest_label", "nearest_cosine"),
    )
    for one in details:
        for error in one.errors:
            near = error.nearest[0] if error.nearest else None
            yield (
                one.name,
                str(error.place),
                error.label,
                error.predicted,
                f"{error.probability:.6f}",
                " | ".join(error.texts),
                " | ".join(near.texts) if near else "",
                near.label if near else "",
                f"{near.cosine:.4f}" if near else "",
            )
