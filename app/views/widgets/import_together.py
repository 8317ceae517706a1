"""How the files of an import belong together."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import describe
from app.views.widgets.preview import are_pair


class ImportTogether(QWidget):
    """Asks it of several files; nothing is shown of one.

    Attributes:
        as_pair, as_documents, as_own: the buttons.
    """

    changed = Signal()

    def __init__(self, paths: list[Path], parent: QWidget | None = None):
        super().__init__(parent)
        self._paths = paths
        self.as_pair = QRadioButton(self.tr("Sides of one parallel text, line by line"))
        self.as_documents = QRadioButton(
            self.tr("One corpus, and each file is a document of it")
        )
        self.as_own = QRadioButton(self.tr("Texts of their own, one after the other"))
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for button in (self.as_pair, self.as_documents, self.as_own):
            group.addButton(button)
            describe(button, button.text(), self.tr("How the files belong together."))
            layout.addWidget(button)
        many = len(paths) > 1
        has_folder = any(path.is_dir() for path in paths)
        self.as_pair.setChecked(many and are_pair(paths) and not has_folder)
        self.as_own.setChecked(not self.as_pair.isChecked())
        self.as_pair.setVisible(not has_folder)
        self.setVisible(many)
        group.buttonToggled.connect(self._on_toggled)

    @property
    def used(self) -> list[Path]:
        """The files of this import: all that belong together, or the first."""
        return self._paths[:1] if self.as_own.isChecked() else self._paths

    @property
    def are_documents(self) -> bool:
        """Whether each file, or each one in the folder, is a document of one corpus."""
        return self.as_documents.isChecked() or self.used[0].is_dir()

    def _on_toggled(self, _: object, is_on: bool) -> None:
        if is_on:
            self.changed.emit()
