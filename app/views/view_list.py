"""The views that exist, in the order of the navigation, and the inspector."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.views.project_reader import warm_imports
from app.views.state import AppState
from app.views.view import ViewEntry


def list_views(state: AppState) -> list[ViewEntry]:
    """Give the navigation's entries; a view's module is imported when it is shown."""

    def _make_corpora() -> QWidget:
        from app.views.corpus_view import CorpusView

        return CorpusView(state)

    def _make_search() -> QWidget:
        from app.views.search_view import SearchView

        return SearchView(state)

    def _make_mining() -> QWidget:
        from app.views.mining_view import MiningView

        return MiningView(state)

    def _make_review() -> QWidget:
        from app.views.review_view import ReviewView

        return ReviewView(state)

    def _make_alignment() -> QWidget:
        from app.views.alignment_view import AlignmentView

        return AlignmentView(state)

    def _make_classify() -> QWidget:
        from app.views.classify_view import ClassifyView

        return ClassifyView(state)

    def _make_training() -> QWidget:
        from app.views.training_view import TrainingView

        return TrainingView(state)

    def _make_encoders() -> QWidget:
        from app.views.encoders_view import EncodersView

        return EncodersView(state)

    return [
        ViewEntry(
            "corpora",
            _tr("Corpora"),
            "corpora",
            _tr("Import, read and sort the texts of this project."),
            _make_corpora,
        ),
        ViewEntry(
            "search",
            _tr("Search"),
            "search",
            _tr("Find the nearest sentences in every language."),
            _make_search,
        ),
        ViewEntry(
            "mining",
            _tr("Mine"),
            "mining",
            _tr("Find sentences of two corpora that are translations."),
            _make_mining,
        ),
        ViewEntry(
            "review",
            _tr("Review"),
            "review",
            _tr("Judge pairs by one key each, and see what threshold they speak for."),
            _make_review,
            has_sentences=False,
        ),
        ViewEntry(
            "alignment",
            _tr("Align"),
            "alignment",
            _tr("Link two documents sentence by sentence, and mend the links by key."),
            _make_alignment,
        ),
        ViewEntry(
            "classify",
            _tr("Classify"),
            "classify",
            _tr("Label in one language, and classify in all of them."),
            _make_classify,
            has_sentences=False,
        ),
        ViewEntry(
            "training",
            _tr("Training"),
            "training",
            _tr("Train an encoder on your own aligned texts."),
            _make_training,
            has_sentences=False,
        ),
        ViewEntry(
            "encoders",
            _tr("Encoders"),
            "encoders",
            _tr("See what each encoder covers, and choose the one to use."),
            _make_encoders,
            has_sentences=False,
        ),
    ]


def make_inspector(state: AppState) -> QWidget:
    """Make the panel of the selected sentence."""
    from app.views.panels.inspector import Inspector

    return Inspector(state)


def warm_views() -> None:
    """Import what an open project needs (in a thread while the window is drawn)."""
    warm_imports()
    import app.views.corpus_view
    import app.views.panels.inspector
    import app.views.search_view  # noqa: F401


def _tr(text: str) -> str:
    return QCoreApplication.translate("views", text)
