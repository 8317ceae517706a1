"""Registry of the views, and routing of requests between views."""

import gc
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import (
    ReadingRequest,
    ReadingRequester,
    TextLookup,
    ViewEntry,
)

if TYPE_CHECKING:
    from app.protocol.queries.pairs import QueueQuery
    from app.views.concordance.view import ConcordanceView
    from app.views.corpora.view import CorporaView
    from app.views.evaluate.view import EvaluateView
    from app.views.map.view import MapView
    from app.views.mining.view import MiningView
    from app.views.read.view import ReadView
    from app.views.review.view import ReviewView
    from app.views.search.view import SearchView

_tr = partial(QCoreApplication.translate, "views")

PAUSE_MS = 20  # between two imports
PRELOADED_FIRST = ("corpora.view", "search.view", "shell.inspector")


class _Row(NamedTuple):
    """The entry of a view in the navigation.

    Attributes:
        name: name of the view, its icon and its folder.
        class_name: class of the view in the module `view` of the folder.
        title: title in the navigation.
        hint: tooltip.
        has_sentences: whether users select sentences in the view, for the inspector.
        synonyms: other words that match the view in the command palette.
    """

    name: str
    class_name: str
    title: str
    hint: str
    has_sentences: bool = True
    synonyms: str = ""


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries, which import a view when it is first shown."""
    return [
        ViewEntry(
            row.name,
            row.title,
            row.name,
            row.hint,
            partial(_make_view, state, row),
            has_sentences=row.has_sentences,
            group=group,
            synonyms=row.synonyms,
        )
        for group, rows in _list_groups()
        for row in rows
    ]


def _make_view(state: AppState, row: _Row, parent: QWidget) -> QWidget:
    module = import_module(f"app.views.{row.name}.view")
    make: Callable[[AppState, QWidget], QWidget] = getattr(module, row.class_name)
    return make(state, parent)


def make_inspector(state: AppState) -> QWidget:
    """Create the inspector."""
    from app.views.shell.inspector import Inspector

    return Inspector(state)


class ViewImporter(QObject):
    """Imports all views after the window is drawn, most used views first.

    Importing a view when it is first shown would block the window. Libraries without Qt
    are imported in a thread. Modules that define Qt classes are imported one by one
    between events of the GUI thread: importing them in another thread while the GUI
    thread creates widgets crashes the program.
    """

    def __init__(self, parent: QObject):
        super().__init__(parent)
        views = [f"{row.name}.view" for _, rows in _list_groups() for row in rows]
        self._modules = list(dict.fromkeys([*PRELOADED_FIRST, *views]))
        self._libraries = Thread(target=warm_imports, daemon=True)
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Start the imports."""
        self._libraries.start()
        self._timer.start()

    def _go_on(self) -> None:
        if self._libraries.is_alive():
            return
        if self._modules:
            import_module(f"app.views.{self._modules.pop(0)}")
            return
        # A full garbage collection blocked the window for 90 to 200 ms.
        gc.freeze()
        self._timer.stop()


class ViewRequestRouter(QObject):
    """Opens the views that the signals of `ViewRequests` request."""

    def __init__(
        self,
        state: AppState,
        open_view: Callable[[str], Any],
        current_view: Callable[[], object],
        parent: QObject,
    ):
        """Connect the signals of the requests.

        Args:
            open_view: shows a view by name and returns it.
            current_view: returns the current view; None on the welcome page.
        """
        super().__init__(parent)
        self._state = state
        self._open_view, self._current_view = open_view, current_view
        for signal, slot in (
            (state.view_requests.search_requested, self._search_sentence),
            (state.view_requests.neighbours_requested, self._search_text),
            (state.view_requests.example_requested, self._search_example),
            (state.view_requests.place_requested, self._place_sentence),
            (state.view_requests.subcorpus_requested, self._make_subcorpus),
            (state.view_requests.reading_requested, self._read_sentence),
            (state.view_requests.concordance_requested, self._show_concordance),
            (state.view_requests.mining_requested, self._show_mining),
            (state.view_requests.scoring_requested, self._score_parallel_text),
            (state.view_requests.review_requested, self._review_pair),
            (state.view_requests.queue_requested, self._review_queue),
            (state.view_requests.evaluation_requested, self._ask_evaluation),
            (state.view_requests.map_requested, self._map_sentences),
        ):
            signal.connect(slot)

    def _search_sentence(self, sentence_id: int) -> None:
        """Search for the nearest neighbours of a sentence."""
        view: SearchView = self._open_view("search")
        view.ask_sentence(sentence_id)

    def _search_text(self, lookup: TextLookup) -> None:
        """Search for the nearest neighbours of a text."""
        view: SearchView = self._open_view("search")
        view.ask_text(lookup)

    def _search_example(self) -> None:
        """Show Search, with an example query unless hits are shown."""
        view: SearchView = self._open_view("search")
        view.ask_example()

    def _place_sentence(self, sentence_id: int) -> None:
        """Show a sentence in its corpus."""
        view: CorporaView = self._open_view("corpora")
        view.show_sentence(sentence_id)

    def _read_sentence(self, request: ReadingRequest | None) -> None:
        """Show a sentence next to its translations; None: the selected sentence."""
        shown = self._current_view()
        if request is None and isinstance(shown, ReadingRequester):
            request = shown.reading_request()
        if request is None and self._state.selection is not None:
            request = ReadingRequest(self._state.selection)
        if request is None:
            self._state.notice_posted.emit(self.tr("Select a sentence first."))
            return
        view: ReadView = self._open_view("read")
        view.read_from(request)

    def _review_pair(self, mining_id: int, pair_id: int | None) -> None:
        """Show the review view at a pair."""
        view: ReviewView = self._open_view("review")
        view.review_pair(mining_id, pair_id)

    def _review_queue(self, query: "QueueQuery", pair_id: int | None) -> None:
        """Show pairs in the review view, starting at one pair."""
        view: ReviewView = self._open_view("review")
        view.review_queue(query, pair_id)

    def _map_sentences(self, sentence_ids: Sequence[int]) -> None:
        """Show sentences on a map."""
        view: MapView = self._open_view("map")
        view.map_sentences(sentence_ids)

    def _show_concordance(self, lookup: TextLookup) -> None:
        """Show the concordance of a word."""
        view: ConcordanceView = self._open_view("concordance")
        view.show_concordance(lookup)

    def _show_mining(self, mining_id: int | None) -> None:
        """Show a pair set in the mining view."""
        view: MiningView = self._open_view("mining")
        view.show_mining(mining_id)

    def _score_parallel_text(self) -> None:
        """Ask which parallel text to score to find wrong pairs."""
        view: MiningView = self._open_view("mining")
        view.score_parallel_text()

    def _make_subcorpus(self) -> None:
        view: CorporaView = self._open_view("corpora")
        view.make_subcorpus()

    def _ask_evaluation(self, encoder: str) -> None:
        """Ask how to evaluate an encoder."""
        view: EvaluateView = self._open_view("evaluate")
        view.evaluate_encoder(encoder)


def _list_groups() -> list[tuple[str, list[_Row]]]:
    """Return the views of each group of the navigation by the group's title."""
    return [
        (_tr("Texts"), _list_text_views()),
        (_tr("Pairs"), _list_pair_views()),
        (_tr("Study"), _list_study_views()),
        (_tr("Tools"), _list_tool_views()),
    ]


def _list_text_views() -> list[_Row]:
    return [
        _Row(
            "corpora",
            "CorporaView",
            _tr("Corpora"),
            _tr("Import, read and sort the texts of this project."),
        ),
        _Row(
            "search",
            "SearchView",
            _tr("Search"),
            _tr("Find the nearest sentences in every language."),
        ),
        _Row("read", "ReadView", _tr("Read"), _tr("Read linked texts side by side.")),
        _Row(
            "concordance",
            "ConcordanceView",
            _tr("Concordance"),
            _tr("See every occurrence of a word, sorted by context."),
        ),
        _Row(
            "words",
            "WordsView",
            _tr("Words"),
            _tr("Rank words, collocates and translation equivalents."),
            has_sentences=False,
        ),
    ]


def _list_pair_views() -> list[_Row]:
    return [
        _Row(
            "mining",
            "MiningView",
            _tr("Mine"),
            _tr("Find translation pairs between two corpora."),
        ),
        _Row(
            "review",
            "ReviewView",
            _tr("Review"),
            _tr("Judge pairs and estimate the best threshold."),
            # No inspector: the page shows the pair's context and neighbours, and
            # the judged texts need the width.
            has_sentences=False,
        ),
        _Row(
            "alignment",
            "AlignmentView",
            _tr("Align"),
            _tr("Link two documents sentence by sentence."),
        ),
    ]


def _list_study_views() -> list[_Row]:
    return [
        _Row(
            "classify",
            "ClassifyView",
            _tr("Classify"),
            _tr("Label in one language, classify in every language."),
            synonyms=_tr("mistakes errors confusion cross-validation folds"),
        ),
        _Row(
            "evaluate",
            "EvaluateView",
            _tr("Evaluate"),
            _tr("Measure what encoders know."),
            has_sentences=False,
        ),
        _Row(
            "map",
            "MapView",
            _tr("Map"),
            _tr("See sentences as points, near similar ones."),
        ),
    ]


def _list_tool_views() -> list[_Row]:
    return [
        _Row(
            "quality",
            "QualityView",
            _tr("Quality"),
            _tr("Find duplicates, test-set leakage and corrupted text, and hide them."),
            synonyms=_tr("find issues problems errors"),
        ),
        _Row(
            "training",
            "TrainingView",
            _tr("Training"),
            _tr("Train an encoder on your aligned texts."),
            synonyms=_tr("learning curve loss"),
            has_sentences=False,
        ),
        _Row(
            "encoders",
            "EncodersView",
            _tr("Encoders"),
            _tr("Compare encoders and select the one to use."),
            has_sentences=False,
        ),
    ]
