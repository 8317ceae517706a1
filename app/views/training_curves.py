"""The curves of trainings: read from the store bit by bit, and as they come."""

from collections import OrderedDict
from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Signal

from app.engine.store.metric_rows import MetricRow, read_metric_page
from app.params.training import TrainEncoder
from app.views.runs import RunState
from app.views.state import AppState
from app.views.widgets.curve_book import CurveBook

N_KEPT = 6  # runs whose curves are kept
N_PAGE = 2_000  # points read in one pause of the window, some ten milliseconds
REDRAW_MS = 250  # views draw no oftener
CATCH_UP_MS = 2_000  # the engine writes its points at least every second


class TrainingCurves(QObject):
    """Keeps the curves of the runs that are looked at."""

    grown = Signal()  # some curve is another now; at most four times a second

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._books: OrderedDict[int, CurveBook] = OrderedDict()
        self._places: dict[int, MetricRow | None] = {}  # last point read of each run
        self._reading = QTimer(self, interval=0)
        self._reading.timeout.connect(self._on_pause)
        self._telling = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._telling.timeout.connect(self.grown)
        state.metric_added.connect(self._on_metric_added)
        for ended in (state.run_finished, state.run_failed):
            ended.connect(lambda run, _: self._read_again(run))
        for ended in (state.run_cancelled, state.run_paused):
            ended.connect(self._read_again)

    @property
    def is_reading(self) -> bool:
        """Tell whether points are still being read."""
        return self._reading.isActive()

    def book(self, run_id: int) -> CurveBook:
        """Give the curves of a run; they fill while they are read."""
        if run_id not in self._books:
            self._books[run_id] = CurveBook()
            self._read(run_id)
            if any(run.id == run_id for run in self._state.runs):
                # The newest points were told already, and are not in the store yet.
                QTimer.singleShot(CATCH_UP_MS, self, lambda: self._read(run_id))
            self._forget_old()
        self._books.move_to_end(run_id)
        return self._books[run_id]

    def best(self, run_id: int, name: str) -> float | None:
        """Give the lowest value of a curve of a run that is looked at, else None."""
        is_whole = run_id in self._books and run_id not in self._places
        found = self._books[run_id].best(name) if is_whole else None
        return found[1] if found is not None else None

    def _read(self, run_id: int) -> None:
        if run_id not in self._books:
            return
        self._places[run_id] = None
        self._reading.start()

    def _read_again(self, run: RunState) -> None:
        """Take over the points that were not in the store when it was read."""
        self._read(run.id)

    def _forget_old(self) -> None:
        live = {run.id for run in self._state.runs}
        old = [run_id for run_id in self._books if run_id not in live]
        for run_id in old[: max(len(self._books) - N_KEPT, 0)]:
            self._drop([run_id])

    def _drop(self, run_ids: Iterable[int]) -> None:
        for run_id in run_ids:
            del self._books[run_id]
            self._places.pop(run_id, None)

    def _on_pause(self) -> None:
        project = self._state.project
        if not self._places or project is None:
            self._reading.stop()
            return
        run_id, place = next(iter(self._places.items()))
        rows = read_metric_page(project.store, run_id, place, n=N_PAGE)
        book = self._books[run_id]
        for row in rows:
            book.add(row.step, {row.name: row.value})
        if len(rows) == N_PAGE:
            self._places[run_id] = rows[-1]
        else:
            del self._places[run_id]
        self._tell()

    def _on_metric_added(
        self, run: RunState, step: int, values: dict[str, float | None]
    ) -> None:
        if isinstance(run.params, TrainEncoder):
            self.book(run.id).add(step, values)
            self._tell()

    def _tell(self) -> None:
        if not self._telling.isActive():
            self._telling.start()
