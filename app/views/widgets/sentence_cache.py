"""Sentences that were read, and how they were laid out: what is painted again soon."""

from collections import OrderedDict
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextLayout

from app.engine.store.rows import SentenceRow, read_sentences
from app.views.widgets.text_layout import Style, lay_out

if TYPE_CHECKING:
    from sqlalchemy import Engine

BLOCK, N_BLOCKS, N_LAYOUTS = 64, 64, 600  # sentences read at once; those kept


class SentenceCache:
    """Reads sentences with those around them, and keeps the last ones."""

    def __init__(self) -> None:
        self._store: Engine | None = None
        self._blocks: OrderedDict[int, list[SentenceRow | None]] = OrderedDict()
        self._layouts: OrderedDict[object, tuple[QTextLayout, float]] = OrderedDict()

    def open(self, store: "Engine | None") -> None:
        """Read from another store, or from the same anew."""
        self._store = store
        self._blocks.clear()
        self._layouts.clear()

    def forget_layouts(self) -> None:
        """Lay out anew: the size or the colours are others."""
        self._layouts.clear()

    def read(self, sentence_id: int) -> SentenceRow | None:
        """Give a sentence; None: it is gone."""
        key = sentence_id // BLOCK
        if key not in self._blocks and self._store is not None:
            ids = range(key * BLOCK, (key + 1) * BLOCK)
            self._blocks[key] = read_sentences(self._store, ids)
            while len(self._blocks) > N_BLOCKS:
                self._blocks.popitem(last=False)
        block = self._blocks.get(key)
        return block[sentence_id % BLOCK] if block else None

    def lay_out(
        self, row: SentenceRow, width: float, style: Style
    ) -> tuple[QTextLayout, float]:
        """Lay a sentence out in a width; gives the layout and its height."""
        key = (row.id, round(width), style.max_lines, style.font.pixelSize())
        if key not in self._layouts:
            self._layouts[key] = lay_out(row.text, row.language, width, style)
            while len(self._layouts) > N_LAYOUTS:
                self._layouts.popitem(last=False)
        return self._layouts[key]
