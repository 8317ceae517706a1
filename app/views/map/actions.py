"""Actions of the map view; the controller connects and enables them."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.views.map.drawing.mouse import MouseTool
from app.views.widgets.controls import add_action, add_synonyms

MapActions = dict[str, QAction]
TOOLS: tuple[MouseTool, ...] = ("pan", "lasso", "rectangle")
NEED_MAP = (
    *("zoom_in", "zoom_out", "show_all", *TOOLS, "clear"),
    *("select_visible", "choose_centre", "pairs", "landmarks", "list", "export"),
    "find",
)
ON_CANVAS = ("show_all", "select_visible", "choose_centre")  # keys used elsewhere too


def make_map_actions(parent: QWidget) -> MapActions:
    """Return the actions of the view, by name."""
    return (
        _make_map_actions(parent)
        | _make_display_actions(parent)
        | _make_tool_actions(parent)
        | _make_selection_actions(parent)
    )


def limit_to_canvas(actions: MapActions, canvases: Iterable[QWidget]) -> None:
    """Let the keys of some actions work only while a canvas has the focus."""
    for name in ON_CANVAS:
        actions[name].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for canvas in canvases:
            canvas.addAction(actions[name])


def _make_map_actions(parent: QWidget) -> MapActions:
    add, tr = partial(add_action, parent), parent.tr
    return {
        "make": add(
            tr("New map…"),
            tr("Choose the corpora and settings of a new map."),
            keys="Ctrl+Shift+P",
        ),
        "make_all": add(
            tr("Map all sentences"),
            tr("Make a map of all corpora with the default settings."),
        ),
        "rename": add(tr("Rename map…"), tr("Rename this map."), keys="F2"),
        "delete": add(
            tr("Delete map"),
            tr("Delete this map. You can undo this."),
            keys=QKeySequence.StandardKey.Delete,
            is_local=True,  # active in the list only, not among sentences
        ),
        "copy": add(
            tr("Copy as command"), tr("Copy the terminal command that makes this map.")
        ),
    }


def _make_display_actions(parent: QWidget) -> MapActions:
    add, tr = partial(add_action, parent), parent.tr
    made = {
        "zoom_in": add(
            tr("Zoom in"), tr("Enlarge the visible part of the map."), keys="+"
        ),
        "zoom_out": add(tr("Zoom out"), tr("Show more of the map."), keys="-"),
        "show_all": add(
            tr("Show the whole map"),
            tr(
                "Zoom out to the whole map. To see points that are far from all "
                "others, zoom out again."
            ),
            keys="0",
        ),
        "clear_filter": add(
            tr("Clear the colour filter"),
            tr(
                "Clear the selection in the legend, so that all points have "
                "their colour."
            ),
        ),
        "find": add(
            tr("Find on the map"),
            tr("Type words that sentences must contain to keep their colour."),
            keys=QKeySequence.StandardKey.Find,
        ),
        "clear_filters": add(
            tr("Clear filters"), tr("Show all points in colour again.")
        ),
        "pairs": add(
            tr("Connect translations"),
            tr("Draw lines between sentences that are linked as translations."),
            keys="P",
        ),
        "landmarks": add(
            tr("Contours and names"),
            tr("Draw contours around dense parts, and the names of clusters."),
            keys="N",
        ),
        "list": add(
            tr("List of sentences"),
            tr("List the sentences that are found, filtered or selected."),
            keys="T",
        ),
        "compare": add(
            tr("Compare neighbours"),
            tr(
                "List the sentences whose nearest neighbours differ most between the "
                "encoders of the two maps."
            ),
        ),
    }
    made["zoom_in"].setShortcuts([QKeySequence("+"), QKeySequence("=")])
    for name in ("pairs", "landmarks", "list"):
        made[name].setCheckable(True)
        made[name].setChecked(name != "pairs")
    labels = {"zoom_in": "+", "zoom_out": "−", "show_all": tr("All")}
    for name, label in (
        labels | {"pairs": tr("Pairs"), "landmarks": tr("Names"), "list": tr("List")}
    ).items():
        made[name].setIconText(label)
    return made


def _make_tool_actions(parent: QWidget) -> MapActions:
    add, tr = partial(add_action, parent), parent.tr
    ctrl = QKeySequence("Ctrl+A").toString(QKeySequence.SequenceFormat.NativeText)
    ctrl = ctrl.removesuffix("A").removesuffix("+")  # the symbol of the key on a Mac
    keys = tr("Shift adds, {ctrl} toggles, Alt subtracts.").format(ctrl=ctrl)
    pan = tr(
        "Drag to move the map. With Shift or {ctrl}, select a rectangle or a point."
    )
    made = {
        "pan": add(tr("Pan the map"), pan.format(ctrl=ctrl), keys="M"),
        "lasso": add(
            tr("Lasso selection"),
            f"{tr('Drag around points to select them.')} {keys}",
            keys="L",
        ),
        "rectangle": add(
            tr("Rectangle selection"),
            f"{tr('Drag a rectangle to select points.')} {keys}",
            keys="R",
        ),
    }
    for name, label in zip(
        TOOLS, (tr("Pan"), tr("Lasso"), tr("Rectangle")), strict=True
    ):
        made[name].setCheckable(True)
        made[name].setIconText(label)
    return made


def _make_selection_actions(parent: QWidget) -> MapActions:
    add, tr = partial(add_action, parent), parent.tr
    exporting = add(
        tr("Export map…"),
        tr("Export the visible part as a picture, or all points as a table."),
    )
    add_synonyms(exporting, tr("save picture image figure plot png svg"))
    return {
        "select_visible": add(
            tr("Select visible points"),
            tr("Select all points in the visible part of the map."),
            keys=QKeySequence.StandardKey.SelectAll,
        ),
        "choose_centre": add(
            tr("Select the sentence in the centre"),
            tr("Show the sentence of the point nearest to the centre."),
            keys="Space",
        ),
        "clear": add(
            tr("Clear selection"),
            tr("Clear the selection and return to panning."),
            keys="Esc",
        ),
        "zoom_to": add(
            tr("Zoom to the listed sentences"),
            tr("Show the listed sentences as large as possible."),
        ),
        "search": add(
            tr("Find nearest sentences"),
            tr("Find the sentences nearest in meaning to the selected one."),
            keys="Ctrl+Return",
        ),
        "copy_sentences": add(
            tr("Copy listed sentences"),
            tr("Copy the listed sentences, or the selected one, one per line."),
            keys=QKeySequence.StandardKey.Copy,
        ),
        "label": add(
            tr("Label selection…"),
            tr("Choose a label for the selection. 1–9 assign one, 0 removes it."),
        ),
        "export_sentences": add(
            tr("Export listed sentences…"),
            tr("Export the listed sentences as a table."),
            keys="Ctrl+E",
        ),
        "export": exporting,
    }
