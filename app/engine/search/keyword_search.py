"""Find the sentences that contain words, prefixes and phrases."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from sqlalchemy import Connection, text

from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.keyword_index import keyword_query
from app.errors import UserError

# Matches of a corpus read per hit: a corpus in several languages needs more matches
# than it has hits.
MATCHES_PER_HIT = 10
MIN_MATCHES = 200

# The index returns rowids in ascending order, and finds a range of them by binary
# search; CROSS JOIN keeps it as the outer table.
_SQL = text(
    "SELECT sentence.id, sentence.language FROM sentence_words "
    "CROSS JOIN sentence ON sentence.id = sentence_words.rowid "
    "WHERE sentence_words MATCH :words "
    "AND sentence_words.rowid >= :low AND sentence_words.rowid < :high "
    "ORDER BY sentence_words.rowid LIMIT :limit"
)


def find_by_keywords(
    project: Project, typed: str, corpora: Sequence[CorpusRow], k: int
) -> dict[str, list[int]]:
    """Find sentences that contain all of the typed words, prefixes and phrases.

    Returns:
        The ids of up to k sentences of each language, ascending.

    Raises:
        UserError: the typed text has no letter or digit.
    """
    words = keyword_query(typed)
    if not words:
        raise UserError(f"{typed!r} has no letter or digit. Type a word.")
    found: dict[str, list[int]] = {}
    limit = max(MATCHES_PER_HIT * k, MIN_MATCHES)
    with project.store.connect() as connection:
        for corpus in corpora:  # a range of the index each
            for id_, language in _matches(project, connection, corpus, (words, limit)):
                ids = found.setdefault(language, [])
                if len(ids) < k:
                    ids.append(id_)
    return found


def _matches(
    project: Project,
    connection: Connection,
    corpus: CorpusRow,
    search: tuple[str, int],
) -> Iterator[tuple[int, str]]:
    """Return id and language of active sentences that match, up to a limit."""
    words, limit = search
    first = first_sentence_id(corpus.id)
    rows = active_positions(project, corpus)
    values = {
        "words": words,
        "limit": limit if rows is None else -1,
        "low": first,
        "high": first_sentence_id(corpus.id + 1),
    }
    found = connection.execute(_SQL, values)
    if rows is None:
        yield from (tuple(row) for row in found)
        return
    is_active = np.zeros(corpus.n_sentences, bool)
    is_active[rows] = True
    chosen = (tuple(row) for row in found if is_active[row.id - first])
    yield from islice(chosen, limit)
