"""Development metric: retrieval error on held-out pairs."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.search.knn import top_k
from app.engine.text.line_files import describe_texts, read_pairs

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

BLOCK_ROWS = 1_024


class RetrievalErrorRates(msgspec.Struct, frozen=True):
    """Shares of sentences whose nearest neighbour is wrong, 0…1.

    Attributes:
        n: pairs.
        source_to_target, target_to_source: errors of the two directions.
    """

    n: int
    source_to_target: float
    target_to_source: float

    @property
    def mean(self) -> float:
        """Return the mean of both directions."""
        return (self.source_to_target + self.target_to_source) / 2


def retrieval_error(
    source_vectors: FloatArray, target_vectors: FloatArray, report: Report
) -> RetrievalErrorRates:
    """Measure retrieval by cosine, as LASER does; an equal text elsewhere is an error.

    Args:
        source_vectors: float32 (n, d); row i is the translation of target row i.
        target_vectors: float32 (n, d).
    """
    sources, _ = normalise_rows(source_vectors)
    targets, _ = normalise_rows(target_vectors)
    return RetrievalErrorRates(
        len(sources),
        _error_rate(sources, targets, report),
        _error_rate(targets, sources, report),
    )


def _error_rate(queries: FloatArray, candidates: FloatArray, report: Report) -> float:
    """Return the share of queries whose nearest candidate has another index."""
    n_wrong = 0
    for first in range(0, len(queries), BLOCK_ROWS):
        report.step("Comparing", first, len(queries))
        block = queries[first : first + BLOCK_ROWS]
        _, nearest = top_k(block, candidates, 1)  # (b, d), (n, d) -> (b, 1)
        n_wrong += int((nearest[:, 0] != np.arange(first, first + len(block))).sum())
    return n_wrong / len(queries)


METRIC = "dev.error"
OTHERS_METRIC = "dev.others"  # retrieval error of languages not trained on
NLI_METRIC = "dev.accuracy"  # accuracy on held-out NLI pairs, 0…1
Tick = Callable[[str], None]
BLOCK_TEXTS = 512  # encoded between two progress reports


class Development(Protocol):
    """A measurement that selects the best weights of a training."""

    def measure(self, encoder: "Encoder", tick: Tick) -> dict[str, float]:
        """Measure the current weights.

        Args:
            tick: called often with the current stage, to allow cancellation.

        Returns:
            The metric to minimise as `METRIC`, and other metrics by name.
        """


class DevelopmentSet:
    """Held-out pairs by language, and pairs of other languages."""

    def __init__(
        self,
        files: Mapping[str, Path],
        others: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    ):
        """Read the pairs, one file per language.

        Args:
            files: TSV of the pairs that select the best weights.
            others: pairs of other languages, which are measured but not used to select.
        """
        pairs = {
            f"{METRIC}.{name}": list(read_pairs(file)) for name, file in files.items()
        }
        pairs |= {
            f"{OTHERS_METRIC}.{name}": list(own) for name, own in (others or {}).items()
        }
        self._sides = {
            name: _Sides(*zip(*own, strict=True)) for name, own in pairs.items()
        }

    def measure(self, encoder: "Encoder", tick: Tick) -> dict[str, float]:
        """Measure an encoder.

        Args:
            encoder: the encoder to measure.
            tick: called often with the current stage, to allow cancellation.

        Returns:
            The retrieval error (0…1, mean of both directions) of each language as
            `dev.error.LANGUAGE`, and the mean over the languages as `dev.error`; the
            errors of other languages as `dev.others.LANGUAGE` and `dev.others`.
        """
        errors = {}
        for name, side in self._sides.items():
            language = name.removeprefix(f"{METRIC}.").removeprefix(f"{OTHERS_METRIC}.")
            note = f"measuring {describe_texts(language)}"
            sources = encode_ticking(encoder, side.sources, tick, note)
            targets = encode_ticking(encoder, side.targets, tick, note)
            # a separate report, since its progress would hide that of the training
            errors[name] = retrieval_error(sources, targets, Report()).mean
        means = {
            metric: float(np.mean(own))
            for metric in (METRIC, OTHERS_METRIC)
            if (own := [e for name, e in errors.items() if name.startswith(metric)])
        }
        return means | errors


def selection_metric(values: Mapping[str, float], selected_by: str) -> str:
    """Return the metric that selects the best weights.

    Args:
        values: measurements, with at least one of both metrics.
        selected_by: name of a value, or "retrieval" or "nli"; if one of these two was
            not measured, the other is used.
    """
    wanted = (METRIC, NLI_METRIC)
    if selected_by in values:
        return selected_by
    if selected_by == "nli":
        wanted = (NLI_METRIC, METRIC)
    return next(metric for metric in wanted if metric in values)


def selection_loss(values: Mapping[str, float], selected_by: str) -> float:
    """Return the value to minimise: the error, or 1 - accuracy (0…1)."""
    metric = selection_metric(values, selected_by)
    return 1 - values[metric] if metric == NLI_METRIC else values[metric]


class _Sides(NamedTuple):
    """Sentences of n pairs."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


def encode_ticking(
    encoder: "Encoder", texts: Sequence[str], tick: Tick, note: str
) -> FloatArray:
    """Encode in blocks, so that a cancellation takes effect between them."""
    blocks = []
    for start in range(0, len(texts), BLOCK_TEXTS):
        tick(note)
        blocks.append(encoder.encode(texts[start : start + BLOCK_TEXTS]))
    return np.concatenate(blocks)
