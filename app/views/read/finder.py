"""Find a text in the columns, in row order."""

from functools import partial

from PySide6.QtCore import QObject, Signal

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.search import OrderQuery
from app.views.client.state import AppState
from app.views.read.header import ALL_COLUMNS, FindBar
from app.views.read.model import Place
from app.views.read.session import ReadingSession
from app.views.widgets.number_format import format_count


class ReadingFinder(QObject):
    """Requests the sentences that contain a text, and steps through them.

    Attributes:
        places: locations of the sentences found, in row order.
    """

    found = Signal(object)  # Place to select, or None
    text_changed = Signal(str)  # text to mark in the sentences

    def __init__(
        self, state: AppState, session: ReadingSession, bar: FindBar, parent: QObject
    ):
        super().__init__(parent)
        self._state, self._session, self._bar = state, session, bar
        self.places: list[Place] = []
        self._at = -1
        self._current = Place()
        bar.changed.connect(self.search)
        bar.closed.connect(self._on_closed)
        session.rows_changed.connect(self._on_rows_changed)

    def search(self) -> None:
        """Find the text of the bar in the selected column or in all columns."""
        text, rows = self._bar.text, self._session.rows
        self.text_changed.emit(text)
        if not text or not rows.n_rows:
            self.places, self._at = [], -1
            self._bar.count.setText("")
            return
        column = self._bar.chosen_column
        wanted = rows.corpora if column == ALL_COLUMNS else [rows.corpora[column]]
        query = OrderQuery(
            corpora=tuple(row.id for row in wanted), find=text, requester="read"
        )
        self._state.ask(query, partial(self._on_answer, text))

    def step(self, by: int, current: Place) -> None:
        """Go to the next or the previous match from a sentence."""
        self._current = current
        if not self.places:
            self._bar.open()
            return
        if by > 0:
            later = (n for n, one in enumerate(self.places) if one > current)
            self._at = next(later, 0)
        else:
            earlier = [n for n, one in enumerate(self.places) if one < current]
            self._at = earlier[-1] if earlier else len(self.places) - 1
        self._show()

    def _on_answer(self, text: str, answer: OrderAnswer | ErrorInfo) -> None:
        project, rows = self._state.project, self._session.rows
        if project is None or text != self._bar.text:
            return
        if isinstance(answer, ErrorInfo):
            self._bar.count.setText(
                "" if answer.kind == "superseded" else answer.message
            )
            return
        ids = map_array(project.folder / answer.file)
        indices = [
            place
            for column in range(rows.n_columns)
            for place in rows.find_places(column, ids)
        ]
        self.places = sorted(indices)
        self._at = next(
            (n for n, one in enumerate(self.places) if one >= self._current),
            0 if self.places else -1,
        )
        self._show()

    def _show(self) -> None:
        """Show the number of matches, and go to a match."""
        n = format_count(len(self.places))
        if not self.places:
            self._bar.count.setText(self.tr("Not found"))
            if self._bar.chosen_column != ALL_COLUMNS:
                self._bar.count.setText(self.tr("Not found in this column"))
            return
        words = self.tr("{place} of {n}")
        place = format_count(self._at + 1)
        self._bar.count.setText(words.format(place=place, n=n))
        self._current = self.places[self._at]
        self.found.emit(self._current)

    def _on_closed(self) -> None:
        self.places, self._at = [], -1
        self.text_changed.emit("")

    def _on_rows_changed(self) -> None:
        rows = self._session.rows
        self._bar.show_columns([row.name for row in rows.corpora])
        self.places, self._at = [], -1
        if self._bar.text:
            self.search()
