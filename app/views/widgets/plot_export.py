"""Export plots as PNG, SVG or CSV."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pyqtgraph
from PySide6.QtCore import QObject, QPoint, QRect, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QPushButton, QTableWidget, QWidget

from app.views.client.state import AppState
from app.views.widgets.controls import make_button, offer_in_palette
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    SLIDE,
    ExportDialog,
    ExportFileField,
    OnEnded,
    PictureSettings,
    Table,
    freeze_table,
    table_formats,
)
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import GRID, draw_in_colours, scaled

_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
MAX_CAPTION = 1_000  # pixels of height
PLOT_WIDTH, LEAST_HEIGHT = 720, 120  # of a plot without a size of its own
PICTURE_WIDTH = 640  # of a figure with a width of its own, in pixels of the screen
PNG_SCALE = 2  # pixels of a picture for one of the screen


class PlotExporter(QObject):
    """Saves what a plot shows.

    Attributes:
        name: of the file that is proposed, in words; the title in the picture.
        has_own_width: the picture does not depend on the width of the figure.
        note: a sentence under the title in the picture.
        unmarked: hides what is selected in the figure while it is painted.
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
        """Take a plot.

        Args:
            table: gives the values, the header first.
            whole: gives a copy of a table that scrolls, to be painted whole.
            full_size: gives a copy of a figure at its best size.
        """
        super().__init__(figure)
        self.name, self.note = title, ""
        self._state, self._figure, self._title = state, figure, title
        self._table, self._whole = table, whole
        self._full_size = full_size
        self.has_own_width = False
        self.unmarked: Callable[[], AbstractContextManager[None]] = nullcontext

    def make_menu(self, show_all: Callable[[], object] | None = None) -> QPushButton:
        """Make the button whose menu saves the plot, and shows all of it."""
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
        formats = {".png": self.tr("Picture (PNG)"), ".svg": self.tr("Drawing (SVG)")}
        hint = self.tr("Choose where the plot is written.")
        file = ExportFileField(
            formats | table_formats(),
            suggest_path(self._state, self.name.lower(), ".png"),
            hint,
        )
        title = self.tr("Export plot") if self._whole is None else self.tr("Export")
        table = freeze_table(self._table)
        dialog = ExportDialog(
            title,
            file,
            lambda path, on_ended: self._save(
                path, on_ended, dialog.picture.settings, table
            ),
            self._figure.window(),
            size=self._proposed_size(),
        )
        n = sum(1 for _ in table()) - 1  # without the header
        dialog.preview.show_table(table, max(n, 0))
        dialog.open()
        return dialog

    @property
    def _is_flexible(self) -> bool:
        """Whether the plot can have any size: it has no size of its own."""
        has_size = self.has_own_width or self._full_size or self._whole
        plots = [self._figure, *self._figure.findChildren(pyqtgraph.PlotWidget)]
        return not has_size and isinstance(plots[-1], pyqtgraph.PlotWidget)

    def _proposed_size(self) -> tuple[int, int]:
        """Return the pixels of a slide, or those of a figure with its own size."""
        if self._is_flexible:
            return SLIDE
        with self._resized() as figure:
            size = self._whole_size(figure) * PNG_SCALE
        if self._whole is None and size.width() < SLIDE[0]:
            size *= SLIDE[0] / size.width()
        return size.width(), size.height()

    def _save(
        self, file: Path, on_ended: OnEnded, picture: PictureSettings, table: Table
    ) -> None:
        """Write the plot as a picture or a table, depending on the file's suffix.

        Args:
            file: where to.
            on_ended: called with the reason if it fails, else with an empty text.
            picture: size and background of a picture.
            table: the values, the header first.
        """
        match file.suffix.lower():
            case ".svg":
                is_written = self._save_svg(file, picture)
            case ".png":
                is_written = self._save_png(file, picture)
            case _:
                export_table(self._state, file, table(), on_ended)
                return
        if is_written:
            words = self.tr("Plot saved to {file}.")
            if self._whole is not None:
                words = self.tr("Table saved to {file}.")
            self._state.file_written.emit(file, words.format(file=file))
            on_ended("")
        else:
            words = self.tr("{file} can't be written. Choose another place.")
            on_ended(words.format(file=file))

    @contextmanager
    def _resized(self, picture: PictureSettings | None = None) -> Iterator[QWidget]:
        """Return the widget to paint, while it has the size that it is painted in."""
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
            figure.setFixedSize(width, least)  # else its scroll area resizes it
        try:
            yield figure
        finally:
            size, smallest, largest = before
            figure.setMinimumSize(smallest)
            figure.setMaximumSize(largest)
            figure.resize(size)

    def _save_png(self, file: Path, picture: PictureSettings) -> bool:
        with self._resized(picture) as figure:
            return self._write_png(figure, file, picture)

    def _write_png(self, figure: QWidget, file: Path, picture: PictureSettings) -> bool:
        """Paint the figure as large as it fits, in the middle."""
        size = self._whole_size(figure)
        scale = min(picture.width / size.width(), picture.height / size.height())
        image = QPixmap(picture.width, picture.height)
        image.fill(picture.background)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        room = QSizeF(picture.width, picture.height) / scale - QSizeF(size)
        origin = QPoint(round(room.width() / 2), round(room.height() / 2))
        self._paint(painter, figure, picture, origin)
        painter.end()
        return image.save(str(file), "PNG")

    def _captions(self, figure: QWidget) -> list[tuple[str, QFont, QRect]]:
        """Return the title and the note with their places above a figure."""
        found, top = [], GRID
        for text, is_bold in ((self.name[:1].upper() + self.name[1:], True),
                              (self.note, False)):  # fmt: skip
            font = QFont(figure.font())
            font.setBold(is_bold)
            room = QRect(GRID, top, max(figure.width() - 2 * GRID, 1), MAX_CAPTION)
            place = QFontMetrics(font).boundingRect(room, _WRAPPED, text)
            if text:
                room.setHeight(place.height())
                found.append((text, font, room))
                top += place.height() + GRID // 2
        return found

    def _whole_size(self, figure: QWidget) -> QSize:
        *_, (_, _, last) = self._captions(figure)
        return figure.size() + QSize(2 * GRID, last.bottom() + 2 * GRID)

    def _paint(
        self,
        painter: QPainter,
        figure: QWidget,
        picture: PictureSettings,
        origin: QPoint,
    ) -> None:
        """Paint title, note and figure from a place on."""
        size, tokens = self._whole_size(figure), picture.tokens
        painter.setPen(QColor(tokens.text))
        for text, font, place in self._captions(figure):
            painter.setFont(font)
            painter.drawText(place.translated(origin), _WRAPPED, text)
        scale = painter.device().devicePixelRatioF()
        with (
            draw_in_colours(figure, tokens),
            self.unmarked(),
            _thicken_lines(figure, scale),
            _clear_backgrounds(figure) if picture.is_transparent else nullcontext(),
        ):
            QWidget.render(  # that of a plot has other arguments
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

    def _save_svg(self, file: Path, picture: PictureSettings) -> bool:
        with self._resized(picture) as figure:
            return self._write_svg(figure, file, picture)

    def _write_svg(self, figure: QWidget, file: Path, picture: PictureSettings) -> bool:
        generator = QSvgGenerator()
        generator.setFileName(str(file))
        size = self._whole_size(figure)
        whole = QRect(0, 0, size.width(), size.height())
        generator.setSize(size)
        generator.setViewBox(whole)
        generator.setTitle(self._title)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        if not picture.is_transparent:
            painter.fillRect(whole, picture.background)
        self._paint(painter, figure, picture, QPoint())
        return painter.end()


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
    """Enlarge the lines of plots as the picture: pyqtgraph's are device pixels wide."""
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
    """Return the pen of a line of a plot; None: the item has no lines."""
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
    """Make a table as large as all its cells are, without scroll bars."""
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
