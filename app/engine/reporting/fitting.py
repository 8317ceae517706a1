"""How wide text is in a picture, and text that is cut to fit."""

import unicodedata

NARROW, WIDE = 0.6, 1.0  # of the font size: a letter of most scripts, one of East Asia
ELLIPSIS = "…"


def text_width(text: str, size: float) -> float:
    """Reckon how wide text is at a font size, in the same unit, rather too wide."""
    return size * sum(map(_advance, text))


def fit_text(text: str, room: float, size: float) -> str:
    """Cut text at its end to what has room; what is cut off ends in an ellipsis."""
    text = " ".join(text.split())
    if text_width(text, size) <= room:
        return text
    room -= size * _advance(ELLIPSIS)
    kept = 0
    for sign in text:
        room -= size * _advance(sign)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS


def _advance(sign: str) -> float:
    """Give the share of the font size that a sign moves on."""
    if unicodedata.combining(sign):
        return 0.0
    return WIDE if unicodedata.east_asian_width(sign) in "WF" else NARROW
