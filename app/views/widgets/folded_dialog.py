"""The dialog of a task with many settings: those rarely changed are folded away."""

from collections.abc import Collection
from typing import ClassVar

import msgspec
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from app.params import TaskParams
from app.views.state import AppState
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.task_dialog import TaskDialog


class FoldedDialog(TaskDialog):
    """Shows the usual settings, and the others by a button.

    Attributes:
        rare: fields that are folded away, unless one has another value than usual.
        folded_size, whole_size: of the dialog.
    """

    rare: tuple[str, ...]
    folded_size: ClassVar[QSize]
    whole_size: ClassVar[QSize]

    def __init__(
        self,
        state: AppState,
        struct: type[TaskParams],
        values: TaskParams,
        parent: QWidget | None = None,
    ):
        """Make the dialog; arguments as of TaskDialog."""
        super().__init__(state, struct, values, parent=parent)
        self.shows_all = any(
            getattr(values, info.name) != info.default
            for info in msgspec.structs.fields(struct)
            if info.name in self.rare
        )
        self.needs_label = make_label("", wraps=True)
        self._more = make_button(
            "",
            self.tr("Show or hide the settings that are rarely changed."),
            self._toggle,
            kind="quiet",
        )
        self.foot.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self.foot.addWidget(self.needs_label)

    @property
    def needs(self) -> str:
        """What is said of the size, the time and the vectors."""
        return self.needs_label.text()

    def hidden_rows(self) -> Collection[str]:
        """Give the fields that are not shown now."""
        return () if self.shows_all else self.rare

    def show_rows(self) -> None:
        """Show the settings that are wanted now."""
        self.form.hide_rows(self.hidden_rows())
        words = self.tr("Fewer settings") if self.shows_all else ""
        self._more.setText(words or self.tr("More settings"))
        self._more.setAccessibleName(self._more.text())

    def fit(self) -> None:
        """Take the room that the settings need."""
        self.resize(self.whole_size if self.shows_all else self.folded_size)

    def _toggle(self) -> None:
        self.shows_all = not self.shows_all
        self.show_rows()
        self.fit()
