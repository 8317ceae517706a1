"""Actions on selected concordance lines: search, pair, annotate, cite, hide."""

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import pair_set_of, read_pairs
from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.pairs import AddPair
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.state import AppState
from app.views.concordance.neighbours import LineNeighbours
from app.views.concordance.page import ConcordancePage
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.dialogs import copy_text
from app.views.widgets.hits import cite
from app.views.widgets.label_menu import LabelMenu
from app.views.widgets.note_dialog import ask_note
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.undo_messages import delete_with_undo

WRITING_ACTIONS = ("pair", "note", "label", "hide")
MAX_CITED = MAX_HIDDEN = 1_000  # lines at once
PAIR_TOPIC = "pair"  # topic of messages about pairs


class LineActions(QObject):
    """Makes and performs the actions on the lines of the table.

    Attributes:
        actions: by name.
    """

    def __init__(
        self,
        state: AppState,
        page: ConcordancePage,
        neighbours: LineNeighbours,
        view: QWidget,
    ):
        """Add the actions to the view; their shortcuts work only in the table."""
        super().__init__(view)
        self._state, self._view = state, view
        self._messages, self._table = page.messages, page.table
        self._neighbours = neighbours
        self._new_pair = (0, "")  # id and message of the last new pair
        self.actions = self._make_conversions() | self._make_visibility()
        self.actions["hide"].setShortcuts([QKeySequence(keys) for keys in ("H", "Del")])
        for action in self.actions.values():
            self._table.add_table_action(action)
        self._labels = LabelMenu(state, self._table)
        self._labels.chosen.connect(self.label)
        self._table.digit_pressed.connect(self.label)
        self._table.note_requested.connect(self.write_note)
        state.kinds_changed.connect(self._on_kinds_changed)

    def refresh(self, *, has_lines: bool) -> None:
        """Enable the available actions."""
        for name, action in self.actions.items():
            action.setEnabled(
                has_lines and (self._state.can_write or name not in WRITING_ACTIONS)
            )

    # --- one line ---

    def search(self) -> None:
        """Search for the sentences nearest to the current sentence."""
        if (row := self._table.current_row) is not None:
            self._state.view_requests.search_requested.emit(row.sentence.id)

    def show_in_corpus(self) -> None:
        """Show the line in the table of its corpus."""
        if (row := self._table.current_row) is not None:
            self._state.view_requests.place_requested.emit(row.sentence.id)

    def write_note(self) -> None:
        """Open the note editor for the current sentence."""
        if (row := self._table.current_row) is not None:
            ask_note(self._state, self._view, row.sentence.id)

    def make_pair(self) -> None:
        """Add a pair of the current sentence and its nearest sentence for review."""
        row = self._table.current_row
        if row is None:
            return
        near = self._neighbours.near(row.sentence.id)
        if not near:
            text = self.tr("Select a language under “Nearest in” to make pairs.")
            if self._neighbours.languages:
                text = self.tr("No nearest sentence is known for this line.")
            self._state.notice_posted.emit(text)
            return
        change = AddPair(
            source=row.sentence.id, target=near[0].id, cosine=near[0].score
        )
        self._state.edit(change, self._on_paired)

    # --- several lines ---

    def offer_labels(self) -> None:
        """Offer the classes below the current line."""
        if self._table.current_row is not None:
            self._labels.popup(self._table.point_below_current())

    def label(self, digit: int) -> None:
        """Label the selected lines with the class of a key, and go to the next line."""
        ids = self._table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._state.labels.label_by_key(digit, ids):
            self._table.select_next()

    def cite(self) -> None:
        """Copy the selected lines with their source."""
        project, table = self._state.project, self._table
        if project is None:
            return
        rows = [table.lines.row_at(row) for row in table.selected_rows(MAX_CITED)]
        cited = [row.sentence for row in rows if row is not None]
        if cited:
            copy_text(cite(project, cited))
            one = self.tr("Copied 1 line with its source.")
            many = self.tr("Copied {n} lines with their sources.")
            self._state.notice_posted.emit(pluralize(len(cited), one, many))

    def hide(self) -> None:
        """Hide the selected sentences in all views; a message offers to undo it."""
        ids = self._table.selected_ids(MAX_HIDDEN)
        if not ids:
            return
        text = self.tr("1 sentence hidden everywhere.")
        if len(ids) > 1:
            text = self.tr("{n} sentences hidden everywhere.")
        change = HideSentences(
            sentences=tuple(ids), reason=self.tr("hidden in a concordance")
        )
        text = text.format(n=format_count(len(ids)))
        delete_with_undo(self._state, self._messages, change, text)

    # --- private ---

    def _on_paired(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._state.post(answer)
            return
        pair, text = answer.id, answer.text
        review = make_button(
            self.tr("Review pair"),
            self.tr("Open the pair in Review."),
            lambda: self._state.view_requests.review_requested.emit(
                pair_set_of(pair), pair
            ),
        )
        self._new_pair = (pair, text)
        self._messages.post(text, buttons=[review], topic=PAIR_TOPIC)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        """Withdraw the message about a pair after it was undone."""
        pair, text = self._new_pair
        project = self._state.project
        if not pair or project is None or not kinds & {"pair", "mining"}:
            return
        if read_pairs(project.store, [pair])[0] is None:
            self._new_pair = (0, "")
            self._messages.withdraw(text)

    def _make_conversions(self) -> dict[str, QAction]:
        """Make the actions that use a line in other views."""
        add, tr = partial(add_action, self._view), self.tr
        return {
            "search": add(
                tr("Search from this line"),
                tr("Find the sentences nearest in meaning to this line."),
                self.search,
                "S",
            ),
            "pair": add(
                tr("Make a pair to review"),
                tr("Pair the line with the first nearest sentence below it."),
                self.make_pair,
                "P",
            ),
            "note": add(
                tr("Add note…"),
                tr("Add a note to the line's sentence (N)."),
                self.write_note,
            ),
            "label": add(
                tr("Label…"),
                tr("Label the selected sentences. Keys 1–9 assign a label."),
                self.offer_labels,
                "L",
            ),
            "cite": add(
                tr("Copy lines as citations"),
                tr("Copy the selected lines with their source."),
                self.cite,
                QKeySequence.StandardKey.Copy,
            ),
        }

    def _make_visibility(self) -> dict[str, QAction]:
        """Make the actions that show or hide sentences."""
        add, tr = partial(add_action, self._view), self.tr
        return {
            "place": add(
                tr("Show line in corpus"),
                tr("Show the line's sentence in the table of its corpus."),
                self.show_in_corpus,
                "O",
            ),
            "hide": add(
                tr("Hide sentences"),
                tr("Hide the selected sentences everywhere. You can undo this."),
                self.hide,
            ),
            "read": add(
                tr("Show full sentence"),
                tr("Show the line's full sentence (Space)."),
                self._table.show_full_text,
            ),
        }
