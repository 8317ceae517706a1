"""Words view: word lists, collocates, keywords and equivalents."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.engine.store.words.indexes import (
    list_map_names,
    read_map_languages,
    read_table_language,
)
from app.languages import language_name
from app.protocol.answers.reading import ExampleWords
from app.protocol.answers.words import WordRow
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.controls import (
    add_action,
    make_action_button,
    make_button,
    make_label,
)
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids, rank_language
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.example_words import ExampleWordFinder
from app.views.widgets.indexing_text import describe_indexing, describe_not_indexed
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID
from app.views.words.columns import columns_of
from app.views.words.details import WordDetails
from app.views.words.examples import list_comparisons, list_examples
from app.views.words.list_actions import DictionaryActions, ListActions
from app.views.words.query_bar import WordsQueryBar
from app.views.words.session import LoadedWordList, WordListSession
from app.views.words.settings import (
    PAGES,
    PageName,
    WordListSettings,
    WordsHistory,
    read_settings,
)
from app.views.words.sorting import WordListSorter
from app.views.words.table import WordTable
from app.views.words.text import (
    describe_counting,
    describe_list,
    describe_missing,
    describe_start,
    explain_empty_list,
    explain_failure,
    explain_no_comparison,
    explain_no_mapping,
)
from app.views.words.vector_actions import WordVectorActions
from app.views.words.vector_language import list_vector_languages
from app.views.words.word_actions import WordActions

SPLIT_SIZES = (96 * GRID, 40 * GRID)  # the table and the details
# kinds of changed rows that affect all lists, or equivalents only
TEXT_KINDS = {"corpus", "sentence", "hidden", "subcorpus", "document"}
PAIR_KINDS = {"judgement", "pair", "mining", "dictionary"}
VECTOR_KINDS = {"word-vectors", "word-map"}


class WordsView(QWidget):
    """The page of word lists.

    Attributes:
        bar: the query bar.
        session: sends queries.
        table: the list.
        details: a chart of the list, or examples of an equivalent.
        missing: dictionary translations that are not in the list.
    """

    list_shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Words")
        self.state = state
        self._sizes = list(SPLIT_SIZES)
        self._is_stale = False  # texts have changed while the view was hidden
        self.messages = MessageBar()
        self.bar = WordsQueryBar(self)
        self.table = WordTable(self)
        self.details = WordDetails(state)
        self.session = WordListSession(state, self)
        self.examples = ExampleWordFinder(state, "words", self)
        self._history = WordsHistory(self.ask, self)
        self._sorter = WordListSorter(self.session, self.table, self)
        self.word_actions = WordActions(
            state, self.session, self.table, self.bar.settings, self
        )
        self.list_actions = ListActions(
            state, self.session, self.bar.dictionary_name, self
        )
        self._dictionary_actions = DictionaryActions(
            state, self.bar, self.messages, self
        )
        self._vector_actions = WordVectorActions(state, self.bar, self)
        self.actions_by_name = (
            self._make_page_actions()
            | self.word_actions.actions
            | self.list_actions.actions
            | self._dictionary_actions.actions
            | self._vector_actions.actions
        )
        self._lay_out()
        self._connect()
        if state.project is not None:
            self.bar.show_project(state.project)
        self.ask(_first_settings(state.project))

    # --- queries ---

    def ask(self, settings: WordListSettings) -> None:
        """Send a query, and show the list when the answer arrives."""
        self.bar.show_settings(settings)
        self.bar.show_error("")
        if self.state.project is None:
            return
        if settings.page == "equivalents":
            settings = self.bar.settings()  # with the bar's language and source
        if settings.is_empty or not self.state.project.corpora:
            self.session.forget()
            self._show_empty(*describe_start(settings))
            self._offer_mapping(settings)
            self._offer_texts(settings)
            self._ask_examples(settings)
            self._refresh_actions()
            return
        self.bar.show_status(self.tr("Counting…"))
        self.session.ask(settings)

    def show_page(self, name: str) -> None:
        """Show a page, such as the equivalents of a word, and focus its query."""
        self.bar.choose_page(msgspec.convert(name, PageName))
        self.focus_query()

    def focus_query(self) -> None:
        """Focus the query field."""
        if self.bar.field.isVisible():
            self.bar.field.setFocus()
            self.bar.field.selectAll()

    def _ask_again(self) -> None:
        self.ask(self.bar.settings())

    # --- results ---

    def _on_answered(self, listed: LoadedWordList) -> None:
        dictionary = self.bar.dictionary_name(listed.settings.dictionary)
        self.details.show_list(listed)
        missing = describe_missing(listed, dictionary)
        self.missing.setText(missing)
        self.missing.setVisible(bool(missing))
        language = _list_language(listed.settings, self.state.project)
        self.table.show_rows(
            columns_of(listed), listed.rows, n_items=listed.n_items, language=language
        )
        self._sorter.show(listed.settings)
        self._history.add(listed.settings)
        if listed.rows:
            self._pages.setCurrentWidget(self._list_page)
        else:
            heading = self.tr("No results")
            if listed.is_deferred:
                heading = self.tr("The list is not counted yet")
            self._show_empty(heading, explain_empty_list(listed))
            self._show_restriction(listed)
        self._show_status()
        self.list_shown.emit()
        self._refresh_actions()

    def _on_failed(self, message: str) -> None:
        self.bar.show_error(message)
        settings = self.bar.settings()
        text, repeat = explain_failure(settings.page)
        self._show_empty(self.tr("No results"), text)
        self.retry_button.setText(repeat)
        self.retry_button.show()
        is_mapped = settings.page == "translations" and not settings.vectors
        self.mapping_button.setVisible(is_mapped and self.state.can_write)
        self._refresh_actions()

    def _on_row_selected(self, row: WordRow | None) -> None:
        self.details.show_row(row)
        self._refresh_actions()

    def _on_rows_added(self, rows: Sequence[WordRow]) -> None:
        self.table.words.add_rows(rows)

    def _show_status(self) -> None:
        """Show the size of the list or the progress of its run."""
        session, project = self.session, self.state.project
        listed = session.shown
        is_deferred = listed is not None and listed.is_deferred
        is_running = session.indexing is not None or session.counting is not None
        self.count_button.setVisible(is_deferred and not is_running)
        if listed is not None:
            self._show_notes(listed)
        if session.indexing is not None and project is not None:
            self.bar.show_status(describe_indexing(session.indexing, project.corpora))
        elif session.counting is not None:
            self.bar.show_status(describe_counting(session.counting))
        elif listed is not None:
            self.bar.show_status(describe_list(listed) if listed.rows else "")

    def _show_notes(self, listed: LoadedWordList) -> None:
        notes = list(listed.answer.notes)
        project = self.state.project
        if project is not None and self.session.indexing is None:
            skipped = [
                row.name for row in project.corpora if row.id in listed.not_indexed
            ]
            if skipped:
                notes.append(describe_not_indexed(skipped))
        self._notes.setText("\n".join(notes))
        self._notes.setToolTip("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def _show_empty(self, heading: str, text: str) -> None:
        """Show why there is no list, or the purpose of the page."""
        project = self.state.project
        self.bar.show_status("")
        self._notes.hide()  # notes of the previous list
        self.start.set_words(heading, text)
        self.import_button.setVisible(project is not None and not project.corpora)
        self.count_button.hide()
        self.all_button.hide()
        self.subcorpus_button.hide()
        self.retry_button.hide()
        self.mapping_button.hide()
        self.training_button.hide()
        self.start.show_examples("", [])
        self._pages.setCurrentWidget(self.start)
        if self.session.shown is None:
            self.table.show_rows([], [], n_items=0)

    def _show_restriction(self, listed: LoadedWordList) -> None:
        """Show the selected texts of an empty list, and offer all texts."""
        settings = listed.settings
        ids = ChosenIds(settings.corpora, settings.subcorpora)
        names = names_of_ids(self.state.project, ids)
        if settings.page == "collocates":
            names = (*names, *map(language_name, settings.languages))
        if not names or settings.page == "keyness" or listed.is_deferred:
            return
        heading, text = self.start.words
        words = self.tr("Only {names} is searched.")
        if len(names) > 1:
            words = self.tr("Only {names} are searched.")
        self.start.set_words(heading, f"{text} {words.format(names=', '.join(names))}")
        self.all_button.show()

    def _offer_mapping(self, settings: WordListSettings) -> None:
        """Show why a word has no nearest words, and offer the missing step."""
        project = self.state.project
        has_word = settings.page == "translations" and settings.text.strip()
        if not has_word or project is None or list_map_names(project.folder):
            return
        ready = list_vector_languages(project.folder)
        has_vectors = len(ready) > 1
        can_write = self.state.can_write
        self.mapping_button.setVisible(has_vectors and can_write)
        self.training_button.setVisible(not has_vectors and can_write)
        self.start.set_words(*explain_no_mapping(ready))

    def _offer_texts(self, settings: WordListSettings) -> None:
        """Show that keyness needs a second text in a language, and offer to add one."""
        project = self.state.project
        if settings.page != "keyness" or project is None or not project.corpora:
            return
        if list_comparisons(settings, project):
            return
        heading, text = self.start.words
        self.start.set_words(heading, f"{text} {explain_no_comparison()}")
        self.subcorpus_button.setVisible(self.state.can_write)
        self.import_button.setVisible(self.state.can_write)

    def _select_all_texts(self) -> None:
        changes: dict[str, Any] = {"corpora": (), "subcorpora": (), "languages": ()}
        self.ask(msgspec.structs.replace(self.bar.settings(), **changes))

    def _ask_examples(self, settings: WordListSettings) -> None:
        """Request example words with results for the empty page."""
        project, languages = self.state.project, settings.languages
        if project is None or (settings.text.strip() and settings.page != "keyness"):
            return
        if settings.page == "translations":
            if not (settings.map or settings.vectors):
                return
            language = read_table_language(project.folder, settings.vectors)
            if not settings.vectors:
                language, _ = read_map_languages(project.folder, settings.map)
            languages = (language,)
        elif settings.page == "equivalents" and settings.source_language:
            languages = (settings.source_language,)
        self.examples.ask(languages)

    def _show_examples(self, found: ExampleWords) -> None:
        settings, project = self.bar.settings(), self.state.project
        if project is None or not settings.is_empty or self.session.is_waiting:
            return
        examples = list_examples(settings, found, project)
        hint = self.tr("Show this example.")
        self.start.show_examples(
            self.tr("Examples"),
            [(words, hint, partial(self.ask, one)) for words, one in examples],
        )

    def _refresh_actions(self) -> None:
        self.word_actions.refresh()
        self.list_actions.refresh()
        self._dictionary_actions.refresh()
        self._vector_actions.refresh()

    # --- signals ---

    def _connect(self) -> None:
        self.bar.field.history_requested.connect(self._history.fill)
        self.bar.submitted.connect(self._ask_again)
        self.bar.pages.idClicked.connect(self.focus_query)
        for source in (
            self._sorter,
            self.word_actions,
            self._dictionary_actions,
            self._vector_actions,
        ):
            source.query_requested.connect(self.ask)
        self.examples.found.connect(self._show_examples)
        self.table.row_selected.connect(self._on_row_selected)
        self.table.words.more_requested.connect(self.session.load_more)
        self.session.answered.connect(self._on_answered)
        self.session.rows_added.connect(self._on_rows_added)
        self.session.failed.connect(self._on_failed)
        self.session.indexing_changed.connect(self._show_status)
        self.state.kinds_changed.connect(self._on_kinds_changed)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if not kinds & (TEXT_KINDS | PAIR_KINDS | VECTOR_KINDS):
            return
        if self.state.project is not None:
            self.bar.show_project(self.state.project)
        has_vectors = bool(kinds & VECTOR_KINDS) and self.bar.page == "translations"
        is_affected = (
            bool(kinds & TEXT_KINDS) or self.bar.page == "equivalents" or has_vectors
        )
        if is_affected and self.isVisible():
            self._ask_again()
        else:
            self._is_stale = self._is_stale or is_affected

    # --- layout ---

    def _make_page_actions(self) -> dict[str, QAction]:
        titles = (
            self.tr("Show frequencies"),
            self.tr("Show collocates of a word"),
            self.tr("Compare texts by keywords"),
            self.tr("Show equivalents of a word"),
            self.tr("Show the nearest words by word vectors"),
        )
        made = {
            f"page {page}": add_action(
                self,
                title,
                slot=partial(self.bar.choose_page, page),
                keys=f"Alt+{index}",
            )
            for index, (page, title) in enumerate(zip(PAGES, titles, strict=True), 1)
        }
        find = QKeySequence.StandardKey.Find
        made["find"] = add_action(
            self, self.tr("Focus query"), slot=self.focus_query, keys=find
        )
        return made

    def _lay_out(self) -> None:
        actions, tr = self.actions_by_name, self.tr
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["open"], tr("Concordance")),
                (actions["copy"], tr("Copy")),
                (actions["export"], tr("Export…")),
                (actions["command"], actions["command"].text()),
            ]
        )
        self.bar.add_tools(tools)
        names = ("open", "collocates", "equivalents", "copy")
        self.table.addActions([actions[name] for name in names])
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.split = make_split(
            self.table, self.details, sizes=SPLIT_SIZES, parent=self
        )
        self.start = EmptyState("", "", self._make_start_buttons(), icon="words")
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.start)
        self.missing = make_label("", "secondary", wraps=True)
        self._list_page = as_widget(make_column((self.split, 1), self.missing))
        self._pages.addWidget(self._list_page)
        self._notes = make_label("", "secondary", wraps=True)
        self._notes.hide()
        box = make_column(self.bar, self._notes, (pages, 1), margins=2 * GRID)
        make_column(self.messages, (box, 1), parent=self, gap=0)

    def _make_start_buttons(self) -> list[QPushButton]:
        """Make the initially hidden buttons of the page without a list."""
        tr = self.tr
        self.import_button = make_button(
            tr("Import corpus…"),
            tr("Import texts from files to count their words."),
            self.state.view_requests.import_requested.emit,
            kind="primary",
        )
        self.subcorpus_button = make_button(
            tr("New sub-corpus…"),
            tr("Select a part of a text, to compare it with the rest."),
            self.state.view_requests.subcorpus_requested.emit,
        )
        self.count_button = make_button(
            tr("Count words"),
            tr("Count the words of the list now. This takes a while, but only once."),
            self._ask_again,
            kind="primary",
        )
        self.all_button = make_button(
            tr("Select all texts"),
            tr("Count the words of all corpora and languages."),
            self._select_all_texts,
            kind="primary",
        )
        self.retry_button = make_button(
            tr("Search again"), tr("Send the query again."), self._ask_again
        )
        vector_actions = self._vector_actions.actions
        self.mapping_button, self.training_button = (
            make_action_button(vector_actions[name], kind="primary")
            for name in ("map languages", "train vectors")
        )
        buttons = [
            self.import_button,
            self.subcorpus_button,
            self.mapping_button,
            self.training_button,
            self.count_button,
            self.all_button,
            self.retry_button,
        ]
        for button in buttons:
            button.hide()
        return buttons

    # --- view protocol ---

    def save_state(self) -> dict[str, Any]:
        """Return the settings in the query bar and the history."""
        settings = self.bar.settings()
        if self.details.isVisibleTo(self.split):  # hidden details have no size
            self._sizes = self.split.sizes()
        return {
            "question": settings.to_json(),
            "past": self._history.to_json(),
            "split": self._sizes,
            "summary": settings.text if settings.page != "frequencies" else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Send the query of a saved session again."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self._sizes = sizes
            self.split.setSizes(sizes)
        self._history.restore(state.get("past"))
        self.ask(read_settings(state.get("question", {})))

    def focus_first(self) -> None:
        """Focus the frequency list, or the query field."""
        if self.bar.page == "frequencies" and self.table.words.rows:
            self.table.setFocus()
        else:
            self.focus_query()

    # --- Qt ---

    def showEvent(self, event: QShowEvent) -> None:
        """Send the query again if texts changed while the view was hidden."""
        super().showEvent(event)
        if self._is_stale:
            self._is_stale = False
            self._ask_again()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icons in a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "bar"):
            self.bar.show_theme()


def _first_settings(project: ProjectReader | None) -> WordListSettings:
    """Return settings for frequencies in the language easiest to read for the user."""
    corpora = project.corpora if project is not None else ()
    if len({row.language for row in corpora}) < 2:
        return WordListSettings()
    first = min(
        corpora, key=lambda row: (rank_language(row.language), -row.n_sentences)
    )
    return WordListSettings(languages=(first.language,))


def _list_language(settings: WordListSettings, project: ProjectReader | None) -> str:
    """Return the language of the words in a list; empty if there may be several."""
    if settings.page == "equivalents":
        return settings.target_language
    codes = settings.languages or tuple(
        {row.language for row in project.corpora if row.id in settings.corpora}
        if project is not None and not settings.subcorpora
        else ()
    )
    return codes[0] if len(codes) == 1 else ""
