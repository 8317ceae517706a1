"""Choose the source and the languages of translations."""

from typing import NamedTuple

from app.engine.store.pairs.sets import PairSetRow
from app.languages import language_name
from app.views.client.project_reader import ProjectReader
from app.views.widgets.corpus_choices import (
    iter_linked_languages,
    language_choices,
    linked_language,
)


class TranslationSource(NamedTuple):
    """The selection and the choices in the fields of equivalents.

    Attributes:
        target: language of equivalents; empty if none is selected.
        mining: id of a pair set; 0: links and alignments.
        languages: codes and names of the languages on offer.
    """

    target: str
    mining: int
    languages: list[tuple[str, str]]


def suggest_source(
    project: ProjectReader, source: str, target: str
) -> TranslationSource:
    """Choose a source with translations: links, or else the newest pair set.

    Args:
        source: language of the word; empty: any.
        target: language of the equivalents; empty: choose one.
    """
    languages = language_choices(project.corpora)
    for linked in iter_linked_languages(project, source):
        if target in ("", linked):
            return TranslationSource(linked, 0, languages)
    for row in project.minings:
        first, second = _pair_languages(project, row)
        for one, other in ((first, second), (second, first)):
            if source in ("", one) and other and target in ("", other):
                return TranslationSource(other, row.id, languages)
    others = [code for code, _ in languages if code != source]
    only = others[0] if source and len(others) == 1 else ""
    return TranslationSource(target or only, 0, languages)


def fit_languages(
    project: ProjectReader, source: str, target: str, mining: int
) -> TranslationSource:
    """Offer the languages of a source selected by the user."""
    row = next((row for row in project.minings if row.id == mining), None)
    codes = _pair_languages(project, row) if row is not None else ("", "")
    if not all(codes):
        found = target or linked_language(project, source)
        return TranslationSource(found, mining, language_choices(project.corpora))
    if target not in codes or target == source:
        target = codes[0] if source == codes[1] else codes[1]
    languages = [(code, language_name(code)) for code in dict.fromkeys(codes)]
    return TranslationSource(target, mining, languages)


def _pair_languages(project: ProjectReader, row: PairSetRow) -> tuple[str, str]:
    """Return the languages of the sides of a pair set; empty if unknown."""
    known = {corpus.id: corpus.language for corpus in project.corpora}
    return (
        row.source_language or known.get(row.source_corpus_id, ""),
        row.target_language or known.get(row.target_corpus_id, ""),
    )
