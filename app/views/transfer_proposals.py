"""What the classify view proposes: a test on languages, a head for labelled rows."""

from PySide6.QtCore import QCoreApplication

from app.engine.store.rows import has_links
from app.languages import language_name
from app.params.classify import EvaluateTransfer, HeadName
from app.views.labelled import (
    Counts,
    Source,
    go_together,
    labelled_sources,
    write_tests,
)
from app.views.project_reader import ProjectReader

FEWEST = 2  # languages of a test


def suggest_transfer(
    project: ProjectReader, counts: Counts | None = None
) -> EvaluateTransfer | None:
    """Propose to train on English and to test on every language with its classes.

    Training rows that are translations of test rows are set apart where links tell
    them; without links the training set itself is tested by cross-validation.

    Args:
        project: the project.
        counts: labels by corpus, as far as they are known.
    """
    labelled = labelled_sources(project)
    for home in labelled:
        others = [one for one in labelled if go_together(home, one, counts or {})]
        tests = {home.language: home} | {
            one.language: one
            for one in reversed(others)
            if one.language != home.language
        }
        if len(tests) >= FEWEST:
            return EvaluateTransfer(
                train=home.key,
                tests=tuple(write_tests(list(tests.values()))),
                language=home.language,
                head=suggest_head(home, counts or {}),
                apart=has_links(project.store, home.id),
            )
    return None


def suggest_head(one: Source, counts: Counts) -> HeadName:
    """Give the head that rows ask for: by whether they are pairs, or scored pairs."""
    if not one.is_of_pairs:
        return "logistic"
    found = counts.get(one.id)
    return "relatedness" if found is not None and found.are_scores else "nli"


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
