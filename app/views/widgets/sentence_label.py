"""Labels that show a sentence whole: its direction, its script's font, selectable."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.engine.store.rows import SentenceRow
from app.languages import is_right_to_left
from app.views.fonts import sentence_font
from app.views.theme import TEXT_PX, scaled
from app.views.widgets.controls import make_label

MAX_SHOWN = 20_000  # characters; a whole book in one line is cut here


class SentenceLabel(QLabel):
    """A sentence, wrapped."""

    def __init__(self, pixels: int = TEXT_PX, parent: QWidget | None = None):
        super().__init__(parent)
        self._pixels, self._language, self._is_bold = pixels, "", False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_sentence(self, text: str, language: str, *, is_bold: bool = False) -> None:
        """Show a text as its language is set."""
        self._language, self._is_bold = language, is_bold
        self._set_font()
        is_mirrored = is_right_to_left(language)
        direction = Qt.LayoutDirection
        self.setLayoutDirection(
            direction.RightToLeft if is_mirrored else direction.LeftToRight
        )
        self.setAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop)
        self.setText(text[:MAX_SHOWN])

    def _set_font(self) -> None:
        font = sentence_font(QFont(self.window().font()), self._language)
        font.setPixelSize(scaled(self._pixels))
        font.setBold(self._is_bold)
        self.setFont(font)

    def changeEvent(self, event: QEvent) -> None:
        """Write as large as texts are when their size is changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.text():
            self._set_font()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with a size that was changed before the label was ever seen."""
        super().showEvent(event)
        if self.text():
            self._set_font()


class ContextLine(QFrame):
    """A sentence of the context with its line's number; a click selects it."""

    chosen = Signal(object)  # SentenceRow

    def __init__(
        self, sentence: SentenceRow, *, is_current: bool, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self.sentence = sentence
        self._is_current = is_current
        number = make_label(f"{sentence.line:,}", "secondary")
        number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        number.setMinimumWidth(scaled(28))
        text = SentenceLabel()
        text.show_sentence(sentence.text, sentence.language, is_bold=is_current)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        if is_right_to_left(sentence.language):
            row.setDirection(QHBoxLayout.Direction.RightToLeft)
            number.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        row.addWidget(number, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1)
        self.setAccessibleName(sentence.text)
        if not is_current:
            text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.setToolTip(self.tr("Select this sentence."))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the sentence."""
        if not self._is_current:
            self.chosen.emit(self.sentence)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the sentence by Enter or Space."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and not self._is_current:
            self.chosen.emit(self.sentence)
        else:
            super().keyPressEvent(event)
