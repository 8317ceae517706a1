"""The head of the concordance: query, way of matching, where, order, neighbours."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.views.concordance_question import ConcordanceQuestion
from app.views.corpus_choices import (
    chip_choices,
    chips_of_ids,
    ids_of_chips,
    language_choices,
)
from app.views.icons import themed_icon
from app.views.line_neighbours import MAX_LANGUAGES
from app.views.project_reader import ProjectReader
from app.views.theme import GRID, tokens_of
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    describe,
    make_label,
    make_tool_button,
    restyle,
)
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.language_menu import LanguageMenu
from app.views.widgets.query_field import QueryField
from app.views.widgets.sort_bar import SortBar

MOST_CHARACTERS = 1_000  # of a query, as the engine takes it


class ConcordanceBar(QWidget):
    """What is asked, and how its lines are shown."""

    asked = Signal()  # Enter, another way of matching, a filter or an order

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QueryField(self)
        self.field.setMaxLength(MOST_CHARACTERS)
        self.field.setToolTip(
            self.tr("Type words or an expression, then Enter; Enter again: the lines.")
        )
        self.languages = Chips(self.tr("All languages"), self)
        self.corpora = Chips(self.tr("All corpora"), self)
        self.near = LanguageMenu(
            self.tr("Nearest in"),
            self.tr("Show the nearest sentence in up to three languages below a line."),
            MAX_LANGUAGES,
        )
        self.sort = SortBar(self)
        self.words, self.regex = self._make_modes()
        self.case = self._make_chip(
            self.tr("Aa"), self.tr("Tell capitals from small letters (Ctrl+U).")
        )
        describe(self.case, self.tr("Tell capitals from small letters"))
        self.error = make_label("", "warning", wraps=True)
        self.error.hide()
        self.count = ElidedLabel("secondary")
        self._tools = QHBoxLayout()
        self._lay_out()
        self._connect()
        self._show_mode()

    # --- what the view gives ---

    def set_actions(self, back: QAction, forward: QAction, syntax: QAction) -> None:
        """Put the view's actions beside the query."""
        self._icons = {"back": back, "forward": forward}
        for action in (back, forward):
            self._tools.addWidget(make_tool_button(action))
        button = make_tool_button(syntax)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._first.addWidget(button)
        self.show_theme()

    def add_tools(self, widget: QWidget) -> None:
        """Put a widget at the end of the line with the count."""
        policy = QSizePolicy.Policy
        widget.setSizePolicy(policy.Maximum, policy.Fixed)  # at the end of the line
        self._last.addWidget(widget, 2)

    def show_theme(self) -> None:
        """Draw the icons in the colours in use."""
        self.field.show_theme()
        for name, action in self._icons.items():
            action.setIcon(themed_icon(name, tokens_of(self)))

    def show_corpora(self, project: ProjectReader | None) -> None:
        """Offer the languages, corpora and sub-corpora of the project."""
        named = language_choices(project.corpora if project is not None else [])
        self.languages.set_choices(named)
        self.near.set_choices(named)
        wanted = chip_choices(project)
        self.corpora.set_choices(wanted)
        self.languages.setVisible(len(named) > 1)
        self.corpora.setVisible(len(wanted) > len(named))
        self.near.setVisible(len(named) > 1)

    # --- the question ---

    def question(self) -> ConcordanceQuestion:
        """Give the question as it stands in the bar."""
        chosen = ids_of_chips(self.corpora.chosen)
        return ConcordanceQuestion(
            text=self.field.text(),
            mode="regex" if self.regex.isChecked() else "words",
            case=self.case.isChecked(),
            corpora=chosen.corpora,
            subcorpora=chosen.subcorpora,
            languages=self.languages.chosen,
            sort=self.sort.sort,
        )

    def show_question(self, question: ConcordanceQuestion) -> None:
        """Show a question without asking it."""
        self.field.show_query(question.text, None)
        (self.regex if question.mode == "regex" else self.words).setChecked(True)
        self.case.setChecked(question.case)
        self.sort.show_sort(question.sort)
        for chips, keys in (
            (self.languages, question.languages),
            (self.corpora, chips_of_ids(question.corpora, question.subcorpora)),
        ):
            chips.blockSignals(True)
            chips.choose(keys)
            chips.blockSignals(False)
        self._show_mode()

    def switch_mode(self) -> None:
        """Take a regular expression instead of words, or the other way round."""
        (self.words if self.regex.isChecked() else self.regex).click()

    def say(self, text: str) -> None:
        """Say how many hits there are, or what is being done."""
        self.count.setText(text)

    def show_error(self, text: str) -> None:
        """Say below the query what is wrong with it; empty: nothing is."""
        self.error.setText(text)
        self.error.setVisible(bool(text))
        restyle(self.field, "wrong", bool(text))

    # --- private ---

    def _make_modes(self) -> tuple[QPushButton, QPushButton]:
        group = QButtonGroup(self)
        buttons = []
        for text, hint in (
            (self.tr("Words"), self.tr("Words, a phrase, haus*, lemma:go (Ctrl+M).")),
            (self.tr("Regex"), self.tr("A regular expression over the text (Ctrl+M).")),
        ):
            button = self._make_chip(text, hint)
            group.addButton(button)
            buttons.append(button)
        buttons[0].setChecked(True)
        return buttons[0], buttons[1]

    def _make_chip(self, text: str, hint: str) -> QPushButton:
        button = QPushButton(text)
        button.setCheckable(True)
        button.setProperty("chip", True)
        describe(button, text, hint)
        button.clicked.connect(self._on_asked)
        return button

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._on_asked)
        self.languages.changed.connect(self._on_asked)
        self.corpora.changed.connect(self._on_asked)
        self.sort.changed.connect(self._on_asked)

    def _on_asked(self) -> None:
        self._show_mode()
        self.asked.emit()

    def _show_mode(self) -> None:
        words = self.tr("Type a word, a phrase, haus*, *ung or lemma:go, then Enter")
        if self.regex.isChecked():
            words = self.tr("Type a regular expression, then Enter")
        self.field.setPlaceholderText(words)

    def _lay_out(self) -> None:
        self._first = QHBoxLayout()
        self._first.setSpacing(GRID)
        self._tools.setSpacing(2)
        self._first.addLayout(self._tools)
        self._first.addWidget(self.field, 1)
        ways = QHBoxLayout()
        ways.setSpacing(6)
        ways.addWidget(self.languages, 1)
        for button in (self.words, self.regex, self.case):
            ways.addWidget(button)
        self.sort.add_end(self.near)
        self._last = QHBoxLayout()
        self._last.setSpacing(GRID)
        self._last.addWidget(self.count, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, GRID, 0)
        layout.setSpacing(GRID)
        for row in (self._first, self.error, ways, self.corpora, self.sort, self._last):
            if isinstance(row, QWidget):
                layout.addWidget(row)
            else:
                layout.addLayout(row)
