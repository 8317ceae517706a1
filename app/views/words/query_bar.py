"""Query bar of the words view: list type, word, scope and options."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.dictionaries import DictionaryRow, list_dictionaries
from app.views.widgets.chips import Chips
from app.views.widgets.controls import ElidedLabel, describe, make_label, restyle
from app.views.widgets.corpus_choices import (
    chip_choices,
    chips_of_ids,
    ids_of_chips,
    language_choices,
)
from app.views.widgets.query_field import QueryField
from app.views.widgets.theme import GRID
from app.views.words.options import WordsOptions
from app.views.words.settings import PAGES, PageName, WordListSettings

if TYPE_CHECKING:
    from app.engine.store.dictionaries import DictionaryRow
    from app.engine.store.pairs.sets import PairSetRow
    from app.views.client.project_reader import ProjectReader


class WordsQueryBar(QWidget):
    """What is asked.

    Attributes:
        pages: a button for each list.
        field: the word, or what frequencies are narrowed to.
        languages, corpora: where; none taken means all.
        against: what keyness compares with.
        options: how it is counted.
    """

    asked = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._question = WordListSettings()
        self._is_shown_only = False
        self._has_many = (False, False)  # languages, corpora to choose among
        self.pages = self._make_pages()
        self.field = QueryField(self)
        self.languages = Chips(self.tr("All languages"), self)
        self.corpora = Chips(self.tr("All corpora"), self)
        self.against = Chips(self.tr("Nothing yet"), self)
        self.options = WordsOptions(self)
        self.error = make_label("", "warning", wraps=True)
        self.error.hide()
        self.count = ElidedLabel("secondary")
        self._lay_out()
        self.field.returnPressed.connect(self._on_changed)
        for part in (self.languages, self.corpora, self.against, self.options):
            part.changed.connect(self._on_changed)
        self._show_page()

    # --- what the view gives ---

    def add_tools(self, widget: QWidget) -> None:
        """Put a widget at the end of the line with the count."""
        policy = QSizePolicy.Policy
        widget.setSizePolicy(policy.Maximum, policy.Fixed)  # at the end of the line
        self._last.addWidget(widget, 2)

    def show_theme(self) -> None:
        """Draw the icons in the colours in use."""
        self.field.show_theme()

    def show_corpora(self, project: "ProjectReader") -> None:
        """Offer the languages, corpora and sub-corpora of the project."""
        named = language_choices(project.corpora)
        wanted = chip_choices(project)
        self._is_shown_only = True
        self.languages.set_choices(named)
        self.corpora.set_choices(wanted)
        self.against.set_choices(wanted)
        self.options.show_languages(named)
        self._is_shown_only = False
        self._has_many = (len(named) > 1, len(wanted) > len(named))
        self._show_page()

    def show_pairs(self, minings: "Sequence[PairSetRow]") -> None:
        """Offer the sets of pairs of the project."""
        self.options.show_pairs([(row.id, row.name) for row in minings])

    def show_dictionaries(self, rows: "Sequence[DictionaryRow]") -> None:
        """Offer the dictionaries of the project."""
        self.options.show_dictionaries([(row.id, row.name) for row in rows])

    # --- the question ---

    def question(self) -> WordListSettings:
        """Return the question as it stands in the bar."""
        page, text = self.page, self.field.text()
        corpora, parts = ids_of_chips(self.corpora.chosen)
        against, against_parts = ids_of_chips(self.against.chosen)
        values: dict[str, Any] = {
            **self.options.values(),
            "page": page,
            "corpora": corpora,
            "subcorpora": parts,
            "languages": self.languages.chosen,
            "against": against,
            "against_parts": against_parts,
            "find" if page == "frequencies" else "text": text,
        }
        return msgspec.structs.replace(self._question, **values)

    @property
    def page(self) -> PageName:
        """The list that is asked for."""
        return PAGES[max(self.pages.checkedId(), 0)]

    def show_question(self, question: WordListSettings) -> None:
        """Show a question without asking it."""
        self._question = question
        self._is_shown_only = True
        self.pages.button(PAGES.index(question.page)).setChecked(True)
        own = question.find if question.page == "frequencies" else question.text
        self.field.show_query(own, None)
        self.languages.choose(question.languages)
        self.corpora.choose(chips_of_ids(question.corpora, question.subcorpora))
        self.against.choose(chips_of_ids(question.against, question.against_parts))
        self.options.show_question(question)
        self._is_shown_only = False
        self._show_page()

    def choose_page(self, page: PageName) -> None:
        """Ask for another list, as its button does."""
        self.pages.button(PAGES.index(page)).click()

    def say(self, text: str) -> None:
        """Show how many rows there are, or what is being done."""
        self.count.setText(text)

    def show_error(self, text: str) -> None:
        """Show below the word what is wrong with it; empty: nothing is."""
        self.error.setText(text)
        self.error.setVisible(bool(text))
        restyle(self.field, "wrong", bool(text))

    # --- private ---

    def _on_changed(self) -> None:
        if not self._is_shown_only:
            self._question = self.question()
            self._show_page()
            self.asked.emit()

    def _on_page(self, place: int) -> None:
        """Show the list that was chosen; each keeps the word typed for it."""
        before = self._question
        text = self.field.text()
        name = "find" if before.page == "frequencies" else "text"
        own: dict[str, Any] = {"text": before.text, "find": before.find, name: text}
        self.show_question(msgspec.structs.replace(self.question(), **own))
        self.asked.emit()

    def _show_page(self) -> None:
        page = self.page
        has_languages, has_corpora = self._has_many
        self.field.setVisible(page != "keyness")
        self.field.setPlaceholderText(
            {
                "frequencies": self.tr("Only words like haus*, *ung, /regex/ …"),
                "collocates": self.tr("Type a word, a phrase or haus*, then Enter"),
                "equivalents": self.tr("Type a word, a phrase or haus*, then Enter"),
            }.get(page, "")
        )
        self.languages.setVisible(has_languages and page != "equivalents")
        self.corpora.setVisible(has_corpora or page == "keyness")
        self._against_row.setVisible(page == "keyness")
        self._this.setVisible(page == "keyness")
        self.options.show_page(page)

    def _make_pages(self) -> QButtonGroup:
        group = QButtonGroup(self)
        for place, (title, hint) in enumerate(
            (
                (self.tr("Frequencies"), self.tr("How often words and n-grams are.")),
                (self.tr("Collocates"), self.tr("What stands near a word.")),
                (self.tr("Keyness"), self.tr("What marks texts against others.")),
                (self.tr("Equivalents"), self.tr("How a word is translated.")),
            )
        ):
            button = QPushButton(title)
            button.setCheckable(True)
            button.setProperty("chip", True)
            describe(button, title, f"{hint} (Alt+{place + 1})")
            group.addButton(button, place)
        group.button(0).setChecked(True)
        group.idClicked.connect(self._on_page)
        return group

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(6)
        for button in self.pages.buttons():
            first.addWidget(button)
        first.addSpacing(GRID)
        first.addWidget(self.field, 1)
        first.addStretch(0)
        self._this = make_label(self.tr("These texts"), "secondary")
        where = QHBoxLayout()
        where.setSpacing(GRID)
        where.addWidget(self._this)
        where.addWidget(self.corpora, 1)
        against = QHBoxLayout()
        against.setContentsMargins(0, 0, 0, 0)
        against.setSpacing(GRID)
        against.addWidget(make_label(self.tr("against"), "secondary"))
        against.addWidget(self.against, 1)
        self._against_row = QWidget()
        self._against_row.setLayout(against)
        self._last = QHBoxLayout()
        self._last.setSpacing(GRID)
        self._last.addWidget(self.count, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, GRID, 0)
        layout.setSpacing(GRID)
        layout.addLayout(first)
        layout.addWidget(self.error)
        layout.addWidget(self.languages)
        layout.addLayout(where)
        layout.addWidget(self._against_row)
        layout.addWidget(self.options)
        layout.addLayout(self._last)


class QueryBarChoices:
    """Knows their names, and puts them into the bar."""

    def __init__(self, bar: WordsQueryBar):
        self._bar = bar
        self._dictionaries: list[DictionaryRow] = []

    def read(self, project: "ProjectReader") -> None:
        """Offer them as they are now."""
        self._dictionaries = list_dictionaries(project.store)
        self._bar.show_corpora(project)
        self._bar.show_pairs(project.minings)
        self._bar.show_dictionaries(self._dictionaries)

    def name_of_dictionary(self, id_: int) -> str:
        """Name a dictionary; empty where there is none of that id."""
        return next((row.name for row in self._dictionaries if row.id == id_), "")


def list_language(question: WordListSettings, project: "ProjectReader | None") -> str:
    """Return the language of a list's words; empty where they may be of several."""
    if question.page == "equivalents":
        return question.target_language
    codes = question.languages or tuple(
        {row.language for row in project.corpora if row.id in question.corpora}
        if project is not None and not question.subcorpora
        else ()
    )
    return codes[0] if len(codes) == 1 else ""
