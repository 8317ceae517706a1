"""The head of the alignment view: which alignment, what is in it, its two columns."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.pair_rows import MiningRow
from app.engine.store.rows import CorpusRow
from app.languages import language_name
from app.views.theme import GRID
from app.views.widgets.controls import describe, make_action_button, make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.words import format_count


class AlignmentHead(QWidget):
    """Chooses an alignment, counts its links, and names its columns."""

    chosen = Signal(int)  # id of an alignment

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.box = QComboBox()
        describe(
            self.box, self.tr("Alignment"), self.tr("Choose which alignment is shown.")
        )
        self.box.setMinimumWidth(30 * GRID)
        self.box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(lambda _: self.chosen.emit(self.box.currentData()))
        self.counts = make_label("", "secondary")
        self._row = QHBoxLayout()
        self._row.setSpacing(GRID)
        self._row.addWidget(self.box, 3)
        self._row.addStretch(1)
        self._source, self._target = ElidedLabel("section"), ElidedLabel("section")
        # a name of letters from right to left stays at its column
        absolute = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self._source.setAlignment(Qt.AlignmentFlag.AlignLeft | absolute)
        self._target.setAlignment(Qt.AlignmentFlag.AlignRight | absolute)
        names = QHBoxLayout()
        names.setContentsMargins(GRID + 4, 0, 3 * GRID, 0)
        names.setSpacing(2 * GRID)
        names.addWidget(self._source, 1)
        names.addWidget(self.counts)
        names.addWidget(self._target, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID + 4)
        layout.addLayout(self._row)
        layout.addLayout(names)

    def set_actions(self, quiet: Sequence[QAction], primary: QAction) -> None:
        """Put the buttons at the right."""
        for action in quiet:
            self._row.addWidget(make_action_button(action))
        self._row.addWidget(make_action_button(primary, kind="primary"))

    def show_alignments(self, rows: Sequence[MiningRow], chosen: int) -> None:
        """List the alignments there are."""
        self.box.blockSignals(True)
        self.box.clear()
        for row in rows:
            self.box.addItem(row.name, row.id)
        self.box.setCurrentIndex(max(self.box.findData(chosen), 0))
        self.box.blockSignals(False)
        self.box.setEnabled(len(rows) > 1)

    def show_columns(self, source: CorpusRow | None, target: CorpusRow | None) -> None:
        """Name the two documents."""
        for label, corpus in ((self._source, source), (self._target, target)):
            language = language_name(corpus.language) if corpus else ""
            name = corpus.name if corpus else self.tr("(deleted)")
            label.setText(name if name == language else f"{name} · {language}")

    def show_counts(self, counts: tuple[int, int, int, int], *, is_whole: bool) -> None:
        """Say how many links there are, and how many sentences have none."""
        n_links, n_source, n_target, n_by_hand = counts
        words = self.tr(
            "{links} links · {source} + {target} without a translation · {hand} by hand"
        ).format(
            links=format_count(n_links),
            source=format_count(n_source),
            target=format_count(n_target),
            hand=format_count(n_by_hand),
        )
        self.counts.setText(words if is_whole else f"{words} …")
