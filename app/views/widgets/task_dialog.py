"""Dialog of a task: form of its params, advanced settings, Run."""

import os
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import ClassVar, cast

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.params import Params, command_name
from app.params.base import TaskParams, output_of
from app.params.flags import command_text
from app.views.client.requests import folder_of
from app.views.client.state import AppState
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.controls import (
    is_ctrl_enter,
    make_button,
    make_label,
    make_rule,
)
from app.views.widgets.dialogs import (
    ask_question,
    copy_text,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.fields import field_facts
from app.views.widgets.form import Form, FormError, FormParts
from app.views.widgets.reference_fields import make_check_lists, offer_objects
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "task_dialog")

N_PLAIN = 5  # fields that a form shows without folding some
SECTION = 6 * GRID  # height of what makes a visible dialog grow
MAX_HEIGHT = 84 * GRID  # of a dialog without a window
RARE_FIELDS = ("seed", "encoder", "device")


def copy_command(state: AppState, *params: Params) -> None:
    """Copy the commands that do some jobs in a terminal, and show a notice."""
    folder = folder_of(state.project)
    copy_text("\n".join(command_text(one, folder) for one in params))
    state.notice_posted.emit(_tr("Command copied."))


class TaskDialog(QDialog):
    """Shows the settings of a task, and runs it.

    Attributes:
        rare: fields that are folded away, unless one has another value than usual;
            None: the numbers and switches of a form with many fields.
        WIDTH: of the dialog, for text of 13 pixels.
    """

    rare: Collection[str] | None = None
    WIDTH: ClassVar[int] = 80 * GRID

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
            values: what the form begins with; None: the defaults.
            skip: fields that keep their values and are not shown.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._struct, self._initial = state, struct, values
        if "out" in struct.__struct_fields__:
            skip = {*skip, "replace"}  # a question asks for it
        self.form = self.make_form(skip)
        offer_objects(self.form, state, struct)
        if self.rare is None:
            self.rare = _rare_fields(struct, self.form.names)
        self.form.fold(self.rare)
        name = self.heading()
        self.setWindowTitle(name)
        self._error = make_label("", "warning", wraps=True)
        self._error.hide()
        self._needs = make_label("", wraps=True)
        self._needs.hide()
        self.submission = Submission(self, state, self.show_error)
        self.below = make_column()  # for inputs outside the form
        self._body = as_widget(
            make_column(self.form, self.below, gap=0, margins=(0, 0, 0, GRID))
        )
        self._body.setObjectName("scrolled")
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setWidget(self._body)
        self._rule = make_rule()
        policy = self._rule.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._rule.setSizePolicy(policy)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self._layout = layout = lay_out_dialog(self)
        layout.addWidget(make_label(name, "heading"))
        summary = (struct.__doc__ or "").strip().splitlines()[0]
        layout.addWidget(make_label(summary, "secondary", wraps=True))
        if note:
            layout.addWidget(make_label(note, wraps=True))
        layout.addLayout(make_column((self._scroll, 1), self._rule, gap=0), 1)
        self.foot = QVBoxLayout()  # for messages about the values
        self.foot.setSpacing(GRID)
        self.foot.addWidget(self._needs)
        layout.addLayout(self.foot)
        layout.addWidget(self._error)
        layout.addLayout(self._make_buttons())
        self._is_fitted = False  # shown once in the height that it needs
        self._is_placed = False  # shown: it grows downwards only
        self.form.folding_changed.connect(self._on_folding_changed)
        self.form.changed.connect(self._error.hide)
        self.form.focus_first()

    def heading(self) -> str:
        """Name the dialog: by its command, unless it has a name of its own."""
        name = command_name(self._struct)
        own = {
            "encode": self.tr("Encode corpora"),
            "map-languages": self.tr("Make bilingual vectors"),
            "evaluate-mapped-sentences": self.tr("Evaluate sentence translation"),
        }
        if name in own:
            return own[name]
        return name.replace("-", " ").capitalize()

    @property
    def needs(self) -> str:
        """The text about the size, the time and the vectors."""
        return self._needs.text()

    def show_needs(self, text: str) -> None:
        """Show below the form what these values need; empty: nothing."""
        if text == self._needs.text():
            return
        self._needs.setText(text)
        self._needs.setVisible(bool(text))
        if self.isVisible():
            self.fit()

    def show_error(self, message: str) -> None:
        """Show why the job failed: at the field whose value it names, else below."""
        name = self.form.find_named(message)
        self.form.show_error(name, message)
        field = self.form.field(name).widget if name else None
        is_at_field = field is not None and field.isVisibleTo(self.form)
        self._error.setText("" if is_at_field else message)
        self._error.setHidden(is_at_field)
        self.fit()
        if field is not None:
            self._scroll.ensureWidgetVisible(field)

    def name_button(self, text: str) -> None:
        """Show on the button that starts what it does."""
        self.run_button.setText(text)
        self.run_button.setAccessibleName(text)

    def make_form(self, skip: Collection[str]) -> Form[TaskParams]:
        """Make the form."""
        return Form(self._struct, self._initial, skip=skip, parts=self.form_parts())

    def form_parts(self) -> FormParts:
        """Return what the params do not declare: check lists, unless overridden."""
        return FormParts(inputs=make_check_lists(self._state, self._struct))

    def fit(self) -> None:
        """Take the room that the settings need, within the window.

        A dialog that is visible keeps its height while a value is edited, so that
        nothing moves away from the pointer: what is new scrolls. It grows only where
        a whole section is new.
        """
        parent, layout = self.parentWidget(), self._layout
        width, room = scaled(self.WIDTH, self), MAX_HEIGHT
        if parent is not None:
            window = parent.window()
            width = min(width, window.width() - 4 * GRID)
            room = window.height() - 4 * GRID
        frame = self.frameGeometry().height() - self.height() + 4 * GRID
        screen = self.screen().availableGeometry()
        room = min(room, screen.height() - frame)
        if self._is_placed:  # what was clicked stays where it is
            below = screen.bottom() - self.geometry().top() - 2 * GRID
            room = min(room, max(below, self.height()))
        self._scroll.setMinimumHeight(0)
        # the style sets that of small text
        self.run_button.setMinimumHeight(self.run_button.sizeHint().height())
        layout.activate()
        self.resize(width, self.height())
        margins = layout.contentsMargins()
        inner = width - margins.left() - margins.right() - 2 * GRID
        around = layout.totalHeightForWidth(width) - self._scroll.sizeHint().height()
        least = layout.totalMinimumHeightForWidth(width)
        least -= self._scroll.minimumSizeHint().height()
        form = self._body.heightForWidth(inner)
        form = form if form > 0 else self._body.sizeHint().height()
        height = max(min(around + form, room), 32 * GRID)
        if self._is_fitted and height < self.height() + scaled(SECTION, self):
            height = min(self.height(), room)
        # what is below the form, such as a preview, shrinks first
        self._scroll.setMinimumHeight(max(min(form, height - least), 0))
        self.resize(width, height)

    def _on_folding_changed(self) -> None:
        self._is_fitted = False
        self._fit_finally()

    def _fit_finally(self) -> None:
        self.fit()
        self._is_fitted = self._is_placed = self.isVisible()

    def _on_range_changed(self, _first: int, last: int) -> None:
        """Draw a line below a form that scrolls, where it cuts a row."""
        self._rule.setVisible(last > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run on Ctrl+Enter, as other dialogs save."""
        if is_ctrl_enter(event):
            self.run_button.click()
        else:
            super().keyPressEvent(event)

    def _make_buttons(self) -> QHBoxLayout:
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that does this job in a terminal."),
            self._on_copy,
            kind="quiet",
        )
        self.run_button = make_button(
            self.heading(), self.tr("Start the job."), self._on_run, kind="primary"
        )
        copy.setProperty("shape", "flush")
        return lay_out_buttons(self, self.run_button, left=[copy])

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
            copy_text(command_text(params, folder_of(self._state.project)))

    def _on_run(self) -> None:
        params = self._params()
        if params is not None:
            self._ask_to_replace(params)

    def _ask_to_replace(self, params: Params) -> None:
        """Start the job, after a question if it writes a file that exists."""
        files = self.find_existing(params)
        if not files:
            self._submit(params)
            return
        if hasattr(params, "replace"):
            params = msgspec.structs.replace(params, replace=True)
        if self.is_confirmed(files[0]):
            self._submit(params)
            return
        words = self.tr("{file} exists.")
        if len(files) > 1:
            words = self.tr("{file} and {other} exist.")
        text = words.format(file=files[0], other=files[-1])
        ask_question(
            self, text, {self.tr("Replace file"): lambda: self._submit(params)}
        )

    def _submit(self, params: Params) -> None:
        self.submission.submit(lambda: self.start(params))

    def find_existing(self, params: Params) -> list[Path]:
        """Return the files that exist and that the job would replace."""
        file = output_of(params)
        return [file] if file is not None and os.path.isfile(file) else []

    def is_confirmed(self, _file: Path) -> bool:
        """Return whether the user has agreed before to replace a file."""
        return False

    def start(self, params: Params) -> None:
        """Start the job."""
        self._state.run(params)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the dialog to its settings."""
        super().showEvent(event)
        self._is_fitted = False
        self.fit()
        QTimer.singleShot(0, self, self._fit_finally)  # again, as the lines are wrapped


def _rare_fields(struct: type[TaskParams], names: Collection[str]) -> list[str]:
    """Return the numbers and switches of a form with many fields."""
    if len(names) <= N_PLAIN:
        return []
    facts = [field_facts(info) for info in msgspec.structs.fields(struct)]
    return [
        one.name
        for one in facts
        if one.name in RARE_FIELDS
        or (not one.is_required and one.plain in (int, float, bool))
    ]
