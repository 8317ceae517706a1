"""Dialog of a task: form of its params, advanced settings, Run."""

from collections.abc import Collection
from typing import ClassVar, cast

import msgspec
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.params import Params, command_name
from app.params.base import TaskParams
from app.params.flags import command_text
from app.views.client.state import AppState
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import copy_text
from app.views.widgets.form import Form, FormError
from app.views.widgets.reference_fields import make_check_lists, offer_objects
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID


class TaskDialog(QDialog):
    """Shows the settings of a task, and runs it."""

    def __init__(
        self,
        state: AppState,
        struct: type[TaskParams],
        values: TaskParams | None = None,
        *,
        skip: Collection[str] = (),
        note: str = "",
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            state: runs the task.
            struct: the task's params.
            values: what the form begins with; None: the defaults.
            skip: fields that keep their values and are not shown.
            note: a sentence on these values.
            parent: the window.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state = state
        self.form = self.make_form(struct, values, skip)
        offer_objects(self.form, state, struct)
        self._struct = struct
        name = self.heading()
        self.setWindowTitle(name)
        self._error = make_label("", "warning", wraps=True)
        self._error.hide()
        self.submission = Submission(self, state, self.show_error)
        self.form.setObjectName("scrolled")
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(self.form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(make_label(name, "heading"))
        summary = (struct.__doc__ or "").strip().splitlines()[0]
        layout.addWidget(make_label(summary, "secondary", wraps=True))
        if note:
            layout.addWidget(make_label(note, wraps=True))
        layout.addWidget(scroll, 1)
        self.foot = QVBoxLayout()  # for what there is to say of the values
        layout.addLayout(self.foot)
        layout.addWidget(self._error)
        layout.addLayout(self._make_buttons())
        self.resize(
            80 * GRID, min(84 * GRID, 26 * GRID + self.form.sizeHint().height())
        )
        self.form.focus_first()

    def heading(self) -> str:
        """Name the dialog: by its command, unless it has a name of its own."""
        return command_name(self._struct).replace("-", " ").capitalize()

    def show_error(self, message: str) -> None:
        """Show why the job failed, also next to the field whose value it names."""
        self.form.show_error(self.form.find_named(message), message)
        self._error.setText(message)
        self._error.show()

    def name_button(self, text: str) -> None:
        """Show on the button that starts what it does."""
        self.run_button.setText(text)
        self.run_button.setAccessibleName(text)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make the form; a dialog with inputs of its own makes another."""
        inputs = make_check_lists(self._state, struct)
        return Form(struct, values, skip=skip, inputs=inputs)

    def _make_buttons(self) -> QHBoxLayout:
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that does this job in a terminal."),
            self._on_copy,
            kind="quiet",
        )
        cancel = make_button(self.tr("Cancel"), self.tr("Go back."), self.reject)
        verb = self.heading().partition(" ")[0]
        self.run_button = make_button(
            verb, self.tr("Start the job."), self._on_run, kind="primary"
        )
        self.run_button.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(copy)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.run_button)
        return row

    def _params(self) -> Params | None:
        try:
            params = cast("Params", self.form.values())
        except FormError as error:
            self._error.setText(str(error))
            self._error.show()
            return None
        self._error.hide()
        return params

    def _on_copy(self) -> None:
        params = self._params()
        if params is not None:
            project = self._state.project
            copy_text(command_text(params, project.folder if project else None))

    def _on_run(self) -> None:
        params = self._params()
        if params is not None:
            self.submission.submit(lambda: self.start(params))

    def start(self, params: Params) -> None:
        """Do the job."""
        self._state.run(params)


class AdvancedTaskDialog(TaskDialog):
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
        """The text about the size, the time and the vectors."""
        return self.needs_label.text()

    def hidden_rows(self) -> Collection[str]:
        """Return the fields that are not shown now."""
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
