"""Registry of the views, imported when first shown."""

import gc
from functools import partial
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.views.client.project_reader import warm_imports
from app.views.client.state import AppState
from app.views.widgets.view_protocol import ViewEntry

_tr = partial(QCoreApplication.translate, "views")

PAUSE_MS = 20  # between two imports
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
    *("concordance.view", "read.view", "words.view", "mining.view", "review.view"),
    *("alignment.view", "classify.view", "evaluate.view", "map.view"),
    *("quality.view", "training.view", "encoders.view"),
)


_Row = tuple[str, str, str]  # name of the view and of its icon, title, tooltip


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
            name,
            title,
            name,
            hint,
            partial(_make_view, state, name),
            has_sentences=name in WITH_SENTENCES,
            group=group,
        )
        for group, rows in groups
        for name, title, hint in rows
    ]


def _make_view(state: AppState, name: str, parent: QWidget) -> QWidget:
    """Import and make a view: classify → `ClassifyView` of views/classify/view.py."""
    module = import_module(f"app.views.{name}.view")
    view: QWidget = getattr(module, f"{name.capitalize()}View")(state, parent)
    return view


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
        (
            "corpora",
            _tr("Corpora"),
            _tr("Import, read and sort the texts of this project."),
        ),
        (
            "search",
            _tr("Search"),
            _tr("Find the nearest sentences in every language."),
        ),
        ("read", _tr("Read"), _tr("Read linked texts side by side.")),
        (
            "concordance",
            _tr("Concordance"),
            _tr("See every occurrence of a word, sorted by context."),
        ),
        (
            "words",
            _tr("Words"),
            _tr("Rank words, collocates and translation equivalents."),
        ),
    ]


def _list_pair_views() -> list[_Row]:
    return [
        (
            "mining",
            _tr("Mine"),
            _tr("Find translation pairs between two corpora."),
        ),
        (
            "review",
            _tr("Review"),
            _tr("Judge pairs and estimate the best threshold."),
        ),
        (
            "alignment",
            _tr("Align"),
            _tr("Link two documents sentence by sentence."),
        ),
    ]


def _list_study_views() -> list[_Row]:
    return [
        (
            "classify",
            _tr("Classify"),
            _tr("Label in one language, classify in every language."),
        ),
        (
            "evaluate",
            _tr("Evaluate"),
            _tr("Measure what encoders know."),
        ),
        (
            "map",
            _tr("Map"),
            _tr("See sentences as points, near similar ones."),
        ),
    ]


def _list_tool_views() -> list[_Row]:
    return [
        (
            "quality",
            _tr("Quality"),
            _tr("Find duplicates, test-set leakage and corrupted text, and hide them."),
        ),
        (
            "training",
            _tr("Training"),
            _tr("Train an encoder on your aligned texts."),
        ),
        (
            "encoders",
            _tr("Encoders"),
            _tr("Compare encoders and select the one to use."),
        ),
    ]
