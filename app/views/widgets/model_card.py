"""Model card of an encoder, displayed from its README."""

import logging
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QColor, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from app.views.widgets.controls import describe
from app.views.widgets.dialogs import open_web_page
from app.views.widgets.theme import GRID, ThemeColours, colours_of

log = logging.getLogger("views")

CARD_FILE = "README.md"
MAX_BYTES = 200_000  # of a card; the rest is not shown
WEB = ("http", "https")


class ModelCard(QTextBrowser):
    """Shows Markdown without its HTML; nothing is loaded, links open on a click.

    Attributes:
        text: the Markdown.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.text = ""
        self._tokens: ThemeColours | None = None  # the current colours of the text
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.document().setDocumentMargin(2 * GRID)
        describe(self, self.tr("Model card"), self.tr("How the encoder was made."))

    def show_folder(self, folder: Path) -> None:
        """Show the card of an encoder's folder."""
        text = read_card(folder) or self.tr("There is no model card.")
        if text != self.text:
            self.show_text(text)

    def show_text(self, text: str) -> None:
        """Show Markdown, or a sentence instead of a card."""
        self.text = text
        features = QTextDocument.MarkdownFeature
        self.document().setMarkdown(
            text, features.MarkdownDialectGitHub | features.MarkdownNoHTML
        )
        self._tokens = colours_of(self)
        set_spaces(self.document(), self._tokens)
        self.setTextCursor(QTextCursor(self.document()))  # else it shows the end
        self.verticalScrollBar().setValue(0)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.scheme() in WEB:
            open_web_page(url, self)

    def changeEvent(self, event: QEvent) -> None:
        """Draw links and tables in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() != QEvent.Type.PaletteChange or not self.text:
            return
        if self._tokens is not colours_of(self):  # Qt repeats the event
            place = self.verticalScrollBar().value()
            self.show_text(self.text)
            self.verticalScrollBar().setValue(place)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load no picture or other file that a card refers to."""
        return None


def set_spaces(document: QTextDocument, colours: ThemeColours) -> None:
    """Add space above paragraphs and headings, and thin lines to tables."""
    everything = QTextCursor(document)
    everything.beginEditBlock()  # lay the text out only once
    block = document.begin()
    while block.isValid():
        cursor = QTextCursor(block)
        table = cursor.currentTable()
        if not table:
            style = block.blockFormat()
            style.setTopMargin(GRID * (3 if style.headingLevel() else 1))
            style.setBottomMargin(GRID / 2)
            cursor.setBlockFormat(style)
        elif table.firstPosition() == block.position():
            look = table.format()
            look.setBorderCollapse(True)
            look.setBorder(1)
            look.setBorderStyle(look.BorderStyle.BorderStyle_Solid)
            look.setBorderBrush(QColor(colours.line))
            look.setCellPadding(GRID / 2)
            table.setFormat(look)
        block = block.next()
    everything.endEditBlock()


def read_card(folder: Path) -> str:
    """Read the text of a card; empty if there is no readable card."""
    try:
        with (folder / CARD_FILE).open("rb") as stream:
            return stream.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        log.debug("no card in %s: %s", folder, error)
        return ""
