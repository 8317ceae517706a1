"""Labels that show a sentence in full: plain, highlighted, or as a popup."""

import html
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.engine.store.sentences import SentenceRow
from app.languages import is_right_to_left
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ENTER_KEYS, make_label
from app.views.widgets.fonts import sentence_font
from app.views.widgets.theme import (
    QUERY_PX,
    TEXT_PX,
    colours_of,
    mix,
    scaled,
    set_text_size,
)

MAX_SHOWN = 20_000  # characters; longer texts are cut
MAX_HEIGHTS = 50  # cached heights per label


class SentenceLabel(QLabel):
    """Label with a wrapped sentence; a word longer than a line is broken.

    Its text can always be selected: a label of Qt has no setting for such breaks, only
    the document of a selectable text has one.
    """

    part_selected = Signal()  # the user has selected a part of it, or nothing

    def __init__(self, pixels: int = TEXT_PX, parent: QWidget | None = None):
        super().__init__(parent)
        self._pixels, self._language, self._is_bold = pixels, "", False
        self._heights: dict[tuple[int, str, str], int] = {}
        set_text_size(self, pixels)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_sentence(self, text: str, language: str, *, is_bold: bool = False) -> None:
        """Show a text in the font and direction of its language."""
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

    def ignore_mouse(self) -> None:
        """Pass mouse and keys to the widget below; disable selection."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def heightForWidth(self, width: int) -> int:
        """Return the height with long words broken; Qt asks many times for the same."""
        key = width, self.text(), self.font().key()
        if key not in self._heights:
            if len(self._heights) > MAX_HEIGHTS:
                self._heights.clear()
            height = super().heightForWidth(width)  # Qt resets the breaks of a new text
            if self._break_words():
                height = super().heightForWidth(width)
            self._heights[key] = height
        return self._heights[key]

    def _break_words(self) -> bool:
        """Break long words from now on; return whether they were not broken before."""
        document = self.findChild(QTextDocument)
        if document is None:  # the label is empty
            return False
        anywhere = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        option = document.defaultTextOption()
        if option.wrapMode() == anywhere:
            return False
        option.setWrapMode(anywhere)
        document.setDefaultTextOption(option)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text with long words broken.

        The height is not measured here: it would ask for another painting, for ever.
        """
        super().paintEvent(event)
        if self._break_words():
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report the selection when the mouse is released."""
        super().mouseReleaseEvent(event)
        self.part_selected.emit()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Report the selection when a key has changed it."""
        super().keyReleaseEvent(event)
        self.part_selected.emit()


class ContextLabel(QFrame):
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
        row = make_row(parent=self, gap=8, margins=(0, 2, 0, 2))
        if is_right_to_left(sentence.language):
            row.setDirection(QHBoxLayout.Direction.RightToLeft)
            number.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        row.addWidget(number, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1)
        self.setAccessibleName(sentence.text)
        if not is_current:
            text.ignore_mouse()
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.setToolTip(self.tr("Select this sentence."))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the sentence."""
        if not self._is_current:
            self.chosen.emit(self.sentence)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the sentence on Enter or Space."""
        keys = (*ENTER_KEYS, Qt.Key.Key_Space)
        if event.key() in keys and not self._is_current:
            self.chosen.emit(self.sentence)
        else:
            super().keyPressEvent(event)


Span = tuple[int, int]


class HighlightedLabel(SentenceLabel):
    """Label with marks: strong for numbers that differ, weaker for names."""

    def __init__(self, pixels: int, parent: QWidget | None = None):
        super().__init__(pixels, parent)
        self._shown: tuple[str, str, list[Span], list[Span]] = ("", "", [], [])

    @property
    def marked(self) -> list[str]:
        """The marked words."""
        text, _, *places = self._shown
        return [text[start:end] for spans in places for start, end in spans]

    def show_marked(
        self, text: str, language: str, numbers: Sequence[Span], names: Sequence[Span]
    ) -> None:
        """Show a text with marks."""
        self._shown = (text[:MAX_SHOWN], language, list(numbers), list(names))
        self._draw()

    def _draw(self) -> None:
        text, language, numbers, names = self._shown
        is_marked = bool(numbers or names)
        self.setTextFormat(
            Qt.TextFormat.RichText if is_marked else Qt.TextFormat.PlainText
        )
        self.show_sentence(text, language)
        if is_marked:
            self.setText(self._to_html(text, numbers, names))
        self.setAccessibleName(text)

    def _to_html(
        self, text: str, numbers: Sequence[Span], names: Sequence[Span]
    ) -> str:
        colours = colours_of(self)
        number = mix(colours, "warning", 0.22)
        styles = [
            *(
                (span, f"background:{number};text-decoration:underline")
                for span in numbers
            ),
            *((span, "text-decoration:underline") for span in names),
        ]
        parts, done = [], 0
        for (start, end), style in sorted(styles):
            if start < done:
                continue
            parts.append(html.escape(text[done:start]))
            words = html.escape(text[start:end])
            parts.append(f'<span style="{style}">{words}</span>')
            done = end
        parts.append(html.escape(text[done:]))
        return f'<div style="white-space:pre-wrap">{"".join(parts)}</div>'

    def changeEvent(self, event: QEvent) -> None:
        """Draw the marks in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_shown"):
            self._draw()


MAX_HEIGHT = 420
_CLOSING_KEYS = (
    Qt.Key.Key_Space,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Escape,
)


class FullTextPopup(QFrame):
    """A popup with one sentence."""

    def __init__(self, text: str, language: str, parent: QWidget):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("popup", True)
        self.setAccessibleName(text[:200])
        label = SentenceLabel(QUERY_PX)
        label.show_sentence(text, language)
        label.setContentsMargins(12, 10, 12, 10)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(label)
        make_column(area, parent=self, margins=1)
        self._label, self._over = label, parent

    def show_over(self, rect: QRect) -> None:
        """Show the popup over a rectangle of the parent, as high as the text."""
        parent = self._over
        width = max(rect.width(), 320)
        height = min(self._label.heightForWidth(width - 4) + 4, MAX_HEIGHT)
        corner = parent.mapToGlobal(rect.topLeft()) - QPoint(4, 4)
        self.setGeometry(
            QRect(corner.x(), corner.y(), width, max(height, rect.height()))
        )
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Escape and on the keys that open the popup."""
        if event.key() in _CLOSING_KEYS:
            self.close()
        else:
            super().keyPressEvent(event)
