"""Make, rename, delete and export maps, and act on the selected sentences."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from PySide6.QtCore import QObject, QPointF
from PySide6.QtWidgets import QFileDialog

from app.engine.store.corpora import corpus_of
from app.engine.store.labels import read_labels
from app.engine.store.projections import ProjectionRow
from app.engine.store.sentences import read_sentences
from app.errors import ErrorInfo
from app.params.flags import command_text
from app.params.projection import ProjectMap
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.views.client.runs import read_run_params
from app.views.map.dialog import MapDialog
from app.views.map.drawing.canvas import ZOOM_FACTOR
from app.views.map.drawing.grid import Box
from app.views.map.drawing.mouse import DrawnShape, MouseTool
from app.views.map.export import MapSnapshot, table_of_points, write_png, write_svg
from app.views.map.idle_work import IdleWorker
from app.views.widgets.corpus_choices import find_corpus, name_corpus
from app.views.widgets.dialogs import ask_name, ask_path, copy_text
from app.views.widgets.indexing_text import join_corpus_names
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.plot_export import ImageWidthDialog
from app.views.widgets.table_export import export_table
from app.views.widgets.undo_messages import delete_with_undo

if TYPE_CHECKING:
    from app.views.map.view import MapView

MAX_COPIED = 5_000  # sentences
MAX_NAME_LENGTH = 100  # characters of a name
PAGE = 1_000  # sentences read at once for a table


class MapController(QObject):
    """Does what the actions of the map view say."""

    def __init__(self, view: "MapView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    @property
    def _row(self) -> ProjectionRow:
        row = self._view.row
        assert row is not None, "the actions are disabled without a map"
        return row

    # --- making and keeping maps ---

    def make_suggested(self) -> None:
        """Put all sentences on a map."""
        project = self._state.project
        if project is None or not project.corpora:
            return
        names = tuple(name_corpus(project.corpora, row) for row in project.corpora)
        self.make(ProjectMap(corpora=names, name=self.propose_name()))

    def propose_name(self, names: Sequence[str] = ()) -> str:
        """Name a map of corpora; a number is put behind a name that is taken.

        Args:
            names: of corpora and sub-corpora, as a form takes them; none: all corpora.
        """
        project = self._state.project
        known = project.corpora if project is not None else []
        whole = {name_corpus(known, row) for row in known}
        is_all = not names or whole.issubset(names)
        found = [(find_corpus(known, name), name) for name in names]
        titles = [row.name if row is not None else name for row, name in found]
        few, n = join_corpus_names(titles)[:MAX_NAME_LENGTH], 1
        name = self.tr("All sentences") if is_all else few
        taken = {row.name for row in self._view.found}
        while (name if n == 1 else f"{name} {n}") in taken:
            n += 1
        return name if n == 1 else f"{name} {n}"

    def make(self, params: ProjectMap) -> None:
        """Make a map; a map of the principal components comes first, at once."""
        if params.method != "pca":
            name = f"{params.name} (PCA)" if params.name else ""
            quick = msgspec.structs.replace(params, method="pca", name=name[-200:])
            self._view.expect(self._state.run(quick))
        self._view.expect(self._state.run(params))

    def ask_map(self) -> None:
        """Ask what to put on a map."""
        project = self._state.project
        if project is None or not project.corpora:
            self._say(
                self.tr("A map shows the sentences of corpora: import texts first.")
            )
            return
        names = tuple(name_corpus(project.corpora, row) for row in project.corpora)
        values = ProjectMap(corpora=names, name=self.propose_name())
        dialog = MapDialog(self._state, values, self.propose_name, self._view)
        dialog.made.connect(self.make)
        dialog.open()

    def rename(self) -> None:
        """Ask for another name."""
        row = self._row
        ask_name(
            self._view,
            self.tr("What shall {name} be called?").format(name=row.name),
            row.name,
            lambda name: self._state.edit(
                RenameProjection(projection=row.id, name=name)
            ),
        )

    def delete(self) -> None:
        """Delete the map; a message offers to undo it."""
        row = self._row
        words = self.tr("Deleted the map {name} ({n} points).")
        text = words.format(name=row.name, n=format_count(row.n_points))
        change = SetProjectionState(projections=(row.id,), state="deleted")
        delete_with_undo(self._state, self._view.messages, change, text)

    def copy_command(self) -> None:
        """Copy the command that makes the map."""
        project, row = self._state.project, self._view.row
        params = None
        if project is not None and row is not None:
            params = read_run_params(project.store, row.run_id)
        if params is None or project is None:
            self._say(self.tr("Another version of Isogloss made this map."))
            return
        copy_text(command_text(params, project.folder))
        self._say(self.tr("The command is copied."))

    # --- looking ---

    def zoom_in(self) -> None:
        """Go nearer."""
        self._view.page.canvas.zoom(ZOOM_FACTOR)

    def zoom_out(self) -> None:
        """Go farther away."""
        self._view.page.canvas.zoom(1 / ZOOM_FACTOR)

    def show_all(self) -> None:
        """Show the whole map."""
        self._view.page.canvas.show_all()

    def unfilter(self) -> None:
        """Give every point its colour again."""
        self._view.column.legend.choose(())

    def take_tool(self, tool: MouseTool) -> None:
        """Let a drag of the mouse do something else; again: move the map."""
        canvas = self._view.page.canvas
        canvas.take_tool("hand" if canvas.tool == tool else tool)
        self._view.page.changed.emit()

    def zoom_to_selection(self) -> None:
        """Show what is selected as large as it fits."""
        page = self._view.page
        points, ids = page.pane.points, page.selection.ids
        if points is None or ids is None:
            return
        places = points.places[points.mask_of(ids)]
        if len(places):
            x, y = points.grid.x[places], points.grid.y[places]
            whole = points.grid.bounds
            least = 0.02 * max(whole.width, whole.height)
            left, bottom, right, top = map(float, (x.min(), y.min(), x.max(), y.max()))
            page.zoom_to(_grown(Box(left, bottom, right, top), least))

    # --- selecting, and what is done with it ---

    def select_sight(self) -> None:
        """Select all points on the screen."""
        box = self._view.page.canvas.frame.box
        corners = [
            (box.left, box.bottom),
            (box.right, box.bottom),
            (box.right, box.top),
            (box.left, box.top),
        ]
        drawn = DrawnShape(np.array(corners, np.float64), "new")
        self._view.page.canvas.drawn.emit(drawn)

    def choose_middle(self) -> None:
        """Choose the sentence nearest to the middle of the picture."""
        canvas = self._view.page.canvas
        middle = QPointF(canvas.width() / 2, canvas.height() / 2)
        canvas.clicked.emit(canvas.id_near(middle))

    def clear(self) -> None:
        """Give up a drawing, else the selection and the tool."""
        page = self._view.page
        if not page.canvas.give_up():
            page.selection.clear()
            page.canvas.take_tool("hand")
        page.changed.emit()

    def search(self) -> None:
        """Search for what is nearest to the chosen sentence."""
        chosen, ids = self._state.selection, self._view.page.selection.ids
        if chosen is None and ids is not None:
            chosen = int(ids[0])
        if chosen is not None:
            self._state.search_wanted.emit(chosen)

    def copy_sentences(self) -> None:
        """Copy the selected sentences, or the chosen one."""
        project = self._state.project
        ids = self._wanted_ids()
        if project is None or not ids:
            return
        sentences = read_sentences(project.store, ids[:MAX_COPIED])
        copy_text("\n".join(one.text for one in sentences if one is not None))
        one = self.tr("1 sentence is copied.")
        told = pluralize(len(ids), one, self.tr("{n} sentences are copied."))
        if len(ids) > MAX_COPIED:
            told = self.tr("The first {n} of {total} sentences are copied.").format(
                n=format_count(MAX_COPIED), total=format_count(len(ids))
            )
        self._say(told)

    def ask_export(self) -> None:
        """Ask where to write the selected sentences."""
        ask_path(
            self._view,
            self.tr("Export sentences"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "sentences.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def export_to(self, file: Path) -> None:
        """Write the selected sentences."""
        export_table(self._state, file, self._lines(self._wanted_ids()))

    def _lines(self, ids: Sequence[int]) -> Iterator[Sequence[str]]:
        yield ("sentence", "language", "corpus", "line", "label", "text")
        project = self._state.project
        if project is None:
            return
        names = {corpus.id: corpus.name for corpus in project.corpora}
        for start in range(0, len(ids), PAGE):
            part = ids[start : start + PAGE]
            labels = read_labels(project.store, part)
            for one in read_sentences(project.store, part):
                if one is not None:
                    corpus = names.get(corpus_of(one.id), "")
                    place = (str(one.id), one.language, corpus, str(one.line))
                    yield (*place, labels.get(one.id, ""), one.text)

    def _wanted_ids(self) -> list[int]:
        ids = self._view.page.selection.ids
        if ids is not None:
            wanted: list[int] = ids.tolist()
            return wanted
        return [] if self._state.selection is None else [self._state.selection]

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)


def _grown(box: Box, least: float) -> Box:
    """Make a box at least so wide and high."""
    wide = max(least - box.width, 0) / 2
    high = max(least - box.height, 0) / 2
    return Box(box.left - wide, box.bottom - high, box.right + wide, box.top + high)


DEFAULT_WIDTH = 2_400  # pixels that are proposed


class MapExporter(QObject):
    """Saves the map that the keyboard was on last."""

    def __init__(self, view: "MapView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._pauses = IdleWorker(self)

    def ask_png(self) -> None:
        """Ask how wide, then where to."""
        ImageWidthDialog(
            DEFAULT_WIDTH,
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

    def _shot(self) -> MapSnapshot | None:
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
