"""Hard negatives on disk: mined when due, mapped while they serve."""

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.pooling import FloatArray, IdArray
from app.engine.report import Report
from app.engine.training.data.row_store import RowStore
from app.engine.training.objectives.hard_negatives import NONE, Miner
from app.engine.training.objectives.objective import ObjectiveContext

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.encoders.neural import SentenceModule

KEPT = 2  # minings: a training may go on from a checkpoint before the newest

log = logging.getLogger("training")


class NegativeFiles:
    """The hard negatives of all pairs.

    They are mined by the coarse encoder at the first step, and by the encoder in
    training every `negatives_every` steps. A training that goes on finds the files of
    its step.
    """

    def __init__(
        self, context: ObjectiveContext, store: RowStore, found: tuple[str, ...]
    ):
        self._context = context
        self._store = store
        self._found = found
        self._mined_at = -1  # step
        self._arrays: dict[str, IdArray] = {}

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Mine what is due at a step, or open the files of an earlier mining."""
        every = self._context.params.negatives_every
        due = step // every * every if every else 0
        if due == self._mined_at:
            return
        files = {side: self._file(side, due) for side in self._found}
        if not all(file.exists() for file in files.values()):
            mined = self._mine(due, module, report)
            for side, file in files.items():
                _save(file, mined[side])
                self._drop_old(side)
        self._arrays = {
            side: np.load(file, mmap_mode="r") for side, file in files.items()
        }
        self._mined_at = due

    def of(self, side: str, pair_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the negatives of some pairs, int64 (b, k).

        A pair stands in for its own missing negatives: it is masked as such.
        """
        negatives = np.asarray(self._arrays[side][pair_ids], np.int64)
        return np.where(negatives == NONE, pair_ids[:, None], negatives)

    def _mine(
        self, due: int, module: "SentenceModule", report: Report
    ) -> dict[str, IdArray]:
        """Mine with the encoder that is due."""
        context = self._context
        k, device = context.params.n_hard_negatives, context.device
        log.info("hard negatives are mined at step %d", due)
        if not due:
            encode = partial(_encode_texts, _load_coarse(context), self._store)
            return Miner(self._store, encode, k, device).mine(self._found, report)

        from app.engine.encoders.neural import NeuralEncoder

        was_training = module.training
        encoder = NeuralEncoder(module, context.units, device=device)

        def encode_tokens(sentence_ids: NDArray[np.int64]) -> FloatArray:
            return encoder.encode_tokens(self._store.tokens.take(sentence_ids))

        try:
            miner = Miner(self._store, encode_tokens, k, device)
            return miner.mine(self._found, report)
        finally:
            module.train(was_training)

    def _file(self, side: str, step: int) -> Path:
        """Name the file of a mining."""
        return self._context.folder / f"negatives-{side}-{step:09}.npy"

    def _drop_old(self, side: str) -> None:
        """Delete all but the newest files."""
        files = sorted(self._context.folder.glob(f"negatives-{side}-*.npy"))
        for file in files[:-KEPT]:
            file.unlink()


def _load_coarse(context: ObjectiveContext) -> "Encoder":
    """Load the coarse encoder."""
    from app.engine.encoders.checkpoint import load_encoder

    name = context.params.coarse_encoder
    return load_encoder(name, context.project_folder, device=context.device)


def _encode_texts(
    encoder: "Encoder", store: RowStore, sentence_ids: NDArray[np.int64]
) -> FloatArray:
    """Encode sentences by their text."""
    return encoder.encode(store.texts(sentence_ids))


def _save(file: Path, negatives: IdArray) -> None:
    """Write negatives under a temporary name and rename."""
    part = file.with_suffix(".part")
    with part.open("wb") as stream:
        np.save(stream, negatives)
    part.replace(file)
