"""The answer about equivalents for the window."""

from typing import Any

from app.engine.search.desk import SearchDesk
from app.engine.store.dictionary_rows import list_dictionaries
from app.engine.store.pair_rows import read_mining
from app.engine.words.bitext import Wanted
from app.engine.words.equivalents import find_equivalents
from app.errors import UserError
from app.word_questions import EquivalentsQuery


def answer_equivalents(desk: SearchDesk, query: EquivalentsQuery) -> dict[str, Any]:
    """Rank how a word is translated.

    Raises:
        UserError: the text is no word; a corpus, set of pairs or dictionary is gone.
    """
    project = desk.project
    minings = [read_mining(project.store, id_) for id_ in query.minings]
    ready = [row for row in minings if row is not None and row.state == "ready"]
    if len(ready) < len(query.minings):
        raise UserError("The set of pairs is not in the project any more.")
    dictionary = None
    if query.dictionary is not None:
        known = {row.id: row for row in list_dictionaries(project.store)}
        if query.dictionary not in known:
            raise UserError("The dictionary is not in the project any more.")
        dictionary = known[query.dictionary]
    wanted = Wanted(
        desk.corpora(query.corpora, query.subcorpora),
        query.source_language,
        query.target_language,
        ready,
        query.accepted,
        query.layer,
    )
    return find_equivalents(
        project,
        wanted,
        query,
        shelf=desk.words.bitexts,
        open_index=desk.words.index,
        dictionary=dictionary,
    )


__all__ = ["answer_equivalents"]
