"""Actions of the map view, enabled when they apply."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.map.drawing.canvas import MapCanvas
    from app.views.map.view import MapView

CANVAS_ACTIONS = (
    "fit",
    "select_sight",
    "choose_middle",
)  # elsewhere keys do other things


def make_map_actions(view: "MapView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    made = (
        _make_map_list_actions(view)
        | _make_zoom_actions(view)
        | _make_comparison_actions(view)
        | _make_export_actions(view)
    )
    return (
        made
        | _make_tool_actions(view)
        | _make_select_actions(view)
        | _make_selection_actions(view)
    )


def limit_to_canvas(
    actions: dict[str, QAction], canvases: "tuple[MapCanvas, ...]"
) -> None:
    """Let some keys work only while the keyboard is on a picture."""
    for name in CANVAS_ACTIONS:
        actions[name].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for canvas in canvases:
            canvas.addAction(actions[name])


def _make_map_list_actions(view: "MapView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    made = {
        "make": add_action(
            view,
            tr("New map…"),
            jobs.ask_map,
            keys="Ctrl+Shift+P",
            hint=tr("Choose what to put on a map, and how."),
        ),
        "make_all": add_action(
            view,
            tr("Map all sentences"),
            jobs.make_suggested,
            hint=tr("Make a map of all corpora with the usual settings."),
        ),
        "rename": add_action(
            view,
            tr("Rename the map…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give this map another name."),
        ),
        "delete": add_action(
            view,
            tr("Delete the map"),
            jobs.delete,
            keys=QKeySequence.StandardKey.Delete,
            hint=tr("Delete this map; this can be undone."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that makes this map in a terminal."),
        ),
    }
    # Only in the list: among sentences Del must not delete a map.
    made["delete"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return made


def _make_zoom_actions(view: "MapView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    made = {
        "nearer": add_action(
            view, tr("Zoom in"), jobs.zoom_in, keys="+", hint=tr("See less, larger.")
        ),
        "farther": add_action(
            view, tr("Zoom out"), jobs.zoom_out, keys="-", hint=tr("See more.")
        ),
        "fit": add_action(
            view,
            tr("Show the whole map"),
            jobs.show_all,
            keys="0",
            hint=tr(
                "Zoom out to the whole map; a few points far from all others may need "
                "one more step."
            ),
        ),
        "unfilter": add_action(
            view,
            tr("Colour all again"),
            jobs.unfilter,
            hint=tr("Choose nothing in the legend: every point has its colour."),
        ),
    }
    made["nearer"].setShortcuts([QKeySequence("+"), QKeySequence("=")])
    for name, words in (("nearer", "+"), ("farther", "−"), ("fit", tr("All"))):
        made[name].setIconText(words)
    return made


def _make_comparison_actions(view: "MapView") -> dict[str, QAction]:
    tr = view.tr
    made = {
        "pairs": add_action(
            view,
            tr("Join translations by lines"),
            lambda: view.page.show_pairs(made["pairs"].isChecked()),
            keys="P",
            hint=tr("Draw a line between sentences that are linked as translations."),
        ),
        "moves": add_action(
            view,
            tr("What moved"),
            lambda: view.page.ask_moves(),
            hint=tr(
                "List the sentences whose nearest neighbours are others by the other "
                "encoder; two maps by one encoder have the same."
            ),
        ),
    }
    made["pairs"].setCheckable(True)
    made["pairs"].toggled.connect(lambda is_on: view.page.show_pairs(is_on))
    made["pairs"].setIconText(tr("Pairs"))
    return made


def _make_export_actions(view: "MapView") -> dict[str, QAction]:
    tr, files = view.tr, view.pictures
    return {
        "png": add_action(
            view,
            tr("Save the map as PNG…"),
            files.ask_png,
            hint=tr("Write what is in sight as a picture, as wide as you want."),
        ),
        "svg": add_action(
            view,
            tr("Save the map as SVG…"),
            files.ask_svg,
            hint=tr("Write what is in sight as a drawing."),
        ),
        "csv": add_action(
            view,
            tr("Save the points as CSV…"),
            files.ask_csv,
            hint=tr("Write place, cluster, language and text of every point."),
        ),
    }


def _make_tool_actions(view: "MapView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    made = {
        "hand": add_action(
            view,
            tr("Move the map by the mouse"),
            lambda: jobs.take_tool("hand"),
            keys="M",
            hint=tr("A drag moves the map."),
        ),
        "lasso": add_action(
            view,
            tr("Draw a lasso"),
            lambda: jobs.take_tool("lasso"),
            keys="L",
            hint=tr("A drag draws around points and selects them; Shift adds."),
        ),
        "rectangle": add_action(
            view,
            tr("Draw a rectangle"),
            lambda: jobs.take_tool("rectangle"),
            keys="R",
            hint=tr("A drag selects what is in a rectangle; Shift adds, Alt takes."),
        ),
    }
    for name, words in (
        ("hand", tr("Move")),
        ("lasso", tr("Lasso")),
        ("rectangle", tr("Rectangle")),
    ):
        made[name].setCheckable(True)
        made[name].setIconText(words)
    return made


def _make_select_actions(view: "MapView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "select_sight": add_action(
            view,
            tr("Select what is in sight"),
            jobs.select_sight,
            keys=QKeySequence.StandardKey.SelectAll,
            hint=tr("Select all points that are on the screen."),
        ),
        "choose_middle": add_action(
            view,
            tr("Choose the sentence in the middle"),
            jobs.choose_middle,
            keys="Space",
            hint=tr("Show the sentence of the point nearest to the middle."),
        ),
        "clear": add_action(
            view,
            tr("Clear the selection"),
            jobs.clear,
            keys="Esc",
            hint=tr("Select nothing, and move the map by the mouse again."),
        ),
    }


def _make_selection_actions(view: "MapView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "zoom_to": add_action(
            view,
            tr("Zoom to the selection"),
            jobs.zoom_to_selection,
            hint=tr("Show the selected sentences as large as they fit."),
        ),
        "search": add_action(
            view,
            tr("Find what is nearest to the sentence"),
            jobs.search,
            keys="Ctrl+Return",
            hint=tr("Search for what is nearest to the chosen sentence."),
        ),
        "copy_sentences": add_action(
            view,
            tr("Copy the selected sentences"),
            jobs.copy_sentences,
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy the selected sentences, one a line."),
        ),
        "export_sentences": add_action(
            view,
            tr("Export the selected sentences…"),
            jobs.ask_export,
            keys="Ctrl+E",
            hint=tr("Write the selected sentences as a tab-separated table."),
        ),
    }


def refresh_map_actions(view: "MapView") -> None:
    """Enable what can be done now."""
    todo, row, page = view._todo, view.row, view.page
    project = view.state.project
    can_write = project is not None and not project.is_read_only
    has_texts = project is not None and bool(project.corpora)
    is_loaded = row is not None and page.pane.points is not None
    has_some = is_loaded and page.selection.ids is not None
    has_one = has_some or view.state.selection is not None
    for name in ("make", "make_all"):
        todo[name].setEnabled(can_write and has_texts)
    for name in ("rename", "delete"):
        todo[name].setEnabled(can_write and row is not None)
    todo["copy"].setEnabled(row is not None and row.run_id is not None)
    for name in (
        *("nearer", "farther", "fit", "hand", "lasso", "rectangle", "clear"),
        *("select_sight", "choose_middle", "pairs", "png", "svg", "csv"),
    ):
        todo[name].setEnabled(is_loaded)
    for name in ("zoom_to", "export_sentences"):
        todo[name].setEnabled(has_some)
    for name in ("search", "copy_sentences"):
        todo[name].setEnabled(is_loaded and has_one)
    is_compared = is_loaded and page.other.points is not None
    is_other = is_compared and _are_of_two_encoders(view)
    todo["moves"].setEnabled(is_other and not page.comparison.is_asking)
    todo["moves"].setVisible(page.other.row is not None)
    todo["unfilter"].setEnabled(bool(view.column.legend.chosen))
    for name in ("hand", "lasso", "rectangle"):
        todo[name].setChecked(page.canvas.tool == name)


def _are_of_two_encoders(view: "MapView") -> bool:
    one, other = view.page.pane.row, view.page.other.row
    return (
        one is not None and other is not None and one.fingerprint != other.fingerprint
    )
