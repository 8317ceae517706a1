"""Header and sidebar of the encoders view."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.engine.store.embeddings import EmbeddingRow
from app.protocol.answers.encoders import EncoderInfo
from app.views.encoders.encoder_list import EncoderListView
from app.views.encoders.selection import vector_bytes
from app.views.widgets.adaptive_rows import ActionRow, WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import ElidedLabel, make_button, make_label
from app.views.widgets.encoder_button import describe_encoder
from app.views.widgets.number_format import format_bytes
from app.views.widgets.theme import GRID


class EncoderHeader(QWidget):
    """Heading, facts and buttons of an encoder."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading", takes_line=True)
        self._facts = make_label("", "secondary", wraps=True)
        self._in_use = make_label(self.tr("In use for search and encoding"), "accent")
        self._buttons = ActionRow()
        self._top = WrappingRow()
        self._top.addWidget(self._name)
        self._top.add_stretch()
        self._top.addWidget(self._in_use)
        make_column(self._top, self._facts, self._buttons, parent=self, gap=4)

    @property
    def texts(self) -> tuple[str, str]:
        """The displayed name and facts."""
        return self._name.text(), self._facts.text()

    def set_actions(self, use: QAction, others: Sequence[tuple[QAction, str]]) -> None:
        """Create a button for Use and a row of buttons for the other actions."""
        words = self.tr("Use in this project")
        self._use = make_button(words, use.statusTip(), use.trigger, kind="primary")
        use.changed.connect(lambda: self._use.setVisible(use.isEnabled()))
        self._top.addWidget(self._use)
        self._use.setVisible(use.isEnabled())
        self._buttons.set_actions(others)

    def show_encoder(self, encoder: EncoderInfo, *, is_in_use: bool) -> None:
        """Show an encoder."""
        self._name.setText(encoder.name)
        parts = [describe_encoder(encoder)]
        if encoder.n_parameters:
            words = self.tr("{n} million parameters")
            parts.insert(1, words.format(n=f"{encoder.n_parameters / 1e6:,.1f}"))
        if encoder.bundled:
            parts.append(self.tr("comes with Isogloss"))
        self._facts.setToolTip(encoder.description)
        self._facts.setText(" · ".join(parts))
        self._in_use.setVisible(is_in_use)


class EncoderSidebar(QWidget):
    """The list of encoders, with an Add menu."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.list = EncoderListView()
        self._add = make_button(
            self.tr("Add"),
            self.tr(
                "Add an encoder or vectors. You can also drop a file or folder here."
            ),
        )
        self._orphaned = make_label("", "secondary", wraps=True)
        self._remove = make_button(
            self.tr("Remove…"), self.tr("Delete these vectors from disk."), kind="quiet"
        )
        head = make_row((make_label(self.tr("Encoders"), "heading"), 1), self._add)
        self._foot = as_widget(
            make_row(
                (self._orphaned, 1),
                (self._remove, 0, Qt.AlignmentFlag.AlignTop),
                gap=None,
                margins=(GRID, 0, 0, 0),
            )
        )
        make_column(head, (self.list, 1), self._foot, parent=self)
        self._foot.hide()

    @property
    def note(self) -> str:
        """The note about vectors without an encoder, if any."""
        return self._orphaned.text() if not self._foot.isHidden() else ""

    def set_actions(self, add: Sequence[QAction], remove_vectors: QAction) -> None:
        """Fill the Add menu, and connect the button that removes orphaned vectors."""
        menu = QMenu(self._add)
        menu.setToolTipsVisible(True)
        menu.addActions(list(add))
        self._add.setMenu(menu)
        first = add[0]
        first.changed.connect(lambda: self._add.setEnabled(first.isEnabled()))
        self._add.setEnabled(first.isEnabled())
        self._remove.clicked.connect(remove_vectors.trigger)
        remove_vectors.changed.connect(
            lambda: self._remove.setEnabled(remove_vectors.isEnabled())
        )
        self._remove.setEnabled(remove_vectors.isEnabled())

    def show_orphaned(self, rows: Sequence[EmbeddingRow], names: str) -> None:
        """Show the size of orphaned vectors and the names of the missing encoders."""
        self._foot.setVisible(bool(rows))
        words = self.tr("Vectors of missing encoders: {names} ({size})")
        size = format_bytes(vector_bytes(rows))
        self._orphaned.setText(words.format(names=names, size=size))
