"""Concordance view: every hit of a query in its context, and its nearest sentences."""

import json
from functools import partial
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.engine.store.labels import list_labelled
from app.engine.store.words.hit_lists import HitListRow, read_saved_hits
from app.views.client.state import AppState
from app.views.concordance.line_actions import LineActions
from app.views.concordance.line_filter import LineFilter
from app.views.concordance.model import KwicLines
from app.views.concordance.neighbours import LineNeighbours, NeighbourLanguages
from app.views.concordance.page import ConcordancePage
from app.views.concordance.query_bar import ConcordanceQueryBar
from app.views.concordance.result_actions import ResultActions
from app.views.concordance.session import LoadedConcordance, QueryHistory, QuerySession
from app.views.concordance.settings import (
    ConcordanceSettings,
    Scope,
    query_words,
    read_settings,
    settings_from_request,
    sort_further,
)
from app.views.concordance.shares import (
    ShareKey,
    count_shares,
    list_searched,
    list_uncounted,
    select_share,
)
from app.views.concordance.text import describe_result, explain_no_lines
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import ids_of_names
from app.views.widgets.example_words import ExampleWordFinder
from app.views.widgets.indexing_text import describe_indexing
from app.views.widgets.number_format import format_age, format_count, pluralize
from app.views.widgets.search_query import NavigationHistory
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.shortcut_row import ShortcutHint
from app.views.widgets.syntax_help import PATTERNS, SyntaxDialog
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import SentenceText, TextLookup


class ConcordanceView(QWidget):
    """The page with a query bar, the lines of a query, and a breakdown."""

    lines_shown = Signal()  # the first lines, then all lines, are laid out

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Concordance")
        self.state = state
        self._navigation: NavigationHistory[ConcordanceSettings] = NavigationHistory()
        self._restored: dict[str, Any] = {}  # saved state that is not shown yet
        self._own_scope: Scope | None = None  # scope before a lookup from another view
        self.bar = ConcordanceQueryBar(self)
        self.page = ConcordancePage(self)
        self.table = self.page.table
        for page in self.page.query_pages:
            state.inspectable_made.emit(page)
        self.session = QuerySession(state, self)
        self.history = QueryHistory(state, self.ask, self)
        self.neighbours = LineNeighbours(state, self.table.visible_ids, self)
        self.neighbour_languages = NeighbourLanguages(
            state, self.neighbours, self.page.messages, self
        )
        self.examples = ExampleWordFinder(state, "concordance", self)
        self.line_filter = LineFilter(state, self.page.find_row, self.session, self)
        self._line_actions = LineActions(state, self.page, self.neighbours, self)
        self.result_actions = ResultActions(
            state, self.session, self.neighbours, self.table.lines, self
        )
        self.actions_by_name = (
            self._make_query_actions()
            | self._line_actions.actions
            | self._make_sort_actions()
            | self.result_actions.actions
        )
        self.table.show_neighbours(self.neighbours)
        self._lay_out()
        self._connect()
        self._on_corpora_changed()

    @property
    def settings(self) -> ConcordanceSettings:
        """The settings of the current query; empty before the first query."""
        return self._navigation.current or ConcordanceSettings()

    # --- queries ---

    def ask(self, settings: ConcordanceSettings, *, is_new: bool = True) -> None:
        """Send a query, and show its lines when the answer arrives.

        An empty query returns to the start page.
        """
        if self.state.project is None:
            return
        if is_new and settings.is_empty and self.settings.is_empty:
            self.bar.show_error("")
            return
        if is_new and settings != self._navigation.current:
            if replace(settings, sort=self.settings.sort) != self.settings:
                self.state.select_sentence(None)  # selected in the previous query
            self._navigation.add(settings)
            if not settings.is_empty:
                self.history.add(settings)
        if settings.is_empty:
            self._show_start()
            return
        if not self.line_filter.keep_for(settings):
            self.page.shares.choose(None)
        self._show_query(settings)
        self.bar.show_status(self.tr("Searching…"))
        self.table.mark_sort(settings.sort)
        self.session.ask(settings)
        self._refresh_actions()

    def show_concordance(self, lookup: TextLookup) -> None:
        """Show the occurrences of a word, phrase or prefix.

        The scope of the request applies only to this query.
        """
        if self._own_scope is None:
            self._own_scope = self.settings.scope
        self.ask(settings_from_request(lookup, self.bar.sort.sort))

    def show_list(self, row: HitListRow) -> None:
        """Show the hits of a saved list."""
        project = self.state.project
        if project is None:
            return
        query = json.loads(row.query)
        searched = ids_of_names(project, query.get("corpora", ()))
        settings = read_settings({**query, **searched._asdict()})
        self._show_query(settings)
        self._clear_filter()
        self.table.mark_sort(())
        self.session.show_list(
            row, settings, read_saved_hits(project.store, row.id).lines
        )
        self.bar.show_status(self._describe_list(row))
        self._refresh_actions()

    def _describe_list(self, row: HitListRow) -> str:
        """Describe a saved list and the number of corpora added since it was saved."""
        n_new = sum(one.created_at > row.created_at for one in self.state.corpora)
        text = self.tr("{name}: {hits}, saved {ago}")
        if n_new and not json.loads(row.query).get("corpora"):
            text = self.tr(
                "{name}: {hits}, saved {ago}. {n} corpora imported since are not "
                "searched."
            )
            if n_new == 1:
                text = self.tr(
                    "{name}: {hits}, saved {ago}. 1 corpus imported since is not "
                    "searched."
                )
        hits = pluralize(row.n_hits, self.tr("1 hit"), self.tr("{n} hits"))
        return text.format(
            name=row.name,
            hits=hits,
            ago=format_age(row.created_at),
            n=format_count(n_new),
        )

    def show_ages(self) -> None:
        """Update the age of the displayed saved list."""
        shown = self.session.shown
        if self.session.shows_saved_list and shown is not None and shown.saved_list:
            self.bar.show_status(self._describe_list(shown.saved_list))

    def clear(self) -> None:
        """Return to the start page."""
        self._own_scope = None
        self._navigation = NavigationHistory()
        self._show_start()

    def _show_start(self) -> None:
        self.session.forget()
        self._clear_filter()
        self.table.show_lines(None, {}, KwicLines())
        self._show_query(self.settings)
        self.bar.show_status("")
        self._on_corpora_changed()

    def _clear_filter(self) -> None:
        self.line_filter.clear()
        self.page.shares.choose(None)

    def _on_part_chosen(self, key: ShareKey | None) -> None:
        """Show only the lines of a part of the breakdown; None: all lines."""
        project, documents = self.state.project, self.table.lines.documents
        self.line_filter.part = None
        if key is not None and project is not None:
            self.line_filter.part = lambda ids: select_share(
                ids, key, project.corpora, documents
            )
        self._show_lines()
        self._show_status()

    def focus_query(self) -> None:
        """Focus the query field."""
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    def show_syntax(self) -> None:
        """Show the query syntax."""
        words = self.examples.words
        dialog = SyntaxDialog(self, found=words if words.words else None)
        dialog.chosen.connect(self._on_example_chosen)
        dialog.open()

    def toggle_breakdown(self) -> None:
        """Show or hide the breakdown of the hits."""
        self.page.shares.setVisible(self.page.shares.isHidden())
        if self.page.shares.isHidden() and self.page.shares.chosen is not None:
            self.page.shares.choose(None)
            self._on_part_chosen(None)
        self._show_breakdown()

    def _show_query(self, settings: ConcordanceSettings) -> None:
        self.bar.show_settings(settings)
        self.bar.show_error("")

    def _navigate(self, step: int) -> None:
        settings, self._own_scope = self._navigation.move(step), None
        if settings is not None:
            self.ask(settings, is_new=False)

    def _sort_further(self, side: str) -> None:
        self.bar.sort.choose(sort_further(self.bar.sort.sort, side))

    # --- results ---

    def _on_answered(self, found: LoadedConcordance) -> None:
        if self.state.project is None:
            return
        self.neighbour_languages.propose(found)
        self._show_lines()
        if len(found.lines):
            self.page.show_lines()
        else:
            is_searchable = not found.not_indexed and bool(query_words(found.settings))
            self.page.show_nothing(
                explain_no_lines(found), can_search_meaning=is_searchable
            )
        self._show_labels()
        self._show_status()
        self._show_breakdown()
        self._restore_place(is_whole=found.is_whole)
        self._refresh_actions()
        self.lines_shown.emit()

    def _on_failed(self, message: str) -> None:
        """Show the error below the query instead of lines of another query."""
        self.bar.show_error(message)
        self.bar.show_status("")
        self.session.forget()
        self.table.show_lines(None, {}, KwicLines())
        self.page.show_failure()
        self._refresh_actions()
        self.lines_shown.emit()

    def _show_lines(self) -> None:
        """Show the received lines that match the filter."""
        project, found = self.state.project, self.session.shown
        if project is not None and found is not None:
            names = {corpus.id: corpus.name for corpus in project.corpora}
            lines = self.line_filter.apply(found.lines)
            self.table.show_lines(project.store, names, lines)

    def _show_status(self) -> None:
        """Show the number of lines or the progress of indexing."""
        found, project = self.session.shown, self.state.project
        if project is None or found is None or self.session.shows_saved_list:
            return
        if self.session.indexing is not None and found.not_indexed:
            text = describe_indexing(self.session.indexing, project.corpora)
        else:
            text = describe_result(found, project.corpora)
        if (part := self.page.shares.chosen) is not None:
            words = self.tr("{name} only: {lines}")
            n = self.table.lines.rowCount()
            lines = pluralize(n, self.tr("1 line"), self.tr("{n} lines"))
            text = f"{words.format(name=part.name, lines=lines)} · {text}"
        self.bar.show_status(text)

    def _show_labels(self) -> None:
        """Read the labels again; show the label column if any sentence has a label."""
        project = self.state.project
        if project is not None and self.session.shown is not None:
            shown = {row.id for row in project.corpora}
            has_any = bool(shown & list_labelled(project.store))
            self.table.show_labels(has_any=has_any)

    def _show_breakdown(self, *, can_index: bool = True) -> None:
        """Count hits by language, corpus, document and field, if they are shown.

        Hits per million words appear once the words of all corpora are indexed.
        """
        project, found = self.state.project, self.session.shown
        if (
            not self.page.shares.isHidden()
            and project is not None
            and found is not None
        ):
            searched = list_searched(project, found)
            shares = count_shares(
                found.lines.lines, searched, self.table.lines.documents
            )
            self.page.shares.show_shares(shares)
            if can_index and found.saved_list is None:
                self.session.index(list_uncounted(found.lines.lines, searched))

    def _refresh_actions(self) -> None:
        shown = self.session.shown
        has_lines = shown is not None and shown.n > 0 and self.page.shows_lines
        self._line_actions.refresh(has_lines=has_lines)
        self.result_actions.refresh(has_lines=has_lines)
        actions = self.actions_by_name
        for name in ("left", "right", "find", "shares"):
            actions[name].setEnabled(has_lines)
        actions["back"].setEnabled(self._navigation.can_go_back)
        actions["forward"].setEnabled(self._navigation.can_go_forward)

    # --- signals ---

    def _connect(self) -> None:
        state, table, page = self.state, self.table, self.page
        self.bar.submitted.connect(self._on_submitted)
        self.bar.field.cleared.connect(self._on_submitted)
        self.bar.field.history_requested.connect(self.history.fill)
        self.bar.neighbours.changed.connect(self._on_languages_chosen)
        page.example_chosen.connect(self._on_example_chosen)
        page.shares.part_chosen.connect(self._on_part_chosen)
        self.examples.found.connect(page.show_examples)
        page.import_requested.connect(state.view_requests.import_requested)
        page.meaning_search_requested.connect(self._search_meaning)
        page.retry_requested.connect(self._search_again)
        page.find_row.submitted.connect(table.focus_lines)
        page.find_row.closed.connect(self.focus_first)
        self.line_filter.changed.connect(self._show_lines)
        self.session.answered.connect(self._on_answered)
        self.session.failed.connect(self._on_failed)
        self.session.indexing_changed.connect(self._show_status)
        self.neighbours.found.connect(table.viewport().update)
        self.neighbour_languages.changed.connect(self._on_languages_changed)
        self.result_actions.list_opened.connect(self.show_list)
        table.visible_rows_changed.connect(self.neighbours.update_visible)
        table.line_selected.connect(state.select_sentence)
        table.line_opened.connect(state.view_requests.search_requested)
        offer_sentence_actions(state, table)
        state.corpora_changed.connect(self._on_corpora_changed)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.texts_changed.connect(self._on_texts_changed)
        state.labels.labelled.connect(self._show_labels)

    def _on_submitted(self) -> None:
        """Send the query, or focus the lines if they already answer it."""
        settings, shown = self.bar.settings(), self.session.shown
        is_shown = shown is not None and settings == shown.settings and shown.n > 0
        is_valid = self.bar.error.isHidden() and not self.session.shows_saved_list
        if is_shown and is_valid and self.bar.field.hasFocus():
            self.table.focus_lines()
        else:
            self._ask_in_own_scope(settings)

    def _ask_in_own_scope(self, settings: ConcordanceSettings) -> None:
        """Restore the scope before a lookup, unless the user changed its filters."""
        own = self._own_scope
        is_kept = settings.scope == self.settings.scope
        if own is not None and is_kept and settings.text == self.settings.text:
            self.ask(settings)  # the same word in another order
            return
        self._own_scope = None
        if own is not None and is_kept:
            settings = replace(settings, **own._asdict())
        self.ask(settings)

    def _on_example_chosen(self, text: str, mode: str) -> None:
        values = {**self.bar.settings().to_json(), "text": text, "mode": mode}
        self.ask(read_settings(values))

    def _search_meaning(self) -> None:
        """Search by meaning for a query without hits."""
        settings = self.settings
        lookup = TextLookup(
            query_words(settings),
            settings.corpora,
            settings.subcorpora,
            settings.languages,
        )
        self.state.view_requests.neighbours_requested.emit(lookup)

    def _search_again(self) -> None:
        self.ask(self.settings, is_new=False)

    def _on_languages_chosen(self) -> None:
        self.neighbour_languages.choose(self.bar.neighbours.chosen)
        self.neighbour_languages.report_missing_vectors()

    def _on_languages_changed(self, codes: tuple[str, ...]) -> None:
        is_chosen = self.neighbour_languages.is_chosen
        self.bar.neighbours.choose(codes, is_automatic=not is_chosen)
        self.table.fit_rows()

    def _on_corpora_changed(self) -> None:
        project = self.state.project
        corpora = self.state.corpora
        self.bar.show_corpora(project)
        if self.settings.is_empty or not corpora:
            self.page.show_start(has_corpora=bool(corpora))
            self.examples.ask(patterns=PATTERNS)
        elif not self.session.shows_saved_list:
            self.ask(self.settings, is_new=False)
        self._refresh_actions()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "words" in kinds:
            self._show_breakdown(can_index=False)  # the user may have cancelled the run
        if "hidden" in kinds:
            self.neighbours.clear()
            if not self.session.shows_saved_list:
                self.session.ask_again()

    def _on_texts_changed(self) -> None:
        """Search again, or read the new locations of the hits in a saved list."""
        self.neighbours.clear()
        self.table.read_again()  # the locations of the hits may be unchanged
        shown = self.session.shown
        if self.session.shows_saved_list and shown is not None and shown.saved_list:
            self.show_list(shown.saved_list)
        else:
            self.session.ask_again()

    # --- layout ---

    def _make_query_actions(self) -> dict[str, QAction]:
        bar = self.bar
        add, tr = partial(add_action, self), self.tr
        return {
            "type": add(tr("Focus query"), slot=self.focus_query, keys="Ctrl+L"),
            "back": add(
                tr("Previous query"), slot=lambda: self._navigate(-1), keys="Alt+Left"
            ),
            "forward": add(
                tr("Next query"), slot=lambda: self._navigate(1), keys="Alt+Right"
            ),
            "mode": add(
                tr("Switch between words and regular expression"),
                tr("Search for words, or for a regular expression."),
                bar.switch_mode,
                "Ctrl+M",
            ),
            "find": add(
                tr("Find in lines"),
                tr("Show only lines whose sentence contains some words."),
                self.page.find_row.open,
                QKeySequence.StandardKey.Find,
            ),
            "case": add(tr("Match case"), slot=bar.case.click, keys="Ctrl+U"),
            "history": add(
                tr("Show past queries"), slot=bar.field.open_history, keys="Ctrl+H"
            ),
            "syntax": add(
                tr("Query syntax"),
                tr("Show the query syntax with examples."),
                self.show_syntax,
                "Shift+F1",
            ),
            "shares": add(
                tr("Show breakdown of hits"),
                tr("Show or hide the hits by language, corpus and document."),
                self.toggle_breakdown,
                "Ctrl+B",
            ),
        }

    def _make_sort_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self), self.tr
        made = {
            "left": add(
                tr("Sort by left context"),
                tr("Sort by the word left of the hit; again for two, three."),
                lambda: self._sort_further("L"),
                "Left",
            ),
            "right": add(
                tr("Sort by right context"),
                tr("Sort by the word right of the hit; again for two, three."),
                lambda: self._sort_further("R"),
                "Right",
            ),
        }
        for action in made.values():
            self.table.add_table_action(action)
        return made

    def _lay_out(self) -> None:
        actions, tr = self.actions_by_name, self.tr
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["shares"], tr("Breakdown")),
                (actions["save"], tr("Save hits…")),
                (actions["lists"], tr("Saved lists…")),
                (actions["export"], tr("Export…")),
                (actions["command"], tr("Copy as command")),
            ]
        )
        self.bar.set_actions(actions["back"], actions["forward"], actions["syntax"])
        self.bar.add_tools(tools)
        self.page.set_keys(
            [
                (actions["search"], tr("search by meaning")),
                (actions["pair"], tr("make pair")),
                ShortcutHint(actions["note"], tr("note"), tr("N")),
                (actions["label"], tr("label")),
                (actions["cite"], tr("cite")),
                (actions["place"], tr("show in corpus")),
                (actions["hide"], tr("hide")),
                (actions["left"], tr("sort left")),
                (actions["right"], tr("sort right")),
            ]
        )
        make_column(
            self.bar,
            (self.page, 1),
            parent=self,
            margins=(3 * GRID, 2 * GRID, 2 * GRID, GRID),
        )

    # --- view protocol ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the selected sentence and its first displayed nearest sentence."""
        row = self.table.current_row
        if row is None:
            return SentenceText(), SentenceText()
        near = self.neighbours.near(row.sentence.id) or ()
        found = [SentenceText(one.text, one.language) for one in near[:1]]
        first = SentenceText(row.sentence.text, row.sentence.language)
        return first, found[0] if found else SentenceText()

    def save_state(self) -> dict[str, Any]:
        """Return the query, the neighbour languages and the current line."""
        settings, line = self.bar.settings(), self.table.current_line
        return {
            "question": settings.to_json(),
            "near": self.neighbour_languages.save(),
            "line": list(line) if line is not None else None,
            "top": self.table.top_row,
            "shares": not self.page.shares.isHidden(),
            "summary": settings.text,  # for the list of past sessions
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Send the query of a saved session again."""
        settings = read_settings(state.get("question", {}))
        self.neighbour_languages.restore(state.get("near"))
        self.page.shares.setVisible(bool(state.get("shares")))
        self.bar.show_settings(settings)
        if not settings.is_empty:
            self._restored = state
            self._navigation.add(settings)
            self.ask(settings, is_new=False)

    def _restore_place(self, *, is_whole: bool) -> None:
        """Restore the selection and scroll position once the lines are shown."""
        table, line = self.table, self._restored.get("line")
        top = self._restored.get("top")
        is_found = not line or table.select_line((line[0], line[1]))
        if isinstance(top, int) and top < table.lines.rowCount() and is_found:
            table.scroll_to_row(top)
            self._restored = {}
        if is_whole:
            self._restored = {}

    def focus_first(self) -> None:
        """Focus the lines, or the query field if there are no lines."""
        line = self.table.current_row
        if self.page.shows_lines and line is not None:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            if self.state.selection is None:
                self.state.select_sentence(line.sentence.id)
        else:
            self.focus_query()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw icons and lines after a change of theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.bar.show_theme()
            self.table.refresh_style()
        if event.type() == QEvent.Type.FontChange:
            self.table.refresh_style()
            self.table.fit_rows()
        super().changeEvent(event)
