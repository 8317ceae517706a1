"""Read NLI data, conversations and documents, and store them as tokens."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem, read_lines
from app.engine.training.data.row_store import (
    Row,
    RowGroup,
    RowStore,
    SkippedRows,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.data.tokens import RowRange
from app.engine.training.objective import ObjectiveContext
from app.errors import UserError
from app.plurals import count_text

CLASSES = ("entailment", "neutral", "contradiction")
NO_CLASS = "its label is -, which means disagreement"
EMPTY = "a sentence is empty"
LABEL_NAMES = ("label", "gold_label")
PREMISE_NAMES = ("premise", "sentence1")
HYPOTHESIS_NAMES = ("hypothesis", "sentence2")
DOCUMENT = "document"  # first column name of a table of documents

_LABELS = {name: i for i, name in enumerate(CLASSES)} | {
    str(i): i for i in range(len(CLASSES))
}


def read_inference(file: Path, left_out: SkippedRows) -> Iterator[Row]:
    """Yield (premise, hypothesis) with the class 0, 1 or 2 of `CLASSES` as tag.

    The columns are label, premise, hypothesis, or those with such names in a header
    (SNLI's and MultiNLI's names also work).

    Raises:
        UserError: a line lacks a column or has an unknown label.
    """
    places = (0, 1, 2)
    for number, line in enumerate(read_lines(file), 1):
        columns = line.split("\t")
        if number == 1 and (named := _named_places(columns)):
            places = named
            continue
        if len(columns) <= max(places):
            raise UserError(
                f"{file}, line {number:,}: expected label, premise and "
                "hypothesis separated by tabs, but found "
                f"{count_text(len(columns), 'column')}."
            )
        label, *texts = (columns[i].strip() for i in places)
        if label == "-":
            left_out[NO_CLASS] += 1
        elif label.lower() not in _LABELS:
            raise UserError(
                f"{file}, line {number:,}: unknown label {label!r}. Use "
                f"{', '.join(CLASSES)}, 0, 1 or 2."
            )
        else:
            yield from _whole(Row(tuple(texts), _LABELS[label.lower()]), left_out)


def _named_places(names: Sequence[str]) -> tuple[int, int, int] | None:
    """Find the columns of a header; None if the line is not a header."""
    places = []
    for known in (LABEL_NAMES, PREMISE_NAMES, HYPOTHESIS_NAMES):
        found = [i for i, name in enumerate(names) if name.strip().lower() in known]
        if not found:
            return None
        places.append(found[0])
    return places[0], places[1], places[2]


def read_conversation(file: Path, left_out: SkippedRows) -> Iterator[Row]:
    """Yield (input, response) of a TSV; further columns are ignored.

    Raises:
        UserError: a line has no tab.
    """
    for number, line in enumerate(read_lines(file), 1):
        columns = line.split("\t", 2)
        if len(columns) < 2:
            raise UserError(
                f"{file}, line {number:,}: expected input and response "
                "separated by a tab, but found one column."
            )
        row = Row((columns[0].strip(), columns[1].strip()))
        yield from _whole(row, left_out)


def _whole(row: Row, left_out: SkippedRows) -> Iterator[Row]:
    """Yield a row if none of its texts is empty."""
    if all(row.texts):
        yield row
    else:
        left_out[EMPTY] += 1


def read_documents(file: Path) -> list[RowGroup]:
    """Return the sentences of a file in order, one group for each column of text.

    A row's tag is its position: two rows are consecutive in a document if their
    positions are. Text has one sentence per line and an empty line between documents; a
    table has the header document⇥name⇥… and in each further column the sentences of one
    language.

    Raises:
        UserError: a line of a table has more or fewer columns than its header.
    """
    lines = read_lines(file)
    first = next(lines, "")
    names = first.split("\t")
    if len(names) > 1 and names[0].strip().lower() == DOCUMENT:
        return [
            RowGroup(f"{file_stem(file)}.{name.strip()}", _read_column(file, i))
            for i, name in enumerate(names[1:], 1)
        ]
    return [RowGroup(file_stem(file), _read_text(chain([first], lines)))]


def _read_text(lines: Iterator[str]) -> Iterator[Row]:
    """Yield the sentences of plain text."""
    for index, line in enumerate(lines):
        if text := line.strip():
            yield Row((text,), index)


def _read_column(file: Path, column: int) -> Iterator[Row]:
    """Yield the sentences of one column of a table; an empty cell breaks a document."""
    place, document = 0, ""
    lines = read_lines(file)
    n_columns = len(next(lines).split("\t"))
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != n_columns:
            raise UserError(
                f"{file}, line {number:,}: found "
                f"{count_text(len(cells), 'column')}, but the "
                f"header has {n_columns}."
            )
        place += 1 if cells[0] == document else 2
        document = cells[0]
        if text := cells[column].strip():
            yield Row((text,), place)


FEWEST = 2  # examples, since nothing can be learned from one


def open_inference(context: ObjectiveContext, report: Report) -> RowStore:
    """Tokenise the NLI files, or open an existing store; tags are classes.

    Raises:
        UserError: there is no file, a line is invalid, or fewer than two rows remain.
    """
    files = context.params.nli
    return _open(_Kind("nli", "--nli", files, read_inference), context, report)


def open_conversations(context: ObjectiveContext, report: Report) -> RowStore:
    """Tokenise the files of conversations, or open an existing store.

    Raises:
        UserError: there is no file, a line is invalid, or fewer than two rows remain.
    """
    files = context.params.conversations
    kind = _Kind("conversation", "--conversations", files, read_conversation)
    return _open(kind, context, report)


class _Kind(NamedTuple):
    """A kind of file with two sentences per row: its reader and names in messages."""

    objective: str
    option: str
    files: Sequence[Path]
    read: Callable[[Path, SkippedRows], Iterator[Row]]


def _open(kind: _Kind, context: ObjectiveContext, report: Report) -> RowStore:
    """Tokenise files of rows, or open an existing store."""
    _check_files(kind.objective, kind.option, kind.files)
    folder = context.folder / kind.objective
    store = open_store(folder)
    if store is None:
        filler = StoreFiller(context.tokeniser, context.kept_out, 2, "pair")
        groups = [
            RowGroup(file_stem(file), kind.read(file, filler.left_out))
            for file in kind.files
        ]
        store = make_store(folder, groups, filler, report)
    _check_count(kind.objective, store.n_rows, "pair", store.notes)
    return store


class Documents(NamedTuple):
    """Sentences of documents, in order.

    Attributes:
        store: one sentence per row.
        middles: int64 (m,), rows whose neighbours are in the same document.
        groups: ranges of `middles`.
    """

    store: RowStore
    middles: NDArray[np.int64]
    groups: tuple[RowRange, ...]


def open_documents(context: ObjectiveContext, report: Report) -> Documents:
    """Tokenise the documents, or open an existing store.

    Raises:
        UserError: there is no file, a line is invalid, or no three sentences are
            consecutive.
    """
    files = context.params.documents
    _check_files("quick-thought", "--documents", files)
    folder = context.folder / "documents"
    store = open_store(folder)
    if store is None:
        filler = StoreFiller(context.tokeniser, context.kept_out, 1, "sentence")
        groups = [group for file in files for group in read_documents(file)]
        store = make_store(folder, groups, filler, report)
    documents = find_middles(store)
    n_triples = len(documents.middles)
    _check_count("quick-thought", n_triples, "sentence triple", store.notes)
    return documents


def find_middles(store: RowStore) -> Documents:
    """Find the sentences of a store that have both neighbours."""
    parts, groups, n_middles = [np.empty(0, np.int64)], [], 0
    for group in store.groups:
        places = store.tags[group.first : group.first + group.n_pairs]
        follows = np.diff(places) == 1
        middles = np.flatnonzero(follows[:-1] & follows[1:]) + 1 + group.first
        if len(middles):
            groups.append(RowRange(group.name, n_middles, len(middles)))
            parts.append(middles)
            n_middles += len(middles)
    return Documents(store, np.concatenate(parts), tuple(groups))


def _check_files(objective: str, option: str, files: Sequence[Path]) -> None:
    """Reject an objective without data."""
    if not files:
        raise UserError(f"The objective {objective} needs a file. Add one ({option}).")


def _check_count(objective: str, n: int, noun: str, notes: Sequence[str]) -> None:
    """Reject data with too few remaining rows."""
    if n < FEWEST:
        raise UserError(
            f"The files of the objective {objective} contain "
            f"{count_text(n, noun)}, but "
            f"at least {FEWEST} are needed.{''.join(' ' + note for note in notes)}"
        )
