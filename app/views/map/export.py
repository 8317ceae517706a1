"""Write a map as PNG, SVG or a table of points."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from sqlalchemy import Engine

from app.engine.store.sentences import read_sentences
from app.views.map.drawing.camera import Camera
from app.views.map.drawing.density import DensityMaximum
from app.views.map.drawing.overlay import Overlay, image_of, paint_lines, paint_overlay
from app.views.map.drawing.palettes import MapColours, to_name
from app.views.map.drawing.picture import Frame, Picture, Points, TilePlan, draw_map
from app.views.map.drawing.points import MapPoints
from app.views.map.legend import LegendRow
from app.views.widgets.theme import Tokens, scaled

TILE = 1_536  # pixels along a side of what is drawn at once
LEGEND_WIDTH, ENTRY_HEIGHT, SWATCH, MARGIN = 200, 22, 12, 16  # of the screen's pixels
MAX_ENTRIES = 26  # of a legend in a picture
PAGE = 1_000  # sentences read at once
PER_PIXEL = 2  # pixels of the image in an SVG, along one of the screen
ALWAYS_DENSE = 10**9  # points: a density image, whatever there is in a part
MAX_VECTOR_POINTS = 20_000  # points of an SVG; more are an image in it


class MapSnapshot(NamedTuple):
    """What a picture shows: a copy, so that the window can go on meanwhile.

    Attributes:
        points: with their colours.
        look: the palette.
        camera: what is in sight.
        width, height: of the widget, in pixels of the screen.
        overlay: over the points.
        legend: entries beside them; empty: there is none.
        tokens: colours of the window.
        font: of the words.
        title: of the picture.
    """

    points: Points
    look: MapColours
    camera: Camera
    width: int
    height: int
    overlay: Overlay
    legend: tuple[LegendRow, ...]
    tokens: Tokens
    font: QFont
    title: str

    @property
    def full_width(self) -> int:
        """The width with the legend, in pixels of the screen."""
        legend = scaled(LEGEND_WIDTH, self.font) if self.legend else 0
        return self.width + legend


def write_png(shot: MapSnapshot, file: Path, width: int) -> Iterator[bool | None]:
    """Write a picture, a part in each step; the last one tells whether it is written.

    Args:
        shot: what it shows.
        file: where to.
        width: pixels.
    """
    ratio = width / shot.full_width
    frame = shot.camera.frame(shot.width, shot.height, ratio)
    image = QImage(QSize(width, frame.height), QImage.Format.Format_RGB32)
    if image.isNull():  # not enough memory
        yield False
        return
    image.fill(QColor(shot.tokens.surface))
    _paint_pairs(image, shot, ratio)
    plan: TilePlan | None = None
    tiles = _tiles(frame)
    if len(tiles) > 1:  # the parts must agree on how many points have the full shade
        n, lit, grey = 0, 0, 0
        for place in tiles:
            part = _draw(
                shot, frame, place, ratio, TilePlan(ALWAYS_DENSE, DensityMaximum())
            )
            n += part.n_points
            lit, grey = max(lit, part.most.lit), max(grey, part.most.grey)
            yield None
        plan = TilePlan(n, DensityMaximum(lit, grey))
    for place in tiles:
        _copy(image, place, _draw(shot, frame, place, ratio, plan), shot)
        yield None
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    _paint_words(painter, shot)
    painter.end()
    yield image.save(str(file))


def write_svg(shot: MapSnapshot, file: Path) -> bool:
    """Write a drawing; very many points are an image in it."""
    generator = QSvgGenerator()
    generator.setFileName(str(file))
    whole = QRect(0, 0, shot.full_width, shot.height)
    generator.setSize(whole.size())
    generator.setViewBox(whole)
    generator.setTitle(shot.title)
    painter = QPainter()
    if not painter.begin(generator):
        return False
    painter.fillRect(whole, QColor(shot.tokens.surface))
    frame = shot.camera.frame(shot.width, shot.height)
    paint_lines(painter, shot.overlay.lines, shot.points.grid, frame)
    picture = draw_map(shot.points, frame, shot.look)
    if picture.radius and picture.n_points <= MAX_VECTOR_POINTS:
        _paint_points(painter, shot, frame, picture.radius)
    else:
        sharp = shot.camera.frame(shot.width, shot.height, PER_PIXEL)
        fine = draw_map(shot.points, sharp, shot.look, PER_PIXEL)
        made = image_of(fine, shot.look, is_clear=True)
        painter.drawImage(QRectF(0, 0, shot.width, shot.height), made)
    _paint_words(painter, shot)
    return painter.end()


def table_of_points(
    store: Engine, points: MapPoints, names: Sequence[str], codes: Sequence[int]
) -> Iterator[Sequence[str]]:
    """Return a row for each point, the header first.

    Args:
        store: of the project.
        points: the map.
        names: of the classes that points are coloured by; empty: none.
        codes: (n,) the class of each.
    """
    yield ("sentence", "x", "y", "cluster", "language", "class", "text")
    xs, ys = points.grid.x[points.places], points.grid.y[points.places]
    for start in range(0, len(points), PAGE):
        ids = points.ids[start : start + PAGE].tolist()
        for place, one in enumerate(read_sentences(store, ids), start):
            cluster = int(points.clusters[place])
            yield (
                str(ids[place - start]),
                f"{xs[place]:.6g}",
                f"{ys[place]:.6g}",
                str(cluster + 1) if cluster >= 0 else "",
                one.language if one is not None else "",
                names[codes[place]] if names else "",
                one.text if one is not None else "",
            )


def _tiles(frame: Frame) -> list[QRect]:
    return [
        QRect(left, top, min(TILE, frame.width - left), min(TILE, frame.height - top))
        for top in range(0, frame.height, TILE)
        for left in range(0, frame.width, TILE)
    ]


def _draw(
    shot: MapSnapshot, frame: Frame, place: QRect, ratio: float, plan: TilePlan | None
) -> Picture:
    part = frame._replace(
        width=place.width(),
        height=place.height(),
        left=frame.left + place.left() / frame.scale,
        top=frame.top - place.top() / frame.scale,
    )
    return draw_map(shot.points, part, shot.look, ratio, plan)


def _paint_pairs(image: QImage, shot: MapSnapshot, ratio: float) -> None:
    """Paint the lines of pairs, before the points."""
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    painter.setClipRect(QRect(0, 0, shot.width, shot.height))
    frame = shot.camera.frame(shot.width, shot.height)
    paint_lines(painter, shot.overlay.lines, shot.points.grid, frame)
    painter.end()


def _copy(image: QImage, place: QRect, picture: Picture, shot: MapSnapshot) -> None:
    painter = QPainter(image)
    made = image_of(picture, shot.look, is_clear=True)
    painter.drawImage(place.topLeft(), made)
    painter.end()


def _paint_points(
    painter: QPainter, shot: MapSnapshot, frame: Frame, radius: float
) -> None:
    """Paint the points in sight as circles, the grey ones first."""
    grid, lit, box = shot.points.grid, shot.points.lit, frame.box
    painter.setPen(Qt.PenStyle.NoPen)
    is_in = (grid.x >= box.left) & (grid.x <= box.right)
    is_in &= (grid.y >= box.bottom) & (grid.y <= box.top)
    grey = QColor(to_name(shot.look.grey))
    colours = [QColor(to_name(row)) for row in shot.look.palette]
    places = is_in.nonzero()[0].tolist()
    if lit is not None:
        places.sort(key=lambda place: bool(lit[place]))
    for place in places:
        is_lit = lit is None or bool(lit[place])
        painter.setBrush(colours[shot.points.codes[place]] if is_lit else grey)
        x, y = frame.pixel_at(float(grid.x[place]), float(grid.y[place]))
        painter.drawEllipse(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))


def _paint_words(painter: QPainter, shot: MapSnapshot) -> None:
    """Paint what is over the points, and the legend to their right."""
    frame = shot.camera.frame(shot.width, shot.height)
    painter.save()
    painter.setClipRect(QRect(0, 0, shot.width, shot.height))
    paint_overlay(painter, shot.overlay, shot.points.grid, frame, shot.font)
    painter.restore()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(shot.font)
    metrics = QFontMetricsF(shot.font)
    height, size = scaled(ENTRY_HEIGHT, shot.font), scaled(SWATCH, shot.font)
    left, room = shot.width + MARGIN, shot.full_width - shot.width - 2 * MARGIN
    for number, row in enumerate(shot.legend[:MAX_ENTRIES]):
        top = MARGIN + number * height
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(row.colour))
        painter.drawRoundedRect(
            QRectF(left, top + (height - size) / 2, size, size), 3, 3
        )
        painter.setPen(QColor(shot.tokens.text))
        text = metrics.elidedText(
            row.title, Qt.TextElideMode.ElideRight, room - size - 8
        )
        place = QRectF(left + size + 8, top, room - size - 8, height)
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, align, text)
