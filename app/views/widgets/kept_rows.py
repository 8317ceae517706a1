"""Keep rows in place when new rows are added above them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QAbstractItemModel, QObject, QPoint
from PySide6.QtWidgets import QAbstractItemView

from app.views.widgets.cells import Index


class RowKeeper(QObject):
    """Keeps visible rows in place by scrolling the list when rows are added above.

    If there are too few rows to scroll that far, there is room below the last row
    until the user scrolls back.
    """

    def __init__(self, view: QAbstractItemView, key: Callable[[Index], object]):
        """Keep the rows of a view; `key` returns what the row at an index shows."""
        super().__init__(view)
        self._view, self._key, self._bar = view, key, view.verticalScrollBar()
        self._position = 0  # of the scroll bar, for the visible rows
        self._is_from_top = True  # the list was scrolled only by new rows
        self._before: tuple[dict[object, int], bool] = {}, True  # at a reset
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._bar.rangeChanged.connect(self._on_range_changed)
        self._bar.valueChanged.connect(self._on_scrolled)

    @property
    def is_scrolled(self) -> bool:
        """Whether the user has scrolled down."""
        return self._bar.value() > 0 and not self._is_from_top

    def show_top(self) -> None:
        """Show the newest row, unless the user has scrolled down."""
        if not self.is_scrolled:
            self._bar.setValue(0)

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep the rows in place while the list changes."""
        before = self._tops(), not self.is_scrolled
        yield
        self._restore(*before)

    def keep_on_reset(self, model: QAbstractItemModel) -> None:
        """Keep the rows in place whenever the model of the view is reset."""
        model.modelAboutToBeReset.connect(self._on_about_to_be_reset)
        model.modelReset.connect(self._on_reset)

    def _on_about_to_be_reset(self) -> None:
        self._before = self._tops(), not self.is_scrolled

    def _on_reset(self) -> None:
        self._restore(*self._before)

    def _restore(self, tops: dict[object, int], is_from_top: bool) -> None:
        """Scroll the first row that was on screen to its earlier position."""
        self._position = 0
        model = self._view.model()
        for row in range(model.rowCount()):
            index = model.index(row, 0)
            top = tops.get(self._key(index))
            if top is not None:
                moved = self._view.visualRect(index).y() - top
                self._position = max(self._bar.value() + moved, 0)
                self._bar.setMaximum(max(self._bar.maximum(), self._position))
                self._bar.setValue(self._position)
                self._is_from_top = is_from_top
                break

    def _tops(self) -> dict[object, int]:
        """Return where the visible rows begin, in pixels of the viewport."""
        view, model, tops = self._view, self._view.model(), {}
        first = view.indexAt(QPoint(1, 1)).row()
        for row in range(first, model.rowCount()) if first >= 0 else ():
            index = model.index(row, 0)
            tops[self._key(index)] = top = view.visualRect(index).y()
            if top > view.viewport().height():
                break
        return tops

    def _on_range_changed(self, _: int, last: int) -> None:
        if last < self._position:
            self._bar.setMaximum(self._position)

    def _on_scrolled(self, position: int) -> None:
        self._position = min(self._position, position)
        self._is_from_top = position == 0


def arrange_newest_first(
    view: QAbstractItemView, shown: Sequence[int], ids: Sequence[int]
) -> list[int]:
    """Return ids in an order that moves no visible row of a list.

    New rows come first, and a `RowKeeper` scrolls with them. While all rows
    fit into the list, new ones come last.

    Args:
        view: the list; while it is hidden, any row may move.
        shown: ids of its rows, as they are shown.
        ids: the ids to show, the newest first.
    """
    kept = [id_ for id_ in shown if id_ in ids]
    new = [id_ for id_ in ids if id_ not in shown]
    is_restored = any(id_ < max(shown, default=0) for id_ in new)
    if not view.isVisible() or not kept or is_restored:
        return list(ids)
    fits = view.verticalScrollBar().maximum() == 0
    return [*kept, *new] if fits else [*new, *kept]
