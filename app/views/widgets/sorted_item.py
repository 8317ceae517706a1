"""A cell of a small table that is sorted by its value, not by its text."""

from PySide6.QtWidgets import QTableWidgetItem

Value = float | str | None


class SortedItem(QTableWidgetItem):
    """Nothing comes last."""

    def __init__(self, text: str, value: Value):
        super().__init__(text)
        self.value = value

    def __lt__(self, other: QTableWidgetItem) -> bool:
        """Compare values."""
        mine, its = self.value, getattr(other, "value", None)
        if mine is None or its is None:
            return mine is not None
        return bool(mine < its)
