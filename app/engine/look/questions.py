"""The answer to a `TokensQuery` about texts or sentences of the open project."""

from typing import Any

from app.engine.look.answer import look_inside
from app.engine.search.desk import SearchDesk
from app.engine.store.rows import read_sentences
from app.errors import UserError
from app.look_questions import TokensQuery


def answer_tokens(desk: SearchDesk, query: TokensQuery) -> dict[str, Any]:
    """Look inside two sentences; the matrices are in a file.

    Raises:
        UserError: a sentence is gone, or can't be looked into.
    """
    first = _text(desk, query.first, query.first_sentence)
    second = _text(desk, query.second, query.second_sentence)
    look = look_inside(desk.encoder(query.encoder), first, second)
    return look.answer | {"file": desk.write_view(look.matrices)}


def _text(desk: SearchDesk, text: str, sentence: int | None) -> str:
    if sentence is None:
        return text
    (found,) = read_sentences(desk.project.store, [sentence])
    if found is None:
        raise UserError("The sentence is not in the project any more.")
    return found.text
