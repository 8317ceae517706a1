"""Progress of the parts of a probing run."""

from app.engine.runtime.report import Report


class SubtaskReport(Report):
    """Shows the progress of the complete run during a part, and forwards cancellation.

    Attributes:
        run: report of the complete run.
    """

    def __init__(self, whole: Report, *, first: int, last: int, total: int, name: str):
        """Make the report of a part.

        Args:
            first: steps of the run before the part.
            last: steps done after the part.
            total: steps of the run.
            name: name of the part, shown next to the progress.
        """
        super().__init__(run=whole.run)
        self._whole, self._name = whole, name
        self._done, self._last_one, self._total = first, last - 1, total

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show the progress of the run.

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
        """Advance one step of the run, up to the part's last step."""
        self._done = min(self._done + 1, self._last_one)

    def metric(self, step: int, **values: float) -> None:
        """Ignore the value: a part has no curve."""
