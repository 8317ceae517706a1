"""Development metric of translation models: loss or BLEU on held-out pairs."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from app.engine.encoders.bridge.module import TranslationModule
from app.engine.encoders.encoder import Encoder
from app.engine.runtime.report import Report
from app.engine.training.development import METRIC
from app.engine.translation.data import Direction, ParallelTexts
from app.engine.translation.decoding import SearchSettings, Translator
from app.engine.translation.objective import TokenisedTexts, measure_batch
from app.engine.translation.scores import corpus_bleu
from app.languages import language_name

BATCH = 64  # pairs


class TranslationDevelopment:
    """Held-out pairs of each direction (see `training.loop.Development`)."""

    def __init__(
        self,
        model: TranslationModule,
        tokens: TokenisedTexts,
        texts: ParallelTexts,
        pairs: Mapping[Direction, NDArray[np.int64]],
        *,
        uses_bleu: bool,
        device: str,
    ):
        """Make a measurement.

        Args:
            model: model in training.
            tokens: pieces of the texts.
            pairs: int64 (n, 2) for each direction, n > 0.
            uses_bleu: the metric is 1 − the mean BLEU, instead of based on the loss.
        """
        self._model = model
        self._tokens = tokens
        self._texts = texts
        self._pairs = pairs
        self._uses_bleu = uses_bleu
        self._device = device

    def measure(
        self, encoder: Encoder, tick: Callable[[str], None]
    ) -> dict[str, float]:
        """Measure the model.

        Args:
            encoder: encoder of the same model (unused).
            tick: called often with the current stage, to allow cancellation.

        Returns:
            The mean loss per piece of each direction as `dev.loss.SOURCE-TARGET`; with
            BLEU also `dev.bleu.SOURCE-TARGET` (0…100); and the metric, an error 0…1: 1
            − the geometric mean of the pieces' probabilities, or 1 − BLEU / 100.
        """
        self._model.eval()
        values, bleus = {}, []
        for direction, rows in self._pairs.items():
            name = "-".join(direction)
            source, target = map(language_name, direction)
            tick(f"measuring {source} → {target}")
            values[f"dev.loss.{name}"] = self._loss(direction, rows)
            if self._uses_bleu:
                bleus.append(self._bleu(direction, rows))
                values[f"dev.bleu.{name}"] = bleus[-1]
        mean_loss = np.mean([values[f"dev.loss.{'-'.join(d)}"] for d in self._pairs])
        metric = 1 - np.mean(bleus) / 100 if bleus else 1 - np.exp(-mean_loss)
        return {METRIC: float(metric), **values}

    def _loss(self, direction: Direction, rows: NDArray[np.int64]) -> float:
        """Return the mean cross-entropy per piece."""
        total, n_pieces = 0.0, 0
        for start in range(0, len(rows), BATCH):
            batch = self._tokens.batch(
                direction, rows[start : start + BATCH], self._device
            )
            with torch.no_grad():
                sums = measure_batch(self._model, batch)
            total += float(sums.cross_entropy) * sums.n_pieces
            n_pieces += sums.n_pieces
        return total / n_pieces

    def _bleu(self, direction: Direction, rows: NDArray[np.int64]) -> float:
        source, target = direction
        translator = Translator(self._model, self._tokens.codec, self._device)
        sources, references = (
            [self._texts.texts[code][i] for i in rows[:, side].tolist()]
            for side, code in enumerate(direction)
        )
        translations = translator.translate(
            sources, source, target, SearchSettings(beam_size=1), Report()
        )
        is_lowercase = self._tokens.codec.config.is_lowercase
        return corpus_bleu(translations, references, target, is_lowercase=is_lowercase)
