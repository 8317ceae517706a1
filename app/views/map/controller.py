"""List, make and edit maps, and run the actions of the map view."""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import corpus_of
from app.engine.store.labels import read_labels
from app.engine.store.projections import ProjectionRow, read_projections
from app.engine.store.sentences import read_sentences
from app.params.projection import ProjectMap
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.results.jobs import MadeMap
from app.views.client.runs import RunState, read_run_params
from app.views.client.state import AppState
from app.views.map.actions import NEED_MAP, TOOLS, MapActions
from app.views.map.dialog import MapDialog, describe_map
from app.views.map.drawing.canvas import ZOOM_FACTOR
from app.views.map.drawing.grid import Box
from app.views.map.drawing.mouse import DrawnShape, MouseTool
from app.views.map.page import MapPage
from app.views.map.sidebar import MapSidebar
from app.views.widgets.corpus_choices import find_corpus, name_corpus
from app.views.widgets.dialogs import ask_new_name, copy_text
from app.views.widgets.document_columns import DocumentColumns
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.indexing_text import join_corpus_names
from app.views.widgets.label_menu import LabelMenu
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.run_results import ResultGate
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.two_line_list import TwoLineRow
from app.views.widgets.undo_messages import delete_with_undo

MAX_COPIED = 5_000  # sentences
MAX_NAME_LENGTH = 100  # characters
MAX_PARAMS_NAME = 200  # characters of a name in the params
PAGE = 1_000  # sentences read at once for a table
MIN_ZOOM_SHARE = 0.02  # smallest share of the map shown by zooming to a selection
COLUMN_KINDS = {"classifier", "prediction", "document"}  # change the columns of points
WATCHED_KINDS = {"projection", "corpus", *COLUMN_KINDS}


class MapController(QObject):
    """Reads the maps of the project and runs the actions of the view.

    Attributes:
        maps: the maps of the project, the newest first.
        actions: the actions of the view, by name.
    """

    map_shown = Signal()  # the shown map changed or was removed

    def __init__(
        self,
        state: AppState,
        sidebar: MapSidebar,
        page: MapPage,
        messages: MessageBar,
        actions: MapActions,
        parent: QWidget,
    ):
        """Connect the actions.

        Args:
            messages: shows a message with an Undo button after a deletion.
            actions: the result of `make_map_actions`.
        """
        super().__init__(parent)
        self._state, self._parent = state, parent
        self._sidebar, self._page, self._messages = sidebar, page, messages
        self.actions = actions
        self.maps: list[ProjectionRow] = []
        self._expected_runs: list[RunState] = []  # their maps are shown when finished
        self._gate = ResultGate(state, lambda: sidebar.maps.chosen, self)
        self._labels = LabelMenu(state, parent)
        self._labels.chosen.connect(page.label_selection)
        self._connect_actions()
        sidebar.maps.choice_changed.connect(self._show)
        page.changed.connect(self.refresh_actions)
        state.runs_changed.connect(self.refresh_actions)
        state.run_finished.connect(self._on_run_finished)
        state.kinds_changed.connect(self._on_kinds_changed)

    # --- the list of maps ---

    @property
    def shown(self) -> ProjectionRow | None:
        """The map that is shown."""
        chosen = self._sidebar.maps.chosen
        return next((row for row in self.maps if row.id == chosen), None)

    def refresh(self) -> None:
        """Reload the maps, and show the chosen one or else the newest."""
        project = self._state.project
        if project is None:
            return
        self.maps = read_projections(project.store)
        self._sidebar.show_maps(
            [TwoLineRow(row.id, row.name, describe_map(row)) for row in self.maps]
        )
        if self.shown is None and self.maps:
            self._sidebar.maps.choose(None)
            self._sidebar.maps.choose(self.maps[0].id)
            self._gate.accept_shown()
        self._show()

    def refresh_actions(self) -> None:
        """Enable the actions that apply now."""
        project, shown, page = self._state.project, self.shown, self._page
        can_write = self._state.can_write
        has_corpora = project is not None and bool(project.corpora)
        is_being_made = any(run.task == "project-map" for run in self._state.runs)
        is_loaded = shown is not None and page.pane.points is not None
        has_list = is_loaded and page.listed is not None and len(page.listed) > 0
        has_sentence = is_loaded and self._state.selection is not None
        enabled = {
            "make": can_write and has_corpora,
            "make_all": can_write and has_corpora and not is_being_made,
            "rename": can_write and shown is not None,
            "delete": can_write and shown is not None,
            "copy": shown is not None and shown.run_id is not None,
            "clear_filter": bool(self._sidebar.legend.chosen),
            "clear_filters": bool(page.filter_bar.text),
            "compare": page.can_compare,
            "zoom_to": has_list,
            "label": can_write and (has_sentence or page.selection.ids is not None),
            "export_sentences": has_list,
            "search": has_list or has_sentence,
            "copy_sentences": has_list or has_sentence,
        } | dict.fromkeys(NEED_MAP, is_loaded)
        for name, is_enabled in enabled.items():
            self.actions[name].setEnabled(is_enabled)
        for name in TOOLS:
            self.actions[name].setChecked(page.canvas.tool == name)

    def _show(self) -> None:
        shown = self.shown
        if shown is not None:
            self._page.offer_maps(self.maps, shown)
        self._page.show_map(shown)
        self.refresh_actions()
        self.map_shown.emit()

    def _on_run_finished(self, run: RunState, result: object) -> None:
        if not isinstance(run.params, ProjectMap):
            return
        self.refresh()
        id_ = msgspec.convert(result, MadeMap).map
        made = next((row for row in self.maps if row.id == id_), None)
        shown = self.shown
        may_show = shown is not None and made is not None and _is_preview(shown, made)
        if run in self._expected_runs:
            self._expected_runs.remove(run)
            may_show |= self._gate.may_show(run)
        if made is not None and may_show:
            self._sidebar.maps.choose(made.id)
            self._gate.accept_shown()

    def find_saved(self, map_id: int, newest: int) -> int:
        """Return the finished map if the saved map was its quick preview.

        Args:
            map_id: the map that was shown.
            newest: id of the newest map when the state was saved.
        """
        shown = next((row for row in self.maps if row.id == map_id), None)
        better = [
            row.id
            for row in self.maps
            if shown is not None and row.id > newest and _is_preview(shown, row)
        ]
        return max(better, default=map_id)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & WATCHED_KINDS:
            self.refresh()
        if kinds & COLUMN_KINDS:
            self._page.read_columns()
        if "sentence" in kinds:
            self._page.count_edits()
        if "link" in kinds:
            self._page.read_pairs_again()

    # --- making and editing maps ---

    def make_suggested(self) -> None:
        """Make a map of all corpora with the default settings."""
        params = self._default_params()
        if params is not None:
            self.make(params)

    def ask_map(self) -> None:
        """Ask for the corpora and settings of a new map."""
        params = self._default_params()
        if params is None:
            self._post(
                self.tr("A map shows sentences of corpora. Import a corpus first.")
            )
            return
        dialog = MapDialog(self._state, params, self.propose_name, self._parent)
        dialog.made.connect(self.make)
        dialog.open()

    def propose_name(self, names: Sequence[str] = ()) -> str:
        """Return a name for a map of corpora, numbered if the name is taken.

        Args:
            names: corpora and sub-corpora as named in the form; empty means all.
        """
        known, project = self._state.corpora, self._state.project
        texts = project.texts if project is not None else []
        is_all = not names or (
            bool(texts) and {name_corpus(known, row) for row in texts} <= set(names)
        )
        rows = [(find_corpus(known, name), name) for name in names]
        titles = [row.name if row is not None else name for row, name in rows]
        joined = join_corpus_names(titles)[:MAX_NAME_LENGTH]
        base = self.tr("All sentences") if is_all else joined
        taken, name, n = {row.name for row in self.maps}, base, 1
        while name in taken:
            n += 1
            name = f"{base} {n}"
        return name

    def make(self, params: ProjectMap) -> None:
        """Make a map, after a quick PCA map as a preview."""
        if params.method != "pca":
            quick = msgspec.structs.replace(
                params, method="pca", name=_preview_name(params.name)
            )
            self._expected_runs.append(self._state.run(quick))
        self._expected_runs.append(self._state.run(params))

    def rename(self) -> None:
        """Ask for a new name of the shown map."""
        shown = self.shown
        if shown is None:
            return
        ask_new_name(
            self._state,
            self._parent,
            shown.name,
            lambda name: RenameProjection(projection=shown.id, name=name),
        )

    def delete(self) -> None:
        """Delete the shown map; a message offers to undo it."""
        shown = self.shown
        if shown is None:
            return
        text = self.tr("Deleted the map {name} ({n} points).").format(
            name=shown.name, n=format_count(shown.n_points)
        )
        change = SetProjectionState(projections=(shown.id,), state="deleted")
        delete_with_undo(self._state, self._messages, change, text)

    def copy_command(self) -> None:
        """Copy the command that makes the shown map."""
        project, shown, params = self._state.project, self.shown, None
        if project is None:
            return
        if shown is not None:
            params = read_run_params(project.store, shown.run_id)
        if params is None:
            self._post(
                self.tr(
                    "Can't copy the command, because another version of Isogloss made "
                    "this map."
                )
            )
            return
        copy_command(self._state, params)

    def _default_params(self) -> ProjectMap | None:
        project = self._state.project
        if project is None or not project.corpora:
            return None
        proposed = project.texts or project.corpora
        names = tuple(name_corpus(project.corpora, row) for row in proposed)
        return ProjectMap(corpora=names, name=self.propose_name())

    # --- the visible part and the tools ---

    def zoom_in(self) -> None:
        """Zoom in one step."""
        self._page.canvas.zoom(ZOOM_FACTOR)

    def zoom_out(self) -> None:
        """Zoom out one step."""
        self._page.canvas.zoom(1 / ZOOM_FACTOR)

    def show_all(self) -> None:
        """Show the whole map."""
        self._page.canvas.show_all()

    def zoom_to_list(self) -> None:
        """Show the listed sentences as large as possible."""
        points, ids = self._page.pane.points, self._page.listed
        if points is None or ids is None:
            return
        indices = points.places[points.mask_of(ids)]
        if len(indices):
            x, y = points.grid.x[indices], points.grid.y[indices]
            whole = points.grid.bounds
            size = MIN_ZOOM_SHARE * max(whole.width, whole.height)
            left, bottom, right, top = map(float, (x.min(), y.min(), x.max(), y.max()))
            self._page.zoom_to(Box(left, bottom, right, top).enlarged_to(size))

    def _on_tool_triggered(self, tool: MouseTool) -> None:
        """Select a mouse tool, or return to panning if it is selected already."""
        canvas = self._page.canvas
        canvas.set_tool("pan" if canvas.tool == tool else tool)
        self.refresh_actions()

    # --- the listed sentences ---

    def select_visible(self) -> None:
        """Select all points in the visible part."""
        box = self._page.canvas.frame.box
        corners = [
            (box.left, box.bottom),
            (box.right, box.bottom),
            (box.right, box.top),
            (box.left, box.top),
        ]
        shape = DrawnShape(np.array(corners, np.float64), "new")
        self._page.canvas.drawn.emit(shape)

    def choose_centre(self) -> None:
        """Choose the sentence nearest to the centre of the canvas."""
        canvas = self._page.canvas
        centre = QPointF(canvas.width() / 2, canvas.height() / 2)
        canvas.clicked.emit(canvas.id_near(centre))

    def clear(self) -> None:
        """Cancel drawing, or else clear the selection and return to panning."""
        if not self._page.canvas.cancel_drawing():
            self._page.selection.clear()
            self._page.canvas.set_tool("pan")
        self.refresh_actions()

    def search(self) -> None:
        """Search for the sentences nearest to the selected one."""
        chosen, ids = self._state.selection, self._page.listed
        if chosen is None and ids is not None and len(ids):
            chosen = int(ids[0])
        if chosen is not None:
            self._state.view_requests.search_requested.emit(chosen)

    def copy_sentences(self) -> None:
        """Copy the listed sentences or the selected sentence."""
        project, ids = self._state.project, self._listed_ids()
        if project is None or not ids:
            return
        sentences = read_sentences(project.store, ids[:MAX_COPIED])
        copy_text("\n".join(one.text for one in sentences if one is not None))
        one, many = self.tr("1 sentence copied."), self.tr("{n} sentences copied.")
        text = pluralize(len(ids), one, many)
        if len(ids) > MAX_COPIED:
            text = self.tr("Copied the first {n} of {total} sentences.").format(
                n=format_count(MAX_COPIED), total=format_count(len(ids))
            )
        self._post(text)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the listed sentences."""
        ids = self._listed_ids()
        return ask_table_export(
            self._state,
            self._parent,
            self.tr("Export sentences"),
            self.tr("sentences"),
            lambda: self._table_rows(ids),
            len(ids),
        )

    def _table_rows(self, ids: Sequence[int]) -> Iterator[Sequence[str]]:
        columns = ("sentence", "language", "corpus", "line", "label", "text")
        project = self._state.project
        if project is None:
            yield columns
            return
        documents = DocumentColumns(project.store, sorted(set(map(corpus_of, ids))))
        yield (*columns, *documents.header)
        names = {corpus.id: corpus.name for corpus in project.corpora}
        for start in range(0, len(ids), PAGE):
            part = ids[start : start + PAGE]
            labels = read_labels(project.store, part)
            for one in read_sentences(project.store, part):
                if one is not None:
                    corpus = names.get(corpus_of(one.id), "")
                    place = (str(one.id), one.language, corpus, str(one.line))
                    label_and_text = (labels.get(one.id, ""), one.text)
                    yield (*place, *label_and_text, *documents.cells(one.id))

    def offer_labels(self) -> None:
        """Open a menu of classes for the selection at the mouse pointer."""
        canvas = self._page.canvas
        is_near = self._parent.underMouse()
        centre = canvas.mapToGlobal(canvas.rect().center())
        self._labels.popup(QCursor.pos() if is_near else centre)

    def _listed_ids(self) -> list[int]:
        ids = self._page.listed
        if ids is not None:
            listed: list[int] = ids.tolist()
            return listed
        return [] if self._state.selection is None else [self._state.selection]

    def _post(self, text: str) -> None:
        self._state.notice_posted.emit(text)

    def _connect_actions(self) -> None:
        slots = {
            "make": self.ask_map,
            "make_all": self.make_suggested,
            "rename": self.rename,
            "delete": self.delete,
            "copy": self.copy_command,
            "zoom_in": self.zoom_in,
            "zoom_out": self.zoom_out,
            "show_all": self.show_all,
            "clear_filter": self._sidebar.legend.clear_choice,
            "clear_filters": self._page.clear_filters,
            "find": self._sidebar.find,
            "compare": self._page.compare_neighbours,
            "select_visible": self.select_visible,
            "choose_centre": self.choose_centre,
            "clear": self.clear,
            "zoom_to": self.zoom_to_list,
            "search": self.search,
            "copy_sentences": self.copy_sentences,
            "label": self.offer_labels,
            "export_sentences": self.ask_export,
        }
        for name, slot in slots.items():
            self.actions[name].triggered.connect(slot)
        for tool in TOOLS:
            slot = partial(self._on_tool_triggered, tool)
            self.actions[tool].triggered.connect(slot)
        self.actions["pairs"].toggled.connect(self._page.show_pairs)
        self.actions["list"].toggled.connect(self._page.allow_list)
        self.actions["landmarks"].toggled.connect(self._page.show_landmarks)


def _preview_name(name: str) -> str:
    """Return the name of the quick preview of a map."""
    return f"{name} (PCA)"[-MAX_PARAMS_NAME:] if name else ""


def _is_preview(shown: ProjectionRow, made: ProjectionRow) -> bool:
    """Return whether a map is the quick preview of another one."""
    is_quick = shown.method == "pca" != made.method
    return is_quick and shown.name == _preview_name(made.name)
