"""The change of dictionaries that can be undone."""

from sqlalchemy import Connection

from app.corpus_changes import SetDictionaryState
from app.engine.change_steps import NOTHING, State, Step, mark_rows
from app.engine.store import schema


def set_dictionary_state(connection: Connection, change: SetDictionaryState) -> Step:
    """Set the state of those dictionaries whose state is another."""
    ids, text = mark_rows(
        connection, schema.dictionary, change.dictionaries, change.state
    )
    if not ids:
        return NOTHING
    opposite: State = "ready" if change.state == "deleted" else "deleted"
    inverse = SetDictionaryState(dictionaries=ids, state=opposite)
    return Step(ids[0], text, inverse, [("dictionary", id_) for id_ in ids])
