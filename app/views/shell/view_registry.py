"""Registry of the views, imported when first shown."""

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import ViewEntry


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries; a view's module is imported when it is shown."""
    texts, pairs = _tr("Texts"), _tr("Pairs")
    study, tools = _tr("Study"), _tr("Tools")
    return [
        ViewEntry(
            "corpora",
            _tr("Corpora"),
            "corpora",
            _tr("Import, read and sort the texts of this project."),
            partial(_make_corpora, state),
            group=texts,
        ),
        ViewEntry(
            "search",
            _tr("Search"),
            "search",
            _tr("Find the nearest sentences in every language."),
            partial(_make_search, state),
            group=texts,
        ),
        ViewEntry(
            "concordance",
            _tr("Concordance"),
            "concordance",
            _tr("See every occurrence of a word, sorted by context."),
            partial(_make_concordance, state),
            group=texts,
        ),
        ViewEntry(
            "words",
            _tr("Words"),
            "words",
            _tr("Rank words, collocates and translation equivalents."),
            partial(_make_words, state),
            group=texts,
            has_sentences=False,
        ),
        ViewEntry(
            "mining",
            _tr("Mine"),
            "mining",
            _tr("Find translation pairs between two corpora."),
            partial(_make_mining, state),
            group=pairs,
        ),
        ViewEntry(
            "review",
            _tr("Review"),
            "review",
            _tr("Judge pairs and estimate the best threshold."),
            partial(_make_review, state),
            group=pairs,
            has_sentences=False,
        ),
        ViewEntry(
            "alignment",
            _tr("Align"),
            "alignment",
            _tr("Link two documents sentence by sentence."),
            partial(_make_alignment, state),
            group=pairs,
        ),
        ViewEntry(
            "classify",
            _tr("Classify"),
            "classify",
            _tr("Label in one language, classify in every language."),
            partial(_make_classify, state),
            group=study,
            has_sentences=False,
        ),
        ViewEntry(
            "evaluate",
            _tr("Evaluate"),
            "evaluate",
            _tr("Measure what encoders know."),
            partial(_make_evaluate, state),
            group=study,
            has_sentences=False,
        ),
        ViewEntry(
            "map",
            _tr("Map"),
            "map",
            _tr("See sentences as points, near similar ones."),
            partial(_make_map, state),
            group=study,
        ),
        ViewEntry(
            "quality",
            _tr("Quality"),
            "quality",
            _tr("Find duplicates, test-set leakage and corrupted text, and hide them."),
            partial(_make_quality, state),
            group=tools,
            has_sentences=False,
        ),
        ViewEntry(
            "training",
            _tr("Training"),
            "training",
            _tr("Train an encoder on your aligned texts."),
            partial(_make_training, state),
            group=tools,
            has_sentences=False,
        ),
        ViewEntry(
            "encoders",
            _tr("Encoders"),
            "encoders",
            _tr("Compare encoders and select the one to use."),
            partial(_make_encoders, state),
            group=tools,
            has_sentences=False,
        ),
    ]


def make_inspector(state: AppState) -> QWidget:
    """Make the panel of the selected sentence."""
    from app.views.shell.inspector import Inspector

    return Inspector(state)


def warm_views() -> None:
    """Import what an open project needs (in a thread while the window is drawn)."""
    warm_imports()
    import app.views.corpora.view
    import app.views.search.view
    import app.views.shell.inspector  # noqa: F401 - loaded early, used later


def _make_corpora(state: AppState) -> QWidget:
    from app.views.corpora.view import CorporaView

    return CorporaView(state)


def _make_search(state: AppState) -> QWidget:
    from app.views.search.view import SearchView

    return SearchView(state)


def _make_concordance(state: AppState) -> QWidget:
    from app.views.concordance.view import ConcordanceView

    return ConcordanceView(state)


def _make_words(state: AppState) -> QWidget:
    from app.views.words.view import WordsView

    return WordsView(state)


def _make_mining(state: AppState) -> QWidget:
    from app.views.mining.view import MiningView

    return MiningView(state)


def _make_review(state: AppState) -> QWidget:
    from app.views.review.view import ReviewView

    return ReviewView(state)


def _make_alignment(state: AppState) -> QWidget:
    from app.views.alignment.view import AlignmentView

    return AlignmentView(state)


def _make_classify(state: AppState) -> QWidget:
    from app.views.classify.view import ClassifyView

    return ClassifyView(state)


def _make_evaluate(state: AppState) -> QWidget:
    from app.views.evaluate.view import EvaluateView

    return EvaluateView(state)


def _make_map(state: AppState) -> QWidget:
    from app.views.map.view import MapView

    return MapView(state)


def _make_quality(state: AppState) -> QWidget:
    from app.views.quality.view import QualityView

    return QualityView(state)


def _make_training(state: AppState) -> QWidget:
    from app.views.training.view import TrainingView

    return TrainingView(state)


def _make_encoders(state: AppState) -> QWidget:
    from app.views.encoders.view import EncodersView

    return EncodersView(state)


def _tr(text: str) -> str:
    return QCoreApplication.translate("views", text)
