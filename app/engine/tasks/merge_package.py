"""Task: merge the judgements of a returned package into the project."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from app.engine.edits.base import EditResult
from app.engine.edits.journal import record_edit
from app.engine.project.project import Project
from app.engine.review.packages import (
    JudgementsHead,
    PackedJudgement,
    damaged,
    read_package,
)
from app.engine.runtime.report import Report
from app.engine.store.pairs.judgements import (
    PairState,
    append_judgements,
    next_step,
    read_conflicting_pairs,
    read_pair_states,
)
from app.engine.store.pairs.packages import (
    GIVEN,
    PackagedOpinion,
    PackageRow,
    append_merged_judgements,
    append_opinions,
    find_package,
    read_newest_opinions,
)
from app.engine.store.pairs.sets import PairRow, first_pair_id, read_pairs
from app.errors import UserError
from app.params.pairs import MergePackage
from app.plurals import count_text
from app.protocol.edits.pairs import SetMerge
from app.results.task import TaskResult

STAGE = "Merging judgements"


class MergePackageResult(TaskResult, frozen=True, kw_only=True):
    """Counts of a merge.

    Attributes:
        mining: id of the pair set.
        judgements: judgements in the file.
        new: judgements that were not merged before.
        holding: new judgements that apply, since the pair was not judged here.
        texts: new judgements with a corrected text.
        conflicts: pairs that two people judged or corrected differently, which the user
            must resolve.
    """

    mining: int
    who: str
    judgements: int
    new: int
    holding: int
    texts: int
    conflicts: int


def merge_package(
    project: Project, params: MergePackage, report: Report
) -> MergePackageResult:
    """Append the judgements of another annotator in one transaction.

    If the file was merged before, only new and changed judgements are appended. A
    judgement applies if the pair was not judged here; otherwise it is stored next to
    the current judgement, and its corrected texts apply unless they were also corrected
    here.

    Raises:
        UserError: the file is damaged, or does not belong to a package of this project;
            its pairs do not exist; or the annotator also judged here, and `params` does
            not confirm that it is the same person.
    """
    report.step(STAGE, 0, 0)
    lines = read_package(params.package)
    head = lines.head
    if not isinstance(head, JudgementsHead):
        raise UserError(
            f"{params.package.name} contains pairs to judge, not judgements. Open it, "
            "judge the pairs, and return the judgements."
        )
    who = params.annotator or head.who
    judged = lines.take(PackedJudgement, 0, head.n)
    with project.store.connect() as connection:
        package = _package(connection, head, params.package)
    opinions = _opinions(project, package, judged, (params.package, who))
    report.step(STAGE, 0, len(opinions))
    with project.store.begin() as connection:
        step = next_step(connection)  # takes the write lock
        known = read_newest_opinions(connection, package.id, who)
        if not known and not params.same_annotator:
            _check_name(connection, package.mining_id, who)
        new = [
            row
            for row in sorted(opinions, key=lambda row: row.as_range)
            if known.get(row.pair_id) != row._replace(as_range=False)
        ]
        merge = _combine(connection, new, known)
        span = append_opinions(connection, new, _newest_judgement(connection))
        append_judgements(
            *(connection, step, merge.corrected),
            is_given=False,
            made_at=merge.corrected_at,
        )
        append_merged_judgements(connection, merge.holding, step)
        if new:
            applied = step if merge.holding or merge.corrected else 0
            _record(connection, package.mining_id, applied, span)
    report.step(STAGE, len(opinions), len(opinions))
    report.changed("judgements", package.mining_id)
    n_conflicts = len(read_conflicting_pairs(project.store, package.mining_id))
    return MergePackageResult(
        mining=package.mining_id,
        who=who,
        judgements=len(opinions),
        new=len(new),
        holding=len(merge.holding),
        texts=len(merge.other_texts),
        conflicts=n_conflicts,
        message=_message(who, new, merge, n_conflicts),
    )


def _record(
    connection: Connection, mining: int, step: int, opinions: tuple[int, int]
) -> None:
    """Record the merge in the journal as one undoable step."""
    change = SetMerge(
        step=step,
        first_opinion=opinions[0],
        last_opinion=opinions[1],
        is_merged=True,
    )
    inverse = msgspec.structs.replace(change, is_merged=False)
    record_edit(connection, change, EditResult(mining, "", inverse, []))


def _package(connection: Connection, head: JudgementsHead, file: Path) -> PackageRow:
    """Return the package that judgements belong to."""
    package = find_package(connection, head.package)
    if package is None:
        raise UserError(
            f"{file.name} belongs to a package of another project. Merge it there."
        )
    if package.role != GIVEN:
        raise UserError(
            f"{file.name} was written in this project. Send it to the person who sent "
            "you the pairs."
        )
    n_pairs = len(package.pair_ids)
    if (package.digest, n_pairs) != (head.digest, head.n_pairs):
        raise UserError(
            f"{file.name} belongs to a package that was changed after the export. "
            "Export the package again."
        )
    return package


def _opinions(
    project: Project,
    package: PackageRow,
    judged: list[PackedJudgement],
    said: tuple[Path, str],
) -> list[PackagedOpinion]:
    """Return the judgements with this project's pairs.

    Raises:
        UserError: a pair does not exist, or an index or a swap is invalid.
    """
    file, who = said
    pairs = read_pairs(project.store, package.pair_ids.tolist())
    if len({row.place for row in judged}) < len(judged):
        raise damaged(file)
    found = []
    for row in judged:
        if row.place >= len(pairs) or not row.verdict:
            raise damaged(file)
        pair = pairs[row.place]
        if pair is None:
            raise UserError(
                f"The pairs of {file.name} are not in the project any more."
            )
        source, target = _ends(pair, row)
        if source is None or target is None:
            raise damaged(file)
        found.append(
            PackagedOpinion(
                *(pair.id, source, target, row.verdict),
                *(row.source_text, row.target_text, row.note, row.tags),
                *(who, package.id, row.created_at, row.as_range),
            )
        )
    return found


def _ends(pair: PairRow, row: PackedJudgement) -> tuple[int | None, int | None]:
    return (
        pair.reverse_id if row.is_source_swapped else pair.source_id,
        pair.runner_up_id if row.is_target_swapped else pair.target_id,
    )


def _check_name(connection: Connection, mining_id: int, who: str) -> None:
    """Reject the name of an annotator who judged these pairs here."""
    raw: Any = connection.connection.driver_connection
    bounds = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    sql = (
        "SELECT 1 FROM judgement WHERE pair_id >= ? AND pair_id < ? AND origin = '' "
        "AND who = ? LIMIT 1"
    )
    if raw.execute(sql, (*bounds, who)).fetchone():
        raise UserError(
            f"{who} also judged these pairs in this project. If the same person "
            'returned the judgements, merge again and select "Same annotator". '
            "Otherwise enter another name for the annotator."
        )


class _Merge(NamedTuple):
    """Changes of a merge.

    Attributes:
        holding: opinions that apply: on pairs without a verdict, or with an older
            verdict of the same annotator.
        corrected: the states of other pairs, with the annotator's corrected texts.
        corrected_at: times of the corrections, in seconds since 1970.
        other_texts: opinions with a text that differs from the pair's text.
    """

    holding: list[PackagedOpinion]
    corrected: list[PairState]
    corrected_at: list[float]
    other_texts: list[PackagedOpinion]


def _combine(
    connection: Connection,
    new: list[PackagedOpinion],
    known: Mapping[int, PackagedOpinion],
) -> _Merge:
    """Compute the changes; pairs in conflict are not changed.

    Args:
        connection: connection in a transaction.
        new: opinions that were not merged before.
        known: the annotator's earlier opinions, by pair.
    """
    merge = _Merge([], [], [], [])
    for row in new:  # each query is an index look-up
        current = read_pair_states(connection, [row.pair_id])[row.pair_id]
        if row.source_text not in (None, current.source_text) or (
            row.target_text not in (None, current.target_text)
        ):
            merge.other_texts.append(row)
        applies = not current.verdict or _gave_verdict(connection, current, row)
        is_same = (current.source_id, current.target_id) == (
            row.source_id,
            row.target_id,
        )
        if not is_same:
            merge.holding.extend([row] if applies else [])
            continue
        texts = _combine_texts(current, row, known.get(row.pair_id))
        if texts is None:
            continue
        if applies:
            holding = row._replace(source_text=texts[0], target_text=texts[1])
            merge.holding.append(holding)
        elif texts != (current.source_text, current.target_text) and {
            current.verdict,
            row.verdict,
        } != {"accept", "reject"}:
            corrected = current._replace(source_text=texts[0], target_text=texts[1])
            merge.corrected.append(
                corrected._replace(who=row.who, origin=row.package_id)
            )
            merge.corrected_at.append(row.created_at)
    return merge


def _gave_verdict(
    connection: Connection, current: PairState, row: PackagedOpinion
) -> bool:
    """Return whether a pair's verdict is from this package and annotator."""
    raw: Any = connection.connection.driver_connection
    sql = "SELECT origin, who FROM judgement WHERE id = ?"
    giver = raw.execute(sql, (current.given_id,)).fetchone()
    return bool(giver == (row.package_id, row.who))


def _combine_texts(
    current: PairState, row: PackagedOpinion, before: PackagedOpinion | None
) -> tuple[str | None, str | None] | None:
    """Return both texts with the corrections of both sides; None: these conflict."""
    source = before.source_text if before else None
    target = before.target_text if before else None
    found = []
    for here, theirs, old in (
        (current.source_text, row.source_text, source),
        (current.target_text, row.target_text, target),
    ):
        if here not in (old, theirs) and theirs not in (None, old):
            return None
        found.append(theirs if here == old else here)
    return found[0], found[1]


def _newest_judgement(connection: Connection) -> int:
    raw: Any = connection.connection.driver_connection
    (newest,) = raw.execute("SELECT max(id) FROM judgement").fetchone()
    return int(newest or 0)


def _message(
    who: str,
    new: list[PackagedOpinion],
    merge: _Merge,
    n_conflicts: int,
) -> str:
    """Describe a merge.

    Args:
        new: judgements that were not merged before.
        merge: the changes.
    """
    if not new:
        return f"All judgements of {who} were merged before."
    conflicts = count_text(n_conflicts, "conflict")
    counts = (
        (len(merge.holding), "on pairs not judged here"),
        (sum(row.verdict == "flag" for row in new), "flagged"),
        (sum(row.verdict == "skip" for row in new), "skipped"),
        (len(merge.other_texts), "with a corrected text"),
    )
    parts = ", ".join(f"{n:,} {words}" for n, words in counts if n)
    merged = count_text(len(new), "judgement")
    of_them = f" ({parts})" if parts else ""
    return f"Merged {merged} of {who}{of_them}; {conflicts} to resolve."
