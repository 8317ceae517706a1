"""Percentages, scores and signs of numbers, as the engine and the window write them.

A line never breaks between a number and its unit. A minus is the sign, not a hyphen.
"""

NO_BREAK = "\u00a0"
MINUS = "\u2212"


def format_percent(share: float, decimals: int = 0) -> str:
    """Write a share as a percentage: 83 %, or with decimals 23.4 %."""
    return f"{100 * share:.{decimals}f}{NO_BREAK}%"


def format_score(score: float, decimals: int = 3) -> str:
    """Write a cosine or a margin score where numbers are compared: 0.571, −1.063.

    They are compared in tables, dialogs and lines of figures. A margin score has three
    digits everywhere: pairs differ in the third one.
    """
    return f"{score:.{decimals}f}".replace("-", MINUS)
