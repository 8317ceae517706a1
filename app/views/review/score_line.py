"""Score line of a pair: score, differences and runner-up."""

from PySide6.QtWidgets import QLabel, QWidget

from app.engine.store.pairs.sets import PairRow, PairSetRow
from app.views.review.pairs import ShownPair
from app.views.review.text import describe_score, format_ratio, name_score
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel, keep_room, make_label, restyle
from app.views.widgets.hit_card import ScoreBadge


class ScoreLine(QWidget):
    """Two lines: score and differences; runner-up.

    Attributes:
        badge: shows the cosine.
        score, parts: the score, and its components or a note that the text was edited.
        numbers, names, ratio: differences between the texts.
        runner_up: text of the runner-up, or of the sentence that it replaced.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.badge = ScoreBadge()
        self.score = make_label("", "section")
        self.parts = ElidedLabel("secondary")
        self.numbers, self.names, self.ratio = _chip(), _chip(), _chip()
        self.numbers.setText(self.tr("numbers differ"))
        self.names.setText(self.tr("names to check"))
        restyle(self.numbers, "kind", "warning")
        restyle(self.names, "kind", "plain")
        self._runner_score = make_label("", "secondary")
        self.runner_up = ElidedLabel()
        first = WrappingRow(line_gap=4)
        for widget in (self.badge, self.score, self.parts):
            first.addWidget(widget)
        for chip in (self.ratio, self.numbers, self.names):
            keep_room(chip)  # the same number of lines for every pair
            first.addWidget(chip)
        second = make_row(self._runner_score, (self.runner_up, 1))
        make_column(first, second, parent=self, gap=4)

    def show_pair(self, pair: ShownPair, mining: PairSetRow) -> None:
        """Show the differences in a pair and its runner-up."""
        self._show_differences(pair)
        self._show_runner_up(pair, mining)

    def show_score(
        self,
        row: PairRow | None,
        mining: PairSetRow,
        *,
        is_edited: bool,
        is_final: bool = True,
    ) -> None:
        """Show a score.

        Args:
            row: the pair with its score; None if its sentences are not scored.
            is_edited: whether a text was edited since it was scored.
            is_final: whether no score will follow.
        """
        score, parts = "", ""
        if not mining.margin:
            row, parts = None, self.tr("The package has no scores.")
        elif row is not None:
            score, parts = describe_score(row, mining)
        elif is_final:
            parts = self.tr("The sentence that was swapped in has no score.")
        keep_room(self.badge, is_kept=bool(mining.margin))
        self.badge.setHidden(row is None)
        if row is not None:
            self.badge.show_cosine(row.cosine)
        self.score.setText(score)
        self.score.setHidden(not score)  # an empty label would indent the next one
        self.parts.hint = ""
        if is_edited and row is not None:
            words = self.tr(
                "The score and the neighbours are those of the imported texts."
            )
            self.parts.hint = f"{words}\n{parts}"
            parts = self.tr("score before the edit")
        self.parts.setText(parts)

    def _show_differences(self, pair: ShownPair) -> None:
        marks = pair.marks
        self.numbers.setVisible(marks.has_numbers)
        self.names.setVisible(marks.has_names)
        ratio = format_ratio(pair.source.text, pair.target.text)
        self.ratio.setText(self.tr("length ratio {ratio}").format(ratio=ratio))
        self.ratio.setToolTip(
            self.tr(
                "Characters of the target divided by those of the source: {n} / {m}."
            ).format(n=len(pair.target.text), m=len(pair.source.text))
        )

    def _show_runner_up(self, pair: ShownPair, mining: PairSetRow) -> None:
        row = pair.texts.pair
        words = self.tr("No runner-up")
        text = ""
        if pair.runner_up is not None:
            text = pair.runner_up.text
            words = self.tr("Instead of")
            if not pair.target.is_swapped:
                words = self.tr("Runner-up")
                if row.runner_up_score is not None:
                    words = self.tr("Runner-up: {score}").format(
                        score=name_score(row.runner_up_score, mining)
                    )
        self._runner_score.setText(words)
        self.runner_up.setText(text)


def _chip() -> QLabel:
    chip = make_label("")
    chip.setProperty("pill", True)
    return chip
