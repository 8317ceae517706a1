"""Hide, remove and restore sentences, and undo each of these edits.

A change may affect a million sentences, so the journal refers to a file with the state
of each affected sentence before and after the change.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from app.arrays import IdArray
from app.engine.edits.base import NO_CHANGE, EditResult
from app.engine.project.project import Project
from app.engine.store.findings import read_finding_sentences
from app.engine.store.hidden_sentences import (
    STATE_CODES,
    hidden_ids_of_step,
    read_affected_sentences,
    set_hidden_states,
    write_affected_sentences,
)
from app.engine.store.schema import CORPUS_STRIDE, corpus, hidden
from app.errors import UserError
from app.protocol.edits.corpora import (
    FoundSentences,
    HiddenChange,
    HideSentences,
    RestoreHidden,
    ShowSentences,
)

_SIDES = {"sentence": ("sentence",), "other": ("other",), "both": ("sentence", "other")}
_STATE_WORDS = ("shown again", "hidden", "removed")


def apply_hidden_edit(
    project: Project, connection: Connection, change: HiddenChange
) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: a sentence is not in the project, or its list can't be read.
        ResourceError: the file of a change to restore is missing or damaged.
    """
    match change:
        case HideSentences():
            return _hide(project, connection, change)
        case ShowSentences():
            return _show(project, connection, change)
        case RestoreHidden():
            return _restore(project, connection, change)


def _hide(
    project: Project, connection: Connection, change: HideSentences
) -> EditResult:
    """Hide or remove sentences; removed sentences do not become hidden."""
    named = _read_ids(change.sentences, change.file)
    if not np.all(_exist(connection, named)):
        raise UserError("The sentence is not in the project any more.")
    found = _read_found(project, change.found)
    ids = np.union1d(named, found[_exist(connection, found)])
    step = (connection.scalar(select(func.max(hidden.c.step))) or 0) + 1
    return _change(project, connection, ids, (step, change.state, change.reason))


def _show(
    project: Project, connection: Connection, change: ShowSentences
) -> EditResult:
    """Restore hidden or removed sentences."""
    ids = _read_ids(change.sentences, change.file)
    ids = np.union1d(ids, _read_found(project, change.found))
    if change.step is not None:
        ids = np.union1d(ids, hidden_ids_of_step(connection, change.step))
    return _change(project, connection, ids, (0, "", ""))


def _restore(
    project: Project, connection: Connection, change: RestoreHidden
) -> EditResult:
    """Undo or redo a change of hidden sentences."""
    touched = read_affected_sentences(project.folder, change.array)
    columns = [0, 1, 2] if change.to == "before" else [0, 3, 4]
    rows = touched[:, columns]
    set_hidden_states(connection, rows, change.reasons)
    return _edit_result(rows)


def _change(
    project: Project,
    connection: Connection,
    ids: IdArray,
    wanted: tuple[int, str, str],
) -> EditResult:
    """Set the state of sentences (step, state, reason), and save their old state."""
    step, state, reason = wanted
    before, reasons = _read_states(connection, ids)
    code = STATE_CODES.index(state)
    # Removed sentences are not hidden, since they would reappear in the tables.
    is_other = before[:, 1] < code if code else before[:, 1] > 0
    before = before[is_other]
    if not len(before):
        return NO_CHANGE
    after = np.tile(np.array([code, step]), (len(before), 1))
    touched = np.concatenate([before, after], axis=1)  # (n, 3), (n, 2) -> (n, 5)
    named = set(before[:, 2].tolist())
    reasons = {one: said for one, said in reasons.items() if said and one in named}
    reasons |= {step: reason} if reason else {}
    stem = write_affected_sentences(project.folder, touched)
    set_hidden_states(connection, touched[:, [0, 3, 4]], reasons)
    return _edit_result(touched[:, [0, 3, 4]])._replace(
        id=step,
        inverse=RestoreHidden(array=stem, to="before", reasons=reasons),
        again=RestoreHidden(array=stem, to="after", reasons=reasons),
    )


def _edit_result(rows: IdArray) -> EditResult:
    """Return the result for sentences (id, state, step), with their corpora."""
    n, codes = len(rows), np.unique(rows[:, 1])
    said = _STATE_WORDS[codes[0]] if len(codes) == 1 else "hidden or shown as they were"
    text = f"1 sentence is {said}." if n == 1 else f"{n:,} sentences are {said}."
    corpora = np.unique(rows[:, 0] // CORPUS_STRIDE).tolist()
    return EditResult(corpora[0], text, None, [("hidden", id_) for id_ in corpora])


def _read_found(project: Project, found: FoundSentences | None) -> IdArray:
    """Read the distinct ids of found sentences, ascending."""
    if found is None:
        return np.empty(0, np.int64)
    places, sides = _read_ids(found.places, found.file), _SIDES[found.side]
    return read_finding_sentences(project.store, found.run, places, sides)


def _read_ids(numbers: tuple[int, ...], file: Path | None) -> IdArray:
    """Return the distinct ids or places in a change, ascending."""
    ids = np.array(numbers, np.int64)
    if file is None:
        return np.unique(ids)
    try:
        listed = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(
            f"The list of sentences {file} can't be read. Select the sentences again."
        ) from error
    if listed.ndim != 1 or listed.dtype != np.int64:
        raise UserError(
            f"{file} is not a list of sentence ids (int64). Select the sentences again."
        )
    return np.union1d(ids, listed)


def _exist(connection: Connection, ids: IdArray) -> NDArray[np.bool_]:
    """Return which sentences exist: bool (n,)."""
    sizes = dict(connection.execute(select(corpus.c.id, corpus.c.n_sentences)).all())
    corpora, indices = np.unique(ids // CORPUS_STRIDE, return_inverse=True)
    ends = np.array([sizes.get(id_, 0) for id_ in corpora.tolist()], np.int64)
    return ids % CORPUS_STRIDE < ends[indices]


def _read_states(
    connection: Connection, ids: IdArray
) -> tuple[IdArray, dict[int, str]]:
    """Read states of sentences (int64 (n, 3): id, state, step), and reasons by step."""
    rows = np.zeros((len(ids), 3), np.int64)
    rows[:, 0] = ids
    if not len(ids):
        return rows, {}
    raw = connection.connection.driver_connection
    assert raw is not None
    bounds = int(ids[0]), int(ids[-1])
    sql = (
        "SELECT sentence_id, state, step FROM hidden WHERE sentence_id BETWEEN ? AND ?"
    )
    found = raw.execute(f"{sql} ORDER BY sentence_id", bounds).fetchall()
    if not found:
        return rows, {}
    held = np.array(
        [(id_, STATE_CODES.index(state), step) for id_, state, step in found]
    )
    _, here, there = np.intersect1d(
        ids, held[:, 0], assume_unique=True, return_indices=True
    )
    rows[here, 1:] = held[there, 1:]
    sql = "SELECT DISTINCT step, reason FROM hidden WHERE reason != ''"
    return rows, dict(raw.execute(sql).fetchall())
