"""Loads the encoder of an opened project, and learns which vectors are not its own."""

from typing import TYPE_CHECKING, Any

from app.errors import ErrorInfo
from app.messages import WarmQuery

if TYPE_CHECKING:
    from app.views.state import AppState


def warm_up(state: "AppState") -> None:
    """Ask for the encoder now, so that the first search does not wait for it.

    From then on, only its own vectors count as those of an encoded corpus.
    """
    project = state.project
    assert project is not None

    def _on_answer(answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo) or state.project is not project:
            return
        fingerprint = str(answer.get("fingerprint", ""))
        if fingerprint != project.fingerprint:
            project.fingerprint = fingerprint
            state.embeddings_changed.emit()

    state.ask(WarmQuery(), _on_answer)
