"""Colours of classes and of curves in both themes."""

from app.views.widgets.theme import DARK, Tokens

# Twelve colours that people with any kind of colour blindness tell apart, with the same
# hues in both themes (at most 20 degrees apart in OKLab): the first four are of Okabe
# and Ito 2008; each further pair is the farthest from those before in CIELAB, in the
# worse of both themes, seen with full vision and with each of three kinds of dichromacy
# simulated after Machado et al. 2009, among the colours that stand out from the surface
# by 3:1. With full vision they are farther apart, and none is nearly black.
CLASSES_LIGHT = (
    *("#0072B2", "#D55E00", "#009E73", "#B5569A", "#5A00A5", "#78001E"),
    *("#7869E1", "#FF004B", "#690069", "#5A00F0", "#A50000", "#4B783C"),
)
CLASSES_DARK = (
    *("#56B4E9", "#FF960F", "#2FBF97", "#CC79A7", "#A500FF", "#B44B2D"),
    *("#7878D2", "#FF5A78", "#B43C96", "#A569FF", "#E13C00", "#00F04B"),
)


def class_colours(tokens: Tokens) -> tuple[str, ...]:
    """Return the colours of classes, as #RRGGBB."""
    return CLASSES_DARK if tokens is DARK else CLASSES_LIGHT
