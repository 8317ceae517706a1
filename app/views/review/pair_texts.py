"""Source and target of a pair side by side, with context and an editor."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from app.engine.store.sentences import SentenceRow
from app.languages import language_name
from app.protocol.edits.pairs import MAX_TEXT
from app.views.review.drafts import TextDraft, find_overlong
from app.views.review.pairs import PairSide, ShownPair
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    is_ctrl_enter,
    make_button,
    make_label,
)
from app.views.widgets.hits import describe_place, join_names, name_source
from app.views.widgets.number_format import format_count
from app.views.widgets.sentence_editor import set_editor_language
from app.views.widgets.sentence_label import HighlightedLabel, SentenceLabel, Span
from app.views.widgets.theme import GRID, SENTENCE_PX, TEXT_PX, scaled
from app.views.widgets.token_strip import ScoredToken, TokenStrip

_tr = partial(QCoreApplication.translate, "PairSides")

HEADER, BEFORE, SENTENCE, STRIP, AFTER, REST = range(6)
MARGIN = 2 * GRID
MIN_TEXT_HEIGHT = 14 * GRID
EDITOR_LINES = 5
CONTEXT_LINES = 4  # maximum before a sentence
CONTEXT_SHARE = 4  # divisor: context height per card height


class TextEditor(QPlainTextEdit):
    """An editor for the text of one side."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore the keys that finish an edit, so that the page handles them."""
        if is_ctrl_enter(event) or event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


class _ContextBox(QScrollArea):
    """The end of the context before a sentence, with a fixed height.

    The height is the same for every pair, so that sentences start at the same position.
    The rest is visible by scrolling and in the tooltip.
    """

    def __init__(self, label: SentenceLabel):
        super().__init__()
        self._label = label
        page = QWidget()
        page.setObjectName("scrolled")
        column = make_column(label, parent=page)
        column.insertStretch(0, 1)
        self.setWidgetResizable(True)
        self.setWidget(page)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Reserve the scroll bar's width, so that the text keeps its own.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().rangeChanged.connect(self._show_end)

    def show_lines(self, n: int, height: int) -> None:
        """Set the height to n lines; one line would be too low for a scroll bar."""
        bar = self.verticalScrollBar()
        bar.setMaximumWidth(bar.sizeHint().width() if n > 1 else 0)
        self.setFixedHeight(height)

    def _show_end(self, _: int, last: int) -> None:
        self.verticalScrollBar().setValue(last)
        self.setToolTip(self._label.text() if last else "")


class _Column:
    """The widgets of one side; both sides share the rows of a grid."""

    def __init__(self, name: str):
        self.card = QFrame()
        self.card.setProperty("card", True)
        self.header = ElidedLabel("secondary")
        self.before, self.after = SentenceLabel(TEXT_PX), SentenceLabel(TEXT_PX)
        for label in (self.before, self.after):
            label.setProperty("role", "secondary")
            label.ignore_mouse()
        self.before_box = _ContextBox(self.before)
        self.text = HighlightedLabel(SENTENCE_PX)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.strip = TokenStrip()
        self.editor = TextEditor()
        self.editor.setTabChangesFocus(True)
        self.editor.hide()
        self._wanted_height = 0
        describe(self.editor, name, _tr("Ctrl+Enter saves both texts, Escape cancels."))

    def show(
        self, side: PairSide, numbers: Sequence[Span], names: Sequence[Span]
    ) -> None:
        self.header.setText(_describe_head(side))
        self.text.show_marked(side.text, side.language, numbers, names)
        self.text.setToolTip(_explain_marks(numbers, names))
        _show_context(self.before, side.before, side.language)
        _show_context(self.after, side.after, side.language)
        self.strip.show_pieces((), side.language)

    def begin_edit(self, side: PairSide, text: str) -> None:
        set_editor_language(self.editor, side.language, SENTENCE_PX)
        self.editor.setPlainText(text)
        self.editor.moveCursor(QTextCursor.MoveOperation.End)
        line = self.editor.fontMetrics().lineSpacing()
        self._wanted_height = max(EDITOR_LINES * line, self.text.height() + 2 * line)

    def fit_editor(self, room: int) -> None:
        """Make the editor as high as its text, up to the available height."""
        least = 2 * self.editor.fontMetrics().lineSpacing()
        self.editor.setFixedHeight(max(min(self._wanted_height, room), least))


class PairTextView(QScrollArea):
    """Two cards whose sentences start at the same height.

    Attributes:
        is_editing: whether the editors are open.
        edit_keys: the actions of the editors, with short labels.
        buttons: the editors' buttons, for a position that is always visible.
    """

    edited = Signal(str, str)  # source and target to save
    draft_changed = Signal(object, object)  # id of the pair, its TextDraft or None
    editing_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.is_editing = False
        self._was_scrolled = False  # whether the user scrolled
        self._is_outdated = False  # the pair changed after the editors were opened
        self._pair: ShownPair | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Reserve the scroll bar's width, so that the cards keep their own.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(scaled(MIN_TEXT_HEIGHT))  # longer texts scroll
        describe(self, self.tr("Pair"), self.tr("The pair to judge."))
        self.source = _Column(self.tr("Source text"))
        self.target = _Column(self.tr("Target text"))
        self.buttons = self._make_buttons()
        self.edit_keys = self._make_edit_keys()
        self._lay_out()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._show_sentence)
        # Update the layout in the same turn of the event loop.
        self._caret_timer = QTimer(self, singleShot=True, interval=0)
        self._caret_timer.timeout.connect(self._show_caret)
        bar.rangeChanged.connect(self._show_caret_soon)
        bar.actionTriggered.connect(self._on_scrolled)
        for column in (self.source, self.target):
            column.editor.textChanged.connect(self._on_text_changed)
            column.editor.cursorPositionChanged.connect(self._show_caret)

    @property
    def texts(self) -> tuple[str, str]:
        """The texts that are shown."""
        return self.source.text.accessibleName(), self.target.text.accessibleName()

    def show_pair(self, pair: ShownPair) -> None:
        """Show a pair; an open edit of the previous pair becomes a draft."""
        self.close_editors()
        is_other = self._pair is None or self._pair.id != pair.id
        self._pair = pair
        marks = pair.marks
        self.source.show(pair.source, marks.source_numbers, marks.source_names)
        self.target.show(pair.target, marks.target_numbers, marks.target_names)
        self._fit_context()
        if is_other:
            self.verticalScrollBar().setValue(0)
            self._was_scrolled = False

    def show_pieces(
        self, source: Sequence[ScoredToken], target: Sequence[ScoredToken]
    ) -> None:
        """Show the similarity of each word to the other side."""
        if self._pair is not None:
            self.source.strip.show_pieces(source, self._pair.source.language)
            self.target.strip.show_pieces(target, self._pair.target.language)

    def begin_edit(self, draft: TextDraft | None = None) -> None:
        """Open the editors, with the draft, if any; focus the target."""
        pair = self._pair
        if pair is None or self.is_editing:
            return
        texts = draft or TextDraft(None, None)
        for column, side, text in (
            (self.source, pair.source, texts.source),
            (self.target, pair.target, texts.target),
        ):
            column.begin_edit(side, side.text if text is None else text)
        self._fit_editors()
        self._set_editing(True)
        self._check()
        self.target.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._caret_timer.start()

    def check_edited_pair(self, pair: ShownPair) -> None:
        """Disable saving if the texts of the edited pair changed."""
        old = self._pair
        if old is not None and self.is_editing and old.id == pair.id:
            self._is_outdated = (old.source, old.target) != (pair.source, pair.target)
            self._check()

    def close_editors(self) -> None:
        """Close the editors; changed texts become a draft."""
        if self.is_editing:
            self._set_editing(False)
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def cancel_edit(self) -> None:
        """Close the editors and discard the changes."""
        self.close_editors()
        if self._pair is not None:
            self.draft_changed.emit(self._pair.id, None)

    def save_edit(self) -> None:
        """Send the texts and close the editors, unless they can't be saved."""
        if not self._check():
            return
        texts = self.editor_texts
        self.cancel_edit()
        self.edited.emit(*texts)

    def _on_text_changed(self) -> None:
        if not self.is_editing or self._pair is None:
            return
        self._check()
        old = (self._pair.source.text, self._pair.target.text)
        draft = TextDraft(
            *(
                None if text == before else text
                for text, before in zip(self.editor_texts, old, strict=True)
            )
        )
        self.draft_changed.emit(self._pair.id, None if draft == (None, None) else draft)

    @property
    def editor_texts(self) -> tuple[str, str]:
        """Current source and target in the editors."""
        source, target = (
            " ".join(column.editor.toPlainText().split())
            for column in (self.source, self.target)
        )
        return source, target

    def _check(self) -> bool:
        """Show why the texts can't be saved, and return whether they can."""
        source, target = self.editor_texts
        texts = {self.tr("Source text"): source, self.tr("Target text"): target}
        found, problem = find_overlong(texts), ""
        if found is not None:
            words = self.tr(
                "{name}: {n} characters. Shorten it to {most} or fewer to save it."
            )
            n, most = format_count(found[1]), format_count(MAX_TEXT)
            problem = words.format(name=found[0], n=n, most=most)
        if self._is_outdated:
            problem = self.tr("The pair changed meanwhile. Cancel, and edit it again.")
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.save_button.setEnabled(not problem)
        return not problem

    def _fit_context(self) -> None:
        """Set the height of the context before a sentence to a share of the card's."""
        line = max(
            column.before.fontMetrics().lineSpacing()
            for column in (self.source, self.target)
        )
        n = min(self.viewport().height() // (CONTEXT_SHARE * line), CONTEXT_LINES)
        for column in (self.source, self.target):
            column.before_box.show_lines(n, n * line)

    def _fit_editors(self) -> None:
        room = self.viewport().height() - self.source.header.height() - 3 * GRID
        for column in (self.source, self.target):
            column.fit_editor(room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the context and the editors to the new height."""
        super().resizeEvent(event)
        self._fit_context()
        if self.is_editing:
            self._fit_editors()
            self._caret_timer.start()

    def _on_scrolled(self) -> None:
        self._was_scrolled = True

    def _show_sentence(self) -> None:
        """Scroll past the context if the sentence would not fit otherwise."""
        if not self._was_scrolled and not self.is_editing:
            cells = [
                cell.geometry()
                for column in (self.source, self.target)
                if (cell := column.text.parentWidget()) is not None
            ]
            hidden = max(cell.bottom() for cell in cells) - self.viewport().height()
            top = min(cell.top() for cell in cells)
            self.verticalScrollBar().setValue(min(max(0, hidden), top))

    def _show_caret_soon(self) -> None:
        self._caret_timer.start()

    def _show_caret(self) -> None:
        """Scroll to the focused editor and its cursor."""
        content, editor = self.widget(), self.window().focusWidget()
        if not self.is_editing or content is None:
            return
        if isinstance(editor, TextEditor):
            place = editor.mapTo(content, editor.rect().center())
            height = editor.height()
            if height > self.viewport().height():
                caret = editor.cursorRect()
                place = editor.viewport().mapTo(content, caret.center())
                height = 2 * caret.height()
            self.ensureVisible(place.x(), place.y(), GRID, height // 2)

    def _reset_texts(self) -> None:
        """Fill in both texts as imported."""
        if self._pair is not None:
            self.source.editor.setPlainText(self._pair.source.imported)
            self.target.editor.setPlainText(self._pair.target.imported)

    def end_edit(self, event: QKeyEvent) -> bool:
        """Save on Ctrl+Enter, cancel on Escape; return whether the key was handled."""
        if self.is_editing and is_ctrl_enter(event):
            self.save_edit()
        elif self.is_editing and event.key() == Qt.Key.Key_Escape:
            self.cancel_edit()
        else:
            return False
        return True

    def _set_editing(self, is_editing: bool) -> None:
        self.is_editing, self._is_outdated = is_editing, False
        for column in (self.source, self.target):
            column.editor.setVisible(is_editing)
            column.text.setHidden(is_editing)
            column.strip.setHidden(is_editing)
        self.buttons.setVisible(is_editing)
        for action, _ in self.edit_keys:
            action.setEnabled(is_editing)
        self.editing_changed.emit(is_editing)

    # --- construction ---

    def _make_edit_keys(self) -> list[tuple[QAction, str]]:
        """Make the editors' actions with short labels; the page handles the keys."""
        keys = []
        for text, hint, slot, key, words in (
            (
                self.tr("Save texts"),
                self.tr("Save both texts of this pair."),
                self.save_edit,
                "Ctrl+Enter",
                self.tr("save"),
            ),
            (
                self.tr("Cancel"),
                self.tr("Discard the changes."),
                self.cancel_edit,
                "Esc",
                self.tr("cancel"),
            ),
        ):
            action = QAction(text, self)
            action.setShortcut(key)
            action.setStatusTip(hint)
            action.setEnabled(False)
            action.triggered.connect(slot)
            keys.append((action, words))
        return keys

    def _make_buttons(self) -> QWidget:
        self.save_button = make_button(
            self.tr("Save texts"),
            self.tr(
                "Save both texts of this pair (Ctrl+Enter). The corpora do not change."
            ),
            self.save_edit,
            kind="primary",
        )
        reset = make_button(
            self.tr("Reset texts"),
            self.tr("Fill in both texts as imported."),
            self._reset_texts,
        )
        cancel = make_button(
            self.tr("Cancel"),
            self.tr("Discard the changes (Escape)."),
            self.cancel_edit,
        )
        self.problem = make_label("", "warning", wraps=True)
        box = QWidget()
        column = make_column(parent=box)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for button in (self.save_button, reset, cancel):
            row.addWidget(button)
        row.addStretch()
        column.addWidget(self.problem)
        column.addLayout(row)
        box.hide()
        return box

    def _lay_out(self) -> None:
        content = QWidget()
        content.setObjectName("scrolled")
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(0)
        for index, column in enumerate((self.source, self.target)):
            grid.setColumnStretch(index, 1)
            grid.addWidget(column.card, HEADER, index, REST + 1, 1)
            for row, widget, margins in (
                (HEADER, column.header, (MARGIN, GRID + 6, MARGIN, 0)),
                (BEFORE, column.before_box, (MARGIN, GRID, MARGIN, 6)),
                (SENTENCE, column.text, (MARGIN, 2, MARGIN, 4)),
                (SENTENCE, column.editor, (MARGIN, 0, MARGIN, 0)),
                (STRIP, column.strip, (MARGIN, 6, MARGIN, 8)),
                (AFTER, column.after, (MARGIN, 6, MARGIN, 2 * GRID)),
            ):
                cell = _add_margins(widget, margins)
                grid.addWidget(cell, row, index, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(REST, 1)
        content.setMinimumHeight(1)  # otherwise wrapped lines are too high
        self.setWidget(content)
        # Editing starts in the target.
        QWidget.setTabOrder(self.target.editor, self.source.editor)


def _add_margins(widget: QWidget, margins: tuple[int, int, int, int]) -> QWidget:
    """Add a widget to a cell with margins; a hidden widget takes no space."""
    cell = QWidget()
    layout = QHBoxLayout(cell)
    layout.setContentsMargins(*margins)
    layout.addWidget(widget)
    return cell


def _show_context(label: QLabel, around: Sequence[SentenceRow], language: str) -> None:
    assert isinstance(label, SentenceLabel)
    label.show_sentence("\n".join(row.text for row in around), language)
    label.setAccessibleName(label.text())


def _explain_marks(numbers: Sequence[Span], names: Sequence[Span]) -> str:
    """Explain the underlined words of a text; empty if there are none."""
    parts = []
    if numbers:
        parts.append(_tr("Underlined and coloured: numbers that the other text lacks."))
    if names:
        parts.append(_tr("Underlined: names that the other text may lack. Check them."))
    return "\n".join(parts)


def _describe_head(side: PairSide) -> str:
    corpus = side.corpus or _tr("a deleted corpus")
    name = join_names(language_name(side.language), corpus)
    name = name_source(name, side.document)
    parts = [describe_place(name, side.line) if side.line else name]
    if side.is_swapped:
        parts.append(_tr("runner-up swapped in"))
    if side.is_edited:
        parts.append(_tr("edited"))
    return " · ".join(parts)
