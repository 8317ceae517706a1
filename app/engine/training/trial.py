"""Time some training steps on this machine and estimate the complete training."""

import time
from collections.abc import Iterator, Sequence
from statistics import mean
from threading import Event, Thread
from typing import NamedTuple, Protocol

import msgspec
import psutil
import torch

from app.engine.encoders.neural import NeuralEncoder
from app.engine.runtime.report import Report
from app.engine.training.recipes import uses_static_trainer
from app.engine.training.trainers.trainer import StepResult, Trainer
from app.errors import ResourceError
from app.number_format import format_percent
from app.params.training.encoder import TrainEncoder

STAGE = "Trying a few steps"
FIRST_PAIRS, FIRST_TOKENS = 8, 256  # size of the first batch
WORTH = 4  # minimum size of a second, partial batch relative to the first
TRY_S = 1.0  # minimum time of each of two trials
LONGEST_S = 1.2  # maximum expected time of a trial step
MOST_STEPS = 40  # steps per trial
POLL_S = 0.005
STATE_BYTES = 16  # a weight, its gradient and its two moments, in float32
CHECKPOINT_BYTES, WEIGHT_BYTES = 12, 4  # a weight with its two moments; a weight
STORED_BYTES = {"int4": 0.5, "int8": 1, "float16": 2, "float32": 4}  # of a weight
N_CHECKPOINTS = 3  # two are kept while the next one is written


class TrialResult(NamedTuple):
    """Time and memory of steps with one batch size.

    Attributes:
        share: share of the complete batch, 0…1.
        result: result of one step.
        update_s: time of a step without its batches; batch_s: time of each batch.
        peak_bytes: memory of a batch besides weights, gradients and moments.
    """

    share: float
    result: StepResult
    update_s: float
    batch_s: float
    peak_bytes: int


class Trial(NamedTuple):
    """Measurements of a trial, for the estimate.

    Attributes:
        step_s: time of a step with the params' batch.
        n_sentences, n_tokens: sentences and tokens of such a step.
        encode_s: time to encode one sentence, as for the development metric; cut_s:
            time to tokenise one sentence, as for all data before the first step.
        memory_bytes: peak memory of the engine, or on the GPU.
        n_parameters: number of trained weights.
        precision: floating-point format of the steps.
        notes: sentences on how the trial differed from the training.
    """

    step_s: float
    n_sentences: float
    n_tokens: float
    encode_s: float
    cut_s: float
    memory_bytes: int
    n_parameters: int
    precision: str
    notes: tuple[str, ...]

    def work_bytes(self, training_s: float, interval_s: float) -> int:
        """Return the size of the best weights and the checkpoints of a training.

        Args:
            training_s: duration, since a short training ends before its first
                checkpoint.
            interval_s: seconds between checkpoints.
        """
        n_checkpoints = min(N_CHECKPOINTS, int(training_s / interval_s))
        return self.n_parameters * (n_checkpoints * CHECKPOINT_BYTES + WEIGHT_BYTES)

    def saved_bytes(self, storage: str) -> int:
        """Return the approximate size of the saved encoder."""
        return round(self.n_parameters * STORED_BYTES[storage])

    def memory_notes(self, device: str) -> Iterator[str]:
        """Warn if the training does not fit in the machine's memory."""
        available = psutil.virtual_memory().total
        if not device.startswith("cuda") and self.memory_bytes > available:
            yield (
                f"The training needs {self.memory_bytes / 1e9:.1f}\u00a0GB of memory, "
                f"but this machine has {available / 1e9:.1f}\u00a0GB. Choose smaller "
                "sizes or batches."
            )


def first_params(params: TrainEncoder) -> TrainEncoder:
    """Return the params of the first trial: few pairs, and no choice of precision."""
    precision = "float32" if params.precision == "auto" else params.precision
    small = _scaled(params, _first_share(params))
    return msgspec.structs.replace(small, precision=precision)


class TrialRecipe(Protocol):
    """Makes trainers for trials (see `recipes.Recipe`)."""

    device: str

    def make(self, params: TrainEncoder) -> Trainer:
        """Make a trainer."""


def try_steps(
    recipe: TrialRecipe, params: TrainEncoder, texts: Sequence[str], report: Report
) -> Trial:
    """Try a small batch, and a larger one if the time limit allows.

    The time of a step is the time of its update plus that of its batches, which is
    linear in the number of sentences. The second trial uses the complete batch if that
    is fast.

    Args:
        recipe: recipe of `first_params(params)` for a sample of the data.
        texts: sentences to encode.

    Raises:
        ResourceError: not even the smallest batch fits in the GPU's memory.
    """
    base_bytes = 0 if recipe.device.startswith("cuda") else _rss()
    first, share = first_params(params), _first_share(params)
    try:
        trainer = recipe.make(first)
        tried = _try(trainer, first, share, base_bytes, report)
    except torch.OutOfMemoryError as error:
        raise ResourceError(
            f"Not even a batch of {first.batch_size} pairs fits in GPU "
            "memory. Choose smaller sizes, or use the CPU."
        ) from error
    notes: list[str] = []
    larger = _larger_share(tried, params)
    if larger is not None:
        del trainer
        second = _scaled(params, larger)
        try:
            trainer = recipe.make(second)
            tried = _try(trainer, second, larger, base_bytes, report)
        except torch.OutOfMemoryError:
            notes.append(
                f"A batch of {second.batch_size:,} pairs doesn't fit in GPU "
                "memory. Training will halve it until it fits."
            )
            trainer = recipe.make(first)
    elif params.precision == "auto" and not uses_static_trainer(params):
        notes.append("The precision is chosen when training starts.")
    rates = _encode_s(trainer, texts), _cut_s(trainer, texts)
    trial = _extrapolate(tried, trainer, params, rates, notes)
    held_bytes = base_bytes + trial.memory_bytes
    return trial._replace(memory_bytes=held_bytes)


def _first_share(params: TrainEncoder) -> float:
    """Return the first batch's share of a batch: small, but several sentences."""
    of_tokens = FIRST_TOKENS / params.batch_tokens if params.batch_tokens else 0.0
    return min(1.0, max(FIRST_PAIRS / params.batch_size, of_tokens))


def _larger_share(tried: TrialResult, params: TrainEncoder) -> float | None:
    """Return the larger batch's share; None: too slow, or the first was complete."""
    if tried.share == 1.0 and params.precision != "auto":
        return None
    growth = max(1.0, (LONGEST_S - tried.update_s) / tried.batch_s)
    share = min(1.0, tried.share * growth)
    return share if share == 1.0 or share >= WORTH * tried.share else None


def _scaled(params: TrainEncoder, share: float) -> TrainEncoder:
    """Reduce the batch to a share, in pairs and in tokens; one batch per step.

    Hard negatives are mined by the bundled encoder: training one takes too long.
    """
    return msgspec.structs.replace(
        params,
        batch_size=max(2, round(share * params.batch_size)),
        batch_tokens=round(share * params.batch_tokens),
        n_accumulated=1,
        n_coarse_steps=0,
    )


def _try(
    trainer: Trainer,
    params: TrainEncoder,
    share: float,
    base_bytes: int,
    report: Report,
) -> TrialResult:
    """Make steps for a limited time."""
    trainer.prepare(report)
    held_bytes = base_bytes + STATE_BYTES * trainer.n_parameters
    with PeakMemory(is_cuda=not base_bytes) as memory:
        update_s, batch_s, result = _time_step(trainer, params, report)
    peak_bytes = max(0, memory.peak_bytes - held_bytes)
    return TrialResult(share, result, update_s, batch_s, peak_bytes)


def _time_step(
    trainer: Trainer, params: TrainEncoder, report: Report
) -> tuple[float, float, StepResult]:
    """Return the mean seconds of updates and of batches, and a step's result.

    The first step is not counted. Uses means, not medians: a batch with a long sentence
    may take twenty times as long as others, and a training contains such batches, too.
    """
    steps_s: list[float] = []
    updates_s: list[float] = []
    while not steps_s or (sum(steps_s) < TRY_S and len(steps_s) < MOST_STEPS):
        report.step(STAGE, len(steps_s), 0, f"{params.batch_size:,} pairs")
        begun = time.perf_counter()
        result = trainer.make_step(wants_values=True)
        steps_s.append(time.perf_counter() - begun)
        updates_s.append(trainer.update_s)
    step_s = mean(steps_s[1:] or steps_s)  # the first step allocates
    update_s = mean(updates_s[1:] or updates_s)
    return update_s, step_s - update_s, result


def _encode_s(trainer: Trainer, texts: Sequence[str]) -> float:
    """Return the seconds to encode one sentence."""
    encoder = trainer.encoder()
    begun = time.perf_counter()
    n_done = 0
    while n_done < len(texts) and time.perf_counter() - begun < TRY_S:
        block = texts[n_done : 4 * n_done + FIRST_PAIRS]
        encoder.encode(block)
        n_done += len(block)
    return (time.perf_counter() - begun) / max(1, n_done)


def _cut_s(trainer: Trainer, texts: Sequence[str]) -> float:
    """Return the seconds to tokenise one sentence."""
    encoder = trainer.encoder()
    begun = time.perf_counter()
    if isinstance(encoder, NeuralEncoder):
        encoder.tokeniser.tokenise(texts)
    else:
        encoder.encode(texts)  # mostly tokenisation
    return (time.perf_counter() - begun) / max(1, len(texts))


def _extrapolate(
    tried: TrialResult,
    trainer: Trainer,
    params: TrainEncoder,
    rates: tuple[float, float],
    notes: Sequence[str],
) -> Trial:
    """Extrapolate from the trial batch to a step with the params' batch."""
    n_batches = params.n_accumulated / tried.share
    if tried.share < 1:
        notes = [
            *notes,
            "The estimate is rough: full batches take too long for a trial, "
            f"so batches of {format_percent(tried.share)} of their size were used.",
        ]
    state_bytes = STATE_BYTES * trainer.n_parameters
    return Trial(
        step_s=tried.update_s + n_batches * tried.batch_s,
        n_sentences=n_batches * tried.result.n_sentences,
        n_tokens=n_batches * tried.result.n_tokens,
        encode_s=rates[0],
        cut_s=rates[1],
        memory_bytes=round(state_bytes + tried.peak_bytes / tried.share),
        n_parameters=trainer.n_parameters,
        precision=trainer.precision,
        notes=tuple(notes),
    )


class PeakMemory:
    """Measures the memory of this process, or on the GPU, within a block.

    Attributes:
        peak_bytes: peak memory.
    """

    def __init__(self, *, is_cuda: bool):
        self.peak_bytes = 0
        self._is_cuda = is_cuda
        self._ended = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        if self._is_cuda:
            torch.cuda.reset_peak_memory_stats()
        else:
            self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._is_cuda:
            self.peak_bytes = torch.cuda.max_memory_allocated()
            return
        self._ended.set()
        self._thread.join()
        self.peak_bytes = max(self.peak_bytes, _rss())

    def _watch(self) -> None:
        while not self._ended.wait(POLL_S):
            self.peak_bytes = max(self.peak_bytes, _rss())


def _rss() -> int:
    return int(psutil.Process().memory_info().rss)
