"""Define the probing sets that can be made from a treebank."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from app.engine.probing.treebanks.alterations import (
    replace_words,
    swap_words,
    turn_clauses,
)
from app.engine.probing.treebanks.brackets import Constituent
from app.engine.probing.treebanks.constituents import label_top_constituents
from app.engine.probing.treebanks.labels import (
    LabelledSentences,
    Labeller,
    feature_labeller,
    label_all,
    label_depths,
    label_length,
    label_relation,
    label_tenses,
    label_words,
    number_labeller,
)
from app.engine.probing.treebanks.reader import Sentence
from app.params.probing import MakeProbingSets, ProbingTask

# Labels sentences (Sentence or Constituent) with random numbers.
Definition = Callable[[Sequence[Any], np.random.Generator], LabelledSentences]


class RequestedSet(NamedTuple):
    """A set to make.

    Attributes:
        name: the task, feature or relation as it was asked for.
        stem: of its file's name, without language; X-Probe's for the tasks.
        define: labels dependency trees, or constituency trees if `needs_brackets`.
    """

    name: str
    stem: str
    define: Definition
    needs_brackets: bool = False


def list_requested(
    params: MakeProbingSets, has_formats: tuple[bool, bool]
) -> list[RequestedSet]:
    """List the sets to make; the tasks are all of them if nothing else is named.

    Args:
        params: name the sets.
        has_formats: whether there are dependency trees, and constituency trees; tasks
            that need another are left out if nothing is named.

    Raises:
        UserError: a feature is not named with the word that bears it.
    """
    tasks = dict.fromkeys(params.tasks)
    if not (params.tasks or params.features or params.relations):
        tasks = dict.fromkeys(
            name for name in _TASKS if has_formats[name in BRACKETED_TASKS]
        )
    requested = [
        RequestedSet(name, *_TASKS[name], name in BRACKETED_TASKS) for name in tasks
    ]
    for feature in dict.fromkeys(params.features):
        define = _of_each(feature_labeller(feature))
        requested.append(RequestedSet(feature, _file_name(feature), define))
    for relation in dict.fromkeys(params.relations):
        stem = f"has_{_file_name(relation)}"
        requested.append(RequestedSet(relation, stem, partial(_relation, relation)))
    return requested


def _of_each(labeller: Labeller[Sentence]) -> Definition:
    """Define a set by a label that each sentence gives for itself."""

    def define(
        sentences: Sequence[Sentence], _: np.random.Generator
    ) -> LabelledSentences:
        return label_all(sentences, labeller)

    return define


def _words(sentences: Sequence[Sentence], _: np.random.Generator) -> LabelledSentences:
    return label_words(sentences)


def _depths(sentences: Sequence[Sentence], _: np.random.Generator) -> LabelledSentences:
    return label_depths(sentences)


def _tenses(sentences: Sequence[Sentence], _: np.random.Generator) -> LabelledSentences:
    return label_tenses(sentences)


def _top_constituents(
    trees: Sequence[Constituent], _: np.random.Generator
) -> LabelledSentences:
    return label_top_constituents(trees)


def _relation(
    relation: str, sentences: Sequence[Sentence], _: np.random.Generator
) -> LabelledSentences:
    return label_relation(sentences, relation)


def _file_name(name: str) -> str:
    """Write a name so that a file can have it on every system."""
    return "".join(sign if sign.isalnum() else "_" for sign in name)


BRACKETED_TASKS: tuple[ProbingTask, ...] = ("TopConst",)
_TASKS: dict[ProbingTask, tuple[str, Definition]] = {
    "SentLen": ("sentence_length", _of_each(label_length)),
    "WC": ("word_content", _words),
    "TreeDepth": ("tree_depth", _depths),
    "TopConst": ("top_constituents", _top_constituents),
    "BShift": ("bigram_shift", swap_words),
    "Tense": ("past_present", _tenses),
    "SubjNum": ("subj_number", _of_each(number_labeller("subject"))),
    "ObjNum": ("obj_number", _of_each(number_labeller("object"))),
    "SOMO": ("odd_man_out", replace_words),
    "CoordInv": ("coordination_inversion", turn_clauses),
}
