"""The dialog that writes lines of a concordance: file, neighbours, context."""

from collections.abc import Collection, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.params import TaskParams
from app.params.concordance import Concordance
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.check_list import CheckList
from app.views.widgets.form import Form
from app.views.widgets.new_file_field import make_new_file_field
from app.views.widgets.task_dialog import TaskDialog

SHOWN = ("top", "near", "context", "out")


class ConcordanceExportDialog(TaskDialog):
    """Puts an export of the lines that are asked for together."""

    def __init__(
        self,
        state: AppState,
        values: Concordance,
        languages: Sequence[tuple[str, str]],
        title: str,
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            values: the question, and how many lines it has.
            languages: codes and names in which nearest sentences can be given.
            title: what was asked for, or the name of the kept list.
            parent: the view.
        """
        self._languages = languages
        self._out = values.out or Path.home() / "concordance.tsv"
        skip = [name for name in Concordance.__struct_fields__ if name not in SHOWN]
        note = self.tr("Lines of {text}, in the order that is shown.")
        super().__init__(
            state,
            Concordance,
            values,
            skip=skip,
            note=note.format(text=title),
            parent=parent,
        )
        self.name_button(self.tr("Export"))
        self.resize(80 * GRID, 78 * GRID)

    def heading(self) -> str:
        """Name the dialog."""
        return self.tr("Export the concordance")

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form with languages to tick and a file to write."""
        hint = self.tr("Tick the languages whose nearest sentence is written too.")
        near = CheckList(self.tr("Nearest in"), hint)
        near.set_choices(list(self._languages))
        inputs = {
            "near": near.as_field(),
            "out": make_new_file_field(
                self.tr("Choose the file: .tsv, .xlsx or .docx."),
                self._out,
                filters=self.tr("Tables and text (*.tsv *.xlsx *.docx)"),
            ),
        }
        titles = {
            "top": self.tr("Lines"),
            "near": self.tr("Nearest in"),
            "out": self.tr("File"),
        }
        return Form(struct, values, skip=skip, titles=titles, inputs=inputs)
