"""Answers about lines: the concordance, and the nearest sentences of its lines."""

import time
from collections.abc import Sequence
from typing import Any

from app.engine.report import Report
from app.engine.search.desk import SearchDesk
from app.engine.words.lines import LinesWish, find_lines
from app.engine.words.neighbours import Neighbour, NeighbourWish, find_neighbours
from app.word_questions import ConcordanceQuery, LineNeighboursQuery

MAX_NEIGHBOURS = 600  # of 90 bytes each in an answer of at most 64 KB


def answer_concordance(desk: SearchDesk, query: ConcordanceQuery) -> dict[str, Any]:
    """Find lines, and write them for the window.

    Raises:
        UserError: what is typed can't be looked for.
    """
    begun = time.monotonic()
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wish = LinesWish(
        query.text,
        query.mode,
        query.case,
        query.languages,
        query.sort,
        query.top,
        query.seed,
    )
    found = find_lines(desk.words, corpora, wish, Report())
    return {
        "file": desk.write_view(found.lines),
        "n": found.n,
        "n_lines": len(found.lines),
        "n_sentences": found.n_sentences,
        "n_searched": found.n_searched,
        "n_tokens": found.n_tokens,
        "is_cut": found.is_cut,
        "not_indexed": found.not_indexed,
        "words": desk.write_view(found.words),
        "notes": found.notes,
        "elapsed_s": time.monotonic() - begun,
    }


def answer_neighbours(desk: SearchDesk, query: LineNeighboursQuery) -> dict[str, Any]:
    """Find the nearest sentences of lines.

    Raises:
        UserError: a sentence or the encoder is gone.
    """
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wish = NeighbourWish(corpora, query.languages, query.k, query.encoder)
    found = find_neighbours(desk, query.sentences, wish)
    most = max(1, MAX_NEIGHBOURS // len(query.sentences))
    return {
        "neighbours": [
            [one._asdict() for one in _best(line, most)] for line in found.lines
        ],
        "not_encoded": found.not_encoded,
    }


def _best(line: Sequence[Neighbour], most: int) -> list[Neighbour]:
    """Choose the best neighbours of a line, in their order: translations first."""
    ranked = sorted(line, key=lambda one: (not one.is_translation, -(one.score or 0)))
    chosen = {one.sentence for one in ranked[:most]}
    return [one for one in line if one.sentence in chosen]


__all__ = ["answer_concordance", "answer_neighbours"]
