"""Loads the encoder of an opened project, and learns which vectors are not its own."""

from typing import TYPE_CHECKING, Any

from app.errors import ErrorInfo
from app.messages import WarmQuery

if TYPE_CHECKING:
    from app.views.state import AppState


def warm_up(state: "AppState") -> None:
    """Ask for the encoder now, so that the first search does not wait for it.

    A corpus that has all its vectors when this is asked, and that the answer names as
    not encoded, has those of another encoder: it counts as not encoded.
    """
    project = state.project
    assert project is not None
    rows = list(project.embeddings)

    def _on_answer(answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo) or state.project is not project:
            return
        lacking = set(answer.get("not_encoded", ()))
        strange = {
            row.fingerprint
            for row in rows
            if row.corpus_id in lacking and row.n_done == row.n_rows
        }
        if strange:
            project.leave_out(strange)
            state.embeddings_changed.emit()

    state.ask(WarmQuery(), _on_answer)
