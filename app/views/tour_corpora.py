"""The tour's part on sub-corpora: the chain of one, and the view that shows it."""

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.corpus_changes import HideSentences
from app.engine.store.rows import first_id
from app.params import MakeSubcorpus
from app.views.widgets.chain_dialog import ChainDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

NAME = "Water in short sentences"
STEPS = ("language en", "length max=90", "near text='boats on the water' top=60")
HIDDEN = (3, 4, 7)  # positions in the first corpus


class CorporaTour:
    """Makes a sub-corpus of the samples, and hides some sentences."""

    def __init__(self, stage: "TourStage"):
        """Take a stage."""
        self._stage, self._state = stage, stage.state

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {"corpora-chain": self._show_chain, "corpora-part": self._show_part}

    def _show_part(self) -> None:
        """Show the sentences of the sub-corpus, some of them hidden."""
        self._prepare()
        view = self._view()
        view.parts.list.choose(view.parts.list.ids[0])
        self._stage.wait(view.sentences_shown, view.page.refresh)
        view.page.table.select_sentence(view.page.table.page_model.id_at(2))

    def _show_chain(self) -> QWidget:
        self._prepare()
        project = self._state.project
        assert project is not None
        dialog = ChainDialog(self._state, project.subcorpora[0], parent=self._view())
        self._stage.wait(dialog.counted, dialog.open)
        return dialog

    def _prepare(self) -> None:
        project = self._state.project
        assert project is not None
        if project.subcorpora:
            return
        params = MakeSubcorpus(steps=STEPS, name=NAME)
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
        self._stage.wait_until(
            self._state.corpora_changed, lambda: bool(project.subcorpora)
        )
        first = first_id(next(iter(project.subcorpora[0].counts)))
        ids = tuple(first + place for place in HIDDEN)
        self._stage.edit(HideSentences(sentences=ids))
        self._stage.wait_until(self._state.kinds_changed, lambda: bool(project.hidden))
        self._stage.window.message_bar.clear()

    def _view(self) -> Any:
        self._stage.window.show_view("corpora")
        return self._stage.window.view
