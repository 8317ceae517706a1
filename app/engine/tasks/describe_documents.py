"""Task: add fields to the documents of a corpus from a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from app.engine.edits.documents import apply_fields
from app.engine.edits.journal import record_edit
from app.engine.runtime.blocking_calls import ChildCall
from app.engine.runtime.reader_process import call_reader
from app.engine.runtime.report import Report
from app.engine.store.documents import DocumentRow, list_documents
from app.engine.store.lookup import find_whole_corpus
from app.engine.text.documents import DocumentCheck, SourceDocument
from app.engine.text.normalisation import clean_text
from app.engine.text.readers import name_format
from app.engine.text.readers.bounded import open_bounded_reading
from app.errors import UserError
from app.params import build_params, params_to_json
from app.params.corpora import DescribeDocuments, ImportCorpus
from app.plurals import count_text
from app.results.task import TaskResult

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.project.project import Project

MAX_LISTED = 20  # of each kind
READING = "Reading the table"


class DescribeResult(TaskResult, frozen=True, kw_only=True):
    """Fields read from a table.

    Attributes:
        n_documents: named documents of the corpus.
        n_described: documents that a row names.
        fields: names of the added fields.
        unknown: the first 20 rows that name no document.
        without_row: names of the first 20 documents without a row.
        problems: sentences on the first 20 rows and values that were left out.
    """

    corpus: str
    n_documents: int
    n_described: int
    fields: tuple[str, ...]
    n_unknown: int
    unknown: tuple[str, ...]
    n_without_row: int
    without_row: tuple[str, ...]
    n_problems: int
    problems: tuple[str, ...]


class _Given(NamedTuple):
    """Fields by the name of the document, and unusable rows and values."""

    fields: dict[str, dict[str, str]]
    unknown: list[str]
    problems: list[str]


def describe_documents(
    project: "Project", params: DescribeDocuments, report: Report
) -> DescribeResult:
    """Add fields to documents, as one undoable step.

    An empty cell leaves the existing value. A row names a document by its full name, or
    by the last part of the name if that is unique.

    Raises:
        UserError: the corpus has no documents, the file is not a table, or none of its
            rows names a document; nothing is changed.
        ResourceError: the file is missing.
    """
    why = "documents are described for the whole corpus"
    corpus = find_whole_corpus(project.store, params.corpus, why)
    rows = list_documents(project.store, corpus.id)
    if not rows:
        raise UserError(
            f"{corpus.name} has no documents. Import it as a folder, or with a "
            "document "
            "column."
        )
    header, table = read_rows(params.file, report)
    given = _match(header, table, rows)
    if not given.fields:
        raise UserError(
            f"No row of {params.file} ({count_text(len(table), 'row')}) names a "
            f"document of {corpus.name} in its first column ({header[0]}). A document "
            f"is named {rows[0].name!r}, for example. Nothing was changed."
        )
    new = {
        row.first: {**row.fields, **given.fields[row.name]}
        for row in rows
        if row.name in given.fields
    }
    with project.store.begin() as connection:
        change, step = apply_fields(connection, corpus.id, new)
        record_edit(connection, change, step)
    report.changed("document", corpus.id)
    return _result(corpus.name, rows, given)


def read_rows(
    path: "Path", report: Report
) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """Return the column names of a table with a header, and each row's line and cells.

    Raises:
        UserError: the file is not a table, or two columns have the same name.
    """
    kind = name_format(path)
    if kind not in ("tsv", "csv", "xlsx"):
        raise UserError(
            f"{path} is not a table. Choose a TSV, CSV or XLSX file with a header."
        )
    names = call_reader(
        ChildCall(
            "app.engine.text.readers.bounded:read_column_names",
            {"kind": kind, "params": params_to_json(_table_params(path))},
        ),
        tuple[str, ...],
        name=str(path),
        wait=lambda: report.step(READING, 0, 0),
    )
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice or len(names) < 2:
        why = f"two columns called {twice[0]}" if twice else "one column only"
        raise UserError(
            f"{path} has {why}: its first column must name the document, and "
            "the others must be fields with different names."
        )
    reading = open_bounded_reading(
        _table_params(path, columns=names), wait=lambda: report.step(READING, 0, 0)
    )
    found: list[tuple[int, tuple[str, ...]]] = []
    try:
        for block in reading.blocks:
            report.step(READING, len(found), 0)
            cells = zip(*block.sides, strict=True)
            found += zip(block.lines, cells, strict=True)
            found += [(line, ()) for line, _ in block.refused]
    finally:
        reading.close()
    return names, sorted(found)


def _table_params(path: "Path", **fields: Any) -> ImportCorpus:
    values = {"files": [path], "header": "yes", **fields}
    params: ImportCorpus = build_params(ImportCorpus, values)
    return params


def _match(
    header: Sequence[str],
    table: Sequence[tuple[int, tuple[str, ...]]],
    documents: Sequence[DocumentRow],
) -> _Given:
    """Find the document of each row, and the usable values."""
    names = dict.fromkeys(row.name for row in documents)
    short = _short_names(names)
    check = DocumentCheck((), may_have_old=True)
    given = _Given({}, [], [])
    for line, cells in table:
        if not any(cells):
            if not cells:
                given.problems.append(f"Line {line:,} has too few cells.")
            continue
        said = clean_text(cells[0])[0]
        name = said if said in names else short.get(_short(said), "")
        if not name:
            given.unknown.append(f"{said or '(no name)'} (line {line:,})")
        elif name in given.fields:
            given.problems.append(
                f"Line {line:,} names {name} again. The first line is used."
            )
        else:
            values = zip(header[1:], cells[1:], strict=True)
            given.fields[name] = dict(
                check.keep(SourceDocument(name, tuple(values))).fields
            )
    given.problems.extend(check.problems)
    return given


def _short_names(names: dict[str, None]) -> dict[str, str]:
    """Return documents by the last part of their name, if that is unique."""
    counts = Counter(map(_short, names))
    return {_short(name): name for name in names if counts[_short(name)] == 1}


def _short(name: str) -> str:
    """Return the last part of a name without the file extension."""
    last = PurePosixPath(name).name
    stem, dot, ending = last.rpartition(".")
    return stem if dot and stem and 2 <= len(ending) <= 6 and ending.isalpha() else last


def _result(
    corpus: str, documents: Sequence[DocumentRow], given: _Given
) -> DescribeResult:
    names = dict.fromkeys(row.name for row in documents)
    without = [name for name in names if name not in given.fields]
    fields = dict.fromkeys(key for row in given.fields.values() for key in row)
    return DescribeResult(
        corpus=corpus,
        n_documents=len(names),
        n_described=len(given.fields),
        fields=tuple(fields),
        n_unknown=len(given.unknown),
        unknown=tuple(given.unknown[:MAX_LISTED]),
        n_without_row=len(without),
        without_row=tuple(without[:MAX_LISTED]),
        n_problems=len(given.problems),
        problems=tuple(given.problems[:MAX_LISTED]),
        message=" ".join(_sentences(corpus, (len(names), without), given)),
    )


def _sentences(
    corpus: str, documents: tuple[int, list[str]], given: _Given
) -> Iterator[str]:
    n, without = documents
    have = "has" if len(given.fields) == 1 else "have"
    counts = f"{len(given.fields):,} of {count_text(n, 'document')} {have} new fields."
    yield f"{corpus}: {counts}"
    if without:
        yield f"{_named(without)}: no row."
    if given.unknown:
        yield f"{_named(given.unknown)}: no document has this name."
    yield from given.problems[:1]
    if len(given.problems) > 1:
        others = count_text(len(given.problems) - 1, "more problem")
        yield f"The record of the run has {others}."


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"
