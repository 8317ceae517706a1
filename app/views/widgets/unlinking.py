"""Remove the links of rejected pairs, after a question."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.links import find_rejected_links
from app.protocol.edits.links import UnlinkRejected
from app.views.client.state import AppState
from app.views.widgets.controls import add_action
from app.views.widgets.dialogs import ask_question
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import pluralize
from app.views.widgets.undo_messages import delete_with_undo

_tr = partial(QCoreApplication.translate, "unlinking")


def describe_rejected_links() -> str:
    """Explain the effect of rejected pairs in a parallel text."""
    return _tr("Rejected pairs stay known translations until you unlink them.")


def add_unlinking(view: QWidget, slot: Callable[[], object]) -> QAction:
    """Add the action to a view that shows pair sets."""
    hint = _tr("Remove the links between the sentences of rejected pairs.")
    hint = f"{hint} {describe_rejected_links()}"
    return add_action(view, _tr("Unlink rejected pairs…"), hint, slot)


def ask_unlinking(
    state: AppState, messages: MessageBar, mining: int, parent: QWidget
) -> None:
    """Ask whether to remove the links of the rejected pairs of a set.

    Args:
        state: state of the window.
        messages: message bar of the view, which offers Undo.
        mining: id of the pair set.
        parent: parent of the question.
    """
    project = state.project
    n = len(find_rejected_links(project.store, mining)) if project is not None else 0
    if not n:
        state.notice_posted.emit(_tr("No rejected pair of this pair set is linked."))
        return
    links = pluralize(n, _tr("1 link"), _tr("{n} links"))
    removed = _tr("Removed {links}.").format(links=links)
    details = _tr(
        "The sentences are then no longer known translations of each other: Read and "
        "its exports, Search and Concordance leave these pairs out."
    )
    remove = partial(
        delete_with_undo, state, messages, UnlinkRejected(mining=mining), removed
    )
    ask_question(
        parent,
        _tr("Remove {links} of rejected pairs?").format(links=links),
        {_tr("Remove {links}").format(links=links): remove},
        details=details,
    )
