"""Actions of the map view; the controller connects and enables them."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.views.map.drawing.mouse import MouseTool
from app.views.widgets.controls import add_action

MapActions = dict[str, QAction]
TOOLS: tuple[MouseTool, ...] = ("pan", "lasso", "rectangle")
NEED_MAP = (
    *("zoom_in", "zoom_out", "show_all", *TOOLS, "clear"),
    *("select_visible", "choose_centre", "pairs", "landmarks", "export"),
)
ON_CANVAS = ("show_all", "select_visible", "choose_centre")  # keys used elsewhere too


def make_map_actions(parent: QWidget) -> MapActions:
    """Return the actions of the view, by name."""
    return (
        _make_map_actions(parent)
        | _make_display_actions(parent)
        | _make_tool_actions(parent)
        | _make_selection_actions(parent)
        | _make_export_actions(parent)
    )


def limit_to_canvas(actions: MapActions, canvases: Iterable[QWidget]) -> None:
    """Let the keys of some actions work only while a canvas has the focus."""
    for name in ON_CANVAS:
        actions[name].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for canvas in canvases:
            canvas.addAction(actions[name])


def _make_map_actions(parent: QWidget) -> MapActions:
    tr = parent.tr
    made = {
        "make": add_action(
            parent,
            tr("New map…"),
            keys="Ctrl+Shift+P",
            hint=tr("Choose the corpora and settings of a new map."),
        ),
        "make_all": add_action(
            parent,
            tr("Map all sentences"),
            hint=tr("Make a map of all corpora with the default settings."),
        ),
        "rename": add_action(
            parent, tr("Rename map…"), keys="F2", hint=tr("Rename this map.")
        ),
        "delete": add_action(
            parent,
            tr("Delete map"),
            keys=QKeySequence.StandardKey.Delete,
            hint=tr("Delete this map. You can undo this."),
        ),
        "copy": add_action(
            parent,
            tr("Copy as command"),
            hint=tr("Copy the terminal command that makes this map."),
        ),
    }
    # Only in the list: among sentences Del must not delete a map.
    made["delete"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return made


def _make_display_actions(parent: QWidget) -> MapActions:
    tr = parent.tr
    made = {
        "zoom_in": add_action(
            parent, tr("Zoom in"), keys="+", hint=tr("Show a smaller part, larger.")
        ),
        "zoom_out": add_action(
            parent, tr("Zoom out"), keys="-", hint=tr("Show a larger part.")
        ),
        "show_all": add_action(
            parent,
            tr("Show the whole map"),
            keys="0",
            hint=tr(
                "Zoom out to the whole map. To see points far from all others, zoom "
                "out once more."
            ),
        ),
        "clear_filter": add_action(
            parent,
            tr("Clear the colour filter"),
            hint=tr(
                "Clear the selection in the legend, so that all points have "
                "their colour."
            ),
        ),
        "pairs": add_action(
            parent,
            tr("Connect translations"),
            keys="P",
            hint=tr("Draw lines between sentences that are linked as translations."),
        ),
        "landmarks": add_action(
            parent,
            tr("Contours and names"),
            keys="N",
            hint=tr("Draw contours around dense parts, and the names of clusters."),
        ),
        "compare": add_action(
            parent,
            tr("Compare neighbours"),
            hint=tr(
                "List the sentences whose nearest neighbours differ most between the "
                "encoders of the two maps."
            ),
        ),
    }
    made["zoom_in"].setShortcuts([QKeySequence("+"), QKeySequence("=")])
    for name in ("pairs", "landmarks"):
        made[name].setCheckable(True)
    made["landmarks"].setChecked(True)
    labels = {"zoom_in": "+", "zoom_out": "−", "show_all": tr("All")}
    for name, label in (
        labels | {"pairs": tr("Pairs"), "landmarks": tr("Names")}
    ).items():
        made[name].setIconText(label)
    return made


def _make_tool_actions(parent: QWidget) -> MapActions:
    tr = parent.tr
    made = {
        "pan": add_action(
            parent, tr("Pan the map"), keys="M", hint=tr("Drag to move the map.")
        ),
        "lasso": add_action(
            parent,
            tr("Lasso selection"),
            keys="L",
            hint=tr("Drag around points to select them. Shift adds, Alt subtracts."),
        ),
        "rectangle": add_action(
            parent,
            tr("Rectangle selection"),
            keys="R",
            hint=tr("Drag a rectangle to select points. Shift adds, Alt subtracts."),
        ),
    }
    for name, label in zip(
        TOOLS, (tr("Pan"), tr("Lasso"), tr("Rectangle")), strict=True
    ):
        made[name].setCheckable(True)
        made[name].setIconText(label)
    return made


def _make_selection_actions(parent: QWidget) -> MapActions:
    tr = parent.tr
    return {
        "select_visible": add_action(
            parent,
            tr("Select visible points"),
            keys=QKeySequence.StandardKey.SelectAll,
            hint=tr("Select all points in the visible part of the map."),
        ),
        "choose_centre": add_action(
            parent,
            tr("Choose the sentence in the centre"),
            keys="Space",
            hint=tr("Show the sentence of the point nearest to the centre."),
        ),
        "clear": add_action(
            parent,
            tr("Clear selection"),
            keys="Esc",
            hint=tr("Select nothing and return to panning."),
        ),
        "zoom_to": add_action(
            parent,
            tr("Zoom to selection"),
            hint=tr("Show the selected sentences as large as possible."),
        ),
        "search": add_action(
            parent,
            tr("Find nearest sentences"),
            keys="Ctrl+Return",
            hint=tr("Search for the sentences nearest to the chosen one."),
        ),
        "copy_sentences": add_action(
            parent,
            tr("Copy selected sentences"),
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy the selected sentences, one per line."),
        ),
        "export_sentences": add_action(
            parent,
            tr("Export selected sentences…"),
            keys="Ctrl+E",
            hint=tr("Export the selected sentences as a table."),
        ),
    }


def _make_export_actions(parent: QWidget) -> MapActions:
    tr = parent.tr
    return {
        "export": add_action(
            parent,
            tr("Export map…"),
            hint=tr("Export the visible part as a picture, or all points as a table."),
        ),
    }
