"""Export a map to a file that the user chooses."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import corpus_of
from app.views.client.state import AppState
from app.views.map.dialog import subcorpus_names
from app.views.map.export import (
    POINT_COLUMNS,
    MapSnapshot,
    point_table,
    write_png,
    write_svg,
)
from app.views.map.idle_work import IdleWorker
from app.views.map.page import MapPage
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    SLIDE,
    ExportDialog,
    ExportFileField,
    OnEnded,
    PictureSettings,
    Table,
    table_formats,
)
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import DARK, LIGHT


class MapExporter(QObject):
    """Exports the map that last had the focus."""

    def __init__(self, state: AppState, page: MapPage, parent: QWidget):
        super().__init__(parent)
        self._state, self._page, self._parent = state, page, parent
        self._worker = IdleWorker(self)

    def ask_export(self) -> ExportDialog | None:
        """Ask for the format, the file, and the size and background of a picture.

        The file contains the map as it is now, even if the map changes meanwhile.
        """
        pane = self._page.active
        points = pane.points
        if points is None or pane.colouring is None:  # still being read
            return None
        name = pane.row.name[:60] if pane.row is not None else self.tr("map")
        formats = {".png": self.tr("Picture (PNG)"), ".svg": self.tr("Drawing (SVG)")}
        file = ExportFileField(
            formats | table_formats(),
            suggest_path(self._state, name.lower(), ".png"),
            self.tr("Choose where the map is written."),
        )
        snapshots = {
            tokens: self._page.take_snapshot(PictureSettings(*SLIDE, tokens))
            for tokens in (LIGHT, DARK)
        }
        table = self._make_table()

        def _write(path: Path, on_ended: OnEnded) -> None:
            picture = dialog.picture.settings
            snapshot = snapshots[picture.tokens]
            if path.suffix.lower() in (".png", ".svg") and snapshot is not None:
                self._draw(path, snapshot._replace(picture=picture), on_ended)
            else:
                export_table(self._state, path, table(), on_ended)

        dialog = ExportDialog(
            self.tr("Export map"), file, _write, self._parent, size=SLIDE
        )
        dialog.preview.show_table(table, len(points))
        dialog.open()
        return dialog

    def _draw(self, file: Path, snapshot: MapSnapshot, on_ended: OnEnded) -> None:
        """Write a picture, images in small steps."""
        report = partial(self._report, file, on_ended)
        if file.suffix.lower() == ".svg":
            report(write_svg(snapshot, file))
            return
        steps: Iterator[bool | None] = write_png(snapshot, file)
        self._worker.start(steps, report, lambda error: on_ended(str(error)))

    def _make_table(self) -> Table:
        """Return the points with their current classes; texts are read on writing."""
        project, pane = self._state.project, self._page.active
        if project is None or pane.points is None or pane.colouring is None:
            return lambda: iter([POINT_COLUMNS])
        more: dict[str, Callable[[int], str]] = {}
        parts = subcorpus_names(project, pane.points.row)
        if parts:
            corpora = corpus_of(pane.points.ids)
            more["sub_corpus"] = lambda index: parts.get(int(corpora[index]), "")
        mask = pane.mask_in_colour
        filters = SEPARATOR.join(self._page.describe_colours())
        if mask is not None:
            more["in_colour"] = lambda index: "yes" if mask[index] else "no"
        if filters:
            more["filters"] = lambda _: filters
        values = pane.colouring.describe_value
        return partial(point_table, project.store, pane.points, values, more)

    def _report(self, file: Path, on_ended: OnEnded, is_written: bool) -> None:
        if is_written:
            text = self.tr("Map saved to {file}.").format(file=file)
            self._state.file_written.emit(file, text)
            on_ended("")
        else:
            text = self.tr("Can't write {file}. Choose another folder.")
            on_ended(text.format(file=file))
