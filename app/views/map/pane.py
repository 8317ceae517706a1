"""Pane with one map: canvas, caption, and a card with the hovered sentence."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.arrays import IdArray
from app.engine.store.journal import TextChanges
from app.engine.store.labels import read_label
from app.engine.store.projections import ProjectionRow
from app.errors import ErrorInfo, ResourceError
from app.protocol.answers.search import FoundSentence
from app.views.client.state import AppState
from app.views.map.analysis import MapSimilarity
from app.views.map.colouring import (
    DENSITY,
    PREDICTION,
    ColourColumn,
    Colouring,
    read_colouring,
)
from app.views.map.dialog import describe_corpora, describe_quality
from app.views.map.drawing.canvas import REDRAW_DELAY_MS, MapCanvas
from app.views.map.drawing.contours import Contours, find_contours
from app.views.map.drawing.grid import Mask
from app.views.map.drawing.overlay import MapLabel
from app.views.map.drawing.palettes import (
    MapColours,
    density_palette,
    inactive_colour,
    to_rows,
)
from app.views.map.drawing.points import (
    MapPoints,
    choose_lines,
    load_pairs,
    load_points,
)
from app.views.map.export import MapSnapshot
from app.views.map.idle_work import IdleWorker
from app.views.map.legend import (
    LegendRow,
    colouring_palette,
    highlighted_points,
    legend_rows,
)
from app.views.widgets.boxes import make_column
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.export_dialog import PictureSettings
from app.views.widgets.hit_card import (
    MAX_LINES,
    CardStyle,
    measure_card,
    paint_card,
)
from app.views.widgets.hits import Hit, read_hits, with_language
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID, ThemeColours, colours_of, scaled

CARD_WIDTH = 300
LOW_MAP = 30 * GRID  # pixels; a lower map hides the quality and shortens the caption
WIDE_MAP = 100 * GRID  # pixels; at this width or more, all texts are on one line
TEXT_GAP = 4  # pixels between the map and its texts


class MapCard(QWidget):
    """A card that follows the pointer; transparent for the mouse.

    Attributes:
        hit: the shown sentence; None if the card is hidden.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.hit: Hit | None = None
        self._max_lines, self._at = MAX_LINES, QPoint()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_hit(self, hit: Hit | None) -> None:
        """Show a sentence next to the pointer; None hides the card."""
        self.show_hit_at(hit, self.mapToParent(self.mapFromGlobal(QCursor.pos())))

    def show_hit_at(self, hit: Hit | None, at: QPoint) -> None:
        """Show a sentence next to a point, in fewer lines if the pane is small."""
        self.hit, self._at = hit, at
        self.setVisible(hit is not None)
        if hit is None:
            return
        canvas = self.parentWidget()
        assert canvas is not None, "the constructor requires a parent"
        room = canvas.rect()
        width = min(scaled(CARD_WIDTH, self), room.width() - 2 * GRID)
        for self._max_lines in range(MAX_LINES, 0, -1):
            height = measure_card(
                hit, width - 2, self.font(), colours_of(self), self._max_lines
            )
            rect = _card_rect(at, width, round(height) + 2, room)
            if not rect.contains(at) and 2 * rect.height() <= room.height():
                break
        self.setGeometry(rect)
        self.update()

    def fit_room(self) -> None:
        """Reposition the card after the map shrinks."""
        self.show_hit_at(self.hit, self._at)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card."""
        if self.hit is None:
            return
        painter = QPainter(self)
        look = CardStyle(self.font(), colours_of(self), max_lines=self._max_lines)
        paint_card(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), self.hit, look)
        painter.end()


def _card_rect(at: QPoint, width: int, height: int, room: QRect) -> QRect:
    """Return a rectangle to the lower right of a point, or on a side with room."""
    left, top = at.x() + 2 * GRID, at.y() + 2 * GRID
    if left + width > room.right():
        left = at.x() - 2 * GRID - width
    if top + height > room.bottom():
        top = at.y() - 2 * GRID - height
    left = max(min(left, room.right() - width), room.left())
    top = max(min(top, room.bottom() - height), room.top())
    return QRect(left, top, width, height)


class MapPane(QWidget):
    """Shows one map.

    Attributes:
        points: the points of the map; None until it is loaded.
        colouring: the values that determine the colours.
        canvas: draws the map.
        caption: the name of the map, and the number of points in colour.
        quality: describes how well the map preserves neighbours.
        card: shows the sentence under the mouse.
    """

    loaded = Signal()
    coloured = Signal()  # the column or its values changed

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.points: MapPoints | None = None
        self.colouring: Colouring | None = None
        self._rows: list[LegendRow] = []
        self._chosen: Collection[str] = ()  # titles in the legend
        self._selected: IdArray | None = None
        self._mask: Mask | None = None  # of the points in colour; None: all
        self.canvas = MapCanvas(self.tr("Map"))
        self.card = MapCard(self.canvas)
        self.caption, self.quality, self.edits = (
            ElidedLabel("secondary") for _ in range(3)
        )
        self.edits.hide()
        self._captions = "", ""  # long and short
        self._loading, self._colouring = IdleWorker(self), IdleWorker(self)
        self._linking = IdleWorker(self)
        self._similarity = MapSimilarity(state, f"map {id(self)}", self)
        self._similarity.ready.connect(self._on_similarity_ready)
        self._expects_similarity = False
        self._pairs: IdArray | None = None  # None: not read yet
        self._shows_pairs, self.n_pairs = False, 0
        self._contouring, self._shows_contours = IdleWorker(self), True
        self._contour_timer = QTimer(self, singleShot=True, interval=REDRAW_DELAY_MS)
        self._contour_timer.timeout.connect(self._find_contours)
        self._texts = make_column(self.caption, self.quality, self.edits, gap=0)
        make_column((self.canvas, 1), self._texts, parent=self, gap=TEXT_GAP)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.clicked.connect(self._on_clicked)
        self.canvas.camera_changed.connect(self._on_camera_changed)
        self.canvas.camera_changed.connect(self.card.fit_room)
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
        """Load and show a map; None shows nothing."""
        project = self._state.project
        if row is None or project is None:
            for worker in (self._loading, self._colouring, self._contouring):
                worker.stop()
            self.points = self.colouring = self._pairs = self._mask = None
            self.canvas.show_points(None)
            self.edits.hide()
            return
        if self.points is not None and self.points.row.array == row.array:
            self._loading.stop()  # cancel loading of another map
            self.points = replace(self.points, row=row)
            self._update_caption()
            self.count_edits()
            return
        steps = load_points(project.folder, row)
        self._loading.start(steps, self._on_loaded, self.post_error)

    def colour_by(
        self, column: ColourColumn, classifiers: Sequence[TrainedClassifier]
    ) -> None:
        """Colour the points by a column as soon as it is read."""
        project = self._state.project
        if project is None or self.points is None:
            return
        self._expects_similarity = False
        steps = read_colouring(project, self.points, column, classifiers)
        self._colouring.start(steps, self.show_colouring, self.post_error)

    def colour_by_similarity(self, sentence_id: int) -> None:
        """Colour the points by their cosine with a sentence."""
        if self.points is not None:
            self._colouring.stop()
            self._expects_similarity = True
            self._similarity.request(self.points, sentence_id)

    def show_colouring(self, colouring: Colouring) -> None:
        """Colour the points, and cancel reading of another column."""
        self._colouring.stop()
        self._expects_similarity = False
        self.colouring = colouring
        self.coloured.emit()

    def show_legend_colours(self, rows: Sequence[LegendRow]) -> None:
        """Draw the points in the colours of a legend."""
        self._rows = list(rows)
        if self.colouring is None:
            return
        colours = _make_colours(self.colouring, rows, colours_of(self))
        self.canvas.image.show_colours(self.colouring.codes, colours)
        self._highlight()

    def highlight(self, chosen: Collection[str], selected: IdArray | None) -> None:
        """Grey out points that are not chosen or not selected.

        Args:
            chosen: titles of the legend; empty means all.
            selected: ids of sentences, ascending; None: all.
        """
        self._chosen, self._selected = chosen, selected
        self._highlight()

    def ids_in_colour(self, selected: IdArray | None) -> IdArray | None:
        """Return the sentences that are not grey; None: all sentences.

        Args:
            selected: ids, ascending; limits the result, and may include ids that are
                not on this map.
        """
        points, mask = self.points, self._mask
        if points is None or mask is None:
            return None
        if selected is None:
            in_colour: IdArray = points.ids[mask]
            return in_colour
        at = np.minimum(np.searchsorted(points.ids, selected), len(points.ids) - 1)
        is_grey = (points.ids[at] == selected) & ~mask[at]
        rest: IdArray = selected[~is_grey]
        return rest

    def read_pairs_again(self) -> None:
        """Reload the translation pairs after links change."""
        if self._shows_pairs:
            self._read_pairs()
        else:
            self._pairs = None

    def show_pairs(self, is_shown: bool) -> None:
        """Draw or remove the lines between translations."""
        self._shows_pairs = is_shown
        if is_shown and self._pairs is None:
            self._read_pairs()
        self._draw_pairs()

    def _read_pairs(self) -> None:
        project = self._state.project
        if self.points and project is not None:
            steps = load_pairs(project.store, self.points)
            self._linking.start(steps, self._on_pairs_read, self.post_error)

    @property
    def mask_in_colour(self) -> Mask | None:
        """The points in colour, in the order of the map's ids; None: all."""
        return self._mask

    def take_snapshot(
        self,
        picture: PictureSettings,
        rows: Sequence[LegendRow],
        chosen: Collection[str],
        filters: Sequence[str],
    ) -> MapSnapshot | None:
        """Return a copy of the pane's content for an export.

        Args:
            chosen: titles of the entries in colour; empty means all.
            filters: description of the filters for the note.
        """
        if self.points is None:
            return None
        canvas = self.canvas
        points, colours = canvas.image.drawn
        if self.colouring is not None:
            tokens = picture.tokens
            drawn = legend_rows(self.colouring, chosen, tokens)
            by_title = {row.title: row.colour for row in drawn}
            rows = [
                row._replace(colour=by_title.get(row.title, row.colour)) for row in rows
            ]
            colours = _make_colours(self.colouring, rows, tokens)
        shown = [row for row in rows if row.n and (not chosen or row.title in chosen)]
        return MapSnapshot(
            points,
            colours,
            canvas.visible_box or self.points.grid.nearly_all,
            canvas.overlay._replace(hovered=None, selected=None),
            tuple(shown),
            picture,
            self.points.row.name,
            self._describe_for_file(self.points.row, filters),
        )

    def _describe_for_file(
        self, row: ProjectionRow, filters: Sequence[str]
    ) -> tuple[str, str]:
        """Return a note of two lines: map and quality, then corpora and filters."""
        project, parts = self._state.project, list[str]()
        if project is not None:
            parts.append(describe_corpora(project, row))
        if self.colouring is not None and self.colouring.key != DENSITY:
            colours = self.tr("Colours: {column}")
            parts.append(colours.format(column=self.colouring.short_title))
        if filters:
            words = self.tr("Filters: {filters}")
            parts.append(words.format(filters=SEPARATOR.join(filters)))
        return self.canvas.description, SEPARATOR.join(filter(None, parts))

    def show_contours(self, is_shown: bool) -> None:
        """Draw or remove the contours of the points in colour."""
        self._shows_contours = is_shown
        self._find_contours()

    def _find_contours(self) -> None:
        canvas = self.canvas
        is_drawn = self._shows_contours and canvas.image.is_coloured
        if self.points is None or not is_drawn:
            self._contouring.stop()
            self._draw_contours(())
            return
        part = None if canvas.visible_box is None else canvas.frame.box
        steps = find_contours(self.points.grid, canvas.image.drawn[0].mask, part)
        self._contouring.start(steps, self._draw_contours, self.post_error)

    def _draw_contours(self, contours: Contours) -> None:
        self.canvas.overlay = self.canvas.overlay._replace(contours=contours)
        self.canvas.update()

    def show_labels(self, labels: tuple[MapLabel, ...]) -> None:
        """Show labels on the map."""
        self.canvas.overlay = self.canvas.overlay._replace(labels=labels)
        self.canvas.update()

    def _highlight(self) -> None:
        if self.colouring is None or self.points is None:
            return
        mask = highlighted_points(self.colouring, self._rows, self._chosen)
        if self._selected is not None:
            selected = self.points.mask_of(self._selected)
            mask = selected if mask is None else mask & selected
        self._mask = mask
        self.canvas.highlight(mask)
        self._find_contours()
        self._draw_pairs()

    def _update_caption(self) -> None:
        """Describe the map in the caption and for screen readers."""
        if self.points is None:
            return
        row = self.points.row
        words = self.tr("{name} · {encoder} · {n} sentences")
        n = format_count(len(self.points))
        more = []
        if self._mask is not None:
            n_lit = format_count(int(np.count_nonzero(self._mask)))
            more.append(self.tr("{n} in colour").format(n=n_lit))
        if self._shows_pairs and self._pairs is not None:
            more.append(self._describe_pairs())
        whole = words.format(name=row.name, encoder=row.encoder, n=n)
        text = SEPARATOR.join([whole, *more])
        self._captions = text, SEPARATOR.join([row.name, *more])
        quality = describe_quality(row)
        self.quality.hint = quality.hint
        self.quality.setText(quality.text)
        self._fit_texts()
        parts = (text, quality.text)
        self.canvas.set_description(SEPARATOR.join(part for part in parts if part))

    def count_edits(self) -> None:
        """Show the number of sentences edited since the map was made."""
        project, points = self._state.project, self.points
        if project is None or points is None:
            return
        since = points.row.created_at
        ids = TextChanges(project.store, since).list_changed(since)
        n = int(np.count_nonzero(points.mask_of(np.array(ids, np.int64))))
        one = self.tr("1 sentence changed after this map was made. Make it again.")
        many = self.tr("{n} sentences changed after this map was made. Make it again.")
        self.edits.setText(pluralize(n, one, many) if n else "")
        self._fit_texts()

    def _fit_texts(self) -> None:
        """Show one or two lines below the map, depending on its size only.

        A low map shows a short caption or the number of edited sentences.
        """
        line = self.caption.sizeHint().height()
        is_wide = self.width() >= scaled(WIDE_MAP, self)
        n_lines = 1 if is_wide else 2
        is_low = LOW_MAP + n_lines * line + TEXT_GAP > self.height()
        directions = QBoxLayout.Direction
        way = directions.LeftToRight if is_wide else directions.TopToBottom
        self._texts.setDirection(way)
        self._texts.setSpacing(2 * GRID if is_wide else 0)
        self.setMinimumHeight(self.canvas.minimumHeight() + line + TEXT_GAP)
        whole, short = self._captions
        self.caption.hint = whole if is_low else ""
        self.caption.setText(short if is_low else whole)
        has_edits = bool(self.edits.text())
        self.caption.setVisible(not (is_low and has_edits))
        self.quality.setVisible(not is_low and not has_edits)
        self.edits.setVisible(has_edits)
        layout = self.layout()
        assert layout is not None, "the constructor makes it"
        layout.activate()  # update the canvas height before painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the texts that fit."""
        super().resizeEvent(event)
        self._fit_texts()

    def _describe_pairs(self) -> str:
        n = len(self.canvas.overlay.lines)
        if n < self.n_pairs:
            text = self.tr("{drawn} of {n} visible translation pairs shown")
            return text.format(n=format_count(self.n_pairs), drawn=format_count(n))
        one = self.tr("1 visible translation pair")
        return pluralize(n, one, self.tr("{n} visible translation pairs"))

    def _draw_pairs(self) -> None:
        """Choose the lines to draw in the visible part."""
        lines = np.empty((0, 2), np.int64)
        self.n_pairs = 0
        if self._shows_pairs and self._pairs is not None and self.points is not None:
            grid = self.points.grid
            mask = None
            if self._selected is not None:
                mask = self.points.mask_of(self._selected)[grid.order]
            frame = self.canvas.frame
            lines, self.n_pairs = choose_lines(self._pairs, grid, frame, mask)
        had_lines = len(self.canvas.overlay.lines) > 0
        self.canvas.overlay = self.canvas.overlay._replace(lines=lines)
        if had_lines or len(lines):
            self.canvas.image.invalidate()
        self._update_caption()

    def post_error(self, error: ResourceError) -> None:
        """Report a resource error to the window."""
        self._state.error_posted.emit(ErrorInfo("resource", str(error)))

    # --- slots ---

    def _on_similarity_ready(self, colouring: Colouring) -> None:
        if self._expects_similarity:
            self.show_colouring(colouring)

    def _on_pairs_read(self, pairs: IdArray) -> None:
        self._pairs = pairs
        self._draw_pairs()

    def _on_camera_changed(self) -> None:
        self._contour_timer.start()
        if self._shows_pairs:
            self._draw_pairs()

    def _on_loaded(self, points: MapPoints) -> None:
        self.points, self.colouring, self._pairs = points, None, None
        self._mask = None
        self.canvas.show_points(points)
        self._on_selection_changed(self._state.selection)
        self.show_pairs(self._shows_pairs)
        self.count_edits()
        self.loaded.emit()

    def _on_hovered(self, sentence_id: int | None) -> None:
        shown = self.card.hit.sentence.id if self.card.hit is not None else None
        project = self._state.project
        if sentence_id is None or project is None or self.points is None:
            self.card.show_hit(None)
        elif sentence_id == shown:
            self.card.show_hit(self.card.hit)
        else:
            for hit in read_hits(project.store, [FoundSentence(sentence_id)]):
                named = with_language(hit)
                label = read_label(project.store, sentence_id) or ""
                names = (label, self._describe_prediction(sentence_id), named.corpus)
                named = named._replace(corpus=SEPARATOR.join(filter(None, names)))
                self.card.show_hit(named)
        self.show_hovered(sentence_id)

    def _describe_prediction(self, sentence_id: int) -> str:
        """Describe a sentence's prediction if the points are coloured by one."""
        points, colouring = self.points, self.colouring
        if points is None or colouring is None:
            return ""
        if not colouring.key.startswith(f"{PREDICTION}:"):
            return ""
        index = int(np.searchsorted(points.ids, sentence_id))
        if colouring.has_none and colouring.codes[index] == len(colouring.names) - 1:
            return ""
        words = self.tr("predicted: {name}")
        return words.format(name=colouring.describe_value(index))

    def show_hovered(self, sentence_id: int | None) -> None:
        """Draw a ring around a sentence; None removes it."""
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


def _make_colours(
    colouring: Colouring, rows: Sequence[LegendRow], colours: ThemeColours
) -> MapColours:
    """Return the colours of points from legend entries."""
    density = density_palette(colours) if colouring.key == DENSITY else None
    palette = colouring_palette(colouring, rows, colours)
    if density is not None:
        palette[0] = to_rows([colours.accent])[0]
    return MapColours(
        to_rows([colours.surface])[0],
        to_rows([inactive_colour(colours)])[0],
        palette,
        density,
    )
