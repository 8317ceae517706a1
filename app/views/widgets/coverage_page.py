"""What an encoder covers: a summary, the table, and what it means for one language."""

import time
from collections import Counter

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.coverage import VERDICTS, LanguageCoverage
from app.languages import language_name
from app.views.encoder_book import Coverage, EncoderCard
from app.views.runs import RunState
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.coverage_mark import describe_coverage
from app.views.widgets.coverage_table import CoverageTable
from app.views.widgets.empty_state import EmptyState
from app.views.words import describe_device, format_ago, format_rate, format_share


class CoveragePage(QWidget):
    """Coverage of one encoder, or why there is none yet."""

    measure_wanted = Signal()
    files_wanted = Signal()  # measure on text files: there is no corpus
    cancel_wanted = Signal()
    export_wanted = Signal()
    hub_wanted = Signal(object)  # id of a sentence

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.table = CoverageTable()
        self._encoder = ""
        self._has_corpora = False
        self._summary = make_label("", "secondary", wraps=True)
        self._detail = make_label("", "secondary", wraps=True)
        self._detail.setMinimumHeight(self._detail.fontMetrics().height() * 3)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._make_buttons()
        self._running = make_label("", "secondary")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_empty())
        self._pages.addWidget(self._make_full())
        self._progress = QWidget()
        bar = QHBoxLayout(self._progress)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.addWidget(self._running, 1)
        bar.addWidget(self._cancel)
        self._progress.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * GRID, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._progress)
        layout.addWidget(self._pages, 1)
        self.table.language_shown.connect(self._on_language_shown)
        self.table.language_chosen.connect(self._on_language_chosen)

    @property
    def summary(self) -> str:
        """What is said over the table."""
        return self._summary.text()

    @property
    def detail(self) -> str:
        """What is said of the selected language."""
        return self._detail.text()

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was measured."""
        return self._pages.currentIndex() == 0

    def show_coverage(self, card: EncoderCard, coverage: Coverage | None) -> None:
        """Show what was measured of an encoder."""
        self._encoder = card.name
        self._pages.setCurrentIndex(0 if coverage is None else 1)
        rows = list(coverage.languages.values()) if coverage is not None else []
        self.table.show_languages(rows, card.name)
        if coverage is not None:
            self._summary.setText(self._summarise(coverage))
        has_pieces = coverage is None or coverage.last.has_pieces
        self.table.hide_pieces(not has_pieces)

    def show_run(self, run: RunState | None) -> None:
        """Show how far a measurement is; None: there is none."""
        self._progress.setVisible(run is not None)
        self._again.setEnabled(run is None)
        self._first.setEnabled(run is None)
        if run is None:
            return
        words = self.tr("Measuring: it waits for its turn…")
        if run.total:
            words = self.tr("Measuring: {stage}, {share}")
            share = format_share(run.done, run.total)
            words = words.format(stage=run.note or run.stage, share=share)
        elif run.stage:
            words = f"{run.stage}…"
        self._running.setText(words)

    def set_writable(self, is_writable: bool, *, has_corpora: bool) -> None:
        """Offer to measure where it can be recorded, and say on what."""
        self._has_corpora = has_corpora
        self._again.setVisible(is_writable)
        self._first.setVisible(is_writable)
        words, button = (
            self.tr(
                "Measure how well its pieces and its space cover the languages of this "
                "project: it takes seconds, and shows before you trust a language."
            ),
            self.tr("Measure coverage"),
        )
        if not has_corpora:
            words, button = (
                self.tr(
                    "There is no corpus yet: import one first, or measure which "
                    "languages this encoder covers on text files."
                ),
                self.tr("Measure on files…"),
            )
        self._empty.set_words(self.tr("Coverage is not measured yet"), words)
        self._first.setText(button)

    def _make_buttons(self) -> None:
        self._again = make_button(
            self.tr("Measure again"),
            self.tr("Measure the coverage of every language of this project."),
            self._on_measure_clicked,
            kind="quiet",
        )
        self._first = make_button(
            self.tr("Measure coverage"),
            self.tr("Measure the coverage of every language of this project."),
            self._on_measure_clicked,
            kind="primary",
        )
        self._export = make_button(
            self.tr("Export…"),
            self.tr("Write the table to a tab-separated file."),
            self.export_wanted.emit,
            kind="quiet",
        )
        self._cancel = make_button(
            self.tr("Cancel"), self.tr("Stop measuring."), self.cancel_wanted.emit
        )
        self._hub = make_button(
            self.tr("Show its greatest hub"),
            self.tr("Show the sentence that is near to more others than any."),
            lambda: self._on_language_chosen(self.table.current),
            kind="quiet",
        )

    def _make_empty(self) -> QWidget:
        self._empty = EmptyState("", "", [self._first], icon="encoders")
        return self._empty

    def _make_full(self) -> QWidget:
        head = QHBoxLayout()
        head.addWidget(self._summary, 1)
        head.addWidget(self._export)
        head.addWidget(self._again)
        foot = QHBoxLayout()
        foot.addWidget(self._detail, 1)
        foot.addWidget(self._hub, 0, Qt.AlignmentFlag.AlignTop)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addLayout(foot)
        return page

    def _summarise(self, coverage: Coverage) -> str:
        """Say how many languages are covered how, when and how fast it was measured."""
        counts = Counter(one.verdict for one in coverage.languages.values())
        n, last = len(coverage.languages), coverage.last
        words = (
            self.tr("1 language: {verdicts}")
            if n == 1
            else self.tr("{n} languages: {verdicts}")
        )
        verdicts = [f"{counts[verdict]} {verdict}" for verdict in reversed(VERDICTS)]
        parts = [words.format(n=n, verdicts=", ".join(verdicts))]
        when = format_ago(time.time() - coverage.measured_at)
        parts.append(self.tr("measured {when}").format(when=when))
        if last.sentences_per_s:
            rate = format_rate(last.sentences_per_s, self.tr("sentences"))
            parts.append(f"{rate} ({describe_device(last.device)})")
        if not last.has_pieces:
            parts.append(self.tr("it has no pieces to count"))
        return " · ".join(parts)

    def _on_measure_clicked(self) -> None:
        (self.measure_wanted if self._has_corpora else self.files_wanted).emit()

    def _on_language_shown(self, one: LanguageCoverage | None) -> None:
        self._hub.setVisible(one is not None and one.hub is not None)
        if one is None:
            self._detail.setText(
                self.tr(
                    "Green means that nothing measured speaks against a language, not "
                    "that its translations are found: measure retrieval for that."
                )
            )
            return
        lines = describe_coverage(one, self._encoder).splitlines()
        first = lines[0].replace(self.tr("this language"), language_name(one.language))
        rest = f"{lines[1]} {', '.join(lines[2:])}."
        self._detail.setText(f"{first}\n{rest}")

    def _on_language_chosen(self, one: LanguageCoverage | None) -> None:
        if one is not None and one.hub is not None:
            self.hub_wanted.emit(one.hub)
