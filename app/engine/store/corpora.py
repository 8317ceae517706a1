"""Read corpora, sentences, embeddings, runs and the journal."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Row, and_, exists, func, or_, select

from app.engine.store.schema import (
    CORPUS_STRIDE,
    corpus,
    edit,
    embedding,
    hidden,
    label,
    link,
    note,
    run,
    search,
    sentence,
    view_state,
)

# SQLite's limit of variables in a statement is 32,766 since 3.32.
MAX_VARIABLES = 10_000
IMPORT_ANNOTATOR = "imported"  # who gave a label that came with its sentence


class CorpusRow(NamedTuple):
    """One corpus, or the part of it that a sub-corpus names.

    Attributes:
        run_id: of the import.
        subcorpus: id of the sub-corpus whose sentences are meant; 0: the whole corpus.
            Which rows take part, `store/members.py` tells.
    """

    id: int
    name: str
    language: str
    language_given: str
    state: str
    n_sentences: int
    source: str
    report: dict[str, Any]
    created_at: float
    run_id: int | None = None
    subcorpus: int = 0


class SentenceRow(NamedTuple):
    """One sentence."""

    id: int
    text: str
    language: str
    line: int
    length: int


class EmbeddingRow(NamedTuple):
    """The vectors of one corpus by one encoder."""

    id: int
    corpus_id: int
    encoder: str
    fingerprint: str
    dim: int
    n_rows: int
    n_done: int
    n_zero: int
    array: str
    run_id: int | None = None


class RunRow(NamedTuple):
    """One run of a task."""

    id: int
    task: str
    params: str
    state: str
    device: str
    result: str
    error: str
    started_at: float
    ended_at: float | None
    versions: str = "{}"


def first_sentence_id(corpus_id: int) -> int:
    """Give the id of a corpus's first sentence; ids below `first_id(c + 1)` are its."""
    return corpus_id * CORPUS_STRIDE


def corpus_of(sentence_id: int) -> int:
    """Return the id of the corpus that a sentence belongs to."""
    return sentence_id // CORPUS_STRIDE


def position_of(sentence_id: int) -> int:
    """Return the place of a sentence in its corpus, from 0: its row in the array."""
    return sentence_id % CORPUS_STRIDE


def list_corpora(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[CorpusRow]:
    """List corpora in the order they were made."""
    columns = [column for column in corpus.c if column.key in CorpusRow._fields]
    query = select(*columns).where(corpus.c.state.in_(states)).order_by(corpus.c.id)
    with store.connect() as connection:
        return [_corpus_row(row) for row in connection.execute(query)]


def read_sentences(store: Engine, ids: Sequence[int]) -> list[SentenceRow | None]:
    """Read sentences by id, in the order asked; None for one that is gone."""
    columns = [sentence.c[name] for name in SentenceRow._fields]
    found: dict[int, SentenceRow] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES):
            part = [int(id_) for id_ in ids[start : start + MAX_VARIABLES]]
            query = select(*columns).where(sentence.c.id.in_(part))
            for row in connection.execute(query):
                found[row.id] = SentenceRow(*row)
    return [found.get(int(id_)) for id_ in ids]


def read_context(
    store: Engine, sentence_id: int, *, n_around: int = 2
) -> list[SentenceRow]:
    """Read a sentence with up to `n_around` before and after it that take part."""
    columns = [sentence.c[name] for name in SentenceRow._fields]
    low = max(sentence_id - n_around, first_sentence_id(corpus_of(sentence_id)))
    query = (
        select(*columns)
        .where(sentence.c.id.between(low, sentence_id + n_around))
        .where(or_(sentence.c.id == sentence_id, _is_active()))
        .order_by(sentence.c.id)
    )
    with store.connect() as connection:
        return [SentenceRow(*row) for row in connection.execute(query)]


def read_translations(store: Engine, sentence_id: int) -> list[SentenceRow]:
    """Read those that a link says are translations of one, and that take part."""
    columns = [sentence.c[name] for name in SentenceRow._fields]
    query = (
        select(*columns)
        .join(
            link,
            or_(
                and_(
                    link.c.target_id == sentence.c.id, link.c.source_id == sentence_id
                ),
                and_(
                    link.c.source_id == sentence.c.id, link.c.target_id == sentence_id
                ),
            ),
        )
        .where(_is_active())
        .order_by(sentence.c.language, sentence.c.id)
    )
    with store.connect() as connection:
        return [SentenceRow(*row) for row in connection.execute(query)]


def _is_active() -> ColumnElement[bool]:
    """Return of a sentence whether it is neither hidden nor removed."""
    return ~exists().where(hidden.c.sentence_id == sentence.c.id)


def read_label(store: Engine, sentence_id: int) -> str:
    """Read the newest label of a sentence; empty where it has none."""
    query = (
        select(label.c.class_name)
        .where(label.c.sentence_id == sentence_id)
        .order_by(label.c.id.desc())
        .limit(1)
    )
    with store.connect() as connection:
        return connection.scalar(query) or ""


def read_labels(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Read the newest label of each of up to 10,000 sentences that has one."""
    query = (
        select(label.c.sentence_id, label.c.class_name)
        .where(label.c.sentence_id.in_([int(id_) for id_ in ids]))
        .order_by(label.c.id)
    )
    with store.connect() as connection:
        rows = connection.execute(query).all()
    found = {row.sentence_id: row.class_name for row in rows}
    return {id_: name for id_, name in found.items() if name}


def count_translations(store: Engine, ids: Sequence[int]) -> dict[int, int]:
    """Count translations that take part, of each of up to 10,000 that has some."""
    wanted = [int(id_) for id_ in ids]
    counts: dict[int, int] = {}
    ends = (link.c.source_id, link.c.target_id)
    with store.connect() as connection:
        for end, other in (ends, ends[::-1]):
            takes_part = ~exists().where(hidden.c.sentence_id == other)
            query = select(end, func.count()).where(end.in_(wanted), takes_part)
            for id_, n in connection.execute(query.group_by(end)):
                counts[id_] = counts.get(id_, 0) + n
    return counts


def has_links(store: Engine, corpus_id: int) -> bool:
    """Return whether any sentence of a corpus has a translation."""
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    with store.connect() as connection:
        return any(
            connection.scalar(select(1).where(end >= low, end < high).limit(1))
            for end in (link.c.source_id, link.c.target_id)
        )


def has_labels(store: Engine, corpus_id: int, *, by_hand: bool | None = None) -> bool:
    """Return whether any sentence of a corpus has a label: one not taken away again.

    Args:
        store: of the project.
        corpus_id: the corpus.
        by_hand: of those given by hand; False: of those imported; None: of all.
    """
    column, newer = label.c.sentence_id, label.alias()
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    is_old = exists().where(newer.c.sentence_id == column, newer.c.id > label.c.id)
    is_held = and_(label.c.class_name != "", ~is_old)
    query = select(1).where(column >= low, column < high, is_held).limit(1)
    if by_hand is not None:
        is_imported = label.c.who == IMPORT_ANNOTATOR
        query = query.where(~is_imported if by_hand else is_imported)
    with store.connect() as connection:
        return connection.scalar(query) is not None


def read_note(store: Engine, sentence_id: int) -> str:
    """Read the note on a sentence; empty where it has none."""
    query = select(note.c.text).where(note.c.sentence_id == sentence_id)
    with store.connect() as connection:
        return connection.scalar(query) or ""


def list_embeddings(store: Engine, *, fingerprint: str = "") -> list[EmbeddingRow]:
    """List the embeddings of corpora that are ready, by one encoder or by all."""
    columns = [embedding.c[name] for name in EmbeddingRow._fields]
    query = (
        select(*columns)
        .join(corpus, corpus.c.id == embedding.c.corpus_id)
        .where(corpus.c.state == "ready")
        .order_by(embedding.c.corpus_id, embedding.c.id)
    )
    if fingerprint:
        query = query.where(embedding.c.fingerprint == fingerprint)
    with store.connect() as connection:
        return [EmbeddingRow(*row) for row in connection.execute(query)]


def list_runs(store: Engine, *, task: str = "", limit: int = 200) -> list[RunRow]:
    """List runs, the newest first: of one task, or of all."""
    columns = [run.c[name] for name in RunRow._fields]
    query = select(*columns).order_by(run.c.id.desc()).limit(limit)
    if task:
        query = query.where(run.c.task == task)
    with store.connect() as connection:
        return [RunRow(*row) for row in connection.execute(query)]


def read_run(store: Engine, run_id: int) -> RunRow | None:
    """Read a run; None where there is none."""
    columns = [run.c[name] for name in RunRow._fields]
    with store.connect() as connection:
        row = connection.execute(select(*columns).where(run.c.id == run_id)).first()
    return None if row is None else RunRow(*row)


def list_searches(store: Engine, *, limit: int = 100) -> list[tuple[int, str, str]]:
    """List the history of queries, the newest first: id, text, filters (JSON)."""
    newest = func.max(search.c.id)
    query = (
        select(newest, search.c.text, search.c.filters)
        .group_by(search.c.text, search.c.filters)
        .order_by(newest.desc())
        .limit(limit)
    )
    with store.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def read_undo_state(store: Engine) -> tuple[bool, bool]:
    """Return whether a change can be undone, and whether one can be redone."""
    ends = [
        select(edit.c.undone).order_by(order).limit(1)
        for order in (edit.c.id, edit.c.id.desc())
    ]  # undone are always the newest
    with store.connect() as connection:
        oldest, newest = (connection.scalar(end) for end in ends)
    return oldest == 0, newest == 1


def list_view_states(store: Engine) -> list[tuple[int, float, dict[str, Any]]]:
    """List the window's sessions, the newest first: id, seconds since 1970, state."""
    query = select(view_state.c.id, view_state.c.saved_at, view_state.c.state).order_by(
        view_state.c.id.desc()
    )
    with store.connect() as connection:
        return [
            (id_, saved_at, json.loads(state))
            for id_, saved_at, state in connection.execute(query)
        ]


def _corpus_row(row: Row[Any]) -> CorpusRow:
    values = row._asdict()
    return CorpusRow(**{**values, "report": json.loads(values["report"])})
