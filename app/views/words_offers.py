"""What the words view offers: corpora, sub-corpora, sets of pairs, dictionaries."""

from typing import TYPE_CHECKING

from app.engine.store.dictionary_rows import DictionaryRow, list_dictionaries
from app.views.widgets.words_bar import WordsBar
from app.views.words_question import WordsQuestion

if TYPE_CHECKING:
    from app.views.project_reader import ProjectReader


class WordsOffers:
    """Knows their names, and puts them into the bar."""

    def __init__(self, bar: WordsBar):
        self._bar = bar
        self._dictionaries: list[DictionaryRow] = []

    def read(self, project: "ProjectReader") -> None:
        """Offer them as they are now."""
        self._dictionaries = list_dictionaries(project.store)
        self._bar.show_corpora(project)
        self._bar.show_pairs(project.minings)
        self._bar.show_dictionaries(self._dictionaries)

    def name_of_dictionary(self, id_: int) -> str:
        """Name a dictionary; empty where there is none of that id."""
        return next((row.name for row in self._dictionaries if row.id == id_), "")


def language_of(question: WordsQuestion, project: "ProjectReader | None") -> str:
    """Give the language of a list's words; empty where they may be of several."""
    if question.page == "equivalents":
        return question.target_language
    codes = question.languages or tuple(
        {row.language for row in project.corpora if row.id in question.corpora}
        if project is not None and not question.subcorpora
        else ()
    )
    return codes[0] if len(codes) == 1 else ""


__all__ = ["WordsOffers", "language_of"]
