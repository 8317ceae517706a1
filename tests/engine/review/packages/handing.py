"""Packages exchanged by two annotators, and the data read afterwards."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import func, select

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import PairSetRow, first_pair_id, list_pair_sets
from app.engine.store.pairs.texts import PairTexts, read_pair_texts
from app.engine.tasks.export_package import export_package
from app.engine.tasks.merge_package import MergePackageResult, merge_package
from app.engine.tasks.open_package import open_package
from app.engine.tasks.return_package import return_package
from app.params import build_params
from app.params.pairs import (
    ExportPackage,
    JudgementFilter,
    MergePackage,
    OpenPackage,
    ReturnPackage,
)
from app.protocol.queries.pairs import QueueQuery

N = 12
FIRST = first_pair_id(1)


def hand_over(here: Project, file: Path, **fields: Any) -> None:
    """Write a package of pairs."""
    values = {"pairs": "letters", "out": file, "order": "score", **fields}
    export_package(here, build_params(ExportPackage, values), Report())


def take(there: Project, file: Path) -> tuple[PairSetRow, list[int]]:
    """Open a package; gives the pairs' ids too."""
    result = open_package(there, OpenPackage(package=file), Report())
    row = next(one for one in list_pair_sets(there.store) if one.id == result.mining)
    return row, [first_pair_id(row.id) + i for i in range(row.n_pairs)]


def hand_back(
    there: Project, file: Path, who: str = "Ben", pairs: str = "letters"
) -> None:
    """Write a package of judgements."""
    params = ReturnPackage(pairs=pairs, out=file, annotator=who)
    return_package(there, params, Report())


def merge(here: Project, file: Path, who: str = "") -> MergePackageResult:
    """Merge judgements that were handed back."""
    return merge_package(here, MergePackage(package=file, annotator=who), Report())


def count(project: Project, table: Any) -> int:
    """Count the rows of a table."""
    with project.store.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def texts_of(project: Project, pair: int) -> PairTexts:
    """Read a pair with its texts and its judgement."""
    (texts,) = read_pair_texts(project.store, [pair])
    assert texts is not None
    return texts


def conflicts(project: Project) -> list[int]:
    """Return the places of the pairs in conflict."""
    return places(project, "conflict")


def places(project: Project, which: JudgementFilter) -> list[int]:
    """Return the places of the pairs that a filter selects."""
    query = QueueQuery(mining=1, which=which)
    answer = answer_query(SearchSession(project), query)
    return [int(id_) for id_ in np.load(project.folder / answer.file) - FIRST]


def repacked(file: Path, change: Any) -> None:
    """Change the lines of a package and write sums that fit, as a forger would."""
    lines = gzip.decompress(file.read_bytes()).splitlines()[:-1]
    lines = change(lines)
    data = b"".join(line + b"\n" for line in lines)
    end = {"lines": len(lines), "sha256": hashlib.sha256(data).hexdigest()}
    file.write_bytes(gzip.compress(data + json.dumps(end).encode() + b"\n"))


def with_row(*values: Any) -> Any:
    """Return a change that replaces the last line."""
    return lambda lines: [*lines[:-1], json.dumps(values).encode()]
