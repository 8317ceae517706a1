"""Answers to what is asked about words, as plain JSON values."""

from typing import Any

from app.engine.report import Report
from app.engine.search.desk import SearchDesk
from app.word_questions import (
    ChainQuery,
    CollocatesQuery,
    ConcordanceQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    LineNeighboursQuery,
    WordQuery,
)


def answer_word_query(
    desk: SearchDesk, query: WordQuery, report: Report | None = None
) -> dict[str, Any]:
    """Answer a short read about words.

    Raises:
        UserError: what the query names is not there.
        Cancelled: a newer question came; only a long answer is ended so.
    """
    report = report or Report()
    match query:
        case ConcordanceQuery():
            from app.engine.words.concordance import answer_concordance

            return answer_concordance(desk, query)
        case LineNeighboursQuery():
            from app.engine.words.concordance import answer_neighbours

            return answer_neighbours(desk, query)
        case EquivalentsQuery():
            from app.engine.words.equivalents_answer import answer_equivalents

            return answer_equivalents(desk, query)
        case ChainQuery():
            from app.engine.chains.answer import answer_chain

            return answer_chain(desk, query, report)
        case FrequenciesQuery():
            from app.engine.words.count_answers import answer_frequencies

            return answer_frequencies(desk, query, report)
        case CollocatesQuery():
            from app.engine.words.count_answers import answer_collocates

            return answer_collocates(desk, query, report)
        case KeynessQuery():
            from app.engine.words.count_answers import answer_keyness

            return answer_keyness(desk, query, report)
