"""Task: import a package of pairs into a project to judge them."""

import json
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, insert, update

from app.engine.project.project import Project
from app.engine.review.packages import (
    PackageLines,
    PackedPair,
    PackedSentence,
    PackedTexts,
    PairsHead,
    damaged,
    read_package,
)
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.corpus_writes import (
    NewCorpus,
    Shard,
    ShardSide,
    corpora_of_run,
    create_corpora,
    mark_corpora_removed,
    purge_removed_corpora,
    write_shard,
)
from app.engine.store.pairs.judgements import (
    PairState,
    append_judgements,
    next_step,
)
from app.engine.store.pairs.packages import (
    TAKEN,
    PackageRow,
    find_package,
    record_package,
)
from app.engine.store.pairs.sets import (
    NewPairSet,
    first_pair_id,
    insert_pair_set,
    read_pair_set,
)
from app.engine.text.normalisation import clean_text, text_hashes
from app.errors import UserError
from app.languages import parse_language
from app.params.pairs import OpenPackage
from app.plurals import count_text
from app.results.task import TaskResult

STAGE = "Opening the package"
SHARD = 10_000  # sentences


class OpenPackageResult(TaskResult, frozen=True, kw_only=True):
    """What was imported.

    Attributes:
        mining: id of the pair set.
        was_open: the package was imported before.
    """

    mining: int
    name: str
    pairs: int
    was_open: bool


def open_package(
    project: Project, params: OpenPackage, report: Report
) -> OpenPackageResult:
    """Import a package as two corpora and a pair set; leave nothing after an error.

    A package is imported only once.

    Raises:
        UserError: the file is not a package, is damaged, or was exported from here.
    """
    report.step(STAGE, 0, 0)
    lines = read_package(params.package)
    head = lines.head
    if not isinstance(head, PairsHead):
        raise UserError(
            f"{params.package.name} contains returned judgements. Merge it instead."
        )
    with project.store.connect() as connection:
        known = find_package(connection, head.package)
    if known is not None:
        return _known(project, known, params.package)
    sides = _sentences(lines, head)
    pairs = lines.take(PackedPair, sum(map(len, sides)), head.n_pairs)
    texts = lines.take(PackedTexts, sum(map(len, sides)) + head.n_pairs, head.n_texts)
    _check_places(params.package, head, pairs)
    _check_texts(params.package, pairs, texts)
    _remove_half(project, report)
    corpus_ids = _write_sentences(project, head, sides, params.package, report)
    try:
        report.step(STAGE, sum(map(len, sides)), 0)
        with project.store.begin() as connection:
            mining = _show(connection, head, sides, corpus_ids, report)
            rows = _write_pairs(connection, mining, pairs, corpus_ids)
            _write_texts(connection, head, rows, texts)
            ids = first_pair_id(mining) + np.arange(len(pairs))
            row = PackageRow(head.package, TAKEN, mining, ids, lines.digest)
            record_package(connection, row, report.run)
    except BaseException:
        mark_corpora_removed(project.store, corpus_ids)
        raise
    for corpus_id in corpus_ids:
        report.changed("corpus", corpus_id)
    report.changed("mining", mining)
    return OpenPackageResult(
        mining=mining,
        name=head.name,
        pairs=len(pairs),
        was_open=False,
        message=f"Opened {count_text(len(pairs), 'pair')} of {head.name} to judge.",
    )


def _known(project: Project, known: PackageRow, file: Path) -> OpenPackageResult:
    """Return the pair set of a package that was imported before."""
    if known.role != TAKEN:
        raise UserError(
            f"{file.name} was exported from this project. The annotator opens it in "
            "another project."
        )
    mining = read_pair_set(project.store, known.mining_id)
    if mining is None or mining.state != "ready":
        raise UserError(
            f"{file.name} was opened before, and its pair set was deleted. Undo the "
            "deletion, or open the package in a new project."
        )
    return OpenPackageResult(
        mining=mining.id,
        name=mining.name,
        pairs=mining.n_pairs,
        was_open=True,
        message=f"{file.name} was opened before as {mining.name}.",
    )


def _sentences(lines: PackageLines, head: PairsHead) -> list[list[PackedSentence]]:
    sources = lines.take(PackedSentence, 0, head.n_sources)
    return [sources, lines.take(PackedSentence, head.n_sources, head.n_targets)]


def _check_places(file: Path, head: PairsHead, pairs: Sequence[PackedPair]) -> None:
    """Check that the sentences of each pair exist."""
    for pair in pairs:
        is_right = (
            pair.n_source > 0
            and pair.n_target > 0
            and pair.source + pair.n_source <= head.n_sources
            and pair.target + pair.n_target <= head.n_targets
            and (pair.reverse or 0) < head.n_sources
            and (pair.runner_up or 0) < head.n_targets
        )
        if not is_right:
            raise damaged(file)


def _check_texts(
    file: Path, pairs: Sequence[PackedPair], texts: Sequence[PackedTexts]
) -> None:
    """Check that the pairs with texts and the swapped-in runners-up exist."""
    for text in texts:
        pair = pairs[text.place] if text.place < len(pairs) else None
        if (
            pair is None
            or (text.is_source_swapped and pair.reverse is None)
            or (text.is_target_swapped and pair.runner_up is None)
        ):
            raise damaged(file)
    if len({text.place for text in texts}) < len(texts):
        raise damaged(file)


def _remove_half(project: Project, report: Report) -> None:
    """Remove rows that this run wrote before it was interrupted."""
    made = [id_ for id_, _, _ in corpora_of_run(project.store, report.run)]
    mark_corpora_removed(project.store, made)
    purge_removed_corpora(project.store)


def _write_sentences(
    project: Project,
    head: PairsHead,
    sides: Sequence[Sequence[PackedSentence]],
    file: Path,
    report: Report,
) -> list[int]:
    """Write the sentences of two hidden corpora, and return the corpora's ids."""
    total, done = sum(map(len, sides)), 0
    new = [
        NewCorpus(name or head.name, parse_language(code), file.name)
        for name, code in (
            (head.source_name, head.source_language),
            (head.target_name, head.target_language),
        )
    ]
    ids = create_corpora(project.store, new, report.run)
    try:
        for corpus_id, one, rows in zip(ids, new, sides, strict=True):
            for start in range(0, len(rows), SHARD):
                report.step(STAGE, done, total)
                part = rows[start : start + SHARD]
                texts = [clean_text(row.text)[0] for row in part]
                hashes = text_hashes(texts).tolist()
                codes = repeat(one.language.code)
                side = ShardSide(corpus_id, codes, texts, hashes, [])
                shard = Shard(start, [row.line for row in part], [side])
                write_shard(project.store, shard, report.run)
                done += len(part)
    except BaseException:
        mark_corpora_removed(project.store, ids)
        raise
    return ids


def _show(
    connection: Connection,
    head: PairsHead,
    sides: Sequence[Sequence[PackedSentence]],
    corpus_ids: Sequence[int],
    report: Report,
) -> int:
    """Show the corpora, write the pair set, and return its id."""
    raw: Any = connection.connection.driver_connection
    for corpus_id, rows in zip(corpus_ids, sides, strict=True):
        raw.executemany(
            "UPDATE sentence SET language = ? WHERE id = ? AND language <> ?",
            [
                (row.language, first_sentence_id(corpus_id) + index, row.language)
                for index, row in enumerate(rows)
                if row.language
            ],
        )
    table = schema.corpus
    statement = update(table).where(table.c.id.in_(corpus_ids)).values(state="ready")
    connection.execute(statement)
    origin = {"package": head.package, "is_blind": not head.margin, "who": head.who}
    new = NewPairSet(
        name=head.name,
        kind="package",
        source_corpus_id=corpus_ids[0],
        target_corpus_id=corpus_ids[1],
        margin=head.margin,
    )
    values = {
        "state": "ready",
        "n_pairs": head.n_pairs,
        "report": json.dumps(origin, ensure_ascii=False),
    }
    return insert_pair_set(connection, new, report.run, **values)


def _write_pairs(
    connection: Connection,
    mining: int,
    pairs: Sequence[PackedPair],
    corpus_ids: Sequence[int],
) -> list[dict[str, Any]]:
    """Write the pairs in the order of the package; unknown scores are 0.

    Returns:
        Rows of the pairs.
    """
    source, target = (first_sentence_id(corpus_id) for corpus_id in corpus_ids)
    rows: list[dict[str, Any]] = []
    for index, pair in enumerate(pairs):
        score, cosine, source_mean, target_mean = pair.scores or (0.0, 0.0, 0.0, 0.0)
        rows.append(
            {
                "id": first_pair_id(mining) + index,
                "source_id": source + pair.source,
                "n_source": pair.n_source,
                "target_id": target + pair.target,
                "n_target": pair.n_target,
                "score": score,
                "cosine": cosine,
                "source_mean": source_mean,
                "target_mean": target_mean,
                "runner_up_id": _sentence(target, pair.runner_up),
                "reverse_id": _sentence(source, pair.reverse),
            }
        )
    connection.execute(insert(schema.pair), rows)
    return rows


def _write_texts(
    connection: Connection,
    head: PairsHead,
    rows: Sequence[dict[str, Any]],
    texts: Sequence[PackedTexts],
) -> None:
    """Write the current texts of pairs as changes by the package's exporter."""
    states = []
    for text in texts:
        row = rows[text.place]
        source = row["reverse_id" if text.is_source_swapped else "source_id"]
        target = row["runner_up_id" if text.is_target_swapped else "target_id"]
        states.append(
            PairState(
                *(row["id"], source, target, ""),
                *(text.source_text, text.target_text, "", ()),
                *(head.who, head.package),
            )
        )
    if states:
        append_judgements(connection, next_step(connection), states)


def _sentence(first: int, index: int | None) -> int | None:
    return None if index is None else first + index
