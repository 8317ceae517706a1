"""Pane with one map: its name, its canvas, and a card of the hovered sentence."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QCursor, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.projections import ProjectionRow
from app.errors import ErrorInfo, ResourceError
from app.protocol.answers.search import FoundSentence
from app.views.client.state import AppState
from app.views.map.analysis import MapSimilarity
from app.views.map.colouring import DENSITY, ColourColumn, Colouring, read_colouring
from app.views.map.drawing.canvas import MapCanvas
from app.views.map.drawing.overlay import MapLabel
from app.views.map.drawing.palettes import (
    MapColours,
    density_palette,
    inactive_colour,
    to_rows,
)
from app.views.map.drawing.points import (
    Ends,
    MapPoints,
    choose_lines,
    load_pairs,
    load_points,
)
from app.views.map.export import MapSnapshot
from app.views.map.idle_work import IdleWorker
from app.views.map.legend import LegendRow, colouring_palette, highlighted_points
from app.views.widgets.classifiers import Classifier
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.hit_card import CardStyle, measure_card, paint_card
from app.views.widgets.hits import Hit, read_hits, with_language
from app.views.widgets.number_format import format_count
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID, scaled, tokens_of

CARD_WIDTH = 300


class MapCard(QWidget):
    """A card that follows the pointer; the mouse looks through it.

    Attributes:
        hit: the sentence; None: the card is hidden.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.hit: Hit | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_hit(self, hit: Hit | None, place: QPoint | None = None) -> None:
        """Show a sentence beside a place; None hides the card.

        Args:
            hit: the sentence.
            place: in the widget that the card is on; None: the pointer's.
        """
        self.hit = hit
        self.setVisible(hit is not None)
        if hit is None:
            return
        above = self.parentWidget()
        assert above is not None, "it was made on a widget"
        at = place or above.mapFromGlobal(QCursor.pos())
        width = min(scaled(CARD_WIDTH, self), above.width() - 2 * GRID)
        height = measure_card(hit, width - 2, self.font(), tokens_of(self))
        self.setGeometry(_beside(at, width, round(height) + 2, above.rect()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card."""
        if self.hit is None:
            return
        painter = QPainter(self)
        look = CardStyle(self.font(), tokens_of(self))
        paint_card(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), self.hit, look)
        painter.end()


def _beside(at: QPoint, width: int, height: int, room: QRect) -> QRect:
    """Place a card to the lower right of a point, or where there is room."""
    left, top = at.x() + 2 * GRID, at.y() + 2 * GRID
    if left + width > room.right():
        left = at.x() - 2 * GRID - width
    if top + height > room.bottom():
        top = at.y() - 2 * GRID - height
    left = max(min(left, room.right() - width), room.left())
    top = max(min(top, room.bottom() - height), room.top())
    return QRect(left, top, width, height)


Ids = NDArray[np.int64]


class MapPane(QWidget):
    """Shows one map.

    Attributes:
        points: the map, when it is loaded.
        colouring: what its points are coloured by.
        canvas: the picture.
        card: of the sentence under the mouse.
    """

    loaded = Signal()
    coloured = Signal()  # another column, or other values of it

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.points: MapPoints | None = None
        self.colouring: Colouring | None = None
        self._rows: list[LegendRow] = []
        self._chosen: Collection[str] = ()
        self._selected: Ids | None = None
        self.canvas = MapCanvas(self.tr("Map"))
        self.card = MapCard(self.canvas)
        self.caption = ElidedLabel("secondary")
        self._loading, self._colouring = IdleWorker(self), IdleWorker(self)
        self._linking = IdleWorker(self)
        self._similarity = MapSimilarity(state, f"map {id(self)}", self)
        self._similarity.answered.connect(self._on_nearness)
        self._wants_nearness = False
        self._pairs: Ends | None = None  # None: not read
        self._shows_pairs, self.n_pairs = False, 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.caption)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.clicked.connect(self._on_clicked)
        self.canvas.camera_changed.connect(self._on_camera_changed)
        state.selection_changed.connect(self._on_selection_changed)

    @property
    def row(self) -> ProjectionRow | None:
        """The map that is shown."""
        return self.points.row if self.points is not None else None

    @property
    def is_busy(self) -> bool:
        """Return whether the map, its colours or its pairs are being read."""
        parts = (self._loading, self._colouring, self._linking)
        return any(part.is_busy for part in parts)

    def show_map(self, row: ProjectionRow | None) -> None:
        """Show a map as soon as it is loaded; None: none."""
        project = self._state.project
        if row is None or project is None:
            self._loading.stop()
            self._colouring.stop()
            self.points = self.colouring = self._pairs = None
            self.canvas.show_points(None)
            return
        if self.points is not None and self.points.row.array == row.array:
            self.points = replace(self.points, row=row)
            self._tell()
            return
        steps = load_points(project.folder, row)
        self._loading.begin(steps, self._on_loaded, self._on_failed)

    def colour_by(
        self, column: ColourColumn, classifiers: Sequence[Classifier]
    ) -> None:
        """Colour the points by a column as soon as it is read."""
        project = self._state.project
        if project is None or self.points is None:
            return
        self._wants_nearness = False
        steps = read_colouring(project, self.points, column, classifiers)
        self._colouring.begin(steps, self.take_colouring, self._on_failed)

    def colour_by_nearness(self, sentence_id: int) -> None:
        """Colour the points by their cosine with a sentence."""
        if self.points is not None:
            self._colouring.stop()
            self._wants_nearness = True
            self._similarity.ask(self.points, sentence_id)

    def take_colouring(self, colouring: Colouring) -> None:
        """Colour the points by values that are there; nothing older comes after."""
        self._colouring.stop()
        self._wants_nearness = False
        self.colouring = colouring
        self.coloured.emit()

    def paint(self, rows: Sequence[LegendRow]) -> None:
        """Give the points the colours of a legend."""
        self._rows = list(rows)
        if self.colouring is None:
            return
        tokens = tokens_of(self)
        is_plain = self.colouring.key == DENSITY
        density = density_palette(tokens) if is_plain else None
        palette = colouring_palette(self.colouring, rows, tokens)
        if density is not None:
            palette[0] = to_rows([tokens.accent])[0]
        look = MapColours(
            to_rows([tokens.surface])[0],
            to_rows([inactive_colour(tokens)])[0],
            palette,
            density,
        )
        self.canvas.image.show_colours(self.colouring.codes, look)
        self._light()

    def light(self, chosen: Collection[str], selected: Ids | None) -> None:
        """Grey what is not chosen or not selected.

        Args:
            chosen: titles of the legend; none: all.
            selected: ids of sentences, rising; None: all.
        """
        self._chosen, self._selected = chosen, selected
        self._light()

    def show_pairs(self, is_shown: bool) -> None:
        """Join translations by lines, or don't."""
        self._shows_pairs = is_shown
        project = self._state.project
        if is_shown and self._pairs is None and self.points and project is not None:
            steps = load_pairs(project.store, self.points)
            self._linking.begin(steps, self._on_pairs, self._on_failed)
        self._draw_pairs()

    def shot(self, rows: Sequence[LegendRow]) -> MapSnapshot | None:
        """Copy what is shown, for a picture; `rows`: of the legend beside it."""
        if self.points is None:
            return None
        canvas = self.canvas
        points, look = canvas.image.drawn
        return MapSnapshot(
            points,
            look,
            canvas.camera,
            canvas.width(),
            canvas.height(),
            canvas.overlay._replace(hovered=None, selected=None),
            tuple(rows),
            tokens_of(self),
            self.font(),
            self.points.row.name,
        )

    def show_marks(self, marks: tuple[MapLabel, ...]) -> None:
        """Write words on the map."""
        self.canvas.overlay = self.canvas.overlay._replace(marks=marks)
        self.canvas.update()

    def _light(self) -> None:
        if self.colouring is None or self.points is None:
            return
        lit = highlighted_points(self.colouring, self._rows, self._chosen)
        if self._selected is not None:
            selected = self.points.mask_of(self._selected)
            lit = selected if lit is None else lit & selected
        self.canvas.image.show_lit(lit)
        self._draw_pairs()

    def _tell(self) -> None:
        """Show what is shown, in the caption and to a screen reader."""
        if self.points is None:
            return
        row = self.points.row
        words = self.tr("{name} · {encoder} · {n} sentences")
        n = format_count(len(self.points))
        text = words.format(name=row.name, encoder=row.encoder, n=n)
        if self._shows_pairs and self._pairs is not None:
            text += SEPARATOR + self._describe_pairs()
        self.caption.setText(text)
        self.canvas.tell(text)

    def _describe_pairs(self) -> str:
        n = len(self.canvas.overlay.lines)
        words = self.tr("{n} pairs of translations in sight")
        if n < self.n_pairs:
            words = self.tr("{drawn} of {n} pairs of translations in sight are drawn")
        return words.format(n=format_count(self.n_pairs), drawn=format_count(n))

    def _draw_pairs(self) -> None:
        """Choose the lines for what is in sight now."""
        lines = np.empty((0, 2), np.int64)
        self.n_pairs = 0
        if self._shows_pairs and self._pairs is not None and self.points is not None:
            grid = self.points.grid
            wanted = None
            if self._selected is not None:
                wanted = self.points.mask_of(self._selected)[grid.order]
            frame = self.canvas.frame
            lines, self.n_pairs = choose_lines(self._pairs, grid, frame, wanted)
        had_lines = len(self.canvas.overlay.lines) > 0
        self.canvas.overlay = self.canvas.overlay._replace(lines=lines)
        if had_lines or len(lines):
            self.canvas.image.forget()
        self._tell()

    # --- what happens ---

    def _on_nearness(self, colouring: Colouring) -> None:
        if self._wants_nearness:
            self.take_colouring(colouring)

    def _on_pairs(self, pairs: Ends) -> None:
        self._pairs = pairs
        self._draw_pairs()

    def _on_camera_changed(self) -> None:
        if self._shows_pairs:
            self._draw_pairs()

    def _on_loaded(self, points: MapPoints) -> None:
        self.points, self.colouring, self._pairs = points, None, None
        self.canvas.show_points(points)
        self._on_selection_changed(self._state.selection)
        self.show_pairs(self._shows_pairs)
        self.loaded.emit()

    def _on_failed(self, error: ResourceError) -> None:
        self._state.error_posted.emit(ErrorInfo("resource", str(error)))

    def _on_hovered(self, sentence_id: int | None) -> None:
        shown = self.card.hit.sentence.id if self.card.hit is not None else None
        project = self._state.project
        if sentence_id is None or project is None or self.points is None:
            self.card.show_hit(None)
        elif sentence_id == shown:
            self.card.show_hit(self.card.hit)
        else:
            for hit in read_hits(project.store, [FoundSentence(sentence_id)]):
                self.card.show_hit(with_language(hit))
        self.point_at(sentence_id)

    def point_at(self, sentence_id: int | None) -> None:
        """Ring a sentence; None: none."""
        place = None
        if sentence_id is not None and self.points is not None:
            place = self.points.place_of(sentence_id)
        if place != self.canvas.overlay.hovered:
            self.canvas.overlay = self.canvas.overlay._replace(hovered=place)
            self.canvas.update()

    def _on_clicked(self, sentence_id: int | None) -> None:
        if sentence_id is not None:
            self._state.select_sentence(sentence_id)

    def _on_selection_changed(self, sentence_id: int | None) -> None:
        if self.points is None:
            return
        place = None if sentence_id is None else self.points.place_of(sentence_id)
        self.canvas.overlay = self.canvas.overlay._replace(selected=place)
        self.canvas.update()
