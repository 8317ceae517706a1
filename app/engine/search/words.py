"""Sentences that hold words: the keyword index, corpus by corpus."""

from collections.abc import Sequence

from sqlalchemy import Engine, text

from app.engine.search.keywords import keyword_query
from app.engine.store.rows import CorpusRow, first_id
from app.errors import UserError

# Matches of a corpus that are looked at for each hit wanted: a corpus whose sentences
# are in several languages needs more than it gives.
LOOKED_AT = 10
MIN_LOOKED_AT = 200

# The index gives rowids in rising order, and knows a range of them by a binary search;
# CROSS keeps it on the outside.
_SQL = text(
    "SELECT sentence.id, sentence.language FROM sentence_words "
    "CROSS JOIN sentence ON sentence.id = sentence_words.rowid "
    "WHERE sentence_words MATCH :words "
    "AND sentence_words.rowid >= :low AND sentence_words.rowid < :high "
    "ORDER BY sentence_words.rowid LIMIT :limit"
)


def find_words(
    store: Engine, typed: str, corpora: Sequence[CorpusRow], k: int
) -> dict[str, list[int]]:
    """Find sentences that hold all of the typed words, prefixes and phrases.

    Returns:
        The ids of up to k sentences of each language, in the order of id.

    Raises:
        UserError: nothing that was typed can be in the index.
    """
    words = keyword_query(typed)
    if not words:
        raise UserError(f"{typed!r} has no letter and no digit to look for.")
    found: dict[str, list[int]] = {}
    limit = max(LOOKED_AT * k, MIN_LOOKED_AT)
    with store.connect() as connection:
        for corpus in corpora:  # a range of the index each
            bounds = {"low": first_id(corpus.id), "high": first_id(corpus.id + 1)}
            rows = connection.execute(_SQL, {"words": words, "limit": limit, **bounds})
            for id_, language in rows:
                ids = found.setdefault(language, [])
                if len(ids) < k:
                    ids.append(id_)
    return found
