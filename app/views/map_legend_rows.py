"""The legend of a map: its entries, their colours, and which points they stand for."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.map_colourings import CLUSTER, DENSITY, LENGTH, POSITION, Colouring
from app.views.theme import Tokens
from app.views.widgets.map_colours import (
    N_SHADES,
    Palette,
    class_colours,
    rest_of,
    shade_palette,
    to_name,
    to_rows,
)
from app.views.words import format_count

N_STEPS = 8  # entries of a legend of numbers
WHOLE_NUMBERS = (LENGTH, POSITION)


class LegendRow(NamedTuple):
    """An entry.

    Attributes:
        title: a class, or a range of numbers; its key at the same time.
        n: points.
        colour: #RRGGBB.
        codes: those of the colouring that it stands for.
    """

    title: str
    n: int
    colour: str
    codes: tuple[int, ...]


def legend_rows(
    colouring: Colouring, chosen: Collection[str], tokens: Tokens
) -> list[LegendRow]:
    """Give the entries of a colouring.

    Args:
        colouring: what the points are coloured by.
        chosen: titles that are chosen: those that have no colour of their own take one
            of a class that is not chosen, since that is grey.
        tokens: colours of the window.
    """
    if colouring.key == DENSITY:
        return []
    if colouring.is_number:
        return _number_rows(colouring, tokens)
    colours = _colours_of(colouring, chosen, tokens)
    entries = zip(colouring.names, colouring.counts, colours, strict=True)
    return [
        LegendRow(name, n, colour, (code,))
        for code, (name, n, colour) in enumerate(entries)
    ]


def palette_of(
    colouring: Colouring, rows: Sequence[LegendRow], tokens: Tokens
) -> Palette:
    """Give the colour of each code: uint8 (256, 3).

    Args:
        colouring: of a map; perhaps of another one than the legend's.
        rows: of the legend.
        tokens: colours of the window.
    """
    palette = np.empty((256, 3), np.uint8)
    palette[:] = to_rows([rest_of(tokens)])[0]
    if colouring.is_number:
        palette[:N_SHADES] = shade_palette(tokens)
        return palette
    by_title = {row.title: row.colour for row in rows}
    for code, name in enumerate(colouring.names):
        if name in by_title:
            palette[code] = to_rows([by_title[name]])[0]
    return palette


def lit_of(
    colouring: Colouring, rows: Sequence[LegendRow], chosen: Collection[str]
) -> NDArray[np.bool_] | None:
    """Mark the points of the chosen entries: bool (n,); None: all of them."""
    if not chosen:
        return None
    is_wanted = np.zeros(256, np.bool_)
    for row in rows:
        if row.title in chosen and colouring.is_number:
            is_wanted[list(row.codes)] = True
    for code, name in enumerate(colouring.names):
        is_wanted[code] = name in chosen
    return is_wanted[colouring.codes]


def _colours_of(
    colouring: Colouring, chosen: Collection[str], tokens: Tokens
) -> list[str]:
    own, n = class_colours(tokens), len(colouring.names)
    rest = rest_of(tokens)
    if colouring.key == CLUSTER:  # a number on the map tells those apart
        colours = [own[place % len(own)] for place in range(n)]
    else:
        colours = [own[place] if place < len(own) else rest for place in range(n)]
    if colouring.has_none:
        colours[-1] = rest
    is_chosen = [name in chosen for name in colouring.names]
    free = [
        own[place]
        for place in range(min(n - colouring.has_none, len(own)))
        if not is_chosen[place]
    ]
    for place in range(len(own), n - colouring.has_none):
        if is_chosen[place] and free and colouring.key != CLUSTER:
            colours[place] = free.pop(0)
    return colours


def _number_rows(colouring: Colouring, tokens: Tokens) -> list[LegendRow]:
    shades = shade_palette(tokens)
    if colouring.high <= colouring.low:
        return _one_row(colouring, to_name(shades[0]))
    counts = np.bincount(colouring.codes, minlength=N_SHADES + 1)
    size = N_SHADES // N_STEPS
    step = (colouring.high - colouring.low) / N_STEPS
    rows = []
    for place in range(N_STEPS):
        codes = tuple(range(place * size, (place + 1) * size))
        low = colouring.low + place * step
        is_whole = colouring.key in WHOLE_NUMBERS
        words = [_number(v, is_whole=is_whole) for v in (low, low + step)]
        title = " – ".join(words)
        n = int(counts[list(codes)].sum())
        colour = to_name(shades[place * size + size // 2])
        rows.append(LegendRow(title, n, colour, codes))
    return rows


def _one_row(colouring: Colouring, colour: str) -> list[LegendRow]:
    """Give the one entry of equal numbers, or none."""
    codes = tuple(range(N_SHADES))
    n = int((colouring.codes < N_SHADES).sum())
    is_whole = colouring.key in WHOLE_NUMBERS
    title = _number(colouring.low, is_whole=is_whole)
    return [LegendRow(title, n, colour, codes)] if n else []


def _number(value: float, *, is_whole: bool) -> str:
    return format_count(round(value)) if is_whole else f"{value:.2f}"
