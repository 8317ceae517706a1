"""Dialog that translates a sentence with a model of the project."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.engine.store.corpora import corpus_of
from app.engine.store.sentences import list_translations, read_sentences, sample_ids
from app.errors import ErrorInfo
from app.languages import language_name, primary_language
from app.protocol.answers.translation import SentenceTranslations
from app.protocol.queries.translation import SentenceTranslationsQuery
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import Stretch, make_column
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.corpus_choices import rank_language
from app.views.widgets.dialogs import lay_out_dialog, lay_out_field
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import SentenceText

N_EXAMPLES = 2  # examples per corpus
N_EXAMPLE_CORPORA = 3
EXAMPLE_LENGTH = 40  # approximate number of characters of an example


class TranslationsDialog(QDialog):
    """Shows a sentence in every language of a translation model.

    Attributes:
        models: the translation models of the project.
        examples: buttons with sentences.
        field: editable sentence.
        result_text: translations, one language per line.
    """

    shown = Signal()  # the newest query is answered

    def __init__(
        self, state: AppState, sentence: SentenceText, parent: QWidget, model: str = ""
    ):
        """Translate a sentence with a named model; empty: the first model."""
        super().__init__(parent)
        self._state, self._sentence = state, sentence
        self.setWindowTitle(self.tr("Translations"))
        self.models = QComboBox()
        describe(self.models, self.tr("Model"), self.tr("Choose a translation model."))
        self.models.addItems(translation_models(state))
        self.models.setCurrentIndex(max(self.models.findText(model), 0))
        self.field = QLineEdit(sentence.text)
        self.field.setCursorPosition(0)
        hint = self.tr("Type a sentence and press Enter to translate it.")
        describe(self.field, self.tr("Sentence"), hint)
        self.result_text = make_label("", wraps=True)
        self.result_text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        notice = self.tr(
            "The model translates well only sentences that resemble its training data. "
            "A translation shows what the vector of a sentence contains, and is often "
            "wrong."
        )
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(notice, "secondary", wraps=True))
        layout.addLayout(lay_out_field(self.tr("Translation model"), self.models))
        layout.addLayout(lay_out_field(self.tr("Sentence"), self._make_line()))
        self._example_title = make_label(
            self.tr("Sentences of the project with known translations"), "secondary"
        )
        self.examples: list[QPushButton] = []
        self._example_row = WrappingRow()
        layout.addWidget(self._make_results(), 1)
        row = QHBoxLayout()
        row.addStretch()
        close = make_button(
            self.tr("Close"), self.tr("Close the translations."), self.reject
        )
        close.setAutoDefault(False)  # Enter translates
        row.addWidget(close)
        layout.addLayout(row)
        self.resize(scaled(80 * GRID), min(scaled(62 * GRID), parent.height()))
        self.models.currentIndexChanged.connect(self._on_model_changed)
        self.field.textEdited.connect(self._on_edited)
        self.field.returnPressed.connect(self._ask)
        self._on_model_changed()
        self.field.setFocus()

    def _make_line(self) -> QWidget:
        """Make the sentence field and its button."""
        line = QWidget()
        translate = make_button(
            self.tr("Translate sentence"),
            self.tr("Translate this sentence (Enter)."),
            self._ask,
            kind="primary",
        )
        translate.setAutoDefault(False)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.field, 1)
        row.addWidget(translate)
        return line

    def _make_results(self) -> QScrollArea:
        """Make the scrollable area for the translations."""
        texts = QWidget()
        texts.setObjectName("scrolled")
        make_column(
            self.result_text,
            GRID,
            self._example_title,
            self._example_row,
            Stretch(1),
            parent=texts,
        )
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(texts)
        return area

    def _on_model_changed(self) -> None:
        for old in self.examples:
            self._example_row.removeWidget(old)
            old.deleteLater()
        self.examples = []
        for one in list_examples(self._state, self.models.currentText()):
            button = make_button(
                one.text,
                self.tr("Translate this sentence."),
                partial(self._use, one),
                kind="quiet",
            )
            button.setAutoDefault(False)
            button.setProperty("shape", "flush")
            self._example_row.addWidget(button)
            self.examples.append(button)
        self._example_title.setVisible(bool(self.examples))
        self._ask()

    def _use(self, sentence: SentenceText) -> None:
        self._sentence = sentence
        self.field.setText(sentence.text)
        self.field.setCursorPosition(0)
        self._ask()

    def _on_edited(self, text: str) -> None:
        self._sentence = SentenceText(text)  # language to be detected

    def _ask(self) -> None:
        """Translate the sentence with the selected model."""
        model = self.models.currentText()
        if not model:
            words = self.tr(
                "The project has no translation model. Train one in Training."
            )
            self.result_text.setText(words)
            return
        if not self._sentence.text.strip():
            self.result_text.setText(self.tr("Type a sentence to translate."))
            return
        self.result_text.setText(self.tr("Translating…"))
        query = SentenceTranslationsQuery(
            text=self._sentence.text, model=model, language=self._sentence.language
        )
        self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: SentenceTranslations | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.result_text.setText(answer.message)
                self.shown.emit()
            return
        lines = []
        for one in answer.translations:
            name = language_name(one.language)
            if one.zero_shot:
                name = self.tr("{language} (zero-shot)").format(language=name)
            lines.append(f"{name}: {one.text}")
        if any(one.zero_shot for one in answer.translations):
            lines += ["", self.tr("Zero-shot: the model did not learn this direction.")]
        self.result_text.setText("\n".join(lines))
        self.shown.emit()


def open_translations(
    state: AppState, sentence: SentenceText, parent: QWidget, model: str = ""
) -> TranslationsDialog:
    """Open the dialog; for the arguments, see `TranslationsDialog`."""
    dialog = TranslationsDialog(state, sentence, parent, model)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def list_examples(state: AppState, model: str) -> list[SentenceText]:
    """Return short sentences with links between two languages of a model."""
    project, card = state.project, state.encoders.find(model)
    if project is None or card is None:
        return []
    known = {primary_language(code) for code in card.languages}
    corpora = [one for one in project.texts if primary_language(one.language) in known]
    corpora.sort(key=lambda corpus: rank_language(corpus.language))
    ids = {corpus.id for corpus in corpora}
    found: list[SentenceText] = []
    n_corpora = 0
    for corpus in corpora:
        linked = [
            id_
            for id_, others in list_translations(
                project.store, sample_ids(corpus)
            ).items()
            if {*map(corpus_of, others)} & (ids - {corpus.id})
        ]
        rows = [row for row in read_sentences(project.store, linked) if row is not None]
        rows.sort(key=lambda row: abs(len(row.text) - EXAMPLE_LENGTH))
        found += [SentenceText(row.text, row.language) for row in rows[:N_EXAMPLES]]
        n_corpora += bool(rows)
        if n_corpora == N_EXAMPLE_CORPORA:
            break
    return found


def translation_models(state: AppState) -> list[str]:
    """Return the names of the translation models of the project."""
    return [card.name for card in state.encoders.cards if card.architecture == "bridge"]
