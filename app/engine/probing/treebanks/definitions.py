"""Definitions of the probing sets that can be made from a treebank."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from app.engine.probing.treebanks.alterations import (
    replace_words,
    swap_words,
    turn_clauses,
)
from app.engine.probing.treebanks.labels import (
    LabelledSentences,
    Labeller,
    feature_labeller,
    label_all,
    label_depths,
    label_length,
    label_relation,
    label_tenses,
    label_top_constituents,
    label_words,
    number_labeller,
)
from app.engine.probing.treebanks.reader import Sentence
from app.params.probing import MakeProbingSets, ProbingTask
from app.results.probing_tasks import PUBLISHED_TASKS

# Labels sentences (Sentence or Constituent) with random numbers.
Definition = Callable[[Sequence[Any], np.random.Generator], LabelledSentences]


class RequestedSet(NamedTuple):
    """A set to make.

    Attributes:
        name: task, feature or relation, as requested.
        stem: stem of the file name, without language; as in X-Probe for the tasks.
        define: function that labels dependency trees, or constituency trees if
            `needs_brackets`.
    """

    name: str
    stem: str
    define: Definition
    needs_brackets: bool = False


def list_requested(
    params: MakeProbingSets, has_formats: tuple[bool, bool]
) -> list[RequestedSet]:
    """List the sets to make; all tasks if nothing is specified.

    Args:
        params: params with the sets.
        has_formats: whether there are dependency trees, and constituency trees; tasks
            that need a missing format are left out if nothing is specified.

    Raises:
        UserError: a feature is specified without the word that has it.
    """
    tasks = dict.fromkeys(params.tasks)
    if not (params.tasks or params.features or params.relations):
        tasks = dict.fromkeys(
            name for name in _TASKS if has_formats[name in BRACKETED_TASKS]
        )
    requested = [
        RequestedSet(
            name, PUBLISHED_TASKS[name].stem, _TASKS[name], name in BRACKETED_TASKS
        )
        for name in tasks
    ]
    for feature in dict.fromkeys(params.features):
        define = _of_each(feature_labeller(feature))
        requested.append(RequestedSet(feature, _file_name(feature), define))
    for relation in dict.fromkeys(params.relations):
        stem = f"has_{_file_name(relation)}"
        define = _ignore_chance(partial(label_relation, requested=relation))
        requested.append(RequestedSet(relation, stem, define))
    return requested


def _ignore_chance(
    label: Callable[[Sequence[Any]], LabelledSentences],
) -> Definition:
    """Define a set by labels that need no random numbers."""
    return lambda sentences, _: label(sentences)


def _of_each(labeller: Labeller[Sentence]) -> Definition:
    """Define a set by a label that depends on one sentence only."""
    return _ignore_chance(partial(label_all, labeller=labeller))


def _file_name(name: str) -> str:
    """Return a file name that is valid on every system."""
    return "".join(sign if sign.isalnum() else "_" for sign in name)


BRACKETED_TASKS: tuple[ProbingTask, ...] = ("TopConst",)
_TASKS: dict[ProbingTask, Definition] = {
    "SentLen": _of_each(label_length),
    "WC": _ignore_chance(label_words),
    "TreeDepth": _ignore_chance(label_depths),
    "TopConst": _ignore_chance(label_top_constituents),
    "BShift": swap_words,
    "Tense": _ignore_chance(label_tenses),
    "SubjNum": _of_each(number_labeller("subject")),
    "ObjNum": _of_each(number_labeller("object")),
    "SOMO": replace_words,
    "CoordInv": turn_clauses,
}
