"""Time some training steps on this machine and estimate the whole training."""

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
FIRST_PAIRS, FIRST_TOKENS = 8, 256  # of the first batch
WORTH = 4  # a second try must be so many times as large, or whole
TRY_S = 1.0  # of each of two tries at least
LONGEST_S = 1.2  # a step that is tried may take, as far as known before
MOST_STEPS = 40  # of a try
POLL_S = 0.005
STATE_BYTES = 16  # a weight, its gradient and its two moments, in float32
CHECKPOINT_BYTES, WEIGHT_BYTES = 12, 4  # a weight with its two moments; a weight
STORED_BYTES = {"int4": 0.5, "int8": 1, "float16": 2, "float32": 4}  # of a weight
N_CHECKPOINTS = 3  # two are kept while the next one is written


class TrialResult(NamedTuple):
    """What steps with one batch took.

    Attributes:
        share: of the whole batch, 0…1.
        result: of one step.
        update_s: of a step without its batches; batch_s: of each of its batches.
        peak_bytes: what a batch held besides weights, gradients and moments.
    """

    share: float
    result: StepResult
    update_s: float
    batch_s: float
    peak_bytes: int


class Trial(NamedTuple):
    """Measurements of a trial, for the estimate.

    Attributes:
        step_s: of a step as the params want it.
        n_sentences, n_tokens: of such a step.
        encode_s: to encode one sentence, as the development metric does; cut_s: to cut
            one into tokens, as is done with all data before the first step.
        memory_bytes: of the engine, or on the GPU, at its peak.
        n_parameters: weights that are trained.
        precision: arithmetic of the steps.
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
            training_s: its seconds; a short one ends before its first checkpoint.
            interval_s: seconds between checkpoints.
        """
        n_checkpoints = min(N_CHECKPOINTS, int(training_s / interval_s))
        return self.n_parameters * (n_checkpoints * CHECKPOINT_BYTES + WEIGHT_BYTES)

    def saved_bytes(self, storage: str) -> int:
        """Return about the size of the encoder that is saved."""
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
    """Return the params of the first try: few pairs, and no choice of precision yet."""
    precision = "float32" if params.precision == "auto" else params.precision
    small = _scaled(params, _first_share(params))
    return msgspec.structs.replace(small, precision=precision)


class TrialRecipe(Protocol):
    """Makes the trainers that are tried (see `recipes.Recipe`)."""

    device: str

    def make(self, params: TrainEncoder) -> Trainer:
        """Make a trainer."""


def try_steps(
    recipe: TrialRecipe, params: TrainEncoder, texts: Sequence[str], report: Report
) -> Trial:
    """Try a small batch, and a larger one if that takes no longer than it may.

    The time of a step is that of its update and that of its batches, which grow evenly
    with their sentences. The second try is of the whole batch where that is quick.

    Args:
        recipe: made of `first_params(params)` over a sample of the data.
        texts: some sentences, to encode.

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
    """Choose the first batch as a share of the whole: small, but no single sentence."""
    of_tokens = FIRST_TOKENS / params.batch_tokens if params.batch_tokens else 0.0
    return min(1.0, max(FIRST_PAIRS / params.batch_size, of_tokens))


def _larger_share(tried: TrialResult, params: TrainEncoder) -> float | None:
    """Choose the larger batch; None: it would take too long, or the first was whole."""
    if tried.share == 1.0 and params.precision != "auto":
        return None
    growth = max(1.0, (LONGEST_S - tried.update_s) / tried.batch_s)
    share = min(1.0, tried.share * growth)
    return share if share == 1.0 or share >= WORTH * tried.share else None


def _scaled(params: TrainEncoder, share: float) -> TrainEncoder:
    """Take a share of the batch, in pairs and in tokens; one batch a step.

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
    """Make steps for a while."""
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

    The first step is not counted. Means, not medians: one batch with a long sentence
    may take twenty times as long as others, and the training will meet its share of
    them.
    """
    steps_s: list[float] = []
    updates_s: list[float] = []
    while not steps_s or (sum(steps_s) < TRY_S and len(steps_s) < MOST_STEPS):
        report.step(STAGE, len(steps_s), 0, f"{params.batch_size:,} pairs")
        begun = time.perf_counter()
        result = trainer.make_step(wants_values=True)
        steps_s.append(time.perf_counter() - begun)
        updates_s.append(trainer.update_s)
    step_s = mean(steps_s[1:] or steps_s)  # the first one allocates
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
    """Return the seconds to cut one sentence into tokens."""
    encoder = trainer.encoder()
    begun = time.perf_counter()
    if isinstance(encoder, NeuralEncoder):
        encoder.tokeniser.tokenise(texts)
    else:
        encoder.encode(texts)  # which is little more than cutting
    return (time.perf_counter() - begun) / max(1, len(texts))


def _extrapolate(
    tried: TrialResult,
    trainer: Trainer,
    params: TrainEncoder,
    rates: tuple[float, float],
    notes: Sequence[str],
) -> Trial:
    """Reckon from the batch that was tried to a step as the params want it."""
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
    """Watches the memory of this process, or on the GPU, within a block.

    Attributes:
        peak_bytes: the most that was held.
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
