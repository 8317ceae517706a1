"""Objectives of a training, and the choice of one objective for each step."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from app.engine.runtime.report import Report
from app.engine.training.objective import Objective, ObjectiveContext
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import OBJECTIVES

MIN_WEIGHT, MAX_WEIGHT = 0.01, 100.0


class WeightedObjective(NamedTuple):
    """Name of an objective and its relative frequency."""

    name: str
    weight: float


def parse_objectives(texts: Sequence[str]) -> tuple[WeightedObjective, ...]:
    """Parse `objectives` of the params: "ranking", "nli:0.5".

    Raises:
        UserError: a name is unknown or named twice, or a weight is out of range.
    """
    parsed: list[WeightedObjective] = []
    for text in texts:
        name, colon, weight = text.strip().partition(":")
        if name not in OBJECTIVES:
            raise UserError(
                f"Unknown objective {name!r}. Choose from {', '.join(OBJECTIVES)}."
            )
        if any(name == other.name for other in parsed):
            raise UserError(f"The objective {name} is listed twice. List it once.")
        parsed.append(
            WeightedObjective(name, _parse_weight(text, weight) if colon else 1.0)
        )
    if not parsed:
        raise UserError(f"Choose at least one objective: {', '.join(OBJECTIVES)}.")
    return tuple(parsed)


def _parse_weight(text: str, weight: str) -> float:
    """Parse a weight."""
    try:
        value = float(weight)
    except ValueError as error:
        raise UserError(
            f"The weight of the objective {text!r} is not a number. Write it "
            "like nli:0.5."
        ) from error
    if not MIN_WEIGHT <= value <= MAX_WEIGHT:
        raise UserError(
            f"The weight of the objective {text!r} must be between "
            f"{MIN_WEIGHT} and {MAX_WEIGHT:g}."
        )
    return value


class ObjectiveRotation:
    """A repeated order of tasks, one per step.

    A weight is a frequency, not a factor of the loss: Adam cancels a constant factor,
    and a task with a small weight costs little time. Over a period, every task occurs
    in proportion to its weight (to 0.01), spread evenly (smooth weighted round-robin).
    Equal weights give tasks[t mod T] (Chidambaram et al. 2019, 3).
    """

    def __init__(self, weights: Sequence[float]):
        self._period = _spread([round(weight * 100) for weight in weights])

    def task(self, step: int) -> int:
        """Return the index of the task at a step (from 0)."""
        return self._period[step % len(self._period)]


def _spread(counts: list[int]) -> list[int]:
    """Order tasks so that each occurs `counts` times, as evenly as possible."""
    total = sum(counts)
    credits_left = [0] * len(counts)
    period: list[int] = []
    while not period or any(credits_left):  # all zero: the order repeats
        for i, count in enumerate(counts):
            credits_left[i] += count
        chosen = credits_left.index(max(credits_left))
        credits_left[chosen] -= total
        period.append(chosen)
    return period


def make_objectives(context: ObjectiveContext, report: Report) -> tuple[Objective, ...]:
    """Make the objectives of the params, in the same order (see `ObjectiveRotation`).

    With one task per language an objective becomes several, named after their
    languages; each has the weight of the objective (see `task_weights`).

    Text is tokenised once; a second call finds the tokens in the work folder.

    Raises:
        UserError: an objective is unknown, or lacks required data.
    """
    weighted = parse_objectives(context.params.objectives)
    objectives = tuple(
        objective for one in weighted for objective in _make(one.name, context, report)
    )
    seen: set[str] = set()
    for objective in objectives:  # objectives of the same files have equal notes
        objective.notes = tuple(note for note in objective.notes if note not in seen)
        seen.update(objective.notes)
    return objectives


def task_weights(
    objectives: Sequence[Objective], params: TrainEncoder
) -> tuple[float, ...]:
    """Return the frequency of each objective: the weight of its entry in the params."""
    weights = dict(parse_objectives(params.objectives))
    return tuple(weights[one.name.partition(".")[0]] for one in objectives)


def _make(name: str, context: ObjectiveContext, report: Report) -> Sequence[Objective]:
    """Make one objective, or one for each language."""
    from app.engine.training.objectives import (
        contradiction,
        conversation,
        distillation,
        nli,
        quick_thought,
        translation,
        translation_ranking,
    )

    of_languages: dict[str, Callable[[ObjectiveContext, Report], Sequence[Objective]]]
    of_languages = {
        "ranking": translation_ranking.make_ranking,
        "quick-thought": quick_thought.make_quick_thought,
        "conversation": conversation.make_conversation,
    }
    if name in of_languages:
        return of_languages[name](context, report)
    makers: dict[str, Callable[[ObjectiveContext, Report], Objective]] = {
        "translation": translation.make_translation,
        "nli": nli.make_nli,
        "contradiction": contradiction.make_contradiction,
        "distillation": distillation.make_distillation,
    }
    return [makers[name](context, report)]
