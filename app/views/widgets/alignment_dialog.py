"""The dialog that aligns two documents."""

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from app.params import AlignDocuments, TaskParams
from app.views.corpus_choices import single_choices, titles_first
from app.views.state import AppState
from app.views.widgets.form import Form
from app.views.widgets.task_dialog import TaskDialog

WIDE = ("source", "target", "name")


class AlignmentDialog(TaskDialog):
    """Asks which documents to align, and how."""

    def __init__(
        self, state: AppState, values: AlignDocuments, parent: QWidget | None = None
    ):
        """Make the dialog; `values`: what the form begins with."""
        note = self.tr(
            "The texts must say the same in the same order; sentences may be joined, "
            "missing or added."
        )
        super().__init__(state, AlignDocuments, values, note=note, parent=parent)
        choices = titles_first(single_choices(state.project))
        for side in ("source", "target"):
            self.form.set_choices(side, choices)
            self.form.set_help(side, "")
        self.name_button(self.tr("Align"))
        self.offer_encoders()

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form whose words stand beside the inputs."""
        titles = {"joined": self.tr("Joined at most")}
        return Form(struct, values, skip=skip, titles=titles, wide=WIDE)
