"""The header above the board: selection of corpora, and the find bar."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.number_format import format_score
from app.views.read.model import ReadingRows
from app.views.read.session import Partner, ReadingSource
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ENTER_KEYS,
    ElidedLabel,
    describe,
    keep_room,
    make_action_button,
    make_button,
    make_label,
    make_menu_button,
    make_tool_button,
)
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.theme import GRID

FIND_AFTER_MS = 200  # after the last key
ALL_COLUMNS = -1
MAX_LINKS_WIDTH = 22 * GRID  # of a box, in pixels
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


class LeadBox(QComboBox):
    """A combo box that elides its text to fit."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Elide the text."""
        super().initStyleOption(option)
        rect = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        cut, room = Qt.TextElideMode.ElideRight, rect.width() - GRID
        text = self.fontMetrics().elidedText(self.currentText(), cut, room)
        option.currentText = text

    def sizeHint(self) -> QSize:
        """Return a size for the complete text."""
        hint = super().sizeHint()
        return QSize(hint.width() + 3 * GRID, hint.height())


class ReadingHeader(QWidget):
    """Selects the leading corpus and its partners, and shows the number of rows."""

    lead_selected = Signal(object)  # ReadingSource
    partners_selected = Signal()
    links_selected = Signal(int, int)  # other corpus, alignment; 0: imported links
    document_selected = Signal(int)  # its first row
    notes_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._sources: list[ReadingSource] = []
        self._starts: list[int] = []  # first rows of the documents
        self.lead = LeadBox()
        describe(
            self.lead,
            self.tr("First column"),
            self.tr(
                "Choose what the first column shows: a corpus, a sub-corpus, or the "
                "sentences of a pair set."
            ),
        )
        self.lead.setMinimumWidth(14 * GRID)
        self.lead.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.lead.activated.connect(
            lambda index: self.lead_selected.emit(self._sources[index])
        )
        self.documents = LeadBox()
        hint = self.tr("Go to the start of a document of the first column.")
        describe(self.documents, self.tr("Document"), hint)
        self.documents.setMinimumWidth(14 * GRID)
        policy = QSizePolicy.Policy
        self.documents.setSizePolicy(policy.Ignored, policy.Fixed)
        self.documents.activated.connect(
            lambda _: self.document_selected.emit(self.documents.currentData())
        )
        self.documents.hide()
        self.partners = Chips(self.tr("All linked"))
        self.partners.changed.connect(self.partners_selected)
        self.partners.hide()
        self.counts = ElidedLabel("secondary")
        self._row = make_row((self.lead, 6), (self.documents, 1))
        self._links = QWidget()
        self._links_row = make_row(parent=self._links)
        self._place = QGridLayout()  # counts or find bar
        self._place.addWidget(self.counts, 0, 0)
        last_row = make_row((self._place, 1), self._links)
        make_column(self._row, self.partners, last_row, parent=self)

    def set_find_bar(self, bar: "FindBar") -> None:
        """Set the bar that replaces the counts; the layout has space for both."""
        keep_room(self.counts, bar)
        self._place.addWidget(bar, 0, 0)
        bar.opened.connect(self.counts.hide)
        bar.closed.connect(self.counts.show)

    def set_actions(self, find: QAction, exports: Sequence[QAction]) -> None:
        """Show buttons on the right: notes, search and a menu of exports."""
        notes = make_button(
            self.tr("Notes…"),
            self.tr("List all notes of the project (Ctrl+Shift+N)."),
            self.notes_requested.emit,
        )
        hint = self.tr("Export the linked sentences or the word alignments.")
        self._row.addWidget(notes)
        self._row.addWidget(make_action_button(find, words=self.tr("Find…")))
        self._row.addWidget(make_menu_button(self.tr("Export"), hint, exports))

    def show_leads(
        self,
        sources: Sequence[tuple[ReadingSource, str]],
        chosen: ReadingSource,
        *,
        has_documents: bool,
    ) -> None:
        """Offer the leading sources; reserve space for the other controls."""
        self._sources = [source for source, _ in sources]
        with QSignalBlocker(self.lead):
            self.lead.clear()
            self.lead.addItems([title for _, title in sources])
            index = self._sources.index(chosen) if chosen in self._sources else -1
            self.lead.setCurrentIndex(index)
        self.documents.setVisible(has_documents)
        n_corpora = len({source.corpus for source in self._sources})
        self.partners.setVisible(n_corpora > 2)

    def show_partners(self, partners: Sequence[Partner], chosen: Sequence[int]) -> None:
        """Show the corpora that can be read next to the leading one."""
        with QSignalBlocker(self.partners):
            self.partners.set_choices(
                [(str(one.corpus.id), one.corpus.name) for one in partners]
            )
            self.partners.choose([str(id_) for id_ in chosen])
        self.show_links(partners, chosen)

    def show_documents(self, documents: Mapping[int, str]) -> None:
        """Offer the documents of the first column by first row."""
        self.documents.clear()
        for row, name in documents.items():
            self.documents.addItem(name, row)
        self._starts = list(documents)
        self.show_place(0)

    def show_place(self, row: int) -> None:
        """Show the document of a row."""
        self.documents.setCurrentIndex(max(bisect_right(self._starts, row) - 1, 0))

    def show_links(self, partners: Sequence[Partner], chosen: Sequence[int]) -> None:
        """Offer the sets of links for each displayed corpus with several sets."""
        for old in self._links.findChildren(QWidget, options=DIRECT):
            old.hide()
            old.deleteLater()
        while self._links_row.count():
            self._links_row.takeAt(0)
        found = [
            one
            for one in partners
            if one.has_choice and (one.corpus.id in chosen or not chosen)
        ]
        if found:
            self._links_row.addWidget(make_label(self.tr("Links:"), "secondary"))
        for one in found:
            box = self._make_links_box(one, is_named=len(found) > 1)
            self._links_row.addWidget(box)
        self._links.setVisible(bool(found))

    def _make_links_box(self, partner: Partner, *, is_named: bool) -> QComboBox:
        """Make a box of the links with a corpus, with or without the corpus name."""
        box, name = LeadBox(), partner.corpus.name
        hint = self.tr(
            "Choose which links join sentences in rows. Outside the lines of an "
            "alignment, the imported links are used."
        )
        describe(box, self.tr("Links with {name}").format(name=name), hint)
        before = f"{name}: " if is_named else ""
        if partner.has_imported:
            box.addItem(before + self.tr("Imported links"), 0)
        for row in partner.alignments:
            box.addItem(before + row.name, row.id)
        box.setCurrentIndex(box.findData(partner.alignment))
        box.setFixedWidth(min(box.sizeHint().width(), MAX_LINKS_WIDTH))
        box.activated.connect(
            lambda _: self.links_selected.emit(partner.corpus.id, box.currentData())
        )
        return box

    def show_counts(self, rows: ReadingRows, threshold: float | None) -> None:
        """Show the number of rows, the threshold and the number of breaks."""
        if not rows.n_rows:
            self.counts.setText("")
            return
        n_gaps, n_joined = rows.count_breaks()
        parts = [
            pluralize(rows.n_rows, self.tr("1 row"), self.tr("{n} rows")),
            *self._describe_threshold(threshold),
            self.tr("{n} with a gap").format(n=format_count(n_gaps)),
            self.tr("{n} with several sentences").format(n=format_count(n_joined)),
        ]
        for corpus, column in zip(rows.corpora, rows.columns, strict=True):
            words = self._describe_column(corpus, column.is_in_order, column.n)
            if words:
                parts.append(words)
            if column.n_crossing:
                words = self.tr("{name}: {n} crossing links are not shown")
                n = format_count(column.n_crossing)
                parts.append(words.format(name=corpus.name, n=n))
            if column.n_replaced:
                one = self.tr("1 imported link is replaced by the alignment")
                many = self.tr("{n} imported links are replaced by the alignment")
                words = pluralize(column.n_replaced, one, many)
                parts.append(f"{corpus.name}: {words}")
        self.counts.setText(" · ".join(parts))

    def _describe_threshold(self, threshold: float | None) -> list[str]:
        if threshold is None:
            return []
        words = self.tr("threshold {n}, as set in Mine")
        return [words.format(n=format_score(threshold))]

    def _describe_column(self, corpus: CorpusRow, is_in_order: bool, n: int) -> str:
        if is_in_order:
            return ""
        words = self.tr("{name}: {n} of {total} sentences, in another order")
        return words.format(
            name=corpus.name, n=format_count(n), total=format_count(corpus.n_sentences)
        )


class FindBar(QWidget):
    """A search field with the column to search, the count and two arrows."""

    changed = Signal()  # new text or column
    opened = Signal()
    stepped = Signal(int)  # 1: next match, -1: previous match
    closed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find in the columns"))
        self.field.setClearButtonEnabled(True)
        describe(
            self.field,
            self.tr("Find"),
            self.tr("Enter: next. Shift+Enter: previous. Escape: close."),
        )
        self.column = QComboBox()
        describe(self.column, self.tr("Column"), self.tr("Choose where to search."))
        self.column.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.count = make_label("", "secondary")
        self._timer = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._timer.timeout.connect(self._emit_change)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.column.activated.connect(lambda _: self._emit_change())
        self._row = make_row(
            (self.field, 3), (self.column, 2), (self.count, 1), parent=self
        )
        self.hide()

    @property
    def text(self) -> str:
        """The text to find."""
        return self.field.text().strip()

    @property
    def chosen_column(self) -> int:
        """The column to search; `ALL_COLUMNS`: all columns."""
        data = self.column.currentData()
        return ALL_COLUMNS if data is None else int(data)

    def set_arrows(self, actions: Sequence[QAction]) -> None:
        """Set the actions of the arrows for the next and the previous match."""
        for action in actions:
            self._row.addWidget(make_tool_button(action))

    def show_columns(self, names: Sequence[str]) -> None:
        """Offer the columns to search, and keep the selection if it still exists."""
        chosen = self.chosen_column
        with QSignalBlocker(self.column):
            self.column.clear()
            self.column.addItem(self.tr("All columns"), ALL_COLUMNS)
            for index, name in enumerate(names):
                self.column.addItem(name, index)
            self.column.setCurrentIndex(max(self.column.findData(chosen), 0))

    def open(self) -> None:
        """Show and focus the field."""
        self.opened.emit()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_bar(self) -> None:
        """Clear and hide the bar."""
        self.field.clear()
        self.column.setCurrentIndex(0)  # all columns when the bar opens again
        self._timer.stop()
        self.count.setText("")
        self.hide()
        self.closed.emit()

    def _emit_change(self) -> None:
        self._timer.stop()
        self.changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to a match with Enter; close with Escape."""
        if event.key() in ENTER_KEYS:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if self._timer.isActive():
                self._emit_change()
            else:
                self.stepped.emit(-1 if is_back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)
