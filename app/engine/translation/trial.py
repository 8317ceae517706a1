"""Trial of some steps of a translation training on a sample of its data."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.training.trainers.precision import repeatable
from app.engine.training.trainers.trainer import Trainer
from app.engine.training.trial import Trial, try_steps
from app.engine.training.trial_data import grow_pieces
from app.engine.translation.data import Direction, HeldOut, ParallelTexts
from app.engine.translation.objective import TokenisedTexts
from app.engine.translation.training import (
    PreparedTranslation,
    loop_settings,
    make_codec,
    make_parts,
    training_device,
)
from app.params.training.encoder import TrainEncoder
from app.params.translation import TrainTranslation

STAGE = "Trying a few steps"
SAMPLE_PAIRS = 500  # per direction, or a batch if larger
DEVELOPMENT_PAIRS = 64  # per direction; one batch of a measurement


class TranslationTrial(NamedTuple):
    """Measurements of a trial.

    Attributes:
        trial: trial of the steps.
        measure_s: seconds of one measurement of all held-out pairs.
        device: device of the trial.
    """

    trial: Trial
    measure_s: float
    device: str


class _Recipe:
    """Makes trainers with batches of a requested size (see `TrialRecipe`)."""

    def __init__(
        self,
        prepared: PreparedTranslation,
        tokens: TokenisedTexts,
        params: TrainTranslation,
    ):
        self.device = training_device()
        self._prepared, self._tokens, self._params = prepared, tokens, params

    def make(self, params: TrainEncoder) -> Trainer:
        """Make a trainer."""
        parts = make_parts(
            self._prepared, self._tokens, self._params, params, self.device
        )
        return parts.trainer


def try_translation(
    prepared: PreparedTranslation, params: TrainTranslation, report: Report
) -> TranslationTrial:
    """Train vocabularies on a sample, and time steps and a measurement.

    Args:
        prepared: all data; vocabularies are written to its folder.

    Raises:
        UserError: the sample is too small for any vocabulary.
        ResourceError: not even the smallest batch fits in the GPU's memory.
    """
    sample = _sample(prepared, max(SAMPLE_PAIRS, params.batch_size))
    make_codec(sample, params, report)
    growth = _n_texts(prepared) / _n_texts(sample)
    for file in sample.folder.glob("*.model"):
        grow_pieces(file, growth, params.n_pieces)
    _, codec = make_codec(sample, params, report)
    tokens = TokenisedTexts(codec, sample.texts.texts, report)
    recipe = _Recipe(sample, tokens, params)
    texts = sample.texts.texts[sample.languages[0]]
    settings = loop_settings(params)
    with repeatable(recipe.device):
        trial = try_steps(recipe, settings, texts, report)
        trainer, development = make_parts(
            sample, tokens, params, settings, recipe.device
        )
        begun = time.perf_counter()
        if development is not None:
            development.measure(
                trainer.encoder(), lambda stage: report.step(STAGE, 0, 0, stage)
            )
        measure_s = time.perf_counter() - begun
    n_tried = sum(map(len, sample.pairs.development.values()))
    n_held = sum(map(len, prepared.pairs.development.values()))
    return TranslationTrial(trial, measure_s * n_held / max(1, n_tried), recipe.device)


def _n_texts(prepared: PreparedTranslation) -> int:
    return sum(map(len, prepared.texts.texts.values()))


def _sample(prepared: PreparedTranslation, n_most: int) -> PreparedTranslation:
    """Select pairs of each direction, spread over the data, and their sentences."""
    training = {d: _spread(p, n_most) for d, p in prepared.pairs.training.items()}
    development = {
        d: _spread(p, DEVELOPMENT_PAIRS) for d, p in prepared.pairs.development.items()
    }
    used: dict[str, NDArray[np.int64]] = {}
    for code in prepared.languages:
        places = [
            rows[:, side]
            for pairs in (training, development)
            for direction, rows in pairs.items()
            for side in (0, 1)
            if direction[side] == code
        ]
        used[code] = np.unique(np.concatenate(places))
    texts = {
        code: [prepared.texts.texts[code][index] for index in places.tolist()]
        for code, places in used.items()
    }

    def moved(
        pairs: dict[Direction, NDArray[np.int64]],
    ) -> dict[Direction, NDArray[np.int64]]:
        return {
            direction: np.stack(
                [np.searchsorted(used[direction[i]], rows[:, i]) for i in (0, 1)],
                axis=1,
            )
            for direction, rows in pairs.items()
        }

    return prepared._replace(
        texts=ParallelTexts(texts, {}),
        pairs=HeldOut(moved(training), moved(development)),
    )


def _spread(rows: NDArray[np.int64], n_most: int) -> NDArray[np.int64]:
    """Return a limited number of rows, spread over all rows."""
    indices = np.linspace(0, len(rows) - 1, min(n_most, len(rows))).astype(int)
    return np.asarray(rows[indices])
