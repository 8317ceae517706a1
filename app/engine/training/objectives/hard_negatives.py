"""Mining of hard negatives with an encoder, cached on disk.

Chidambaram et al. 2019, section 2.1: five per pair, found by a coarser model. Here a
pair's negatives are searched among the pairs of its language, in blocks of neighbouring
pairs, so that the time grows with the number of pairs and not with its square.
"""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.numeric import IdArray, normalise_rows
from app.engine.runtime.report import Report
from app.engine.search.knn import top_k
from app.engine.training.data.row_store import RowStore
from app.engine.training.objective import ObjectiveContext

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.encoders.neural import NeuralEncoder, SentenceModule

BLOCK_PAIRS = 16_384  # candidates per pair
QUERY_ROWS = 1_024
ENCODED_ROWS = 512  # between two checks for a cancellation
N_SPARE = 8  # neighbours beyond k, since the translation and its duplicates are dropped
NONE = -1  # marks a missing negative of a pair with fewer than k
SIDES = ("source", "target")  # column 0 and 1 of a pair
ENCODING, MINING = "Encoding pairs for hard negatives", "Mining hard negatives"


class NegativeMiner(NamedTuple):
    """Inputs of mining.

    Attributes:
        store: aligned pairs, where sentence 2p is the source of pair p.
        encode: returns the vectors of sentence ids, float32 (n, d).
        k: negatives per pair.
        device: device of the neighbour search.
    """

    store: RowStore
    encode: Callable[[NDArray[np.int64]], FloatArray]
    k: int
    device: str = "cpu"

    def mine(self, found: tuple[str, ...], report: Report) -> dict[str, IdArray]:
        """Find other pairs that are easily confused with each pair.

        Pairs that share a side with the pair are false negatives, and are left out.

        Args:
            found: "target": pairs whose target is near the pair's source; "source":
                pairs whose source is near its target; or both.

        Returns:
            For each of `found`, pair ids int32 (pairs, k), hardest first; `NONE` if
            there are fewer.
        """
        shape = self.store.n_rows, self.k
        negatives = {side: np.full(shape, NONE, np.int32) for side in found}
        for group in self.store.groups:
            pair_ids = np.arange(group.first, group.first + group.n_pairs)
            n_blocks = -(-group.n_pairs // BLOCK_PAIRS)
            for block in np.array_split(pair_ids, n_blocks):
                vectors = [self._encode_side(block, i, report) for i in (0, 1)]
                for side, array in negatives.items():
                    i = SIDES.index(side)
                    array[block] = self._search(
                        block, vectors[1 - i], vectors[i], report
                    )
        return negatives

    def _encode_side(
        self, pair_ids: NDArray[np.int64], side: int, report: Report
    ) -> FloatArray:
        """Return unit vectors of one side of some pairs, float32 (n, d)."""
        parts = []
        for first in range(0, len(pair_ids), ENCODED_ROWS):
            report.step(ENCODING, int(pair_ids[first]), self.store.n_rows)
            part = 2 * pair_ids[first : first + ENCODED_ROWS] + side
            parts.append(normalise_rows(self.encode(part))[0])
        return np.concatenate(parts)

    def _search(
        self,
        pair_ids: NDArray[np.int64],
        queries: FloatArray,
        candidates: FloatArray,
        report: Report,
    ) -> IdArray:
        """Return the negatives of a block of pairs, int32 (n, k)."""
        found = np.empty((len(pair_ids), self.k), np.int32)
        n_sought = min(self.k + N_SPARE, len(pair_ids))
        for first in range(0, len(pair_ids), QUERY_ROWS):
            report.step(MINING, int(pair_ids[first]), self.store.n_rows)
            part = slice(first, first + QUERY_ROWS)
            _, indices = top_k(queries[part], candidates, n_sought, device=self.device)
            found[part] = self._without_false(pair_ids[part], pair_ids[indices])
        return found

    def _without_false(
        self, pair_ids: NDArray[np.int64], near: NDArray[np.int64]
    ) -> IdArray:
        """Return the first k pairs that share no side: (q, n) -> int32 (q, k)."""
        is_false = shares_side(self.store, pair_ids[:, None], near)
        order = np.argsort(is_false, axis=1, kind="stable")[:, : self.k]
        kept = np.take_along_axis(near, order, axis=1).astype(np.int32)
        kept[np.take_along_axis(is_false, order, axis=1)] = NONE
        missing = ((0, 0), (0, self.k - kept.shape[1]))
        return np.pad(kept, missing, constant_values=NONE)


def shares_side(
    store: RowStore, pair_ids: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether pairs share a source or a target (arrays broadcast)."""
    sources, targets = store.hashes[0::2], store.hashes[1::2]
    is_shared: NDArray[np.bool_] = (sources[pair_ids] == sources[others]) | (
        targets[pair_ids] == targets[others]
    )
    return is_shared


KEPT = 2  # minings: a training may resume from a checkpoint before the newest

log = logging.getLogger("training")


class NegativeCache:
    """Hard negatives of all pairs.

    Negatives are mined with a coarse encoder at the first step (Chidambaram et al.
    2019: trained by translation ranking alone), and with the encoder in training every
    `negatives_every` steps. A resumed training finds the files of its step.
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
        """Mine negatives if due at a step, or open the files of an earlier mining."""
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
        """Return the negatives of some pairs, int64 (b, k).

        A missing negative is replaced by the pair itself, which is masked.
        """
        negatives = np.asarray(self._arrays[side][pair_ids], np.int64)
        return np.where(negatives == NONE, pair_ids[:, None], negatives)

    def _mine(
        self, due: int, module: "SentenceModule", report: Report
    ) -> dict[str, IdArray]:
        """Mine with the encoder for this step."""
        context = self._context
        k, device = context.params.n_hard_negatives, context.device
        log.info("hard negatives are mined at step %d", due)
        if not due:
            miner = NegativeMiner(self._store, self._coarse_vectors(report), k, device)
            return miner.mine(self._found, report)

        from app.engine.encoders.neural import NeuralEncoder

        was_training = module.training
        encoder = NeuralEncoder(module, context.tokeniser, device=device)
        try:
            encode = partial(_encode_tokens, encoder, self._store)
            return NegativeMiner(self._store, encode, k, device).mine(
                self._found, report
            )
        finally:
            module.train(was_training)

    def _coarse_vectors(
        self, report: Report
    ) -> Callable[[NDArray[np.int64]], FloatArray]:
        """Return a function that encodes sentences with the coarse encoder."""
        context = self._context
        params = context.params
        trains = not params.coarse_encoder and params.n_coarse_steps > 0
        if trains and context.train_coarse is not None:
            return partial(_encode_tokens, context.train_coarse(report), self._store)
        return partial(_encode_texts, _load_coarse(context), self._store)

    def _file(self, side: str, step: int) -> Path:
        """Return the file of a mining."""
        return self._context.folder / f"negatives-{side}-{step:09}.npy"

    def _drop_old(self, side: str) -> None:
        """Delete all but the newest files."""
        files = sorted(self._context.folder.glob(f"negatives-{side}-*.npy"))
        for file in files[:-KEPT]:
            file.unlink()


def _load_coarse(context: ObjectiveContext) -> "Encoder":
    """Load the coarse encoder in the params, or the bundled encoder."""
    from app.engine.encoders.registry import load_encoder

    name = context.params.coarse_encoder
    return load_encoder(name, context.project_folder, device=context.device)


def _encode_texts(
    encoder: "Encoder", store: RowStore, sentence_ids: NDArray[np.int64]
) -> FloatArray:
    """Encode sentences by their text."""
    return encoder.encode(store.texts(sentence_ids))


def _encode_tokens(
    encoder: "NeuralEncoder", store: RowStore, sentence_ids: NDArray[np.int64]
) -> FloatArray:
    """Encode sentences by their tokens."""
    return encoder.encode_tokens(store.tokens.take(sentence_ids))


def _save(file: Path, negatives: IdArray) -> None:
    """Write negatives under a temporary name and rename."""
    part = file.with_suffix(".part")
    with part.open("wb") as stream:
        np.save(stream, negatives)
    part.replace(file)
