"""Ask where a map is saved, and save it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.errors import ErrorInfo
from app.views.client.state import AppState
from app.views.map.export import point_table, write_png, write_svg
from app.views.map.idle_work import IdleWorker
from app.views.map.page import MapPage
from app.views.widgets.dialogs import ask_path
from app.views.widgets.plot_export import ImageWidthDialog
from app.views.widgets.table_export import export_table

DEFAULT_WIDTH = 2_400  # pixels


class MapExporter(QObject):
    """Saves the map that had the focus last."""

    def __init__(self, state: AppState, page: MapPage, parent: QWidget):
        super().__init__(parent)
        self._state, self._page, self._parent = state, page, parent
        self._worker = IdleWorker(self)

    def ask_png(self) -> None:
        """Ask for the width and the file of an image."""
        ImageWidthDialog(
            DEFAULT_WIDTH,
            lambda width: self._ask(".png", lambda file: self.save_png(file, width)),
            self._parent,
        ).open()

    def ask_svg(self) -> None:
        """Ask for the file of a vector drawing."""
        self._ask(".svg", self.save_svg)

    def ask_csv(self) -> None:
        """Ask for the file of a table."""
        self._ask(".csv", self.save_csv)

    def save_png(self, file: Path, width: int) -> None:
        """Write an image of a width in pixels, in small steps."""
        snapshot = self._page.take_snapshot()
        if snapshot is not None:
            steps: Iterator[bool | None] = write_png(snapshot, file, width)
            self._worker.start(
                steps, partial(self._report, file), self._page.active.post_error
            )

    def save_svg(self, file: Path) -> None:
        """Write a vector drawing."""
        snapshot = self._page.take_snapshot()
        if snapshot is not None:
            self._report(file, write_svg(snapshot, file))

    def save_csv(self, file: Path) -> None:
        """Write the points as a table."""
        project, pane = self._state.project, self._page.active
        if project is None or pane.points is None or pane.colouring is None:
            return
        colouring = pane.colouring
        codes = colouring.codes.tolist() if colouring.names else []
        rows = point_table(project.store, pane.points, colouring.names, codes)
        export_table(self._state, file, rows)

    def _report(self, file: Path, is_written: bool) -> None:
        if is_written:
            text = self.tr("Map saved to {file}.").format(file=file)
            self._state.file_written.emit(file, text)
        else:
            text = self.tr("Can't write {file}. Choose another folder.")
            error = ErrorInfo("resource", text.format(file=file))
            self._state.error_posted.emit(error)

    def _ask(self, suffix: str, save: Callable[[Path], object]) -> None:
        row = self._page.active.row
        name = (row.name if row is not None else "map").strip().lower()
        name = name.replace(" ", "-").replace("/", "-").replace(":", "")[:60]
        ask_path(
            self._parent,
            self.tr("Save map"),
            lambda path: save(path if path.suffix else path.with_suffix(suffix)),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"{name}{suffix}",
            filters=f"*{suffix}",
        )
