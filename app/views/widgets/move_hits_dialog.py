"""The dialog that finds the hits of a kept list again in another corpus."""

from collections.abc import Collection, Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.engine.store.hit_rows import HitListRow
from app.engine.store.rows import CorpusRow
from app.params import Params, TaskParams
from app.params.concordance import MoveHits
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import describe
from app.views.widgets.fields import make_choice
from app.views.widgets.form import Form
from app.views.widgets.task_dialog import TaskDialog


class MoveHitsDialog(TaskDialog):
    """Asks which corpus, and what the new list is called."""

    run_wanted = Signal(object)  # MoveHits

    def __init__(
        self,
        state: AppState,
        row: HitListRow,
        corpora: Sequence[CorpusRow],
        parent: QWidget,
    ):
        """Make the dialog; the newest corpus is proposed."""
        self._corpora = corpora
        newest = str(corpora[-1].id) if corpora else ""
        note = self.tr(
            "The sentences of {name} are found again by their text; what has changed "
            "or is gone is told. The list itself stays as it is."
        )
        super().__init__(
            state,
            MoveHits,
            MoveHits(hits=str(row.id), corpus=newest),
            skip=("hits",),
            note=note.format(name=row.name),
            parent=parent,
        )
        self.name_button(self.tr("Move"))
        self.resize(72 * GRID, 48 * GRID)

    def heading(self) -> str:
        """Name the dialog."""
        return self.tr("Move hits to a corpus")

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form with the corpora to choose from."""
        choice = make_choice([(row.name, str(row.id)) for row in self._corpora])
        hint = self.tr("Choose the corpus that was imported anew.")
        describe(choice.widget, self.tr("Corpus"), hint)
        return Form(struct, values, skip=skip, inputs={"corpus": choice})

    def start(self, params: Params) -> None:
        """Hand the job on: its end is told in the view."""
        self.run_wanted.emit(cast("MoveHits", params))
