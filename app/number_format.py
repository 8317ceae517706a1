"""Percentages, scores, ticks and signs of numbers, as engine and window write them.

A line never breaks between a number and its unit. A minus is the sign, not a hyphen.
"""

import math

NO_BREAK = "\u00a0"
WORD_JOINER = "\u2060"  # after a dash, which ends a line even before a no-break space
MINUS = "\u2212"
SCORE_DIGITS = 3  # of a margin score: pairs differ in the third one
MAX_PLACES = 5  # of a tick: 0.00002; smaller numbers are written with a power of ten
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_percent(share: float, decimals: int = 0) -> str:
    """Write a share as a percentage: 83 %, or with decimals 23.4 %."""
    return f"{100 * share:.{decimals}f}{NO_BREAK}%"


def format_range(low: str, high: str) -> str:
    """Write an interval, within which no line breaks: 57.1 – 73.0."""
    return f"{low}{NO_BREAK}–{WORD_JOINER}{NO_BREAK}{high}"


def format_score(score: float, decimals: int = SCORE_DIGITS) -> str:
    """Write a cosine or a margin score where numbers are compared: 0.571, −1.063.

    They are compared in tables, dialogs and lines of figures. A margin score has three
    digits everywhere.
    """
    return f"{score:.{decimals}f}".replace("-", MINUS)


def round_down(threshold: float) -> float:
    """Round a threshold to the digits that are shown: its own pair reaches it still."""
    unit: float = 10.0**SCORE_DIGITS
    return math.floor(threshold * unit + 1e-9) / unit  # 1.001 * 1000 is 1000.99…


def format_tick(value: float, spacing: float) -> str:
    """Write the number at a tick: 12,000, −0.25 or 4·10⁻⁶.

    Args:
        spacing: of the ticks beside each other, over 0.
    """
    places = max(0, math.ceil(-math.log10(spacing)))
    number = round(value, places) + 0.0  # 0 has no sign
    if places <= MAX_PLACES:
        return f"{number:,.{places}f}".replace("-", MINUS)
    if not number:
        return "0"
    power = math.floor(math.log10(abs(number)))
    digits = format_score(number / 10.0**power, max(0, power + places))
    return f"{digits}·10{str(power).translate(SUPERSCRIPTS)}"
