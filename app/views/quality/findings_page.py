"""Page of findings: filters, the table, and the current finding with its reason."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, corpus_of
from app.engine.store.findings import finding_places
from app.engine.store.sentences import SentenceRow
from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.quality import FindingsAnswer
from app.protocol.queries.quality import FindingsQuery
from app.views.client.state import AppState
from app.views.quality.finding_table import NO_PLACES, FindingTable, ShownFinding
from app.views.quality.text import (
    QualityCheck,
    Span,
    describe_finding_kind,
    describe_state,
    extract_reason,
    extract_suggestion,
    find_differing_spans,
)
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ElidedLabel,
    ElidedLines,
    describe,
    make_action_button,
    make_button,
    make_label,
)
from app.views.widgets.hits import (
    describe_place,
    join_names,
    name_source,
)
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_split
from app.views.widgets.pair_differences import find_differences
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.sentence_label import HighlightedLabel
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "FindingCard")

FINDING_ACTIONS = ("hide_other", "remove", "restore", "place", "place_other")
LIST_ACTIONS = ("hide_all", "remove_all", "restore_all", "export", "again", "copy")
MENU_ACTIONS = ("hide", *FINDING_ACTIONS, *LIST_ACTIONS)
TEXT_PX = 15
COMPARED_KINDS = ("equal", "near", "encoding")  # compared character by character
Indices = NDArray[np.int64]
_QUOTED = re.compile("“([^”]*)”")


class _Side(QFrame):
    """A text with its corpus, document and line above."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.head = make_label("", "secondary", wraps=True)
        self.text = HighlightedLabel(TEXT_PX)
        make_column(
            self.head,
            self.text,
            Stretch(),
            parent=self,
            gap=4,
            margins=(2 * GRID, GRID, 2 * GRID, GRID),
        )


class FindingCard(QScrollArea):
    """The reason and both texts of a finding."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setMinimumHeight(9 * GRID)
        describe(
            self, self.tr("Finding"), self.tr("The full text of the current finding.")
        )
        self.left, self.right = _Side(), _Side()
        self.reason = make_label("", wraps=True)
        content = QWidget()
        content.setObjectName("scrolled")
        row = make_row((self.left, 1), (self.right, 1), gap=2 * GRID)
        make_column(self.reason, row, Stretch(), parent=content)
        self.setWidget(content)

    def show_finding(
        self, shown: ShownFinding | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Show a finding, or nothing for None."""
        for widget in (self.left, self.right, self.reason):
            widget.setVisible(shown is not None)
        if shown is None:
            return
        finding = shown.finding
        names = {corpus.id: corpus.name for corpus in corpora}
        kind = describe_finding_kind(finding.kind)
        self.reason.setText(_isolated(f"{kind}. {extract_reason(finding.detail)}"))
        meant, sentence = extract_suggestion(finding.detail), shown.sentence
        text = sentence.text if sentence else self.tr("(deleted)")
        language = sentence.language if sentence else ""
        second = shown.other.text if shown.other else meant
        second_language = shown.other.language if shown.other else language
        marks: tuple[tuple[list[Span], list[Span]], tuple[list[Span], list[Span]]]
        marks = ([], []), ([], [])
        if finding.kind in COMPARED_KINDS and second:
            marks = find_differing_spans(text, second), ([], [])
        elif finding.kind == "translation" and second:
            found = find_differences(text, second, (language, second_language))
            numbers = found.source_numbers, found.target_numbers
            marks = numbers, (found.source_names, found.target_names)
        self.left.head.setText(
            _describe_place(sentence, (names, shown.document), shown.state)
        )
        self.left.text.show_marked(text, language, marks[0][0], marks[1][0])
        self.right.setVisible(bool(second))
        if second:
            head = _describe_place(
                shown.other, (names, shown.other_document), shown.other_state
            )
            head = head if shown.other else self.tr("Likely meant")
            if finding.kind == "changed":
                head = SEPARATOR.join([self.tr("Now nearest"), head])
            self.right.head.setText(head)
            self.right.text.show_marked(
                second, second_language, marks[0][1], marks[1][1]
            )


class FindingsPage(QWidget):
    """The findings of one check: filters, table, and the current finding.

    Attributes:
        check: displayed check, or None.
        kind_filter: chips for the kinds of findings.
        unresolved: switch to show only findings without hidden sentences.
        table: table of findings.
        card: current finding.
    """

    changed = Signal()  # the findings or the selection changed

    def __init__(
        self,
        state: AppState,
        table: FindingTable,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: actions of the view by name."""
        super().__init__(parent)
        self._state = state
        self.check: QualityCheck | None = None
        self._name = ElidedLabel("heading")
        self._message = ElidedLines("secondary")
        self._short_message = ElidedLabel("secondary")  # replaces name and message
        self._short_message.hide()
        self._empty = make_label("", "secondary")
        self.kind_filter = Chips(self.tr("All"))
        hint = self.tr("Show only findings without a hidden sentence, or all.")
        self.unresolved = make_button(self.tr("Unresolved"), hint, kind="quiet")
        self.unresolved.setCheckable(True)
        self.table, self.card = table, FindingCard()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addActions([actions[name] for name in MENU_ACTIONS])
        offer_sentence_actions(state, self.table)
        self._is_unresolved_pending = False  # show the answer, not only its count
        self._lay_out(actions)
        self.kind_filter.changed.connect(self._show_findings)
        self.unresolved.clicked.connect(self._show_findings)
        self.table.chosen.connect(self._on_chosen)
        self.table.opened.connect(state.view_requests.place_requested)

    def show_check(self, check: QualityCheck | None) -> None:
        """Show the findings of a check; keep the current row for the same check."""
        shown, self.check = self.check, check
        if check is None:
            self.table.show_places(None, 0, NO_PLACES)
            return
        if shown is not None and shown.id == check.id:
            return
        self._name.setText(check.name)
        self._message.setText(check.run.message)
        self._short_message.setText(check.run.message)
        with QSignalBlocker(self.kind_filter):
            self.kind_filter.choose(())
            self.kind_filter.set_choices(
                [
                    (kind, f"{describe_finding_kind(kind)} {format_count(n)}")
                    for kind, n in check.run.counts.items()
                ]
            )
        self.unresolved.setChecked(False)
        self._show_n_unresolved(sum(check.run.counts.values()), is_possible=False)
        self._show_findings()

    def fold_heading(self, is_folded: bool) -> None:
        """Show only the message, in one line, or the name and the message."""
        self._short_message.setVisible(is_folded)
        self._name.setVisible(not is_folded)
        self._message.setVisible(not is_folded)

    def choose_kinds(self, kinds: Sequence[str]) -> None:
        """Show findings of some kinds; all findings if `kinds` is empty."""
        self.kind_filter.choose(kinds)

    def read_again(self) -> None:
        """Read the states of sentences again after some were hidden or restored."""
        self.table.findings.forget_rows()
        self._on_chosen()
        if not len(self.table.findings.places):  # an undo may have restored findings
            self._is_unresolved_pending = self.unresolved.isChecked()
        self._ask_unresolved()

    def focus_first(self) -> None:
        """Focus the findings, and select the sentence of the current finding."""
        self.table.setFocus()
        self._on_chosen()

    def save_state(self) -> dict[str, Any]:
        """Return the selected kinds, the row and the sizes."""
        return {
            "kinds": list(self.kind_filter.chosen),
            "row": self.table.currentIndex().row(),
            "parts": self.split.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        kinds, row, parts = (state.get(key) for key in ("kinds", "row", "parts"))
        if isinstance(kinds, list):
            self.choose_kinds([kind for kind in kinds if isinstance(kind, str)])
        if isinstance(row, int):
            self.table.choose_row(row)
        if isinstance(parts, list) and len(parts) == self.split.count():
            self.split.setSizes(parts)

    def _show_findings(self) -> None:
        if self.check is None:
            return
        is_filtered = self.unresolved.isChecked()
        if not is_filtered:
            kinds = self.kind_filter.chosen
            self._show_places(finding_places(self.check.run.counts, kinds))
        self._is_unresolved_pending = is_filtered
        self._ask_unresolved()

    def _show_places(self, indices: Indices) -> None:
        project, check = self._state.project, self.check
        if project is None or check is None:
            return
        self.table.show_places(project.store, check.id, indices)
        self.table.setVisible(bool(len(indices)))
        is_filtered, is_of_kind = self.unresolved.isChecked(), self.kind_filter.chosen
        if is_filtered and is_of_kind:
            words = self.tr("No unresolved findings of this kind.")
        elif is_filtered:
            words = self.tr("No unresolved findings.")
        elif is_of_kind:
            words = self.tr("No findings of this kind.")
        else:
            words = self.tr("No findings.")
        self._empty.setText(words)
        self._empty.setVisible(not len(indices))
        self.changed.emit()

    def _ask_unresolved(self) -> None:
        """Request the unresolved findings to count or show them."""
        if self.check is not None:
            kinds = tuple(self.kind_filter.chosen)
            query = FindingsQuery(run=self.check.id, kinds=kinds)
            self._state.ask(query, partial(self._on_unresolved, query))

    def _on_unresolved(
        self, query: FindingsQuery, answer: FindingsAnswer | ErrorInfo
    ) -> None:
        project, check = self._state.project, self.check
        if project is None or check is None or isinstance(answer, ErrorInfo):
            return
        if query.run != check.id or query.kinds != tuple(self.kind_filter.chosen):
            return
        n, total = answer.n, len(finding_places(check.run.counts, query.kinds))
        is_filtered = self.unresolved.isChecked()
        self._show_n_unresolved(n, is_possible=n < total or is_filtered)
        if self._is_unresolved_pending:
            self._is_unresolved_pending = False
            self._show_places(map_array(project.folder / answer.file))

    def _show_n_unresolved(self, n: int, *, is_possible: bool) -> None:
        """Show the number on the switch without a change of its width."""
        button, check = self.unresolved, self.check
        words = self.tr("{n} unresolved").format(n=format_count(n))
        every = self.tr("Show all findings")
        total = sum(check.run.counts.values()) if check is not None else n
        widest = self.tr("{n} unresolved").format(n=format_count(total))
        button.setMinimumWidth(0)
        widths = []
        for text in (widest, every, every if button.isChecked() else words):
            button.setText(text)
            widths.append(button.sizeHint().width())
        button.setMinimumWidth(max(widths))
        button.setAccessibleName(button.text())
        button.setEnabled(is_possible)

    def _on_chosen(self) -> None:
        current = self.table.current
        self.card.show_finding(current, self._state.corpora)
        if self.isVisible():  # otherwise another view has the selection
            sentence = current.sentence if current is not None else None
            self._state.select_sentence(sentence.id if sentence is not None else None)
        self.changed.emit()

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        filters = make_row(
            (self.kind_filter, 3),
            (_make_action_row(actions, LIST_ACTIONS), 2),
            gap=2 * GRID,
        )
        buttons = make_row(
            make_action_button(actions["hide"], kind="primary"),
            (_make_action_row(actions, FINDING_ACTIONS), 1),
        )
        below = as_widget(make_column((self.card, 1), buttons))
        self.split = make_split(
            self.table,
            below,
            sizes=(50 * GRID, 22 * GRID),
            is_vertical=True,
            gap=GRID,
            parent=self,
        )
        make_column(
            make_row((self._name, 1), (self._short_message, 1), self.unresolved),
            self._message,
            filters,
            self._empty,
            (self.split, 1),
            parent=self,
        )


def _make_action_row(actions: dict[str, QAction], names: Sequence[str]) -> ActionRow:
    row = ActionRow()
    row.set_actions([(actions[name], actions[name].text()) for name in names])
    return row


def _isolated(text: str) -> str:
    """Isolate the direction of quotations from the surrounding text."""
    return _QUOTED.sub("“\u2068\\1\u2069”", text)


def _describe_place(
    sentence: SentenceRow | None, known: tuple[dict[int, str], str], state: str
) -> str:
    """Return a sentence's corpus, document, line and state.

    Args:
        sentence: None if it was deleted.
        known: corpus names by id, and the document name of the sentence.
        state: hidden, removed, or empty.
    """
    if sentence is None:
        return ""
    name = known[0].get(corpus_of(sentence.id)) or _tr("deleted corpus")
    name = join_names(language_name(sentence.language), name)
    place = describe_place(name_source(name, known[1]), sentence.line)
    return SEPARATOR.join([place, *([describe_state(state)] if state else [])])
