"""Delete, hide and restore rows with a message that offers Undo."""

import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QPushButton

from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.corpora import HideSentences, ShowSentences
from app.views.client.state import AppState
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count

_tr = partial(QCoreApplication.translate, "deletions")

UNDO_TOPIC = "undo"  # of messages about what Undo can take back


def delete_with_undo(
    state: AppState, messages: MessageBar, change: Change, text: str
) -> None:
    """Delete something and show a message with Undo, or why it failed.

    Args:
        messages: of the view: older ones go.
    """

    def _tell(answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            state.error_posted.emit(answer)
        elif shiboken6.isValid(messages):  # the view may be closed by now
            offer_undo(state, messages, text, _tr("Restore it (Ctrl+Z)."))

    state.edit(change, _tell)


def offer_undo(
    state: AppState,
    messages: MessageBar,
    text: str,
    hint: str,
    *,
    others: Sequence[QPushButton] = (),
) -> None:
    """Show what was done, with an Undo button and others; older messages go.

    The offer goes too as soon as there is another change: the button would undo that.
    """
    undo = make_button(_tr("Undo"), hint, state.undo)
    offer = _UndoOffer(messages, text, undo)
    state.changes.sent.connect(offer.withdraw)
    messages.clear()
    messages.post(text, buttons=[undo, *others], topic=UNDO_TOPIC)


class _UndoOffer(QObject):
    """A message that lives as long as its button, and can be withdrawn until then."""

    def __init__(self, messages: MessageBar, text: str, button: QObject):
        super().__init__(button)
        self._messages, self._text = messages, text

    def withdraw(self) -> None:
        """Remove the message."""
        self._messages.withdraw(self._text)


MAX_INLINE_IDS = 1_000  # most ids or indices in a change; more are in a file


def hide_sentences(
    state: AppState,
    messages: MessageBar,
    ids: Sequence[int],
    *,
    to: Literal["hidden", "removed"] = "hidden",
) -> None:
    """Hide or remove sentences, so that nothing uses them."""
    named, file = ids_or_file(state, ids)
    if to == "removed":
        one, many = _tr("1 sentence is removed."), _tr("{n} sentences are removed.")
    else:
        one = _tr("1 sentence is hidden and no longer used.")
        many = _tr("{n} sentences are hidden and no longer used.")
    text = one if len(ids) == 1 else many.format(n=format_count(len(ids)))
    change = HideSentences(sentences=named, file=file, state=to)
    delete_with_undo(state, messages, change, text)


def unhide_sentences(
    state: AppState, messages: MessageBar, ids: Sequence[int] | NDArray[np.int64]
) -> None:
    """Show hidden sentences again."""
    named, file = ids_or_file(state, ids)
    many = _tr("{n} sentences are shown again.")
    text = many.format(n=format_count(len(ids)))
    if len(ids) == 1:
        text = _tr("The sentence is shown again.")
    delete_with_undo(state, messages, ShowSentences(sentences=named, file=file), text)


def ids_or_file(
    state: AppState, ids: Sequence[int] | NDArray[np.int64]
) -> tuple[tuple[int, ...], Path | None]:
    """Return ids or indices for a change, or write them to a cache file."""
    project, wanted = state.project, np.asarray(ids, np.int64)
    if len(wanted) <= MAX_INLINE_IDS or project is None:
        return tuple(wanted.tolist()), None
    folder = project.folder / "arrays" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"named-{secrets.token_hex(4)}.npy"
    np.save(file, wanted)
    return (), file
