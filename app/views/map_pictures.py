"""Maps as files: the questions where to and how large, and how it went."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.errors import ErrorInfo
from app.views.map_file import (
    MapShot,
    table_of_points,
    write_png,
    write_svg,
)
from app.views.pauses import Pauses
from app.views.widgets.dialogs import ask_path
from app.views.widgets.tsv import export_table
from app.views.widgets.width_dialog import WidthDialog

if TYPE_CHECKING:
    from app.views.map_view import MapView

WIDTH = 2_400  # pixels that are proposed


class MapPictures(QObject):
    """Saves the map that the keyboard was on last."""

    def __init__(self, view: "MapView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._pauses = Pauses(self)

    def ask_png(self) -> None:
        """Ask how wide, then where to."""
        WidthDialog(
            WIDTH,
            lambda width: self._ask(".png", lambda file: self.save_png(file, width)),
            self._view,
        ).open()

    def ask_svg(self) -> None:
        """Ask where to."""
        self._ask(".svg", self.save_svg)

    def ask_csv(self) -> None:
        """Ask where to."""
        self._ask(".csv", self.save_csv)

    def save_png(self, file: Path, width: int) -> None:
        """Write a picture of a width in pixels, bit by bit."""
        shot = self._shot()
        if shot is not None:
            steps: Iterator[bool | None] = write_png(shot, file, width)
            self._pauses.begin(
                steps,
                lambda is_written: self._tell(file, is_written=bool(is_written)),
                lambda error: self._state.error_posted.emit(
                    ErrorInfo("resource", str(error))
                ),
            )

    def save_svg(self, file: Path) -> None:
        """Write a drawing."""
        shot = self._shot()
        if shot is not None:
            self._tell(file, is_written=write_svg(shot, file))

    def save_csv(self, file: Path) -> None:
        """Write the points as a table."""
        project, pane = self._state.project, self._view.page.active
        if project is None or pane.points is None or pane.colouring is None:
            return
        one = pane.colouring
        codes = one.codes.tolist() if one.names else []
        lines = table_of_points(project.store, pane.points, one.names, codes)
        export_table(self._state, file, lines)

    def _shot(self) -> MapShot | None:
        return self._view.page.active.shot(self._view.column.legend.rows)

    def _tell(self, file: Path, *, is_written: bool) -> None:
        if is_written:
            words = self.tr("The map was written to {file}.")
            self._state.notice_posted.emit(words.format(file=file))
        else:
            words = self.tr("{file} can't be written: choose another place.")
            error = ErrorInfo("resource", words.format(file=file))
            self._state.error_posted.emit(error)

    def _ask(self, suffix: str, save: Callable[[Path], object]) -> None:
        row = self._view.row
        name = (row.name if row is not None else "map").strip().lower()
        name = name.replace(" ", "-").replace("/", "-").replace(":", "")[:60]
        ask_path(
            self._view,
            self.tr("Save the map"),
            lambda path: save(path if path.suffix else path.with_suffix(suffix)),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"{name}{suffix}",
            filters=f"*{suffix}",
        )
