"""What of a map is kept from one session to the next: colours, place, selection."""

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QAction

from app.views.map_colourings import LANGUAGE
from app.views.map_comparison import MOVED
from app.views.widgets.map_camera import camera_of
from app.views.widgets.map_grid import Box

if TYPE_CHECKING:
    from app.views.panels.map_page import MapPage


class MapPlace:
    """Saves how a map is shown, and shows it so again as soon as it is loaded."""

    def __init__(self, page: "MapPage", pairs: QAction):
        """Begin with nothing kept; `pairs` joins translations by lines."""
        self._page, self._pairs = page, pairs
        self._kept: dict[str, Any] = {}  # that waits for its map

    def save_state(self) -> dict[str, Any]:
        """Give colours, filter, place and selection."""
        page = self._page
        seen, other = page.pane.canvas.seen, page.other.row
        key = page.colours.key
        return {
            "column": key if key != MOVED else LANGUAGE,
            "chosen": list(page.column.legend.chosen),
            "seen": list(seen) if seen is not None else None,
            "selection": page.selection.to_json(),
            "pairs": self._pairs.isChecked(),
            "other": other.id if other is not None else None,
        }

    def restore_state(self, state: dict[str, Any], map_id: int) -> None:
        """Show a map as it was shown, as soon as it is loaded."""
        page = self._page
        self._kept = {**state, "map": map_id}
        page.colours.key = str(state.get("column", page.colours.key))
        if page.pane.row is not None and page.pane.row.id == map_id:
            page.colours.colour_by(page.colours.key)

    def restore(self) -> None:
        """Show what was kept of the map that is there now; else wait on."""
        page, kept, points = self._page, self._kept, self._page.pane.points
        if points is None or kept.get("map") != points.row.id:
            return
        self._kept = {}
        page.column.legend.choose(kept.get("chosen", ()))
        seen, canvas = kept.get("seen"), page.pane.canvas
        if isinstance(seen, list) and len(seen) == 4 and np.isfinite(seen).all():
            canvas.look_at(camera_of(Box(*seen), canvas.width(), canvas.height()))
        self._pairs.setChecked(bool(kept.get("pairs")))
        lit = page.colours.lit_in(page.pane)
        page.selection.restore(kept.get("selection", []), points, lit)
        if isinstance(kept.get("other"), int):
            page.compare_with(kept["other"])


__all__ = ["MapPlace"]
