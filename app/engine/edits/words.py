"""Apply edits of hit lists, dictionaries and word vectors."""

import time

from sqlalchemy import Connection, insert, select

from app.engine.edits.base import (
    NO_CHANGE,
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.schema import hit, hit_list, sentence
from app.engine.store.words.indexes import TABLES, list_table_names
from app.engine.store.words.keyword_index import keyword_spans
from app.engine.wordvectors.table import set_table_language
from app.errors import UserError
from app.languages import language_name, parse_language
from app.params import params_to_json
from app.params.words import Concordance
from app.plurals import count_text
from app.protocol.edits.corpora import (
    ListChange,
    RenameHitList,
    SaveHits,
    SetDictionaryState,
    SetHitListState,
    SetVectorsLanguage,
)

MAX_QUERY = 1_000  # characters of a query's text
MISSING = "The hit list is not in the project any more."


def apply_list_edit(connection: Connection, change: ListChange) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the list does not exist, or the new name is empty.
    """
    match change:
        case RenameHitList():
            return _rename(connection, change)
        case SaveHits():
            return _save_hits(connection, change)
        case SetHitListState():
            return _set_hit_list_state(connection, change)
        case SetDictionaryState():
            return set_row_states(connection, schema.dictionary, change)


def set_vectors_language(project: Project, change: SetVectorsLanguage) -> EditResult:
    """Correct the language of word vectors.

    Raises:
        UserError: the vectors are not in the project.
        ResourceError: their files are damaged.
    """
    language = parse_language(change.language).code
    if change.vectors not in list_table_names(project.folder):
        raise UserError("The word vectors are not in the project any more.")
    old = set_table_language(project.folder / TABLES / change.vectors, language)
    text = f"The language of {change.vectors} is unknown."
    if language:
        text = f"{change.vectors} is in {language_name(language)}."
    inverse = SetVectorsLanguage(vectors=change.vectors, language=old)
    return EditResult(0, text, inverse, [("vectors", 0)])


def _rename(connection: Connection, change: RenameHitList) -> EditResult:
    old = find_row(connection, hit_list, change.hits, MISSING)
    name = clean_name(change.name, "The name of the list is empty. Enter a name.")
    if name == old.name:
        return NO_CHANGE
    return rename_row(connection, hit_list, change, old, name)


def _save_hits(connection: Connection, change: SaveHits) -> EditResult:
    """Save hits: existing sentences, or the words of the query in them."""
    name = clean_name(change.name, "The name of the list is empty. Enter a name.")
    columns = (sentence.c.id, sentence.c.text, sentence.c.hash, sentence.c.line)
    query = select(*columns).where(sentence.c.id.in_(change.sentences))
    found = {row.id: row for row in connection.execute(query)}
    rows = [found[id_] for id_ in change.sentences if id_ in found]
    if not rows:
        raise UserError("These sentences are not in the project any more.")
    indices = [
        (row, span)
        for row in rows
        for span in (keyword_spans(row.text, change.text) if change.words else [])
        or [(0, len(row.text))]
    ]
    params = Concordance(
        text=change.text[:MAX_QUERY],
        corpora=change.corpora,
        languages=change.languages,
    )
    values = {"name": name, "state": "ready", "query": params_to_json(params)}
    times = {"n_hits": len(indices), "created_at": time.time()}
    made = connection.execute(insert(hit_list).values(**values, **times))
    list_id = int(made.lastrowid)
    hits = [
        {
            "list_id": list_id,
            "place": index,
            "sentence_id": row.id,
            "start": start,
            "end": end,
            "hash": row.hash,
            "line": row.line,
        }
        for index, (row, (start, end)) in enumerate(indices)
    ]
    connection.execute(insert(hit), hits)
    saved = count_text(len(indices), "hit")
    return EditResult(
        list_id,
        f"Saved {saved} as {name}.",
        SetHitListState(lists=(list_id,), state="deleted"),
        [("hit_list", list_id)],
        SetHitListState(lists=(list_id,), state="ready"),
    )


def _set_hit_list_state(connection: Connection, change: SetHitListState) -> EditResult:
    """Mark lists as deleted, or restore them, if their state differs."""
    query = select(hit_list.c.id).where(hit_list.c.id.in_(change.lists))
    if len(set(connection.scalars(query))) < len(set(change.lists)):
        raise UserError(MISSING)
    return set_row_states(connection, hit_list, change)
