"""The field of a file that is to be written."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.fields import Field


def make_new_file_field(
    hint: str,
    start: Path,
    *,
    on_chosen: Callable[[Path], object] | None = None,
    filters: str = "",
) -> Field:
    """Make a line with a button that asks where to write.

    Args:
        hint: a sentence on what is written.
        start: is proposed where the line is empty.
        on_chosen: takes the file, instead of the line.
        filters: of the files that are shown.
    """
    line, whole = QLineEdit(), QWidget()
    title = QCoreApplication.translate("new_file_field", "File")
    describe(line, title, hint)
    choose = make_button(
        QCoreApplication.translate("new_file_field", "Choose…"),
        hint,
        lambda: ask_path(
            whole.window(),
            whole.window().windowTitle(),
            on_chosen or (lambda path: line.setText(str(path))),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path(line.text() or start),
            filters=filters,
        ),
    )
    row = QHBoxLayout(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GRID)
    row.addWidget(line, 1)
    row.addWidget(choose)
    whole.setFocusProxy(line)
    return Field(
        whole,
        lambda: line.text() or None,
        lambda value: line.setText(str(value or "")),
        lambda follow: line.textChanged.connect(lambda: follow()),
    )
