"""Task: export pairs as a package for another annotator."""

import secrets
from pathlib import Path

import msgspec
import numpy as np

from app.engine.project.project import Project
from app.engine.review.packages import (
    TEXTS_VERSION,
    VERSION,
    PairsHead,
    pack_pairs,
    pack_texts,
    write_package,
)
from app.engine.review.pair_columns import PairColumns
from app.engine.review.queue import order_pairs
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.lookup import find_pair_set
from app.engine.store.pairs.packages import GIVEN, PackageRow, record_package
from app.engine.store.pairs.sets import PairRow, PairSetRow, read_pairs
from app.errors import UserError
from app.params.pairs import ExportPackage
from app.paths import settings_file
from app.plurals import count_text
from app.protocol.queries.pairs import QueueQuery
from app.results.task import TaskResult
from app.settings import load_settings

STAGE = "Writing the package"
PAGE = 10_000


class ExportPackageResult(TaskResult, frozen=True, kw_only=True):
    """The exported package.

    Attributes:
        package: id of the package, the same in both projects.
        pairs: pairs in the package.
        texts: pairs with an edited text or a swapped-in runner-up.
    """

    path: Path
    package: str
    pairs: int
    texts: int


def export_package(
    project: Project, params: ExportPackage, report: Report
) -> ExportPackageResult:
    """Write pairs with their context, but without this project's judgements.

    The pairs are written with their current texts, and without scores unless requested.

    Raises:
        UserError: the pair set does not exist, no pair matches, or the file can't be
            written.
    """
    report.step(STAGE, 0, 0)
    mining = find_pair_set(project.store, params.pairs)
    pairs = _choose(project, mining, params)
    if not pairs:
        raise UserError(f"No pair of {mining.name} matches. Include other pairs.")
    source, target, packed = pack_pairs(
        project.store, pairs, with_scores=params.with_scores
    )
    package = secrets.token_hex(16)
    sides = source.sentences, target.sentences
    head = _head(project, mining, params, package)
    texts = pack_texts(project.store, pairs)
    head = msgspec.structs.replace(
        head,
        version=TEXTS_VERSION if texts else VERSION,
        n_sources=len(sides[0]),
        n_targets=len(sides[1]),
        n_pairs=len(packed),
        n_texts=len(texts),
    )
    ids = np.array([pair.id for pair in pairs], np.int64)

    def record(digest: str) -> None:
        row = PackageRow(package, GIVEN, mining.id, ids, digest)
        with project.store.begin() as connection:
            record_package(connection, row, report.run)

    report.step(STAGE, 0, len(packed))
    rows = [*sides[0], *sides[1], *packed, *texts]
    write_package(params.out, head, rows, record, replace=params.replace)
    report.step(STAGE, len(packed), len(packed))
    n = count_text(len(packed), "pair")
    edited = f" ({len(texts):,} with a changed text)" if texts else ""
    return ExportPackageResult(
        path=params.out,
        package=package,
        pairs=len(packed),
        texts=len(texts),
        message=f"{n} of {mining.name} exported{edited}. Send {params.out} to the "
        "annotator, then merge the returned judgements.",
    )


def _choose(
    project: Project, mining: PairSetRow, params: ExportPackage
) -> list[PairRow]:
    """Return the queue's first pairs with sentences on both sides."""
    query = QueueQuery(
        mining=mining.id, order=params.order, which=params.which, seed=params.seed
    )
    columns = PairColumns(project.store, mining)
    ids = order_pairs(project.store, columns, query).ids.tolist()
    chosen: list[PairRow] = []
    for start in range(0, len(ids), PAGE):
        page = read_pairs(project.store, ids[start : start + PAGE])
        chosen += [row for row in page if row and min(row.n_source, row.n_target)]
        if len(chosen) >= params.n:
            break
    return chosen[: params.n]


def _head(
    project: Project, mining: PairSetRow, params: ExportPackage, package: str
) -> PairsHead:
    listed = list_corpora(project.store, states=("ready", "deleted"))
    corpora = {row.id: row for row in listed}
    source = corpora.get(mining.source_corpus_id)
    target = corpora.get(mining.target_corpus_id)
    margin = mining.margin if params.with_scores else ""
    return PairsHead(
        version=VERSION,
        package=package,
        name=mining.name,
        who=load_settings(settings_file()).name_in(project.folder),
        source_name=source.name if source else "",
        target_name=target.name if target else "",
        source_language=mining.source_language or _language(source),
        target_language=mining.target_language or _language(target),
        margin=margin,
        n_sources=0,
        n_targets=0,
        n_pairs=0,
    )


def _language(corpus: CorpusRow | None) -> str:
    return corpus.language if corpus else ""
