"""The dialog that translates a sentence with a model of the project."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.translation import SentenceTranslations
from app.protocol.queries.translation import SentenceTranslationsQuery
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import lay_out_dialog, lay_out_field
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import SentenceText


class TranslationsDialog(QDialog):
    """Shows a sentence in every language of a translation model.

    Attributes:
        models: the translation models of the project.
        result_text: the translations, one language a line.
    """

    shown = Signal()  # the newest question is answered

    def __init__(self, state: AppState, sentence: SentenceText, parent: QWidget):
        super().__init__(parent)
        self._state, self._sentence = state, sentence
        self.setWindowTitle(self.tr("Translations"))
        self.models = QComboBox()
        describe(self.models, self.tr("Model"), self.tr("Choose a translation model."))
        self.models.addItems(translation_models(state))
        self.result_text = make_label("", wraps=True)
        layout = lay_out_dialog(self)
        layout.addLayout(lay_out_field(self.tr("Translation model"), self.models))
        layout.addWidget(self._make_texts(), 1)
        warning = self.tr(
            "Output of a small model. It shows what the vector contains, and is "
            "often wrong."
        )
        layout.addWidget(make_label(warning, "secondary", wraps=True))
        row = QHBoxLayout()
        row.addStretch()
        close = make_button(
            self.tr("Close"), self.tr("Close the translations."), self.reject
        )
        close.setDefault(True)
        row.addWidget(close)
        layout.addLayout(row)
        self.resize(scaled(70 * GRID), min(scaled(44 * GRID), parent.height()))
        self.models.currentIndexChanged.connect(self._ask)
        self._ask()

    def _make_texts(self) -> QScrollArea:
        """Make the sentence and its translations, which may be long."""
        texts = QWidget()
        texts.setObjectName("scrolled")
        column = QVBoxLayout(texts)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * GRID)
        column.addWidget(make_label(self._sentence.text, "heading", wraps=True))
        column.addWidget(self.result_text)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(texts)
        return area

    def _ask(self) -> None:
        """Translate the sentence with the selected model."""
        model = self.models.currentText()
        if not model:
            words = self.tr(
                "The project has no translation model. Train one in Training."
            )
            self.result_text.setText(words)
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
        self.result_text.setText("\n".join(lines))
        self.shown.emit()


def translation_models(state: AppState) -> list[str]:
    """Return the names of the translation models of the project."""
    return [card.name for card in state.encoders.cards if card.architecture == "bridge"]
