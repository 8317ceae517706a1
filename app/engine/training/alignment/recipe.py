"""Recipe to train and save an encoder of another language (see `Recipe`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from app.engine.encoders.configs import BilstmConfig, StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.static.module import StaticModule
from app.engine.encoders.tokenisers import load_tokeniser
from app.engine.encoders.weights import build_module, save_weights
from app.engine.runtime.report import Report
from app.engine.training.alignment.data import make_alignment_data
from app.engine.training.alignment.losses import AlignmentObjective, LossSettings
from app.engine.training.trainers.module_trainer import ModuleTrainer, TrainableModule
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

AlignedConfig = StaticConfig | BilstmConfig


class AlignmentInputs(NamedTuple):
    """Inputs to train an added language.

    Attributes:
        file: TSV of training pairs.
        vocabulary: folder of the other language's vocabulary.
        folder: work folder.
        device: torch device.
    """

    file: Path
    vocabulary: Path
    folder: Path
    device: str


class AlignmentRecipe:
    """See `Recipe`: X-CBOW or X-BiLSTM (Conneau et al. 2018, XNLI, section 4.2).

    X-CBOW is the mean of learned vectors, here of pieces and of hashed character
    n-grams instead of words. It is saved as a static encoder, which computes the sum:
    sum and mean have the same direction.

    Attributes:
        device, n_examples, n_inference, notes: see `Recipe`.
        config: config of the encoder.
    """

    def __init__(
        self,
        config: AlignedConfig,
        loss: LossSettings,
        english: "Encoder",
        inputs: AlignmentInputs,
        report: Report,
    ):
        """Encode the English side and tokenise the other, or find both in the folder.

        Args:
            config: config of the encoder to train.
            english: frozen encoder.
            inputs: pairs, vocabulary, folder and device.
        """
        self.config, self.device = config, inputs.device
        self._loss, self._vocabulary = loss, inputs.vocabulary
        self._tokeniser = load_tokeniser(inputs.vocabulary, config)
        self._data = make_alignment_data(
            inputs.folder, inputs.file, self._tokeniser, english, report
        )
        self.n_inference = 0, 0
        self.n_examples = self._data.store.n_rows
        self.notes: tuple[str, ...] = self._data.store.notes

    def make(self, params: TrainEncoder) -> ModuleTrainer:
        """Make a trainer; initial weights are drawn from the params' seed."""
        torch.manual_seed(params.seed)
        module = _make_module(self.config).to(self.device)
        objective = AlignmentObjective(self._data, self._loss, params, self.device)
        trained = TrainableModule(module, self._tokeniser, [objective], [1.0])
        return ModuleTrainer(trained, params, self.device)

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""
        save_weights(out, self.config, weights, self._vocabulary, card)


class MeanModule(StaticModule):
    """A table module that returns the mean of rows instead of their sum."""

    mode = "mean"


def _make_module(config: AlignedConfig) -> SentenceModule:
    if isinstance(config, StaticConfig):
        return MeanModule(config)
    return build_module(config)
