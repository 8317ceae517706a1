"""Sidebar with the lists of maps, colours and clusters."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from app.views.map.actions import MapActions
from app.views.map.colouring import ColourColumn
from app.views.map.filters import MapFilters
from app.views.map.legend import LegendList
from app.views.widgets.boxes import as_widget, make_column, make_row, make_tabs
from app.views.widgets.controls import describe, make_action_button, make_label
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

MAX_MAPS = 3  # rows before the list scrolls
LOW_HEIGHT, LOWEST_HEIGHT = 70 * GRID, 55 * GRID  # below: one or two rows fewer
CLUSTERS_TAB = 1


class MapSidebar(QWidget):
    """Lists to choose maps, colours and clusters.

    Attributes:
        maps: the maps of the project.
        colours: the columns that points can be coloured by.
        legend: the legend of the chosen column.
        clusters: the clusters of the shown map.
        filters: filters by words and values.
    """

    column_chosen = Signal(str)

    def __init__(self, actions: MapActions, parent: QWidget | None = None):
        """Make empty lists with buttons for some of the view's actions."""
        super().__init__(parent)
        self.maps = TwoLineList(
            self.tr("Maps"),
            self.tr("Select the map to show."),
            is_newest_first=True,
            has_fixed_room=True,  # a new map or its clusters widen nothing
        )
        self.maps.addActions([actions["rename"], actions["delete"]])
        self.colours = QComboBox()
        self.colours.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed
        )  # the longest title would widen the sidebar
        describe(
            self.colours,
            self.tr("Colour by"),
            self.tr("Choose what the colours of the points show."),
        )
        self.legend = LegendList()
        self.filters = MapFilters()
        self.clusters = TwoLineList(
            self.tr("Clusters"),
            self.tr("Select a cluster to list its sentences."),
            has_fixed_room=True,
        )
        self.colours.activated.connect(
            lambda: self.column_chosen.emit(str(self.colours.currentData()))
        )
        self._lay_out(actions)

    def show_maps(self, rows: list[TwoLineRow]) -> None:
        """Show the maps."""
        self.maps.show_rows(rows)
        self._fit_maps()

    def _fit_maps(self) -> None:
        """Leave room for the tabs in a low window, regardless of the number of maps."""
        steps = (LOW_HEIGHT, LOWEST_HEIGHT)
        n_less = sum(self.height() < scaled(step, self) for step in steps)
        self.maps.fit(MAX_MAPS - n_less, least=MAX_MAPS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many maps as fit."""
        super().resizeEvent(event)
        self._fit_maps()
        self.maps.scrollTo(self.maps.currentIndex())

    def show_columns(self, columns: Sequence[ColourColumn], chosen: str) -> None:
        """Offer columns to colour by."""
        self.colours.blockSignals(True)
        self.colours.clear()
        for column in columns:
            self.colours.addItem(column.title, column.key)
        self.colours.setCurrentIndex(max(self.colours.findData(chosen), 0))
        self.colours.blockSignals(False)

    def choose_column(self, key: str) -> None:
        """Select the column that determines the colours."""
        self.colours.setCurrentIndex(max(self.colours.findData(key), 0))

    def show_clusters(self, rows: list[TwoLineRow]) -> None:
        """Show the clusters of a map."""
        self.clusters.show_rows(rows)

    def find(self) -> None:  # type: ignore[override] # QWidget's is about windows
        """Show the filters, and focus the search field."""
        self.tabs.setCurrentWidget(self.filters)
        self.filters.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.find_field.selectAll()

    def _lay_out(self, actions: MapActions) -> None:
        new = make_action_button(actions["make"], kind="primary")
        new.setText(self.tr("New…"))
        actions["make"].changed.connect(lambda: new.setText(self.tr("New…")))
        head = make_row((make_label(self.tr("Maps"), "heading"), 1), new)
        legend = as_widget(
            make_column(
                self.colours,
                (self.legend, 1),
                make_action_button(actions["clear_filter"], kind="quiet"),
                margins=(0, GRID, 0, 0),
            )
        )
        clusters = as_widget(make_column(self.clusters, margins=(0, GRID, 0, 0)))
        self.tabs = make_tabs()
        self.tabs.tabBar().setProperty("compact", True)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)  # the sidebar is wide enough
        self.tabs.addTab(legend, self.tr("Colours"))
        self.tabs.addTab(clusters, self.tr("Clusters"))
        self.tabs.addTab(self.filters, self.tr("Filter"))
        make_column(head, self.maps, (self.tabs, 1), parent=self)
