"""Find the sentences that contain words, prefixes and phrases."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from sqlalchemy import Connection, text

from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.words.keyword_index import MAX_QUERY_CHARACTERS, keyword_query
from app.engine.text.normalisation import clean_text
from app.errors import UserError

# Matches of a corpus read per hit: a corpus in several languages needs more matches
# than it has hits.
MATCHES_PER_HIT = 10
MIN_MATCHES = 200
MAX_EXACT = 100  # sentences with the same text
MAX_COMPARED = 10_000  # sentences whose text is compared

# The index returns rowids in ascending order, and finds a range of them by binary
# search; CROSS JOIN keeps it as the outer table.
_SQL = text(
    "SELECT sentence.id, sentence.language FROM sentence_words "
    "CROSS JOIN sentence ON sentence.id = sentence_words.rowid "
    "WHERE sentence_words MATCH :words "
    "AND sentence_words.rowid >= :low AND sentence_words.rowid < :high "
    "ORDER BY sentence_words.rowid LIMIT :limit"
)
_COUNT = text(
    "SELECT count(*) FROM sentence_words WHERE sentence_words MATCH :words "
    "AND rowid >= :low AND rowid < :high"
)
_EXACT = text(
    "SELECT sentence.id FROM (SELECT rowid AS id FROM sentence_words "
    "WHERE sentence_words MATCH :words LIMIT :most) AS found "
    "CROSS JOIN sentence ON sentence.id = found.id "
    "WHERE sentence.text = :typed LIMIT :limit"
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


def count_by_keywords(
    project: Project, typed: str, corpora: Sequence[CorpusRow]
) -> Counter[str]:
    """Count all sentences that `find_by_keywords` finds, by language."""
    words = keyword_query(typed)
    counts: Counter[str] = Counter()
    with project.store.connect() as connection:
        for corpus in corpora:
            first = list(_matches(project, connection, corpus, (words, MIN_MATCHES)))
            languages = Counter(language for _, language in first)
            if len(first) < MIN_MATCHES:
                counts += languages
            elif len(languages) == 1 and active_positions(project, corpus) is None:
                # The languages of a million matches would take a second to read.
                n = connection.scalar(_COUNT, {"words": words, **_id_range(corpus)})
                counts += Counter(dict.fromkeys(languages, int(n or 0)))
            else:
                every = _matches(project, connection, corpus, (words, -1))
                counts += Counter(language for _, language in every)
    return counts


def find_exact_text(project: Project, typed: str, corpora: set[int]) -> list[int]:
    """Return the ids of sentences whose text is exactly the typed text.

    A text of frequent words only may be missed where very many sentences contain it.
    """
    typed, _ = clean_text(typed)
    if len(typed) > MAX_QUERY_CHARACTERS:
        return []
    words = keyword_query(f'"{typed.replace(chr(34), " ")}"')
    if not words:
        return []
    values = {"words": words, "typed": typed, "most": MAX_COMPARED, "limit": MAX_EXACT}
    with project.store.connect() as connection:
        ids = connection.scalars(_EXACT, values).all()
    return [int(id_) for id_ in ids if corpus_of(id_) in corpora]


def _matches(
    project: Project,
    connection: Connection,
    corpus: CorpusRow,
    search: tuple[str, int],
) -> Iterator[tuple[int, str]]:
    """Return id and language of active sentences that match, up to a limit; −1: all."""
    words, limit = search
    first = first_sentence_id(corpus.id)
    rows = active_positions(project, corpus)
    values = {
        "words": words,
        "limit": limit if rows is None else -1,
        **_id_range(corpus),
    }
    found = connection.execute(_SQL, values)
    if rows is None:
        yield from (tuple(row) for row in found)
        return
    is_active = np.zeros(corpus.n_sentences, bool)
    is_active[rows] = True
    chosen = (tuple(row) for row in found if is_active[row.id - first])
    yield from islice(chosen, limit if limit >= 0 else None)


def _id_range(corpus: CorpusRow) -> dict[str, int]:
    return {
        "low": first_sentence_id(corpus.id),
        "high": first_sentence_id(corpus.id + 1),
    }
