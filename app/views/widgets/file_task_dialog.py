"""Dialog of a task that writes a file: format, file, preview."""

from collections.abc import Collection, Mapping
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.params.base import TaskParams
from app.views.client.state import AppState
from app.views.widgets.export_dialog import (
    ExportFileField,
    ExportPreview,
    find_problem,
)
from app.views.widgets.form import FormParts
from app.views.widgets.reference_fields import make_check_lists
from app.views.widgets.task_dialog import TaskDialog


class FileTaskDialog(TaskDialog):
    """Shows a preview of the file a task writes, and asks before it replaces a file.

    Attributes:
        file: format and file.
        preview: the count, and the first rows.
    """

    def __init__(
        self,
        state: AppState,
        values: TaskParams,
        formats: Mapping[str, str],
        *,
        skip: Collection[str] = (),
        note: str = "",
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            values: initial values of the form; `out` is the proposed file.
            formats: suffix → title.
            skip: fields that are not shown and keep their values.
        """
        start: Path = getattr(values, "out")  # noqa: B009
        hint = self.tr("Choose where the file is written.")
        self.file = ExportFileField(formats, start, hint)
        struct = type(values)
        super().__init__(state, struct, values, skip=skip, note=note, parent=parent)
        self.preview = ExportPreview(self)
        self.foot.addWidget(self.preview)
        self.form.changed.connect(self._check_file)

    def form_parts(self) -> FormParts:
        """Return a field for the format and the file."""
        lists = make_check_lists(self._state, self._struct)
        return FormParts(
            titles={"out": self.tr("File")},
            inputs=lists | {"out": self.file.as_field()},
            help={"out": ""},
        )

    def _check_file(self) -> None:
        """Show an error immediately if the file can't be written."""
        if problem := find_problem(self.file.path):
            self.form.show_error("out", problem, focuses=False)

    def is_confirmed(self, file: Path) -> bool:
        """Return whether the file chooser has asked to replace a file."""
        return file == self.file.confirmed
