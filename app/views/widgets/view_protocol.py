"""Protocols that views implement, and their navigation entries."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

N_DIGIT_SHORTCUTS = 9  # views that a digit calls; Ctrl+0 is the normal text size
CLOSING_KEY = 4  # the function key that closes with Ctrl


class View(Protocol):
    """A page of the window; every view is also a QWidget (so it has `actions()`).

    Attributes:
        title: the view's name, as the navigation shows it.
    """

    title: str

    def actions(self) -> Sequence[QAction]:
        """Return the view's actions, for the palette and the cheat-sheet.

        QWidget has this method: a view only calls `addAction`. The text says what is
        done, the shortcut works while the view is shown.
        """
        ...

    def save_state(self) -> dict[str, Any]:
        """Return the state of the view: filters, scroll, query; plain JSON values.

        It is called every few seconds and must be quick. The key "summary", if there is
        one, is a short text that the list of past sessions shows.
        """
        ...

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore a state from `save_state`, possibly of an older version.

        Keys may be missing, and ids may refer to deleted rows.
        """
        ...

    def focus_first(self) -> None:
        """Set the focus where work begins (called when the view is shown)."""
        ...


class SentenceText(NamedTuple):
    """The text of a sentence and the code of its language."""

    text: str = ""
    language: str = ""


class TextLookup(NamedTuple):
    """A request for a concordance.

    Attributes:
        text: query: a word, a phrase, haus*, lemma:go, pos:VERB.
        corpora: ids; without corpora and sub-corpora: the complete project.
        subcorpora: ids.
        languages: codes; empty: all.
    """

    text: str
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class ReadingRequest(NamedTuple):
    """A sentence to read next to its translations.

    Attributes:
        others: ids of sentences whose corpora to show next to it; empty: the corpus
            with the most links.
        alignment: id of the alignment to read; 0: the newest, or the imported links.
    """

    sentence: int
    others: tuple[int, ...] = ()
    alignment: int = 0


def view_shortcut(index: int) -> str:
    """Return the shortcut of an index: Ctrl+1 … Ctrl+9, then Ctrl+F1 and so on.

    Ctrl+F4 is left out: it closes the project.
    """
    if index < N_DIGIT_SHORTCUTS:
        return f"Ctrl+{index + 1}"
    number = index - N_DIGIT_SHORTCUTS + 1
    return f"Ctrl+F{number + (number >= CLOSING_KEY)}"


class ViewEntry(NamedTuple):
    """An entry of the navigation.

    Attributes:
        name: stable name, the key of the view's saved state.
        title: title in the navigation.
        icon: name of a file in resources/icons, without .svg.
        hint: one sentence for the tooltip.
        make: makes the view (a QWidget that keeps `View`) in a parent, when it is first
            shown. Qt styles a widget again whenever it gets another parent.
        has_sentences: users select sentences in it, so it shows the inspector.
        group: title of the part of the navigation that it belongs to.
        synonyms: other words that find it in the command palette.
    """

    name: str
    title: str
    icon: str
    hint: str
    make: Callable[[QWidget], QWidget]
    has_sentences: bool = True
    group: str = ""
    synonyms: str = ""


@runtime_checkable
class SelectionPanel(Protocol):
    """A panel next to the views that shows the selection: the inspector."""

    def show_beside(self, view: object) -> None:
        """Show the selection of another view after the view is painted."""
        ...


@runtime_checkable
class ContextShower(Protocol):
    """A view that shows a sentence among those around it, and its translations."""

    def ids_around(self, sentence_id: int) -> frozenset[int]:
        """Return the ids of the sentences that the view shows as context."""
        ...


@runtime_checkable
class AgeShower(Protocol):
    """A page that shows how long ago something was."""

    def show_ages(self) -> None:
        """Update the ages."""
        ...


@runtime_checkable
class RunShower(Protocol):
    """A view that shows one run at a time: the training view."""

    def show_run(self, run_id: int) -> None:
        """Show a run, if it is one of the view's."""
        ...


@runtime_checkable
class ReadingRequester(Protocol):
    """A view with links or pairs of sentences: align, mine, review."""

    def reading_request(self) -> ReadingRequest | None:
        """Return the selected sentence and those beside it; None: none is selected."""
        ...


@runtime_checkable
class SentencePairProvider(Protocol):
    """A view with sentences that can be looked into: search, review, corpora."""

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the two sentences that are compared here; empty ones where none is."""
        ...


@runtime_checkable
class SentencePairScorer(Protocol):
    """A view that shows a score of its two sentences: search."""

    def scoring_encoder(self) -> str:
        """Return the name of the encoder of the score; empty: the one in use."""
        ...


@runtime_checkable
class PageShower(Protocol):
    """A view with several pages: the words view."""

    def show_page(self, name: str) -> None:
        """Show a page by its name."""
        ...
