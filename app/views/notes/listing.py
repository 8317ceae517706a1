"""Read the entries of the list of notes page by page: notes and flags, or labels."""

import time
from collections.abc import Iterator, Sequence

from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of
from app.engine.store.documents import read_document_names
from app.engine.store.notes import (
    NoteRow,
    count_labels,
    count_notes,
    list_labels,
    list_notes,
)
from app.engine.store.pairs.sets import pair_set_of
from app.engine.store.sentences import SentenceRow, read_sentences
from app.views.client.state import AppState
from app.views.widgets.hits import describe_place, name_source
from app.views.widgets.number_format import format_age
from app.views.widgets.pair_set_text import verdict_name

NOTES, LABELS, CLASS_PREFIX = "notes", "labels", "class:"  # kinds of entries
EXPORTED = ("note", "sentence", "mark", "place", "time", "who")
EXPORTED_AT_ONCE = 500  # entries read between two updates of the window


def read_listed(store: Engine, listed: str, limit: int, offset: int) -> list[NoteRow]:
    """Read a page of notes or labels, newest first."""
    if listed == NOTES:
        return list_notes(store, limit=limit, offset=offset)
    return list_labels(store, _class_of(listed), limit=limit, offset=offset)


def count_listed(store: Engine, listed: str) -> int:
    """Count all notes or labels."""
    if listed == NOTES:
        return count_notes(store)
    return count_labels(store, _class_of(listed))


def describe_rows(
    state: AppState, rows: Sequence[NoteRow]
) -> list[tuple[list[str], str]]:
    """Return the cells of each row, and the language of each sentence."""
    sentences, places = _read_sentences(state, rows)
    names = {row.id: row.name for row in state.minings}
    found = []
    for row in rows:
        source, target = (sentences.get(i) for i in (row.sentence_id, row.target_id))
        text = row.source_text or (source.text if source else "")
        where = places.get(row.sentence_id, "")
        if row.pair_id:
            other = row.target_text or (target.text if target else "")
            text = f"{text} – {other}"
            where = names.get(pair_set_of(row.pair_id), "")
        mark = verdict_name(row.verdict) if row.verdict else row.label
        cells = [row.text, text, mark, where, format_age(row.changed_at)]
        found.append((cells, source.language if source else ""))
    return found


def tabulate_listed(state: AppState, listed: str) -> Iterator[Sequence[str]]:
    """Return all notes or labels as a table, with a header."""
    yield EXPORTED
    project, offset = state.project, 0
    while project is not None:
        rows = read_listed(project.store, listed, EXPORTED_AT_ONCE, offset)
        for row, (cells, _) in zip(rows, describe_rows(state, rows), strict=True):
            yield export_row(row, cells)
        offset += len(rows)
        if not rows:
            return


def export_row(row: NoteRow, cells: Sequence[str]) -> Sequence[str]:
    """Return the exported cells of a row."""
    written = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(row.changed_at))
    return (*cells[:-1], written, row.who)


def _class_of(listed: str) -> str:
    """Return the class of the listed labels; empty: all classes."""
    return listed.removeprefix(CLASS_PREFIX) if listed != LABELS else ""


def _read_sentences(
    state: AppState, rows: Sequence[NoteRow]
) -> tuple[dict[int, SentenceRow], dict[int, str]]:
    """Read the sentences of rows, and the locations of sentences with a note."""
    project = state.project
    if project is None:
        return {}, {}
    ids = {row.sentence_id for row in rows}
    targets = {row.target_id for row in rows if row.target_id}
    found = read_sentences(project.store, sorted(ids | targets))
    sentences = {row.id: row for row in found if row is not None}
    documents = read_document_names(project.store, sorted(ids & sentences.keys()))
    corpora = {row.id: row.name for row in project.corpora}
    places = {}
    for id_ in ids & sentences.keys():
        corpus = corpora.get(corpus_of(id_), "")
        source = name_source(corpus, documents.get(id_, ""))
        places[id_] = describe_place(source, sentences[id_].line)
    return sentences, places
