"""Task: write the judgements of a package to one file."""

from pathlib import Path

from app.engine.project.project import Project
from app.engine.review.packages import (
    VERSION,
    JudgementsHead,
    PackedJudgement,
    write_package,
)
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_pair_set
from app.engine.store.pairs.judged_ranges import read_judged_ranges
from app.engine.store.pairs.packages import PackageRow, find_source_package
from app.engine.store.pairs.sets import read_current_judgements, read_pairs
from app.errors import UserError
from app.params.pairs import ReturnPackage
from app.paths import settings_file
from app.results.task import TaskResult
from app.settings import load_settings

STAGE = "Writing the judgements"


class ReturnPackageResult(TaskResult, frozen=True, kw_only=True):
    """The written file.

    Attributes:
        judgements: judgements in the file.
        pairs: pairs of the package.
    """

    path: Path
    judgements: int
    pairs: int
    who: str


def return_package(
    project: Project, params: ReturnPackage, report: Report
) -> ReturnPackageResult:
    """Write the current judgements of a package's pairs.

    Raises:
        UserError: the pair set is not from a package, no pair is judged, the
            annotator's name is missing, or the file can't be written.
    """
    report.step(STAGE, 0, 0)
    mining = find_pair_set(project.store, params.pairs)
    with project.store.connect() as connection:
        package = find_source_package(connection, mining.id)
    if package is None:
        raise UserError(
            f"{mining.name} is not from a package, so its judgements can't be returned."
        )
    who = params.annotator or load_settings(settings_file()).name_in(project.folder)
    if not who:
        raise UserError("The annotator has no name. Enter one here or in the settings.")
    rows = _judged(project, package)
    if not rows:
        raise UserError(f"No pair of {mining.name} is judged yet.")
    n_pairs = len(package.pair_ids)
    head = JudgementsHead(VERSION, package.id, package.digest, who, n_pairs, len(rows))
    write_package(params.out, head, rows, replace=params.replace)
    report.step(STAGE, len(rows), len(rows))
    return ReturnPackageResult(
        path=params.out,
        judgements=len(rows),
        pairs=n_pairs,
        who=who,
        message=f"{len(rows):,} of {n_pairs:,} pairs are judged. Return {params.out}.",
    )


def _judged(project: Project, package: PackageRow) -> list[PackedJudgement]:
    ids = package.pair_ids.tolist()
    pairs = read_pairs(project.store, ids)
    ranges = read_judged_ranges(project.store)
    current = read_current_judgements(project.store, ids)
    rows = []
    for index, pair in enumerate(pairs):
        judgement = current.get(pair.id) if pair else None
        if pair is None or judgement is None or not judgement.verdict:
            continue
        rows.append(
            PackedJudgement(
                index,
                judgement.verdict,
                judgement.source_id != pair.source_id,
                judgement.target_id != pair.target_id,
                judgement.source_text,
                judgement.target_text,
                judgement.note,
                tuple(judgement.tags),
                judgement.created_at,
                ranges.has(judgement.given_id),
            )
        )
    return rows
