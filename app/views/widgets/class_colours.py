"""Colours of classes and of curves in both themes."""

from app.views.widgets.theme import DARK, ThemeColours

# Twelve colours with the same hues in both themes (at most 20 degrees apart in OKLab)
# that stand out from the surface by 3:1. The published palettes of twelve, such as that
# of Kelly 1965, have colours that are too light or dark for that. The first four are
# of Okabe and Ito 2008. The others are the result of a search for the largest least
# distance (CIEDE2000) from each other, from these four and from grey points, seen with
# full vision and, with a smaller weight, with each of three kinds of dichromacy
# simulated after Machado et al. 2009. The most distinct ones come first.
CLASSES_LIGHT = (
    *("#0072B2", "#D55E00", "#009E73", "#B5569A", "#881111", "#2211FF"),
    *("#EE1155", "#668800", "#116633", "#007777", "#772277", "#9966EE"),
)
CLASSES_DARK = (
    *("#56B4E9", "#FF960F", "#2FBF97", "#CC79A7", "#CC5522", "#0077DD"),
    *("#EE2255", "#558833", "#66EE22", "#118888", "#CC00BB", "#AA77FF"),
)


def class_colours(colours: ThemeColours) -> tuple[str, ...]:
    """Return the colours of classes, as #RRGGBB."""
    return CLASSES_DARK if colours is DARK else CLASSES_LIGHT
