"""A menu of the classes of the project, to label sentences."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.views.client.labels import N_KEYS
from app.views.client.state import AppState
from app.views.widgets.dialogs import ask_name


class LabelMenu(QMenu):
    """Offers the classes with a key, a new class, and the removal of a label."""

    chosen = Signal(int)  # key of a class; 0: no label

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(parent)
        self._state, self._labels, self._parent = state, state.labels, parent
        self.setAccessibleName(self.tr("Label"))
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self._on_about_to_show)
        self._labels.changed.connect(self._fill)

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
        if len(names) < N_KEYS:
            new = self.addAction(self.tr("New class…"))
            new.setToolTip(self.tr("Add a class and assign it."))
            new.triggered.connect(self._ask_class)
        self.addSeparator()
        remove = self.addAction(self.tr("&0  Remove label"))
        remove.setToolTip(self.tr("Remove the label."))
        remove.setEnabled(bool(self._labels.counts))
        remove.triggered.connect(lambda: self.chosen.emit(0))

    def _ask_class(self) -> None:
        question = self.tr("Name of the new class")
        words = self.tr("Add and assign")
        ask_name(self._state, self._parent, question, "", self._add_class, words=words)

    def _add_class(self, name: str) -> None:
        """Add a class, and label the sentences with it."""
        self._labels.add_class(name)
        if key := self._labels.key_of(" ".join(name.split())):
            self.chosen.emit(key)
