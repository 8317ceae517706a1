"""Actions on concordance lines: label, pair, annotate, cite, hide, export."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from app.engine.store.hit_lists import HitListRow
from app.engine.store.pairs.sets import pair_set_of, read_pairs
from app.engine.store.sentences import read_note
from app.errors import ErrorInfo
from app.params.flags import command_text
from app.params.words import Concordance, MoveHits
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import SetNote
from app.protocol.edits.pairs import AddPair
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.runs import RunState
from app.views.concordance.dialogs import ConcordanceExportDialog, HitListDialog
from app.views.concordance.presenter import describe_move
from app.views.concordance.settings import query_words
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.corpus_choices import ChosenIds, language_choices, names_of_ids
from app.views.widgets.dialogs import ReportDialog, ask_name, copy_text
from app.views.widgets.hits import cite
from app.views.widgets.number_format import format_count
from app.views.widgets.undo_messages import delete_with_undo
from app.views.widgets.view_protocol import TextLookup

if TYPE_CHECKING:
    from app.views.concordance.view import ConcordanceView

LINE_ACTIONS = ("search", "pair", "note", "cite", "place", "hide", "read")
RESULT_ACTIONS = ("export", "keep", "command", "shares")
EDIT_ACTIONS = ("pair", "note", "hide", "keep")


def make_concordance_actions(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return (
        _make_query_actions(view)
        | _make_line_actions(view)
        | _make_sort_actions(view)
        | _make_result_actions(view)
    )


def list_keys(
    todo: dict[str, QAction], view: "ConcordanceView"
) -> list[tuple[QAction, str]]:
    """Return the keys that are shown below the lines, with short words."""
    tr = view.tr
    return [
        (todo["search"], tr("search by meaning")),
        (todo["pair"], tr("pair to review")),
        (todo["note"], tr("note (N), label (1–9)")),
        (todo["cite"], tr("cite")),
        (todo["place"], tr("in its corpus")),
        (todo["hide"], tr("hide")),
        (todo["left"], tr("sort left")),
        (todo["right"], tr("sort right")),
    ]


def refresh_concordance_actions(
    todo: dict[str, QAction], view: "ConcordanceView"
) -> None:
    """Enable what can be done now."""
    project = view.state.project
    writable = project is not None and not project.is_read_only
    shown = view.desk.shown
    has_lines = shown is not None and shown.n > 0 and view.page.shows_lines
    for name in (*LINE_ACTIONS, *RESULT_ACTIONS, "left", "right", "find"):
        todo[name].setEnabled(has_lines and (writable or name not in EDIT_ACTIONS))
    todo["lists"].setEnabled(project is not None)
    todo["back"].setEnabled(view.trail.can_go_back)
    todo["forward"].setEnabled(view.trail.can_go_forward)


def _make_query_actions(view: "ConcordanceView") -> dict[str, QAction]:
    tr, bar = view.tr, view.bar
    return {
        "type": add_action(view, tr("Type a query"), view.focus_query, keys="Ctrl+L"),
        "back": add_action(
            view, tr("Back to the query before"), lambda: view.walk(-1), keys="Alt+Left"
        ),
        "forward": add_action(
            view,
            tr("Forward to the query after"),
            lambda: view.walk(1),
            keys="Alt+Right",
        ),
        "mode": add_action(
            view,
            tr("Words or a regular expression"),
            bar.switch_mode,
            keys="Ctrl+M",
            hint=tr("Look for words, or for a regular expression."),
        ),
        "find": add_action(
            view,
            tr("Find in the lines"),
            view.page.find_row.begin,
            keys=QKeySequence.StandardKey.Find,
            hint=tr("Show only the lines whose sentence has some words."),
        ),
        "case": add_action(
            view,
            tr("Tell capitals from small letters"),
            bar.case.click,
            keys="Ctrl+U",
        ),
        "history": add_action(
            view, tr("Show past queries"), bar.field.open_history, keys="Ctrl+H"
        ),
        "syntax": add_action(
            view,
            tr("How to ask"),
            view.show_syntax,
            keys="F1",
            hint=tr("Show what can be typed, with examples."),
        ),
    }


def _make_line_actions(view: "ConcordanceView") -> dict[str, QAction]:
    made = _make_conversion_actions(view) | _make_visibility_actions(view)
    made["hide"].setShortcuts([QKeySequence(keys) for keys in ("H", "Del")])
    for action in made.values():
        _limit_to_table(action, view)
    return made


def _make_conversion_actions(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions that turn a line into something else."""
    tr, jobs = view.tr, view.jobs
    return {
        "search": add_action(
            view,
            tr("Search from this line"),
            jobs.search,
            keys="S",
            hint=tr("Search for what is nearest in meaning to the line's sentence."),
        ),
        "pair": add_action(
            view,
            tr("Make a pair to review"),
            jobs.make_pair,
            keys="P",
            hint=tr("Pair the line with the first nearest sentence below it."),
        ),
        "note": add_action(
            view,
            tr("Write a note on the line…"),
            jobs.write_note,
            hint=tr("Write a note on the line's sentence; digits label it."),
        ),
        "cite": add_action(
            view,
            tr("Copy the lines as citations"),
            jobs.cite,
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy the selected lines with their source."),
        ),
    }


def _make_visibility_actions(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions that show sentences, or hide them."""
    tr, jobs = view.tr, view.jobs
    return {
        "place": add_action(
            view,
            tr("Show the line in its corpus"),
            jobs.show_place,
            keys="O",
            hint=tr("Show the line's sentence in the table of its corpus."),
        ),
        "hide": add_action(
            view,
            tr("Hide the sentences"),
            jobs.hide,
            hint=tr("Leave the selected sentences out of everything; can be undone."),
        ),
        "read": add_action(
            view,
            tr("Read the whole sentence"),
            view.table.show_full_text,
            hint=tr("Show the line's sentence whole (Space)."),
        ),
    }


def _make_sort_actions(view: "ConcordanceView") -> dict[str, QAction]:
    tr = view.tr
    made = {
        "left": add_action(
            view,
            tr("Sort by one more word to the left"),
            lambda: view.sort_further("L"),
            keys="Left",
            hint=tr("Sort by the word left of the hit; again: by two, by three."),
        ),
        "right": add_action(
            view,
            tr("Sort by one more word to the right"),
            lambda: view.sort_further("R"),
            keys="Right",
            hint=tr("Sort by the word right of the hit; again: by two, by three."),
        ),
    }
    for action in made.values():
        _limit_to_table(action, view)
    return made


def _make_result_actions(view: "ConcordanceView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "shares": add_action(
            view,
            tr("Show how the hits are shared"),
            view.toggle_shares,
            keys="Ctrl+B",
            hint=tr("Show or hide the hits by language, corpus and document."),
        ),
        "export": add_action(
            view,
            tr("Export the lines…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write the lines to a table (TSV, XLSX) or a text (DOCX)."),
        ),
        "keep": add_action(
            view,
            tr("Keep the hits…"),
            jobs.keep,
            keys="Ctrl+S",
            hint=tr("Keep all hits in the project by a name."),
        ),
        "lists": add_action(
            view,
            tr("Kept hit lists…"),
            jobs.show_lists,
            keys="Ctrl+Shift+S",
            hint=tr("Open, rename, move or delete the lists that were kept."),
        ),
        "command": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that lists these lines in a terminal."),
        ),
    }


def _limit_to_table(action: QAction, view: "ConcordanceView") -> None:
    """Let a key work in the table alone: elsewhere it types, or moves the cursor."""
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    view.table.addAction(action)


MAX_CITED = MAX_HIDDEN = 1_000  # lines at once
MAX_LINES = 10_000_000  # of a task
PAIR_TOPIC = "pair"  # topic of what is told of pairs
UNSAFE_CHARACTERS = '<>:"/\\|?*'  # in the names of files


class ConcordanceController(QObject):
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
        wish = TextLookup(
            query_words(question),
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
        ids = self._view.table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._state.labels.press(digit, ids):
            self._view.table.step_on()

    def cite(self) -> None:
        """Copy the selected lines with their source."""
        project, table = self._state.project, self._view.table
        if project is None:
            return
        rows = [table.lines.row_at(row) for row in table.selected_rows(MAX_CITED)]
        cited = [row.sentence for row in rows if row is not None]
        if cited:
            copy_text(cite(project, cited))
            words = self.tr("Copied the line with its source.")
            if len(cited) > 1:
                words = self.tr("Copied {n} lines with their sources.")
            self._state.notice_posted.emit(words.format(n=format_count(len(cited))))

    def hide(self) -> None:
        """Leave the selected sentences out of everything; a message offers to undo."""
        ids = self._view.table.selected_ids(MAX_HIDDEN)
        if not ids or not self._can_write():
            return
        words = self.tr("The sentence is hidden, here and everywhere.")
        if len(ids) > 1:
            words = self.tr("{n} sentences are hidden, here and everywhere.")
        change = HideSentences(
            sentences=tuple(ids), reason=self.tr("hidden in a concordance")
        )
        text = words.format(n=format_count(len(ids)))
        delete_with_undo(self._state, self._view.page.messages, change, text)

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
        params = msgspec.structs.replace(self.params(), save=name, top=MAX_LINES)
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

    def _on_paired(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
            return
        pair = answer.id
        review = make_button(
            self.tr("Review it"),
            self.tr("Judge the pair in Review."),
            lambda: self._state.review_wanted.emit(pair_set_of(pair), pair),
        )
        self._paired = (pair, answer.text)
        self._view.page.messages.post(answer.text, buttons=[review], topic=PAIR_TOPIC)

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
    kept = "".join(
        "-" if c in UNSAFE_CHARACTERS or c.isspace() else c for c in text.strip()
    )
    return kept.strip("-.")[:40] or "concordance"
