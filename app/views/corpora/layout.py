"""The layout of the corpora view, and the header of the selected corpora."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.subcorpora import SubcorpusRow
from app.views.corpora.corpus_list import (
    EncodingStatus,
    describe_encoding_status,
    describe_size,
)
from app.views.corpora.subcorpus_steps import describe_step
from app.views.widgets.adaptive_rows import ActionRow, WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel, make_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.sections import HeadingWithCount
from app.views.widgets.theme import GRID

LIST_WIDTH = 27 * GRID
MIN_LIST_WIDTH = 25 * GRID  # with the heading in two lines


class CorporaLayout(QWidget):
    """The lists on the left and the sentences on the right, or a start page."""

    def __init__(
        self,
        import_files: Callable[[], object],
        import_folder: Callable[[], object],
        lists: Sequence[QWidget],
        body: Sequence[QWidget],
        parent: QWidget | None = None,
    ):
        """Lay out the parts.

        Args:
            import_files: asks for files to import.
            import_folder: asks for a folder to import.
            lists: widgets on the left; the first one grows.
            body: widgets on the right; the last one grows.
        """
        super().__init__(parent)
        left, right = QWidget(), QWidget()
        lists[0].setMinimumWidth(MIN_LIST_WIDTH)  # the headings may need more
        column = _make_column(left)
        column.addLayout(self._make_heading(import_files))
        for number, widget in enumerate(lists):
            column.addWidget(widget, number == 0)
        column = _make_column(right)
        for number, widget in enumerate(body, 1):
            column.addWidget(widget, number == len(body))
        full = QWidget()
        box = QVBoxLayout(full)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        sizes = (LIST_WIDTH, 80 * GRID)
        box.addWidget(make_split(left, right, sizes=sizes, growing=1))
        self._pages = QStackedLayout(self)
        self._start = self._make_start(import_files, import_folder)
        self.show_importing(False)
        self._pages.addWidget(self._start)
        self._pages.addWidget(full)

    def show_count(self, n_corpora: int) -> None:
        """Show the number of corpora, or the start page if there are none."""
        self._pages.setCurrentIndex(1 if n_corpora else 0)
        self._heading.set_count(format_count(n_corpora))

    def show_importing(self, is_importing: bool) -> None:
        """Show on the start page that no corpus exists yet or an import is running."""
        heading = self.tr("No corpus yet")
        text = self.tr(
            "Import a text, a table, a TMX, a folder or the two files of a "
            "parallel text, or drop files or a folder onto this window."
        )
        if is_importing:
            heading = self.tr("Importing…")
            text = self.tr("Progress is shown below. The corpora will appear here.")
        self._start.set_words(heading, text)
        self._start.show_buttons(not is_importing)

    def _make_heading(self, import_files: Callable[[], object]) -> WrappingRow:
        self._heading = HeadingWithCount(self.tr("Corpora"))
        row = WrappingRow()
        row.addWidget(self._heading)
        row.add_stretch()
        row.addWidget(
            make_button(
                self.tr("Import…"),
                self.tr("Import files as corpora, or drop them onto the window."),
                import_files,
            )
        )
        return row

    def _make_start(
        self, import_files: Callable[[], object], import_folder: Callable[[], object]
    ) -> EmptyState:
        files = make_button(
            self.tr("Import…"),
            self.tr("Import files as corpora."),
            import_files,
            kind="primary",
        )
        folder = make_button(
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            import_folder,
        )
        return EmptyState("", "", [files, folder], icon="corpora")


def _make_column(widget: QWidget) -> QVBoxLayout:
    return make_column(parent=widget)


class CorpusHeader(QWidget):
    """The name, facts and buttons of the selected corpora or sub-corpus."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self._buttons, self._part_buttons = ActionRow(), ActionRow()
        self._top = make_row((self._name, 1))
        make_column(
            self._top,
            self._facts,
            self._buttons,
            self._part_buttons,
            parent=self,
            gap=4,
        )
        self._part_buttons.hide()

    def set_actions(
        self, first: QAction, others: Sequence[tuple[QAction, str]]
    ) -> None:
        """Make the buttons; the primary button is visible only while it is enabled."""
        words = self.tr("Encode")
        self._first = make_button(
            words, first.statusTip(), first.trigger, kind="primary"
        )
        policy = self._first.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # widgets below do not move
        self._first.setSizePolicy(policy)
        first.changed.connect(lambda: self._first.setVisible(first.isEnabled()))
        self._top.addWidget(self._first, 0, Qt.AlignmentFlag.AlignTop)
        self._first.setVisible(first.isEnabled())
        self._buttons.set_actions(others)

    def set_part_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make the buttons for a sub-corpus."""
        self._part_buttons.set_actions(actions)

    def use_actions(self, *, is_part: bool) -> None:
        """Show the buttons for corpora or for a sub-corpus."""
        self._buttons.setHidden(is_part)
        self._part_buttons.setVisible(is_part)

    def show_part(self, part: SubcorpusRow) -> None:
        """Show the size and the steps of a sub-corpus."""
        self._name.setText(part.name)
        one, many = self.tr("1 sentence"), self.tr("{n} sentences")
        n, steps = (
            pluralize(part.n_sentences, one, many),
            list(map(describe_step, part.steps)),
        )
        self._facts.hint = "\n".join(steps)
        self._facts.setText(f"{n} · {' → '.join(steps)}")

    def show_corpora(
        self,
        corpora: Sequence[CorpusRow],
        statuses: Sequence[EncodingStatus],
        edited: Mapping[int, int],
    ) -> None:
        """Show one corpus with its facts, or the totals of several.

        Args:
            statuses: encoding status of each corpus.
            edited: number of edited sentences by corpus, without zeros.
        """
        if len(corpora) == 1:
            n_edited = edited.get(corpora[0].id, 0)
            self._show_one(corpora[0], statuses[0], n_edited)
            return
        n_corpora = format_count(len(corpora))
        self._name.setText(self.tr("{n} corpora").format(n=n_corpora))
        texts = [corpus for corpus in corpora if not corpus.is_word_list]
        total = sum(corpus.n_sentences for corpus in texts)
        n_languages = len({corpus.language for corpus in corpora})
        words = self.tr("{n} sentences in {languages} languages · {encoded}")
        if n_languages == 1:
            words = self.tr("{n} sentences in one language · {encoded}")
        self._facts.hint = ""
        self._facts.setText(
            words.format(
                n=format_count(total),
                languages=n_languages,
                encoded=pluralize(
                    sum(status == "encoded" for status in statuses),
                    self.tr("1 corpus encoded"),
                    self.tr("{n} corpora encoded"),
                ),
            )
        )

    def _show_one(
        self, corpus: CorpusRow, status: EncodingStatus, n_edited: int
    ) -> None:
        self._name.setText(corpus.name)
        day = time.strftime("%Y-%m-%d", time.localtime(corpus.created_at))
        origin = self.tr("imported {day}").format(day=day)
        if corpus.source:
            words = self.tr("imported {day} from {file}")
            origin = words.format(day=day, file=PurePath(corpus.source).name)
        self._facts.hint = corpus.source
        facts = [describe_size(corpus), origin, describe_encoding_status(status)]
        if n_edited:
            one, many = self.tr("1 sentence edited"), self.tr("{n} sentences edited")
            facts.append(pluralize(n_edited, one, many))
        self._facts.setText(" · ".join(facts))
