"""Dialog that exports the folder of an encoder."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.params.encoders import ExportEncoder
from app.protocol.answers.encoders import EncoderInfo
from app.views.client.state import AppState
from app.views.widgets.dialogs import ask_path, suggest_path
from app.views.widgets.export_dialog import ExportPreview
from app.views.widgets.fields import make_new_file_field
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import format_bytes, pluralize
from app.views.widgets.task_dialog import TaskDialog


class EncoderExportDialog(TaskDialog):
    """Asks for a new folder, and lists the files to export.

    Attributes:
        preview: the files and their sizes.
    """

    def __init__(self, state: AppState, encoder: EncoderInfo, parent: QWidget):
        """Initialise for an encoder."""
        self._encoder = encoder
        self._start = suggest_path(state, encoder.name)
        values = ExportEncoder(encoder=encoder.name, out=self._start)
        super().__init__(state, ExportEncoder, values, skip=("encoder",), parent=parent)
        self.preview = ExportPreview(self)
        self.foot.addWidget(self.preview)
        self._show_files()
        self.form.changed.connect(self._check_folder)

    def form_parts(self) -> FormParts:
        """Return a field for a new folder."""
        hint = self.tr("Choose where the folder is created.")
        inputs = {"out": make_new_file_field(hint, self._start, on_choose=self._choose)}
        titles = {"out": self.tr("New folder")}
        return FormParts(titles=titles, inputs=inputs, help={"out": ""})

    def _choose(self) -> None:
        ask_path(
            self,
            self.tr("Choose where to export {name}").format(name=self._encoder.name),
            lambda folder: self.form.write({"out": folder / self._start.name}),
            mode=QFileDialog.FileMode.Directory,
        )

    def _check_folder(self) -> None:
        folder = self.form.raw().get("out")
        if folder and Path(folder).exists():
            text = self.tr("This folder exists. Choose another name.")
            self.form.show_error("out", text, focuses=False)

    def _show_files(self) -> None:
        folder = Path(self._encoder.folder)
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        sizes = [file.stat().st_size for file in files]
        rows = [
            [file.relative_to(folder).as_posix(), format_bytes(size)]
            for file, size in zip(files, sizes, strict=True)
        ]
        n = pluralize(len(files), self.tr("1 file"), self.tr("{n} files"))
        words = self.tr("{files}, {size}.")
        text = words.format(files=n, size=format_bytes(sum(sizes)))
        self.preview.show_rows((self.tr("File"), self.tr("Size")), rows, text)
