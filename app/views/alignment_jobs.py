"""What is done in the alignment view: jobs, edits of links, dialogs."""

from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject

from app.alignment_changes import MergeBead, MoveBoundary, SplitBead, UnlinkBead
from app.engine.store.pair_rows import MiningRow
from app.errors import ErrorInfo
from app.messages import Change
from app.pair_changes import JudgePairs, RenameMining, SetMiningState
from app.params import AlignDocuments
from app.views.deletions import delete
from app.views.mining_sides import (
    find_corpus,
    name_corpus,
    suggest_sides,
)
from app.views.widgets.alignment_dialog import AlignmentDialog
from app.views.widgets.ask_text import ask_name
from app.views.widgets.pair_export_dialog import PairExportDialog

if TYPE_CHECKING:
    from app.views.alignment_view import AlignmentView


class AlignmentJobs(QObject):
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
        delete(self._state, self._view.messages, change, words)

    def export(self) -> None:
        """Ask how and where to write the links."""
        row = self._view.row
        if row is not None:
            PairExportDialog(self._state, row, None, self._view).open()

    def review(self) -> None:
        """Judge the links one by one, the chosen one first."""
        row: MiningRow | None = self._view.row
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
        """Say that the link is right, and go on to the next."""
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
