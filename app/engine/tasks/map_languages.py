"""Task: map the word vectors of one language into the space of another."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.store.words.indexes import MAPS
from app.engine.wordvectors.learning import (
    LearnedMap,
    describe_convergence,
    learn_from_seeds,
    learn_unsupervised,
    refine_shared_space,
)
from app.engine.wordvectors.mapping import prepare_vectors
from app.engine.wordvectors.project_files import (
    check_new_name,
    new_folder,
    open_table,
)
from app.engine.wordvectors.seeds import collect_seeds
from app.engine.wordvectors.spaces import check_map_folder, join_spaces, save_space
from app.engine.wordvectors.table import WordVectors
from app.errors import UserError
from app.languages import language_name
from app.params.word_vectors import MapLanguages
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_ALIKE = 0.9  # share of equal words above which both languages are probably the same


class MapLanguagesResult(TaskResult, frozen=True, kw_only=True):
    """The map that was learned.

    Attributes:
        method: initial alignment: "dictionary", "encoder" (one encoder computed both
            tables), "adversarial" or "distributions".
        n_seeds: pairs of the seed dictionary that both tables contain.
        n_pairs: mutual neighbours among frequent words.
        criterion: mean cosine of frequent words with their CSLS translations.
        chance_criterion: the same for refined random rotations; None with a seed.
        consistency: share of the pairs that the remaining pairs predict; None with a
            seed or vectors of one encoder.
        has_converged: the criterion is clearly above that of chance, and the pairs are
            consistent.
        notes: sentences for the user.
    """

    out: Path
    method: str
    n_source: int
    n_target: int
    dim: int
    n_seeds: int
    n_pairs: int
    criterion: float
    chance_criterion: float | None
    consistency: float | None
    has_converged: bool
    notes: tuple[str, ...]
    seconds: float


def map_languages(
    project: "Project | None", params: MapLanguages, report: Report
) -> MapLanguagesResult:
    """Learn a map, with a seed dictionary or without one, and save it.

    Raises:
        UserError: a file contains no word vectors, the dimensions differ, both
            languages are the same, or the seed has too few pairs.
        ResourceError: a file is missing.
    """
    begun = time.monotonic()
    _check_output(project, params)
    source, target, notes = _open_tables(project, params, report)
    seeds = collect_seeds(project, params, source, target)
    if seeds is not None:
        learned = learn_from_seeds(
            source.vectors, target.vectors, seeds, params.rounds, report
        )
    else:
        is_shared = source.space and source.space == target.space
        learn = refine_shared_space if is_shared else learn_unsupervised
        learned = learn(source.vectors, target.vectors, params, report)
    space = join_spaces(source, target, learned.mapping, learned.details, report)
    out = params.out
    if out is not None:
        save_space(out, space, learned.mapping)
    if project is not None and params.name:
        with new_folder(project, MAPS, params.name) as folder:
            save_space(folder, space, learned.mapping)
        out = out or project.folder / MAPS / params.name
        report.changed("word-map", 0)
    assert out is not None, "the output was checked"
    problem = describe_convergence(learned.details)
    notes += [problem] if problem else []
    return _result(out, source, target, learned, notes, time.monotonic() - begun)


def _check_output(project: "Project | None", params: MapLanguages) -> None:
    if params.out is None and not params.name:
        raise UserError("Choose an output folder, or a name in the project.")
    if params.out is not None:
        check_map_folder(params.out)
    if params.name:
        check_new_name(project, MAPS, params.name)


def _open_tables(
    project: "Project | None", params: MapLanguages, report: Report
) -> tuple[WordVectors, WordVectors, list[str]]:
    tables, notes = [], []
    for file in (params.source, params.target):
        table, left_out = open_table(project, file, report, max_words=params.max_words)
        tables.append(table)
        notes += [f"{file.name}: {note}" for note in left_out]
    source, target = tables
    if source.dim != target.dim:
        raise UserError(
            f"The vectors of {params.source.name} have {source.dim:,} dimensions, but "
            f"those of {params.target.name} have {target.dim}. Use vectors with the "
            "same number of dimensions."
        )
    if source.language and source.language == target.language:
        raise UserError(
            f"Both tables are in {language_name(source.language)}. Select word "
            "vectors of two languages. If the language of one is wrong, correct it in "
            "Words → Language of word vectors… or import it again."
        )
    n_alike = len(set(source.words) & set(target.words))
    if n_alike > MAX_ALIKE * min(len(source.words), len(target.words)):
        notes.append(
            "Nearly all words are spelled alike in both tables. Check that they are in "
            "two languages."
        )
    return prepare_vectors(source), prepare_vectors(target), notes


def _result(
    out: Path,
    source: WordVectors,
    target: WordVectors,
    learned: LearnedMap,
    notes: list[str],
    seconds: float,
) -> MapLanguagesResult:
    details = learned.details
    how = "without a dictionary"
    if details.n_seeds:
        how = f"from {details.n_seeds:,} seed pairs"
    elif details.method == "encoder":
        how = "in the space of their encoder"
    message = (
        f"Mapped {len(source.words):,} words to {len(target.words):,} words {how}; "
        f"{details.n_pairs:,} pairs are mutual neighbours."
    )
    return MapLanguagesResult(
        out=out,
        method=details.method,
        n_source=len(source.words),
        n_target=len(target.words),
        dim=source.dim,
        n_seeds=details.n_seeds,
        n_pairs=details.n_pairs,
        criterion=details.criterion,
        chance_criterion=details.chance_criterion,
        consistency=details.consistency,
        has_converged=details.has_converged,
        notes=tuple(notes),
        seconds=seconds,
        message=" ".join([message, *notes]),
    )
