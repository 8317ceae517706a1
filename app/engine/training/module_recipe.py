"""The recipe of torch modules: any architecture, any objectives."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import torch
from torch import Tensor

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.new_config import vocabulary_files
from app.engine.encoders.units import load_units
from app.engine.encoders.weights import build_module
from app.engine.report import Report
from app.engine.text.vocabulary import load_vocabulary
from app.engine.training.module_trainer import ModuleTrainer, Trained
from app.engine.training.objectives.mixture import make_objectives, parse_objectives
from app.engine.training.objectives.objective import Objective, ObjectiveContext
from app.engine.training.recipe import Initial, Work, check_initial, make_config
from app.errors import UserError
from app.languages import parse_language
from app.params.training import TrainEncoder

if TYPE_CHECKING:
    from app.engine.text.vocabulary import Vocabulary

HEADS = 1  # added to the seed: heads draw other weights than the module


class ModuleRecipe:
    """See `Recipe`."""

    def __init__(
        self,
        work: Work,
        params: TrainEncoder,
        report: Report,
        initial: Initial | None = None,
    ):
        self.device = work.device
        self._work, self._report, self._initial = work, report, initial
        self.config = make_config(params, work)
        self._vocabulary: Vocabulary | None = None
        if params.units == "pieces":
            self._vocabulary = load_vocabulary(work.vocabulary)
        if initial is not None:
            check_initial(self.config, initial, work.vocabulary)
        self._units = load_units(work.vocabulary, self.config)
        objectives = self._make_objectives(params)  # reads the data, once
        self._made: tuple[TrainEncoder, tuple[Objective, ...]] | None
        self._made = params, objectives
        self.n_examples = sum(one.n_examples for one in objectives)
        self.notes = tuple(note for one in objectives for note in one.notes)

    def make(self, params: TrainEncoder) -> ModuleTrainer:
        """Make a trainer; first weights are drawn from the params' seed."""
        torch.manual_seed(params.seed)
        module = self._make_module()
        made, self._made = self._made, None
        if made is not None and made[0] == params:
            objectives = made[1]
        else:
            objectives = self._make_objectives(params)
        weights = [one.weight for one in parse_objectives(params.objectives)]
        trained = Trained(module, self._units, objectives, weights)
        return ModuleTrainer(trained, params, self.device)

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""
        from app.engine.encoders.ngrams import make_romaniser
        from app.engine.encoders.static_folder import save_static
        from app.engine.encoders.weights import save_neural

        if isinstance(self.config, StaticConfig) and self._vocabulary is not None:
            save_static(
                out,
                self.config,
                table=weights["table"].cpu().numpy(),
                vocabulary=self._vocabulary.model_bytes,
                card=card,
                romaniser=make_romaniser() if self.config.n_ngrams else None,
            )
            return
        with torch.device("meta"):  # its weights are those given
            module = build_module(self.config)
        module.load_state_dict(dict(weights), assign=True)
        vocabulary = vocabulary_files(self._work.vocabulary)
        save_neural(out, self.config, module, vocabulary=vocabulary, card=card)

    def _make_module(self) -> SentenceModule:
        """Build the module, with the weights of the initial encoder if there is one."""
        module = build_module(self.config)
        if self._initial is not None:
            module.load_state_dict(self._initial.module.state_dict())
        return module.to(self.device)

    def _make_objectives(self, params: TrainEncoder) -> tuple[Objective, ...]:
        torch.manual_seed(params.seed + HEADS)
        targets = match_codes(params.target_languages, self._work.languages)
        context = ObjectiveContext(
            params=msgspec.structs.replace(params, target_languages=targets),
            files=self._work.files,
            units=self._units,
            vocabulary=self._vocabulary,
            dim=self.config.dim,
            folder=self._work.folder,
            project_folder=self._work.project_folder,
            device=self.device,
            kept_out=self._work.kept_out,
        )
        return make_objectives(context, self._report)


def match_codes(wanted: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    """Write codes as the data write them: eng where files say eng, en where corpora do.

    A code that no file has stays as it is.
    """
    known = {_stored_code(code): code for code in reversed(there)}
    return tuple(
        dict.fromkeys(
            code if code in there else known.get(_stored_code(code), code)
            for code in wanted
        )
    )


def _stored_code(code: str) -> str:
    try:
        return parse_language(code).code
    except UserError:
        return code
