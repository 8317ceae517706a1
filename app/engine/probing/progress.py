"""Progress of the parts of a probing run."""

from app.engine.runtime.report import Report


class SubtaskReport(Report):
    """Shows the whole run's progress whatever the part is doing; cancels with it.

    Attributes:
        run: of the whole.
    """

    def __init__(self, whole: Report, *, first: int, last: int, total: int, name: str):
        """Begin a part.

        Args:
            first: steps of the whole that are done before the part.
            last: steps that are done after it.
            total: steps of the whole.
            name: of the part, shown beside.
        """
        super().__init__(run=whole.run)
        self._whole, self._name = whole, name
        self._done, self._last_one, self._total = first, last - 1, total

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how far the whole is.

        Raises:
            Cancelled: the run was asked to stop.
        """
        text = f"{self._name}: {note or stage}"
        self._whole.step("Probing", self._done, self._total, text)

    @property
    def is_cancelled(self) -> bool:
        """Return whether the run was asked to stop."""
        return self._whole.is_cancelled

    def advance(self) -> None:
        """Count one step of the whole, but not those of the next part."""
        self._done = min(self._done + 1, self._last_one)

    def metric(self, step: int, **values: float) -> None:
        """Drop it: a part has no curve of its own."""
