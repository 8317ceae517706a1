"""Query bar: query, match mode, scope, sort order and neighbour languages."""

from collections.abc import Sequence
from typing import get_args

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QWidget,
)

from app.params.words import SortKey
from app.views.client.project_reader import ProjectReader
from app.views.concordance.delegate import position_colour
from app.views.concordance.neighbours import MAX_LANGUAGES
from app.views.concordance.settings import ConcordanceSettings, toggle_sort
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ElidedLabel,
    PushButton,
    describe,
    make_label,
    make_tool_button,
    restyle,
)
from app.views.widgets.corpus_choices import (
    chip_choices,
    chips_of_ids,
    ids_of_chips,
    language_choices,
)
from app.views.widgets.icons import themed_icon
from app.views.widgets.query_field import QueryField
from app.views.widgets.theme import GRID, colours_of

MAX_LABEL_LENGTH = 24  # characters; longer lists are shortened to the first name


class LanguageMenu(PushButton):
    """Selects up to `most` languages in a menu that stays open.

    Attributes:
        chosen: codes in the order of selection.
        is_automatic: whether the view proposes a language until the user chooses one.
    """

    changed = Signal()

    def __init__(self, title: str, hint: str, most: int, parent: QWidget | None = None):
        """Make the menu; `title` names the purpose of the languages."""
        super().__init__(parent=parent)
        self.chosen: tuple[str, ...] = ()
        self.is_automatic = True
        self._title, self._hint, self._most = title, hint, most
        self._names: dict[str, str] = {}
        self.setProperty("chip", True)
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._fill)
        self.menu().installEventFilter(self)
        self._show()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Set the codes and names of the languages on offer."""
        self._names = dict(choices)
        self.choose(self.chosen, is_automatic=self.is_automatic)
        self.updateGeometry()

    def choose(self, codes: Sequence[str], *, is_automatic: bool = False) -> None:
        """Select at most `most` languages without a signal."""
        self.is_automatic = is_automatic
        known = [code for code in codes if code in self._names]
        self.chosen = tuple(dict.fromkeys(known))[-self._most :]
        self._show()

    def switch(self, code: str) -> None:
        """Select or deselect a language."""
        kept = [one for one in self.chosen if one != code]
        self.choose(kept if code in self.chosen else [*kept, code])
        self.changed.emit()

    def clear(self) -> None:
        """Deselect all languages."""
        self.choose(())
        self.changed.emit()

    def _show(self) -> None:
        """Show the selected languages, shortened if necessary."""
        named = [self._names[code] for code in self.chosen]
        words = self.tr("automatic") if self.is_automatic else self.tr("none")
        if named and self.is_automatic:
            words = self.tr("{languages} (auto)").format(languages=", ".join(named))
        elif named:
            words = ", ".join(named)
        whole = words
        # Without the note, a proposed language fits the width of "automatic".
        shown = named[0] if named and self.is_automatic else words
        if len(whole) > MAX_LABEL_LENGTH and len(named) > 1:
            shown = f"{named[0]} + {len(named) - 1}"
        self.setText(f"{self._title}: {shown}")
        describe(self, f"{self._title}: {whole}", self._hint)
        self.setToolTip(f"{self.accessibleName()}\n{self._hint}")

    def sizeHint(self) -> QSize:
        """Return a size for any language, so that a proposal moves no widget."""
        words = self.tr("automatic"), *self._names.values()
        texts = [self.text(), *(f"{self._title}: {word}" for word in words)]
        flag, metrics = Qt.TextFlag.TextShowMnemonic, self.fontMetrics()  # as Qt does
        widths = [metrics.size(flag, text).width() for text in texts]
        return super().sizeHint() + QSize(max(widths) - widths[0], 0)

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        words = self.tr("Nearest sentences in up to {n} languages")
        menu.addAction(words.format(n=self._most)).setEnabled(False)
        none = menu.addAction(self.tr("None"))
        none.setCheckable(True)
        none.setChecked(not self.chosen and not self.is_automatic)
        none.triggered.connect(lambda: self.clear())
        menu.addSeparator()
        for code, name in self._names.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(code in self.chosen)
            action.setEnabled(code in self.chosen or len(self.chosen) < self._most)
            action.triggered.connect(lambda _=False, c=code: self.switch(c))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the menu open while languages are clicked."""
        if event.type() == QEvent.Type.MouseButtonRelease:
            assert isinstance(event, QMouseEvent), "so Qt types this event"
            action = self.menu().actionAt(event.position().toPoint())
            if action is not None and action.isEnabled() and action.isCheckable():
                action.trigger()
                self._fill()
                return True
        return super().eventFilter(watched, event)


WORD_KEYS: tuple[SortKey, ...] = ("L3", "L2", "L1", "N", "R1", "R2", "R3")
KEYS: tuple[SortKey, ...] = (*WORD_KEYS, "position", "random")
RANKS = ("①", "②", "③")
GAP = 4


class SortBar(QWidget):
    """A button for each sort key; selected buttons show their rank.

    Buttons reserve space for the rank, so that no button moves on a click.

    Attributes:
        sort: selected keys in order; empty: text order.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        assert set(KEYS) == set(get_args(SortKey))
        self.sort: tuple[SortKey, ...] = ()
        row = self._row = WrappingRow(GAP)
        self.setLayout(row)
        row.addWidget(make_label(self.tr("Sort"), "secondary"))
        self.buttons: dict[SortKey, PushButton] = {}
        for key in KEYS:
            self.buttons[key] = self._make(key)
            row.addWidget(self.buttons[key])
        self._fit_ranks()
        self._show()

    def add_end(self, widget: QWidget) -> None:
        """Add a widget at the end of the row."""
        self._row.add_stretch()
        self._row.addWidget(widget)

    def choose(self, sort: Sequence[SortKey]) -> None:
        """Sort by these keys, and emit a signal if the order changes."""
        if tuple(sort) != self.sort:
            self.show_sort(sort)
            self.changed.emit()

    def show_sort(self, sort: Sequence[SortKey]) -> None:
        """Show a sort order without a signal."""
        self.sort = tuple(sort)
        self._show()

    def _make(self, key: SortKey) -> PushButton:
        button = PushButton(self._title(key))
        button.setProperty("chip", True)
        button.setProperty("sort", True)
        button.setCheckable(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._on_clicked(key))
        return button

    def _on_clicked(self, key: SortKey) -> None:
        wanted = () if key == "position" else toggle_sort(self.sort, key)
        self.choose(wanted)
        self._show()

    def _show(self) -> None:
        for key, button in self.buttons.items():
            is_chosen = key in self.sort or (key == "position" and not self.sort)
            rank = RANKS[self.sort.index(key)] if key in self.sort else ""
            button.setChecked(is_chosen)
            if key in WORD_KEYS:
                self._show_rank(button, key, rank)
            describe(button, self._name(key), self._hint(key, rank))

    def _show_rank(self, button: PushButton, key: SortKey, rank: str) -> None:
        """Show the rank of a sort key; empty if it is not selected."""
        title, colour = self._title(key), position_colour(key, colours_of(self)).name()
        weight = 600 if rank else 400
        edge = f"border-color: {colour};" if rank else ""
        button.setText(f"{title} {rank}" if rank else title)
        button.setStyleSheet(
            f"QPushButton {{ color: {colour}; font-weight: {weight}; {edge} "
            "padding-left: 4px; padding-right: 4px; }"
            "QPushButton:focus { padding-left: 3px; padding-right: 3px; }"
        )

    def _fit_ranks(self) -> None:
        """Set the width of each button for its widest rank."""
        for key in WORD_KEYS:
            button = self.buttons[key]
            button.setMinimumWidth(0)
            widths = []
            for rank in RANKS:
                self._show_rank(button, key, rank)
                widths.append(button.sizeHint().width())
            button.setMinimumWidth(max(widths))

    def _title(self, key: SortKey) -> str:
        names: dict[SortKey, str] = {
            "N": self.tr("Hit"),
            "position": self.tr("Text order"),
            "random": self.tr("Random"),
        }
        return names.get(key, key)

    def _name(self, key: SortKey) -> str:
        return self.tr("Sort by {key}").format(key=self._title(key))

    def _hint(self, key: SortKey, rank: str) -> str:
        if key == "position":
            return self.tr("Show the lines in text order.")
        if key == "random":
            return self.tr("Show the lines in a reproducible random order.")
        if key == "N":
            words = self.tr("Sort by the hit itself.")
        elif key[0] == "L":
            words = self.tr("Sort by word {n} to the left of the hit (key ←).")
        else:
            words = self.tr("Sort by word {n} to the right of the hit (key →).")
        more = self.tr(" Current rank: {rank}. Click to remove it.")
        return words.format(n=key[-1]) + (more.format(rank=rank) if rank else "")

    def changeEvent(self, event: QEvent) -> None:
        """Redraw after a change of theme or text size."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in kinds and hasattr(self, "buttons"):
            self._fit_ranks()
            self._show()


MAX_CHARACTERS = 1_000  # maximum of a query, as in `ConcordanceQuery`


class ConcordanceQueryBar(QWidget):
    """The query and the display settings of its lines."""

    submitted = Signal()  # Enter, or a change of mode, filter or order

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QueryField(self)
        self.field.setMaxLength(MAX_CHARACTERS)
        self.field.setToolTip(
            self.tr("Enter searches; Enter again moves to the results.")
        )
        self.languages = Chips(self.tr("All languages"), self)
        self.corpora = Chips(self.tr("All corpora"), self)
        self.neighbours = LanguageMenu(
            self.tr("Nearest in"),
            self.tr(
                "Show the nearest sentence in up to three languages below each line."
            ),
            MAX_LANGUAGES,
        )
        self.sort = SortBar(self)
        self.words, self.regex = self._make_modes()
        self.case = self._make_chip(self.tr("Aa"), self.tr("Match case (Ctrl+U)."))
        describe(self.case, self.tr("Match case"), self.tr("Match case (Ctrl+U)."))
        self.error = make_label("", "warning", wraps=True)
        self.error.hide()
        self.count = ElidedLabel("secondary")
        self._tools = QHBoxLayout()
        self._lay_out()
        self._connect()
        self._show_mode()

    def set_actions(self, back: QAction, forward: QAction, syntax: QAction) -> None:
        """Show the view's actions next to the query."""
        self._icons = {"back": back, "forward": forward}
        for action in (back, forward):
            self._tools.addWidget(make_tool_button(action))
        button = make_tool_button(syntax)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._first.addWidget(button)
        self.show_theme()

    def add_tools(self, widget: QWidget) -> None:
        """Add a widget at the end of the row with the count."""
        policy = QSizePolicy.Policy
        widget.setSizePolicy(policy.Maximum, policy.Fixed)
        self._last.addWidget(widget, 2)

    def show_theme(self) -> None:
        """Draw the icons in the current colours."""
        self.field.show_theme()
        for name, action in self._icons.items():
            action.setIcon(themed_icon(name, colours_of(self)))

    def show_corpora(self, project: ProjectReader | None) -> None:
        """Offer the languages, corpora and sub-corpora of the project for selection."""
        named = language_choices(project.corpora if project is not None else [])
        self.languages.set_choices(named)
        self.neighbours.set_choices(named)
        wanted = chip_choices(project)
        self.corpora.set_choices(wanted)
        self.languages.setVisible(len(named) > 1)
        self.corpora.setVisible(len(wanted) > len(named))
        self.neighbours.setVisible(len(named) > 1)

    # --- settings ---

    def settings(self) -> ConcordanceSettings:
        """Return the settings in the bar."""
        chosen = ids_of_chips(self.corpora.chosen)
        return ConcordanceSettings(
            text=self.field.text(),
            mode="regex" if self.regex.isChecked() else "words",
            case=self.case.isChecked(),
            corpora=chosen.corpora,
            subcorpora=chosen.subcorpora,
            languages=self.languages.chosen,
            sort=self.sort.sort,
        )

    def show_settings(self, settings: ConcordanceSettings) -> None:
        """Show settings without a signal."""
        self.field.show_query(settings.text, None)
        (self.regex if settings.mode == "regex" else self.words).setChecked(True)
        self.case.setChecked(settings.case)
        self.sort.show_sort(settings.sort)
        for chips, keys in (
            (self.languages, settings.languages),
            (self.corpora, chips_of_ids(settings.corpora, settings.subcorpora)),
        ):
            chips.blockSignals(True)
            chips.choose(keys)
            chips.blockSignals(False)
        self._show_mode()

    def switch_mode(self) -> None:
        """Switch between words and a regular expression."""
        (self.words if self.regex.isChecked() else self.regex).click()

    def show_status(self, text: str) -> None:
        """Show the number of hits, or the progress."""
        self.count.setText(text)

    def show_error(self, text: str) -> None:
        """Show an error below the query, or hide it."""
        self.error.setText(text)
        self.error.setVisible(bool(text))
        restyle(self.field, "wrong", bool(text))

    # --- private ---

    def _make_modes(self) -> tuple[PushButton, PushButton]:
        group = QButtonGroup(self)
        buttons = []
        for text, hint in (
            (
                self.tr("Words"),
                self.tr("Search for words, phrases, haus* or lemma:go (Ctrl+M)."),
            ),
            (self.tr("Regex"), self.tr("Search with a regular expression (Ctrl+M).")),
        ):
            button = self._make_chip(text, hint)
            group.addButton(button)
            buttons.append(button)
        buttons[0].setChecked(True)
        return buttons[0], buttons[1]

    def _make_chip(self, text: str, hint: str) -> PushButton:
        button = PushButton(text)
        button.setCheckable(True)
        button.setProperty("chip", True)
        describe(button, text, hint)
        button.clicked.connect(self._on_submitted)
        return button

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._on_submitted)
        self.languages.changed.connect(self._on_submitted)
        self.corpora.changed.connect(self._on_submitted)
        self.sort.changed.connect(self._on_submitted)

    def _on_submitted(self) -> None:
        self._show_mode()
        self.submitted.emit()

    def _show_mode(self) -> None:
        words = self.tr("Word, phrase, haus*, *ung or lemma:go")
        if self.regex.isChecked():
            words = self.tr("Regular expression")
        self.field.setPlaceholderText(words)

    def _lay_out(self) -> None:
        self._first = QHBoxLayout()
        self._first.setSpacing(GRID)
        self._tools.setSpacing(2)
        self._first.addLayout(self._tools)
        self._first.addWidget(self.field, 1)
        ways = make_row((self.languages, 1), gap=6)
        for button in (self.words, self.regex, self.case):
            ways.addWidget(button)
        self.sort.add_end(self.neighbours)
        self._last = make_row((self.count, 3))
        layout = make_column(parent=self, margins=(0, 0, GRID, 0))
        # The error comes last, so that no chip moves under the pointer.
        for row in (self._first, ways, self.corpora, self.sort, self._last, self.error):
            if isinstance(row, QWidget):
                layout.addWidget(row)
            else:
                layout.addLayout(row)
