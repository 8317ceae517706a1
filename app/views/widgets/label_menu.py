"""A menu of the classes of the project, to label sentences."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.views.client.labels import N_KEYS, LabelStore


class LabelMenu(QMenu):
    """Offers the classes with a key, and the removal of a label."""

    chosen = Signal(int)  # key of a class; 0: no label

    def __init__(self, labels: LabelStore, parent: QWidget):
        super().__init__(parent)
        self._labels = labels
        self.setAccessibleName(self.tr("Label"))
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self._on_about_to_show)
        labels.changed.connect(self._fill)

    def _on_about_to_show(self) -> None:
        self._labels.need()
        self._fill()

    def _fill(self) -> None:
        """Offer the classes; the digit before a name selects it."""
        self.clear()
        names = self._labels.classes[:N_KEYS]
        for key, name in enumerate(names, 1):
            action = self.addAction(f"&{key}  {name.replace('&', '&&')}")
            action.setToolTip(self.tr("Assign this label."))
            action.triggered.connect(lambda _=False, key=key: self.chosen.emit(key))
        if not names:
            self.addAction(self.tr("No classes yet. Add one in Classify.")).setEnabled(
                False
            )
        self.addSeparator()
        remove = self.addAction(self.tr("&0  Remove label"))
        remove.setToolTip(self.tr("Remove the label."))
        remove.triggered.connect(lambda: self.chosen.emit(0))
