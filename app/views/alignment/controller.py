"""Actions of the alignment view: align documents, edit links, export."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import list_documents, read_last_line
from app.errors import ErrorInfo
from app.languages import language_name, primary_language
from app.params.mining import AlignDocuments
from app.protocol.answers.edits import EditAnswer
from app.protocol.answers.pairs import SimilarTexts
from app.protocol.edits import Change
from app.protocol.edits.alignments import MergeBead, MoveBoundary, SplitBead, UnlinkBead
from app.protocol.edits.pairs import JudgePairs, RenameMining, SetMiningState
from app.views.alignment.board import AlignmentBoard
from app.views.alignment.line_range import LineRange
from app.views.alignment.model import AlignmentModel
from app.views.client.state import AppState
from app.views.widgets.controls import add_action, describe
from app.views.widgets.corpus_choices import (
    find_chosen,
    find_corpus,
    name_corpus,
    similar_texts_query,
    single_choices,
    suggest_sides,
    swap_titles,
)
from app.views.widgets.dialogs import ask_new_name
from app.views.widgets.fields import make_choice
from app.views.widgets.form import FormParts
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.pair_export_dialog import PairChoice, PairExportDialog
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import delete_with_undo

SIDES = ("source", "target")
WIDE_FIELDS = (
    *("source", "target", "source_document", "target_document"),
    *("source_lines", "target_lines", "name"),
)


class AlignmentDialog(TaskDialog):
    """Asks for the documents to align and the settings.

    Attributes:
        lines: line range of each side.
    """

    def __init__(
        self, state: AppState, values: AlignDocuments, parent: QWidget | None = None
    ):
        """Make the dialog with initial values."""
        note = self.tr(
            "Both texts must have the same content in the same order. Sentences may be "
            "joined, missing or added."
        )
        titles = self.tr("Source lines"), self.tr("Target lines")
        self.lines = dict(zip(SIDES, map(LineRange, titles), strict=True))
        self._texts: dict[str, str] = {}  # texts with counted lines
        self._documents: dict[str, QComboBox] = {}
        self._n_documents: dict[str, int] = {}
        self._is_changed = False  # whether the user changed a field
        super().__init__(state, AlignDocuments, values, note=note, parent=parent)
        choices = swap_titles(single_choices(state.project))
        for side in SIDES:
            self.form.set_choices(side, choices)
            self.form.set_help(side, "")
            box = self.form.field(side).widget
            assert isinstance(box, QComboBox)
            box.activated.connect(self._on_touched)  # also for the same text
        self.form.changed.connect(self._on_changed)
        self.form.changed.connect(self._on_touched)
        self._on_changed()

    def ask_similar(self) -> None:
        """Suggest the most similar texts, unless the user selects texts first."""
        project = self._state.project
        query = similar_texts_query(project) if project is not None else None
        if query is not None:
            self._state.ask(query, self._take_similar)

    def _take_similar(self, answer: SimilarTexts | ErrorInfo) -> None:
        project = self._state.project
        if project is None or isinstance(answer, ErrorInfo) or not self._is_untouched():
            return
        ids = answer.source, answer.target
        found = [find_corpus(project.corpora, str(id_)) for id_ in ids]
        for side, corpus in zip(SIDES, found, strict=True):
            if corpus is not None:
                name = name_corpus(project.corpora, corpus)
                self.form.field(side).write(name)

    def _is_untouched(self) -> bool:
        """Return whether the user has neither changed nor opened a field."""
        has_list = QApplication.activePopupWidget() is not None
        return self.isVisible() and not self._is_changed and not has_list

    def _on_touched(self) -> None:
        self._is_changed = True

    def _on_changed(self) -> None:
        for side in SIDES:
            self._count_lines(side)
        problems = {side: lines.problem for side, lines in self.lines.items()}
        for side, problem in problems.items():
            if problem:
                self.form.show_error(f"{side}_lines", problem, focuses=False)
        self.run_button.setEnabled(not any(problems.values()))
        self._warn_of_language()

    def _count_lines(self, side: str) -> None:
        """Set the line range from the number of lines in the selected text."""
        project, name = self._state.project, str(self.form.raw()[side])
        if project is None or self._texts.get(side) == name:
            return
        self._texts[side] = name
        corpora = find_chosen(project, name)
        n = max((read_last_line(project.store, one) for one in corpora), default=0)
        self.lines[side].set_n_lines(n)
        self._offer_documents(side, corpora)
        self.form.set_help(f"{side}_lines", self._describe_lines(corpora, n))

    def _offer_documents(self, side: str, corpora: Sequence[CorpusRow]) -> None:
        """Offer the documents of a text; hide the field if there are none."""
        project = self._state.project
        assert project is not None
        sections = [
            row for one in corpora for row in list_documents(project.store, one.id)
        ]
        names = list(dict.fromkeys(row.name for row in sections))
        box, chosen = self._documents[side], self._documents[side].currentData()
        with QSignalBlocker(box):
            box.clear()
            box.addItem(self.tr("All documents"), "")
            for name in names:
                box.addItem(name, name)
            box.setCurrentIndex(max(box.findData(chosen), 0))
        self._n_documents[side] = len(names)
        few = [one for one in SIDES if self._n_documents.get(one, 0) < 2]
        self.form.hide_rows([f"{one}_document" for one in few])

    def _describe_lines(self, corpora: Sequence[CorpusRow], last: int) -> str:
        """Describe the number of lines, and of sentences if it differs."""
        n_sentences = sum(row.n_sentences for row in corpora)
        if not last:
            return ""
        if n_sentences == last:
            one = self.tr("The text has 1 line.")
            return pluralize(last, one, self.tr("The text has {n} lines."))
        one = self.tr("The text has 1 sentence. The last line is {line}.")
        many = self.tr("The text has {n} sentences. The last line is {line}.")
        line = format_count(last)
        return pluralize(
            n_sentences, one.replace("{line}", line), many.replace("{line}", line)
        )

    def _warn_of_language(self) -> None:
        """Warn if both texts are in the same language."""
        names = self.form.raw()
        source, target = (
            {primary_language(row.language) for row in find_chosen(project, name)}
            for project, name in (
                (self._state.project, str(names[side])) for side in ("source", "target")
            )
        )
        words = self.tr(
            "Both texts are {language}. Align links a text with its translation, so "
            "choose a target in another language."
        )
        is_one = len(source) == 1 and source == target
        language = language_name(min(source, default=""))
        self.show_needs(words.format(language=language) if is_one else "")

    def form_parts(self) -> FormParts:
        """Return the inputs with short labels."""
        titles = {
            "joined": self.tr("Joined at most"),
            "by_lines": self.tr("One by one, in their order"),
        }
        inputs = {
            f"{side}_lines": lines.as_field() for side, lines in self.lines.items()
        }
        for side in SIDES:
            choice = make_choice([(self.tr("All documents"), "")])
            assert isinstance(choice.widget, QComboBox)
            self._documents[side] = choice.widget
            title = f"{side}_document"
            titles[title] = (
                self.tr("Source document")
                if side == "source"
                else self.tr("Target document")
            )
            hint = self.tr("Align all documents of the corpus, or only one.")
            describe(choice.widget, titles[title], hint)
            inputs[title] = choice
        return FormParts(titles=titles, inputs=inputs, wide=WIDE_FIELDS)


class AlignmentController(QObject):
    """Makes and performs the actions of the alignment view.

    Attributes:
        actions: by name.
    """

    def __init__(
        self,
        state: AppState,
        model: AlignmentModel,
        board: AlignmentBoard,
        messages: MessageBar,
        view: QWidget,
    ):
        """Add the actions to the view.

        Args:
            board: shows the links; actions edit the selected link.
            messages: offers to undo a deletion.
            view: parent of the actions and dialogs.
        """
        super().__init__(view)
        self._state, self._model, self._board = state, model, board
        self._messages, self._view = messages, view
        self._doubtful: int | None = None  # last bead selected as doubtful
        self.actions: dict[str, QAction] = {
            "align": add_action(
                self._view,
                self.tr("Align documents…"),
                self.tr("Link the sentences of a text and its translation."),
                self.ask_alignment,
                "Ctrl+Shift+A",
            )
        }
        self._navigation = self._add_navigation()
        self._add_edits()
        self._add_boundaries()
        self._add_outputs()

    # --- actions ---

    def _add_navigation(self) -> list[QAction]:
        """Add the actions that read but do not change an alignment."""
        add, tr = partial(add_action, self._view), self.tr
        before = len(self.actions)
        self.actions |= {
            "next": add(
                tr("Next link"),
                tr("Go to the next link (also with the arrow keys)."),
                lambda: self.step_by(1),
                "J",
            ),
            "previous": add(
                tr("Previous link"),
                tr("Go to the previous link (also with the arrow keys)."),
                lambda: self.step_by(-1),
                "K",
            ),
            "doubtful": add(
                tr("Go to the least confident link"),
                tr(
                    "Go to the least confident link that is not judged yet; press "
                    "again for the next one."
                ),
                lambda: self.go_to_doubtful(1),
                "L",
            ),
            "less_doubtful": add(
                tr("Back to the less confident link"),
                tr("Go back to the link with less confidence."),
                lambda: self.go_to_doubtful(-1),
                "Shift+L",
            ),
            "review": add(
                tr("Review links"),
                tr("Judge the links one by one."),
                self.review,
                "Ctrl+Return",
            ),
        }
        return list(self.actions.values())[before:]

    def _add_edits(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.actions |= {
            "confirm": add(
                tr("Confirm the link"),
                tr(
                    "Mark the link as correct and go to the next. Confirmed links "
                    "count as known translations."
                ),
                self.confirm,
                "A",
            ),
            "split": add(
                tr("Split the link"),
                tr("Split the link in the middle of both sides."),
                lambda: self._edit(lambda bead: SplitBead(bead=bead)),
                "S",
            ),
            "merge": add(
                tr("Merge the link with the next"),
                tr("Merge this link and the next into one."),
                lambda: self._edit(lambda bead: MergeBead(bead=bead)),
                "M",
            ),
            "unlink": add(
                tr("Remove the link"),
                tr("Leave the sentences of both sides without a translation."),
                lambda: self._edit(lambda bead: UnlinkBead(bead=bead)),
                "U",
            ),
        }

    def _add_boundaries(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        more = tr("Move the next link's first sentence on this side to this link.")
        fewer = tr("Move this link's last sentence on this side to the next link.")
        self.actions |= {
            "source_in": add(
                tr("Move the end of the source down"),
                more,
                lambda: self._move("source", 1),
                "Shift+Down",
            ),
            "source_out": add(
                tr("Move the end of the source up"),
                fewer,
                lambda: self._move("source", -1),
                "Shift+Up",
            ),
            "target_in": add(
                tr("Move the end of the target down"),
                more,
                lambda: self._move("target", 1),
                "Ctrl+Down",
            ),
            "target_out": add(
                tr("Move the end of the target up"),
                fewer,
                lambda: self._move("target", -1),
                "Ctrl+Up",
            ),
        }

    def _add_outputs(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.actions |= {
            "export": add(
                tr("Export links…"),
                tr("Export the links as a translation memory or a table."),
                self.export,
                "Ctrl+E",
            ),
            "rename": add(
                tr("Rename the alignment…"),
                tr("Rename this alignment."),
                self.rename,
                "F2",
            ),
            "remove": add(
                tr("Delete the alignment"),
                tr("Delete this alignment. You can undo this."),
                self.remove,
            ),
        }

    def list_key_hints(self) -> list[tuple[QAction, str]]:
        """Return the actions with keys below the board, and their labels."""
        labels = {
            "next": self.tr("next"),
            "doubtful": self.tr("least confident"),
            "confirm": self.tr("confirm"),
            "split": self.tr("split"),
            "merge": self.tr("merge"),
            "unlink": self.tr("unlink"),
            "source_in": self.tr("longer source"),
            "target_in": self.tr("longer target"),
        }
        return [(self.actions[name], label) for name, label in labels.items()]

    def refresh(self) -> None:
        """Enable the available actions."""
        is_writable = self._state.can_write
        has_links = len(self._model) > 0
        for action in self.actions.values():
            action.setEnabled(has_links and is_writable)
        for action in self._navigation:
            action.setEnabled(has_links)
        self.actions["align"].setEnabled(is_writable)

    # --- navigation ---

    def step_by(self, by: int) -> None:
        """Move the selection down by a number of links."""
        self._board.select(self._board.selection.place + by)

    def go_to(self, bead: int) -> None:
        """Read changed links, then select a link."""
        self._model.refresh()
        self._board.select(self._model.place_of(bead))

    def go_to_doubtful(self, step: int) -> None:
        """Select the least confident unjudged link, or the next one."""
        now, find = self._board.selection.place, self._model.find_doubtful
        index = find(now, step=step) if self._board.bead == self._doubtful else find()
        if index == now:  # already selected
            index = find(now, step=step)
        if index is None:
            self._state.notice_posted.emit(self.tr("All links are judged."))
        else:
            self._board.select(index)
            self._board.reveal(in_middle=True)
            self._doubtful = self._board.bead

    # --- documents ---

    def ask_alignment(self) -> None:
        """Open the dialog for aligning documents."""
        project = self._state.project
        if project is None or not project.corpora:
            text = self.tr("First import the two texts that you want to align.")
            self._state.notice_posted.emit(text)
            return
        row, sides = self._model.alignment, suggest_sides(project)
        texts = project.texts or project.corpora
        corpora = list(sides) if sides else [texts[0], texts[-1]]
        if row is not None:
            for index, id_ in enumerate((row.source_corpus_id, row.target_corpus_id)):
                corpora[index] = (
                    find_corpus(project.corpora, str(id_)) or corpora[index]
                )
        names = [name_corpus(project.corpora, corpus) for corpus in corpora]
        values = AlignDocuments(source=names[0], target=names[1])
        dialog = AlignmentDialog(self._state, values, self._view)
        dialog.open()
        dialog.ask_similar()

    def rename(self) -> None:
        """Ask for a new name for the alignment."""
        row = self._model.alignment
        if row is None:
            return
        ask_new_name(
            self._state,
            self._view,
            row.name,
            lambda name: RenameMining(mining=row.id, name=name),
        )

    def remove(self) -> None:
        """Delete the alignment; a message offers to undo it."""
        row = self._model.alignment
        if row is None:
            return
        change = SetMiningState(minings=(row.id,), state="deleted")
        text = self.tr("Deleted {name}.").format(name=row.name)
        delete_with_undo(self._state, self._messages, change, text)

    def export(self) -> None:
        """Open the dialog for exporting the links."""
        if self._model.alignment is not None:
            dialog = PairExportDialog(
                self._state, self._model.alignment, PairChoice(), self._view
            )
            dialog.open()

    def review(self) -> None:
        """Show the links in the review view, with the selected link first."""
        if self._model.alignment is not None:
            self._state.view_requests.review_requested.emit(
                self._model.alignment.id, self._board.bead
            )

    # --- links ---

    def confirm(self) -> None:
        """Accept the link and select the next one."""
        bead = self._board.bead
        if bead is not None:
            change = JudgePairs(pairs=(bead,), verdict="accept")
            self._state.edit(change, self._show_refusal)
            self.step_by(1)

    def _move(self, side: Literal["source", "target"], by: Literal[-1, 1]) -> None:
        """Extend or shorten the link on one side."""
        self._edit(lambda bead: MoveBoundary(bead=bead, side=side, by=by))

    def _edit(self, make_edit: Callable[[int], Change]) -> None:
        bead = self._board.bead
        if bead is not None:
            self._state.edit(make_edit(bead), self._on_edited)

    def _on_edited(self, answer: EditAnswer | ErrorInfo) -> None:
        """Select the new link, unless the user has selected another one."""
        if isinstance(answer, ErrorInfo):
            self._show_refusal(answer)
        elif self._board.bead == answer.id:
            self.go_to(answer.id)

    def _show_refusal(self, answer: EditAnswer | ErrorInfo) -> None:
        if not isinstance(answer, ErrorInfo):
            return
        if answer.kind == "user":
            self._state.notice_posted.emit(answer.message)
        else:
            self._state.error_posted.emit(answer)
