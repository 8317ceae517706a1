"""Warning about pair files whose languages differ from their names."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.protocol.answers.training import PairLanguages
from app.protocol.queries.training import PairLanguagesQuery
from app.views.client.state import AppState
from app.views.widgets.controls import make_label


class PairLanguageWarning(QObject):
    """Checks the files of a form when they change, and warns in a label.

    Attributes:
        label: the warning; hidden if there is none.
    """

    checked = Signal()  # the current files have been checked

    def __init__(self, state: AppState, requester: str, parent: QObject):
        super().__init__(parent)
        self._state, self._requester = state, requester
        self._files: tuple[Path, ...] = ()
        self.label = make_label("", "warning", wraps=True)
        self.label.hide()

    def check(self, names: Sequence[str | Path]) -> None:
        """Check files, unless they are the files of the last check."""
        files = tuple(map(Path, names))
        if files == self._files:
            return
        self._files = files
        self._show("")
        if self._files:
            query = PairLanguagesQuery(files=self._files, requester=self._requester)
            self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: PairLanguages | ErrorInfo) -> None:
        if isinstance(answer, PairLanguages):
            self._show("\n".join(answer.warnings))
            self.checked.emit()
        elif answer.kind != "superseded":
            self._show(answer.message)

    def _show(self, text: str) -> None:
        self.label.setText(text)
        self.label.setVisible(bool(text))
