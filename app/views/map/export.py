"""Write a map as PNG, SVG or a table of points."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from sqlalchemy import Engine

from app.engine.store.sentences import read_sentences
from app.views.map.drawing.camera import Camera, fit_box
from app.views.map.drawing.density import DensityMaximum
from app.views.map.drawing.grid import Box
from app.views.map.drawing.overlay import Overlay, image_of, paint_lines, paint_overlay
from app.views.map.drawing.palettes import MapColours, to_name
from app.views.map.drawing.picture import (
    DrawnPoints,
    Frame,
    Picture,
    TilePlan,
    draw_map,
    lit_radius,
)
from app.views.map.drawing.points import MapPoints
from app.views.map.legend import LegendRow
from app.views.widgets.cells import ALIGN_LEFT
from app.views.widgets.export_dialog import PictureSettings
from app.views.widgets.theme import ThemeColours, interface_font, use_colours

TILE = 1_536  # pixels along a side of a tile
WIDTH = 960  # of a picture's layout, in pixels before scaling
ENTRY_HEIGHT, SWATCH, SWATCH_GAP, MARGIN = 22, 12, 8, 16  # of the legend
MAX_TEXT_WIDTH = 164  # of an entry of the legend
NOTE_LINE, NOTE_PX = 18, 11  # line height and text height of the note
MAX_COLUMNS = 2  # of the legend
PAGE = 1_000  # sentences read at once
PER_PIXEL = 2  # pixels of the image in an SVG per pixel of the screen
ALWAYS_DENSE = 10**9  # points: forces a density image
POINT_COLUMNS = ("sentence", "x", "y", "cluster", "language", "class", "text")
MAX_VECTOR_POINTS = 20_000  # points in an SVG; more are embedded as an image


class MapSnapshot(NamedTuple):
    """A copy of a pane's content, so that the pane can change during an export.

    Its layout does not depend on the size of the window or of the text.

    Attributes:
        points: the points with their colours.
        colours: the palette.
        box: the part of the map to show.
        overlay: lines, labels and rings.
        legend: legend entries; may be empty.
        picture: size and background of the picture.
        title: the title of the file.
        note: two lines of description below the map.
    """

    points: DrawnPoints
    colours: MapColours
    box: Box
    overlay: Overlay
    legend: tuple[LegendRow, ...]
    picture: PictureSettings
    title: str
    note: tuple[str, str] = ("", "")

    @property
    def tokens(self) -> ThemeColours:
        """The colours of everything except the points."""
        return self.picture.tokens

    @property
    def whole_height(self) -> int:
        """The height with the note."""
        return round(WIDTH * self.picture.height / self.picture.width)

    @property
    def height(self) -> int:
        """The height without the note."""
        return max(self.whole_height - 2 * NOTE_LINE - MARGIN // 2, NOTE_LINE)

    @property
    def n_rows(self) -> int:
        """The number of entries in a column of the legend."""
        return max((self.height - 2 * MARGIN) // ENTRY_HEIGHT, 1)

    @property
    def entries(self) -> tuple[LegendRow, ...]:
        """The legend entries that fit."""
        return self.legend[: MAX_COLUMNS * self.n_rows]

    @property
    def columns(self) -> list[tuple[LegendRow, ...]]:
        """The entries in each column of the legend."""
        starts = range(0, len(self.entries), self.n_rows)
        return [self.entries[start : start + self.n_rows] for start in starts]

    def column_width(self, column: Sequence[LegendRow]) -> int:
        """Return the width of a legend column, including the margin after it."""
        advance = QFontMetricsF(self.font).horizontalAdvance
        text = max(math.ceil(advance(row.title)) for row in column)
        return SWATCH + SWATCH_GAP + min(text, MAX_TEXT_WIDTH) + MARGIN

    @property
    def width(self) -> int:
        """The width without the legend."""
        return WIDTH - sum(map(self.column_width, self.columns))

    @property
    def camera(self) -> Camera:
        """The camera that shows the whole box."""
        return fit_box(self.box, self.width, self.height).camera

    @property
    def font(self) -> QFont:
        """The font of the labels and the legend."""
        return interface_font()


def write_png(snapshot: MapSnapshot, file: Path) -> Iterator[bool | None]:
    """Write an image, one tile per step; the last item is whether it was written."""
    size = QSize(snapshot.picture.width, snapshot.picture.height)
    ratio = size.width() / WIDTH
    frame = snapshot.camera.frame(snapshot.width, snapshot.height, ratio)
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():  # not enough memory
        yield False
        return
    image.fill(snapshot.picture.background)
    _paint_pairs(image, snapshot, ratio)
    plan: TilePlan | None = None
    tiles = _tiles(frame)
    if len(tiles) > 1:  # the tiles must agree on how many points have the full shade
        n, coloured, grey = 0, 0, 0
        for place in tiles:
            part = _draw(
                snapshot, frame, place, ratio, TilePlan(ALWAYS_DENSE, DensityMaximum())
            )
            n += part.n_points
            coloured = max(coloured, part.maximum.coloured)
            grey = max(grey, part.maximum.grey)
            yield None
        plan = TilePlan(n, DensityMaximum(coloured, grey))
    for place in tiles:
        _copy(image, place, _draw(snapshot, frame, place, ratio, plan), snapshot)
        yield None
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    _paint_overlay_and_legend(painter, snapshot)
    painter.end()
    yield image.save(str(file))


def write_svg(snapshot: MapSnapshot, file: Path) -> bool:
    """Write a vector drawing; very many points are embedded as an image."""
    generator = QSvgGenerator()
    generator.setFileName(str(file))
    whole = QRect(0, 0, WIDTH, snapshot.whole_height)
    generator.setSize(whole.size())
    generator.setViewBox(whole)
    generator.setTitle(snapshot.title)
    painter = QPainter()
    if not painter.begin(generator):
        return False
    painter.setFont(snapshot.font)
    if not snapshot.picture.is_transparent:
        painter.fillRect(whole, snapshot.picture.background)
    frame = snapshot.camera.frame(snapshot.width, snapshot.height)
    with use_colours(snapshot.tokens):
        paint_lines(painter, snapshot.overlay.lines, snapshot.points.grid, frame)
    picture = draw_map(snapshot.points, frame, snapshot.colours)
    if picture.radius and picture.n_points <= MAX_VECTOR_POINTS:
        _paint_points(painter, snapshot, frame, picture)
    else:
        sharp = snapshot.camera.frame(snapshot.width, snapshot.height, PER_PIXEL)
        fine = draw_map(snapshot.points, sharp, snapshot.colours, PER_PIXEL)
        made = image_of(fine, snapshot.colours, is_clear=True)
        painter.drawImage(QRectF(0, 0, snapshot.width, snapshot.height), made)
    _paint_overlay_and_legend(painter, snapshot)
    return painter.end()


def point_table(
    store: Engine,
    points: MapPoints,
    class_of: Callable[[int], str],
    more: Mapping[str, Callable[[int], str]],
) -> Iterator[Sequence[str]]:
    """Return the header and a row for each point.

    Args:
        class_of: returns the class or number of a point, by its index in the ids.
        more: functions that return the cells of further columns, by header.
    """
    yield (*POINT_COLUMNS, *more)
    xs, ys = points.grid.x[points.places], points.grid.y[points.places]
    for start in range(0, len(points), PAGE):
        ids = points.ids[start : start + PAGE].tolist()
        for index, one in enumerate(read_sentences(store, ids), start):
            cluster = int(points.clusters[index])
            yield (
                str(ids[index - start]),
                f"{xs[index]:.6g}",
                f"{ys[index]:.6g}",
                str(cluster + 1) if cluster >= 0 else "",
                one.language if one is not None else "",
                class_of(index),
                one.text if one is not None else "",
                *(cell_of(index) for cell_of in more.values()),
            )


def _tiles(frame: Frame) -> list[QRect]:
    return [
        QRect(left, top, min(TILE, frame.width - left), min(TILE, frame.height - top))
        for top in range(0, frame.height, TILE)
        for left in range(0, frame.width, TILE)
    ]


def _draw(
    snapshot: MapSnapshot,
    frame: Frame,
    rect: QRect,
    ratio: float,
    plan: TilePlan | None,
) -> Picture:
    part = frame._replace(
        width=rect.width(),
        height=rect.height(),
        left=frame.left + rect.left() / frame.scale,
        top=frame.top - rect.top() / frame.scale,
    )
    return draw_map(snapshot.points, part, snapshot.colours, ratio, plan)


def _paint_pairs(image: QImage, snapshot: MapSnapshot, ratio: float) -> None:
    """Paint the lines of pairs, before the points."""
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    painter.setClipRect(QRect(0, 0, snapshot.width, snapshot.height))
    frame = snapshot.camera.frame(snapshot.width, snapshot.height)
    with use_colours(snapshot.tokens):
        paint_lines(painter, snapshot.overlay.lines, snapshot.points.grid, frame)
    painter.end()


def _copy(image: QImage, rect: QRect, picture: Picture, snapshot: MapSnapshot) -> None:
    painter = QPainter(image)
    made = image_of(picture, snapshot.colours, is_clear=True)
    painter.drawImage(rect.topLeft(), made)
    painter.end()


def _paint_points(
    painter: QPainter, snapshot: MapSnapshot, frame: Frame, picture: Picture
) -> None:
    """Paint the visible points as circles, the grey ones first."""
    grid, mask, box = snapshot.points.grid, snapshot.points.mask, frame.box
    painter.setPen(Qt.PenStyle.NoPen)
    is_in = (grid.x >= box.left) & (grid.x <= box.right)
    is_in &= (grid.y >= box.bottom) & (grid.y <= box.top)
    grey = QColor(to_name(snapshot.colours.grey))
    colours = [QColor(to_name(row)) for row in snapshot.colours.palette]
    indices = is_in.nonzero()[0].tolist()
    larger = picture.radius
    if mask is not None:
        indices.sort(key=lambda index: bool(mask[index]))
        larger = lit_radius(picture.n_points, int(mask.sum()))
    for index in indices:
        is_grey = mask is not None and not mask[index]
        painter.setBrush(grey if is_grey else colours[snapshot.points.codes[index]])
        x, y = frame.pixel_at(float(grid.x[index]), float(grid.y[index]))
        radius = picture.radius if is_grey else larger
        painter.drawEllipse(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))


def _paint_overlay_and_legend(painter: QPainter, snapshot: MapSnapshot) -> None:
    """Paint labels and rings over the points, the legend, and the note."""
    _paint_note(painter, snapshot)
    frame = snapshot.camera.frame(snapshot.width, snapshot.height)
    painter.save()
    painter.setClipRect(QRect(0, 0, snapshot.width, snapshot.height))
    grid, font = snapshot.points.grid, snapshot.font
    with use_colours(snapshot.tokens):
        paint_overlay(painter, snapshot.overlay, grid, frame, font)
    painter.restore()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(snapshot.font)
    left = snapshot.width
    for column in snapshot.columns:
        width = snapshot.column_width(column)
        rect = QRectF(left, MARGIN, width - MARGIN, ENTRY_HEIGHT)
        for row in column:
            _paint_entry(painter, rect, row, snapshot.tokens)
            rect.translate(0, ENTRY_HEIGHT)
        left += width


def _paint_entry(
    painter: QPainter, rect: QRectF, row: LegendRow, colours: ThemeColours
) -> None:
    swatch = QRectF(rect.left(), 0, SWATCH, SWATCH)
    swatch.moveTop(rect.center().y() - SWATCH / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(row.colour))
    painter.drawRoundedRect(swatch, 3, 3)
    painter.setPen(QColor(colours.text))
    room = rect.adjusted(SWATCH + SWATCH_GAP, 0, 0, 0)
    elide = Qt.TextElideMode.ElideRight
    metrics = QFontMetricsF(painter.font())
    painter.drawText(
        room, ALIGN_LEFT, metrics.elidedText(row.title, elide, room.width())
    )


def _paint_note(painter: QPainter, snapshot: MapSnapshot) -> None:
    """Paint two lines below the map."""
    painter.save()
    font = QFont(snapshot.font)
    font.setPixelSize(NOTE_PX)
    painter.setFont(font)
    painter.setPen(QColor(snapshot.tokens.secondary))
    for line, text in enumerate(snapshot.note):
        rect = QRectF(
            MARGIN, snapshot.height + line * NOTE_LINE, WIDTH - 2 * MARGIN, NOTE_LINE
        )
        elide = Qt.TextElideMode.ElideRight
        shown = QFontMetricsF(font).elidedText(text, elide, rect.width())
        painter.drawText(rect, ALIGN_LEFT, shown)
    painter.restore()
