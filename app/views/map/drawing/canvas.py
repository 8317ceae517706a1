"""Canvas widget: draw a map, pan, zoom, and select points."""

import time

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.map.drawing.camera import Camera, Fit, camera_of, fit_box
from app.views.map.drawing.density import Codes
from app.views.map.drawing.grid import Box, Mask, PointGrid
from app.views.map.drawing.mouse import DrawnShape, MouseGesture, MouseTool, Stroke
from app.views.map.drawing.overlay import (
    Overlay,
    image_of,
    paint_lines,
    paint_overlay,
    paint_stroke,
)
from app.views.map.drawing.palettes import MapColours
from app.views.map.drawing.picture import Frame, Points, draw_map
from app.views.map.drawing.points import MapPoints
from app.views.widgets.controls import describe
from app.views.widgets.theme import GRID, tokens_of

SLOW_S = 0.030  # seconds: a picture that takes longer is drawn coarsely in motion
REDRAW_DELAY_MS = 140  # after the last motion it is drawn finely again
COARSE_SCALE = 0.5  # pixels along a line, of those there are


class MapImage(QObject):
    """Draws the points of a map, and keeps the image until something changes.

    Attributes:
        points: the map; None: there is none.
        n_in_sight: points in the newest image.
        draw_s: seconds that the newest fine one took.
    """

    outdated = Signal()  # it is to be painted again

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.points: MapPoints | None = None
        self.n_in_sight, self.draw_s = 0, 0.0
        self._codes: Codes = np.empty(0, np.uint8)
        self._lit: Mask | None = None
        self._look: MapColours | None = None
        self._image: QImage | None = None
        self._is_moving = False
        self._rest = QTimer(self, singleShot=True, interval=REDRAW_DELAY_MS)
        self._rest.timeout.connect(self._on_rest)

    @property
    def is_coloured(self) -> bool:
        """Return whether there is something to draw."""
        return self.points is not None and self._look is not None

    @property
    def drawn(self) -> tuple[Points, MapColours]:
        """What is drawn, and in which colours."""
        assert self.points is not None
        assert self._look is not None, "the points are coloured"
        return Points(self.points.grid, self._codes, self._lit), self._look

    def show_points(self, points: MapPoints | None) -> None:
        """Take another map."""
        self.points = points
        n = 0 if points is None else len(points)
        self._codes, self._lit = np.zeros(n, np.uint8), None
        self.forget()

    def show_colours(self, codes: Codes, look: MapColours) -> None:
        """Colour the points.

        Args:
            codes: (n,) in the order of the map's ids.
            look: the palette that they are places of.
        """
        if self.points is not None:
            self._codes = codes[self.points.grid.order]
            self._look = look
            self.forget()

    def show_lit(self, lit: Mask | None) -> None:
        """Draw the points that are not lit in grey; None: all are.

        Args:
            lit: bool (n,) in the order of the map's ids.
        """
        if self.points is not None:
            self._lit = None if lit is None else lit[self.points.grid.order]
            self.forget()

    def move(self) -> None:
        """Draw it anew, coarsely at first where that takes long."""
        self._is_moving = self.draw_s > SLOW_S
        if self._is_moving:
            self._rest.start()
        self.forget()

    def forget(self) -> None:
        """Draw it anew."""
        self._image = None
        self.outdated.emit()

    def draw(
        self, camera: Camera, size: QSize, ratio: float, *, is_clear: bool
    ) -> QImage:
        """Return the image.

        Args:
            camera: what is in sight.
            size: of the widget.
            ratio: pixels of the screen for one of the widget.
            is_clear: nothing is painted where no point is: lines lie below.
        """
        if self._image is None:
            started = time.perf_counter()
            is_coarse = self._is_moving and self.n_in_sight > 0
            ratio *= COARSE_SCALE if is_coarse else 1.0
            points, look = self.drawn
            frame = camera.frame(size.width(), size.height(), ratio)
            picture = draw_map(points, frame, look, ratio)
            self._image = image_of(picture, look, is_clear=is_clear)
            self.n_in_sight = picture.n_points
            if not is_coarse:
                self.draw_s = time.perf_counter() - started
        return self._image

    def _on_rest(self) -> None:
        self._is_moving = False
        self.forget()


HIT_RADIUS = 10  # pixels around the mouse in which a point is found
WHEEL_FACTOR = 1.0015  # of the scale, for an eighth of a degree
ZOOM_FACTOR = 1.4  # of the scale, one key nearer
PAN, PAN_FAR = 0.1, 0.5  # of the width, by one key


class MapCanvas(QWidget):
    """Shows a map; a drag moves it, or draws a lasso or a rectangle.

    Attributes:
        image: of the points.
        overlay: what is painted over the points.
        seen: what was looked at last, whatever size the widget has now; None: all.
    """

    hovered = Signal(object)  # id of a sentence, or None
    clicked = Signal(object)  # id of a sentence, or None: beside all points
    drawn = Signal(object)  # Drawn
    camera_changed = Signal()
    focused = Signal()
    digit_pressed = Signal(int)  # 1 … 9: label what is selected

    def __init__(self, title: str, parent: QWidget | None = None):
        """Make an empty one; `title` names it for a screen reader."""
        super().__init__(parent)
        self._title = title
        self.image = MapImage(self)
        self.image.outdated.connect(self.update)
        self._hand = MouseGesture()
        self.overlay = Overlay()
        self._camera: Camera | None = None  # None: everything is in sight
        self.seen: Box | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(20 * GRID, 16 * GRID)
        policy = QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, policy)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.tell("")

    # --- what is shown ---

    @property
    def points(self) -> MapPoints | None:
        """The map; None: there is none."""
        return self.image.points

    def show_points(self, points: MapPoints | None) -> None:
        """Show another map, all of it."""
        self._camera, self.seen = None, None
        self.overlay = Overlay()
        self.image.show_points(points)

    def tell(self, words: str) -> None:
        """Show what is shown, for a screen reader."""
        hint = self.tr(
            "Drag to move, turn the wheel to zoom, click a point for its sentence. "
            "L draws a lasso, R a rectangle; arrows move, + and − zoom, 0 shows all."
        )
        describe(self, f"{self._title}: {words}" if words else self._title, hint)

    # --- where one looks ---

    @property
    def fit(self) -> Fit:
        """What shows the map: its body, and what is scattered near it."""
        assert self.points is not None, "there is a map"
        return fit_box(self.points.grid.body, self.width(), self.height())

    @property
    def camera(self) -> Camera:
        """What is in sight."""
        return self._camera or self.fit.camera

    @property
    def frame(self) -> Frame:
        """What is in sight, in pixels of the screen."""
        return self.camera.frame(self.width(), self.height())

    def look_at(self, camera: Camera | None) -> None:
        """Look at a part of the map; None: at all of it."""
        self._camera = camera
        self.seen = None if camera is None else self.frame.box
        self.image.move()
        self.camera_changed.emit()

    def zoom(self, factor: float, place: QPointF | None = None) -> None:
        """Zoom around a place of the widget, or around its middle."""
        if self.points is None:
            return
        middle = QRectF(self.rect()).center()
        away = (place or middle) - middle
        self.look_at(self.camera.zoomed(factor, self.fit, away.x(), away.y()))

    def pan(self, right: float, down: float) -> None:
        """Move what is in sight by shares of the widget's size."""
        if self.points is not None:
            self.look_at(
                self.camera.moved(-right * self.width(), -down * self.height())
            )

    def show_all(self) -> None:
        """Show the whole map."""
        self.look_at(None)

    def id_near(self, place: QPointF) -> int | None:
        """Return the sentence at a place of the widget; None: there is none."""
        if self.points is None or not len(self.points):
            return None
        x, y = self.to_map(place)
        found = self.points.grid.nearest(x, y, HIT_RADIUS / self.camera.scale)
        return None if found is None else self.points.id_at(found)

    def to_map(self, place: QPointF) -> tuple[float, float]:
        """Return the coordinates of a place of the widget."""
        frame = self.frame
        return (
            frame.left + place.x() / frame.scale,
            frame.top - place.y() / frame.scale,
        )

    # --- tools ---

    @property
    def tool(self) -> MouseTool:
        """What a drag of the mouse does."""
        return self._hand.tool

    def take_tool(self, tool: MouseTool) -> None:
        """Let a drag do something else."""
        self._hand.give_up()
        self._hand.tool = tool
        is_hand = tool == "hand"
        shape = Qt.CursorShape.ArrowCursor if is_hand else Qt.CursorShape.CrossCursor
        self.setCursor(shape)
        self.update()

    def give_up(self) -> bool:
        """Return up what is being drawn; returns whether there was anything."""
        self.update()
        return self._hand.give_up()

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the points, and over them what the overlay holds."""
        tokens = tokens_of(self)
        painter = QPainter(self)
        if self.points is not None and self.image.is_coloured:
            self._paint_map(painter, self.points.grid)
        else:
            painter.fillRect(self.rect(), QColor(tokens.surface))
        if self._hand.stroke is not None:
            paint_stroke(painter, self._hand.stroke.polygon(), tokens.accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(tokens.accent if self.hasFocus() else tokens.line))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_map(self, painter: QPainter, grid: PointGrid) -> None:
        has_lines = len(self.overlay.lines) > 0
        ratio = self.devicePixelRatioF()
        image = self.image.draw(self.camera, self.size(), ratio, is_clear=has_lines)
        if has_lines:
            painter.fillRect(self.rect(), QColor(tokens_of(self).surface))
            paint_lines(painter, self.overlay.lines, grid, self.frame)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(self.rect()), image, QRectF(image.rect()))
        paint_overlay(painter, self.overlay, grid, self.frame, self.font())

    # --- the mouse and the keyboard ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to move the map, or to draw."""
        if self.points is None or event.button() == Qt.MouseButton.RightButton:
            super().mousePressEvent(event)
            return
        self._hand.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the map, draw on, or find what is under the mouse."""
        place = event.position()
        if self._hand.is_down:
            step = self._hand.move(place)
            self.update()
            if step is not None:
                self.hovered.emit(None)
                self.look_at(self.camera.moved(step.x(), step.y()))
        elif not event.buttons():
            self.hovered.emit(self.id_near(place))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a move or a drawing; who has not moved has clicked."""
        ended = self._hand.release(event.position())
        self.update()
        if isinstance(ended, Stroke):
            frame, corners = self.frame, ended.corners()
            corners[:, 0] = frame.left + corners[:, 0] / frame.scale
            corners[:, 1] = frame.top - corners[:, 1] / frame.scale
            self.drawn.emit(DrawnShape(corners, self._hand.how))
        elif ended == "click" and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.id_near(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom in on a place."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.zoom(ZOOM_FACTOR * ZOOM_FACTOR, event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse."""
        self.zoom(WHEEL_FACTOR ** event.angleDelta().y(), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by the arrows; digits label."""
        is_far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step, key = PAN_FAR if is_far else PAN, event.key()
        ways = {
            Qt.Key.Key_Left: (-step, 0.0),
            Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, -step),
            Qt.Key.Key_Down: (0.0, step),
        }
        if key in ways:
            self.pan(*ways[Qt.Key(key)])
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            self.digit_pressed.emit(key - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """Show that the keyboard is here."""
        super().focusInEvent(event)  # type: ignore[arg-type] # Qt gives a QFocusEvent
        self.focused.emit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep all in sight that was looked at."""
        super().resizeEvent(event)
        if self.seen is not None:
            self._camera = camera_of(self.seen, self.width(), self.height())
        self.image.forget()
        self.camera_changed.emit()

    def event(self, event: QEvent) -> bool:
        """Show no tooltip: it would cover what is pointed at."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Ask for much room."""
        return QSize(90 * GRID, 70 * GRID)
