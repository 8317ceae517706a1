"""The colours of the maps that are shown: one column, one legend, one filter."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from app.views.classifiers import Classifier, read_classifiers
from app.views.map_colourings import LABEL, LANGUAGE, Column, list_columns
from app.views.map_comparison import MOVED, MapComparison
from app.views.map_facts import SIMILARITY, similarity_column
from app.views.map_legend_rows import legend_rows, lit_of
from app.views.map_selection import MapSelection
from app.views.panels.map_column import MapColumn
from app.views.panels.map_pane import MapPane
from app.views.state import AppState
from app.views.theme import tokens_of
from app.views.widgets.map_grid import Mask

Panes = Callable[[], Iterable[MapPane]]


class MapColourDesk(QObject):
    """Colours the points of one map, or of two alike.

    Attributes:
        key: of the column that they are coloured by.
    """

    changed = Signal()  # another legend or filter

    def __init__(
        self,
        state: AppState,
        column: MapColumn,
        panes: Panes,
        selection: MapSelection,
        comparison: MapComparison,
    ):
        """Take the parts that it colours.

        Args:
            state: of the window.
            column: with the legend.
            panes: gives the maps that are shown, the first one first.
            selection: what is not in it turns grey.
            comparison: tells what moved.
        """
        super().__init__(selection.parent())
        self._state, self._column, self._panes = state, column, panes
        self._selection, self._comparison = selection, comparison
        self._classifiers: list[Classifier] = []
        self.key = LANGUAGE
        column.column_chosen.connect(self.colour_by)
        column.legend.chosen_changed.connect(self.show_legend)
        state.labels.labelled.connect(self._on_labelled)
        state.selection_changed.connect(self._on_sentence_chosen)

    @property
    def _first(self) -> MapPane:
        return next(iter(self._panes()))

    def colour_by(self, key: str) -> None:
        """Colour the points by a column as soon as it is read."""
        project, self.key = self._state.project, key
        if project is None or self._first.points is None:
            return
        self._classifiers = read_classifiers(project.store)
        columns = self.offer_columns()
        column = next((one for one in columns if one.key == key), columns[0])
        self.key = column.key
        self._column.choose_column(column.key)
        for pane in self._panes():
            self._colour(pane, column)

    def _colour(self, pane: MapPane, column: Column) -> None:
        moves, chosen = self._comparison.moves, self._state.selection
        if column.key == MOVED and moves is not None and pane.points is not None:
            pane.take_colouring(moves.colouring(pane.points))
        elif column.key == SIMILARITY and chosen is not None:
            pane.colour_by_nearness(chosen)
        else:
            pane.colour_by(column, self._classifiers)

    def offer_columns(self) -> list[Column]:
        """Offer what the points can be coloured by now."""
        project, points = self._state.project, self._first.points
        if project is None or points is None:
            return []
        columns = list_columns(project, points, self._classifiers)
        moves, chosen = self._comparison.moves, self._state.selection
        is_here = chosen is not None and points.place_of(chosen) is not None
        if is_here or self.key == SIMILARITY:
            columns.append(similarity_column())
        if moves is not None:
            columns.append(moves.column())
        self._column.show_columns(columns, self.key)
        return columns

    def show_legend(self) -> None:
        """Show the legend of the first map, and draw all in its colours."""
        colouring, legend = self._first.colouring, self._column.legend
        if colouring is None:
            return
        legend.show_rows(legend_rows(colouring, legend.chosen, tokens_of(legend)))
        for pane in self._panes():
            pane.paint(legend.rows)
        self.light()
        self.changed.emit()

    def light(self) -> None:
        """Grey what is not chosen in the legend, or not selected."""
        for pane in self._panes():
            pane.light(self._column.legend.chosen, self._selection.ids)

    def lit_in(self, pane: MapPane) -> Mask | None:
        """Mark the points of a map that the legend leaves in colour; None: all."""
        if pane.colouring is None:
            return None
        legend = self._column.legend
        return lit_of(pane.colouring, legend.rows, legend.chosen)

    def _on_labelled(self) -> None:
        if self.key == LABEL and self._first.points is not None:
            self.colour_by(LABEL)

    def _on_sentence_chosen(self, sentence_id: int | None) -> None:
        """Offer the nearness to another sentence; where it is shown, show it anew."""
        points = self._first.points
        if points is None:
            return
        is_here = sentence_id is not None and points.place_of(sentence_id) is not None
        if self.key == SIMILARITY and is_here:
            self.colour_by(SIMILARITY)
        else:
            self.offer_columns()
