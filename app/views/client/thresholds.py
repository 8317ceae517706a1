"""The score thresholds of pair sets: set in one view, respected in the others."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal


class PairThresholds(QObject):
    """The lowest score of the pairs to show, for each pair set that has one."""

    changed = Signal(object)  # id of the pair set (64 bits)

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._values: dict[int, float] = {}

    def of(self, mining: int) -> float | None:
        """Return the threshold of a pair set; None: all its pairs are shown."""
        return self._values.get(mining)

    def set(self, mining: int, threshold: float | None) -> None:
        """Change the threshold of a pair set."""
        if threshold == self.of(mining):
            return
        if threshold is None:
            del self._values[mining]
        else:
            self._values[mining] = threshold
        self.changed.emit(mining)

    def save(self) -> dict[str, float]:
        """Return the thresholds by pair set, as JSON values."""
        return {str(mining): value for mining, value in self._values.items()}

    def restore(self, saved: Mapping[str, float]) -> None:
        """Replace the thresholds by those that `save` returned."""
        values = {int(mining): value for mining, value in saved.items()}
        changed = {*self._values, *values}
        self._values = values
        for mining in changed:
            self.changed.emit(mining)
