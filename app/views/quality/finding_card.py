"""The current finding: both texts with their differences marked, and the reason."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.engine.store.corpora import CorpusRow, SentenceRow, corpus_of
from app.languages import language_name
from app.views.quality.finding_table import ShownFinding
from app.views.quality.text import (
    Span,
    describe_finding_kind,
    describe_state,
    extract_reason,
    extract_suggestion,
    find_differing_spans,
)
from app.views.widgets.controls import describe, make_label
from app.views.widgets.hits import describe_place, join_names, name_source
from app.views.widgets.pair_differences import find_differences
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.sentence_label import HighlightedLabel
from app.views.widgets.theme import GRID

TEXT_PX = 15
_QUOTED = re.compile("“([^”]*)”")
COMPARED = ("equal", "near", "encoding")  # letter by letter


class _Side(QFrame):
    """One text with where it stands."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.head = make_label("", "secondary", wraps=True)
        self.text = HighlightedLabel(TEXT_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(4)
        column.addWidget(self.head)
        column.addWidget(self.text)
        column.addStretch()


class FindingCard(QScrollArea):
    """Shows one finding."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setMinimumHeight(17 * GRID)
        describe(self, self.tr("Finding"), self.tr("The chosen finding, whole."))
        self.left, self.right = _Side(), _Side()
        self.reason = make_label("", wraps=True)
        content = QWidget()
        content.setObjectName("scrolled")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        row.addWidget(self.left, 1)
        row.addWidget(self.right, 1)
        column.addWidget(self.reason)
        column.addLayout(row)
        column.addStretch()
        self.setWidget(content)

    def show_finding(
        self, shown: ShownFinding | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Show a finding, or nothing."""
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
        if finding.kind in COMPARED and second:
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
                head = SEPARATOR.join([self.tr("Now the nearest"), head])
            self.right.head.setText(head)
            self.right.text.show_marked(
                second, second_language, marks[0][1], marks[1][1]
            )


def _tr(text: str) -> str:
    return QCoreApplication.translate("FindingCard", text)


def _isolated(text: str) -> str:
    """Keep quotations of any direction apart from the words around them."""
    return _QUOTED.sub("“\u2068\\1\u2069”", text)


def _describe_place(
    sentence: SentenceRow | None, known: tuple[dict[int, str], str], state: str
) -> str:
    """Return where a sentence stands, and whether it takes part.

    Args:
        sentence: None where it is gone.
        known: names of the corpora by id, and that of the sentence's document.
        state: hidden, removed, or empty.
    """
    if sentence is None:
        return ""
    name = known[0].get(corpus_of(sentence.id)) or _tr("deleted corpus")
    name = join_names(language_name(sentence.language), name)
    place = describe_place(name_source(name, known[1]), sentence.line)
    return SEPARATOR.join([place, *([describe_state(state)] if state else [])])
