"""Registry of the views, imported when first shown."""

import gc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from threading import Thread
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import ViewEntry

_tr = partial(QCoreApplication.translate, "views")

PAUSE_MS = 20  # between two imports
# Not in Review: its page shows the pair with its context and neighbours, and the texts
# that are judged need the width.
WITH_SENTENCES = (
    *("corpora", "search", "read", "concordance", "words", "mining", "alignment"),
    *("classify", "map", "quality"),
)

OTHER_VIEWS = (
    *("concordance.view", "read.view", "words.view", "mining.view", "review.view"),
    *("alignment.view", "classify.view", "evaluate.view", "map.view"),
    *("quality.view", "training.view", "encoders.view"),
)


class _Row(NamedTuple):
    """A view in the navigation.

    Attributes:
        make: imports and makes the view.
        name: of the view and of its icon.
        title: in the navigation.
        hint: its tooltip.
    """

    make: Callable[[AppState, QWidget], QWidget]
    name: str
    title: str
    hint: str


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries; a view's module is imported when it is shown."""
    groups = (
        (_tr("Texts"), _list_text_views()),
        (_tr("Pairs"), _list_pair_views()),
        (_tr("Study"), _list_study_views()),
        (_tr("Tools"), _list_tool_views()),
    )
    return [
        ViewEntry(
            row.name,
            row.title,
            row.name,
            row.hint,
            partial(row.make, state),
            has_sentences=row.name in WITH_SENTENCES,
            group=group,
        )
        for group, rows in groups
        for row in rows
    ]


def make_inspector(state: AppState) -> QWidget:
    """Make the panel of the selected sentence."""
    from app.views.shell.inspector import Inspector

    return Inspector(state)


class ViewImporter(QObject):
    """Imports all views after the window is drawn, the usual ones first.

    Importing a view when it is shown for the first time held the window up. Libraries
    without Qt are imported in a thread. Modules that define Qt classes are imported one
    by one between the events of the window's thread: imported in another thread while
    this one made widgets, they crashed the program.
    """

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._modules = ["corpora.view", "search.view", "shell.inspector", *OTHER_VIEWS]
        self._libraries = Thread(target=warm_imports, daemon=True)
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Start to import."""
        self._libraries.start()
        self._timer.start()

    def _go_on(self) -> None:
        if self._libraries.is_alive():
            return
        if self._modules:
            import_module(f"app.views.{self._modules.pop(0)}")
            return
        # A collection of everything held the window up for 90 to 200 ms.
        gc.freeze()
        self._timer.stop()


def _list_text_views() -> list[_Row]:
    return [
        _Row(
            _make_corpora,
            "corpora",
            _tr("Corpora"),
            _tr("Import, read and sort the texts of this project."),
        ),
        _Row(
            _make_search,
            "search",
            _tr("Search"),
            _tr("Find the nearest sentences in every language."),
        ),
        _Row(_make_read, "read", _tr("Read"), _tr("Read linked texts side by side.")),
        _Row(
            _make_concordance,
            "concordance",
            _tr("Concordance"),
            _tr("See every occurrence of a word, sorted by context."),
        ),
        _Row(
            _make_words,
            "words",
            _tr("Words"),
            _tr("Rank words, collocates and translation equivalents."),
        ),
    ]


def _list_pair_views() -> list[_Row]:
    return [
        _Row(
            _make_mining,
            "mining",
            _tr("Mine"),
            _tr("Find translation pairs between two corpora."),
        ),
        _Row(
            _make_review,
            "review",
            _tr("Review"),
            _tr("Judge pairs and estimate the best threshold."),
        ),
        _Row(
            _make_alignment,
            "alignment",
            _tr("Align"),
            _tr("Link two documents sentence by sentence."),
        ),
    ]


def _list_study_views() -> list[_Row]:
    return [
        _Row(
            _make_classify,
            "classify",
            _tr("Classify"),
            _tr("Label in one language, classify in every language."),
        ),
        _Row(
            _make_evaluate,
            "evaluate",
            _tr("Evaluate"),
            _tr("Measure what encoders know."),
        ),
        _Row(
            _make_map,
            "map",
            _tr("Map"),
            _tr("See sentences as points, near similar ones."),
        ),
    ]


def _list_tool_views() -> list[_Row]:
    return [
        _Row(
            _make_quality,
            "quality",
            _tr("Quality"),
            _tr("Find duplicates, test-set leakage and corrupted text, and hide them."),
        ),
        _Row(
            _make_training,
            "training",
            _tr("Training"),
            _tr("Train an encoder on your aligned texts."),
        ),
        _Row(
            _make_encoders,
            "encoders",
            _tr("Encoders"),
            _tr("Compare encoders and select the one to use."),
        ),
    ]


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
