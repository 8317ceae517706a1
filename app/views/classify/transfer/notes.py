"""Dialog with all notes on a transfer test."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import GRID

WIDTH, HEIGHT = 80 * GRID, 40 * GRID


class TransferNotesDialog(QDialog):
    """Shows notes, one paragraph per note.

    Attributes:
        text: the label with the notes.
    """

    def __init__(self, notes: Sequence[str], parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Notes on the test"))
        self.text = make_label("\n\n".join(notes), wraps=True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        page = QWidget()
        make_column(self.text, Stretch(1), parent=page)
        close = make_button(self.tr("Close"), self.tr("Close the notes."), self.accept)
        close.setDefault(True)
        layout = lay_out_dialog(self)
        layout.addWidget(make_scroll_area(page, self), 1)
        layout.addLayout(make_row(Stretch(), close))
        fit_dialog(self, WIDTH, HEIGHT)
