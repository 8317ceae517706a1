"""Query bar of the words view: list type, word, scope and options."""

from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QWidget

from app.engine.store.words.dictionaries import list_dictionaries
from app.engine.store.words.indexes import (
    list_map_names,
    list_table_names,
    read_map_languages,
    read_table_language,
)
from app.languages import language_name
from app.views.client.project_reader import ProjectReader
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ElidedLabel,
    PushButton,
    describe,
    make_label,
    restyle,
)
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
from app.views.words.translation_source import fit_languages, suggest_source


class WordsQueryBar(QWidget):
    """The query: page, word, texts and options.

    Attributes:
        pages: a button for each page (list type).
        field: the word, or the filter of the frequency list.
        languages, corpora: the texts; no selection means all.
        against: the reference texts of keyness.
        options: options for counting words.
    """

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._settings = WordListSettings()
        self._is_updating = False
        self._project: ProjectReader | None = None
        self._has_many = (False, False)  # several languages, several corpora
        self._dictionaries: dict[int, str] = {}  # names by id
        self.pages = self._make_pages()
        self.field = QueryField(self)
        self.languages = Chips(self.tr("All languages"), self)
        self.corpora = Chips(self.tr("All corpora"), self)
        self.against = Chips(self.tr("Nothing selected"), self)
        self.options = WordsOptions(self)
        self.error = make_label("", "warning", wraps=True)
        self.error.hide()
        self.count = ElidedLabel("secondary")
        self._lay_out()
        self.field.returnPressed.connect(self._on_changed)
        for part in (self.languages, self.corpora, self.against, self.options):
            part.changed.connect(self._on_changed)
        self._show_page()

    def add_tools(self, widget: QWidget) -> None:
        """Add a widget at the end of the row with the count."""
        policy = QSizePolicy.Policy
        widget.setSizePolicy(policy.Maximum, policy.Fixed)
        self._last.addWidget(widget, 2)

    def show_theme(self) -> None:
        """Draw the icons in the current colours."""
        self.field.show_theme()

    def show_project(self, project: ProjectReader) -> None:
        """Offer the corpora, pair sets and dictionaries of a project."""
        self._project = project
        languages = language_choices(project.corpora)
        dictionaries = [(row.id, row.name) for row in list_dictionaries(project.store)]
        self._dictionaries = dict(dictionaries)
        self._is_updating = True
        self.languages.set_choices(languages)
        self.options.show_languages(languages)
        self.options.show_pairs([(row.id, row.name) for row in project.minings])
        self.options.show_dictionaries(dictionaries)
        self.options.show_maps(list_map_names(project.folder))
        self.options.show_tables(list_table_names(project.folder))
        self._is_updating = False
        n_choices = len(chip_choices(project))
        self._has_many = (len(languages) > 1, n_choices > len(languages))
        self._offer_corpora()
        self._show_page()

    def dictionary_name(self, id_: int) -> str:
        """Return the name of a dictionary; empty if the id is unknown."""
        return self._dictionaries.get(id_, "")

    # --- settings ---

    def settings(self) -> WordListSettings:
        """Return the settings in the bar."""
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
        return msgspec.structs.replace(self._settings, **values)

    @property
    def page(self) -> PageName:
        """The selected page."""
        return PAGES[max(self.pages.checkedId(), 0)]

    def show_settings(self, settings: WordListSettings) -> None:
        """Show settings without a signal."""
        self._settings = settings
        self._is_updating = True
        self.pages.button(PAGES.index(settings.page)).setChecked(True)
        own = settings.find if settings.page == "frequencies" else settings.text
        self.field.show_query(own, None)
        self.languages.choose(settings.languages)
        self._offer_corpora()
        self.corpora.choose(chips_of_ids(settings.corpora, settings.subcorpora))
        self.against.choose(chips_of_ids(settings.against, settings.against_parts))
        self.options.show_settings(settings)
        self._is_updating = False
        self._show_page()

    def choose_page(self, page: PageName) -> None:
        """Select another page."""
        self.pages.button(PAGES.index(page)).click()

    def show_status(self, text: str) -> None:
        """Show the number of rows or the progress."""
        self.count.setText(text)

    def show_error(self, text: str) -> None:
        """Show an error below the query, or hide it."""
        self.error.setText(text)
        self.error.setVisible(bool(text))
        restyle(self.field, "wrong", bool(text))

    # --- private ---

    def _on_changed(self) -> None:
        if not self._is_updating:
            self._offer_corpora()
            self._settings = self.settings()
            self._show_page()
            self.submitted.emit()

    def _on_page(self, index: int) -> None:
        """Show the fields of the selected page, which has its own query text."""
        before = self._settings
        text = self.field.text()
        name = "find" if before.page == "frequencies" else "text"
        own: dict[str, Any] = {"text": before.text, "find": before.find, name: text}
        self.show_settings(msgspec.structs.replace(self.settings(), **own))
        self.submitted.emit()

    def _offer_corpora(self) -> None:
        """Offer the corpora of the selected languages; no selection means all."""
        project = self._project
        if project is not None:
            codes = () if self._is_translated else self.languages.chosen
            rows = [row for row in project.corpora if row.language in codes]
            choices = chip_choices(project, rows if codes else None)
            self.corpora.set_choices(choices)
            self.against.set_choices(choices)

    @property
    def _is_translated(self) -> bool:
        """Whether the page has its own language fields."""
        return self.page in ("equivalents", "translations")

    def _show_page(self) -> None:
        page = self.page
        has_languages, has_corpora = self._has_many
        self.field.setVisible(page != "keyness")
        self.field.setPlaceholderText(
            {
                "frequencies": self.tr("Filter: haus*, *ung or /regex/"),
                "collocates": self.tr("Word, phrase or haus*"),
                "equivalents": self.tr("Word, phrase or haus*"),
                "translations": self._name_word(),
            }.get(page, "")
        )
        self.languages.setVisible(has_languages and not self._is_translated)
        has_texts = has_corpora and page != "translations"
        self.corpora.setVisible(has_texts or page == "keyness")
        self._against_row.setVisible(page == "keyness")
        self._this.setVisible(page == "keyness")
        if page == "equivalents" and self._project is not None:
            self._show_source(self._project)
        self.options.show_page(page)

    def _name_word(self) -> str:
        """Label the query field with the language of the vectors."""
        project, values = self._project, self.options.values()
        code = ""
        if project is not None and values["vectors"]:
            code = read_table_language(project.folder, values["vectors"])
        elif project is not None and values["map"]:
            code, _ = read_map_languages(project.folder, values["map"])
        words = self.tr("Word in {language}") if code else self.tr("Word")
        return words.format(language=language_name(code))

    def _show_source(self, project: ProjectReader) -> None:
        """Select the source of translations, unless the user did."""
        values = self.options.values()
        source, target = values["source_language"], values["target_language"]
        if self.options.is_source_chosen:
            mining = values["mining"]
            shown = fit_languages(project, source, target, mining)
        else:
            shown = suggest_source(project, source, target)
        self.options.show_source(shown)

    def _make_pages(self) -> QButtonGroup:
        group = QButtonGroup(self)
        for index, (title, hint) in enumerate(
            (
                (self.tr("Frequencies"), self.tr("Frequencies of words and n-grams.")),
                (self.tr("Collocates"), self.tr("Words that occur near a word.")),
                (self.tr("Keyness"), self.tr("Words that are typical of some texts.")),
                (
                    self.tr("Equivalents"),
                    self.tr("Translations of a word, counted in linked sentences."),
                ),
                (
                    self.tr("Nearest words"),
                    self.tr(
                        "Words of another language, or of the same one, by vectors."
                    ),
                ),
            )
        ):
            button = PushButton(title)
            button.setCheckable(True)
            button.setProperty("chip", True)
            describe(button, title, f"{hint} (Alt+{index + 1})")
            group.addButton(button, index)
        group.button(0).setChecked(True)
        group.idClicked.connect(self._on_page)
        return group

    def _lay_out(self) -> None:
        first = WrappingRow(6)
        for button in self.pages.buttons():
            first.addWidget(button)
        first.addWidget(self.field)
        self._this = make_label(self.tr("These texts"), "secondary")
        where = make_row(self._this, (self.corpora, 1))
        against = make_row(
            make_label(self.tr("Reference texts"), "secondary"), (self.against, 1)
        )
        self._against_row = QWidget()
        self._against_row.setLayout(against)
        self._last = make_row((self.count, 3))
        policy = self.field.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # adjacent chips do not move
        self.field.setSizePolicy(policy)
        make_column(
            first,
            self.languages,
            where,
            self._against_row,
            self.options,
            self._last,
            self.error,  # last, so that no chip moves under the pointer
            parent=self,
            margins=(0, 0, GRID, 0),
        )
