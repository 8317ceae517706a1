"""Actions on the rows of a word list: concordance, collocates, equivalents, copy."""

from collections.abc import Callable
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.params.words import Layer
from app.protocol.answers.words import WordRow
from app.views.client.state import AppState
from app.views.widgets.controls import add_action
from app.views.widgets.dialogs import copy_text
from app.views.widgets.number_format import pluralize
from app.views.widgets.view_protocol import TextLookup
from app.views.words.columns import table_of
from app.views.words.session import WordListSession
from app.views.words.settings import PageName, WordListSettings
from app.views.words.table import WordTable


class WordActions(QObject):
    """Makes and performs the actions on rows of the table.

    Attributes:
        actions: by name.
    """

    query_requested = Signal(object)  # WordListSettings of another list for a word

    def __init__(
        self,
        state: AppState,
        session: WordListSession,
        table: WordTable,
        settings: Callable[[], WordListSettings],
        view: QWidget,
    ):
        """Add the actions to the view; they apply to the list of the session."""
        super().__init__(view)
        self._state, self._session, self._table = state, session, table
        self._settings = settings
        self.actions = self._make_actions(view)
        table.opened.connect(self.open)

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        for name in ("open", "collocates", "equivalents"):
            self.actions[name].setEnabled(self._table.current_row is not None)
        self.actions["copy"].setEnabled(bool(self._table.words.rows))

    def open(self, row: WordRow) -> None:
        """Show the occurrences of a word in the concordance."""
        if (shown := self._session.shown) is not None:
            lookup = concordance_request(shown.settings, row)
            self._state.view_requests.concordance_requested.emit(lookup)

    def copy_rows(self) -> None:
        """Copy the selected rows, or all loaded rows, with the headings."""
        selected = self._table.selected_rows
        rows = selected if len(selected) > 1 else self._table.words.rows
        shown = self._session.shown
        if shown is None:
            return
        table = table_of(shown._replace(rows=rows))
        copy_text("\n".join("\t".join(line) for line in table))
        one, many = self.tr("Copied 1 row."), self.tr("Copied {n} rows.")
        self._state.notice_posted.emit(pluralize(len(rows), one, many))

    def _open_current(self) -> None:
        if (row := self._table.current_row) is not None:
            self.open(row)

    def _show_page(self, page: PageName) -> None:
        """Request another list of the current word."""
        row, shown = self._table.current_row, self._session.shown
        if row is not None and shown is not None:
            text = _query_text(shown.settings.layer, row.item)
            self.query_requested.emit(
                msgspec.structs.replace(self._settings(), page=page, text=text)
            )

    def _make_actions(self, view: QWidget) -> dict[str, QAction]:
        add, tr = partial(add_action, view), self.tr
        return {
            "open": add(
                tr("Show occurrences"),
                tr("Show the concordance of the selected word."),
                self._open_current,
                "Ctrl+Return",
            ),
            "collocates": add(
                tr("Show collocates"),
                tr("List the words that occur near the selected word."),
                partial(self._show_page, "collocates"),
                "Ctrl+Shift+K",
            ),
            "equivalents": add(
                tr("Show equivalents"),
                tr("List translations of the selected word."),
                partial(self._show_page, "equivalents"),
                "Ctrl+T",
            ),
            "copy": add(
                tr("Copy rows"),
                tr("Copy the selected rows, or all, for a spreadsheet."),
                self.copy_rows,
                QKeySequence.StandardKey.Copy,
            ),
        }


def concordance_request(settings: WordListSettings, row: WordRow) -> TextLookup:
    """Return the concordance request of a row; for equivalents, in their language."""
    text = _query_text(settings.layer, row.item)
    if settings.page == "equivalents":
        return TextLookup(text, languages=(settings.target_language,))
    return TextLookup(text, settings.corpora, settings.subcorpora, settings.languages)


def _query_text(layer: Layer, item: str) -> str:
    """Return the query for an item; lemmas and parts of speech get their prefix."""
    if layer in ("lemma", "pos"):
        return " ".join(f"{layer}:{word}" for word in item.split())
    return item
