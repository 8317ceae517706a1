"""List of the sentences in colour, and the splitter between it and the maps."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.arrays import IdArray
from app.number_format import format_percent
from app.views.client.state import AppState
from app.views.map.actions import MapActions
from app.views.map.analysis import MapMovement
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.page_model import LABEL, LANGUAGE, SENTENCE, Column
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.theme import GRID, scaled

WIDE_WINDOW = 208 * GRID  # at this width or more, the list is to the right of the maps
WIDE_SHARE, HIGH_SHARE = 0.38, 0.3  # share of the page right of and below the maps
LEAST_SHARE, MOST_SHARE = 0.1, 0.8
HORIZONTAL, VERTICAL = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class MapSplitter(QSplitter):
    """Splitter with the maps and the list of sentences, side by side if wide.

    The orientation depends on the width of the window, so that the list doesn't move
    when the inspector opens. When the page is resized, the list keeps its size.
    """

    def __init__(self, maps: QWidget, sentences: QWidget):
        super().__init__(VERTICAL)
        self._list = sentences
        self._is_needed, self._is_allowed = False, True
        self._shares = {HORIZONTAL: WIDE_SHARE, VERTICAL: HIGH_SHARE}  # of the list
        self.setChildrenCollapsible(False)
        self.setHandleWidth(2 * GRID)
        self.addWidget(maps)
        self.addWidget(sentences)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.splitterMoved.connect(self._on_moved)

    def show_list(self, is_needed: bool) -> None:
        """Show the list if it has sentences and the user allows it."""
        self._is_needed = is_needed
        self._show()

    def allow_list(self, is_allowed: bool) -> None:
        """Allow the list, or hide it until it is allowed again."""
        self._is_allowed = is_allowed
        self._show()

    def save_state(self) -> dict[str, Any]:
        """Return whether the list is allowed, and its share of the page."""
        wide, high = self._shares[HORIZONTAL], self._shares[VERTICAL]
        return {"wide": wide, "high": high}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        for key, way in (("wide", HORIZONTAL), ("high", VERTICAL)):
            share = state.get(key)
            if isinstance(share, float) and LEAST_SHARE <= share <= MOST_SHARE:
                self._shares[way] = share
        self._apply_share()

    def _show(self) -> None:
        was_hidden = self._list.isHidden()
        self._list.setVisible(self._is_needed and self._is_allowed)
        if was_hidden and not self._list.isHidden():
            self._apply_share()

    @property
    def _length(self) -> int:
        return self.width() if self.orientation() == HORIZONTAL else self.height()

    def _apply_share(self) -> None:
        share, length = self._shares[self.orientation()], self._length
        self.setSizes([round((1 - share) * length), round(share * length)])

    def _on_moved(self) -> None:
        share = self.sizes()[1] / max(self._length, 1)
        self._shares[self.orientation()] = min(max(share, LEAST_SHARE), MOST_SHARE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the list on the right in a wide window, or else below the maps."""
        super().resizeEvent(event)
        is_wide = self.window().width() >= scaled(WIDE_WINDOW)
        way = HORIZONTAL if is_wide else VERTICAL
        if way != self.orientation():
            self.setOrientation(way)
            self._apply_share()


COLUMNS = (LANGUAGE, SENTENCE, LABEL)


class MapSentences(QWidget):
    """A table of sentences with a heading, facts and buttons.

    Attributes:
        table: the sentences.
        movement: the changed neighbours, if shown.
    """

    def __init__(
        self, state: AppState, actions: MapActions, parent: QWidget | None = None
    ):
        """Make an empty table with buttons for some of the view's actions."""
        super().__init__(parent)
        self._state = state
        self.movement: MapMovement | None = None
        self.table = SentenceTable()
        self.table.always_two_lines = True
        self.table.horizontalHeader().setSectionsClickable(False)
        self._heading = ElidedLabel("section")
        self._shares: dict[int, float] = {}
        number = {"is_number": True, "is_sortable": False}
        self._shares_column = Column("kept", title=self.tr("Unchanged"), **number)
        self.table.page_model.readers["kept"] = self._read_shares
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["search"], self.tr("Find nearest")),
                (actions["zoom_to"], self.tr("Zoom to list")),
                (actions["copy_sentences"], self.tr("Copy")),
                (actions["label"], self.tr("Label…")),
                (actions["export_sentences"], self.tr("Export…")),
                (actions["clear"], self.tr("Clear")),
            ]
        )
        head = make_row((self._heading, 3), (tools, 2), gap=2 * GRID)
        layout = make_column(parent=self)
        self._facts = ElidedLabel("secondary")
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self.table, 1)
        offer_sentence_actions(state, self.table)
        self.table.sentence_opened.connect(state.view_requests.search_requested)
        state.labels.labelled.connect(self.table.page_model.forget_rows)
        state.texts_changed.connect(self.table.page_model.forget_rows)

    @property
    def heading(self) -> str:
        """The heading."""
        return self._heading.text()

    @property
    def facts(self) -> str:
        """The languages and keywords of the sentences."""
        return self._facts.text()

    def show_facts(self, facts: str) -> None:
        """Show languages and keywords of the sentences."""
        self._facts.setText(facts)

    def show_sentences(
        self,
        heading: str,
        ids: IdArray,
        movement: MapMovement | None = None,
        *,
        facts: str = "",
        find: str = "",
    ) -> None:
        """Show sentences in the order of the ids.

        Args:
            ids: int64 (n,), the sentences.
            movement: adds a column with the share of unchanged neighbours.
            facts: languages and keywords, if known.
            find: words to mark.
        """
        project = self._state.project
        self._heading.setText(heading)
        self.movement = movement
        self.show_facts(facts if movement is None else movement.describe())
        store = project.store if project is not None else None
        self.table.horizontalHeader().setVisible(movement is not None)
        columns: tuple[Column, ...] = COLUMNS
        if movement is not None:
            columns = (self._shares_column, SENTENCE, LANGUAGE, LABEL)
            ids_and_shares = movement.ids.tolist(), movement.shares.tolist()
            self._shares = dict(zip(*ids_and_shares, strict=True))
        self.table.show_ids(store, ArrayOrder(ids), columns=columns, find=find)

    def _read_shares(self, ids: list[int]) -> dict[int, str]:
        return {
            id_: format_percent(self._shares[id_]) for id_ in ids if id_ in self._shares
        }
