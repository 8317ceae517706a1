"""What is done with the lines of a concordance: each turns one into something else."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject

from app.corpus_changes import HideSentences
from app.engine.store.hit_rows import HitListRow
from app.engine.store.pair_rows import mining_of, read_pairs
from app.engine.store.rows import read_note
from app.errors import ErrorInfo
from app.messages import SetNote
from app.pair_changes import AddPair
from app.params.concordance import Concordance, MoveHits
from app.params.flags import command_text
from app.views.concordance_question import meant_by
from app.views.concordance_told import describe_move
from app.views.corpus_choices import ChosenIds, language_choices, names_of_ids
from app.views.deletions import delete
from app.views.label_book import MAX_AT_ONCE
from app.views.runs import RunState
from app.views.view import ConcordanceWish
from app.views.widgets.ask_text import ask_name
from app.views.widgets.concordance_export_dialog import ConcordanceExportDialog
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import ReportDialog, copy_text
from app.views.widgets.hit_list_dialog import HitListDialog
from app.views.widgets.hits import cite
from app.views.words import format_count

if TYPE_CHECKING:
    from app.views.concordance_view import ConcordanceView

MOST_CITED = MOST_HIDDEN = 1_000  # lines at once
MOST_LINES = 10_000_000  # of a task
PAIR = "pair"  # topic of what is told of pairs
UNSAFE = '<>:"/\\|?*'  # in the names of files


class ConcordanceJobs(QObject):
    """Does what the actions of the concordance say."""

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._moving: RunState | None = None
        self._paired = (0, "")  # the newest pair that was made, and what was said
        self._state.run_finished.connect(self._on_run_finished)
        self._state.kinds_changed.connect(self._on_kinds_changed)

    # --- one line ---

    def search(self) -> None:
        """Search for what is nearest to the line."""
        row = self._view.table.current_row
        if row is not None:
            self._state.search_wanted.emit(row.sentence.id)

    def search_meaning(self) -> None:
        """Search for what is near in meaning to the question that found nothing."""
        question = self._view.question
        wish = ConcordanceWish(
            meant_by(question),
            question.corpora,
            question.subcorpora,
            question.languages,
        )
        self._state.meaning_wanted.emit(wish)

    def show_place(self) -> None:
        """Show the line in the table of its corpus."""
        row = self._view.table.current_row
        if row is not None:
            self._state.place_wanted.emit(row.sentence.id)

    def write_note(self) -> None:
        """Ask for the note on the line's sentence."""
        row, project = self._view.table.current_row, self._state.project
        if row is None or project is None or not self._can_write():
            return
        id_ = row.sentence.id
        ask_name(
            self._view,
            self.tr("What is there to note on this sentence?"),
            read_note(project.store, id_),
            lambda text: self._state.edit(SetNote(id_, text)),
            words=self.tr("Note"),
        )

    def make_pair(self) -> None:
        """Make a pair to review of the line and the nearest sentence that is shown."""
        row = self._view.table.current_row
        if row is None or not self._can_write():
            return
        near = self._view.neighbours.near(row.sentence.id)
        if not near:
            words = self.tr(
                "A pair needs the nearest sentence: choose its language under "
                "“Nearest in”."
            )
            self._state.notice_posted.emit(words)
            return
        change = AddPair(
            source=row.sentence.id, target=near[0].id, cosine=near[0].score
        )
        self._state.edit(change, self._on_paired)

    def label(self, digit: int) -> None:
        """Label the selected lines by a key, and go on to the next."""
        ids = self._view.table.selected_ids(MAX_AT_ONCE + 1)
        if self._state.labels.press(digit, ids):
            self._view.table.step_on()

    def cite(self) -> None:
        """Copy the selected lines with their source."""
        project, table = self._state.project, self._view.table
        if project is None:
            return
        rows = [table.lines.row_at(row) for row in table.selected_rows(MOST_CITED)]
        cited = [row.sentence for row in rows if row is not None]
        if cited:
            copy_text(cite(project, cited))
            words = self.tr("Copied the line with its source.")
            if len(cited) > 1:
                words = self.tr("Copied {n} lines with their sources.")
            self._state.notice_posted.emit(words.format(n=format_count(len(cited))))

    def hide(self) -> None:
        """Leave the selected sentences out of everything; a message offers to undo."""
        ids = self._view.table.selected_ids(MOST_HIDDEN)
        if not ids or not self._can_write():
            return
        words = self.tr("The sentence is hidden, here and everywhere.")
        if len(ids) > 1:
            words = self.tr("{n} sentences are hidden, here and everywhere.")
        change = HideSentences(
            sentences=tuple(ids), reason=self.tr("hidden in a concordance")
        )
        text = words.format(n=format_count(len(ids)))
        delete(self._state, self._view.page.messages, change, text)

    # --- all lines ---

    def params(self) -> Concordance:
        """Give what is shown, a question or a kept list, as the params of the task."""
        project, kept = self._state.project, self._view.kept
        if kept is not None:
            return Concordance(hits=str(kept.id))
        question = self._view.question
        ids = ChosenIds(question.corpora, question.subcorpora)
        return question.to_params(names_of_ids(project, ids))

    def export(self) -> None:
        """Ask how and where to write the lines."""
        project, shown = self._state.project, self._view.desk.shown
        if project is None or shown is None:
            return
        values = msgspec.structs.replace(
            self.params(),
            top=max(shown.n, 1),
            near=self._view.neighbours.languages,
            out=Path.home() / f"{_file_name(self._title)}.tsv",
        )
        languages = language_choices(project.corpora)
        dialog = ConcordanceExportDialog(
            self._state, values, languages, self._title, self._view
        )
        dialog.open()

    def keep(self) -> None:
        """Ask for a name, and keep the hits by it."""
        if not self._can_write():
            return
        question = self.tr("By which name shall these hits be kept?")
        ask_name(
            self._view,
            question,
            self._title,
            self.keep_as,
            words=self.tr("Keep"),
        )

    def keep_as(self, name: str) -> None:
        """Keep all hits of the question by a name."""
        params = msgspec.structs.replace(self.params(), save=name, top=MOST_LINES)
        self._state.run(params)

    def copy_command(self) -> None:
        """Copy the command that lists these lines in a terminal."""
        project = self._state.project
        copy_text(command_text(self.params(), project.folder if project else None))
        self._state.notice_posted.emit(self.tr("Copied the command."))

    def show_lists(self) -> None:
        """Show the kept lists."""
        dialog = HitListDialog(self._state, self._view)
        dialog.list_chosen.connect(self._on_list_chosen)
        dialog.move_wanted.connect(self.move_hits)
        dialog.open()

    def move_hits(self, params: MoveHits) -> None:
        """Find the hits of a kept list again in another corpus; its report is shown."""
        self._moving = self._state.run(params)

    # --- answers ---

    def _on_paired(self, answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
            return
        pair = int(answer["id"])
        review = make_button(
            self.tr("Review it"),
            self.tr("Judge the pair in Review."),
            lambda: self._state.review_wanted.emit(mining_of(pair), pair),
        )
        self._paired = (pair, answer["text"])
        self._view.page.messages.post(answer["text"], buttons=[review], topic=PAIR)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        """Offer no pair to be reviewed whose making was undone."""
        pair, text = self._paired
        project = self._state.project
        if not pair or project is None or not kinds & {"pair", "mining"}:
            return
        if read_pairs(project.store, [pair])[0] is None:
            self._paired = (0, "")
            self._view.page.messages.withdraw(text)

    def _on_list_chosen(self, row: HitListRow) -> None:
        self._view.show_kept(row)

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        """Show what moved, what changed and what is gone."""
        if run is not self._moving:
            return
        self._moving = None
        told = describe_move(result)
        ReportDialog(result["message"], told, self._view, is_open=True).open()

    @property
    def _title(self) -> str:
        """What the lines are called: as they were asked for, or kept."""
        kept = self._view.kept
        return self._view.question.text.strip() if kept is None else kept.name

    def _can_write(self) -> bool:
        project = self._state.project
        if project is not None and project.is_read_only:
            self._state.notice_posted.emit(self.tr("This project can only be read."))
        return project is not None and not project.is_read_only


def _file_name(text: str) -> str:
    """Make a file's name of a query."""
    kept = "".join("-" if c in UNSAFE or c.isspace() else c for c in text.strip())
    return kept.strip("-.")[:40] or "concordance"
