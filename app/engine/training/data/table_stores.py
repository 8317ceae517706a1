"""Inference, conversations and documents as stores of rows cut into tokens."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.training.data.row_store import (
    RowStore,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.data.rows import LeftOut, Row, RowGroup
from app.engine.training.data.tables import (
    read_conversation,
    read_documents,
    read_inference,
)
from app.engine.training.files import file_stem
from app.engine.training.objectives.objective import ObjectiveContext
from app.engine.training.tokens import Language
from app.errors import UserError

FEWEST = 2  # examples: one alone teaches nothing


def open_inference(context: ObjectiveContext, report: Report) -> RowStore:
    """Cut the files of inference, or open what was cut before; tags are classes.

    Raises:
        UserError: there is no file, a line is wrong, or fewer than two rows are left.
    """
    files = context.params.nli
    return _open(_Kind("nli", "--nli", files, read_inference), context, report)


def open_conversations(context: ObjectiveContext, report: Report) -> RowStore:
    """Cut the files of conversations, or open what was cut before.

    Raises:
        UserError: there is no file, a line is wrong, or fewer than two rows are left.
    """
    files = context.params.conversations
    kind = _Kind("conversation", "--conversations", files, read_conversation)
    return _open(kind, context, report)


class _Kind(NamedTuple):
    """Files of rows of two sentences, how they are read and how a user names them."""

    objective: str
    option: str
    files: Sequence[Path]
    read: Callable[[Path, LeftOut], Iterator[Row]]


def _open(kind: _Kind, context: ObjectiveContext, report: Report) -> RowStore:
    """Cut files of rows, or open what was cut before."""
    _check_files(kind.objective, kind.option, kind.files)
    folder = context.folder / kind.objective
    store = open_store(folder)
    if store is None:
        filler = StoreFiller(context.units, context.kept_out, 2, "pairs")
        groups = [
            RowGroup(file_stem(file), kind.read(file, filler.left_out))
            for file in kind.files
        ]
        store = make_store(folder, groups, filler, report)
    _check_count(kind.objective, store.n_rows, "pairs", store.notes)
    return store


class Documents(NamedTuple):
    """Sentences in their order.

    Attributes:
        store: one sentence a row.
        middles: int64 (m,), rows whose neighbours stand in the same document.
        groups: ranges of `middles`.
    """

    store: RowStore
    middles: NDArray[np.int64]
    groups: tuple[Language, ...]


def open_documents(context: ObjectiveContext, report: Report) -> Documents:
    """Cut the documents, or open what was cut before.

    Raises:
        UserError: there is no file, a line is wrong, or no three sentences follow each
            other.
    """
    files = context.params.documents
    _check_files("quick-thought", "--documents", files)
    folder = context.folder / "documents"
    store = open_store(folder)
    if store is None:
        filler = StoreFiller(context.units, context.kept_out, 1, "sentences")
        groups = [group for file in files for group in read_documents(file)]
        store = make_store(folder, groups, filler, report)
    documents = find_middles(store)
    noun = "sentences with one before and one after them"
    _check_count("quick-thought", len(documents.middles), noun, store.notes)
    return documents


def find_middles(store: RowStore) -> Documents:
    """Find the sentences of a store that have both neighbours."""
    parts, groups, n_middles = [np.empty(0, np.int64)], [], 0
    for group in store.groups:
        places = store.tags[group.first : group.first + group.n_pairs]
        follows = np.diff(places) == 1
        middles = np.flatnonzero(follows[:-1] & follows[1:]) + 1 + group.first
        if len(middles):
            groups.append(Language(group.name, n_middles, len(middles)))
            parts.append(middles)
            n_middles += len(middles)
    return Documents(store, np.concatenate(parts), tuple(groups))


def _check_files(objective: str, option: str, files: Sequence[Path]) -> None:
    """Refuse an objective without data."""
    if not files:
        raise UserError(f"The objective {objective} needs a file: name one ({option}).")


def _check_count(objective: str, n: int, noun: str, notes: Sequence[str]) -> None:
    """Refuse data of which too little is left."""
    if n < FEWEST:
        raise UserError(
            f"The files of the objective {objective} give {n} {noun}, but it takes "
            f"{FEWEST} at least.{''.join(' ' + note for note in notes)}"
        )
