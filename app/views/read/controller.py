"""Actions of the read view: find, breaks, notes, labels and links."""

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.params.words import ExportWordAlignments
from app.views.client.state import AppState
from app.views.read.board import ReadingBoard
from app.views.read.finder import ReadingFinder
from app.views.read.header import FindBar
from app.views.read.link_editor import LinkEditor
from app.views.read.model import Place
from app.views.read.session import ReadingSession
from app.views.read.words import WordHighlighter
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.dialogs import copy_text, suggest_path
from app.views.widgets.export_dialog import N_PREVIEWED, ExportPreview
from app.views.widgets.hits import cite
from app.views.widgets.label_menu import LabelMenu
from app.views.widgets.note_dialog import ask_note
from app.views.widgets.number_format import pluralize
from app.views.widgets.pair_export_dialog import (
    LinkedTexts,
    PairChoice,
    PairExportDialog,
)
from app.views.widgets.sentence_editor import make_edit_action
from app.views.widgets.task_dialog import TaskDialog

Keys = str | QKeySequence.StandardKey


class ReadingController(QObject):
    """Makes and performs the actions of the read view.

    Attributes:
        actions: by name.
    """

    def __init__(
        self,
        state: AppState,
        session: ReadingSession,
        board: ReadingBoard,
        find_bar: FindBar,
        finder: ReadingFinder,
        view: QWidget,
    ):
        """Add the actions to the view and to the board's menu."""
        super().__init__(view)
        self._state, self._session, self._board = state, session, board
        self._find_bar, self._finder, self._view = find_bar, finder, view
        self.actions: dict[str, QAction] = {}
        self._add_navigation()
        self._add_sentence_actions()
        self.actions["align"] = add_action(
            view,
            self.tr("Align…"),
            self.tr("Open the view Align to link two texts."),
            lambda: state.view_requests.alignment_requested.emit(),
        )
        board.digit_pressed.connect(self.label)
        self._labels = LabelMenu(state, board)
        self._labels.chosen.connect(self.label)

    def add_link_edits(self) -> None:
        """Add the actions that edit links, and the exports."""
        add, tr = partial(add_action, self._view), self.tr
        editor = LinkEditor(self._state, self._board, self)
        found = {
            "unlink": add(
                tr("Remove the link of the row"),
                tr("Remove the links between the first column and this one."),
                editor.unlink,
                "U",
            ),
            "join": add(
                tr("Join with the next row"),
                tr("Link the sentences of this row and the next one."),
                editor.join,
                "J",
            ),
        }
        self.actions |= found
        self._board.addActions(list(found.values()))
        self.actions |= {
            "export": add(
                tr("Export pairs…"),
                tr("Export the linked sentences to TMX, a table or a parallel corpus."),
                self.export_pairs,
                "Ctrl+E",
            ),
            "export_words": add(
                tr("Export word alignments…"),
                tr("Export which words translate each other, in Pharaoh format."),
                self.export_words,
            ),
        }

    def add_words(self, words: WordHighlighter) -> None:
        """Add the actions that move from word to word."""
        add, tr = partial(add_action, self._view), self.tr
        self.actions |= {
            "next_word": add(
                tr("Next word"),
                tr("Mark the next word of the sentence and its translations."),
                lambda: words.step(1),
                "W",
            ),
            "previous_word": add(
                tr("Previous word"),
                tr("Mark the previous word of the sentence and its translations."),
                lambda: words.step(-1),
                "Shift+W",
            ),
        }

    def list_key_hints(self) -> list[tuple[QAction, str]]:
        """Return the actions with keys below the board, and their labels."""
        labels = {
            "next_break": self.tr("next break"),
            "next_word": self.tr("next word"),
            "unlink": self.tr("unlink"),
            "join": self.tr("join rows"),
            "label": self.tr("label"),
            "note": self.tr("note"),
            "find": self.tr("find"),
            "place": self.tr("in corpus"),
        }
        return [(self.actions[name], label) for name, label in labels.items()]

    def refresh(self) -> None:
        """Enable the available actions."""
        is_writable = self._state.can_write
        has_rows = self._session.rows.n_rows > 0
        for name, action in self.actions.items():
            needs_write = name in ("note", "label", "align", "unlink", "join")
            needs_rows = name != "align"
            action.setEnabled(
                (has_rows or not needs_rows) and (is_writable or not needs_write)
            )

    # --- actions ---

    def _add_navigation(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        standard = QKeySequence.StandardKey
        self.actions |= {
            "next_break": add(
                tr("Next break"),
                tr("Go to the next row with a gap or several sentences."),
                lambda: self.go_to_break(1),
                "B",
            ),
            "previous_break": add(
                tr("Previous break"),
                tr("Go to the previous row with a gap or several sentences."),
                lambda: self.go_to_break(-1),
                "Shift+B",
            ),
            "find": add(
                tr("Find…"),
                tr("Find a text in one column or in all."),
                self._find_bar.open,
                standard.Find,
            ),
            "next_found": add(
                tr("Next occurrence"),
                tr("Go to the next occurrence of the text."),
                lambda: self._finder.step(1, self._board.selection),
                "F3",
            ),
            "previous_found": add(
                tr("Previous occurrence"),
                tr("Go to the previous occurrence of the text."),
                lambda: self._finder.step(-1, self._board.selection),
                "Shift+F3",
            ),
        }
        self._find_bar.stepped.connect(
            lambda by: self._finder.step(by, self._board.selection)
        )

    def _add_sentence_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        found = {
            "search": add(
                tr("Search from this sentence"),
                tr("Find the sentences nearest in meaning to this one."),
                self.search,
                "S",
            ),
            "place": add(
                tr("Show sentence in corpus"),
                tr("Show the sentence in the table of its corpus."),
                self.show_in_corpus,
                "O",
            ),
            "note": add(
                tr("Add note…"),
                tr("Add a note to the sentence."),
                self.write_note,
                "Shift+N",
            ),
            "label": add(
                tr("Label…"),
                tr("Choose a label for the sentence. 1–9 assign one, 0 removes it."),
                self.offer_labels,
                "L",
            ),
            "copy": add(
                tr("Copy row as citations"),
                tr("Copy the sentences of the row with their sources."),
                self.cite,
                QKeySequence.StandardKey.Copy,
            ),
        }
        self.actions |= found
        self._board.addActions(list(found.values()))
        self._board.addAction(make_edit_action(self._state, self._board))

    # --- navigation ---

    def go_to_break(self, step: int) -> None:
        """Select the next or previous row without exactly one sentence per column."""
        place = self._board.selection
        row = self._session.rows.find_break(place.row, step)
        if row is None:
            text = self.tr("No further row has a gap or several sentences.")
            self._state.notice_posted.emit(text)
        else:
            self._board.select(Place(row, place.column), in_middle=True)

    # --- sentences ---

    def search(self) -> None:
        """Search for the sentences nearest to the selected one."""
        if self._board.sentence is not None:
            self._state.view_requests.search_requested.emit(self._board.sentence)

    def show_in_corpus(self) -> None:
        """Show the selected sentence in the table of its corpus."""
        if self._board.sentence is not None:
            self._state.view_requests.place_requested.emit(self._board.sentence)

    def write_note(self) -> None:
        """Open the note editor for the selected sentence."""
        if self._board.sentence is not None:
            ask_note(self._state, self._view, self._board.sentence)

    def export_pairs(self) -> None:
        """Ask how to export the links between the first and another column."""
        rows, project = self._session.rows, self._state.project
        if project is None or rows.n_columns < 2:
            return
        column = rows.linked_column(self._board.selection.column)
        shown = rows.columns[column].pairs or rows.columns[column].alignment
        texts = LinkedTexts(rows.corpora[0], rows.corpora[column])
        row = next((one for one in project.minings if one.id == shown), texts)
        choice = PairChoice(self._session.threshold)
        if self._session.source.accepted_only:
            choice = choice._replace(verdicts=("accept",))
        PairExportDialog(self._state, row, choice, self._view).open()

    def export_words(self) -> None:
        """Ask where to export the word alignments of the first and another column."""
        rows, project = self._session.rows, self._state.project
        if project is None or rows.n_columns < 2:
            return
        column = rows.linked_column(self._board.selection.column)
        names = [name_corpus(project.corpora, rows.corpora[at]) for at in (0, column)]
        values = ExportWordAlignments(
            source=names[0],
            target=names[1],
            out=suggest_path(self._state, f"{names[0]}-{names[1]}", ".pharaoh.txt"),
        )
        dialog = TaskDialog(
            self._state, ExportWordAlignments, values, parent=self._view
        )
        dialog.name_button(self.tr("Export alignments"))
        preview = ExportPreview(dialog)
        linked = rows.linked_rows(column)
        texts = [
            [self._text(int(row), at) for at in (0, column)]
            for row in linked[:N_PREVIEWED]
        ]
        one, many = self.tr("1 linked row."), self.tr("{n} linked rows.")
        preview.show_rows(names, texts, pluralize(len(linked), one, many))
        dialog.foot.addWidget(preview)
        dialog.open()

    def _text(self, row: int, column: int) -> str:
        """Return the text of a cell of the board."""
        ids = self._session.rows.ids(row, column)
        found = [self._board.read_sentence(one) for one in ids]
        return " ".join(one.text for one in found if one is not None)

    def offer_labels(self) -> None:
        """Offer the classes below the selected sentence."""
        if self._board.sentence is not None:
            self._labels.popup(self._board.point_below_selection())

    def label(self, digit: int) -> None:
        """Label the selected sentence with the class of a key."""
        if self._board.sentence is not None:
            labels = self._state.labels
            labels.label_by_key(digit, [self._board.sentence], announce=True)

    def cite(self) -> None:
        """Copy the sentences of the row with their sources."""
        project, rows = self._state.project, self._session.rows
        row = self._board.selection.row
        if project is None or row >= rows.n_rows:
            return
        ids = [id_ for column in range(rows.n_columns) for id_ in rows.ids(row, column)]
        found = [self._board.read_sentence(id_) for id_ in ids]
        copy_text(cite(project, [one for one in found if one is not None]))
        self._state.notice_posted.emit(self.tr("Copied the row with its sources."))
