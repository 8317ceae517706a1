"""Ask where a map is saved, and save it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import corpus_of
from app.views.client.state import AppState
from app.views.map.dialog import subcorpus_names
from app.views.map.export import POINT_COLUMNS, point_table, write_png, write_svg
from app.views.map.idle_work import IdleWorker
from app.views.map.page import MapPage
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    SLIDE,
    ExportDialog,
    ExportFileField,
    OnEnded,
    PictureSettings,
    table_formats,
)
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.table_export import export_table


class MapExporter(QObject):
    """Saves the map that had the focus last."""

    def __init__(self, state: AppState, page: MapPage, parent: QWidget):
        super().__init__(parent)
        self._state, self._page, self._parent = state, page, parent
        self._worker = IdleWorker(self)

    def ask_export(self) -> ExportDialog | None:
        """Ask for the format, the file, and the size and background of a picture."""
        pane = self._page.active
        points = pane.points
        if points is None:
            return None
        name = pane.row.name[:60] if pane.row is not None else self.tr("map")
        formats = {".png": self.tr("Picture (PNG)"), ".svg": self.tr("Drawing (SVG)")}
        file = ExportFileField(
            formats | table_formats(),
            suggest_path(self._state, name.lower(), ".png"),
            self.tr("Choose where the map is written."),
        )
        dialog = ExportDialog(
            self.tr("Export map"),
            file,
            lambda path, on_ended: self._save(path, dialog.picture.settings, on_ended),
            self._parent,
            size=SLIDE,
        )
        dialog.preview.show_table(self._rows, len(points))
        dialog.open()
        return dialog

    def _save(self, file: Path, picture: PictureSettings, on_ended: OnEnded) -> None:
        """Write what the map shows; an image in small steps."""
        snapshot = self._page.take_snapshot(picture)
        match file.suffix.lower():
            case ".png" if snapshot is not None:
                steps: Iterator[bool | None] = write_png(snapshot, file)
                report = partial(self._report, file, on_ended)
                self._worker.start(steps, report, lambda error: on_ended(str(error)))
            case ".svg" if snapshot is not None:
                self._report(file, on_ended, write_svg(snapshot, file))
            case _:
                export_table(self._state, file, self._rows(), on_ended)

    def _rows(self) -> Iterator[Sequence[str]]:
        project, pane = self._state.project, self._page.active
        if project is None or pane.points is None or pane.colouring is None:
            return iter([POINT_COLUMNS])
        more: dict[str, Callable[[int], str]] = {}
        parts = subcorpus_names(project, pane.points.row)
        if parts:
            corpora = corpus_of(pane.points.ids)
            more["sub_corpus"] = lambda place: parts.get(int(corpora[place]), "")
        mask = pane.mask_in_colour
        filters = SEPARATOR.join(self._page.describe_colours())
        if mask is not None:
            more["in_colour"] = lambda place: "yes" if mask[place] else "no"
        if filters:
            more["filters"] = lambda _: filters
        return point_table(
            project.store, pane.points, pane.colouring.describe_value, more
        )

    def _report(self, file: Path, on_ended: OnEnded, is_written: bool) -> None:
        if is_written:
            text = self.tr("Map saved to {file}.").format(file=file)
            self._state.file_written.emit(file, text)
            on_ended("")
        else:
            text = self.tr("Can't write {file}. Choose another folder.")
            on_ended(text.format(file=file))
