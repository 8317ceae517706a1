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
PRELOADED_FIRST = ("corpora.view", "search.view", "shell.inspector")


class _Row(NamedTuple):
    """A view in the navigation.

    Attributes:
        name: of the view, its icon and its folder.
        class_name: of the view, in the module `view` of the folder.
        title: in the navigation.
        hint: its tooltip.
        has_sentences: users select sentences in it, so it shows the inspector.
    """

    name: str
    class_name: str
    title: str
    hint: str
    has_sentences: bool = True


def list_views(state: AppState) -> list[ViewEntry]:
    """Return the navigation's entries; a view's module is imported when it is shown."""
    return [
        ViewEntry(
            row.name,
            row.title,
            row.name,
            row.hint,
            partial(_make_view, state, row),
            has_sentences=row.has_sentences,
            group=group,
        )
        for group, rows in _list_groups()
        for row in rows
    ]


def _make_view(state: AppState, row: _Row, parent: QWidget) -> QWidget:
    module = import_module(f"app.views.{row.name}.view")
    make: Callable[[AppState, QWidget], QWidget] = getattr(module, row.class_name)
    return make(state, parent)


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
        views = [f"{row.name}.view" for _, rows in _list_groups() for row in rows]
        self._modules = list(dict.fromkeys([*PRELOADED_FIRST, *views]))
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


def _list_groups() -> list[tuple[str, list[_Row]]]:
    """Return the views of each part of the navigation, by its title."""
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
            # Its page shows the pair with its context and neighbours, and the
            # texts that are judged need the width.
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
        ),
        _Row(
            "training",
            "TrainingView",
            _tr("Training"),
            _tr("Train an encoder on your aligned texts."),
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
