"""Actions of the alignment view: align documents, edit links, export."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.errors import ErrorInfo
from app.params.alignment import AlignDocuments
from app.params.base import TaskParams
from app.protocol.edits import Change
from app.protocol.edits.alignments import MergeBead, MoveBoundary, SplitBead, UnlinkBead
from app.protocol.edits.pairs import JudgePairs, RenameMining, SetMiningState
from app.views.client.state import AppState
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import (
    find_corpus,
    name_corpus,
    single_choices,
    suggest_sides,
    swap_titles,
)
from app.views.widgets.dialogs import ask_name
from app.views.widgets.form import Form
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import delete_with_undo

if TYPE_CHECKING:
    from app.views.alignment.view import AlignmentView

NAVIGATION_ACTIONS = ("next", "previous", "doubtful", "less_doubtful")


def make_actions(view: "AlignmentView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {
        "align": add_action(
            view,
            tr("Align documents…"),
            jobs.ask_alignment,
            keys="Ctrl+Shift+A",
            hint=tr("Link the sentences of two texts that say the same in order."),
        )
    }
    return (
        made
        | _make_navigation_actions(view)
        | _make_edit_actions(view)
        | _make_export_actions(view)
    )


def list_key_hints(
    todo: dict[str, QAction], view: "AlignmentView"
) -> list[tuple[QAction, str]]:
    """Return the keys that are shown below the board, with short words."""
    tr = view.tr
    return [
        (todo["next"], tr("next")),
        (todo["doubtful"], tr("least confident")),
        (todo["confirm"], tr("confirm")),
        (todo["split"], tr("split")),
        (todo["merge"], tr("merge")),
        (todo["unlink"], tr("no link")),
        (todo["source_in"], tr("longer source")),
        (todo["target_in"], tr("longer target")),
    ]


def refresh_actions(todo: dict[str, QAction], view: "AlignmentView") -> None:
    """Enable what can be done now."""
    project = view.state.project
    writable = project is not None and not project.is_read_only
    has_beads = view.row is not None and len(view.beads) > 0
    for name, action in todo.items():
        if name == "align":
            action.setEnabled(writable)
        elif name in (*NAVIGATION_ACTIONS, "review"):
            action.setEnabled(has_beads)
        else:
            action.setEnabled(has_beads and writable)


def _make_navigation_actions(view: "AlignmentView") -> dict[str, QAction]:
    tr = view.tr
    return {
        "next": add_action(
            view,
            tr("Next link"),
            lambda: view.step_by(1),
            keys="J",
            hint=tr("Go to the next link (also by the arrows)."),
        ),
        "previous": add_action(
            view,
            tr("Previous link"),
            lambda: view.step_by(-1),
            keys="K",
            hint=tr("Go to the link before (also by the arrows)."),
        ),
        "doubtful": add_action(
            view,
            tr("Go to the least confident link"),
            lambda: view.go_to_doubtful(1),
            keys="L",
            hint=tr(
                "Go to the least confident link that nobody has judged; again: on."
            ),
        ),
        "less_doubtful": add_action(
            view,
            tr("Back to the less confident link"),
            lambda: view.go_to_doubtful(-1),
            keys="Shift+L",
            hint=tr("Go back to the link that is less confident."),
        ),
    }


def _make_edit_actions(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "confirm": add_action(
            view,
            tr("Confirm the link"),
            jobs.confirm,
            keys="A",
            hint=tr("Say that the link is right, and go on to the next."),
        ),
        "split": add_action(
            view,
            tr("Split the link"),
            jobs.split,
            keys="S",
            hint=tr("Split the link in the middle of both sides."),
        ),
        "merge": add_action(
            view,
            tr("Merge the link with the next"),
            jobs.merge,
            keys="M",
            hint=tr("Make one link of this one and the next."),
        ),
        "unlink": add_action(
            view,
            tr("Take the link away"),
            jobs.unlink,
            keys="U",
            hint=tr("Let the sentences of both sides stand without a translation."),
        ),
    } | _make_boundary_actions(view)


def _make_boundary_actions(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    more = tr("Take the next link's first sentence on this side into this one.")
    fewer = tr("Give this link's last sentence on this side to the next one.")
    return {
        "source_in": add_action(
            view,
            tr("Move the end of the source down"),
            lambda: jobs.move("source", 1),
            keys="Shift+Down",
            hint=more,
        ),
        "source_out": add_action(
            view,
            tr("Move the end of the source up"),
            lambda: jobs.move("source", -1),
            keys="Shift+Up",
            hint=fewer,
        ),
        "target_in": add_action(
            view,
            tr("Move the end of the target down"),
            lambda: jobs.move("target", 1),
            keys="Ctrl+Down",
            hint=more,
        ),
        "target_out": add_action(
            view,
            tr("Move the end of the target up"),
            lambda: jobs.move("target", -1),
            keys="Ctrl+Up",
            hint=fewer,
        ),
    }


def _make_export_actions(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "review": add_action(
            view,
            tr("Review the links"),
            jobs.review,
            keys="Ctrl+Return",
            hint=tr("Judge the links one after the other."),
        ),
        "export": add_action(
            view,
            tr("Export the links…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write the links as a translation memory or a table."),
        ),
        "rename": add_action(
            view,
            tr("Rename the alignment…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give the alignment another name."),
        ),
        "remove": add_action(
            view,
            tr("Delete the alignment"),
            jobs.remove,
            hint=tr("Delete the alignment; this can be undone."),
        ),
    }


WIDE_FIELDS = ("source", "target", "name")


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
        choices = swap_titles(single_choices(state.project))
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
        return Form(struct, values, skip=skip, titles=titles, wide=WIDE_FIELDS)


class AlignmentController(QObject):
    """Does what the actions of the alignment view say."""

    def __init__(self, view: "AlignmentView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    # --- documents ---

    def ask_alignment(self) -> None:
        """Ask which documents to align."""
        project = self._state.project
        if project is None or not project.corpora:
            words = self.tr("An alignment compares two texts: import them first.")
            self._state.notice_posted.emit(words)
            return
        row, sides = self._view.row, suggest_sides(project)
        corpora = list(sides) if sides else [project.corpora[0], project.corpora[-1]]
        if row is not None:
            for place, id_ in enumerate((row.source_corpus_id, row.target_corpus_id)):
                corpora[place] = (
                    find_corpus(project.corpora, str(id_)) or corpora[place]
                )
        names = [name_corpus(project.corpora, corpus) for corpus in corpora]
        values = AlignDocuments(source=names[0], target=names[1])
        AlignmentDialog(self._state, values, self._view).open()

    def rename(self) -> None:
        """Give the alignment another name."""
        row = self._view.row
        if row is None:
            return
        question = self.tr("How should {name} be called?").format(name=row.name)
        ask_name(
            self._view,
            question,
            row.name,
            lambda name: self._state.edit(RenameMining(mining=row.id, name=name)),
        )

    def remove(self) -> None:
        """Delete the alignment; a message offers to undo it."""
        row = self._view.row
        if row is None:
            return
        change = SetMiningState(minings=(row.id,), state="deleted")
        words = self.tr("{name} is deleted.").format(name=row.name)
        delete_with_undo(self._state, self._view.messages, change, words)

    def export(self) -> None:
        """Ask how and where to write the links."""
        row = self._view.row
        if row is not None:
            PairExportDialog(self._state, row, None, self._view).open()

    def review(self) -> None:
        """Judge the links one by one, the chosen one first."""
        row: PairSetRow | None = self._view.row
        if row is not None:
            self._state.review_wanted.emit(row.id, self._view.board.bead)

    # --- links ---

    def split(self) -> None:
        """Split the link in the middle."""
        self._edit(lambda bead: SplitBead(bead=bead))

    def merge(self) -> None:
        """Merge the link with the next."""
        self._edit(lambda bead: MergeBead(bead=bead))

    def unlink(self) -> None:
        """Take the link."""
        self._edit(lambda bead: UnlinkBead(bead=bead))

    def move(self, side: Literal["source", "target"], by: Literal[-1, 1]) -> None:
        """Move where the link ends on one side."""
        self._edit(lambda bead: MoveBoundary(bead=bead, side=side, by=by))

    def confirm(self) -> None:
        """Show that the link is right, and go on to the next."""
        bead = self._view.board.bead
        if bead is None:
            return
        change = JudgePairs(pairs=(bead,), verdict="accept")
        self._state.edit(change, self._show_refusal)
        self._view.step_by(1)

    def _edit(self, make: Any) -> None:
        bead = self._view.board.bead
        if bead is not None:
            change: Change = make(bead)
            self._state.edit(change, self._on_edited)

    def _on_edited(self, answer: dict[str, Any] | ErrorInfo) -> None:
        """Choose the bead that was made, where nobody has gone on meanwhile."""
        if isinstance(answer, ErrorInfo):
            self._show_refusal(answer)
        elif self._view.board.bead == answer["id"]:
            self._view.go_to(int(answer["id"]))

    def _show_refusal(self, answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            if answer.kind == "user":
                self._state.notice_posted.emit(answer.message)
            else:
                self._state.error_posted.emit(answer)
