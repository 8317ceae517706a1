"""Canvas widget: draws a map; pans, zooms and selects by mouse and keyboard."""

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
    MAX_KEPT_CLEAR,
    Overlay,
    image_of,
    paint_lines,
    paint_overlay,
    paint_stroke,
)
from app.views.map.drawing.palettes import MapColours
from app.views.map.drawing.picture import DrawnPoints, Frame, draw_map
from app.views.map.drawing.points import MapPoints
from app.views.widgets.controls import describe
from app.views.widgets.theme import GRID, colours_of

SLOW_S = 0.030  # draw time above which the image is coarse while it moves
REDRAW_DELAY_MS = 140  # from the last motion to the fine image
COARSE_SCALE = 0.5  # resolution of a coarse image


class MapImage(QObject):
    """Draws the points of a map, and caches the image until something changes.

    Attributes:
        points: the map; None before one is shown.
        n_visible: number of points in the newest image.
        draw_s: seconds that the newest fine image took.
    """

    invalidated = Signal()  # the image must be redrawn

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.points: MapPoints | None = None
        self.n_visible, self.draw_s = 0, 0.0
        self._codes: Codes = np.empty(0, np.uint8)
        self._mask: Mask | None = None
        self._colours: MapColours | None = None
        self._image: QImage | None = None
        self._is_moving = False
        self._redraw_timer = QTimer(self, singleShot=True, interval=REDRAW_DELAY_MS)
        self._redraw_timer.timeout.connect(self._on_redraw_timeout)

    @property
    def is_coloured(self) -> bool:
        """Return whether there are coloured points to draw."""
        return self.points is not None and self._colours is not None

    @property
    def drawn(self) -> tuple[DrawnPoints, MapColours]:
        """The points that are drawn, and their colours."""
        assert self.points is not None
        assert self._colours is not None, "the points are coloured"
        return DrawnPoints(self.points.grid, self._codes, self._mask), self._colours

    def show_points(self, points: MapPoints | None) -> None:
        """Show a map, or no map."""
        self.points = points
        n = 0 if points is None else len(points)
        self._codes, self._mask = np.zeros(n, np.uint8), None
        self.invalidate()

    def show_colours(self, codes: Codes, colours: MapColours) -> None:
        """Colour the points.

        Args:
            codes: uint8 (n,), in the order of the map's ids.
            colours: the palette that the codes index.
        """
        if self.points is not None:
            self._codes = codes[self.points.grid.order]
            self._colours = colours
            self.invalidate()

    def highlight(self, mask: Mask | None) -> None:
        """Draw only some points in colour, the others in grey.

        Args:
            mask: bool (n,), in the order of the map's ids; None: all are in colour.
        """
        if self.points is not None:
            self._mask = None if mask is None else mask[self.points.grid.order]
            self.invalidate()

    def move(self) -> None:
        """Redraw the image after a motion, coarsely at first if drawing is slow."""
        self._is_moving = self.draw_s > SLOW_S
        if self._is_moving:
            self._redraw_timer.start()
        self.invalidate()

    def invalidate(self) -> None:
        """Redraw the image."""
        self._image = None
        self.invalidated.emit()

    def draw(
        self, camera: Camera, size: QSize, ratio: float, *, is_clear: bool
    ) -> QImage:
        """Return the image.

        Args:
            camera: the visible part.
            ratio: device pixels per pixel of the widget.
            is_clear: whether the background is transparent, to show lines below it.
        """
        if self._image is None:
            started = time.perf_counter()
            is_coarse = self._is_moving and self.n_visible > 0
            ratio *= COARSE_SCALE if is_coarse else 1.0
            points, colours = self.drawn
            frame = camera.frame(size.width(), size.height(), ratio)
            picture = draw_map(points, frame, colours, ratio)
            self._image = image_of(picture, colours, is_clear=is_clear)
            self.n_visible = picture.n_points
            if not is_coarse:
                self.draw_s = time.perf_counter() - started
        return self._image

    def _on_redraw_timeout(self) -> None:
        self._is_moving = False
        self.invalidate()


HIT_RADIUS = 10  # pixels around the mouse
WHEEL_FACTOR = 1.0015  # scale factor per eighth of a degree
ZOOM_FACTOR = 1.4  # scale factor per key press
PAN, PAN_FAR = 0.1, 0.5  # share of the size per key press


class MapCanvas(QWidget):
    """Shows a map; dragging moves it, or draws a lasso or a rectangle.

    Attributes:
        image: the image of the points.
        overlay: lines, labels and rings over the points.
        visible_box: the chosen part, at any size of the widget; None: the whole map.
        description: description of the map for screen readers.
    """

    hovered = Signal(object)  # id of a sentence, or None
    clicked = Signal(object)  # id of a sentence; None: no point nearby
    picked = Signal(object, str)  # the same, and the selection mode of the held key
    drawn = Signal(object)  # DrawnShape
    camera_changed = Signal()
    focused = Signal()
    digit_pressed = Signal(int)  # 1 … 9: label the selection

    def __init__(self, title: str, parent: QWidget | None = None):
        """Initialise an empty canvas; `title` is its name for screen readers."""
        super().__init__(parent)
        self._title = title
        self.image = MapImage(self)
        self.image.invalidated.connect(self.update)
        self._gesture = MouseGesture()
        self.overlay = Overlay()
        self._camera: Camera | None = None  # None: the whole map
        self._seen_in: QSize | None = None  # size of the window at the last paint
        self.visible_box: Box | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(20 * GRID, 16 * GRID)
        policy = QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, policy)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.description = ""
        self.set_description("")

    # --- what is shown ---

    def highlight(self, mask: Mask | None) -> None:
        """Draw only some points in colour; labels avoid them if they are few.

        Args:
            mask: bool (n,), in the order of the map's ids; None: all are in colour.
        """
        self.image.highlight(mask)
        lit = np.empty(0, np.int64)
        if mask is not None and self.points is not None:
            found = np.flatnonzero(mask[self.points.grid.order])
            lit = found if len(found) <= MAX_KEPT_CLEAR else lit
        self.overlay = self.overlay._replace(lit=lit)

    @property
    def points(self) -> MapPoints | None:
        """The map, or None."""
        return self.image.points

    def show_points(self, points: MapPoints | None) -> None:
        """Show a map completely, or no map."""
        self._camera, self.visible_box = None, None
        self.refit()
        self.overlay = Overlay()
        self.image.show_points(points)

    def set_description(self, text: str) -> None:
        """Set the description that screen readers read."""
        self.description = text
        hint = self.tr(
            "Drag to move, scroll to zoom, click a point to show its sentence. L "
            "selects with a lasso, R with a rectangle; arrows move, + and − zoom, "
            "0 shows all."
        )
        describe(self, f"{self._title}: {text}" if text else self._title, hint)

    # --- the visible part ---

    @property
    def fit(self) -> Fit:
        """The camera that shows all points except outliers, and the zoom limits."""
        return self._fit_to(self.size())

    def _fit_to(self, size: QSize) -> Fit:
        assert self.points is not None, "there is a map"
        return fit_box(self.points.grid.core, size.width(), size.height())

    @property
    def camera(self) -> Camera:
        """The visible part."""
        return self._camera or self.fit.camera

    @property
    def frame(self) -> Frame:
        """The visible part, in screen pixels."""
        return self.camera.frame(self.width(), self.height())

    def set_camera(self, camera: Camera | None) -> None:
        """Show a part of the map; None shows the whole map."""
        self._camera = camera
        self.visible_box = None if camera is None else self.frame.box
        self.refit()
        self.image.move()
        self.camera_changed.emit()

    def refit(self) -> None:
        """Fit the chosen part at the next resize, even if the window keeps its size."""
        self._seen_in = None

    def zoom(self, factor: float, place: QPointF | None = None) -> None:
        """Zoom around a position in the widget, by default its centre."""
        if self.points is None:
            return
        centre = QRectF(self.rect()).center()
        offset = (place or centre) - centre
        self.set_camera(self.camera.zoomed(factor, self.fit, offset.x(), offset.y()))

    def pan(self, right: float, down: float) -> None:
        """Move the visible part by shares of the widget's size."""
        if self.points is not None:
            self.set_camera(
                self.camera.moved(-right * self.width(), -down * self.height())
            )

    def show_all(self) -> None:
        """Show the whole map."""
        self.set_camera(None)

    def reveal(self, sentence_id: int) -> None:
        """Centre a sentence if it is on the map, but not in the visible part."""
        index = None if self.points is None else self.points.place_of(sentence_id)
        if self.points is None or index is None:
            return
        grid = self.points.grid
        x, y = float(grid.x[index]), float(grid.y[index])
        if not QRectF(self.rect()).contains(*self.frame.pixel_at(x, y)):
            self.set_camera(self.camera._replace(x=x, y=y))

    def reveal_box(self, box: Box) -> None:
        """Move to a box that is not visible, and zoom out if it is too large."""
        seen = self.frame.box
        is_wide = seen.left <= box.left and box.right <= seen.right
        if is_wide and seen.bottom <= box.bottom and box.top <= seen.top:
            return
        camera = fit_box(box, self.width(), self.height()).camera
        scale = min(camera.scale, self.camera.scale)
        self.set_camera(camera._replace(scale=scale))

    def id_near(self, place: QPointF) -> int | None:
        """Return the sentence at a position in the widget, or None."""
        if self.points is None or not len(self.points):
            return None
        x, y = self.to_map(place)
        found = self.points.grid.nearest(x, y, HIT_RADIUS / self.camera.scale)
        return None if found is None else self.points.id_at(found)

    def to_map(self, place: QPointF) -> tuple[float, float]:
        """Return the map coordinates of a position in the widget."""
        frame = self.frame
        return (
            frame.left + place.x() / frame.scale,
            frame.top - place.y() / frame.scale,
        )

    # --- tools ---

    @property
    def tool(self) -> MouseTool:
        """What dragging does."""
        return self._gesture.tool

    def set_tool(self, tool: MouseTool) -> None:
        """Set the effect of dragging."""
        self._gesture.cancel()
        self._gesture.tool = tool
        shapes = Qt.CursorShape
        self.setCursor(shapes.ArrowCursor if tool == "pan" else shapes.CrossCursor)
        self.update()

    def cancel_drawing(self) -> bool:
        """Cancel the shape being drawn, if any; return whether there was one."""
        self.update()
        return self._gesture.cancel()

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the points and the overlay."""
        colours = colours_of(self)
        painter = QPainter(self)
        if self.points is not None and self.image.is_coloured:
            self._paint_map(painter, self.points.grid)
        else:
            painter.fillRect(self.rect(), QColor(colours.surface))
        if self._gesture.stroke is not None:
            paint_stroke(painter, self._gesture.stroke.polygon(), colours.accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(colours.accent if self.hasFocus() else colours.line))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_map(self, painter: QPainter, grid: PointGrid) -> None:
        has_lines = len(self.overlay.lines) > 0
        ratio = self.devicePixelRatioF()
        image = self.image.draw(self.camera, self.size(), ratio, is_clear=has_lines)
        self._seen_in = self.window().size()
        if has_lines:
            painter.fillRect(self.rect(), QColor(colours_of(self).surface))
            paint_lines(painter, self.overlay.lines, grid, self.frame)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(self.rect()), image, QRectF(image.rect()))
        paint_overlay(painter, self.overlay, grid, self.frame, self.font())

    # --- mouse and keyboard ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start moving the map or drawing a shape."""
        if self.points is None or event.button() == Qt.MouseButton.RightButton:
            super().mousePressEvent(event)
            return
        self._gesture.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the map, extend the shape, or find the point under the mouse."""
        place = event.position()
        if self._gesture.is_down:
            step = self._gesture.move(place)
            self.update()
            if step is not None:
                self.hovered.emit(None)
                self.set_camera(self.camera.moved(step.x(), step.y()))
        elif not event.buttons():
            self.hovered.emit(self.id_near(place))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Finish a move or a shape; without movement, treat it as a click."""
        result = self._gesture.release(event.position())
        self.update()
        if isinstance(result, Stroke):
            frame, corners = self.frame, result.corners()
            corners[:, 0] = frame.left + corners[:, 0] / frame.scale
            corners[:, 1] = frame.top - corners[:, 1] / frame.scale
            self.drawn.emit(DrawnShape(corners, self._gesture.how))
        elif result == "click" and event.button() == Qt.MouseButton.LeftButton:
            found, how = self.id_near(event.position()), self._gesture.how
            if how == "new":
                self.clicked.emit(found)
            elif found is not None:
                self.picked.emit(found, how)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom in on a position."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.zoom(ZOOM_FACTOR * ZOOM_FACTOR, event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse."""
        self.zoom(WHEEL_FACTOR ** event.angleDelta().y(), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the map with the arrow keys; label the selection with digits."""
        is_far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step, key = PAN_FAR if is_far else PAN, event.key()
        steps = {
            Qt.Key.Key_Left: (-step, 0.0),
            Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, -step),
            Qt.Key.Key_Down: (0.0, step),
        }
        if key in steps:
            self.pan(*steps[Qt.Key(key)])
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            self.digit_pressed.emit(key - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hovered point."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """Show the focus frame."""
        super().focusInEvent(event)  # type: ignore[arg-type] # Qt gives a QFocusEvent
        self.focused.emit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the chosen part to the new window size.

        If only a list or the inspector opens or closes, points keep their position.
        """
        super().resizeEvent(event)
        if self.points is not None and self._seen_in == self.window().size():
            old, new = event.oldSize(), event.size()
            camera = self._camera or self._fit_to(old).camera
            grown = new.width() - old.width(), new.height() - old.height()
            self._camera = camera.resized(*grown)
        elif self.visible_box is not None:
            self._camera = camera_of(self.visible_box, self.width(), self.height())
        else:
            self._camera = None
        self.image.invalidate()
        self.camera_changed.emit()

    def event(self, event: QEvent) -> bool:
        """Suppress the tooltip, which would cover the points."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Return a large size."""
        return QSize(90 * GRID, 70 * GRID)
