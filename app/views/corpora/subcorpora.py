"""The list of sub-corpora and its actions."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.subcorpora import SubcorpusRow
from app.params.corpora import MakeSubcorpus
from app.params.flags import command_text
from app.protocol.edits.corpora import RenameSubcorpus, SetSubcorpusState
from app.views.client.runs import read_run_params
from app.views.client.state import AppState
from app.views.corpora.subcorpus_dialog import SubcorpusDialog
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.controls import add_action, make_button, make_label
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.dialogs import ask_name, copy_text
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.sections import HeadingWithCount
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow
from app.views.widgets.undo_messages import delete_with_undo

MAX_VISIBLE_ROWS = 5  # rows of the list at once


class SubcorpusPanel(QWidget):
    """The list below the corpora; at most one is chosen."""

    choice_changed = Signal()

    def __init__(
        self, state: AppState, messages: MessageBar, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state, self._messages = state, messages
        self.list = TwoLineList(
            self.tr("Sub-corpora"),
            self.tr("Sentences chosen by a chain of queries; choose one to see them."),
        )
        self._heading = HeadingWithCount(self.tr("Sub-corpora"))
        self._none = make_label(
            self.tr(
                "Choose sentences by author, year, words or meaning, and keep them."
            ),
            "secondary",
            wraps=True,
        )
        self._add_actions()
        self._lay_out()
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions(self.actions_of_one)
        self.list.choice_changed.connect(self._on_choice_changed)
        self.list.doubleClicked.connect(lambda _: self.edit_chain())
        state.corpora_changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> SubcorpusRow | None:
        """The sub-corpus that is shown."""
        project, id_ = self._state.project, self.list.chosen
        rows = project.subcorpora if project is not None else []
        return next((row for row in rows if row.id == id_), None)

    def leave(self) -> None:
        """Choose none."""
        self.list.blockSignals(True)
        self.list.choose(None)
        self.list.blockSignals(False)
        self._enable()

    def refresh(self) -> None:
        """Show the sub-corpora as they are now."""
        project = self._state.project
        rows = project.subcorpora if project is not None else []
        before = self.list.chosen
        self.list.show_rows([_two_lines(row) for row in rows])
        self.list.fit(MAX_VISIBLE_ROWS)
        self._heading.set_count(format_count(len(rows)) if rows else "")
        self.list.setVisible(bool(rows))
        self._none.setVisible(not rows)
        self.new.setEnabled(self._can_write and bool(project and project.corpora))
        self._enable()
        if before is not None:
            self.choice_changed.emit()

    # --- what the user does ---

    def ask_new(self, begins_with: Sequence[str] = ()) -> None:
        """Put a chain together."""
        self._open(SubcorpusDialog(self._state, begins_with=begins_with, parent=self))

    def edit_chain(self) -> None:
        """Change the chain of the chosen sub-corpus."""
        if self.chosen is not None and self._can_write:
            self._open(SubcorpusDialog(self._state, self.chosen, parent=self))

    def rerun(self) -> None:
        """Make the chosen sub-corpus anew, by its own chain."""
        row = self._row
        encoder = getattr(self._params_of(row), "encoder", "")
        self._state.run(MakeSubcorpus(name=row.name, again=True, encoder=encoder))

    def rename(self) -> None:
        """Ask for another name."""
        row = self._row
        ask_name(
            self,
            self.tr("What shall {name} be called?").format(name=row.name),
            row.name,
            lambda name: self._state.edit(RenameSubcorpus(subcorpus=row.id, name=name)),
        )

    def delete(self) -> None:
        """Delete the sub-corpus, and offer to undo it; its sentences stay."""
        row = self._row
        words = self.tr("Deleted the sub-corpus {name}; its sentences stay.")
        change = SetSubcorpusState(subcorpora=(row.id,), state="deleted")
        delete_with_undo(
            self._state, self._messages, change, words.format(name=row.name)
        )

    def copy_command(self) -> None:
        """Copy the command that makes the sub-corpus."""
        project, row = self._state.project, self._row
        if project is None:
            return
        corpora = [one for one in project.corpora if one.id in row.corpora]
        params = MakeSubcorpus(
            corpora=tuple(name_corpus(project.corpora, one) for one in corpora),
            steps=row.steps,
            name=row.name,
            encoder=getattr(self._params_of(row), "encoder", ""),
        )
        copy_text(command_text(params, project.folder))
        self._state.notice_posted.emit(self.tr("The command is copied."))

    # --- private ---

    @property
    def _row(self) -> SubcorpusRow:
        row = self.chosen
        assert row is not None, "the actions are disabled without one"
        return row

    @property
    def _can_write(self) -> bool:
        project = self._state.project
        return project is not None and not project.is_read_only

    def _params_of(self, row: SubcorpusRow) -> object:
        project = self._state.project
        return read_run_params(project.store, row.run_id) if project else None

    def _open(self, dialog: SubcorpusDialog) -> None:
        dialog.run_wanted.connect(self._state.run)
        dialog.open()

    def _on_choice_changed(self) -> None:
        self._enable()
        if self.chosen is not None:
            self.choice_changed.emit()

    def _enable(self) -> None:
        has_one = self.chosen is not None
        for action in self.actions_of_one:
            action.setEnabled(has_one and (self._can_write or action is self._copy))

    def _add_actions(self) -> None:
        add = add_action
        self.new = add(
            self,
            self.tr("New sub-corpus…"),
            self.ask_new,
            hint=self.tr("Choose sentences by a chain of queries, and keep them."),
        )
        edit = add(
            self,
            self.tr("Edit the chain of the sub-corpus…"),
            self.edit_chain,
            hint=self.tr("See and change its steps, with what each leaves."),
        )
        rerun = add(
            self,
            self.tr("Run the chain of the sub-corpus again"),
            self.rerun,
            hint=self.tr("Choose its sentences anew; this can be undone."),
        )
        rename = add(
            self,
            self.tr("Rename the sub-corpus…"),
            self.rename,
            hint=self.tr("Give it another name."),
        )
        self._copy = add(
            self,
            self.tr("Copy the sub-corpus as command"),
            self.copy_command,
            hint=self.tr("Copy the command that makes it."),
        )
        remove = add(
            self,
            self.tr("Delete the sub-corpus"),
            self.delete,
            hint=self.tr("Delete it; its sentences stay. This can be undone."),
        )
        self.actions_of_one: list[QAction] = [edit, rerun, rename, self._copy, remove]

    def short_names(self) -> list[tuple[QAction, str]]:
        """Return the actions that have a button where a sub-corpus is shown."""
        words = (
            self.tr("Chain…"),
            self.tr("Run again"),
            self.tr("Rename…"),
            self.tr("Copy as command"),
            self.tr("Delete"),
        )
        return list(zip(self.actions_of_one, words, strict=True))

    def _lay_out(self) -> None:
        head = WrappingRow()
        head.addWidget(self._heading)
        head.add_stretch()
        head.addWidget(
            make_button(self.tr("New…"), self.new.statusTip(), self.new.trigger)
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.list)
        layout.addWidget(self._none)


def describe_subcorpus_steps(row: SubcorpusRow) -> str:
    """Return the steps of a chain in one line."""
    return " → ".join(row.steps)


def _two_lines(row: SubcorpusRow) -> TwoLineRow:
    n = format_count(row.n_sentences)
    return TwoLineRow(row.id, row.name, f"{n} · {describe_subcorpus_steps(row)}")
