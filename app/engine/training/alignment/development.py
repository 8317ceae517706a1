"""Measure an alignment on held-out pairs, and zero-shot on labelled pairs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from app.arrays import FloatArray, IntArray
from app.engine.encoders.vector_cache import encode_cached
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import InnerReport, Report
from app.engine.text.line_files import read_pairs
from app.engine.training.alignment.data import EnglishSentences, read_english
from app.engine.training.alignment.losses import LossSettings, pair_losses
from app.engine.training.data.row_store import SkippedRows
from app.engine.training.data.tables import CLASSES, read_inference
from app.engine.training.development import (
    METRIC,
    Tick,
    encode_ticking,
    retrieval_error,
)
from app.engine.training.objectives.nli import pair_features
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.heads.base import Head

LOSS, ACCURACY = "dev.loss", "dev.accuracy"
HIDDEN = (128,)  # Conneau et al. 2018, XNLI, section 4.2.3
DROPOUT = 0.1
N_EPOCHS, PATIENCE = 20, 3
DEVELOPMENT_SHARE = 10  # one in this many English pairs selects the classifier's epoch
CLASSIFYING = "Training the English classifier"


class LabelledPairs(NamedTuple):
    """Premises, hypotheses and classes int64 (n,) of `CLASSES`."""

    premises: list[str]
    hypotheses: list[str]
    classes: IntArray


def read_labelled_pairs(files: Sequence[Path]) -> LabelledPairs:
    """Read files of label⇥premise⇥hypothesis.

    Raises:
        UserError: a line lacks a column or has an unknown label, or no pairs remain.
    """
    left_out = SkippedRows()
    rows = [row for file in files for row in read_inference(file, left_out)]
    if not rows:
        names = ", ".join(file.name for file in files)
        raise UserError(f"{names}: no labelled pair. Check the file.")
    premises, hypotheses = zip(*(row.texts for row in rows), strict=True)
    classes = np.array([row.tag for row in rows], np.int64)
    return LabelledPairs(list(premises), list(hypotheses), classes)


class ZeroShotTest:
    """A classifier of English pairs that is applied to pairs in another language.

    Attributes:
        english_accuracy: accuracy on the tenth of the English pairs that selected the
            epoch, 0…1.
    """

    def __init__(
        self,
        english: "Encoder",
        training: LabelledPairs,
        test: LabelledPairs,
        report: Report,
        *,
        seed: int,
    ):
        """Train the classifier: (u, v, |u-v|, u*v) through one layer to three classes.

        Args:
            english: encoder of the training pairs.
            training: pairs in English.
            test: pairs in the other language.
            seed: seed of order, weights and dropout.
        """
        from app.engine.heads.base import Examples
        from app.engine.heads.mlp import MlpSettings, fit_mlp

        order = np.random.default_rng([seed, 4]).permutation(len(training.classes))
        examples = Examples(
            _features(training, lambda texts: _encode(english, texts, report))[order],
            training.classes[order],
            len(CLASSES),
        )
        n_chosen = max(1, len(order) // DEVELOPMENT_SHARE)
        settings = MlpSettings(
            hidden=HIDDEN,
            dropout=DROPOUT,
            n_epochs=N_EPOCHS,
            patience=PATIENCE,
            seed=seed,
        )
        rows = np.arange(len(order))
        trained = fit_mlp(
            examples.part(rows[n_chosen:]),
            examples.part(rows[:n_chosen]),
            settings,
            InnerReport(report, CLASSIFYING, 0, 0),  # its curve is not shown
        )
        self.english_accuracy = trained.measure
        self._head: Head = trained.layers
        self._test = test

    def accuracy(self, encode: Callable[[list[str]], FloatArray]) -> float:
        """Return the share of test pairs that are classified correctly, 0…1."""
        logits = self._head.logits(_features(self._test, encode))
        return float((logits.argmax(axis=1) == self._test.classes).mean())


def _features(
    pairs: LabelledPairs, encode: Callable[[list[str]], FloatArray]
) -> FloatArray:
    """Return features of pairs, float32 (n, 4d); each distinct text is encoded once."""
    index: dict[str, int] = {}
    sides = [
        [index.setdefault(text, len(index)) for text in texts]
        for texts in (pairs.premises, pairs.hypotheses)
    ]
    vectors, _ = normalise_rows(encode(list(index)))
    premises, hypotheses = (torch.from_numpy(vectors[rows]) for rows in sides)
    features: FloatArray = pair_features(premises, hypotheses).numpy()
    return features


def _encode(encoder: "Encoder", texts: list[str], report: Report) -> FloatArray:
    return encode_cached(None, encoder, texts, report)


class AlignmentDevelopment:
    """Held-out pairs and, if there are labelled pairs, a zero-shot test."""

    def __init__(
        self,
        file: Path,
        english: "Encoder",
        loss: LossSettings,
        report: Report,
        zero_shot: ZeroShotTest | None = None,
    ):
        """Encode the English side of held-out pairs.

        Args:
            file: TSV of the pairs.
            english: frozen encoder.
            loss: loss measured on the pairs, each with the previous pair as negative.
            zero_shot: zero-shot test; None: there are no labelled pairs.
        """
        self._loss = loss
        self._english: EnglishSentences = read_english(file)
        self._others = [other for _, other in read_pairs(file)]
        vectors, _ = normalise_rows(_encode(english, self._english.texts, report))
        self._vectors = vectors[self._english.ids]
        self._zero_shot = zero_shot

    def measure(self, encoder: "Encoder", tick: Tick) -> dict[str, float]:
        """Measure an encoder of the other language.

        Args:
            encoder: the encoder to measure.
            tick: called often with the current stage, to allow cancellation.

        Returns:
            Loss, retrieval error (0…1) against the English vectors, and the zero-shot
            accuracy (0…1) if it is measured.
        """
        others = encode_ticking(encoder, self._others, tick, "measuring pairs")
        losses = pair_losses(
            torch.from_numpy(self._vectors),
            torch.from_numpy(others),
            torch.from_numpy(self._english.ids),
            1,
            self._loss,
        )
        error = retrieval_error(self._vectors, others, Report())
        values = {LOSS: float(losses.mean()), METRIC: error.mean}
        if self._zero_shot is not None:
            values[ACCURACY] = self._zero_shot.accuracy(
                lambda texts: encode_ticking(encoder, texts, tick, "measuring labels")
            )
        return values

    def measure_error(self, encoder: "Encoder", report: Report) -> float:
        """Return the retrieval error of another encoder on the same pairs, 0…1."""
        others, _ = normalise_rows(_encode(encoder, self._others, report))
        return retrieval_error(self._vectors, others, report).mean
