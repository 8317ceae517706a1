"""Card of one pair: both texts, parts of its score and runner-up candidates."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.documents import read_document_names
from app.engine.store.pairs.texts import PairTexts, SideText
from app.engine.store.sentences import SentenceRow, read_sentences
from app.views.client.state import AppState
from app.views.widgets.controls import ElidedLabel, describe, make_label
from app.views.widgets.hits import describe_place, name_source
from app.views.widgets.pair_set_text import SEPARATOR, format_score, verdict_name
from app.views.widgets.sentence_label import SentenceLabel
from app.views.widgets.theme import GRID

SENTENCE_PX = 16
ISOLATE = "\u2068"  # what follows is set in its own direction
MAX_SHOWN = 300  # characters of a rival
MARGINS = {"ratio": "{cosine} / {mean}", "distance": "{cosine} − {mean}"}


class PairCard(QFrame):
    """Shows the pair that is chosen in a table."""

    sentence_chosen = Signal(object)  # id: show it in the inspector

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._state = state
        self._texts = (SentenceLabel(SENTENCE_PX), SentenceLabel(SENTENCE_PX))
        self._places = (ElidedLabel("secondary"), ElidedLabel("secondary"))
        self._facts = make_label("", wraps=True)
        self._rivals = (
            RunnerUpRow(self.tr("next best target")),
            RunnerUpRow(self.tr("next best source")),
        )
        for line in self._rivals:
            line.chosen.connect(self.sentence_chosen)
        content = QWidget()
        content.setObjectName("scrolled")
        grid = QGridLayout(content)
        grid.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(4)
        grid.addWidget(self._facts, 0, 0, 1, 2)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
            grid.addWidget(self._texts[column], 1, column)
            grid.addWidget(self._places[column], 2, column)
            grid.addWidget(self._rivals[column], 3, column)
        grid.setRowStretch(4, 1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(area)
        self.show_pair(None, "")

    @property
    def facts(self) -> str:
        """What is said of the score."""
        return self._facts.text()

    @property
    def rivals(self) -> list[str]:
        """The next best target, and the next best source, as far as there are."""
        return [line.text() for line in self._rivals if not line.isHidden()]

    def show_pair(self, found: PairTexts | None, margin: str) -> None:
        """Show a pair of a set with this margin; None: none is chosen."""
        for line in self._rivals:
            line.show_rival(None, None)
        if found is None:
            for label in (*self._texts, *self._places):
                label.setText("")
            self._facts.setText(
                self.tr("Choose a pair to see it whole. Enter opens it for review.")
            )
            return
        for side, text, place in zip(
            (found.source, found.target), self._texts, self._places, strict=True
        ):
            text.show_sentence(side.text, side.language)
            place.setText(self._place_words(side))
        self._facts.setText(self._facts_words(found, margin))
        self._show_rivals(found)

    def _place_words(self, side: SideText) -> str:
        project = self._state.project
        corpora = project.corpora if project is not None else []
        names = {corpus.id: corpus.name for corpus in corpora}
        if project is None or not side.sentences:
            return self.tr("nothing on this side")
        first = side.sentences[0].id
        document = read_document_names(project.store, [first]).get(first, "")
        source = name_source(names.get(side.corpus_id, ""), document)
        words = describe_place(source, side.line)
        if side.is_swapped:
            words += SEPARATOR + self.tr("swapped in")
        return words + (SEPARATOR + self.tr("edited") if side.is_edited else "")

    def _facts_words(self, found: PairTexts, margin: str) -> str:
        pair = found.pair
        parts = [self.tr("Score {n}").format(n=format_score(pair.score))]
        if margin in MARGINS:
            mean = (pair.source_mean + pair.target_mean) / 2
            formula = MARGINS[margin].format(
                cosine=self.tr("cosine {n}").format(n=format_score(pair.cosine)),
                mean=self.tr("mean of the neighbours {n}").format(n=format_score(mean)),
            )
            parts = [f"{parts[0]} = {formula}"]
        verdict = found.judgement.verdict if found.judgement is not None else ""
        parts.append(verdict_name(verdict))
        if found.judgement is not None and verdict and found.judgement.who:
            by = self.tr("by {who}").format(who=found.judgement.who)
            parts[-1] = f"{parts[-1]} {by}"
        if found.judgement is not None and found.judgement.tags:
            parts.append(", ".join(found.judgement.tags))
        return SEPARATOR.join(parts)

    def _show_rivals(self, found: PairTexts) -> None:
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
            known, sentences, self._rivals, strict=True
        ):
            line.show_rival(sentence, score)


class RunnerUpRow(QPushButton):
    """One line on the sentence that came second; a click shows it."""

    chosen = Signal(object)  # id

    def __init__(self, title: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._title, self._whole = title, ""
        describe(self, title)
        self._id: int | None = None
        self.setProperty("quiet", True)
        self.setStyleSheet("text-align: left; padding: 1px 0;")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        self.clicked.connect(lambda: self.chosen.emit(self._id))

    def show_rival(self, sentence: SentenceRow | None, score: float | None) -> None:
        """Show a sentence and the score that it would have; None hides the line."""
        self.setVisible(sentence is not None)
        if sentence is None:
            return
        self._id = sentence.id
        number = format_score(score) if score is not None else "–"
        text = f"{ISOLATE}{sentence.text[:MAX_SHOWN]}"
        self._whole = f"{self._title} {number}: {text}"
        hint = self.tr("Show this sentence in the inspector.")
        describe(self, self.text(), f"{sentence.text[:MAX_SHOWN]}\n{hint}")
        self._fit()

    def text(self) -> str:
        """Return the whole line."""
        return self._whole.replace(ISOLATE, "")

    def _fit(self) -> None:
        elide = Qt.TextElideMode.ElideRight
        width = self.width() - 2
        shown = self.fontMetrics().elidedText(self._whole, elide, width)
        super().setText(shown.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as fits now."""
        super().resizeEvent(event)
        self._fit()
