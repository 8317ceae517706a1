"""Training loop: steps, curves, measurements, checkpoints and best weights."""

import logging
import math
import time
from pathlib import Path
from typing import Literal

import msgspec
import torch
from torch import Tensor

from app.engine.runtime.devices import release_free_memory
from app.engine.runtime.report import Report
from app.engine.training.development import (
    METRIC,
    NLI_METRIC,
    Development,
    selection_loss,
    selection_metric,
)
from app.engine.training.history import History
from app.engine.training.trainers.state import (
    TrainingState,
    load_state,
    read_state,
    save_state,
    write_state,
)
from app.engine.training.trainers.trainer import HEADS, StepResult, Trainer, lr_at
from app.errors import Cancelled, Paused, UserError
from app.number_format import format_percent
from app.params.training.encoder import TrainEncoder


class CurveMeter:
    """Averages steps between two points of the curves.

    The means are part of a training's state, so that a resumed run draws the same
    curve. The rates count only time spent in steps, without measuring and saving.
    """

    def __init__(self, *, has_several: bool):
        """Start without steps.

        Args:
            has_several: there are several objectives, whose losses are also shown.
        """
        self._has_several = has_several
        self._values: dict[str, list[float]] = {}  # name -> [sum, n]
        self._n_sentences = self._n_tokens = 0
        self._elapsed_s = 0.0
        self._begun = 0.0

    def begin_step(self) -> None:
        """Start the clock."""
        self._begun = time.perf_counter()

    def end_step(self, result: StepResult) -> None:
        """Stop the clock and add a step."""
        self._elapsed_s += time.perf_counter() - self._begun
        self._n_sentences += result.n_sentences
        self._n_tokens += result.n_tokens
        self._add("loss", result.loss)
        if self._has_several:
            self._add(f"loss.{result.objective}", result.loss)
        for name, value in result.values.items():
            self._add(name, value)

    def take(self) -> dict[str, float]:
        """Return the means and rates since the last point, and reset."""
        values = {name: total / n for name, (total, n) in self._values.items()}
        if self._elapsed_s > 0:
            values["sentences_per_s"] = self._n_sentences / self._elapsed_s
            values["tokens_per_s"] = self._n_tokens / self._elapsed_s
        self._values = {}
        self._n_sentences = self._n_tokens = 0
        self._elapsed_s = 0.0
        return values

    def state(self) -> str:
        """Return the exact sums as text."""
        return msgspec.json.encode(self._values).decode()

    def restore(self, text: str) -> None:
        """Restore sums."""
        self._values = msgspec.json.decode(text, type=dict[str, list[float]])

    def _add(self, name: str, value: float) -> None:
        sums = self._values.setdefault(name, [0.0, 0.0])
        sums[0] += value
        sums[1] += 1


FILE = "best.safetensors"
TITLES = {METRIC: "development error", NLI_METRIC: "NLI accuracy"}


class BestWeights:
    """Best weights so far, stored in a file so that a resumed run finds them.

    Attributes:
        step: step of the best weights; None: there are none.
        values: measurements at that step (see `DevelopmentSet.measure` and
            `NLI_METRIC`).
    """

    def __init__(self, folder: Path, selected_by: str):
        self._selected_by = selected_by
        self._file = folder / FILE
        state = read_state(self._file)
        self.step = None if state is None else state.step
        self.values: dict[str, float] = {}
        if state is not None:
            self.values = msgspec.json.decode(state.notes["values"])

    def offer(
        self, step: int, values: dict[str, float], weights: dict[str, Tensor]
    ) -> None:
        """Save these weights if they are better than all earlier weights."""
        if self.step is not None and self._loss(values) >= self._loss(self.values):
            return
        notes = {"values": msgspec.json.encode(values).decode()}
        write_state(self._file, TrainingState(step, weights, notes))
        self.step, self.values = step, values

    def load(self) -> dict[str, Tensor]:
        """Read the best weights (on the CPU)."""
        state = read_state(self._file)
        assert state is not None, "they were written before"
        return state.tensors

    def _loss(self, values: dict[str, float]) -> float:
        return selection_loss(values, self._selected_by)


STAGE = "Training"
METRIC_STEPS = 10  # between two points of the curves
RELEASE_STEPS = 50  # between two releases of free memory
SLOW_S = 1.0  # a checkpoint of a large model takes longer to write
CANCEL_S = 3.0  # faster checkpoints are also written on cancellation
SLOW_SHARE = 5  # slow checkpoints take at most one in this many seconds
MOST_BAD = 10  # consecutive steps without a finite loss; half precision may skip a step

Ending = Literal["last step", "patience", "finished early"]

log = logging.getLogger("training")


class TrainingResult(msgspec.Struct, frozen=True):
    """Result of the loop.

    Attributes:
        weights: weights to save: the best by the development metric, else the last.
        heads: heads saved with the weights, by name without `HEADS`.
        n_steps: total number of steps.
        first_step: step at which this run started (above 0: it was resumed).
        kept_step: step of `weights`.
        ending: reason for the end.
        values: the last point of each curve.
        measured: measurements of `weights` (see `BestWeights.values`); empty: no
            development data.
        first: the same measurements before the first step.
        elapsed_s: time of all runs, of interrupted runs until their last checkpoint.
        run_s: time of this run.
        note: sentences on possible differences from an uninterrupted run, and on
            weights no better than random; empty: none.
    """

    weights: dict[str, Tensor]
    heads: dict[str, Tensor]
    n_steps: int
    first_step: int
    kept_step: int
    ending: Ending
    values: dict[str, float]
    measured: dict[str, float]
    first: dict[str, float]
    elapsed_s: float
    run_s: float
    note: str = ""

    def total_seconds(self, begun: float) -> float:
        """Return the seconds of the training: all loops, and the rest of this run.

        Args:
            begun: time.monotonic() at the start of this run.
        """
        return self.elapsed_s + time.monotonic() - begun - self.run_s


class TrainingLoop:
    """A run of a training, from the checkpoint in its folder if there is one.

    Attributes:
        values: the last point of each curve.
    """

    def __init__(
        self,
        trainer: Trainer,
        params: TrainEncoder,
        folder: Path,
        report: Report,
        development: Development | None = None,
        *,
        criterion: str = "",
    ):
        """Make a loop.

        Random initial weights are measured but never selected, although a deep network
        can be worse for thousands of steps. The weights of `params.initial` can be
        selected.

        Args:
            trainer: computes the steps.
            report: progress and curves.
            development: measurement at intervals; None: no held-out data.
            criterion: name of the measured value that selects the best weights (lowest
                is best); empty: use the value in the params.
        """
        self.values: dict[str, float] = {}
        self._first: dict[str, float] = {}  # measurements of the initial weights
        self._trainer = trainer
        self._params = params
        self._folder = folder
        self._report = report
        self._development = development
        self._meter = CurveMeter(has_several=len(params.objectives) > 1)
        self._criterion = criterion or params.selected_by
        self._best = BestWeights(folder, self._criterion)
        self._measured_at = -1
        self._n_bad = 0
        self._next_save = time.monotonic() + params.checkpoint_every_s
        self._save_s = 0.0  # time of the last checkpoint
        self._history = History(folder, time.monotonic() - report.begun)

    def run(self, *, note: str = "") -> TrainingResult:
        """Train to the end.

        Args:
            note: shown next to the loss.

        Raises:
            Paused: the user paused the run; a checkpoint is written.
            UserError: the loss or a weight is not finite.
        """
        trainer, params = self._trainer, self._params
        self._restore()
        first_step = trainer.step
        if self._measured_at != first_step and not first_step % params.evaluate_every:
            self._measure()
        while (ending := self._ending()) is None:
            self._show_step(note)
            trainer.prepare(self._report)
            self._make_step()
            if self._n_bad:
                continue
            if trainer.step % params.evaluate_every == 0:
                self._measure()
            if time.monotonic() >= self._next_save:
                self._save()
        self._check_weights()
        if self._measured_at != trainer.step:
            self._measure()
        self._report.step(STAGE, params.n_steps, params.n_steps)
        return self._trained(first_step, ending)

    def _show_step(self, note: str) -> None:
        """Show the progress, and react to a cancellation."""
        self._step_report(self._trainer.step, self._describe(note))

    def _step_report(self, step: int, note: str) -> None:
        """Report a step; if the training is cancelled, write a checkpoint."""
        try:
            self._report.step(STAGE, step, self._params.n_steps, note)
        except Cancelled:
            if self._trainer.step and not self._n_bad and self._save_s < CANCEL_S:
                self._save()
            raise

    def _make_step(self) -> None:
        """Make a step, and add a point to the curves when due."""
        trainer = self._trainer
        done = trainer.step + 1
        is_shown = done % METRIC_STEPS == 0 or done == self._params.n_steps
        lr = lr_at(trainer.step, self._params)
        self._meter.begin_step()
        result = trainer.make_step(wants_values=is_shown)
        self._n_bad = 0 if math.isfinite(result.loss) else self._n_bad + 1
        if self._n_bad >= MOST_BAD:
            raise self._diverged("The loss is not finite")
        if not self._n_bad:
            self._meter.end_step(result)
        if is_shown:
            self._show(self._meter.take() | {"lr": lr})
        if done % RELEASE_STEPS == 0:
            release_free_memory()

    def _check_weights(self) -> None:
        """Reject final weights that are not finite; a finite loss doesn't ensure it."""
        if self._best.step is not None:  # they are saved, and were measured
            return
        for value in self._trainer.weights().values():
            if not bool(torch.isfinite(value).all()):
                raise self._diverged("Some weights are not finite")

    def _diverged(self, what: str) -> UserError:
        return UserError(
            f"{what} at step {self._trainer.step:,}. Use a lower learning "
            "rate, gradient clipping, or precision float32."
        )

    def _measure(self) -> None:
        """Measure the weights, and save them if they are trained and the best."""
        trainer = self._trainer
        values = trainer.measure(self._tick)
        if self._development is not None:
            values |= self._development.measure(trainer.encoder(), self._tick)
        self._measured_at = trainer.step
        if not values:
            return
        if trainer.step or self._params.initial:
            kept = trainer.weights() | trainer.heads()
            self._best.offer(trainer.step, values, kept)
        if not trainer.step:
            self._first = values
        self._show(values)

    def _tick(self, note: str) -> None:
        """Show the progress of work between steps, and react to a cancellation."""
        self._step_report(min(self._trainer.step, self._params.n_steps - 1), note)

    def _show(self, values: dict[str, float]) -> None:
        self.values |= values
        self._report.metric(self._trainer.step, **values)
        self._history.add(self._trainer.step, values)

    def _ending(self) -> Ending | None:
        """Return the reason to end now, or None to continue.

        Raises:
            Paused: the user paused the run.
        """
        step, params = self._trainer.step, self._params
        if self._report.request == "pause":
            self._save()
            raise Paused
        if step >= params.n_steps:
            return "last step"
        if self._report.request == "finish" and step > 0:
            return "finished early"
        if params.patience and self._best.step is not None:
            n_worse = (step - self._best.step) // params.evaluate_every
            if n_worse >= params.patience:
                return "patience"
        return None

    def _save(self) -> None:
        state = self._trainer.state()
        notes = {
            **state.notes,
            "meter": self._meter.state(),
            "values": msgspec.json.encode(self.values).decode(),
            "untrained": msgspec.json.encode(self._first).decode(),
            "threads": str(torch.get_num_threads()),
            "measured": str(self._measured_at),
            **self._history.save(self._report.run),
        }
        if self._report.run is not None:
            # The store needs the points up to a checkpoint before it counts, else
            # a kill leaves a gap in the curves that no resumed run draws again.
            self._report.changed("metric", self._report.run)
        begun = time.monotonic()
        save_state(self._folder, TrainingState(state.step, state.tensors, notes))
        now = time.monotonic()
        self._save_s = now - begun
        self._next_save = now + wait_after(
            self._save_s, self._params.checkpoint_every_s
        )
        self._report.saved(state.step, self._params.n_steps)

    def _restore(self) -> None:
        state = load_state(self._folder)
        if state is not None:
            self._trainer.restore(state)
            self._meter.restore(state.notes["meter"])
            self.values = msgspec.json.decode(state.notes["values"])
            # checkpoints of earlier versions lack these
            self._first = msgspec.json.decode(state.notes.get("untrained", "{}"))
            self._measured_at = int(state.notes.get("measured", state.step))
            self._history.restore(state.step, state.notes, self._report)
            before, now = state.notes["threads"], torch.get_num_threads()
            if before != str(now):
                self._history.notes.append(
                    f"Training resumed at step {state.step:,} with {now} threads "
                    f"after {before}. The curve may differ in the last digits."
                )
            log.info("training resumes at step %d", state.step)

    def _trained(self, first_step: int, ending: Ending) -> TrainingResult:
        best, trainer = self._best, self._trainer
        kept = trainer.weights() | trainer.heads()
        if best.step is not None:
            kept = best.load()
        notes = (*self._history.notes, self._compare_with_untrained())
        heads = {n.removeprefix(HEADS): v for n, v in kept.items() if _is_head(n)}
        return TrainingResult(
            weights={n: v for n, v in kept.items() if not _is_head(n)},
            heads=heads,
            n_steps=trainer.step,
            first_step=first_step,
            kept_step=trainer.step if best.step is None else best.step,
            ending=ending,
            values=self.values,
            measured=best.values,
            first=self._first,
            elapsed_s=self._history.elapsed_s,
            run_s=self._history.run_s,
            note=" ".join(filter(None, notes)),
        )

    def _compare_with_untrained(self) -> str:
        """Return a warning if no trained weights were better than random weights."""
        before, after, by = self._first, self._best.values, self._criterion
        if not before or not after or self._params.initial:
            return ""
        if selection_loss(after, by) < selection_loss(before, by):
            return ""
        metric = selection_metric(after, by)
        values = (
            format_percent(one[metric], 1) if metric in TITLES else f"{one[metric]:.3g}"
            for one in (before, after)
        )
        return (
            "No trained weights were better than the random ones at the start "
            f"({TITLES.get(metric, metric)} {' at the start, then '.join(values)}). "
            "Train for more steps, with fewer layers, or at another learning rate."
        )

    def _describe(self, note: str) -> str:
        loss = self.values.get("loss")
        parts = [note, "" if loss is None else f"loss {loss:.3f}"]
        return " · ".join(part for part in parts if part)


def _is_head(name: str) -> bool:
    return name.startswith(HEADS)


def wait_after(took_s: float, wanted_s: float) -> float:
    """Return the seconds until the next checkpoint, by the time the last one took."""
    if took_s < SLOW_S:
        return wanted_s
    return max(wanted_s, (SLOW_SHARE - 1) * took_s)
