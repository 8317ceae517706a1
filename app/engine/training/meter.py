"""The curves of a training between two points: means, and rates by the clock."""

import time

import msgspec

from app.engine.training.trainer import StepResult


class Meter:
    """Gathers steps until a point of the curves is due.

    The means are part of a training's state: a resumed run draws the same curve. The
    rates are of the time spent in steps, so measuring and saving do not lower them.
    """

    def __init__(self, *, has_several: bool):
        """Begin without a step.

        Args:
            has_several: there are several objectives: each one's loss is shown too.
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
        """Give the means and rates since the last point, and begin anew."""
        values = {name: total / n for name, (total, n) in self._values.items()}
        if self._elapsed_s > 0:
            values["sentences_per_s"] = self._n_sentences / self._elapsed_s
            values["tokens_per_s"] = self._n_tokens / self._elapsed_s
        self._values = {}
        self._n_sentences = self._n_tokens = 0
        self._elapsed_s = 0.0
        return values

    def state(self) -> str:
        """Give the sums as text, exact to the last digit."""
        return msgspec.json.encode(self._values).decode()

    def restore(self, text: str) -> None:
        """Go on from sums."""
        self._values = msgspec.json.decode(text, type=dict[str, list[float]])

    def _add(self, name: str, value: float) -> None:
        sums = self._values.setdefault(name, [0.0, 0.0])
        sums[0] += value
        sums[1] += 1
