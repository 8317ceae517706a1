"""The documentation in the window: pages, links, sections, and finding words."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.paths import documentation_dir
from app.views.documentation.dialog import DocumentationDialog, heading_anchor
from app.views.shell.main_window import MainWindow
from app.views.widgets.dialogs import ReportDialog
from app.views.widgets.theme import GRID

ANY_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture
def dialog(open_window: MainWindow, qtbot: QtBot) -> DocumentationDialog:
    action = next(
        action
        for category, action in open_window.menus.actions
        if (category, action.text()) == ("Help", "Documentation")
    )
    assert action.shortcut().toString() == "F1"
    action.trigger()
    (dialog,) = open_window.findChildren(DocumentationDialog)
    qtbot.waitExposed(dialog)
    return dialog


def shown_text(dialog: DocumentationDialog) -> str:
    return dialog.browser.toPlainText()


def test_all_pages_are_listed_in_the_order_of_the_contents(
    dialog: DocumentationDialog,
) -> None:
    assert dialog.titles[:4] == ["Contents", "Corpora", "Sub-corpora", "Search"]
    files = {file.name for file in documentation_dir().glob("*.md")}
    assert len(dialog.titles) == len(files)


def test_it_opens_at_the_page_of_the_view(
    open_window: MainWindow, dialog: DocumentationDialog
) -> None:
    for view, title, heading in (
        ("review", "Review", "Review\nIn Review, annotators"),
        ("classify", "Classification", "Classify\n"),
    ):
        dialog.show_view_page(view)
        assert shown_text(dialog).startswith(heading)
        assert dialog.list.currentItem().text() == title
    dialog.show_view_page("")
    assert shown_text(dialog).startswith("Documentation")


def test_links_open_pages_and_sections_and_the_way_back(
    dialog: DocumentationDialog,
) -> None:
    dialog.show_view_page("review")
    dialog.browser.open_link(QUrl("wordvectors.md#evaluation"))
    assert dialog.list.currentItem().text() == "Word vectors"
    assert dialog.browser.verticalScrollBar().value() > 0
    dialog.browser.backward()
    assert dialog.list.currentItem().text() == "Review"
    dialog.browser.open_link(QUrl("missing.md"))
    assert dialog.list.currentItem().text() == "Review"


def test_other_links_open_in_the_browser_of_the_system(
    dialog: DocumentationDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []

    def _open(url: QUrl) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", _open)
    page = QUrl("https://example.org/page")
    dialog.browser.open_link(page)
    assert opened == [page]
    assert not dialog.findChildren(ReportDialog)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    dialog.browser.open_link(page)
    (told,) = dialog.findChildren(ReportDialog)
    assert told.sentence == (
        "No program on this computer opens https://example.org/page."
    )
    told.accept()


def test_pages_are_found_by_their_words(dialog: DocumentationDialog) -> None:
    dialog.search_field.setText("Krippendorff kappa")
    assert "Review" in dialog.titles
    assert "Search" not in dialog.titles
    dialog.search_field.setText("xyzzy")
    assert dialog.titles == []
    assert dialog._none.isVisible()


def test_found_words_are_marked_and_gone_to(dialog: DocumentationDialog) -> None:
    dialog.search_field.setText("least confident")
    assert dialog.list.currentItem().text() in dialog.titles
    dialog.show_view_page("alignment")
    browser = dialog.browser
    marked = [one.cursor.selectedText().lower() for one in browser.extraSelections()]
    assert {"least", "confident"} <= set(marked)
    first = browser.document().find("least confident")
    assert browser.viewport().rect().contains(browser.cursorRect(first).center())
    QTest.keyClick(dialog.search_field, Qt.Key.Key_Return)
    assert dialog.isVisible()  # Enter goes to the next place
    dialog.search_field.clear()
    assert not browser.extraSelections()


def test_paragraphs_have_room_between_them(dialog: DocumentationDialog) -> None:
    dialog.show_view_page("review")
    block = dialog.browser.document().begin().next()
    assert block.blockFormat().bottomMargin() >= GRID


@pytest.mark.parametrize("file", sorted(documentation_dir().glob("*.md")), ids=str)
def test_every_link_to_a_page_or_section_leads_somewhere(file: Path) -> None:
    for link in ANY_LINK.findall(file.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = file.parent / name if name else file
        if ":" in link or target.suffix != ".md" or target.parent != file.parent:
            continue
        text = target.read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        assert not anchor or anchor in map(heading_anchor, headings), link
