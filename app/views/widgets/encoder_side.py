"""The left side of the encoders view: heading, Add, the list, what fills the disk."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.engine.store.rows import EmbeddingRow
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.encoder_facts import vector_bytes
from app.views.widgets.encoder_list import EncoderList
from app.views.words import format_bytes


class EncoderSide(QWidget):
    """The list of encoders with what adds to it."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.list = EncoderList()
        self._add = make_button(
            self.tr("Add"),
            self.tr("Add an encoder, or vectors; or drop a file or folder here."),
        )
        self._strange = make_label("", "secondary", wraps=True)
        self._drop = make_button(
            self.tr("Remove…"),
            self.tr("Remove these vectors from the disk."),
            kind="quiet",
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(make_label(self.tr("Encoders"), "heading"), 1)
        head.addWidget(self._add)
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(GRID, 0, 0, 0)
        foot.addWidget(self._strange, 1)
        foot.addWidget(self._drop, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._foot)
        self._foot.hide()

    @property
    def note(self) -> str:
        """What is said of vectors that nobody can search."""
        return self._strange.text() if not self._foot.isHidden() else ""

    def set_actions(self, adding: Sequence[QAction], dropping: QAction) -> None:
        """Put the ways to add into a menu, and removing vectors on its button."""
        menu = QMenu(self._add)
        menu.setToolTipsVisible(True)
        menu.addActions(list(adding))
        self._add.setMenu(menu)
        first = adding[0]
        first.changed.connect(lambda: self._add.setEnabled(first.isEnabled()))
        self._add.setEnabled(first.isEnabled())
        self._drop.clicked.connect(dropping.trigger)
        dropping.changed.connect(lambda: self._drop.setEnabled(dropping.isEnabled()))
        self._drop.setEnabled(dropping.isEnabled())

    def show_strange(self, rows: Sequence[EmbeddingRow], names: str) -> None:
        """Say how much the vectors take whose encoders, of these names, are gone."""
        self._foot.setVisible(bool(rows))
        words = self.tr("Vectors of {names}, which is not here: {size}")
        size = format_bytes(sum(map(vector_bytes, rows)))
        self._strange.setText(words.format(names=names, size=size))
