"""Which corpora have labels, and what the view proposes to do with them."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.engine.store.rows import CorpusRow, has_labels, has_links
from app.languages import language_name, primary_language
from app.params.classify import EvaluateTransfer
from app.views.mining_sides import name_corpus
from app.views.project_reader import ProjectReader

FIRST = "en"  # the language that is trained on where it has labels
FEWEST = 2  # languages of a test


def labelled_corpora(project: ProjectReader) -> list[CorpusRow]:
    """Give the corpora of which a sentence has a label; English ones come first."""
    found = [row for row in project.corpora if has_labels(project.store, row.id)]
    return sorted(found, key=lambda row: primary_language(row.language) != FIRST)


def suggest_transfer(project: ProjectReader) -> EvaluateTransfer | None:
    """Propose to train on English and to test on every language with labels.

    Training rows that are translations of test rows are set apart where links tell
    them; without links the training set itself is tested by cross-validation.
    """
    labelled = labelled_corpora(project)
    if not labelled:
        return None
    home = labelled[0]
    tests = {home.language: home} | {
        row.language: row for row in reversed(labelled) if row.language != home.language
    }
    if len(tests) < FEWEST:
        return None
    return EvaluateTransfer(
        train=name_corpus(project.corpora, home),
        tests=tuple(test_places(project.corpora, list(tests.values()))),
        language=home.language,
        apart=has_links(project.store, home.id),
    )


def test_places(corpora: Sequence[CorpusRow], chosen: Sequence[CorpusRow]) -> list[str]:
    """Write corpora as tests, LANGUAGE=CORPUS; a second one of a language is numbered.

    Args:
        corpora: all of the project.
        chosen: what is to be tested on.
    """
    taken: dict[str, int] = {}
    places = []
    for row in chosen:
        n = taken[row.language] = taken.get(row.language, 0) + 1
        key = row.language if n == 1 else f"{row.language}-x-{n}"
        places.append(f"{key}={name_corpus(corpora, row)}")
    return places


def pair_names(corpora: Sequence[CorpusRow]) -> list[str]:
    """Name pairs of corpora that were imported together, A+B: of one file and size."""
    return [
        f"{name_corpus(corpora, one)}+{name_corpus(corpora, other)}"
        for one in corpora
        for other in corpora
        if one.id < other.id
        and one.n_sentences == other.n_sentences
        and one.source == other.source
    ]


def describe_suggestion(params: EvaluateTransfer) -> str:
    """Say what would be done: Train on English, test on twelve languages."""
    words = _tr("Train on {home}, test on {n} languages")
    n = _in_words(len(params.tests))
    return words.format(home=language_name(params.language), n=n)


def _in_words(n: int) -> str:
    names = {
        2: _tr("two"),
        3: _tr("three"),
        4: _tr("four"),
        5: _tr("five"),
        6: _tr("six"),
        7: _tr("seven"),
        8: _tr("eight"),
        9: _tr("nine"),
        10: _tr("ten"),
        11: _tr("eleven"),
        12: _tr("twelve"),
    }
    return names.get(n, f"{n:,}")


def _tr(text: str) -> str:
    return QCoreApplication.translate("classify", text)
