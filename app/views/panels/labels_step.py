"""The first step: which corpora have labels, and the labels of one of them."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.engine.store.rows import CorpusRow
from app.languages import language_name
from app.views.classify_words import DOT
from app.views.labelled import Source, describe_scores, labelled_sources, list_sources
from app.views.panels.labels_page import LabelsPage
from app.views.state import AppState
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.splits import LIST_AND_PAGE, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines
from app.views.words import count_words, format_count


class LabelsStep(QWidget):
    """The list of corpora, and the page of one.

    Attributes:
        page: the corpus that is shown.
        corpora: the list; labelled ones come first.
    """

    shown_changed = Signal()
    place_wanted = Signal(object)  # id of a sentence

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make it; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.page = LabelsPage(state, actions)
        self.corpora = TwoLineList(
            self.tr("Corpora"), self.tr("Choose the corpus whose labels are shown.")
        )
        self._lay_out()
        self.corpora.choice_changed.connect(self._on_chosen)
        self.page.place_wanted.connect(self.place_wanted)
        state.labels.changed.connect(self.refresh)

    @property
    def corpus(self) -> CorpusRow | None:
        """The corpus that is shown."""
        return self.page.corpus

    def refresh(self) -> None:
        """Show the corpora that there are now."""
        project = self._state.project
        if project is None:
            return
        counts = self._state.labels.counts
        first = [one for one in labelled_sources(project) if one.id in counts]
        rows = [*first, *(one for one in list_sources(project) if one not in first)]
        self.corpora.show_rows(
            [TwoLines(one.id, one.name, self._describe(one)) for one in rows]
        )
        self._count.setText(format_count(len(first)) if first else "")
        self._pages.setCurrentWidget(self._full if rows else self._empty)
        if rows and self.corpora.chosen is None:
            self.corpora.choose(rows[0].id)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.corpus is not None:
            self.page.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
        return {"corpus": self.corpora.chosen}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        if isinstance(state.get("corpus"), int):
            self.corpora.choose(state["corpus"])

    def _describe(self, one: Source) -> str:
        found = self._state.labels.counts.get(one.id)
        language = language_name(one.language)
        parts = [language] if language != one.name else []
        if found is None:
            words = self.tr("{n} without labels")
            n = format_count(one.corpora[0].n_sentences)
            return DOT.join([*parts, words.format(n=n)])
        n = self.tr("{n} labelled").format(n=format_count(found.n_labelled))
        if one.is_of_pairs:
            one_pair, pairs = self.tr("1 labelled pair"), self.tr("{n} labelled pairs")
            n = count_words(found.n_labelled, one_pair, pairs)
        if found.are_scores:
            return DOT.join([*parts, n, describe_scores(found)])
        one_class, many = self.tr("1 class"), self.tr("{n} classes")
        return DOT.join([*parts, n, count_words(found.n_classes, one_class, many)])

    def _on_chosen(self) -> None:
        project, chosen = self._state.project, self.corpora.chosen
        rows = project.corpora if project is not None else []
        row = next((row for row in rows if row.id == chosen), None)
        if row is not None:
            self.page.show_corpus(row)
            self.shown_changed.emit()

    def _lay_out(self) -> None:
        self._count = make_label("", "secondary")
        importing = make_button(
            self.tr("Import…"),
            self.tr("Import labelled texts: a table with a column of labels."),
            self._state.import_wanted.emit,
        )
        left = put_heading(self.tr("Labels"), self.corpora, self._count, importing)
        self._full = make_split(left, self.page, sizes=LIST_AND_PAGE, growing=1)
        self._empty = EmptyState(
            self.tr("No corpus yet"),
            self.tr(
                "Import labelled texts: a table with a column of labels; or any texts, "
                "and label them here by the keys 1 to 9."
            ),
            [
                make_button(
                    self.tr("Import texts…"),
                    self.tr("Import files as corpora."),
                    self._state.import_wanted.emit,
                    kind="primary",
                )
            ],
            icon="classify",
        )
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._full)
