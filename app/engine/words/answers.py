"""Answers to what is asked about words, as plain JSON values."""

from typing import Any

from app.engine.search.desk import SearchDesk
from app.word_questions import WordQuery


def answer_word_query(desk: SearchDesk, query: WordQuery) -> dict[str, Any]:
    """Answer a short read about words.

    Raises:
        UserError: what the query names is not there.
    """
    match query:
        case _:
            raise NotImplementedError(type(query).__name__)
