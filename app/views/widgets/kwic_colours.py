"""The colours of the words beside a hit: a hue for each place, for every eye.

The hues follow the palette of Okabe and Ito (2008, "Color Universal Design"), made
darker or lighter until text in them can be read (WCAG 2.1, level AA) on both grounds of
a row. Colour is never the only sign: which word a line is sorted by first, second and
third is drawn below it, and the place itself says the rest.
"""

from PySide6.QtGui import QColor, QTextCharFormat

from app.views.theme import DARK, Tokens

ON_LIGHT = {
    "L1": "#005F99",
    "L2": "#00664E",
    "L3": "#7A3B96",
    "N": "#0B6E75",
    "R1": "#A34200",
    "R2": "#755600",
    "R3": "#9C2C62",
}
ON_DARK = {
    "L1": "#6FBEF2",
    "L2": "#4FCFA6",
    "L3": "#C6A2EA",
    "N": "#4DB6AC",
    "R1": "#F59A62",
    "R2": "#E8C94F",
    "R3": "#F08FBF",
}
_Lines = QTextCharFormat.UnderlineStyle
UNDERLINES = (_Lines.SingleUnderline, _Lines.DashUnderline, _Lines.DotLine)  # by rank


def position_colour(position: str, tokens: Tokens) -> QColor:
    """Give the colour of the words at a place."""
    return QColor((ON_DARK if tokens is DARK else ON_LIGHT)[position])


def word_format(position: str, rank: int, tokens: Tokens) -> QTextCharFormat:
    """Give the look of a word that lines are sorted by; rank 0: it comes first."""
    colour = position_colour(position, tokens)
    form = QTextCharFormat()
    form.setForeground(colour)
    form.setUnderlineStyle(UNDERLINES[rank % len(UNDERLINES)])
    form.setUnderlineColor(colour)
    return form
