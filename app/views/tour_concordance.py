"""The tour's part on the concordance: words, scripts, expressions, kept hits."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.params.concordance import Concordance
from app.views.concordance_question import ConcordanceQuestion
from app.views.widgets.hit_list_dialog import HitListDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

ENGLISH = ConcordanceQuestion(text="the", sort=("R1", "R2"), languages=("en",))
ARABIC = ConcordanceQuestion(
    text=r"\bال\w+", mode="regex", sort=("L1", "R1"), languages=("ar",)
)
JAPANESE = ConcordanceQuestion(text="が", sort=("L1", "L2"), languages=("ja",))
WRONG = ConcordanceQuestion(text="(sea|shore", mode="regex")
KEPT = {"Water in every text": "water", "Days": "day*"}


class ConcordanceTour:
    """Asks for words."""

    def __init__(self, stage: "TourStage"):
        """Take a stage."""
        self._stage = stage
        self._window, self._state = stage.window, stage.state

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "concordance-start": self._show_beginning,
            "concordance": partial(self._ask, ENGLISH, ("de",)),
            "concordance-arabic": partial(self._ask, ARABIC, ("en", "fr")),
            "concordance-japanese": self._show_japanese,
            "concordance-error": self._show_error,
            "concordance-kept": self._show_kept,
        }

    def _view(self) -> Any:
        self._window.show_view("concordance")
        return self._window.view

    def _show_beginning(self) -> None:
        self._state.select_sentence(None)
        self._view().forget()

    def _ask(self, question: ConcordanceQuestion, near: tuple[str, ...]) -> None:
        view = self._view()
        view.near.choose(near)
        view.ask(question)
        while view.desk.is_waiting or view.desk.shown.not_indexed:
            self._stage.wait(view.lines_shown, lambda: None)
        view.table.select_row(3)
        self._state.select_sentence(view.table.current_line[0])
        self._stage.wait(view.neighbours.settled, view.neighbours.look)
        view.focus_first()
        inspector: Any = self._window.inspector_dock.widget()
        self._stage.wait(inspector.neighbours_shown, inspector.ask_neighbours)

    def _show_japanese(self) -> None:
        self._ask(JAPANESE, ("en",))
        view = self._view()
        if view.page.shares.isHidden():
            view.toggle_shares()

    def _show_error(self) -> None:
        self._ask(ENGLISH, ("de",))
        view = self._view()
        if not view.page.shares.isHidden():
            view.toggle_shares()
        self._stage.wait(view.lines_shown, partial(view.ask, WRONG))

    def _show_kept(self) -> QWidget:
        self._ask(ENGLISH, ("de",))
        dialog = HitListDialog(self._state, self._window)
        for name, text in KEPT.items():
            if name not in [row.name for row in dialog.rows]:
                params = Concordance(text=text, save=name)
                run = partial(self._state.run, params)
                self._stage.wait(self._state.run_finished, run)
                dialog.refresh()
        self._window.message_bar.clear()
        dialog.open()
        return dialog
