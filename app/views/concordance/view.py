"""Concordance view: every hit of a query in its context, and its nearest sentences."""

import json
import time
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.hit_lists import HitListRow, read_saved_hits
from app.views.client.state import AppState
from app.views.concordance.controller import (
    ConcordanceController,
    list_keys,
    make_concordance_actions,
    refresh_concordance_actions,
)
from app.views.concordance.model import KwicLines
from app.views.concordance.neighbours import LineNeighbours
from app.views.concordance.page import ConcordancePage
from app.views.concordance.presenter import (
    LineFilter,
    NeighbourLanguages,
    ResultPresenter,
)
from app.views.concordance.query_bar import ConcordanceQueryBar
from app.views.concordance.session import LoadedConcordance, QueryHistory, QuerySession
from app.views.concordance.settings import (
    ConcordanceSettings,
    read_settings,
    settings_from_request,
    sort_further,
)
from app.views.concordance.syntax_help import SyntaxDialog
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.number_format import format_ago, pluralize
from app.views.widgets.search_query import NavigationHistory
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import SentenceText, TextLookup


class ConcordanceState:
    """Saves question and place; the place comes back when its lines are there."""

    def __init__(self, view: "ConcordanceView"):
        """Begin with nothing to bring back."""
        self._view = view
        self._restored: dict[str, Any] = {}

    def save(self) -> dict[str, Any]:
        """Return the question, what is shown beside the lines, and the place."""
        view = self._view
        question, line = view.bar.question(), view.table.current_line
        return {
            "question": question.to_json(),
            "near": view.near.save(),
            "line": list(line) if line is not None else None,
            "top": view.table.top_row,
            "shares": not view.page.shares.isHidden(),
            "summary": question.text,  # for the list of past sessions
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        view = self._view
        question = read_settings(state.get("question", {}))
        view.near.restore(state.get("near"))
        view.page.shares.setVisible(bool(state.get("shares")))
        view.bar.show_question(question)
        if not question.is_empty:
            self._restored = state
            view.trail.add(question)
            view.ask(question, is_new=False)

    def restore_place(self, *, is_whole: bool) -> None:
        """Select and scroll as a former session had it, once its lines are there."""
        place, table = self._restored, self._view.table
        line, top = place.get("line"), place.get("top")
        is_found = not line or table.select_line((line[0], line[1]))
        if isinstance(top, int) and top < table.lines.rowCount() and is_found:
            table.scroll_to_row(top)
            self._restored = {}
        if is_whole:
            self._restored = {}


class ConcordanceView(QWidget):
    """The concordance page."""

    lines_shown = Signal()  # lines are laid out: the first ones, then all

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Concordance")
        self.state = state
        self.trail: NavigationHistory[ConcordanceSettings] = NavigationHistory()
        self.kept: HitListRow | None = None  # the list whose lines are shown
        self.bar = ConcordanceQueryBar(self)
        self.page = ConcordancePage(self)
        self.table = self.page.table
        self.desk = QuerySession(state, self)
        self.neighbours = LineNeighbours(state, self.table.visible_ids, self)
        self.near = NeighbourLanguages(self)
        self.jobs = ConcordanceController(self)
        self.history = QueryHistory(state, self.ask, self)
        self.told = ResultPresenter(self)
        self.finding = LineFilter(self)
        self.session = ConcordanceState(self)
        self.todo = make_concordance_actions(self)
        self._lay_out()
        self._connect()
        self._on_corpora_changed()

    @property
    def question(self) -> ConcordanceSettings:
        """The question whose lines are shown; an empty one at the beginning."""
        return self.trail.current or ConcordanceSettings()

    @property
    def is_kept(self) -> bool:
        """Return whether the lines are those of a kept list."""
        return self.kept is not None

    # --- asking ---

    def ask(self, question: ConcordanceSettings, *, is_new: bool = True) -> None:
        """Ask a question; its lines are shown when the answer comes."""
        if question.is_empty or self.state.project is None:
            return
        if is_new and question != self.trail.current:
            self.trail.add(question)
            self.history.remember(question)
        self.kept = None
        self.finding.keep_to(question)
        self.bar.show_question(question)
        self.bar.show_error("")
        self.bar.say(self.tr("Searching…"))
        self.table.mark_sort(question.sort)
        self.desk.ask(question)
        self._refresh()

    def show_concordance(self, wish: TextLookup) -> None:
        """Show where a word, phrase or prefix stands."""
        self.ask(settings_from_request(wish, self.bar.sort.sort))

    def show_kept(self, row: HitListRow) -> None:
        """Show the hits of a kept list."""
        project = self.state.project
        if project is None:
            return
        question = read_settings({**json.loads(row.query), "corpora": ()})
        self.bar.show_question(question)
        self.bar.show_error("")
        self.kept = row
        self.finding.forget()
        self.table.mark_sort(())
        self.desk.show(question, read_saved_hits(project.store, row.id).lines)
        words = self.tr("{name}: {hits}, kept {ago}")
        ago = format_ago(max(time.time() - row.created_at, 0))
        hits = pluralize(row.n_hits, self.tr("1 hit"), self.tr("{n} hits"))
        self.bar.say(words.format(name=row.name, hits=hits, ago=ago))
        self._refresh()

    def forget(self) -> None:
        """Begin anew, as before the first question."""
        self.trail = NavigationHistory()
        self.desk.forget()
        self.finding.forget()
        self.table.show_lines(None, {}, KwicLines())
        self.bar.show_question(ConcordanceSettings())
        self.bar.say("")
        self.bar.show_error("")
        self._on_corpora_changed()

    # --- what the user does (called by the actions) ---

    def walk(self, step: int) -> None:
        """Go back or forward among the questions of this session."""
        question = self.trail.move(step)
        if question is not None:
            self.ask(question, is_new=False)

    def sort_further(self, side: str) -> None:
        """Sort by one more word of a side: L or R."""
        self.bar.sort.choose(sort_further(self.bar.sort.sort, side))

    def focus_query(self) -> None:
        """Put the keyboard into the query."""
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    def show_syntax(self) -> None:
        """Show what can be typed."""
        dialog = SyntaxDialog(self)
        dialog.chosen.connect(self._on_example_chosen)
        dialog.open()

    def toggle_shares(self) -> None:
        """Show or hide the breakdown of the hits."""
        self.page.shares.setVisible(self.page.shares.isHidden())
        self.told.show_shares()

    # --- making ---

    def _lay_out(self) -> None:
        tools = ActionRow()
        names = (
            ("shares", self.tr("Breakdown")),
            ("keep", self.tr("Keep…")),
            ("lists", self.tr("Kept lists…")),
            ("export", self.tr("Export…")),
            ("command", self.tr("Copy as command")),
        )
        tools.set_actions([(self.todo[name], words) for name, words in names])
        self.bar.set_actions(
            self.todo["back"], self.todo["forward"], self.todo["syntax"]
        )
        self.bar.add_tools(tools)
        self.page.set_keys(list_keys(self.todo, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.bar)
        layout.addWidget(self.page, 1)

    def _connect(self) -> None:
        self.bar.asked.connect(self._on_asked)
        self.bar.field.history_wanted.connect(self.history.fill)
        self.page.example_chosen.connect(self._on_example_chosen)
        self.page.import_requested.connect(self.state.import_wanted)
        self.page.meaning_wanted.connect(self.jobs.search_meaning)
        self.desk.answered.connect(self._on_answered)
        self.desk.failed.connect(self._on_failed)
        self.finding.changed.connect(self._show_lines)
        self.desk.indexing_changed.connect(self.told.tell_count)
        table = self.table
        table.line_selected.connect(self.state.select_sentence)
        table.line_opened.connect(self.state.search_wanted)
        table.digit_pressed.connect(self.jobs.label)
        table.note_wanted.connect(self.jobs.write_note)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.state.corpora_changed.connect(self._on_corpora_changed)
        self.state.kinds_changed.connect(self._on_kinds_changed)
        self.state.labels.labelled.connect(self.told.show_labels)

    # --- what happens ---

    def _on_asked(self) -> None:
        """Ask; Enter on the query whose lines are there goes on to the lines."""
        question, shown = self.bar.question(), self.desk.shown
        is_there = shown is not None and question == shown.question and shown.n > 0
        is_right = self.bar.error.isHidden() and not self.is_kept
        if is_there and is_right and self.bar.field.hasFocus():
            self.table.go_in()
        else:
            self.ask(question)

    def _on_answered(self, found: LoadedConcordance) -> None:
        project = self.state.project
        if project is None:
            return
        self.near.propose(found)
        self._show_lines()
        self.told.tell(found)
        self.session.restore_place(is_whole=found.is_whole)
        self._refresh()
        self.lines_shown.emit()

    def _show_lines(self) -> None:
        """Show the lines that came, those with what is looked for among them."""
        project, found = self.state.project, self.desk.shown
        if project is not None and found is not None:
            names = {corpus.id: corpus.name for corpus in project.corpora}
            lines = self.finding.narrow(found.lines)
            self.table.show_lines(project.store, names, lines)

    def _on_failed(self, sentence: str) -> None:
        """Show what is wrong with the query below it; the lines before stay."""
        self.bar.show_error(sentence)
        self.bar.say("")
        self.lines_shown.emit()

    def _on_example_chosen(self, text: str, mode: str) -> None:
        values = {**self.bar.question().to_json(), "text": text, "mode": mode}
        self.ask(read_settings(values))

    def _on_corpora_changed(self) -> None:
        project = self.state.project
        corpora = project.corpora if project is not None else []
        self.bar.show_corpora(project)
        if self.question.is_empty or not corpora:
            self.page.show_beginning(has_corpora=bool(corpora))
        elif not self.is_kept:
            self.ask(self.question, is_new=False)
        self._refresh()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "hidden" in kinds:
            self.neighbours.forget()
            if not self.is_kept:
                self.desk.ask_again()

    def _refresh(self) -> None:
        refresh_concordance_actions(self.todo, self)

    # --- what the window asks of a view ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the selected line and the first nearest sentence that is shown."""
        row = self.table.current_row
        if row is None:
            return SentenceText(), SentenceText()
        near = self.neighbours.near(row.sentence.id) or ()
        found = [SentenceText(one.text, one.language) for one in near[:1]]
        first = SentenceText(row.sentence.text, row.sentence.language)
        return first, found[0] if found else SentenceText()

    def save_state(self) -> dict[str, Any]:
        """Return the question, what is shown beside the lines, and the place."""
        return self.session.save()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        self.session.restore(state)

    def focus_first(self) -> None:
        """Put the keyboard on the lines, or into the query where there are none."""
        if self.page.shows_lines and self.table.current_row is not None:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focus_query()

    def changeEvent(self, event: QEvent) -> None:
        """Draw icons and lines in the colours and sizes of a new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.bar.show_theme()
            self.table.forget_looks()
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.table.forget_looks()
            self.table.fit_rows()
        super().changeEvent(event)
