"""Registry of the views, imported when first shown."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import ViewEntry


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries; a view's module is imported when it is shown."""
    return [
        _corpora(state),
        _search(state),
        _concordance(state),
        _words(state),
        _mining(state),
        _review(state),
        _alignment(state),
        _classify(state),
        _evaluate(state),
        _map(state),
        _quality(state),
        _training(state),
        _encoders(state),
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


def _corpora(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.corpora.view import CorporaView

        return CorporaView(state)

    hint = _tr("Import, read and sort the texts of this project.")
    return ViewEntry("corpora", _tr("Corpora"), "corpora", hint, _make)


def _search(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.search.view import SearchView

        return SearchView(state)

    hint = _tr("Find the nearest sentences in every language.")
    return ViewEntry("search", _tr("Search"), "search", hint, _make)


def _concordance(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.concordance.view import ConcordanceView

        return ConcordanceView(state)

    hint = _tr("See every occurrence of a word, sorted by context.")
    return ViewEntry("concordance", _tr("Concordance"), "concordance", hint, _make)


def _words(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.words.view import WordsView

        return WordsView(state)

    hint = _tr("Rank words, collocates and translation equivalents.")
    return ViewEntry("words", _tr("Words"), "words", hint, _make, has_sentences=False)


def _mining(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.mining.view import MiningView

        return MiningView(state)

    hint = _tr("Find translation pairs between two corpora.")
    return ViewEntry("mining", _tr("Mine"), "mining", hint, _make)


def _review(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.review.view import ReviewView

        return ReviewView(state)

    hint = _tr("Judge pairs and estimate the best threshold.")
    return ViewEntry(
        "review", _tr("Review"), "review", hint, _make, has_sentences=False
    )


def _alignment(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.alignment.view import AlignmentView

        return AlignmentView(state)

    hint = _tr("Link two documents sentence by sentence.")
    return ViewEntry("alignment", _tr("Align"), "alignment", hint, _make)


def _classify(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.classify.view import ClassifyView

        return ClassifyView(state)

    hint = _tr("Label in one language, classify in every language.")
    return ViewEntry(
        "classify", _tr("Classify"), "classify", hint, _make, has_sentences=False
    )


def _evaluate(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.evaluate.view import EvaluateView

        return EvaluateView(state)

    hint = _tr("Measure what encoders know.")
    return ViewEntry(
        "evaluate", _tr("Evaluate"), "evaluate", hint, _make, has_sentences=False
    )


def _map(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.map.view import MapView

        return MapView(state)

    hint = _tr("See sentences as points, near similar ones.")
    return ViewEntry("map", _tr("Map"), "map", hint, _make)


def _quality(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.quality.view import QualityView

        return QualityView(state)

    hint = _tr("Find duplicates, test-set leakage and corrupted text, and hide them.")
    return ViewEntry(
        "quality", _tr("Quality"), "quality", hint, _make, has_sentences=False
    )


def _training(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.training.view import TrainingView

        return TrainingView(state)

    hint = _tr("Train an encoder on your aligned texts.")
    return ViewEntry(
        "training", _tr("Training"), "training", hint, _make, has_sentences=False
    )


def _encoders(state: AppState) -> ViewEntry:
    def _make() -> QWidget:
        from app.views.encoders.view import EncodersView

        return EncodersView(state)

    hint = _tr("Compare encoders and select the one to use.")
    return ViewEntry(
        "encoders", _tr("Encoders"), "encoders", hint, _make, has_sentences=False
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("views", text)
