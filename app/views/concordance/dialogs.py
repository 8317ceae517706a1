"""Dialogs that export lines, manage saved hit lists, and move hits to a corpus."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from shiboken6 import isValid

from app.engine.store.corpora import CorpusRow
from app.engine.store.words.hit_lists import HitListRow, list_hit_lists
from app.errors import ErrorInfo
from app.params import Params
from app.params.words import Concordance, MoveHits
from app.protocol.answers.words import LineNeighboursAnswer
from app.protocol.edits.corpora import RenameHitList, SetHitListState
from app.protocol.queries.words import LineNeighboursQuery
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.concordance.model import KWIC, LINE, PLACE, KwicModel
from app.views.concordance.neighbours import read_neighbours
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.corpus_choices import ids_of_names, names_of_ids
from app.views.widgets.dialogs import (
    ask_new_name,
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.export_dialog import N_PREVIEWED
from app.views.widgets.fields import make_choice
from app.views.widgets.file_task_dialog import FileTaskDialog
from app.views.widgets.form import FormParts
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_age, format_count
from app.views.widgets.submission import Submission
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.undo_messages import delete_with_undo

SHOWN_FIELDS = ("top", "near", "context", "out")


class ConcordanceExportDialog(FileTaskDialog):
    """The options for exporting the lines."""

    def __init__(
        self,
        state: AppState,
        values: Concordance,
        languages: Sequence[tuple[str, str]],
        title: str,
        lines: KwicModel,
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            values: query, number of lines and proposed file.
            languages: codes and names of languages of nearest sentences.
            title: query text or name of the saved list.
        """
        self._languages = languages
        skip = [
            name for name in Concordance.__struct_fields__ if name not in SHOWN_FIELDS
        ]
        note = self.tr("Exports the lines of {text} in the order shown.")
        formats = {
            ".tsv": self.tr("Tab-separated (TSV)"),
            ".xlsx": self.tr("Excel (XLSX)"),
            ".docx": self.tr("Text (DOCX)"),
        }
        super().__init__(
            state,
            values,
            formats,
            skip=skip,
            note=note.format(text=title),
            parent=parent,
        )
        self.name_button(self.tr("Export lines"))
        self._lines, self._n = lines, values.top
        self._previewed: tuple[str, ...] | None = None  # languages shown in the preview
        self.form.changed.connect(self._show_preview)
        self._show_preview()

    def heading(self) -> str:
        """Name the dialog."""
        return self.tr("Export concordance")

    def _show_preview(self) -> None:
        """Show the first lines and request their nearest sentences."""
        languages = tuple(self.near.ticked)
        if languages == self._previewed:
            return
        self._previewed = languages
        self._show_near({code: [] for code in languages})
        n = min(self._lines.rowCount(), N_PREVIEWED)
        sentences = tuple(self._lines.line_at(row)[0] for row in range(n))
        if languages and sentences:
            query = LineNeighboursQuery(
                sentences=sentences, languages=languages, requester="concordance-export"
            )
            self._state.ask(query, partial(self._on_near, languages))

    def _on_near(
        self, languages: tuple[str, ...], answer: LineNeighboursAnswer | ErrorInfo
    ) -> None:
        project = self._state.project
        is_wanted = isValid(self) and languages == self._previewed
        if not is_wanted or project is None or isinstance(answer, ErrorInfo):
            return
        found = read_neighbours(project.store, answer, languages)
        lines = [
            {one.language: one.text for one in near if one.is_similar} for near in found
        ]
        self._show_near(
            {code: [line.get(code, "") for line in lines] for code in languages}
        )

    def _show_near(self, texts: dict[str, list[str]]) -> None:
        words, names = self.tr("Nearest in {language}"), dict(self._languages)
        more = {
            words.format(language=names.get(code, code)): near
            for code, near in texts.items()
        }
        self.preview.show_model(self._lines, self._n, more, (PLACE, LINE, KWIC))

    def form_parts(self) -> FormParts:
        """Return the inputs of the file and the languages."""
        hint = self.tr("Languages in which the nearest sentence is exported.")
        self.near = CheckList(self.tr("Nearest in"), hint)
        self.near.set_choices(list(self._languages))
        inputs = {"near": self.near.as_field(), "out": self.file.as_field()}
        titles = {
            "top": self.tr("Lines"),
            "near": self.tr("Nearest in"),
            "out": self.tr("File"),
        }
        first = ("out", "top", "context")
        return FormParts(first=first, titles=titles, inputs=inputs, help={"out": ""})


class MoveHitsDialog(TaskDialog):
    """The options for moving hits: the target corpus and the name of the new list."""

    submitted = Signal(object)  # MoveHits

    def __init__(
        self,
        state: AppState,
        row: HitListRow,
        corpora: Sequence[CorpusRow],
        parent: QWidget,
    ):
        """Make the dialog; the newest corpus is preselected."""
        self._corpora = corpora
        newest = str(corpora[-1].id) if corpora else ""
        note = self.tr(
            "Finds the sentences of {name} in another version of the corpus and "
            "reports what has changed. The list itself does not change."
        )
        super().__init__(
            state,
            MoveHits,
            MoveHits(hits=str(row.id), corpus=newest),
            skip=("hits",),
            note=note.format(name=row.name),
            parent=parent,
        )
        self.name_button(self.tr("Move hits"))

    def heading(self) -> str:
        """Name the dialog."""
        return self.tr("Move hits to a corpus")

    def form_parts(self) -> FormParts:
        """Return the input of the corpus."""
        choice = make_choice([(row.name, str(row.id)) for row in self._corpora])
        hint = self.tr("The reimported corpus.")
        describe(choice.widget, self.tr("Corpus"), hint)
        return FormParts(inputs={"corpus": choice})

    def start(self, params: Params) -> None:
        """Emit the params: the view starts the run and shows its report."""
        self.submitted.emit(cast("MoveHits", params))


KINDS = {"hit_list", "corpus"}
ROW_HEIGHT = 30  # pixels


class HitListDialog(QDialog):
    """Lists the saved hit lists, newest first."""

    list_opened = Signal(object)  # HitListRow: show its hits
    move_requested = Signal(object)  # MoveHits

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Saved hit lists"))
        fit_dialog(self, 92 * GRID, 56 * GRID)
        self._state = state
        self.rows: list[HitListRow] = []
        self.messages = MessageBar(self)
        self._submission = Submission(self, state, lambda _message: None)
        self.tree = self._make_tree()
        self._hint = make_label(
            self.tr(
                "No saved lists yet. Save the hits of Search or Concordance with "
                "Ctrl+S."
            ),
            "secondary",
            wraps=True,
        )
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(self.messages)
        layout.addWidget(self._hint)
        layout.addWidget(self.tree, 1)
        layout.addLayout(self._make_buttons())
        state.kinds_changed.connect(self._on_kinds_changed)
        self.refresh()

    @property
    def chosen(self) -> HitListRow | None:
        """The selected list."""
        item = self.tree.currentItem()
        index = self.tree.indexOfTopLevelItem(item) if item is not None else -1
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def refresh(self) -> None:
        """Read the lists again and keep the selection."""
        project = self._state.project
        kept = self.chosen.id if self.chosen is not None else None
        listed = list_hit_lists(project.store) if project is not None else []
        self.rows = listed[::-1]
        self.tree.clear()
        for row in self.rows:
            self.tree.addTopLevelItem(_make_item(project, row))
        indices = [n for n, row in enumerate(self.rows) if row.id == kept]
        if self.rows:
            model = self.tree.model()
            self.tree.setCurrentIndex(model.index(indices[0] if indices else 0, 0))
        self._hint.setVisible(not self.rows)
        self._refresh_buttons()

    # --- actions ---

    def open_chosen(self) -> None:
        """Show the hits of the selected list."""
        row = self.chosen
        if row is not None:
            self.list_opened.emit(row)
            self.accept()

    def rename(self) -> None:
        """Ask for a new name."""
        row = self.chosen
        if row is not None:
            ask_new_name(
                self._state,
                self,
                row.name,
                lambda name: RenameHitList(hits=row.id, name=name),
            )

    def move_hits(self) -> None:
        """Ask for the target corpus of the hits."""
        row, project = self.chosen, self._state.project
        if row is not None and project is not None:
            dialog = MoveHitsDialog(self._state, row, project.corpora, self)
            dialog.submitted.connect(self._on_move_wanted)
            dialog.open()

    def delete(self) -> None:
        """Delete the selected list; a message offers to undo it."""
        row = self.chosen
        if row is not None:
            change = SetHitListState(lists=(row.id,), state="deleted")
            text = self.tr("{name} deleted.").format(name=row.name)
            delete_with_undo(self._state, self.messages, change, text)

    # --- private ---

    def _on_move_wanted(self, params: MoveHits) -> None:
        self._submission.submit(lambda: self.move_requested.emit(params))

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & KINDS:
            self.refresh()

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setProperty("shape", "table")
        tree.setHeaderLabels(
            [
                *(self.tr("Name"), self.tr("Hits"), self.tr("Query")),
                *(self.tr("Corpora"), self.tr("Saved")),
            ]
        )
        for column, width in enumerate((24, 8, 20, 20, 14)):
            tree.setColumnWidth(column, scaled(width * GRID))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        tree.headerItem().setTextAlignment(1, right)
        describe(tree, self.tr("Saved hit lists"), self.tr("Enter opens a list."))
        tree.itemActivated.connect(lambda _item, _column: self.open_chosen())
        tree.currentItemChanged.connect(lambda _new, _old: self._refresh_buttons())
        return tree

    def _make_buttons(self) -> QHBoxLayout:
        made: Sequence[tuple[str, str, Callable[[], object]]] = (
            (self.tr("Rename…"), self.tr("Rename the list."), self.rename),
            (
                self.tr("Move to a corpus…"),
                self.tr("Find the hits in a reimported corpus."),
                self.move_hits,
            ),
            (
                self.tr("Delete"),
                self.tr("Delete the list. You can undo this."),
                self.delete,
            ),
        )
        self._writing: list[QPushButton] = []
        for words, hint, slot in made:
            self._writing.append(make_button(words, hint, slot, kind="quiet"))
        self.open_button = make_button(
            self.tr("Open list"),
            self.tr("Show the hits of the list."),
            self.open_chosen,
            kind="primary",
        )
        return lay_out_buttons(
            self, self.open_button, left=self._writing, cancel=self.tr("Close")
        )

    def _refresh_buttons(self) -> None:
        has_one = self.chosen is not None
        can_write = self._state.can_write
        for button in self._writing:
            button.setEnabled(has_one and can_write)
        self.open_button.setEnabled(has_one)


def _make_item(project: ProjectReader | None, row: HitListRow) -> QTreeWidgetItem:
    query = msgspec.json.decode(row.query)
    submitted = str(query.get("text", ""))
    searched = ids_of_names(project, query.get("corpora", ()))
    corpora = ", ".join(names_of_ids(project, searched))
    texts = (row.name, format_count(row.n_hits), submitted, corpora)
    item = QTreeWidgetItem([*texts, format_age(row.created_at)])
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    item.setTextAlignment(1, right)
    item.setSizeHint(0, QSize(0, scaled(ROW_HEIGHT)))
    item.setToolTip(0, row.name)
    item.setToolTip(2, submitted)
    item.setToolTip(3, corpora)
    return item
