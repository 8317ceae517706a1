"""Filter the points of a map by several columns at once, and by words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from PySide6.QtCore import QEvent, QObject, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)

from app.arrays import IdArray
from app.engine.store.arrays import map_array
from app.engine.store.corpora import corpus_of
from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.search import OrderQuery
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.map.colouring import (
    CLUSTER,
    DENSITY,
    FIELD,
    LANGUAGE,
    POSITION,
    Colouring,
    list_columns,
    read_colouring,
)
from app.views.map.drawing.grid import Mask
from app.views.map.drawing.points import MapPoints
from app.views.map.histogram import NumberBins, RangeHistogram, make_bins
from app.views.map.idle_work import IdleWorker
from app.views.map.legend import (
    SWATCH,
    LegendRow,
    highlighted_points,
    legend_rows,
)
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.cells import Index
from app.views.widgets.classifiers import read_classifiers
from app.views.widgets.controls import (
    describe,
    describe_action,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.icons import themed_icon
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.theme import GRID, colours_of, mix, scaled
from app.views.widgets.view_protocol import TextLookup

FIND_DELAY_MS, RANGE_DELAY_MS = 200, 40
MAX_VALUES = 40  # offered per column
ANYWHERE = "*"  # prefix for finding text inside words, too
FIND = "find"  # key of the word filter, next to the keys of columns
NOT_OFFERED = (CLUSTER, DENSITY, POSITION)  # shown elsewhere
VALUE_ROLE = int(Qt.ItemDataRole.UserRole)
SHARES_ROLE = VALUE_ROLE + 1  # (all, passing) relative to the top value
BAR_HEIGHT, BAR_GAP = 3, 3  # pixels


class Facet(NamedTuple):
    """A column that can filter the points.

    Attributes:
        colouring: value of each point.
        rows: the selectable values; empty for numbers.
        bins: bins of the numbers; None: the column has classes.
    """

    colouring: Colouring
    rows: tuple[LegendRow, ...] = ()
    bins: NumberBins | None = None

    @property
    def title(self) -> str:
        """The short title of the column, such as year for Document field year."""
        return self.colouring.short_title

    @property
    def has_all_values(self) -> bool:
        """Return whether all classes of the column are selectable, as in the legend."""
        return self.bins is None and len(self.rows) == len(self.colouring.names)

    @property
    def rank(self) -> int:
        """Sort key of the column: numbers of documents, classes, other numbers."""
        is_field = self.colouring.key.startswith(FIELD)
        return 1 if self.bins is None else 0 if is_field else 2

    def count_values(self, mask: Mask | None) -> list[int]:
        """Count the points of each value or bin in a mask; None: all points."""
        codes = self.colouring.codes if self.bins is None else self.bins.codes
        counts = np.bincount(codes if mask is None else codes[mask], minlength=256)
        if self.bins is not None:
            in_bins: list[int] = counts[: self.bins.n_bins].tolist()
            return in_bins
        return [int(counts[list(row.codes)].sum()) for row in self.rows]


class FilterState(msgspec.Struct, frozen=True):
    """The filters of a map, as saved in a session.

    Attributes:
        find: words to find.
        values: selected values by the key of their column.
        ranges: lower bounds of the first and last chosen bin, by key of the column.
    """

    find: str = ""
    values: dict[str, list[str]] = {}
    ranges: dict[str, tuple[float, float]] = {}


class ValueDelegate(QStyledItemDelegate):
    """Paints a value, its count, and a bar whose darker part is the matching points."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Use a secondary colour for titles and counts; put values above the bar."""
        super().initStyleOption(option, index)
        is_title, is_count = not index.parent().isValid(), index.column() == 1
        if not is_title:
            option.displayAlignment |= Qt.AlignmentFlag.AlignTop
            option.displayAlignment &= ~Qt.AlignmentFlag.AlignVCenter
        if is_title or is_count:
            colour = QColor(colours_of(QApplication.palette()).secondary)
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, colour)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the value."""
        super().paint(painter, option, index)
        tokens = colours_of(QApplication.palette())
        bar = QRectF(option.rect).adjusted(3, 0, -GRID, -1)
        bar.setTop(bar.bottom() - BAR_HEIGHT)
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        colours = mix(tokens, "accent", 0.25), tokens.accent
        shares = index.data(SHARES_ROLE) or (0.0, 0.0)
        for share, colour in zip(shares, colours, strict=True):
            painter.setBrush(QColor(colour))
            size = QSizeF(bar.width() * share, BAR_HEIGHT)
            painter.drawRect(QRectF(bar.topLeft(), size))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Add the height of the bar."""
        return super().sizeHint(option, index) + QSize(0, 2 * BAR_GAP)


class MapFilters(QWidget):
    """A search field, and the values of each column with their counts.

    Attributes:
        find_field: words that the sentences contain.
        tree: columns with their values below; the selected values are the filter.
        histograms: histograms inside the tree for columns of numbers, by key.
    """

    chosen_changed = Signal()
    find_changed = Signal()
    select_requested = Signal()
    meaning_requested = Signal(str)  # words: search by meaning

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.find_field = QLineEdit(placeholderText=self.tr("Find on the map"))
        self.find_field.setClearButtonEnabled(True)
        self.meaning = QAction(self.tr("Find by meaning"), self)
        hint = self.tr(
            "Search for sentences with a similar meaning. In Search, "
            "{keys} shows the hits on the map."
        )
        keys = QKeySequence("Ctrl+Shift+H")
        text = keys.toString(QKeySequence.SequenceFormat.NativeText)
        describe_action(self.meaning, hint.format(keys=text))
        self.meaning.setEnabled(False)
        self.meaning.triggered.connect(self._on_meaning_wanted)
        place = QLineEdit.ActionPosition.TrailingPosition
        self.find_field.addAction(self.meaning, place)
        hint = self.tr(
            "Type the start of a word, or words in a row. The sentences that contain "
            "them keep their colour. *rain also finds train."
        )
        describe(self.find_field, self.tr("Find on the map"), hint)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(GRID)
        self.tree.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        side = scaled(SWATCH, self)
        self.tree.setIconSize(QSize(side, side))
        self.tree.setItemDelegate(ValueDelegate(self.tree))
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        hint = self.tr(
            "Select values. The counts include only points that pass the filters."
        )
        describe(self.tree, self.tr("Values"), hint, has_tooltip=False)
        self.count = make_label("", "secondary", wraps=True)
        self.select_button = make_button(
            self.tr("Select"),
            self.tr("Select the sentences that pass, and show them in the table."),
            self.select_requested.emit,
            kind="quiet",
        )
        words = self.tr("Select the sentences that pass the filters")
        offer_in_palette(self.select_button, words)
        policy = self.select_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the values below do not move
        self.select_button.setSizePolicy(policy)
        make_column(
            self.find_field,
            make_row((self.count, 1), self.select_button),
            (self.tree, 1),
            parent=self,
            margins=(0, GRID, 0, 0),
        )
        self._timer = QTimer(self, singleShot=True, interval=FIND_DELAY_MS)
        self._timer.timeout.connect(self.find_changed)
        self.histograms: dict[str, RangeHistogram] = {}
        self._range_timer = QTimer(self, singleShot=True, interval=RANGE_DELAY_MS)
        self._range_timer.timeout.connect(self.chosen_changed)
        self.find_field.textChanged.connect(self._on_typed)
        self.tree.itemSelectionChanged.connect(self.chosen_changed)
        self._show_theme()

    @property
    def words(self) -> str:
        """The words to find; may be empty."""
        return self.find_field.text().strip().removeprefix(ANYWHERE)

    @property
    def finds_anywhere(self) -> bool:
        """Return whether text inside words is found, too: *rain."""
        return self.find_field.text().strip().startswith(ANYWHERE)

    def chosen(self, key: str) -> tuple[str, ...]:
        """Return the selected values of a column; empty: all pass."""
        found = [one.data(0, VALUE_ROLE) for one in self.tree.selectedItems()]
        return tuple(title for of, title in found if of == key)

    def show_facets(self, facets: Sequence[Facet]) -> None:
        """Show the values of columns, without a selection."""
        self.tree.blockSignals(True)
        self.tree.clear()
        self.histograms = {}
        for facet in facets:
            title = facet.title
            top = QTreeWidgetItem([title[:1].upper() + title[1:], ""])
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(top)
            top.setFirstColumnSpanned(True)
            if facet.bins is not None:
                self._add_histogram(top, facet.bins)
            for row in facet.rows:
                item = QTreeWidgetItem([row.title, format_count(row.n)])
                item.setData(0, VALUE_ROLE, (facet.colouring.key, row.title))
                item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
                top.addChild(item)
            top.setExpanded(True)
        self.tree.blockSignals(False)
        order: list[QWidget] = [self.tree]
        for histogram in self.histograms.values():
            order += [histogram.bars, histogram.clear_button]
        for one, following in pairwise(order):
            QWidget.setTabOrder(one, following)

    def _add_histogram(self, top: QTreeWidgetItem, bins: NumberBins) -> None:
        item = QTreeWidgetItem()
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        top.addChild(item)
        item.setFirstColumnSpanned(True)
        histogram = RangeHistogram(bins)
        histogram.range_changed.connect(self._range_timer.start)
        self.histograms[bins.colouring.key] = histogram
        self.tree.setItemWidget(item, 0, histogram)

    def show_colours(self, key: str, colours: Mapping[str, str]) -> None:
        """Show the colours of a column's values; remove those of other columns.

        Args:
            colours: #RRGGBB by value.
        """
        self.tree.blockSignals(True)
        for item in self._value_items():
            of, title = item.data(0, VALUE_ROLE)
            name = colours.get(title) if of == key else None
            colour = None if name is None else QColor(name)
            item.setData(0, Qt.ItemDataRole.DecorationRole, colour)
        self.tree.blockSignals(False)

    def _value_items(self) -> Iterator[QTreeWidgetItem]:
        every = QTreeWidgetItemIterator(self.tree)
        while (item := every.value()) is not None:
            if item.data(0, VALUE_ROLE):
                yield item
            every += 1

    def chosen_filters(self) -> FilterState:
        """Return the search words, the selected values, and the ranges of numbers."""
        values: dict[str, list[str]] = {}
        for one in self.tree.selectedItems():
            key, title = one.data(0, VALUE_ROLE)
            values.setdefault(key, []).append(title)
        ranges = {
            key: histogram.ends
            for key, histogram in self.histograms.items()
            if histogram.ends is not None
        }
        return FilterState(self.find_field.text().strip(), values, ranges)

    def choose(self, filters: FilterState) -> None:
        """Select values and ranges of numbers that are available."""
        self.tree.blockSignals(True)
        for item in self._value_items():
            key, title = item.data(0, VALUE_ROLE)
            item.setSelected(title in filters.values.get(key, ()))
        self.tree.blockSignals(False)
        for key, histogram in self.histograms.items():
            histogram.choose_ends(filters.ranges.get(key))

    def has_filter(self) -> bool:
        """Return whether values or a range of numbers are selected."""
        ranges = [one.range for one in self.histograms.values()]
        return bool(self.tree.selectedItems()) or any(ranges)

    def filter_of(self, facet: Facet) -> Mask | None:
        """Return a mask of the points that match a column's filter; None: no filter."""
        if facet.bins is None:
            chosen = self.chosen(facet.colouring.key)
            return highlighted_points(facet.colouring, facet.rows, chosen)
        bins = self.histograms[facet.colouring.key].range
        if bins is None:
            return None
        codes = facet.bins.codes
        in_range: Mask = (codes >= bins[0]) & (codes <= bins[1])
        return in_range

    def describe_filter(self, facet: Facet) -> str:
        """Describe the filter of a column; empty: no filter."""
        if facet.bins is not None:
            bins = self.histograms[facet.colouring.key].range
            return f"{facet.title}: {facet.bins.describe(bins)}" if bins else ""
        chosen = self.chosen(facet.colouring.key)
        return f"{facet.title}: {', '.join(chosen)}" if chosen else ""

    def show_text(self, text: str, *, can_select: bool = False) -> None:
        """Show the number of matching points, or an error; offer to select them."""
        self.count.setText(text)
        self.count.setVisible(bool(text))
        self.select_button.setVisible(can_select)

    def show_counts(
        self, facets: Sequence[Facet], counts: Sequence[Sequence[int]]
    ) -> None:
        """Show the count of each value among points that match the other filters."""
        hint = self.tr("{value}: {n} of {total} sentences")
        for index, (facet, numbers) in enumerate(zip(facets, counts, strict=True)):
            top = self.tree.topLevelItem(index)
            if facet.bins is not None:
                self.histograms[facet.colouring.key].show_counts(numbers)
                continue
            most = max(row.n for row in facet.rows)
            for at, (row, n) in enumerate(zip(facet.rows, numbers, strict=True)):
                if top is None or (item := top.child(at)) is None:
                    continue
                shown, total = format_count(n), format_count(row.n)
                item.setText(1, shown)
                item.setData(0, SHARES_ROLE, (row.n / most, n / most))
                item.setToolTip(0, hint.format(value=row.title, n=shown, total=total))

    def clear(self) -> None:
        """Clear all filters, including the search words."""
        self.tree.clearSelection()
        self.find_field.clear()
        for histogram in self.histograms.values():
            histogram.clear()
        if self._range_timer.isActive():
            self._range_timer.stop()
            self.chosen_changed.emit()

    def _on_typed(self) -> None:
        """Search after a short delay; clear an empty search immediately."""
        self.meaning.setEnabled(bool(self.words))
        if self.words:
            self._timer.start()
        else:
            self._timer.stop()
            self.find_changed.emit()

    def _on_meaning_wanted(self) -> None:
        """Search by meaning, without the text filter, which would hide the hits."""
        words = self.words
        self.find_field.clear()
        self.meaning_requested.emit(words)

    def _show_theme(self) -> None:
        self.meaning.setIcon(themed_icon("search", colours_of(self)))

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icon in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_theme()


class FilterController(QObject):
    """Reads the columns of a map, and finds the points that match all filters.

    Attributes:
        ids: the matching sentences, ascending; None: no filter.
        facets: the columns available as filters.
    """

    changed = Signal()

    def __init__(self, state: AppState, panel: MapFilters):
        super().__init__(panel)
        self._state, self._panel = state, panel
        self._points: MapPoints | None = None
        self.facets: list[Facet] = []
        self.ids: IdArray | None = None
        self._found: IdArray | None = None  # sentences that contain the words
        self._kept = FilterState()  # applied again when the columns are read
        self._masks: dict[str, Mask | None] = {}  # matching points by key
        self._worker = IdleWorker(self)
        panel.chosen_changed.connect(self._update)
        panel.find_changed.connect(self._ask)
        panel.meaning_requested.connect(self._search)
        state.labels.labelled.connect(self._on_labelled)

    def show_points(self, points: MapPoints | None) -> None:
        """Read the columns of a map, and then show them as filters."""
        self._points, self._found, self.ids = points, None, None
        self._kept = self.chosen
        self._panel.show_facets([])
        self.facets, self._masks = [], {}
        self._update()
        self.read()
        if points is not None and self._panel.words:
            self._ask()

    def describe(self) -> list[str]:
        """Describe the filters: “harbour”, Language: German, year: 1848."""
        words = [f"“{self._panel.words}”"] if self._found is not None else []
        columns = [self._panel.describe_filter(facet) for facet in self.facets]
        return words + [text for text in columns if text]

    @property
    def chosen(self) -> FilterState:
        """The filters, including those of columns that are still being read."""
        chosen = self._panel.chosen_filters()
        if self.facets:
            return chosen
        return msgspec.structs.replace(self._kept, find=chosen.find)

    def choose(self, filters: FilterState) -> None:
        """Filter the shown map as soon as its columns are read."""
        self._kept = filters
        self._panel.find_field.setText(filters.find)
        self._panel.choose(filters)
        self._update()

    def offers(self, key: str) -> bool:
        """Return whether all values of a column are available."""
        return any(
            one.colouring.key == key and one.has_all_values for one in self.facets
        )

    def count_languages(self, ids: IdArray) -> list[tuple[str, int]]:
        """Count sentences by language, the most frequent first.

        Uses the languages of the corpora if the map has one language or is being read.
        """
        points, named = self._points, Counter[str]()
        of_map = (one for one in self.facets if one.colouring.key == LANGUAGE)
        facet = next(of_map, None)
        if points is not None and facet is not None:
            counts = np.bincount(facet.colouring.codes[points.mask_of(ids)])
            for name, n in zip(facet.colouring.names, counts.tolist(), strict=False):
                named[name] = n
        else:
            languages = {row.id: row.language for row in self._state.corpora}
            corpora, numbers = np.unique(corpus_of(ids), return_counts=True)
            for id_, n in zip(corpora.tolist(), numbers.tolist(), strict=True):
                named[language_name(languages.get(id_, ""))] += n
        return [(name, n) for name, n in named.most_common() if n]

    def values_of(self, key: str) -> tuple[str, ...]:
        """Return the selected values of a column; empty: all pass."""
        return tuple(self.chosen.values.get(key, ()))

    def choose_values(self, key: str, titles: Sequence[str]) -> None:
        """Select values of a column as soon as it is read."""
        values = {**self.chosen.values, key: list(titles)}
        filters = msgspec.structs.replace(self.chosen, values=values)
        self._kept = filters
        if self.offers(key):
            self._panel.choose(filters)
            self._update()

    def passing_others(self, key: str) -> Mask | None:
        """Return a mask of the points that match all other filters; None: all."""
        return _join([mask for of, mask in self._masks.items() if of != key])

    def read(self) -> None:
        """Read the columns, keeping the filters."""
        project, points = self._state.project, self._points
        if points is not None and project is not None:
            steps = _read_facets(project, points, self._panel)
            self._worker.start(steps, self._show, lambda _: None)

    def _show(self, facets: list[Facet]) -> None:
        chosen, tree = self.chosen, self._panel.tree
        bar = tree.verticalScrollBar()
        seen = bar.value()
        self.facets = facets
        self._panel.show_facets(facets)
        self._panel.choose(chosen)
        self._update()
        tree.doItemsLayout()
        bar.setValue(seen)  # keep the scroll position when labels are reloaded

    def _on_labelled(self) -> None:
        """Reload the labels, unless that would clear a filter."""
        if not self._panel.has_filter():
            self.read()

    def _ask(self) -> None:
        """Request the sentences that contain the words."""
        find, points = self._panel.words, self._points
        if not find or points is None:
            self._found = None
            self._update()
            return
        corpora = np.unique(corpus_of(points.ids)).tolist()
        query = OrderQuery(
            corpora=tuple(corpora),
            find=find,
            at_word_start=not self._panel.finds_anywhere,
            requester="map",
        )
        self._state.ask(query, self._on_found)

    def _search(self, words: str) -> None:
        """Search by meaning in the corpora of the map."""
        if self._points is not None:
            corpora = np.unique(corpus_of(self._points.ids)).tolist()
            self._state.view_requests.neighbours_requested.emit(
                TextLookup(words, tuple(corpora))
            )

    def _on_found(self, answer: OrderAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None or not self._panel.words:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._panel.show_text(answer.message)
            return
        self._found = np.sort(map_array(project.folder / answer.file))
        self._update()

    def _update(self) -> None:
        """Find the matching points, and count the values of each column."""
        points = self._points
        if points is None:
            return
        self._masks = {
            one.colouring.key: self._panel.filter_of(one) for one in self.facets
        }
        words = None if self._found is None else points.mask_of(self._found)
        self._masks[FIND] = words
        counts = [
            facet.count_values(self.passing_others(facet.colouring.key))
            for facet in self.facets
        ]
        passing = _join(list(self._masks.values()))
        self.ids = None if passing is None else points.ids[passing]
        text = ""
        if self.ids is not None:
            one, many = self.tr("1 sentence passes."), self.tr("{n} sentences pass.")
            text = pluralize(len(self.ids), one, many)
        self._panel.show_counts(self.facets, counts)
        can_select = self.ids is not None and len(self.ids) > 0
        self._panel.show_text(text, can_select=can_select)
        self.changed.emit()


def _read_facets(
    project: ProjectReader, points: MapPoints, panel: QWidget
) -> Iterator[list[Facet] | None]:
    """Read the columns that have at least two values, in short steps."""
    classifiers = read_classifiers(project.store)
    facets: list[Facet] = []
    for column in list_columns(project, points, classifiers):
        if column.key in NOT_OFFERED:
            continue
        colouring: Colouring | None = None
        for step in read_colouring(project, points, column, classifiers):
            colouring = step
            yield None
        if colouring is not None and colouring.is_number:
            if (bins := make_bins(colouring)) is not None:
                facets.append(Facet(colouring, bins=bins))
        elif colouring is not None:
            rows = legend_rows(colouring, (), colours_of(panel))[:MAX_VALUES]
            if len(rows) > 1:
                facets.append(Facet(colouring, tuple(rows)))
    yield sorted(facets, key=lambda facet: facet.rank)


def _join(masks: Sequence[Mask | None]) -> Mask | None:
    """Return the intersection of masks; None if there are no masks."""
    used = [mask for mask in masks if mask is not None]
    return np.logical_and.reduce(used) if used else None
