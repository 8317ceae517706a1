"""Attribution dialog: compares two sentences token by token."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSlider,
    QWidget,
)

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.number_format import format_score
from app.protocol.answers.attribution import Side, TokensAnswer
from app.protocol.queries.attribution import TokensQuery
from app.views.attribution.model import TokenComparison, without_word_parts
from app.views.client.state import AppState
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.controls import describe, make_button, make_label, make_rule
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.encoder_button import describe_encoder
from app.views.widgets.heat_map import EMPTY_HEAT_MAP, HeatMap
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.text_layout import direction_language
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.token_strip import TokenStrip
from app.views.widgets.view_protocol import (
    SentencePairProvider,
    SentencePairScorer,
    SentenceText,
)

SIZE = (112 * GRID, 96 * GRID)
REQUESTER = "attribution"
MAX_LINES = 6  # lines of tokens
SLIDER_WIDTH = 12 * GRID
SIDES: tuple[Side, Side] = ("first", "second")


class AttributionDialog(QDialog):
    """Two sentences, each with its token scores below, and a heat map.

    Attributes:
        comparison: displayed comparison; None before an answer and after an error.
    """

    shown = Signal()  # the newest query is answered

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Attribution"))
        fit_dialog(self, *SIZE)
        self.comparison: TokenComparison | None = None
        self._state = state
        self._languages = ["", ""]
        self._given = (SentenceText(), SentenceText())
        self._make_parts()
        self._lay_out()
        self.fields[0].setFocus()
        state.encoders.changed.connect(self._offer_encoders)
        self._offer_encoders()

    def compare(self, first: SentenceText, second: SentenceText) -> None:
        """Compare two sentences; an empty sentence can be typed."""
        self._given = (first, second)
        for field, one in zip(self.fields, (first, second), strict=True):
            field.setText(one.text)
        self.ask()

    def ask(self) -> None:
        """Compare the sentences in the fields."""
        texts = [field.text().strip() for field in self.fields]
        if not texts[0]:
            self._show_message(
                self.tr("Type a sentence, and another one to compare it with.")
            )
            self.fields[0].setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._languages = [
            given.language if given.text.strip() == text else direction_language(text)
            for given, text in zip(self._given, texts, strict=True)
        ]
        if not texts[1]:
            self._languages[1] = self._languages[0]
        query = TokensQuery(
            first=texts[0],
            second=texts[1],
            encoder=self.encoder.currentText(),
            requester=REQUESTER,
        )
        self._state.ask(query, partial(self._on_answer, query))

    # --- layout ---

    def _make_parts(self) -> None:
        self.fields = [
            self._make_field(self.tr("First sentence"), self.tr("Type a sentence.")),
            self._make_field(
                self.tr("Second sentence"),
                self.tr(
                    "Type another sentence, or leave this empty to compare the first "
                    "with itself."
                ),
            ),
        ]
        self.strips = [TokenStrip(), TokenStrip()]
        for strip in self.strips:
            strip.max_lines = MAX_LINES
        self.sums = [make_label("", "secondary"), make_label("", "secondary")]
        self.cosine = make_label("", "heading")
        self.encoder = self._make_choice(self.tr("Encoder of this comparison"))
        self.encoder.activated.connect(self.ask)
        self.what = self._make_choice(self.tr("What the bars show"))
        self.map_choice = self._make_choice(self.tr("What the heat map shows"))
        self._make_slider()
        self.what.currentIndexChanged.connect(self._show_strips)
        self.map_choice.currentIndexChanged.connect(self._on_map_chosen)
        self.head_slider.valueChanged.connect(self._on_head_moved)
        self.map = HeatMap(self.tr("Heat map of tokens"))
        self.map.pointed_changed.connect(self._describe_map)
        self.map_text = make_label("", "secondary")
        self.how = make_label("", "secondary", wraps=True)
        title = self.tr("Attribution")
        self.file = PlotExporter(self._state, self.map, title, self.map.table)

    def _make_field(self, name: str, hint: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(hint)
        describe(field, name, hint)
        return field

    def _make_choice(self, name: str) -> QComboBox:
        choice = QComboBox()
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(choice, name)
        return choice

    def _make_slider(self) -> None:
        self.head_slider = QSlider(Qt.Orientation.Horizontal)
        self.head_slider.setMinimumWidth(scaled(SLIDER_WIDTH))
        self.head_slider.setPageStep(1)
        hint = self.tr("Move through the heads. At the left end: all heads.")
        describe(self.head_slider, self.tr("Head"), hint)
        self.head_text = make_label("", "secondary")
        widest = self.tr("Mean of all heads")
        metrics = self.head_text.fontMetrics()
        self.head_text.setMinimumWidth(metrics.horizontalAdvance(widest))

    def _lay_out(self) -> None:
        layout = lay_out_dialog(self)
        layout.addLayout(self._make_head())
        sentences = make_column(gap=GRID // 2)
        for field, strip, total in zip(
            self.fields, self.strips, self.sums, strict=True
        ):
            for widget in (field, strip, total):
                sentences.addWidget(widget)
        layout.addLayout(sentences)
        layout.addWidget(make_rule())
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(as_widget(make_column(self.how, (self.map, 1))))
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.choices = as_widget(self._make_bar())
        bottom = make_column(self.choices, (area, 1), self.map_text)
        layout.addLayout(bottom, 1)
        self.choices.hide()

    def _make_head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.cosine)
        head.addWidget(self.encoder)  # encoder of this cosine
        head.addStretch()
        compare = make_button(
            self.tr("Compare sentences"),
            self.tr("Compare the two sentences."),
            self.ask,
            kind="primary",
        )
        compare.setDefault(True)
        head.addWidget(compare)
        return head

    def _make_bar(self) -> QGridLayout:
        bar = QGridLayout()
        bar.setSpacing(GRID)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.addWidget(make_label(self.tr("Bars"), "secondary"), 0, 0)
        bar.addWidget(self.what, 0, 1)
        bar.addWidget(make_label(self.tr("Map"), "secondary"), 0, 2)
        bar.addWidget(self.map_choice, 0, 3)
        bar.addWidget(self.head_slider, 0, 4)
        bar.addWidget(self.head_text, 0, 5)
        bar.setColumnStretch(6, 1)
        bar.addWidget(self.file.make_menu(), 0, 7)
        return bar

    # --- display ---

    def _offer_encoders(self) -> None:
        """List the encoders; until the user selects one, select the encoder in use."""
        store = self._state.encoders
        selected = self.encoder.currentText() or store.chosen
        self.encoder.clear()
        for card in store.cards:
            self.encoder.addItem(card.name)
            hint = describe_encoder(card)
            last = self.encoder.count() - 1
            self.encoder.setItemData(last, hint, Qt.ItemDataRole.ToolTipRole)
        self.encoder.setCurrentText(selected)
        self.encoder.setVisible(self.encoder.count() > 0)

    def _on_answer(self, query: TokensQuery, answer: TokensAnswer | ErrorInfo) -> None:
        project = self._state.project
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._show_message(answer.message)
                self.shown.emit()
            return
        if project is None:
            return
        matrices = np.array(map_array(project.folder / answer.file))
        self.comparison = TokenComparison(answer, matrices)
        self.choices.show()
        self._show_words()
        self._fill_choices()
        self._show_strips()
        self._on_map_chosen()
        self.shown.emit()

    def _show_message(self, text: str) -> None:
        """Show a message instead of a comparison."""
        self.comparison = None
        self.choices.hide()
        self.cosine.setText("")
        self.how.setText(text)
        self.map.show_heat(EMPTY_HEAT_MAP)
        for strip, total in zip(self.strips, self.sums, strict=True):
            strip.show_pieces((), "")
            total.setText("")

    def _show_words(self) -> None:
        if self.comparison is None:
            return
        answer = self.comparison.answer
        words = self.tr("Cosine {value}")
        self.cosine.setText(words.format(value=format_score(answer.cosine)))
        self.how.setText(" ".join([*answer.how, *answer.notes]))

    def _fill_choices(self) -> None:
        """Offer the scores and matrices of the encoder."""
        assert self.comparison is not None
        offers: list[tuple[str, object]] = []
        if self.comparison.has_contributions:
            offers.append((self.tr("Contribution to the cosine"), "contribution"))
        if self.comparison.has_wins:
            offers.append((self.tr("Share of the maximum"), "wins"))
        offers.append((self.tr("Cosine with the most similar token"), "similarity"))
        if self.comparison.has_attention:
            offers.append((self.tr("Attention of the selected head"), "attention"))
        _fill(self.what, offers)
        maps = [(choice.title, choice) for choice in self.comparison.choices()]
        _fill(self.map_choice, maps)

    def _show_strips(self) -> None:
        what = self.what.currentData()
        if self.comparison is None or what is None:
            return
        head = self._bars_head()
        scale = 1.0 if what == "similarity" else self.comparison.scale(what, head)
        words = {
            "contribution": self.tr("{text} contributes {value} to the cosine"),
            "wins": self.tr("{text} has {value} of the dimensions"),
            "similarity": self.tr("{text}: cosine {value} with the most similar token"),
            "attention": self.tr("{text} has a weight of {value}"),
        }[what]
        for index, side in enumerate(SIDES):
            pieces = without_word_parts(self.comparison.pieces(side, what, head))
            language = self._languages[index]
            self.strips[index].show_pieces(pieces, language, scale=scale, words=words)
            is_sum = what == "contribution"
            self.sums[index].setText(self.comparison.sum_up(side) if is_sum else "")
            self.sums[index].setVisible(is_sum)

    def _on_map_chosen(self) -> None:
        """Offer the heads of the chosen layer."""
        choice = self.map_choice.currentData()
        if self.comparison is None or choice is None:
            return
        self.head_slider.blockSignals(True)
        self.head_slider.setMaximum(choice.n_heads)
        self.head_slider.blockSignals(False)
        self.head_slider.setVisible(choice.n_heads > 0)
        self.head_text.setVisible(choice.n_heads > 0)
        self._on_head_moved()

    def _on_head_moved(self) -> None:
        """Show the head at the slider's position, or the mean of all heads."""
        choice = self.map_choice.currentData()
        if self.comparison is None or choice is None:
            return
        head, words = self.head_slider.value(), self.tr("Head {n} of {total}")
        if not head:
            is_mean = not choice.rows_are_heads
            words = self.tr("Mean of all heads") if is_mean else self.tr("All heads")
        self.head_text.setText(words.format(n=head, total=choice.n_heads))
        self._show_map()
        if self.what.currentData() == "attention":
            self._show_strips()

    def _bars_head(self) -> int:
        """Return the attention head for the bars; 0: mean of all heads."""
        choice = self.map_choice.currentData()
        is_shared = choice is not None and choice.rows_are_heads
        return self.head_slider.value() if is_shared else 0

    def _show_map(self) -> None:
        choice = self.map_choice.currentData()
        if self.comparison is None or choice is None:
            return
        head = self.head_slider.value()
        self.map.show_heat(self.comparison.heat(choice, head, self._languages))
        if choice.rows_are_heads and head:
            self.map.mark_row(head - 1)
        self._describe_map()

    def _describe_map(self) -> None:
        """Describe the value under the mouse, or how to read a value."""
        text = self.map.cursor_text()
        choice = self.map_choice.currentData()
        if not text and self.comparison is not None and choice is not None:
            head = self.head_slider.value()
            entropy = self.comparison.entropy(choice, head)
            text = self.tr("Point at a cell to see its value.")
            if entropy is not None:
                words = self.tr("Average entropy of a row: {value} nats.")
                if choice.rows_are_heads and head:
                    words = self.tr("Entropy of this head: {value} nats.")
                text = f"{words.format(value=f'{entropy:.2f}')} {text}"
        self.map_text.setText(text)


def open_attribution(
    state: AppState, view: object, parent: QWidget
) -> AttributionDialog:
    """Open the dialog with the two sentences of a view, or empty."""
    dialog = AttributionDialog(state, parent)
    given = (SentenceText(), SentenceText())
    if isinstance(view, SentencePairProvider):
        given = view.compared_sentences()
    if isinstance(view, SentencePairScorer):
        dialog.encoder.setCurrentText(view.scoring_encoder() or state.encoders.chosen)
    dialog.open()
    dialog.compare(*given)
    return dialog


def _fill(choice: QComboBox, offers: Sequence[tuple[str, object]]) -> None:
    """Replace the items, and keep the selection if the item still exists."""
    before = choice.currentText()
    choice.blockSignals(True)
    choice.clear()
    for words, value in offers:
        choice.addItem(words, value)
    choice.setCurrentIndex(max(choice.findText(before), 0))
    choice.blockSignals(False)
