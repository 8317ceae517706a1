"""The list of sub-corpora and its actions."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.subcorpora import SubcorpusRow
from app.params.corpora import MakeSubcorpus
from app.protocol.edits.corpora import RenameSubcorpus, SetSubcorpusState
from app.views.client.runs import read_run_params
from app.views.client.state import AppState
from app.views.corpora.subcorpus_dialog import SubcorpusDialog
from app.views.corpora.subcorpus_steps import describe_step
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import add_action, make_button, make_label
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.dialogs import ask_new_name
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.sections import HeadingWithCount
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow
from app.views.widgets.undo_messages import delete_with_undo

MAX_VISIBLE_ROWS = 5  # rows of the list at once


class SubcorpusPanel(QWidget):
    """The list of sub-corpora, of which at most one is selected."""

    choice_changed = Signal()
    subcorpus_deleted = Signal()
    import_requested = Signal(list)  # CorpusRows whose files are imported again

    def __init__(
        self, state: AppState, messages: MessageBar, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state, self._messages = state, messages
        self.list = TwoLineList(
            self.tr("Sub-corpora"), self.tr("Select a sub-corpus to see its sentences.")
        )
        self._heading = HeadingWithCount(self.tr("Sub-corpora"))
        self._none = make_label(
            self.tr("Select sentences by author, year, words or meaning."),
            "secondary",
            wraps=True,
        )
        self._add_actions()
        self._lay_out()
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions(self.actions_of_one)
        self.list.choice_changed.connect(self._on_choice_changed)
        self.list.doubleClicked.connect(self.edit_steps)
        state.corpora_changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> SubcorpusRow | None:
        """The selected sub-corpus."""
        project, id_ = self._state.project, self.list.chosen
        rows = project.subcorpora if project is not None else []
        return next((row for row in rows if row.id == id_), None)

    def clear_selection(self) -> None:
        """Select no sub-corpus, without a signal."""
        with QSignalBlocker(self.list):
            self.list.choose(None)
        self._enable()

    def refresh(self) -> None:
        """Read the sub-corpora again."""
        project = self._state.project
        rows = project.subcorpora if project is not None else []
        before = self.list.chosen
        self.list.show_rows([_two_lines(row) for row in rows])
        self.list.fit(MAX_VISIBLE_ROWS)
        self._heading.set_count(format_count(len(rows)) if rows else "")
        self.list.setVisible(bool(rows))
        self._none.setVisible(not rows)
        self.new.setEnabled(self._state.can_write and bool(project and project.corpora))
        self._enable()
        if before is not None:
            self.choice_changed.emit()

    # --- actions ---

    def ask_new(self, initial: Sequence[str] = ()) -> None:
        """Open the dialog of a new sub-corpus."""
        self._open(SubcorpusDialog(self._state, initial=initial, parent=self))

    def edit_steps(self) -> None:
        """Open the dialog with the steps of the selected sub-corpus."""
        if self.chosen is not None and self._state.can_write:
            self._open(SubcorpusDialog(self._state, self.chosen, parent=self))

    def rerun(self) -> None:
        """Run the steps of the selected sub-corpus again."""
        row = self._row
        encoder = self._encoder_of(row)
        self._state.run(MakeSubcorpus(name=row.name, again=True, encoder=encoder))

    def rename(self) -> None:
        """Ask for a new name for the selected sub-corpus."""
        row = self._row
        ask_new_name(
            self._state,
            self,
            row.name,
            lambda name: RenameSubcorpus(subcorpus=row.id, name=name),
        )

    def delete(self) -> None:
        """Delete the selected sub-corpus, not its sentences, and offer to undo it."""
        row = self._row
        words = self.tr(
            "Deleted the sub-corpus {name}. Its sentences stay in their corpora."
        )
        change = SetSubcorpusState(subcorpora=(row.id,), state="deleted")
        delete_with_undo(
            self._state, self._messages, change, words.format(name=row.name)
        )
        self.subcorpus_deleted.emit()

    def copy_command(self) -> None:
        """Copy the command that makes the selected sub-corpus."""
        project, row = self._state.project, self._row
        if project is None:
            return
        corpora = [one for one in project.corpora if one.id in row.corpora]
        params = MakeSubcorpus(
            corpora=tuple(name_corpus(project.corpora, one) for one in corpora),
            steps=row.steps,
            name=row.name,
            encoder=self._encoder_of(row),
        )
        copy_command(self._state, params)

    # --- private ---

    @property
    def _row(self) -> SubcorpusRow:
        row = self.chosen
        assert row is not None, "the actions are disabled without one"
        return row

    def _encoder_of(self, row: SubcorpusRow) -> str:
        """Return the encoder that made a sub-corpus; empty: the encoder in use."""
        project = self._state.project
        params = read_run_params(project.store, row.run_id) if project else None
        return params.encoder if isinstance(params, MakeSubcorpus) else ""

    def _open(self, dialog: SubcorpusDialog) -> None:
        dialog.run_requested.connect(self._state.run)
        dialog.import_requested.connect(self.import_requested)
        dialog.open()

    def _on_choice_changed(self) -> None:
        self._enable()
        if self.chosen is not None:
            self.choice_changed.emit()

    def _enable(self) -> None:
        has_one = self.chosen is not None
        for action in self.actions_of_one:
            action.setEnabled(
                has_one and (self._state.can_write or action is self._copy)
            )

    def _add_actions(self) -> None:
        add, tr = partial(add_action, self), self.tr
        self.new = add(
            tr("New sub-corpus…"),
            tr("Select sentences step by step and save them as a sub-corpus."),
            self.ask_new,
        )
        edit = add(
            tr("Edit the steps of the sub-corpus…"),
            tr("Change its steps and see how many sentences each one leaves."),
            self.edit_steps,
        )
        rerun = add(
            tr("Update the sub-corpus"),
            tr("Run its steps again on the current data. You can undo this."),
            self.rerun,
        )
        rename = add(
            tr("Rename the sub-corpus…"),
            tr("Change the name of the sub-corpus."),
            self.rename,
        )
        self._copy = add(
            tr("Copy the sub-corpus as command"),
            tr("Copy the terminal command that makes the sub-corpus."),
            self.copy_command,
        )
        delete = add(
            tr("Delete the sub-corpus"),
            tr("Delete the sub-corpus but not its sentences. You can undo this."),
            self.delete,
        )
        self.actions_of_one: list[QAction] = [edit, rerun, rename, self._copy, delete]

    @property
    def all_actions(self) -> list[QAction]:
        """All actions of the panel."""
        return [self.new, *self.actions_of_one]

    def buttons(self) -> list[tuple[QAction, str]]:
        """Return the actions that have a button for a sub-corpus, with its text."""
        words = (
            self.tr("Steps…"),
            self.tr("Update"),
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
        make_column(head, self.list, self._none, parent=self)


def _two_lines(row: SubcorpusRow) -> TwoLineRow:
    n = format_count(row.n_sentences)
    return TwoLineRow(
        row.id, row.name, f"{n} · {' → '.join(map(describe_step, row.steps))}"
    )
