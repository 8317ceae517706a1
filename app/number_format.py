"""Format percentages, scores, ticks and signs in the same way in engine and window.

A line never breaks between a number and its unit. A minus is a minus sign, not a
hyphen.
"""

import math

NO_BREAK = "\u00a0"
WORD_JOINER = "\u2060"  # after a dash, to prevent a line break there
MINUS = "\u2212"
SCORE_DIGITS = 3  # of a margin score, since pairs differ in the third
MAX_PLACES = 5  # of a tick: 0.00002; smaller numbers use a power of ten
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_percent(share: float, decimals: int = 0) -> str:
    """Format a share as a percentage: 83 %, or with decimals 23.4 %."""
    return f"{100 * share:.{decimals}f}{NO_BREAK}%"


def format_range(low: str, high: str) -> str:
    """Format an interval without line breaks: 57.1 – 73.0."""
    return f"{low}{NO_BREAK}–{WORD_JOINER}{NO_BREAK}{high}"


def format_score(score: float, decimals: int = SCORE_DIGITS) -> str:
    """Format a cosine or a margin score for comparison: 0.571, −1.063.

    Used in tables, dialogs and lines of figures. A margin score always has three
    digits.
    """
    return f"{score:.{decimals}f}".replace("-", MINUS)


def round_down(threshold: float) -> float:
    """Round a threshold down to the digits shown, so that its pair still reaches it."""
    unit: float = 10.0**SCORE_DIGITS
    return math.floor(threshold * unit + 1e-9) / unit  # 1.001 * 1000 is 1000.99…


def format_tick(value: float, spacing: float) -> str:
    """Format the number at a tick: 12,000, −0.25 or 4·10⁻⁶.

    Args:
        spacing: distance of adjacent ticks, above 0.
    """
    places = max(0, math.ceil(-math.log10(spacing)))
    number = round(value, places) + 0.0  # no sign for 0
    if places <= MAX_PLACES:
        return f"{number:,.{places}f}".replace("-", MINUS)
    if not number:
        return "0"
    power = math.floor(math.log10(abs(number)))
    digits = format_score(number / 10.0**power, max(0, power + places))
    return f"{digits}·10{str(power).translate(SUPERSCRIPTS)}"
