"""Spin box for any floating-point number."""

import math

from PySide6.QtCore import QLocale
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

FLOAT_LIMIT = 1e12
N_DECIMALS = 100  # stored, not displayed; a spin box rounds to them
STEP_FROM_ZERO = 1e-4
_PARTS = frozenset("0123456789.,+-eE")


class FloatBox(QDoubleSpinBox):
    """Accepts 0.00025 and 2.5e-4, and shows a number without trailing zeros.

    A number outside the limits can be entered, so that a form can show what is wrong
    with it; the arrow keys stay within the limits.
    """

    def __init__(self, low: float | None, high: float | None):
        super().__init__()
        self._low = -FLOAT_LIMIT if low is None else low
        self._high = FLOAT_LIMIT if high is None else high
        self.setDecimals(N_DECIMALS)
        self.setRange(-FLOAT_LIMIT, FLOAT_LIMIT)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)

    def limit(self) -> None:
        """Accept only numbers within the limits; for boxes that no form checks."""
        self.setRange(self._low, self._high)

    def stepBy(self, steps: int) -> None:
        """Change the number by steps in proportion to its size."""
        if self.value():
            super().stepBy(steps)
        else:
            self.setValue(steps * STEP_FROM_ZERO)
        value = float(f"{self.value():.12g}")  # without the rounding error of the sum
        self.setValue(min(max(value, self._low), self._high))

    def textFromValue(self, value: float) -> str:
        """Format a number with its significant digits."""
        locale = self.locale()
        locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
        is_tiny = 0 < abs(value) < 1e-6
        return locale.toString(
            value,
            "g" if is_tiny else "f",
            QLocale.FloatingPointPrecisionOption.FloatingPointShortest.value,
        )

    def valueFromText(self, text: str) -> float:
        """Parse a number."""
        return self._parse(text) or 0.0

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept a number, and the beginning of one."""
        value = self._parse(text)
        if value is not None and self.minimum() <= value <= self.maximum():
            state = QValidator.State.Acceptable
        elif set(text.strip()) <= _PARTS:
            state = QValidator.State.Intermediate
        else:
            state = QValidator.State.Invalid
        return state, text, position

    def _parse(self, text: str) -> float | None:
        value, is_number = self.locale().toDouble(text.strip())
        if not is_number:
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                return None
        return value if math.isfinite(value) else None
