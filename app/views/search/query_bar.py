"""Query bar of the search view: text, mode, languages, corpora, status."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSizePolicy,
    QWidget,
)

from app.results.coverage import LanguageCoverage
from app.views.client.project_reader import ProjectReader
from app.views.widgets.adaptive_rows import ActionRow, WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ElidedLabel,
    PushButton,
    describe,
    keep_room,
    make_tool_button,
)
from app.views.widgets.corpus_choices import (
    chip_choices,
    chips_of_ids,
    ids_of_chips,
    language_choices,
)
from app.views.widgets.coverage_mark import describe_coverage, mark_icon
from app.views.widgets.icons import themed_icon
from app.views.widgets.query_field import QueryField
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.theme import GRID, colours_of

DOT = " · "


class SearchQueryBar(QWidget):
    """The query, its filters, and the number of hits.

    Attributes:
        status: the number of hits, or the progress.
        hint: how to highlight translated words, if none are highlighted.
    """

    submitted = Signal()  # Enter, a new mode, or an empty query
    filters_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QueryField(self)
        self.languages = Chips(self.tr("All languages"), self)
        self.corpora = Chips(self.tr("All corpora"), self)
        self.meaning, self.words = self._make_modes()
        self.rerank = self._make_rerank_button()
        self._tools = QHBoxLayout()
        self._tools.setSpacing(2)
        self.status, self.hint = "", ""
        self._status = ElidedLabel("secondary")
        self._saving = ActionRow()
        self._language = ""
        self._coverage: dict[str, LanguageCoverage] = {}
        self._encoder = ""
        self._outdated: dict[str, float] = {}
        self._lay_out()
        self.words.toggled.connect(self.rerank.setDisabled)
        self.words.toggled.connect(self._show_mode)
        self._show_mode(self.words.isChecked())
        self.field.returnPressed.connect(self.submitted)
        self.field.cleared.connect(self.submitted)
        self.languages.changed.connect(self.filters_changed)
        self.corpora.changed.connect(self.filters_changed)

    def set_actions(
        self, navigation: tuple[QAction, QAction], actions: Sequence[QAction]
    ) -> None:
        """Show the actions of the view: back, forward and actions on hits."""
        self._back, self._forward = navigation
        for action in navigation:
            self._tools.addWidget(make_tool_button(action))
        self._saving.set_actions([(action, action.text()) for action in actions])
        self.show_theme()

    def add_tool(self, widget: QWidget) -> None:
        """Insert a widget before the search modes."""
        self._modes.insertWidget(self._modes.indexOf(self.rerank), widget)

    def show_reranker(self, name: str) -> None:
        """Offer to re-rank hits with an encoder; empty: none."""
        self.rerank.setVisible(bool(name))
        describe(
            self.rerank,
            self.tr("Re-rank"),
            self.tr(
                "Score the nearest sentences again with {name}, which takes word "
                "order, negations and numbers into account. Searches take a tenth of "
                "a second longer."
            ).format(name=name),
        )

    def show_coverage(
        self,
        coverage: dict[str, LanguageCoverage],
        encoder: str,
        outdated: dict[str, float],
    ) -> None:
        """Mark the languages with poor coverage by the encoder."""
        self._coverage, self._encoder = coverage, encoder
        self._outdated = outdated
        colours = colours_of(self)
        self.languages.set_marks(
            {
                code: (
                    mark_icon(one.verdict, colours),
                    describe_coverage(one, encoder, outdated),
                )
                for code, one in coverage.items()
            }
        )

    def show_theme(self) -> None:
        """Draw the icons in the current colours."""
        colours = colours_of(self)
        self.field.show_theme()
        self._back.setIcon(themed_icon("back", colours))
        self._forward.setIcon(themed_icon("forward", colours))
        self.show_coverage(self._coverage, self._encoder, self._outdated)

    def show_corpora(self, project: ProjectReader | None) -> None:
        """List the languages, corpora and sub-corpora of the project."""
        languages = language_choices(project.corpora if project is not None else [])
        self.languages.set_choices(languages)
        choices = chip_choices(project)
        self.corpora.set_choices(choices)
        self.languages.setVisible(len(languages) > 1)
        self.corpora.setVisible(len(choices) > len(languages))

    def query(self) -> SearchQuery:
        """Return the query in the bar."""
        ids = ids_of_chips(self.corpora.chosen)
        return SearchQuery(
            text=self.field.text(),
            sentence=self.field.sentence,
            language=self._language if self.field.sentence is not None else "",
            words=self.words.isChecked(),
            reranks=self.rerank.isChecked(),
            languages=self.languages.chosen,
            corpora=ids.corpora,
            subcorpora=ids.subcorpora,
        )

    def show_query(self, query: SearchQuery) -> None:
        """Show a query without sending it."""
        self._language = query.language
        self.field.show_query(query.text, query.sentence, query.language)
        (self.words if query.words else self.meaning).setChecked(True)
        self.rerank.setChecked(query.reranks)
        for chips, keys in (
            (self.languages, query.languages),
            (self.corpora, chips_of_ids(query.corpora, query.subcorpora)),
        ):
            chips.blockSignals(True)
            chips.choose(keys)
            chips.blockSignals(False)

    def switch_mode(self) -> None:
        """Switch between searching by meaning and by words."""
        (self.meaning if self.words.isChecked() else self.words).click()

    def show_status(self, text: str, hint: str = "") -> None:
        """Show the number of hits or the progress, and a hint."""
        self.status, self.hint = text, hint
        self._status.setText(DOT.join(filter(None, (text, hint))))
        self._saving.setVisible(bool(text))

    def _make_rerank_button(self) -> PushButton:
        button = PushButton(self.tr("Re-rank"))
        button.setCheckable(True)
        button.setChecked(True)
        button.setProperty("chip", True)
        button.clicked.connect(self.submitted)
        button.hide()
        return button

    def _show_mode(self, is_words: bool) -> None:
        """Show the placeholder of the search mode."""
        words = self.tr("Type a sentence in any language, then press Enter")
        if is_words:
            words = self.tr('Type words, haus* or a "phrase", then press Enter')
        self.field.setPlaceholderText(words)

    def _make_modes(self) -> tuple[PushButton, PushButton]:
        group = QButtonGroup(self)
        buttons = []
        for text, hint in (
            (self.tr("Meaning"), self.tr("Find sentences with a similar meaning.")),
            (
                self.tr("Words"),
                self.tr(
                    'Find words, haus* or a "phrase". Concordance also finds *ung.'
                ),
            ),
        ):
            button = PushButton(text)
            button.setCheckable(True)
            button.setProperty("chip", True)
            describe(button, text, hint)
            group.addButton(button)
            button.clicked.connect(self.submitted)
            buttons.append(button)
        buttons[0].setChecked(True)
        return buttons[0], buttons[1]

    def _lay_out(self) -> None:
        first = make_row(self._tools, (self.field, 1))
        modes = QWidget()
        self._modes = make_row(
            self.rerank, self.meaning, self.words, parent=modes, gap=6
        )
        policy = QSizePolicy.Policy
        self.languages.setSizePolicy(policy.Ignored, policy.Fixed)
        second = WrappingRow(6)
        second.addWidget(self.languages)
        second.addWidget(modes)
        self._saving.setSizePolicy(policy.Maximum, policy.Fixed)
        keep_room(self._saving)
        third = make_row(self._saving, (self._status, 1))
        make_column(
            first, second, self.corpora, third, parent=self, margins=(0, 0, GRID, 0)
        )
