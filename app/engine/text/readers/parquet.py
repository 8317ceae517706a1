"""Read Parquet: columns of text or numbers, also within a struct."""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from app.engine.text.documents import SourceDocument
from app.engine.text.files import ByteSource, load_pyarrow
from app.engine.text.lines import MAX_LINE
from app.engine.text.readers.blocks import TOO_LONG, Block, Reading
from app.engine.text.readers.table_layout import (
    N_SAMPLE,
    TableColumns,
    TableLayout,
    choose_columns,
)
from app.errors import UserError
from app.params.corpora import ImportCorpus

_ROWS = 1_000
_BUFFER = 256 * 1024  # bytes of a column read at a time


def read_parquet(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a Parquet file; see `readers.open_reading` (any limit: the first rows)."""
    path = params.files[0]
    shape, rows, total = parquet_head(params)
    columns = choose_columns(shape, rows, params)
    source = ByteSource(path)
    place = [0]

    def blocks() -> Iterator[Block]:
        more = (columns.label, columns.language, columns.document)
        picked = [
            *columns.sides,
            *(index for index in more if index is not None),
            *(index for _, index in columns.fields),
        ]
        indices = list(dict.fromkeys(picked))
        names = [shape.names[index] for index in indices]
        for values in _stream_columns(path, names):
            by_index = dict(zip(indices, values, strict=True))
            yield _make_block(by_index, columns, place[0] + 1)
            place[0] += len(values[0])
            if limit is not None:
                return

    return Reading(
        languages=columns.languages,
        blocks=blocks(),
        fraction=lambda: min(1.0, place[0] / max(1, total)),
        check=source.check_unchanged,
        close=source.close,
        notes=list(columns.notes),
        columns=tuple(shape.names[index] for index in columns.sides),
    )


def parquet_head(params: ImportCorpus) -> tuple[TableLayout, list[list[str]], int]:
    """Read the names of text and number columns, the first rows, and the row count."""
    path = params.files[0]
    with _opened(path) as file:
        names = tuple(_usable_names(file.schema_arrow))
        total = file.metadata.num_rows
    if not names or not total:
        raise UserError(f"{path} has no text column to import.")
    with closing(_stream_columns(path, list(names), n_rows=N_SAMPLE)) as first:
        values = next(first, None)
    if values is None:
        raise UserError(
            f"{path} is damaged: it contains none of the {total:,} rows that it lists. "
            "Export it again."
        )
    rows = [list(row) for row in zip(*values, strict=True)]
    return TableLayout("", False, True, names), rows, total


def _make_block(
    values: dict[int, list[str]], columns: TableColumns, first: int
) -> Block:
    """Create a block from columns; rows with a huge text are refused."""
    rows = range(len(values[columns.sides[0]]))
    huge = [
        row for row in rows if any(len(own[row]) > MAX_LINE for own in values.values())
    ]
    kept = [row for row in rows if row not in huge] if huge else rows
    picked = {index: [own[row] for row in kept] for index, own in values.items()}
    return Block(
        [first + row for row in kept],
        [picked[index] for index in columns.sides],
        [] if columns.label is None else picked[columns.label],
        [(first + row, TOO_LONG) for row in huge],
        {},
        () if columns.language is None else picked[columns.language],
        _marks(picked, columns, len(kept)) if columns.has_documents else (),
    )


def _marks(
    picked: dict[int, list[str]], columns: TableColumns, n: int
) -> list[SourceDocument]:
    """Read the documents of n rows."""
    width = columns.last_of_all + 1
    cells = [picked.get(index) or [""] * n for index in range(width)]
    return [columns.mark(row) for row in zip(*cells, strict=True)]


def _stream_columns(
    path: Path, names: list[str], n_rows: int = _ROWS
) -> Generator[list[list[str]], None, None]:
    """Stream named columns as texts, some rows at a time; null becomes empty."""
    with _opened(path) as file:
        for batch in file.iter_batches(batch_size=n_rows, columns=names):
            yield [_column_texts(batch, name) for name in names]


def _column_texts(batch: Any, name: str) -> list[str]:
    """Read a column of a batch; `translation.de` is a field of a struct."""
    top = name if name in batch.schema.names else name.partition(".")[0]
    values = batch.column(top).to_pylist()
    for key in name[len(top) + 1 :].split(".") if top != name else ():
        values = [None if value is None else value.get(key) for value in values]
    return ["" if value is None else str(value) for value in values]


def _usable_names(fields: Any, prefix: str = "") -> Iterator[str]:
    """Return the names of text and number columns; struct fields are paths."""
    types = load_pyarrow("pyarrow.types")
    for one in fields:
        kind = one.type.value_type if types.is_dictionary(one.type) else one.type
        is_text = any(
            test(kind)
            for test in (types.is_string, types.is_large_string, types.is_string_view)
        )
        if types.is_struct(kind):
            yield from _usable_names(kind, f"{prefix}{one.name}.")
        elif is_text or types.is_integer(kind) or types.is_floating(kind):
            yield f"{prefix}{one.name}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file as a context manager that raises damage as a UserError."""
    arrow, parquet = load_pyarrow(), load_pyarrow("pyarrow.parquet")
    try:
        with path.open("rb") as stream:
            yield parquet.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False)
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise UserError(
            f"{path} is not a Parquet file, or it is damaged ({error}). Export it "
            "again."
        ) from error
