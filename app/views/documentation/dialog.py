"""Dialog with the bundled documentation."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QPixmap,
    QShortcut,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

from app.paths import documentation_dir
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog, open_web_page
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID, colours_of, mark_colour

CONTENTS = "README.md"
WIDTH, HEIGHT = 150 * GRID, 100 * GRID
LIST_WIDTH = 32 * GRID
# Pages of views with a different name.
PAGES_OF_VIEWS = {"classify": "classification.md", "evaluate": "evaluation.md"}
_LINK = re.compile(r"\[([^\]]+)\]\(([\w-]+\.md)\)")


class Page(NamedTuple):
    """A page of the documentation."""

    title: str
    file: Path


def list_pages(folder: Path, contents: str) -> list[Page]:
    """List the table of contents, then the other pages in its order.

    Args:
        contents: title of the table of contents.
    """
    text = (folder / CONTENTS).read_text(encoding="utf-8")
    files = {folder / name: title for title, name in _LINK.findall(text)}
    pages = [Page(title, file) for file, title in files.items() if file.is_file()]
    return [Page(contents, folder / CONTENTS), *pages]


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading in links."""
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


class DocumentationBrowser(QTextBrowser):
    """Shows a Markdown page; links to other pages open in the browser itself."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._marked: list[int] = []  # start positions of marked words
        self._shown = -1  # start position of the current mark
        self.setOpenLinks(False)
        self.anchorClicked.connect(self.open_link)
        describe(self, self.tr("Page"), self.tr("The page of the documentation."))

    def open_link(self, link: QUrl) -> None:
        """Open a page, a section, or the web browser of the system."""
        target = self.source().resolved(link)
        if not target.isLocalFile():
            open_web_page(target, self)
            return
        fragment = target.fragment()
        target.setFragment("")
        if target != self.source():
            if not Path(target.toLocalFile()).is_file():
                return  # a source file
            self.setSource(target)
        if fragment:
            self._scroll_to(fragment)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load a picture no wider than the page."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        picture = QPixmap(self.source().resolved(QUrl(name)).toLocalFile())
        width = self.viewport().width() - 5 * GRID
        if picture.width() > width > 0:
            mode = Qt.TransformationMode.SmoothTransformation
            return picture.scaledToWidth(width, mode)
        return picture

    def mark(self, words: Sequence[str]) -> None:
        """Mark words, and scroll to the first place where they are consecutive."""
        colour = QTextCharFormat()
        colour.setBackground(QColor(mark_colour(colours_of(self))))
        found: list[QTextEdit.ExtraSelection] = []
        for word in words:
            cursor = QTextCursor(self.document())
            while not (cursor := self.document().find(word, cursor)).isNull():
                selection = QTextEdit.ExtraSelection()
                selection.cursor, selection.format = cursor, colour
                found.append(selection)
        self.setExtraSelections(found)
        self._marked = sorted({one.cursor.selectionStart() for one in found})
        phrase = self.document().find(" ".join(words)) if words else QTextCursor()
        if not phrase.isNull():
            self._show(phrase.selectionStart())
        elif self._marked:
            self._show(self._marked[0])

    def show_next_mark(self) -> None:
        """Scroll to the next marked word, or from the last to the first."""
        later = [place for place in self._marked if place > self._shown]
        if self._marked:
            self._show(later[0] if later else self._marked[0])

    def _show(self, index: int) -> None:
        """Scroll a position to the upper part of the viewport."""
        self._shown = index
        cursor = QTextCursor(self.document())
        cursor.setPosition(index)
        bar, room = self.verticalScrollBar(), self.viewport().height() // 4
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - room)

    def space_out(self) -> None:
        """Add space between paragraphs, and more space above headings."""
        self.document().setDocumentMargin(2 * GRID)
        block = self.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            if cursor.currentTable() is None:
                space = QTextBlockFormat()
                is_heading = block.blockFormat().headingLevel() > 0
                space.setTopMargin(2 * GRID if is_heading else 0)
                space.setBottomMargin(GRID / 2 if block.textList() else GRID)
                cursor.mergeBlockFormat(space)
            block = block.next()

    def _scroll_to(self, anchor: str) -> None:
        block = self.document().begin()
        while block.isValid():
            is_heading = block.blockFormat().headingLevel() > 0
            if is_heading and heading_anchor(block.text()) == anchor:
                place = self.cursorRect(QTextCursor(block)).top()
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + place)
                return
            block = block.next()


class DocumentationDialog(QDialog):
    """The window of the documentation.

    Attributes:
        list: pages that match the search.
        search_field: words to find.
        browser: current page.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Documentation"))
        self._folder = documentation_dir()
        self._pages = list_pages(self._folder, self.tr("Contents"))
        self._texts = [
            page.file.read_text(encoding="utf-8").casefold() for page in self._pages
        ]
        self.list, self.browser = QListWidget(), DocumentationBrowser()
        self.search_field = QLineEdit()
        self._none = make_label(self.tr("No page contains this."), "secondary")
        self._none.hide()
        self._back = make_button(
            self.tr("Back"),
            self.tr("Go back to the previous page (Alt+Left)."),
            self.browser.backward,
        )
        self._fill()
        self._lay_out()
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.search_field.textChanged.connect(self._on_search_changed)
        self.search_field.returnPressed.connect(self.browser.show_next_mark)
        self.browser.sourceChanged.connect(self._on_source_changed)
        self.browser.backwardAvailable.connect(self._back.setEnabled)
        self._back.setEnabled(False)
        for keys, slot in (
            ("Alt+Left", self.browser.backward),
            ("Alt+Right", self.browser.forward),
            ("Ctrl+F", self.search_field.setFocus),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)
        fit_dialog(self, WIDTH, HEIGHT)

    @property
    def titles(self) -> list[str]:
        """The titles of the listed pages."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [item.text() for item in items if not item.isHidden()]

    def show_view_page(self, view: str) -> None:
        """Show the page about a view, or the table of contents."""
        self.show_page(PAGES_OF_VIEWS.get(view, f"{view}.md"))

    def show_page(self, name: str) -> None:
        """Show the page of a file, or the table of contents."""
        files = [page.file.name for page in self._pages]
        self.list.setCurrentRow(files.index(name) if name in files else 0)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self) -> None:
        for page in self._pages:
            self.list.addItem(QListWidgetItem(page.title))
        describe(
            self.list, self.tr("Pages"), self.tr("The pages of the documentation.")
        )
        self.search_field.setPlaceholderText(self.tr("Find pages"))
        self.search_field.setClearButtonEnabled(True)
        hint = self.tr(
            "Show only pages that contain these words, and mark the words (Ctrl+F). "
            "Enter: next place."
        )
        describe(self.search_field, self.tr("Find pages"), hint)

    def _lay_out(self) -> None:
        left = QWidget()
        make_column(self.search_field, self._none, (self.list, 1), parent=left)
        split = make_split(
            left, self.browser, sizes=(LIST_WIDTH, WIDTH - LIST_WIDTH), growing=1
        )
        close = make_button(
            self.tr("Close"), self.tr("Close this window."), self.accept
        )
        buttons = QHBoxLayout()
        buttons.addWidget(self._back)
        buttons.addStretch()
        buttons.addWidget(close)
        for button in (self._back, close):
            button.setAutoDefault(False)
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(split, 1)
        layout.addLayout(buttons)

    def _on_row_changed(self, row: int) -> None:
        url = QUrl.fromLocalFile(str(self._pages[row].file))
        if row >= 0 and url != self.browser.source():
            self.browser.setSource(url)

    def _on_source_changed(self, source: QUrl) -> None:
        """Select the page opened by a link or by Back in the list."""
        self.browser.space_out()
        self.browser.mark(self.search_field.text().split())
        files = [page.file for page in self._pages]
        file = Path(source.toLocalFile())
        if file in files:
            self.list.setCurrentRow(files.index(file))

    def _on_search_changed(self, text: str) -> None:
        wanted = text.casefold().split()
        n_shown = 0
        for row, page in enumerate(self._texts):
            is_shown = _has_words(page, wanted)
            self.list.item(row).setHidden(not is_shown)
            n_shown += is_shown
        self._none.setVisible(not n_shown)
        current = self.list.currentItem()
        if wanted and n_shown and current is not None and current.isHidden():
            rows = range(self.list.count())
            first = next(row for row in rows if not self.list.item(row).isHidden())
            self.list.setCurrentRow(first)  # marks the words
        else:
            self.browser.mark(wanted)


def _has_words(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)
