"""Card of a pair: both texts, score components and runner-up candidates."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QSizePolicy,
    QWidget,
)

from app.engine.store.documents import read_document_names
from app.engine.store.pairs.history import Authors, read_authors
from app.engine.store.pairs.texts import PairTexts, SideText
from app.engine.store.sentences import SentenceRow, read_sentences
from app.number_format import format_score
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import ElidedLabel, PushButton, describe, make_label
from app.views.widgets.hits import describe_place, name_source
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.pair_set_text import SEPARATOR, name_authors, verdict_name
from app.views.widgets.sentence_label import SentenceLabel
from app.views.widgets.theme import GRID

SENTENCE_PX = 16
ISOLATE = "\u2068"  # isolates the direction of the text after it
MAX_SHOWN = 300  # characters of a runner-up
MARGINS = {"ratio": "{cosine} / {mean}", "distance": "{cosine} − {mean}"}


class PairCard(QFrame):
    """Shows the selected pair of a table."""

    sentence_chosen = Signal(object)  # id of a sentence for the inspector

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._state = state
        self._texts = (SentenceLabel(SENTENCE_PX), SentenceLabel(SENTENCE_PX))
        self._places = (ElidedLabel("secondary"), ElidedLabel("secondary"))
        self._facts = make_label("", wraps=True)
        self._runners_up = (
            RunnerUpRow(self.tr("runner-up target")),
            RunnerUpRow(self.tr("runner-up source")),
        )
        for line in self._runners_up:
            line.chosen.connect(self.sentence_chosen)
        content = QWidget()
        make_column(make_scroll_area(content, self), parent=self, margins=1)
        grid = QGridLayout(content)
        grid.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(4)
        grid.addWidget(self._facts, 0, 0, 1, 2)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
            grid.addWidget(self._texts[column], 1, column)
            grid.addWidget(self._places[column], 2, column)
            grid.addWidget(self._runners_up[column], 3, column)
        grid.setRowStretch(4, 1)
        self.show_pair(None, "")

    @property
    def facts(self) -> str:
        """The description of the score."""
        return self._facts.text()

    @property
    def runners_up(self) -> list[str]:
        """The runner-up target and source, if any."""
        return [line.text() for line in self._runners_up if not line.isHidden()]

    def show_pair(self, found: PairTexts | None, margin: str) -> None:
        """Show a pair of a set, or None if no pair is selected.

        Args:
            margin: margin of the set; empty for a package without scores.
        """
        for line in self._runners_up:
            line.show_sentence(None, None)
        if found is None:
            for label in (*self._texts, *self._places):
                label.setText("")
            self._facts.setText(
                self.tr(
                    "Select a pair to see its full texts. Press Enter to review it."
                )
            )
            return
        for side, text, place in zip(
            (found.source, found.target), self._texts, self._places, strict=True
        ):
            text.show_sentence(side.text, side.language)
            place.setText(self._describe_location(side))
        self._facts.setText(self._describe_score(found, margin))
        self._show_runners_up(found, has_scores=bool(margin))

    def _describe_location(self, side: SideText) -> str:
        project = self._state.project
        corpora = self._state.corpora
        names = {corpus.id: corpus.name for corpus in corpora}
        if project is None or not side.sentences:
            return self.tr("no sentence")
        first = side.sentences[0].id
        document = read_document_names(project.store, [first]).get(first, "")
        source = name_source(names.get(side.corpus_id, ""), document)
        words = describe_place(source, side.line)
        if side.is_swapped:
            words += SEPARATOR + self.tr("runner-up")
        return words + (SEPARATOR + self.tr("edited") if side.is_edited else "")

    def _describe_score(self, found: PairTexts, margin: str) -> str:
        pair = found.pair
        parts = [self.tr("Score {n}").format(n=format_score(pair.score))]
        if not margin:
            parts = [self.tr("The package has no scores.")]
        if margin in MARGINS:
            mean = (pair.source_mean + pair.target_mean) / 2
            formula = MARGINS[margin].format(
                cosine=self.tr("cosine {n}").format(n=format_score(pair.cosine)),
                mean=self.tr("mean of the neighbours {n}").format(n=format_score(mean)),
            )
            parts = [f"{parts[0]} = {formula}"]
        verdict = found.judgement.verdict if found.judgement is not None else ""
        parts.append(verdict_name(verdict))
        if self._state.project is not None and verdict:
            authors = read_authors(self._state.project.store, [pair.id])
            by = name_authors(authors.get(pair.id, Authors()))
            parts[-1] = f"{parts[-1]} {by}".rstrip()
        if found.judgement is not None and found.judgement.tags:
            parts.append(", ".join(found.judgement.tags))
        return SEPARATOR.join(parts)

    def _show_runners_up(self, found: PairTexts, *, has_scores: bool) -> None:
        project, pair = self._state.project, found.pair
        if project is None:
            return
        known = [
            (pair.runner_up_id, pair.runner_up_score),
            (pair.reverse_id, pair.reverse_score),
        ]
        wanted = [id_ or 0 for id_, _ in known]
        sentences = read_sentences(project.store, wanted)
        for (_, score), sentence, line in zip(
            known, sentences, self._runners_up, strict=True
        ):
            line.show_sentence(sentence, score if has_scores else None)


class RunnerUpRow(PushButton):
    """A line with the second-best sentence; a click shows it in the inspector."""

    chosen = Signal(object)  # id

    def __init__(self, title: str, parent: QWidget | None = None):
        super().__init__("", parent)
        self._title, self._full_text = title, ""
        describe(self, title)
        self._id: int | None = None
        self.setProperty("quiet", True)
        self.setProperty("shape", "line")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        self.clicked.connect(lambda: self.chosen.emit(self._id))

    def show_sentence(self, sentence: SentenceRow | None, score: float | None) -> None:
        """Show a sentence and the score of its pair; None hides the line."""
        self.setVisible(sentence is not None)
        if sentence is None:
            return
        self._id = sentence.id
        number = "" if score is None else f" {format_score(score)}"
        text = f"{ISOLATE}{sentence.text[:MAX_SHOWN]}"
        self._full_text = f"{self._title}{number}: {text}"
        hint = self.tr("Show this sentence in the inspector.")
        describe(self, self.text(), f"{sentence.text[:MAX_SHOWN]}\n{hint}")
        self._fit()

    def text(self) -> str:
        """Return the full line."""
        return self._full_text.replace(ISOLATE, "")

    def _fit(self) -> None:
        elide = Qt.TextElideMode.ElideRight
        width = self.width() - 2
        shown = self.fontMetrics().elidedText(self._full_text, elide, width)
        super().setText(shown.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text to the new width."""
        super().resizeEvent(event)
        self._fit()
