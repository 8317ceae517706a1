"""Words view: word lists, collocates, keywords and equivalents."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID
from app.views.words.columns import Row, columns_of
from app.views.words.controller import (
    WordListPresenter,
    WordListSorter,
    WordsController,
    make_words_actions,
    refresh_words_actions,
)
from app.views.words.details import WordDetails
from app.views.words.query_bar import QueryBarChoices, WordsQueryBar, list_language
from app.views.words.session import LoadedWordList, WordListSession
from app.views.words.settings import (
    PageName,
    WordListSettings,
    WordsHistory,
    read_settings,
)
from app.views.words.table import WordTable

SPLIT_SIZES = (96 * GRID, 40 * GRID)  # the table and what stands beside it
TEXT_KINDS = {
    "corpus",
    "hidden",
    "subcorpus",
    "document",
}  # kinds that change all lists
PAIR_KINDS = {"judgement", "pair", "mining", "dictionary"}  # and those of equivalents


class WordsView(QWidget):
    """The words page.

    Attributes:
        bar: what is asked; offers: what can be chosen in it.
        desk: asks it.
        table: the list.
        beside: a picture of it, or examples of an equivalent.
    """

    list_shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Words")
        self.state = state
        self._is_stale = False
        self.messages = MessageBar()
        self.bar = WordsQueryBar(self)
        self.offers = QueryBarChoices(self.bar)
        self.table = WordTable(self)
        self.beside = WordDetails(state)
        self.desk = WordListSession(state, self)
        self.jobs = WordsController(self)
        self.sorter = WordListSorter(self)
        self.past = WordsHistory(self.ask, self)
        self.told = WordListPresenter(self)
        self.todo = make_words_actions(self)
        self._lay_out()
        self._connect()
        self._read_offers()
        self.ask(WordListSettings())

    # --- asking ---

    def ask(self, question: WordListSettings) -> None:
        """Ask a question; the list is shown when the answer comes."""
        self.bar.show_question(question)
        self.bar.show_error("")
        if self.state.project is None:
            return
        if question.is_empty or not self.state.project.corpora:
            self.desk.forget()
            self.told.tell_beginning(question)
            refresh_words_actions(self)
            return
        self.bar.say(self.tr("Counting…"))
        self.desk.ask(question)

    def show_page(self, page: PageName) -> None:
        """Show another list."""
        self.bar.choose_page(page)

    def focus_query(self) -> None:
        """Put the keyboard into the field of the word."""
        if self.bar.field.isVisible():
            self.bar.field.setFocus()
            self.bar.field.selectAll()

    # --- answers ---

    def _on_answered(self, listed: LoadedWordList) -> None:
        question = listed.question
        dictionary = self.offers.name_of_dictionary(listed.question.dictionary)
        self.beside.show_list(listed, dictionary)
        columns = columns_of(question.page, listed.facts)
        language = list_language(question, self.state.project)
        self.table.show_rows(
            columns, listed.rows, n_items=listed.n_items, language=language
        )
        self.sorter.show(question)
        self.past.note(question)
        self.told.tell(listed)
        self.list_shown.emit()
        refresh_words_actions(self)

    def _on_rows_added(self, added: Sequence[Row]) -> None:
        self.table.words.add_rows(added)

    def _on_failed(self, sentence: str) -> None:
        self.bar.show_error(sentence)
        self.told.tell_failure(sentence)
        refresh_words_actions(self)

    def _on_chosen(self, row: Row | None) -> None:
        """Show examples of an equivalent."""
        self.beside.show_row(row)
        refresh_words_actions(self)

    # --- what changes ---

    def _read_offers(self) -> None:
        if self.state.project is not None:
            self.offers.read(self.state.project)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if not kinds & (TEXT_KINDS | PAIR_KINDS):
            return
        self._read_offers()
        is_changed = bool(kinds & TEXT_KINDS) or self.bar.page == "equivalents"
        if is_changed and self.isVisible():
            self.ask(self.bar.question())
        else:
            self._is_stale = self._is_stale or is_changed

    def _connect(self) -> None:
        self.bar.field.history_wanted.connect(self.past.fill)
        self.bar.options.import_wanted.connect(self.jobs.ask_dictionary)
        self.bar.asked.connect(lambda: self.ask(self.bar.question()))
        self.bar.pages.idClicked.connect(self.focus_query)
        self.table.opened.connect(self.jobs.open)
        self.table.chosen.connect(self._on_chosen)
        self.table.sort_wanted.connect(self.sorter.sort)
        self.table.words.more_wanted.connect(self.desk.ask_more)
        self.desk.answered.connect(self._on_answered)
        self.desk.rows_added.connect(self._on_rows_added)
        self.desk.failed.connect(self._on_failed)
        self.desk.indexing_changed.connect(self.told.tell_progress)
        self.state.kinds_changed.connect(self._on_kinds_changed)

    def _lay_out(self) -> None:
        tools = ActionRow()
        names = ("open", "copy", "export", "command")
        words = (self.tr("Concordance"), self.tr("Copy"), self.tr("Export…"), "")
        tools.set_actions(
            [
                (self.todo[name], short or self.todo[name].text())
                for name, short in zip(names, words, strict=True)
            ]
        )
        self.bar.add_tools(tools)
        names = ("open", "collocates", "equivalents", "copy")
        self.table.addActions([self.todo[name] for name in names])
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.split = make_split(self.table, self.beside, sizes=SPLIT_SIZES)
        self.take_in = make_button(
            self.tr("Import a corpus…"),
            self.tr("Read texts from files: their words are counted here."),
            self.state.import_wanted.emit,
            kind="primary",
        )
        self.count_again = make_button(
            self.tr("Count them"),
            self.tr("Count the words of the list now: it takes a while, once."),
            lambda: self.ask(self.bar.question()),
            kind="primary",
        )
        self.count_again.hide()
        buttons = [self.take_in, self.count_again]
        self.start = EmptyState("", "", buttons, icon="words")
        pages = QWidget()
        self.pages = QStackedLayout(pages)
        self.pages.addWidget(self.start)
        self.pages.addWidget(self.split)
        self.notes = make_label("", "secondary", wraps=True)
        self.notes.hide()
        box = QVBoxLayout()
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        box.setSpacing(GRID)
        box.addWidget(self.bar)
        box.addWidget(self.notes)
        box.addWidget(pages, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addLayout(box, 1)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self.todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return the question as it stands."""
        question = self.bar.question()
        return {
            "question": question.to_json(),
            "past": self.past.to_json(),
            "split": self.split.sizes(),
            "summary": question.text if question.page != "frequencies" else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self.split.setSizes(sizes)
        self.past.restore(state.get("past"))
        self.ask(read_settings(state.get("question", {})))

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.bar.page == "frequencies" and self.table.words.rows:
            self.table.setFocus()
        else:
            self.focus_query()

    # --- Qt ---

    def showEvent(self, event: QShowEvent) -> None:
        """Ask again where texts have changed meanwhile."""
        super().showEvent(event)
        if self._is_stale:
            self._is_stale = False
            self.ask(self.bar.question())

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "bar"):
            self.bar.show_theme()
