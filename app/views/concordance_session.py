"""What is kept of a concordance from one session to the next."""

from typing import TYPE_CHECKING, Any

from app.views.concordance_question import read_concordance

if TYPE_CHECKING:
    from app.views.concordance_view import ConcordanceView


class ConcordanceSession:
    """Saves question and place; the place comes back when its lines are there."""

    def __init__(self, view: "ConcordanceView"):
        """Begin with nothing to bring back."""
        self._view = view
        self._restored: dict[str, Any] = {}

    def save(self) -> dict[str, Any]:
        """Give the question, what is shown beside the lines, and the place."""
        view = self._view
        question, line = view.bar.question(), view.table.current_line
        return {
            "question": question.to_json(),
            "near": view.near.save(),
            "line": list(line) if line is not None else None,
            "top": view.table.top_row,
            "shares": not view.page.shares.isHidden(),
            "summary": question.text,  # for the list of past sessions
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        view = self._view
        question = read_concordance(state.get("question", {}))
        view.near.restore(state.get("near"))
        view.page.shares.setVisible(bool(state.get("shares")))
        view.bar.show_question(question)
        if not question.is_empty:
            self._restored = state
            view.trail.add(question)
            view.ask(question, is_new=False)

    def restore_place(self, *, is_whole: bool) -> None:
        """Select and scroll as a former session had it, once its lines are there."""
        place, table = self._restored, self._view.table
        line, top = place.get("line"), place.get("top")
        is_found = not line or table.select_line((line[0], line[1]))
        if isinstance(top, int) and top < table.lines.rowCount() and is_found:
            table.scroll_to_row(top)
            self._restored = {}
        if is_whole:
            self._restored = {}
