"""Dialog that trains an encoder further on the user's own pairs."""

from collections.abc import Collection

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.params import Params
from app.params.training.fields import TITLES
from app.params.training.fine_tuning import FineTuneEncoder
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.corpus_choices import (
    describe_corpus,
    linked_pairs,
    suggest_linked,
)
from app.views.widgets.form import FormParts
from app.views.widgets.pair_languages import PairLanguageWarning
from app.views.widgets.pair_weights import PairWeights
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID
from app.views.widgets.training_names import taken_names

SHOWN = ("initial", "corpora", "pair_sets", "pairs", "name")
RARE = (
    *("kept_out", "pair_weights", "n_steps", "batch_size", "lr", "n_warmup"),
    *("n_development", "evaluate_every", "patience", "seed"),
)


class FineTuneDialog(TaskDialog):
    """Asks for an encoder and the pairs to train it on."""

    started = Signal(object)  # RunState

    rare = RARE
    WIDTH = 88 * GRID

    def __init__(
        self,
        state: AppState,
        initial: str,
        parent: QWidget | None = None,
        *,
        values: FineTuneEncoder | None = None,
    ):
        """Make the dialog.

        Args:
            initial: name of the encoder to start from; another one is proposed if it
                can't be trained.
            values: settings of an earlier fine-tuning; None: the defaults, with all
                linked corpora.
        """
        project = state.project
        corpora = state.corpora
        linked = linked_pairs(project) if project is not None else []
        self._linked = [(str(row.id), describe_corpus(row)) for row in linked]
        minings = state.minings
        self._names = {row.name: str(row.id) for row in corpora}
        self._pair_sets = [(str(row.id), row.name) for row in minings]
        cards = state.encoders.cards
        names = [card.name for card in cards if card.is_trainable]
        initial = initial if initial in names or not names else names[-1]
        name = _free_name(
            values.name if values is not None else f"{initial}-mine",
            taken_names(state),
        )
        if values is None:
            proposed = suggest_linked(project) if project is not None else []
            ids = tuple(str(row.id) for row in proposed)
            params = FineTuneEncoder(initial=initial, corpora=ids, name=name)
        else:
            params = msgspec.structs.replace(
                values, initial=initial, name=name, out=None
            )
        hidden = {*FineTuneEncoder.__struct_fields__} - {*SHOWN, *RARE}
        if not self._pair_sets:
            hidden.add("pair_sets")
        super().__init__(state, FineTuneEncoder, params, skip=hidden, parent=parent)
        self.setWindowTitle(self.heading())
        self.name_button(self.tr("Fine-tune encoder"))
        self.form.set_choices("initial", [(name, name) for name in names])
        words = self.tr(
            "A tenth of the pairs of each language, at most {n}, is held out as "
            "development pairs, to measure the error before and after. The error of "
            "other languages is also measured. The result is a new encoder."
        )
        self.show_needs(words.format(n=params.n_development))
        self.pair_languages = PairLanguageWarning(state, "fine-tuning", self)
        self.foot.addWidget(self.pair_languages.label)
        self.form.changed.connect(self._check_languages)

    def heading(self) -> str:
        """Return the heading."""
        return self.tr("Fine-tune on my pairs")

    def _check_languages(self) -> None:
        self.pair_languages.check(self.form.raw().get("pairs") or ())

    def start(self, params: Params) -> None:
        """Start the training, and emit its run."""
        self.started.emit(self._state.run(params))

    def form_parts(self) -> FormParts:
        """Return inputs for the linked corpora and the pair sets."""
        corpora = CheckList(self.tr("Corpora"), self.tr("Corpora to train on."))
        corpora.set_choices(self._linked, self._names)
        pair_sets = CheckList(
            self.tr("Pair sets"),
            self.tr("Accepted pairs to train on, or all pairs if none is judged."),
        )
        names = {name: id_ for id_, name in self._pair_sets}
        pair_sets.set_choices(self._pair_sets, names)
        inputs = {"corpora": corpora.as_field(), "pair_sets": pair_sets.as_field()}
        weights = PairWeights(
            TITLES["pair_weights"], lambda: self.form.raw().get("pairs") or ()
        )
        inputs["pair_weights"] = weights.as_field()
        return FormParts((), TITLES, inputs, wide=(*SHOWN, "pair_weights"))


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return an unused name for an encoder: isogloss-3-mine, isogloss-3-mine-2."""
    base, _, number = name.rpartition("-")
    stem = base if base and number.isdecimal() and name in taken else name
    numbers = range(2, len(taken) + 3)
    names = (stem, *(f"{stem}-{n}" for n in numbers))
    return next(name for name in names if name not in taken)
