"""The recipe of static encoders by ranking alone, with the fast trainer."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.ngrams import make_romaniser
from app.engine.encoders.pooling import FloatArray
from app.engine.encoders.static import NgramTable, StaticEncoder
from app.engine.encoders.static_folder import save_static
from app.engine.report import Report
from app.engine.text.vocabulary import load_vocabulary
from app.engine.training.batches import TableShape
from app.engine.training.recipe import Initial, Work, check_initial, make_config
from app.engine.training.static_trainer import StaticTrainer
from app.engine.training.tokens import tokenise_pairs
from app.params.training import TrainEncoder


class StaticRecipe:
    """See `Recipe`."""

    def __init__(
        self,
        work: Work,
        params: TrainEncoder,
        report: Report,
        initial: Initial | None = None,
    ):
        self.notes: tuple[str, ...] = ()
        # embedding_bag is not on MPS in every torch
        self.device = work.device if work.device.startswith("cuda") else "cpu"
        self._vocabulary = load_vocabulary(work.vocabulary)
        config = make_config(params, work)
        assert isinstance(config, StaticConfig), "the recipe was chosen by it"
        self.config = config
        self._initial = initial
        if initial is not None:
            check_initial(self.config, initial, work.vocabulary)
        self._pairs = tokenise_pairs(
            work.files, self._vocabulary, work.folder, report, n_ngrams=params.n_ngrams
        )
        self.n_examples = self._pairs.n_pairs
        self._shape = TableShape(
            self._vocabulary.n_pieces,
            params.n_bigrams,
            self._vocabulary.space_id,
            params.n_ngrams,
        )
        self._romaniser = make_romaniser() if params.n_ngrams else None

    def make(self, params: TrainEncoder) -> StaticTrainer:
        """Make a trainer."""
        trainer = StaticTrainer(
            self._pairs, self._shape, params, self.device, self._encoder
        )
        if self._initial is not None:
            table = self._initial.module.state_dict()["table"]
            trainer.optimiser.table.copy_(table)
        return trainer

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""
        save_static(
            out,
            self.config,
            table=weights["table"].cpu().numpy(),
            vocabulary=self._vocabulary.model_bytes,
            card=card,
            romaniser=self._romaniser,
        )

    def _encoder(self, table: FloatArray) -> Encoder:
        n_ngrams = self._shape.n_ngrams
        romaniser = self._romaniser
        return StaticEncoder(
            table,
            self._vocabulary,
            ngrams=None if romaniser is None else NgramTable(romaniser, n_ngrams),
            device=self.device,
        )
