"""Export plots as PNG, SVG or CSV."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSpinBox,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import ask_path
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import GRID, tokens_of

NARROWEST, WIDEST = 200, 12_000  # pixels
STEP = 100


class ImageWidthDialog(QDialog):
    """A number of pixels; nothing is called when it is given up.

    Attributes:
        width_box: the number.
    """

    def __init__(self, width: int, save: Callable[[int], object], parent: QWidget):
        """Make it.

        Args:
            width: what is proposed.
            save: called with the width.
            parent: the view.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._save = save
        self.setWindowTitle(self.tr("Save as PNG"))
        self.width_box = QSpinBox()
        self.width_box.setRange(NARROWEST, WIDEST)
        self.width_box.setSingleStep(STEP)
        self.width_box.setValue(width)
        self.width_box.setSuffix(self.tr(" pixels"))
        hint = self.tr("A page of print is about 2,400 pixels wide at 300 per inch.")
        describe(self.width_box, self.tr("Width"), hint)
        choose = make_button(
            self.tr("Choose a file…"),
            self.tr("Choose where the picture goes."),
            self._finish,
            kind="primary",
        )
        choose.setDefault(True)
        cancel = make_button(self.tr("Cancel"), self.tr("Go back."), self.reject)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(
            make_label(self.tr("How wide shall the picture be?"), "heading")
        )
        layout.addWidget(self.width_box)
        layout.addWidget(make_label(hint, "secondary", wraps=True))
        layout.addLayout(row)

    def _finish(self) -> None:
        self.accept()
        self._save(self.width_box.value())


PNG_SCALE = 2  # pixels of a picture for one of the screen
Table = Callable[[], Iterator[Sequence[str]]]


class PlotExporter(QObject):
    """Saves what a plot shows.

    Attributes:
        name: of the file that is proposed, in words.
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
            state: of the window.
            figure: what is painted.
            title: of the picture.
            table: gives the values, the header first.
            whole: gives a copy of a table that scrolls, to be painted whole.
            full_size: gives a copy of a figure at its best size.
        """
        super().__init__(figure)
        self.name = title
        self._state, self._figure, self._title = state, figure, title
        self._table, self._whole = table, whole
        self._full_size = full_size

    def make_menu(self, show_all: Callable[[], object] | None = None) -> QPushButton:
        """Make the button whose menu saves the plot, and shows all of it."""
        words, hint = self.tr("Plot"), self.tr("Save the plot, or show all of it.")
        if self._whole is not None:
            words = self.tr("Save")
            hint = self.tr("Save the table as a picture, or its values.")
        button = make_button(words, hint, kind="quiet")
        menu = QMenu(button)
        for words, suffix in (
            (self.tr("Save as PNG…"), ".png"),
            (self.tr("Save as SVG…"), ".svg"),
            (self.tr("Save the values as CSV…"), ".csv"),
        ):
            action = QAction(words, menu)
            ask = self.ask_width if suffix == ".png" else partial(self._ask, suffix)
            action.triggered.connect(lambda _=False, f=ask: f())
            menu.addAction(action)
        if show_all is not None:
            menu.addSeparator()
            menu.addAction(self.tr("Show all"), show_all)
        button.setMenu(menu)
        return button

    def ask_width(self) -> None:
        """Ask how wide a PNG shall be, then where it goes."""
        figure = self._painted()
        ImageWidthDialog(
            PNG_SCALE * figure.width(),
            lambda width: self._ask(".png", width),
            self._figure.window(),
        ).open()

    def save(self, file: Path, width: int = 0) -> None:
        """Write the plot as a picture or a table, as the file's ending says.

        Args:
            file: where to.
            width: of a PNG in pixels; 0: two for each of the screen.
        """
        match file.suffix.lower():
            case ".csv":
                export_table(self._state, file, self._table())
                return
            case ".svg":
                is_written = self._save_svg(file)
            case _:
                is_written = self._save_png(file, width)
        if is_written:
            words = self.tr("The picture was written to {file}.")
            self._state.file_written.emit(file, words.format(file=file))
        else:
            words = self.tr("{file} can't be written: choose another place.")
            self._state.error_posted.emit(
                ErrorInfo("resource", words.format(file=file))
            )

    def _ask(self, suffix: str, width: int = 0) -> None:
        name = self.name.strip().lower().replace(" ", "-").replace("/", "-")
        ask_path(
            self._figure.window(),
            self.tr("Save the plot"),
            lambda path: self.save(
                path if path.suffix else path.with_suffix(suffix), width
            ),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"{name}{suffix}",
            filters=f"*{suffix}",
        )

    def _save_png(self, file: Path, width: int) -> bool:
        figure = self._painted()
        scale = width / figure.width() if width else PNG_SCALE
        picture = QPixmap(round(figure.width() * scale), round(figure.height() * scale))
        picture.setDevicePixelRatio(scale)
        picture.fill(tokens_of(figure).surface)
        figure.render(picture)
        return picture.save(str(file), "PNG")

    def _painted(self) -> QWidget:
        """Return the widget to paint: the figure, or a copy at its full size."""
        if self._full_size is not None:
            return self._full_size()
        if self._whole is None:
            return self._figure
        copy = self._whole()
        expand_table(copy)
        return copy

    def _save_svg(self, file: Path) -> bool:
        figure = self._painted()
        generator = QSvgGenerator()
        generator.setFileName(str(file))
        size: QSize = figure.size()
        whole = QRect(0, 0, size.width(), size.height())
        generator.setSize(size)
        generator.setViewBox(whole)
        generator.setTitle(self._title)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        painter.fillRect(whole, tokens_of(figure).surface)
        figure.render(painter, QPoint())
        return painter.end()


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
