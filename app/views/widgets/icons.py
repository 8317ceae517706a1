"""Icons: monochrome SVG files drawn in theme colours."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.paths import resource_dir
from app.views.widgets.theme import ThemeColours

SIZES = (16, 20, 24, 32, 40, 48)


def themed_icon(name: str, colours: ThemeColours) -> QIcon:
    """Draw an icon in the secondary colour, and in the accent colour when selected."""
    icon = QIcon()
    for size in SIZES:
        icon.addPixmap(draw_icon(name, colours.secondary, size))
        icon.addPixmap(
            draw_icon(name, colours.accent, size), QIcon.Mode.Normal, QIcon.State.On
        )
        icon.addPixmap(draw_icon(name, colours.accent, size), QIcon.Mode.Selected)
        icon.addPixmap(draw_icon(name, colours.line, size), QIcon.Mode.Disabled)
    return icon


def draw_icon(name: str, colour: str, size: int) -> QPixmap:
    """Draw an icon in one colour; drawings with their own colours keep them."""
    screen = QGuiApplication.primaryScreen()
    return _draw(name, colour, size, screen.devicePixelRatio() if screen else 1.0)


def app_icon() -> QIcon:
    """Return the program's own icon."""
    icon = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        icon.addPixmap(draw_icon("isogloss", "#0B6E75", size))
    return icon


@lru_cache(maxsize=64)
def _read(name: str) -> str:
    return (resource_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _draw(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """Draw at the screen's pixel density, so that the icon is sharp."""
    svg = _read(name).replace("currentColor", colour)
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
