"""Check that installed fonts cover the scripts of the welcome page and the project."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer

from app.views.client.state import AppState
from app.views.widgets.fonts import can_draw_character, missing_scripts, script_of

N_SENTENCES = 3  # read from each corpus, enough to detect its scripts
PAUSE_MS = 30  # between two corpora; loading a font takes some ms


class FontChecker(QObject):
    """Checks the corpora one by one, and reports each missing script once."""

    def __init__(self, state: AppState, first_page: Iterable[str] = ()):
        """Check the texts of the welcome page, then each opened project."""
        super().__init__(state)
        self._state = state
        self._first_page = list(first_page)
        self._waiting: list[int] = []
        self._checked: set[int] = set()
        self._drawn: set[str] = set()  # scripts known to be covered
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._check_next)
        state.project_opened.connect(self._on_project_opened)
        state.project_closed.connect(self._timer.stop)
        state.corpora_changed.connect(self._on_corpora_changed)
        if self._first_page:
            self._timer.start()

    def _on_project_opened(self) -> None:
        self._checked.clear()
        self._on_corpora_changed()

    def _on_corpora_changed(self) -> None:
        project = self._state.project
        ids = [corpus.id for corpus in project.corpora] if project is not None else []
        self._waiting = [id_ for id_ in ids if id_ not in self._checked]
        if self._waiting:
            self._timer.start()

    def _check_next(self) -> None:
        if self._first_page:
            self._report_missing(self._first_page)  # its fonts are already loaded
            self._first_page = []
        project = self._state.project
        if project is None or not self._waiting:
            return
        from app.engine.store import corpora
        from app.engine.store.sentences import read_sentences

        corpus = self._waiting.pop(0)
        self._checked.add(corpus)
        first = corpora.first_sentence_id(corpus)
        found = read_sentences(project.store, range(first, first + N_SENTENCES))
        self._report_missing([row.text for row in found if row is not None])
        if self._waiting:
            self._timer.start()

    def _report_missing(self, texts: list[str]) -> None:
        for sentence in missing_scripts(texts, can_draw=self._can_draw):
            self._state.condition_found.emit(sentence)

    def _can_draw(self, character: str) -> bool:
        """Return whether fonts cover the first characters of a script."""
        script = script_of(character)
        if script in self._drawn:
            return True
        if can_draw_character(character):
            self._drawn.add(script)
            return True
        return False
