"""Registry of the views, imported when first shown."""

from functools import partial
from importlib import import_module

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import ViewEntry

WITH_SENTENCES = (
    "corpora",
    "search",
    "read",
    "concordance",
    "mining",
    "alignment",
    "map",
)

OTHER_VIEWS = (
    *("concordance.view", "words.view", "mining.view", "review.view"),
    *("alignment.view", "classify.view", "evaluate.view", "map.view"),
    *("quality.view", "training.view", "encoders.view"),
)


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries; a view's module is imported when it is shown."""
    texts, pairs = _tr("Texts"), _tr("Pairs")
    study, tools = _tr("Study"), _tr("Tools")
    rows = (
        (
            _make_corpora,
            "corpora",
            _tr("Corpora"),
            texts,
            _tr("Import, read and sort the texts of this project."),
        ),
        (
            _make_search,
            "search",
            _tr("Search"),
            texts,
            _tr("Find the nearest sentences in every language."),
        ),
        (
            _make_read,
            "read",
            _tr("Read"),
            texts,
            _tr("Read linked texts side by side."),
        ),
        (
            _make_concordance,
            "concordance",
            _tr("Concordance"),
            texts,
            _tr("See every occurrence of a word, sorted by context."),
        ),
        (
            _make_words,
            "words",
            _tr("Words"),
            texts,
            _tr("Rank words, collocates and translation equivalents."),
        ),
        (
            _make_mining,
            "mining",
            _tr("Mine"),
            pairs,
            _tr("Find translation pairs between two corpora."),
        ),
        (
            _make_review,
            "review",
            _tr("Review"),
            pairs,
            _tr("Judge pairs and estimate the best threshold."),
        ),
        (
            _make_alignment,
            "alignment",
            _tr("Align"),
            pairs,
            _tr("Link two documents sentence by sentence."),
        ),
        (
            _make_classify,
            "classify",
            _tr("Classify"),
            study,
            _tr("Label in one language, classify in every language."),
        ),
        (
            _make_evaluate,
            "evaluate",
            _tr("Evaluate"),
            study,
            _tr("Measure what encoders know."),
        ),
        (
            _make_map,
            "map",
            _tr("Map"),
            study,
            _tr("See sentences as points, near similar ones."),
        ),
        (
            _make_quality,
            "quality",
            _tr("Quality"),
            tools,
            _tr("Find duplicates, test-set leakage and corrupted text, and hide them."),
        ),
        (
            _make_training,
            "training",
            _tr("Training"),
            tools,
            _tr("Train an encoder on your aligned texts."),
        ),
        (
            _make_encoders,
            "encoders",
            _tr("Encoders"),
            tools,
            _tr("Compare encoders and select the one to use."),
        ),
    )
    return [
        ViewEntry(
            name,
            title,
            name,
            hint,
            partial(make, state),
            has_sentences=name in WITH_SENTENCES,
            group=group,
        )
        for make, name, title, group, hint in rows
    ]


def make_inspector(state: AppState) -> QWidget:
    """Make the panel of the selected sentence."""
    from app.views.shell.inspector import Inspector

    return Inspector(state)


def warm_views() -> None:
    """Import all views (in a thread while the window is drawn), the usual ones first.

    Importing a view when it is shown for the first time held the window up.
    """
    warm_imports()
    for module in ("corpora.view", "search.view", "shell.inspector", *OTHER_VIEWS):
        import_module(f"app.views.{module}")


def _make_corpora(state: AppState, parent: QWidget) -> QWidget:
    from app.views.corpora.view import CorporaView

    return CorporaView(state, parent)


def _make_search(state: AppState, parent: QWidget) -> QWidget:
    from app.views.search.view import SearchView

    return SearchView(state, parent)


def _make_read(state: AppState, parent: QWidget) -> QWidget:
    from app.views.read.view import ReadView

    return ReadView(state, parent)


def _make_concordance(state: AppState, parent: QWidget) -> QWidget:
    from app.views.concordance.view import ConcordanceView

    return ConcordanceView(state, parent)


def _make_words(state: AppState, parent: QWidget) -> QWidget:
    from app.views.words.view import WordsView

    return WordsView(state, parent)


def _make_mining(state: AppState, parent: QWidget) -> QWidget:
    from app.views.mining.view import MiningView

    return MiningView(state, parent)


def _make_review(state: AppState, parent: QWidget) -> QWidget:
    from app.views.review.view import ReviewView

    return ReviewView(state, parent)


def _make_alignment(state: AppState, parent: QWidget) -> QWidget:
    from app.views.alignment.view import AlignmentView

    return AlignmentView(state, parent)


def _make_classify(state: AppState, parent: QWidget) -> QWidget:
    from app.views.classify.view import ClassifyView

    return ClassifyView(state, parent)


def _make_evaluate(state: AppState, parent: QWidget) -> QWidget:
    from app.views.evaluate.view import EvaluateView

    return EvaluateView(state, parent)


def _make_map(state: AppState, parent: QWidget) -> QWidget:
    from app.views.map.view import MapView

    return MapView(state, parent)


def _make_quality(state: AppState, parent: QWidget) -> QWidget:
    from app.views.quality.view import QualityView

    return QualityView(state, parent)


def _make_training(state: AppState, parent: QWidget) -> QWidget:
    from app.views.training.view import TrainingView

    return TrainingView(state, parent)


def _make_encoders(state: AppState, parent: QWidget) -> QWidget:
    from app.views.encoders.view import EncodersView

    return EncodersView(state, parent)


def _tr(text: str) -> str:
    return QCoreApplication.translate("views", text)
