"""Asks how wide a picture shall be."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import describe, make_button, make_label

NARROWEST, WIDEST = 200, 12_000  # pixels
STEP = 100


class WidthDialog(QDialog):
    """A number of pixels; nothing is called when it is given up.

    Attributes:
        width_box: the number.
    """

    def __init__(self, width: int, save: Callable[[int], object], parent: QWidget):
        """Make it.

        Args:
            width: what is proposed.
            save: called with the width.
            parent: the view.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._save = save
        self.setWindowTitle(self.tr("Save as PNG"))
        self.width_box = QSpinBox()
        self.width_box.setRange(NARROWEST, WIDEST)
        self.width_box.setSingleStep(STEP)
        self.width_box.setValue(width)
        self.width_box.setSuffix(self.tr(" pixels"))
        hint = self.tr("A page of print is about 2,400 pixels wide at 300 per inch.")
        describe(self.width_box, self.tr("Width"), hint)
        choose = make_button(
            self.tr("Choose a file…"),
            self.tr("Choose where the picture goes."),
            self._finish,
            kind="primary",
        )
        choose.setDefault(True)
        cancel = make_button(self.tr("Cancel"), self.tr("Go back."), self.reject)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(
            make_label(self.tr("How wide shall the picture be?"), "heading")
        )
        layout.addWidget(self.width_box)
        layout.addWidget(make_label(hint, "secondary", wraps=True))
        layout.addLayout(row)

    def _finish(self) -> None:
        self.accept()
        self._save(self.width_box.value())
