"""Map of the words of two languages; a slider moves both into one space."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSlider, QWidget

from app.arrays import DoubleArray
from app.errors import ErrorInfo
from app.languages import language_name
from app.number_format import format_percent
from app.protocol.answers.words import WordMapAnswer
from app.protocol.queries.words import WordMapQuery
from app.views.client.state import AppState
from app.views.widgets.class_colours import class_colours
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.number_format import format_count
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.text_layout import find_free
from app.views.widgets.theme import GRID, colours_of

N_NAMED = 24  # words per language that can have a name on the map
DOT_SIZE, OPACITY = 5, 130
STEPS = 100  # slider steps


class WordMapPlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """The words as points; the points of the source language move.

    Attributes:
        source_places: displayed coordinates of the source words, float64 (n, 2).
    """

    def __init__(self, parent: QWidget | None = None):
        """Make an empty map."""
        super().__init__(parent, enableMenu=False)
        self.source_places: DoubleArray = np.empty((0, 2))
        self._before: DoubleArray = np.empty((0, 2))
        self._after: DoubleArray = np.empty((0, 2))
        self._words: tuple[list[str], list[str]] = ([], [])
        self._targets: DoubleArray = np.empty((0, 2))
        self._points = tuple(
            pyqtgraph.ScatterPlotItem(size=DOT_SIZE, hoverable=True, tip=_name_point)
            for _ in range(2)
        )
        self._names: tuple[list[pyqtgraph.TextItem], ...] = ([], [])
        for points in self._points:
            self.addItem(points)
        self.getViewBox().sigTransformChanged.connect(self._show_free_names)
        self.hideButtons()
        self.setAspectLocked(True)
        for side in ("left", "bottom"):
            self.hideAxis(side)
        words = self.tr("Point at a word to read it. Drag to move; scroll to zoom.")
        describe(self, self.tr("Bilingual vectors"), words)
        self.show_theme()

    def show_words(self, answer: WordMapAnswer) -> None:
        """Draw the words of an answer at their positions before mapping."""
        self._before = np.array([one.before for one in answer.sources]).reshape(-1, 2)
        self._after = np.array([one.after for one in answer.sources]).reshape(-1, 2)
        self._targets = np.array([one.place for one in answer.targets]).reshape(-1, 2)
        self._words = (
            [one.item for one in answer.sources],
            [one.item for one in answer.targets],
        )
        for names, words in zip(self._names, self._words, strict=True):
            for item in names:
                self.removeItem(item)
            names[:] = [pyqtgraph.TextItem(words[i]) for i in _named(len(words))]
            for item in names:
                self.addItem(item, ignoreBounds=True)
        self.move_words(0.0)
        every = np.concatenate([self._before, self._after, self._targets])
        low, high = every.min(axis=0), every.max(axis=0)  # (n, 2) -> (2,)
        self.setRange(xRange=(low[0], high[0]), yRange=(low[1], high[1]))
        self.show_theme()

    def move_words(self, share: float) -> None:
        """Move the source words; 0: before mapping, 1: after mapping."""
        self.source_places = (1 - share) * self._before + share * self._after
        places = (self.source_places, self._targets)
        for points, names, words, at in zip(
            self._points, self._names, self._words, places, strict=True
        ):
            points.setData(x=at[:, 0], y=at[:, 1], data=words)
            for item, row in zip(names, _named(len(words)), strict=True):
                item.setPos(*at[row])
        self._show_free_names()

    def _show_free_names(self) -> None:
        """Show names that do not overlap the name of a more frequent word."""
        ranked = [
            item
            for both in zip_longest(*self._names)
            for item in both
            if item is not None
        ]
        for item in ranked:
            item.show()
        free = find_free([self._room(item) for item in ranked])
        for index in {*range(len(ranked))}.difference(free):
            ranked[index].hide()

    def _room(self, item: pyqtgraph.TextItem) -> QRectF:
        """Return the rectangle of a name in pixels of the plot."""
        room = QRectF(item.textItem.boundingRect())
        room.moveTopLeft(self.getViewBox().mapViewToScene(item.pos()))
        return room

    def table(self) -> Iterator[Sequence[str]]:
        """Yield a row for each word: language, word, coordinates."""
        yield ["side", "word", "x", "y"]
        places = (self.source_places, self._targets)
        for side, words, at in zip(
            ("source", "target"), self._words, places, strict=True
        ):
            for word, (x, y) in zip(words, at.tolist(), strict=True):
                yield [side, word, f"{x:.6g}", f"{y:.6g}"]

    def colours(self) -> tuple[str, str]:
        """Return the colours of source and target words."""
        palette = class_colours(colours_of(self))
        return palette[0], palette[1]

    def show_theme(self) -> None:
        """Draw in the colours of the theme."""
        colours = colours_of(self)
        self.setBackground(colours.surface)
        for points, names, colour in zip(
            self._points, self._names, self.colours(), strict=True
        ):
            fill = QColor(colour)
            fill.setAlpha(OPACITY)
            points.setBrush(fill)
            points.setPen(None)
            for item in names:
                item.setColor(QColor(colour))

    def changeEvent(self, event: QEvent) -> None:
        """Redraw after a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_points"):
            self.show_theme()


class WordMapDialog(QDialog):
    """Shows both vocabularies of bilingual vectors before and after mapping.

    Attributes:
        plot: the map.
        slider: position between the original vectors and the mapped vectors.
    """

    shown = Signal()  # the words are drawn

    def __init__(self, state: AppState, name: str, parent: QWidget):
        """Request the words of the bilingual vectors `name`."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Bilingual vectors: {name}").format(name=name))
        self.plot = WordMapPlot()
        self._legend = make_label("", wraps=True)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._file = PlotExporter(state, self.plot, name, self.plot.table)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 10)
        hint = self.tr("Move the words to their positions before or after mapping.")
        describe(self.slider, self.tr("Mapping"), hint)
        self.slider.valueChanged.connect(self._on_moved)
        below = QHBoxLayout()
        below.setSpacing(GRID)
        below.addWidget(make_label(self.tr("Before mapping"), "secondary"))
        below.addWidget(self.slider, 1)
        below.addWidget(make_label(self.tr("After mapping"), "secondary"))
        below.addWidget(self._file.make_menu())
        close = make_button(self.tr("Close"), self.tr("Close the map."), self.accept)
        close.setDefault(True)
        below.addWidget(close)
        layout = lay_out_dialog(self)
        layout.addWidget(self._legend)
        layout.addWidget(self.plot, 1)
        layout.addLayout(below)
        fit_dialog(self, 100 * GRID, 80 * GRID)
        self.slider.setEnabled(False)
        state.ask(WordMapQuery(map=name), self._on_answered)

    @property
    def legend(self) -> str:
        """The text above the map, without colours."""
        return self._legend.accessibleName()

    def _on_answered(self, answer: WordMapAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._legend.setText(answer.message)
            return
        self.plot.show_words(answer)
        self.slider.setEnabled(True)
        self.slider.setFocus()
        sides = (
            (answer.source_language, len(answer.sources)),
            (answer.target_language, len(answer.targets)),
        )
        words = [f"{language_name(code)} {format_count(n)}" for code, n in sides]
        share = self.tr("{share} of the variance of the mapped words").format(
            share=format_percent(answer.share)
        )
        marked = [
            f'<span style="color:{colour}">●</span> {text}'
            for colour, text in zip(self.plot.colours(), words, strict=True)
        ]
        self._legend.setText(" &nbsp; ".join([*marked, share]))
        describe(self._legend, ", ".join([*words, share]), has_tooltip=False)
        self.shown.emit()

    def _on_moved(self, value: int) -> None:
        self.plot.move_words(value / STEPS)


def _named(n: int) -> list[int]:
    """Return the rows of words with names on the map, evenly spaced by rank."""
    return sorted({*np.linspace(0, n - 1, min(N_NAMED, n)).astype(int).tolist()})


def _name_point(x: float, y: float, data: Any) -> str:
    return str(data)
