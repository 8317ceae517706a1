"""The header of the review view: pair set, progress and queue settings."""

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QDoubleValidator,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QValidator,
)
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.views.review.queue import QueueOrder, QueueSettings
from app.views.review.text import (
    count_decided,
    describe_method,
    list_undecided,
    shorten_line,
)
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import BoxItem, Stretch, as_widget, make_column, make_row
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.theme import GRID, colours_of, mix, scaled, set_width

VERDICT_SHADES = {"accept": 1.0, "reject": 0.62, "flag": 0.4, "skip": 0.25}
BAR_HEIGHT, LINE_GAP = 8, 4
MAX_NAME = 20  # characters of the annotator's name; the full name is in the tooltip
COUNTS_WIDTH = 260  # minimum, to avoid line breaks while counts change
SAVED_WIDTH = 170  # fits "1 judgement not saved yet", so nothing moves


class ChoiceBox(QComboBox):
    """A combo box that distinguishes selecting in the list from using arrow keys."""

    picked = Signal()  # in the list or by the mouse wheel

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._is_stepping = False
        self.activated.connect(self._on_activated)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep the focus while arrow keys change the item."""
        self._is_stepping = True
        super().keyPressEvent(event)
        self._is_stepping = False

    def _on_activated(self) -> None:
        if not self._is_stepping:
            self.picked.emit()


class ReviewHeader(QWidget):
    """The pair set with its counts, and a progress bar."""

    mining_chosen = Signal(object)  # id
    picked = Signal()  # in the list of pair sets: the focus can return to the pair

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.minings = ChoiceBox()
        self.minings.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow
        )
        self.minings.setMinimumWidth(24 * GRID)
        words = self.tr("The pair set to review.")
        describe(self.minings, self.tr("Pair set"), words)
        self.minings.activated.connect(self._on_activated)
        self.minings.picked.connect(self.picked)
        self.method = ElidedLabel("secondary")
        self.method.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.counts = ElidedLabel("secondary")
        self.counts.hint = self.tr(
            "Judged pairs are accepted or rejected. Skipped and flagged pairs are not "
            "in the queue of pairs that are not judged."
        )
        self.saved = make_label("", "secondary")
        self.retry_button = make_button(
            self.tr("Retry saving"),
            self.tr("Try again to save the judgements that are not saved."),
        )
        self.retry_button.hide()
        self.name_button = make_button(
            "",
            self.tr("Enter the name that is saved with your judgements."),
            kind="quiet",
        )
        # A click leaves the focus on the pair, so that Space still skips it.
        self.name_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.export_button = make_button(
            self.tr("Export…"),
            self.tr("Export the pairs with their verdicts to a file (Ctrl+E)."),
        )
        self.panel_button = make_button("", "", kind="quiet")
        self.show_panel(is_shown=True)
        self.return_button = make_button(
            self.tr("Return judgements…"),
            self.tr("Write your judgements of a package to a file."),
        )
        self.return_button.hide()
        self.progress = VerdictBar()
        buttons = (
            *(self.retry_button, self.name_button, self.return_button),
            self.export_button,
        )
        set_width(self.counts, COUNTS_WIDTH)
        set_width(self.saved, SAVED_WIDTH)
        make_column(
            _wrap(
                make_label(self.tr("Review"), "heading"),
                self.minings,
                self.panel_button,  # on the left, because the panel opens on the right
                _grow(Stretch(1), *buttons),
            ),
            _wrap(self.counts, self.saved, self.method),
            self.progress,
            parent=self,
            gap=LINE_GAP,
        )

    def show_minings(self, minings: Sequence[PairSetRow], chosen: int | None) -> None:
        """Show pair sets, the newest first."""
        self.minings.clear()
        for row in minings:
            self.minings.addItem(row.name, row.id)
        self.minings.setCurrentIndex(self.minings.findData(chosen))
        self.setVisible(bool(minings))
        packages = [row.id for row in minings if row.kind == "package"]
        self.return_button.setVisible(chosen in packages)
        methods = {row.id: describe_method(row) for row in minings}
        self.method.setText(methods.get(chosen, "") if chosen is not None else "")

    def show_panel(self, *, is_shown: bool) -> None:
        """Update the button that shows or hides the panel on the right."""
        text = self.tr("Hide panel") if is_shown else self.tr("Show panel")
        words = self.tr(
            "The panel shows the threshold, the annotators and the history."
        )
        self.panel_button.setText(text)
        describe(self.panel_button, text, words)

    def show_name(self, name: str) -> None:
        """Show the name of the annotator, which may be empty."""
        text = self.tr("Enter your name…")
        if name:
            text = self.tr("Judging as {name}").format(name=name)
        self.name_button.setText(shorten_line(text, MAX_NAME))
        words = self.tr(
            "Your judgements in this project are saved under the name “{name}”. Click "
            "to change it."
        )
        hint = (
            words.format(name=name)
            if name
            else self.tr("Enter the name that is saved with your judgements.")
        )
        describe(self.name_button, text, hint)

    def show_counts(
        self, counts: dict[str, int], flagged_by_others: Mapping[str, int] | None = None
    ) -> None:
        """Show the numbers of judged, undecided and remaining pairs.

        Args:
            counts: number of pairs by verdict.
            flagged_by_others: number of additional pairs flagged by others, by name.
        """
        n_waiting = format_count(counts.get("", 0))
        parts = [
            self.tr("{n} judged").format(n=format_count(count_decided(counts))),
            *list_undecided(counts),
            self.tr("{n} to judge").format(n=n_waiting),
        ]
        words = self.tr("{n} more flagged by {who}")
        if not counts.get("flag"):
            words = self.tr("{n} flagged by {who}")
        parts += [
            words.format(n=format_count(n), who=who)
            for who, n in (flagged_by_others or {}).items()
        ]
        self.counts.setText(" · ".join(parts) if counts else "")
        self.progress.show_counts(counts)

    def show_saved(self, n_unsaved: int, *, is_stuck: bool) -> None:
        """Show whether everything is saved."""
        text = self.tr("✓ Saved")
        if n_unsaved:
            words = self.tr("{n} judgements not saved yet")
            if n_unsaved == 1:
                words = self.tr("1 judgement not saved yet")
            text = words.format(n=format_count(n_unsaved))
        self.saved.setText(text)
        restyle(self.saved, "role", "warning" if n_unsaved else "secondary")
        self.retry_button.setVisible(is_stuck)

    def _on_activated(self) -> None:
        self.mining_chosen.emit(self.minings.currentData())


def _wrap(*widgets: QWidget) -> WrappingRow:
    row = WrappingRow(line_gap=LINE_GAP)
    for widget in widgets:
        row.addWidget(widget)
    return row


def _grow(*items: BoxItem) -> QWidget:
    """Return items that stay together at the end of a line or fill the next line."""
    group = as_widget(make_row(*items))
    group.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return group


class VerdictBar(QWidget):
    """A bar with a segment for each verdict; the rest is not judged."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._counts: dict[str, int] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Show the number of pairs with each verdict."""
        self._counts = dict(counts)
        parts = [
            f"{format_count(n)} {verdict_name(verdict)}"
            for verdict, n in counts.items()
            if n
        ]
        describe(self, ", ".join(parts) or self.tr("Progress"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the segments, accepted pairs first."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        colours = colours_of(self)
        whole = QRectF(0, 0, self.width(), scaled(BAR_HEIGHT))
        painter.setBrush(QColor(colours.line))
        painter.drawRoundedRect(whole, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        total, x = sum(self._counts.values()), 0.0
        for verdict, share in VERDICT_SHADES.items():
            n = self._counts.get(verdict, 0)
            if n and total:
                width = max(self.width() * n / total, 2.0)
                painter.setBrush(QColor(mix(colours, "human", share, onto="line")))
                part = QRectF(x, 0, width, whole.height())
                painter.drawRoundedRect(part, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
                x += width
        painter.end()

    def sizeHint(self) -> QSize:
        """Return the size of a thin bar."""
        return QSize(200, scaled(BAR_HEIGHT))


TYPING_DELAY_MS = 400  # after the last key press
LOW_VIEW = 56 * GRID  # below this height, filters that need two lines collapse
BOUND_WIDTH, FIND_WIDTH = 64, 120


class _BoundValidator(QDoubleValidator):
    """Accepts numbers and empty text, so that Enter applies both."""

    def validate(self, text: str, index: int) -> object:
        if not text.strip():
            return QValidator.State.Acceptable, text, index
        return super().validate(text, index)


class QueueBar(QWidget):
    """A row of fields that select and order the pairs of the queue."""

    changed = Signal()  # the user changed the queue settings
    picked = Signal()  # in a list, or by Enter or Escape: the focus can return

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.order, self.which = ChoiceBox(), ChoiceBox()
        self.tag, self.candidates = ChoiceBox(), ChoiceBox()
        self.lowest, self.highest = QLineEdit(), QLineEdit()
        self.search_field = QLineEdit()
        self.filters_button = make_button(
            "", self.tr("Show or hide the tag and the scores to filter by.")
        )
        self.filters_button.setAccessibleName(self.tr("Filters"))
        self.filters_button.setCheckable(True)
        self.filters_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Space judges
        self._is_folded = self._has_candidates = False
        self._is_scored = True
        self._typing = QTimer(self, singleShot=True, interval=TYPING_DELAY_MS)
        self._typing.timeout.connect(self.changed)
        self._fill()
        self._describe()
        self._lay_out()
        self.changed.connect(self._show_filters)
        self.filters_button.toggled.connect(self._show_filters)
        self._show_filters()
        for combo in (self.order, self.which, self.tag, self.candidates):
            combo.activated.connect(self.changed)
            combo.picked.connect(self.picked)
        for line in (self.lowest, self.highest, self.search_field):
            line.textEdited.connect(self._typing.start)
            line.returnPressed.connect(self._on_return)

    def settings(self) -> QueueSettings:
        """Return the settings, without bounds that are not numbers."""
        order, is_descending = str(self.order.currentData()).split()
        return QueueSettings(
            order=cast("QueueOrder", order),
            descending=is_descending == "down",
            which=self.which.currentData(),
            tag=str(self.tag.currentData() or ""),
            lowest=_read_number(self.lowest),
            highest=_read_number(self.highest),
            find=self.search_field.text().strip(),
            with_candidates=bool(self.candidates.currentData()),
        )

    def show_settings(self, settings: QueueSettings) -> None:
        """Show settings without emitting `changed`."""
        down = "down" if settings.descending else "up"
        for combo, value in (
            (self.order, f"{settings.order} {down}"),
            (self.which, settings.which),
            (self.tag, settings.tag),
            (self.candidates, settings.with_candidates),
        ):
            combo.setCurrentIndex(max(combo.findData(value), 0))
        for line, bound in (
            (self.lowest, settings.lowest),
            (self.highest, settings.highest),
        ):
            line.setText("" if bound is None else f"{bound:g}")
        self.search_field.setText(settings.find)
        self._show_filters()

    def set_tags(self, tags: Sequence[str]) -> None:
        """Show the tags in use; the selected tag stays selected."""
        known = [self.tag.itemData(i) for i in range(1, self.tag.count())]
        if known == list(tags):
            return
        chosen = self.tag.currentData()
        self.tag.clear()
        self.tag.addItem(self.tr("any tag"), "")
        for tag in tags:
            self.tag.addItem(f"#{tag}", tag)
        self.tag.setCurrentIndex(max(self.tag.findData(chosen), 0))
        self.tag.setEnabled(bool(tags))

    def show_mining(self, mining: PairSetRow | None) -> None:
        """Show the candidate and score filters if the pair set has any."""
        self._has_candidates = mining is not None and mining.n_candidates > 0
        is_scored = mining is None or bool(mining.margin) or mining.kind == "aligned"
        self._is_scored = is_scored
        self._show_filters()
        self._fill_orders(is_scored=is_scored)

    def fit_into(self, width: int, height: int) -> None:
        """Collapse the filters in a low view if they don't fit on one line."""
        fields = [self.which, self.order, self.tag, self.search_field]
        fields += [self.candidates] if self._has_candidates else []
        fields += [self._bounds] if self._is_scored else []
        widths = [max(one.minimumWidth(), one.sizeHint().width()) for one in fields]
        wanted = sum(widths) + GRID * (len(fields) - 1)
        is_folded = wanted > width and height < scaled(LOW_VIEW)
        if is_folded != self._is_folded:
            self._is_folded = is_folded
            self._show_filters()

    def _show_filters(self) -> None:
        """Show the filters, or the button that opens them, with the number in use."""
        is_shown = not self._is_folded or self.filters_button.isChecked()
        settings = self.settings()
        n = sum(
            (
                bool(settings.tag),
                settings.with_candidates,
                (settings.lowest, settings.highest) != (None, None),
            )
        )
        words = self.tr("Filters ({n})") if n else self.tr("Filters")
        self.filters_button.setText(words.format(n=n))
        self.filters_button.setVisible(self._is_folded)
        self.tag.setVisible(is_shown)
        self.candidates.setVisible(is_shown and self._has_candidates)
        self._bounds.setVisible(is_shown and self._is_scored)

    def _fill_orders(self, *, is_scored: bool) -> None:
        """Show the orders available for the pair set."""
        orders = [
            ("score down", choice_title("score", "order")),
            ("score up", self.tr("Lowest scores first")),
            ("value down", choice_title("value", "order")),
            ("shuffled down", choice_title("shuffled", "order")),
        ]
        if not is_scored:
            orders = [("score down", self.tr("As in the package")), orders[-1]]
        self.order.clear()
        for value, words in orders:
            self.order.addItem(words, value)

    def name_flags(self, *, has_others: bool) -> None:
        """Name the filter of flagged pairs; `has_others`: others flagged pairs."""
        words = choice_title("flag", "which")
        if has_others:
            words = self.tr("Flagged by anyone")
        self.which.setItemText(self.which.findData("flag"), words)

    def _fill(self) -> None:
        self._fill_orders(is_scored=True)
        verdicts = ("accept", "reject", "flag", "skip")
        for value in ("unjudged", "all", "judged", *verdicts, "conflict"):
            self.which.addItem(choice_title(value, "which"), value)
        self.tag.addItem(self.tr("any tag"), "")
        self.tag.setEnabled(False)
        self.candidates.addItem(self.tr("pairs"), False)
        self.candidates.addItem(self.tr("pairs and candidates"), True)
        self.candidates.hide()
        for line in (self.lowest, self.highest):
            line.setValidator(_BoundValidator(line))
            set_width(line, BOUND_WIDTH, BOUND_WIDTH)
        set_width(self.search_field, FIND_WIDTH, 2 * FIND_WIDTH)
        self.search_field.setClearButtonEnabled(True)
        policy = QSizePolicy.Policy
        self.search_field.setSizePolicy(policy.Ignored, policy.Fixed)

    def _describe(self) -> None:
        self.lowest.setPlaceholderText(self.tr("min"))
        self.highest.setPlaceholderText(self.tr("max"))
        self.search_field.setPlaceholderText(self.tr("Find pairs"))
        words = self.tr(
            "The order of the queue. The most informative pairs are those that improve "
            "the suggested threshold most."
        )
        describe(self.order, self.tr("Order"), words)
        describe(
            self.which,
            self.tr("Verdict"),
            self.tr(
                "Show only pairs with this verdict. Not judged leaves out skipped and "
                "flagged pairs."
            ),
        )
        describe(self.tag, self.tr("Tag"), self.tr("Show only pairs with this tag."))
        words = self.tr(
            "Show only the pairs, or also candidates above the threshold that mining "
            "did not select."
        )
        describe(self.candidates, self.tr("Candidates"), words)
        describe(
            self.lowest,
            self.tr("Lowest score"),
            self.tr("Show only pairs with at least this score."),
        )
        describe(
            self.highest,
            self.tr("Highest score"),
            self.tr("Show only pairs with at most this score."),
        )
        words = self.tr("Show only pairs that contain this text.")
        describe(self.search_field, self.tr("Find"), words)

    def _lay_out(self) -> None:
        row = WrappingRow(line_gap=LINE_GAP)
        for combo in (self.which, self.order, self.tag, self.candidates):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for widget in (self.which, self.order, self.filters_button):
            row.addWidget(widget)
        for widget in (self.tag, self.candidates):
            row.addWidget(widget)
        # Fix the width, so that nothing moves when tags are added while judging.
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.tag.setSizeAdjustPolicy(policy)
        self.tag.setMinimumContentsLength(len(self.tr("any tag")))
        self._bounds = self._make_bounds()
        row.addWidget(_grow(self._bounds, Stretch(1), (self.search_field, 10)))
        self.setLayout(row)

    def _make_bounds(self) -> QWidget:
        bounds = QWidget()
        policy = QSizePolicy.Policy
        bounds.setSizePolicy(policy.Fixed, policy.Preferred)
        make_row(
            make_label(self.tr("score"), "secondary"),
            self.lowest,
            make_label("–", "secondary"),
            self.highest,
            parent=bounds,
        )
        return bounds

    def clear_search(self) -> None:
        """Clear the text filter."""
        self.search_field.clear()
        self._typing.stop()
        self.changed.emit()

    def _on_return(self) -> None:
        if self._typing.isActive():
            self._typing.stop()
            self.changed.emit()
        self.picked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the search with Escape, or leave the field if it is empty."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search_field.hasFocus() and self.search_field.text():
            self.clear_search()
        else:
            self.picked.emit()


def _read_number(line: QLineEdit) -> float | None:
    text = line.text().strip().replace(",", ".")
    try:
        number = float(text) if text else None
    except ValueError:
        restyle(line, "wrong", True)
        return None
    restyle(line, "wrong", False)
    return number
