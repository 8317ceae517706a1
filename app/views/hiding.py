"""Hide, remove and bring back sentences; a message offers to undo it."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.corpus_changes import HideSentences, ShowSentences
from app.views.deletions import delete
from app.views.state import AppState
from app.views.widgets.message_bar import MessageBar
from app.views.words import format_count

MOST_NAMED = 1_000  # ids or places that a change names; more stand in a file


def hide(
    state: AppState,
    messages: MessageBar,
    ids: Sequence[int],
    *,
    to: Literal["hidden", "removed"] = "hidden",
) -> None:
    """Leave sentences out of everything."""
    named, file = name_or_file(state, ids)
    if to == "removed":
        one, many = _tr("1 sentence is removed."), _tr("{n} sentences are removed.")
    else:
        one = _tr("1 sentence is hidden: it takes part in nothing.")
        many = _tr("{n} sentences are hidden: they take part in nothing.")
    text = one if len(ids) == 1 else many.format(n=format_count(len(ids)))
    change = HideSentences(sentences=named, file=file, state=to)
    delete(state, messages, change, text)


def show_again(
    state: AppState, messages: MessageBar, ids: Sequence[int] | NDArray[np.int64]
) -> None:
    """Bring sentences back."""
    named, file = name_or_file(state, ids)
    many = _tr("{n} sentences take part again.")
    text = many.format(n=format_count(len(ids)))
    if len(ids) == 1:
        text = _tr("The sentence takes part again.")
    delete(state, messages, ShowSentences(sentences=named, file=file), text)


def name_or_file(
    state: AppState, ids: Sequence[int] | NDArray[np.int64]
) -> tuple[tuple[int, ...], Path | None]:
    """Name ids or places in a change, or put them in a file of the window's caches."""
    project, wanted = state.project, np.asarray(ids, np.int64)
    if len(wanted) <= MOST_NAMED or project is None:
        return tuple(wanted.tolist()), None
    folder = project.folder / "arrays" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"named-{secrets.token_hex(4)}.npy"
    np.save(file, wanted)
    return (), file


def _tr(text: str) -> str:
    return QCoreApplication.translate("hiding", text)
