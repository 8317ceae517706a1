"""Examples of queries on the empty pages of the words view."""

from itertools import combinations
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.protocol.answers.reading import ExampleWords
from app.views.client.project_reader import ProjectReader
from app.views.widgets.corpus_choices import rank_language
from app.views.words.settings import WordListSettings

Example = tuple[str, WordListSettings]


def list_examples(
    settings: WordListSettings, found: ExampleWords, project: ProjectReader
) -> list[Example]:
    """Return the titles and settings of examples for a page without a query.

    Args:
        found: example words from the project.
    """
    if settings.page == "keyness":
        return list_comparisons(settings, project)
    changes: dict[str, Any] = {"corpora": (), "subcorpora": ()}
    if settings.page == "collocates":
        changes["languages"] = (found.language,)
    elif settings.page == "equivalents":
        if not found.target:
            return []
        changes["source_language"] = found.language
        changes["target_language"] = found.target
        changes |= {"mining": 0, "accepted": False}
    return [
        (word, msgspec.structs.replace(settings, text=word, **changes))
        for word in found.words
    ]


def list_comparisons(
    settings: WordListSettings, project: ProjectReader
) -> list[Example]:
    """Return the first comparison of two sub-corpora, or corpora, of one language."""
    languages = {row.id: row.language for row in project.texts}
    sides: list[tuple[str, set[str], dict[str, Any], dict[str, Any]]] = [
        (
            row.name,
            {languages[id_] for id_ in row.counts if id_ in languages},
            {"subcorpora": (row.id,)},
            {"against_parts": (row.id,)},
        )
        for row in project.subcorpora
    ]
    sides += [
        (row.name, {row.language}, {"corpora": (row.id,)}, {"against": (row.id,)})
        for row in project.texts
    ]
    empty = {"corpora": (), "subcorpora": (), "against": (), "against_parts": ()}
    words = QCoreApplication.translate("words", "{one} and {other} ({language})")
    for (name, own, texts, _), (other, others, _, against) in combinations(sides, 2):
        shared = sorted(own & others, key=lambda code: (rank_language(code), code))
        if shared and shared[0]:
            changes = empty | texts | against | {"languages": (shared[0],)}
            title = words.format(
                one=name, other=other, language=language_name(shared[0])
            )
            return [(title, msgspec.structs.replace(settings, **changes))]
    return []
