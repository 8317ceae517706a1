"""Cache of sentences, read in blocks, and their text layouts for painting."""

from collections import OrderedDict

from PySide6.QtGui import QTextLayout
from sqlalchemy import Engine

from app.engine.store.sentences import SentenceRow, read_sentences
from app.views.widgets.text_layout import TextStyle, lay_out_text

BLOCK, N_BLOCKS, N_LAYOUTS = 64, 64, 600  # sentences read at once; cache sizes


class SentenceCache:
    """Reads sentences in blocks, and caches recent ones and their text layouts."""

    def __init__(self) -> None:
        self._store: Engine | None = None
        self._blocks: OrderedDict[int, list[SentenceRow | None]] = OrderedDict()
        self._layouts: OrderedDict[object, tuple[QTextLayout, float]] = OrderedDict()

    def open(self, store: Engine | None) -> None:
        """Set the store, and clear the cache."""
        self._store = store
        self._blocks.clear()
        self._layouts.clear()

    def forget_layouts(self) -> None:
        """Clear the layouts after a change of size or colours."""
        self._layouts.clear()

    def read(self, sentence_id: int) -> SentenceRow | None:
        """Return a sentence, or None if it was deleted."""
        key = sentence_id // BLOCK
        if key not in self._blocks and self._store is not None:
            ids = range(key * BLOCK, (key + 1) * BLOCK)
            self._blocks[key] = read_sentences(self._store, ids)
            while len(self._blocks) > N_BLOCKS:
                self._blocks.popitem(last=False)
        block = self._blocks.get(key)
        return block[sentence_id % BLOCK] if block else None

    def lay_out(
        self, row: SentenceRow, width: float, style: TextStyle
    ) -> tuple[QTextLayout, float]:
        """Return the layout of a sentence for a width, and its height."""
        key = (row.id, round(width), style.max_lines, style.font.pixelSize())
        if key not in self._layouts:
            self._layouts[key] = lay_out_text(row.text, row.language, width, style)
            while len(self._layouts) > N_LAYOUTS:
                self._layouts.popitem(last=False)
        return self._layouts[key]
