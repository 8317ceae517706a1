"""Task: make probing sets in SentEval's format from a treebank."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.engine.probing.treebanks.definitions import RequestedSet, list_requested
from app.engine.probing.treebanks.offers import list_offers
from app.engine.probing.treebanks.reader import (
    CancellableSentences,
    RejectedSentence,
    Treebank,
    is_bracketed,
    read_treebank,
)
from app.engine.probing.treebanks.splits import SPLITS, SplitRows, split_rows
from app.engine.runtime.report import Report
from app.engine.text.writers.output import OutputFiles
from app.errors import UserError
from app.languages import parse_language
from app.params import encode_hook
from app.params.probing import MakeProbingSets
from app.plurals import count_text
from app.results.probing_tasks import PUBLISHED_TASKS
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

REPORT_FILE = "probing_sets.json"
FEW = 200  # test rows, below which intervals are wide


class ProbingSet(msgspec.Struct, frozen=True):
    """A probing set.

    Attributes:
        name: task, feature or relation.
        file: null if there are too few rows.
        n_rows: rows of tr, va and te.
        n_classes: classes of the set; n_classes_published: classes of the published
            task, or the values of a feature before rare values were dropped.
        labels: label → rows in tr, va and te; only the first if there are very many
            labels.
        n_targets: target words of tr, va and te, disjoint between splits; 0: the label
            does not depend on a word.
        dropped: reason → number of dropped sentences.
        note: a sentence on limitations of the set or why it can't be made; empty: none.
    """

    name: str
    file: Path | None
    n_rows: tuple[int, int, int]
    n_classes: int
    n_classes_published: int
    labels: dict[str, tuple[int, int, int]]
    n_targets: tuple[int, int, int]
    dropped: dict[str, int]
    note: str


class MakeProbingSetsResult(TaskResult, frozen=True, kw_only=True):
    """The probing sets that were made, or that can be made.

    Attributes:
        n_read: sentences of the files.
        n_sentences, n_words: usable sentences, and their words.
        dropped: reason → unusable sentences.
        refused: the first sentences that could not be read.
        features: available feature → value → sentences; only without `out`.
        relations: available relation → sentences; only without `out`.
    """

    n_read: int
    n_sentences: int
    n_words: int
    dropped: dict[str, int]
    refused: tuple[RejectedSentence, ...]
    sets: tuple[ProbingSet, ...] = ()
    features: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    relations: dict[str, int] = msgspec.field(default_factory=dict)


class _Made(NamedTuple):
    """A set before it is written; a set that can't be made has only a reason."""

    facts: ProbingSet
    rows: SplitRows


def make_probing_sets(
    project: "Project | None", params: MakeProbingSets, report: Report
) -> MakeProbingSetsResult:
    """Read treebanks and write a file for each set, and a report.

    The files have SentEval's format: tr, va or te, label, tokenised sentence. A set
    that can't be made is listed with the reason.

    Raises:
        UserError: a treebank can't be read, no set can be made, or a file exists.
    """
    if params.fewest_words > params.most_words:
        raise UserError(
            f"No sentence has between {params.fewest_words} and {params.most_words} "
            "words. Change the limits."
        )
    in_brackets = [is_bracketed(file) for file in params.treebanks]
    requested = list_requested(params, (not all(in_brackets), any(in_brackets)))
    lengths = (params.fewest_words, params.most_words)
    treebank = read_treebank(params.treebanks, lengths, report)
    if params.out is None:
        return _list_offers(treebank)
    made = []
    for done, one in enumerate(requested):
        step = partial(report.step, "Making the sets", done, len(requested), one.name)
        if one.needs_brackets:
            step()
            trees: Sequence[Any] = treebank.constituents
        else:
            trees = CancellableSentences(treebank.sentences, step)
        made.append(_make_set(one, params, params.out, trees))
    n_made = sum(one.facts.file is not None for one in made)
    if not n_made:
        first = made[0].facts
        raise UserError(f"No set can be made. {first.name}: {_reason(first)}")
    result = _result(
        treebank,
        f"Made {n_made} of {len(made)} probing sets from {treebank.n_usable:,} "
        "sentences.",
        sets=tuple(one.facts for one in made),
    )
    _write(params.out, made, result, replace=params.replace)
    report.step("Making the sets", len(requested), len(requested))
    return result


def _make_set(
    requested: RequestedSet,
    params: MakeProbingSets,
    out: Path,
    sentences: Sequence[Any],
) -> _Made:
    """Make one set, with random numbers that do not depend on other sets."""
    generator = np.random.default_rng([params.seed, *requested.stem.encode()])
    rows = requested.define(sentences, generator)
    shares = (params.n_train, params.n_dev, params.n_test)
    split = split_rows(rows, shares, generator)
    labels: dict[str, tuple[int, int, int]] = {}
    for name in sorted({row.label for part in split.splits for row in part}):
        train, dev, test = (
            sum(row.label == name for row in part) for part in split.splits
        )
        labels[name] = (train, dev, test)
    is_whole = all(split.splits) and len(labels) > 1
    published = PUBLISHED_TASKS.get(requested.name)
    n_published = published.n_classes if published else split.n_classes
    language = params.language or _language_of(params.treebanks[0])
    file = out / (f"{language}." * bool(language) + f"{requested.stem}.tsv")
    train, dev, test = map(len, split.splits)
    facts = ProbingSet(
        name=requested.name,
        file=file if is_whole else None,
        n_rows=(train, dev, test),
        n_classes=len(labels),
        n_classes_published=n_published,
        labels=dict(list(labels.items())[:20]),
        n_targets=split.n_targets,
        dropped=dict(split.dropped.most_common(12)),
        note=_note(split, (len(labels), n_published), requested, is_whole=is_whole),
    )
    return _Made(facts, split)


def _note(
    split: SplitRows,
    counts: tuple[int, int],
    requested: RequestedSet,
    *,
    is_whole: bool,
) -> str:
    """Return a note on the limitations of a set; counts: its classes, and published."""
    n_classes, n_published = counts
    if is_whole:
        notes = []
        if n_classes < n_published:
            notes.append(
                f"{n_classes:,} of {n_published:,} classes: the others are too rare to "
                "balance."
            )
        n_test = len(split.splits[2])
        if n_test < FEW:
            rows = count_text(n_test, "test row")
            notes.append(f"With only {rows}, scores have wide intervals.")
        return " ".join(notes)
    if requested.needs_brackets and not split.n_classes:
        return "Top constituents need a treebank with bracketed trees."
    if n_classes < 2:
        return "Too few sentences have a label, or all have the same label."
    return "Too few sentences for training, development and test with every class."


def _reason(facts: ProbingSet) -> str:
    """Return why a set can't be made, and why most sentences were dropped."""
    most = next(iter(facts.dropped.items()), None)
    where = f" Of {most[1]:,} sentences: {most[0]}." if most else ""
    return facts.note + where


def _write(
    out: Path, made: list[_Made], result: MakeProbingSetsResult, *, replace: bool
) -> None:
    """Write all sets and the report, or no files at all."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file. Choose a folder for the sets.")
    if not out.parent.is_dir():
        raise UserError(f"{out.parent} is not a folder. Choose an existing folder.")
    is_new = not out.exists()
    out.mkdir(exist_ok=True)
    try:
        with OutputFiles(replace=replace) as files:
            for facts, rows in made:
                if facts.file is not None:
                    files.open(facts.file).writelines(_lines(rows))
            text = msgspec.json.encode(result, enc_hook=encode_hook)
            files.open(out / REPORT_FILE).write(msgspec.json.format(text) + b"\n")
            files.commit()
    except BaseException:
        if is_new and not any(out.iterdir()):
            out.rmdir()
        raise


def _lines(rows: SplitRows) -> Iterator[bytes]:
    for name, part in zip(SPLITS, rows.splits, strict=True):
        for row in part:
            yield f"{name}\t{row.label}\t{row.text}\n".encode()


def _list_offers(treebank: Treebank) -> MakeProbingSetsResult:
    """List the available features and relations, most frequent first."""
    offers = list_offers(treebank.sentences)
    return _result(
        treebank,
        f"{offers.n_sentences:,} sentences with {offers.n_features:,} features and "
        f"{offers.n_relations:,} relations.",
        features=offers.features,
        relations=offers.relations,
    )


def _result(
    treebank: Treebank,
    message: str,
    *,
    sets: tuple[ProbingSet, ...] = (),
    features: dict[str, dict[str, int]] | None = None,
    relations: dict[str, int] | None = None,
) -> MakeProbingSetsResult:
    return MakeProbingSetsResult(
        n_read=treebank.n_read,
        n_sentences=treebank.n_usable,
        n_words=treebank.n_words,
        dropped=dict(treebank.dropped.most_common()),
        refused=tuple(treebank.refused),
        sets=sets,
        features=features or {},
        relations=relations or {},
        message=message,
    )


def _language_of(treebank: Path) -> str:
    """Return the language in a name such as fi_tdt-ud-train.conllu, if any."""
    begin = treebank.name.partition("_")[0].partition(".")[0]
    return begin if 2 <= len(begin) <= 3 and parse_language(begin).known else ""
