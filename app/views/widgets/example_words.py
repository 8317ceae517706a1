"""Words from the project for example queries."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.protocol.answers.reading import ExampleWords
from app.protocol.queries.reading import ExampleWordsQuery
from app.views.client.state import AppState
from app.views.widgets.corpus_choices import rank_language


class ExampleWordFinder(QObject):
    """Finds words that have hits in the open project.

    Attributes:
        words: the words found; empty before the answer.
    """

    found = Signal(object)  # ExampleWords

    def __init__(self, state: AppState, requester: str, parent: QObject):
        super().__init__(parent)
        self._state, self._requester = state, requester
        self._asked: ExampleWordsQuery | None = None
        self.words = ExampleWords()

    def ask(self, languages: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Request words; `found` follows, with empty lists if the project has no words.

        Args:
            languages: codes of the selected languages; empty for all.
            patterns: regular expressions; patterns without a hit are left out.
        """
        project = self._state.project
        self.words = ExampleWords()
        if project is None or not project.corpora:
            return
        every = {row.language for row in project.texts or project.corpora}
        codes = sorted(every, key=lambda code: (rank_language(code), code))
        chosen = [code for code in codes if code in languages]
        self._asked = ExampleWordsQuery(
            languages=tuple(dict.fromkeys([*chosen, *codes])),
            patterns=tuple(patterns),
            requester=self._requester,
        )
        asked = self._asked
        self._state.ask(asked, lambda answer: self._on_answer(asked, answer))

    def _on_answer(
        self, asked: ExampleWordsQuery, answer: ExampleWords | ErrorInfo
    ) -> None:
        is_newest = asked is self._asked and self._state.project is not None
        if is_newest and isinstance(answer, ExampleWords):
            self.words = answer
            self.found.emit(answer)
