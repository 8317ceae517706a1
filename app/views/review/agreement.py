"""Panel of inter-annotator agreement: raw, Cohen's kappa, Krippendorff's alpha."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.engine.store.pairs.history import has_opinions
from app.errors import ErrorInfo
from app.number_format import NO_BREAK, format_range
from app.protocol.answers.pairs import AgreementAnswer, AgreementFigure
from app.protocol.queries.pairs import AgreementQuery
from app.views.client.state import AppState
from app.views.review.pair_set_panel import PairSetPanel
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import keep_room, make_button, make_label
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import FixedLines
from app.views.widgets.theme import GRID

N_TEXT_LINES = 4  # longer text scrolls
LONGEST = "-0.00 (-0.00 – -0.00)"  # figure, whose width is reserved


class AgreementPanel(PairSetPanel):
    """Shows agreement between annotators; hidden unless several judged the same pairs.

    Its height stays constant while judging, so that nothing below it moves.

    Attributes:
        text: number of pairs judged by each annotator.
        figures: agreement, kappa and alpha with their intervals.
        conflicts: button that opens the pairs on which annotators disagree.
        n_conflicts: number of these pairs.
        flagged_by_others: number of pairs that only another annotator flagged, by name.
    """

    conflicts_requested = Signal()
    delay_ms = 800

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(state, parent)
        self.text = make_label("", "secondary", wraps=True)
        self.n_conflicts = 0
        self.flagged_by_others: dict[str, int] = {}
        self.figures: dict[str, QLabel] = {}
        self.conflicts = make_button(
            self.tr("Resolve conflicts"),
            self.tr("Show the pairs that annotators disagree on."),
            self.conflicts_requested.emit,
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        for row, (name, words) in enumerate(
            (
                ("raw", self.tr("agreement")),
                ("kappa", self.tr("Cohen's kappa")),
                ("alpha", self.tr("Krippendorff's alpha")),
            )
        ):
            grid.addWidget(make_label(words, "secondary", wraps=True), row, 0)
            longest = make_label(LONGEST, wraps=True)
            keep_room(longest)
            longest.hide()
            self.figures[name] = make_label("", wraps=True)
            for label in (longest, self.figures[name]):
                grid.addWidget(label, row, 1)
        make_column(
            make_label(self.tr("Annotators"), "section"),
            FixedLines(N_TEXT_LINES, self.text),
            grid,
            self.conflicts,
            parent=self,
            gap=6,
        )
        self.hide()

    def show_nothing(self) -> None:
        """Hide the panel."""
        self.n_conflicts, self.flagged_by_others = 0, {}
        self.hide()

    def request(self, mining: int) -> None:
        """Request the agreement, or hide the panel if nobody else judged pairs."""
        project = self._state.project
        if project is None:
            return
        if has_opinions(project.store, mining):
            query = AgreementQuery(mining=mining)
            self._state.ask(query, partial(self._on_answer, query))
        elif not self.isHidden():  # other annotators' judgements were undone
            self.show_nothing()
            self.shown.emit()

    def _on_answer(
        self, query: AgreementQuery, answer: AgreementAnswer | ErrorInfo
    ) -> None:
        if query.mining != self._mining or isinstance(answer, ErrorInfo):
            return
        self.setVisible(len(answer.annotators) > 1)
        self.text.setText(self._describe_annotators(answer))
        self.text.setToolTip(answer.text)
        self.figures["raw"].setText(_format_figure(answer.raw, is_share=True))
        self.figures["kappa"].setText(_format_figure(answer.kappa))
        self.figures["alpha"].setText(_format_figure(answer.alpha))
        self.flagged_by_others = dict(answer.flagged_by_others)
        n = self.n_conflicts = answer.n_conflicts
        words = self.tr("Resolve {n} conflicts") if n else self.tr("No conflicts")
        words = self.tr("Resolve 1 conflict") if n == 1 else words
        self.conflicts.setText(words.format(n=format_count(n)))
        self.conflicts.setAccessibleName(self.conflicts.text())
        self.conflicts.setEnabled(n > 0)
        self.shown.emit()

    def _describe_annotators(self, answer: AgreementAnswer) -> str:
        names = [one.who or self.tr("you") for one in answer.annotators]
        one = self.tr("1 pair was accepted or rejected by two or more of {names}")
        many = self.tr("{n} pairs were accepted or rejected by two or more of {names}")
        listed = ", ".join(names)
        if len(names) == 2:
            one = self.tr("1 pair was accepted or rejected by both {names}")
            many = self.tr("{n} pairs were accepted or rejected by both {names}")
            listed = self.tr("{first} and {second}").format(
                first=names[0], second=names[1]
            )
        words = one if answer.n_shared == 1 else many
        text = words.format(n=format_count(answer.n_shared), names=listed)
        return f"{'; '.join([text, *self._describe_others(answer)])}."

    def _describe_others(self, answer: AgreementAnswer) -> list[str]:
        """Describe merged judgements that are excluded from the agreement."""
        counts = (
            (
                answer.n_undecided,
                self.tr("1 pair is flagged or skipped by one of them"),
                self.tr("{n} pairs are flagged or skipped by one of them"),
            ),
            (
                answer.n_as_range,
                self.tr("1 pair was judged as part of a score range"),
                self.tr("{n} pairs were judged as part of a score range"),
            ),
            (
                answer.n_single,
                self.tr("1 pair was judged by only one of them"),
                self.tr("{n} pairs were judged by only one of them"),
            ),
        )
        return [pluralize(n, one, many) for n, one, many in counts if n]


def _format_figure(figure: AgreementFigure | None, *, is_share: bool = False) -> str:
    """Format a figure with its interval: 0.81 (0.70 – 0.89)."""
    if figure is None:
        return "–"
    numbers = (figure.value, figure.low, figure.high)
    value, low, high = (_format_number(one, is_share=is_share) for one in numbers)
    unit = f"{NO_BREAK}%" if is_share else ""
    return f"{value}{unit} ({format_range(low, high + unit)})"


def _format_number(number: float | None, *, is_share: bool) -> str:
    if number is None:
        return "?"
    return f"{100 * number:.0f}" if is_share else f"{number:.2f}"
