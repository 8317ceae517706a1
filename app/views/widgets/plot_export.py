"""Export plots as PNG, SVG or CSV."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyqtgraph
from PySide6.QtCore import QObject, QPoint, QRect, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPicture, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QPushButton, QTableWidget, QWidget

from app.views.client.state import AppState
from app.views.widgets.controls import make_button, offer_in_palette
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    SLIDE,
    ExportDialog,
    ExportedRows,
    ExportFileField,
    OnEnded,
    PictureSettings,
    Table,
    table_formats,
)
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import (
    DARK,
    GRID,
    LIGHT,
    ThemeColours,
    draw_in_colours,
    scaled,
)

_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
MAX_CAPTION = 1_000  # height in pixels
PLOT_WIDTH, LEAST_HEIGHT = 720, 120  # pixels of a plot without a fixed size
PICTURE_WIDTH = 640  # width of a figure with fixed width, in screen pixels
PNG_SCALE = 2  # picture pixels per screen pixel
Draw = Callable[[QPainter, QPoint], object]  # paints from a position


class _ShownPlot(NamedTuple):
    """A plot recorded when its dialog opened, since a finished run may replace it.

    Attributes:
        rows: values of the plot.
        rounded: displayed values for a document; None: same as `rows`.
        captions: title and note.
        size: size of the drawings.
        drawn: drawings without background, by colours and whether they are for SVG.
    """

    rows: list[Sequence[str]]
    rounded: list[Sequence[str]] | None
    captions: tuple[str, str]
    size: QSize
    drawn: Mapping[tuple[ThemeColours, bool], QPicture]


class PlotExporter(QObject):
    """Exports the content of a plot.

    Attributes:
        name: proposed file name in words, and title in the picture.
        has_own_width: whether the picture's width is independent of the figure's.
        note: sentence below the title in the picture.
        unmarked: hides the selection in the figure while it is painted.
        rounded: returns the displayed values for LaTeX; None: same as the table.
    """

    def __init__(
        self,
        state: AppState,
        figure: QWidget,
        title: str,
        table: Table,
        *,
        whole: Callable[[], QTableWidget] | None = None,
        full_size: Callable[[], QWidget] | None = None,
    ):
        """Create the exporter of a plot.

        Args:
            table: returns the values, header first.
            whole: returns a copy of a scrolling table, to paint all its rows.
            full_size: returns a copy of a figure at its best size.
        """
        super().__init__(figure)
        self.name, self.note = title, ""
        self._state, self._figure, self._title = state, figure, title
        self._table, self._whole = table, whole
        self._full_size = full_size
        self.rounded: Table | None = None
        self.has_own_width = False
        self.unmarked: Callable[[], AbstractContextManager[None]] = nullcontext

    def make_menu(self, show_all: Callable[[], object] | None = None) -> QPushButton:
        """Create the button whose menu exports the plot or shows all of it."""
        words, hint = self.tr("Export plot…"), self.tr("Export the plot or its values.")
        if self._whole is not None:
            words = self.tr("Export table…")
            hint = self.tr("Export the table as a picture, or its values.")
        elif show_all is not None:
            words = self.tr("Plot")
            hint = self.tr("Export the plot, or show all of it.")
        button = make_button(words, hint, kind="quiet")
        words = self.tr("Export plot: {title}…")
        if self._whole is not None:
            words = self.tr("Export table: {title}…")
        offer_in_palette(
            button,
            words.format(title=self._title),
            self.ask_export,
            synonyms=self.tr("save picture image figure png svg"),
        )
        if show_all is None:
            button.clicked.connect(self.ask_export)
            return button
        menu = QMenu(button)
        menu.addAction(self.tr("Export plot…"), self.ask_export)
        menu.addAction(self.tr("Show all"), show_all)
        words = self.tr("Show all of the plot: {title}").format(title=self._title)
        offer_in_palette(button, words, show_all)
        button.setMenu(menu)
        return button

    def ask_export(self) -> ExportDialog:
        """Ask for the format, the file, and the size and background of a picture."""
        pictures = {".png": self.tr("Picture (PNG)"), ".svg": self.tr("Drawing (SVG)")}
        formats = pictures | table_formats()
        hint = self.tr("Choose where the plot is written.")
        if self._whole is not None:
            formats = table_formats() | pictures
            hint = self.tr("Choose where the table is written.")
        start = suggest_path(self._state, self.name.lower(), next(iter(formats)))
        file = ExportFileField(formats, start, hint)
        title = self.tr("Export plot") if self._whole is None else self.tr("Export")
        size = self._proposed_size()
        shown = self._record(size)
        dialog = ExportDialog(
            title,
            file,
            lambda path, on_ended: self._save(
                path, on_ended, dialog.picture.settings, shown
            ),
            self._figure.window(),
            size=size,
        )
        dialog.offer_rows([_exported_rows(shown)], 0)
        dialog.open()
        return dialog

    @property
    def _is_flexible(self) -> bool:
        """Whether the plot can have any size."""
        has_size = self.has_own_width or self._full_size or self._whole
        plots = [self._figure, *self._figure.findChildren(pyqtgraph.PlotWidget)]
        return not has_size and isinstance(plots[-1], pyqtgraph.PlotWidget)

    def _proposed_size(self) -> tuple[int, int]:
        """Return the size of a slide, or of a figure with a fixed size, in pixels."""
        if self._is_flexible:
            return SLIDE
        with self._resized() as figure:
            size = self._whole_size(figure) * PNG_SCALE
        if self._whole is None and size.width() < SLIDE[0]:
            size *= SLIDE[0] / size.width()
        return size.width(), size.height()

    def _record(self, size: tuple[int, int]) -> _ShownPlot:
        """Record the current plot for pictures that are written later."""
        picture = PictureSettings(*size, LIGHT, is_transparent=True)
        drawn: dict[tuple[ThemeColours, bool], QPicture] = {}
        with self._resized(picture) as figure:
            whole = self._whole_size(figure)
            for tokens in (LIGHT, DARK):
                for is_svg in (False, True):
                    drawing = drawn[tokens, is_svg] = QPicture()
                    painter = QPainter(drawing)
                    scale = 1.0 if is_svg else size[0] / whole.width()
                    settings = picture._replace(tokens=tokens)
                    self._paint(figure, settings, painter, QPoint(), scale=scale)
                    painter.end()
        rounded = None if self.rounded is None else [*self.rounded()]
        captions = self.name, self.note
        return _ShownPlot([*self._table()], rounded, captions, whole, drawn)

    def _save(
        self,
        file: Path,
        on_ended: OnEnded,
        picture: PictureSettings,
        shown: _ShownPlot,
    ) -> None:
        """Write the plot as a picture or a table, depending on the file's suffix.

        Args:
            file: file to write.
            on_ended: called with the error message, or with an empty text on success.
            picture: size and background of a picture.
            shown: the plot when the dialog was opened.
        """
        suffix = file.suffix.lower()
        if suffix not in (".svg", ".png"):
            rows = _exported_rows(shown).table_for(suffix)
            export_table(self._state, file, rows, on_ended)
            return
        if self._save_picture(file, picture, shown):
            words = self.tr("Plot saved to {file}.")
            if self._whole is not None:
                words = self.tr("Table saved to {file}.")
            self._state.file_written.emit(file, words.format(file=file))
            on_ended("")
        else:
            words = self.tr("{file} can't be written. Choose another place.")
            on_ended(words.format(file=file))

    def _save_picture(
        self, file: Path, picture: PictureSettings, shown: _ShownPlot
    ) -> bool:
        """Write the plot in the selected size, or the recorded plot if it changed."""
        is_svg = file.suffix.lower() == ".svg"
        write = self._write_svg if is_svg else _write_png
        if (self.name, self.note) == shown.captions and [*self._table()] == shown.rows:
            with self._resized(picture) as figure:
                draw = partial(self._paint, figure, picture)
                return write(file, picture, self._whole_size(figure), draw)
        drawn = shown.drawn[picture.tokens, is_svg]
        return write(file, picture, shown.size, partial(_replay, drawn))

    @contextmanager
    def _resized(self, picture: PictureSettings | None = None) -> Iterator[QWidget]:
        """Yield the widget to paint, temporarily resized to the painted size."""
        figure = self._painted()
        before = figure.size(), figure.minimumSize(), figure.maximumSize()
        if self._is_flexible and picture is not None:
            width = scaled(PLOT_WIDTH, figure)
            figure.setFixedWidth(width - 2 * GRID)
            around = self._whole_size(figure).height() - figure.height()
            height = round(width * picture.height / picture.width) - around
            figure.setFixedHeight(max(height, LEAST_HEIGHT))
        elif self.has_own_width:
            width = scaled(PICTURE_WIDTH, figure)
            least = max(figure.heightForWidth(width), figure.minimumHeight())
            figure.setFixedSize(width, least)  # otherwise its scroll area resizes it
        try:
            yield figure
        finally:
            size, smallest, largest = before
            figure.setMinimumSize(smallest)
            figure.setMaximumSize(largest)
            figure.resize(size)

    def _captions(self, figure: QWidget) -> list[tuple[str, QFont, QRect]]:
        """Return the title and the note with their rectangles above a figure."""
        found, top = [], GRID
        for text, is_bold in ((self.name[:1].upper() + self.name[1:], True),
                              (self.note, False)):  # fmt: skip
            font = QFont(figure.font())
            font.setBold(is_bold)
            room = QRect(GRID, top, max(figure.width() - 2 * GRID, 1), MAX_CAPTION)
            rect = QFontMetrics(font).boundingRect(room, _WRAPPED, text)
            if text:
                room.setHeight(rect.height())
                found.append((text, font, room))
                top += rect.height() + GRID // 2
        return found

    def _whole_size(self, figure: QWidget) -> QSize:
        *_, (_, _, last) = self._captions(figure)
        return figure.size() + QSize(2 * GRID, last.bottom() + 2 * GRID)

    def _paint(
        self,
        figure: QWidget,
        picture: PictureSettings,
        painter: QPainter,
        origin: QPoint,
        *,
        scale: float = 0.0,
    ) -> None:
        """Paint title, note and figure from a position.

        Args:
            figure: widget to paint.
            picture: colours of the picture.
            painter: painter of the picture.
            origin: position of the top left corner.
            scale: factor by which lines are enlarged; 0: scale of the picture.
        """
        size, tokens = self._whole_size(figure), picture.tokens
        painter.setPen(QColor(tokens.text))
        for text, font, place in self._captions(figure):
            painter.setFont(font)
            painter.drawText(place.translated(origin), _WRAPPED, text)
        scale = scale or painter.device().devicePixelRatioF()
        with (
            draw_in_colours(figure, tokens),
            self.unmarked(),
            _thicken_lines(figure, scale),
            _clear_backgrounds(figure) if picture.is_transparent else nullcontext(),
        ):
            QWidget.render(  # a plot overrides it with other arguments
                figure,
                painter,
                origin + QPoint(GRID, size.height() - figure.height() - GRID),
                renderFlags=QWidget.RenderFlag.DrawChildren,  # no window background
            )

    def _painted(self) -> QWidget:
        """Return the widget to paint: the figure, or a copy at its full size."""
        if self._full_size is not None:
            return self._full_size()
        if self._whole is None:
            return self._figure
        copy = self._whole()
        expand_table(copy)
        return copy

    def _write_svg(
        self, file: Path, picture: PictureSettings, size: QSize, draw: Draw
    ) -> bool:
        generator = QSvgGenerator()
        generator.setFileName(str(file))
        whole = QRect(QPoint(), size)
        generator.setSize(size)
        generator.setViewBox(whole)
        generator.setTitle(self._title)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        if not picture.is_transparent:
            painter.fillRect(whole, picture.background)
        draw(painter, QPoint())
        return painter.end()


def _exported_rows(shown: _ShownPlot) -> ExportedRows:
    rounded = shown.rounded
    return ExportedRows(
        "",
        lambda: iter(shown.rows),
        max(len(shown.rows) - 1, 0),  # without the header
        None if rounded is None else lambda: iter(rounded),
    )


def _write_png(file: Path, picture: PictureSettings, size: QSize, draw: Draw) -> bool:
    """Write a PNG with a drawing scaled to fit and centred."""
    scale = min(picture.width / size.width(), picture.height / size.height())
    image = QPixmap(picture.width, picture.height)
    image.fill(picture.background)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    room = QSizeF(picture.width, picture.height) / scale - QSizeF(size)
    draw(painter, QPoint(round(room.width() / 2), round(room.height() / 2)))
    painter.end()
    return image.save(str(file), "PNG")


def _replay(drawn: QPicture, painter: QPainter, origin: QPoint) -> None:
    """Draw a recorded figure without Qt's scaling by the resolution."""
    factor = drawn.logicalDpiX() / painter.device().logicalDpiX()
    painter.translate(origin)
    painter.scale(factor, factor)
    painter.drawPicture(0, 0, drawn)


@contextmanager
def _clear_backgrounds(figure: QWidget) -> Iterator[None]:
    """Paint plots without a background."""
    every = [figure, *figure.findChildren(QWidget)]
    plots = [one for one in every if isinstance(one, pyqtgraph.PlotWidget)]
    before = [(plot.backgroundBrush(), plot.cacheMode()) for plot in plots]
    for plot in plots:
        plot.setBackgroundBrush(Qt.BrushStyle.NoBrush)
        plot.setCacheMode(plot.CacheModeFlag.CacheNone)  # a cache is never transparent
        plot.viewport().setAutoFillBackground(False)
    try:
        yield
    finally:
        for plot, (brush, mode) in zip(plots, before, strict=True):
            plot.setBackgroundBrush(brush)
            plot.setCacheMode(mode)
            plot.viewport().setAutoFillBackground(True)


@contextmanager
def _thicken_lines(figure: QWidget, factor: float) -> Iterator[None]:
    """Scale lines with the picture; pyqtgraph sets their width in device pixels."""
    plots = [figure, *figure.findChildren(QWidget)]
    items = [
        (item, pen)
        for plot in plots
        if isinstance(plot, pyqtgraph.PlotWidget)
        for item in plot.scene().items()
        if (pen := _pen_of(item)) is not None
    ]
    for item, pen in items:
        thick = QPen(pen)
        thick.setWidthF(max(pen.widthF(), 1.0) * factor)
        _set_pen(item, thick)
    try:
        yield
    finally:
        for item, pen in items:
            _set_pen(item, pen)


def _pen_of(item: Any) -> QPen | None:
    """Return the pen of an item's lines; None for an item without lines."""
    match item:
        case pyqtgraph.InfiniteLine():
            pen = item.pen
        case pyqtgraph.PlotDataItem() | pyqtgraph.ErrorBarItem():
            pen = item.opts["pen"]
        case _:
            return None
    return QPen(pyqtgraph.mkPen(pen))


def _set_pen(item: Any, pen: QPen) -> None:
    if isinstance(item, pyqtgraph.ErrorBarItem):
        item.setOpts(pen=pen)
    else:
        item.setPen(pen)


def expand_table(table: QTableWidget) -> None:
    """Make a table large enough for all its cells, without scroll bars."""
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.ensurePolished()
    across, down = table.horizontalHeader(), table.verticalHeader()
    widths = [
        max(across.sectionSizeHint(c), table.sizeHintForColumn(c), table.columnWidth(c))
        for c in range(table.columnCount())
    ]
    across.setSectionResizeMode(across.ResizeMode.Interactive)
    for column, width in enumerate(widths):
        table.setColumnWidth(column, width)
    heights = sum(table.rowHeight(row) for row in range(table.rowCount()))
    side = 0 if down.isHidden() else down.sizeHint().width()
    frame = 2 * table.frameWidth()
    table.resize(
        side + sum(widths) + frame, across.sizeHint().height() + heights + frame
    )
