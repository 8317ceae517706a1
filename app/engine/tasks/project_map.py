"""Task: project sentence vectors to a map and save it in the project."""

import secrets
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.project.active_sentences import count_active
from app.engine.project.project import Project
from app.engine.projection.clusters import (
    ClusterReport,
    Clusters,
    auto_clusters,
    describe_clusters,
    find_clusters,
)
from app.engine.projection.neighbour_preservation import MapQuality, measure_map
from app.engine.projection.pca import Components, find_components, project_vectors
from app.engine.projection.points import (
    Points,
    check_finite,
    load_points,
    read_point_languages,
)
from app.engine.projection.tsne import check_tsne, make_tsne
from app.engine.projection.umap import UmapSettings, delete_working_files, make_umap
from app.engine.runtime.report import Report
from app.engine.store.arrays import write_array
from app.engine.store.corpora import CorpusRow
from app.engine.store.lookup import CORPUS_PREFIX, find_corpora, with_subcorpus_name
from app.engine.store.projections import add_projection
from app.engine.tasks.encode import encode
from app.params.projection import ProjectMap
from app.params.vectors import Encode
from app.results.task import TaskResult

FOLDER = "maps"  # in a project's arrays folder; contains the arrays of maps
METHOD_NAMES = {"pca": "PCA", "umap": "UMAP", "tsne": "t-SNE"}
MIN_POINTS = 4  # points, below which only principal components can be shown


class MapReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report that is stored with a map (see `store/projections.py`).

    Attributes:
        settings: settings of the projection.
        variance: shares of the variance explained by the first principal components.
        kept_neighbours, kept_interval, trustworthiness, trustworthiness_interval: see
            `MapQuality`; None for a map of very few points.
        k: number of neighbours that the measures use.
        n_measured: sentences that the measures use.
        note: sentences for the user; empty: none.
    """

    settings: dict[str, Any]
    clusters: list[ClusterReport]
    n_unknown: int
    variance: list[float]
    kept_neighbours: float | None = None
    kept_interval: tuple[float, float] | None = None
    trustworthiness: float | None = None
    trustworthiness_interval: tuple[float, float] | None = None
    k: int = 0
    n_measured: int = 0
    note: str = ""


class ProjectMapResult(TaskResult, frozen=True, kw_only=True):
    """The saved map.

    Attributes:
        map: id of the map.
        n: sentences on it.
        n_unknown: sentences left out because the encoder knows none of their pieces.
        kept_neighbours: share of the nearest neighbours that are also among the nearest
            on the map, 0…1; None for a map of very few sentences.
        clusters: number of clusters.
    """

    map: int
    name: str
    n: int
    n_unknown: int
    method: str
    encoder: str
    kept_neighbours: float | None
    kept_interval: tuple[float, float] | None
    trustworthiness: float | None
    clusters: int
    seconds: float
    note: str


class _Map(NamedTuple):
    """A computed map."""

    points: Points
    components: Components
    xy: FloatArray
    clusters: Clusters | None
    quality: MapQuality | None


class _Shown(NamedTuple):
    """Corpora and encoder of a map, and the map's name."""

    corpora: list[CorpusRow]
    encoder: Encoder
    name: str


def project_map(
    project: Project, params: ProjectMap, report: Report
) -> ProjectMapResult:
    """Make a map of the sentences of corpora.

    Raises:
        UserError: unknown corpus or encoder, no vectors, a vector that contains NaN, or
            too many sentences for t-SNE.
        ResourceError: t-SNE is requested, but openTSNE is not installed.
        Cancelled: intermediate results are kept, and the next run resumes from them.
    """
    begun = time.monotonic()
    corpora = find_corpora(project.store, params.corpora)
    if params.method == "tsne":
        check_tsne(sum(count_active(project, corpus) for corpus in corpora))
    report.step("Loading the encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder)
    names = tuple(f"{CORPUS_PREFIX}{corpus.id}" for corpus in corpora)
    encode(project, Encode(corpora=names, encoder=params.encoder), report)
    folder = project.folder / "arrays" / FOLDER
    points = load_points(project, corpora, encoder, folder, report)
    check_finite(points, corpora, report)
    work = folder / points.key[:32]
    made = _make(points, params, work, report)
    shown = _Shown(corpora, encoder, _name(project, corpora, params))
    map_report = _report(project, made, shown, params, report)
    id_ = _keep(project, made, shown, params, (map_report, report.run))
    report.changed("projection", id_)
    delete_working_files(work)
    return ProjectMapResult(
        map=id_,
        name=shown.name,
        n=len(points),
        n_unknown=points.n_unknown,
        method=params.method,
        encoder=encoder.name,
        kept_neighbours=map_report.kept_neighbours,
        kept_interval=map_report.kept_interval,
        trustworthiness=map_report.trustworthiness,
        clusters=len(map_report.clusters),
        seconds=time.monotonic() - begun,
        message=_message(len(points), shown.name, map_report),
        note=map_report.note,
    )


def _make(points: Points, params: ProjectMap, work: Path, report: Report) -> _Map:
    components = find_components(points.side, 2, report)
    flat = project_vectors(points.side, components, report)
    if flat.shape[1] < 2:  # vectors of one dimension
        flat = np.concatenate([flat, np.zeros_like(flat)], axis=1)
    xy = flat
    if params.method != "pca" and len(points) >= MIN_POINTS:
        settings = UmapSettings(
            params.n_neighbours, params.min_dist, params.n_epochs, params.seed
        )
        make = make_umap if params.method == "umap" else make_tsne
        xy = make(points, flat, settings, work, report)
    n_clusters = params.n_clusters
    n_groups = auto_clusters(len(points)) if n_clusters is None else n_clusters
    clusters = None
    if n_groups:
        clusters = find_clusters(points.side, n_groups, seed=params.seed, report=report)
    quality = measure_map(points.side, xy, seed=params.seed, report=report)
    return _Map(points, components, xy, clusters, quality)


def _report(
    project: Project, made: _Map, shown: _Shown, params: ProjectMap, report: Report
) -> MapReport:
    ids, clusters, described = made.points.ids, made.clusters, []
    if clusters is not None:
        languages = read_point_languages(project.store, shown.corpora, ids)
        described = describe_clusters(project.store, ids, clusters, languages, report)
    quality = made.quality
    measured: dict[str, Any] = {}
    if quality is not None:
        measured = {
            "kept_neighbours": quality.kept,
            "kept_interval": quality.kept_interval,
            "trustworthiness": quality.trustworthiness,
            "trustworthiness_interval": quality.trustworthiness_interval,
            "k": quality.k,
            "n_measured": quality.n,
        }
    return MapReport(
        settings=msgspec.to_builtins(params),
        clusters=described,
        n_unknown=made.points.n_unknown,
        variance=made.components.shares.tolist(),
        note=_note(made, params),
        **measured,
    )


def _note(made: _Map, params: ProjectMap) -> str:
    """Return the note on a map."""
    n = len(made.points)
    if not made.components.shares.any():
        return "All vectors are equal, so the positions on the map have no meaning."
    if params.method != "pca" and n < MIN_POINTS:
        return (
            f"{n} sentences are too few for {params.method}. The map shows principal "
            "components instead."
        )
    if params.method == "umap" and n <= params.n_neighbours:
        return f"Each sentence has only {n - 1} neighbours."
    return ""


def _keep(
    project: Project,
    made: _Map,
    shown: _Shown,
    params: ProjectMap,
    map_report: tuple[MapReport, int | None],
) -> int:
    """Write the arrays, and then the database row."""
    stem = f"map-{secrets.token_hex(4)}"
    clusters = made.clusters
    in_none: NDArray[np.int32] = np.full(len(made.points), -1, np.int32)
    arrays: dict[str, NDArray[Any]] = {
        "xy": made.xy,
        "ids": made.points.ids,
        "clusters": in_none if clusters is None else clusters.of_points,
    }
    for part, array in arrays.items():
        write_array(project.folder / "arrays" / f"{stem}.{part}.npy", array)
    corpora = sorted(corpus.id for corpus in shown.corpora)
    values = {
        "name": shown.name,
        "method": params.method,
        "encoder": shown.encoder.name,
        "fingerprint": shown.encoder.fingerprint,
        "corpora": msgspec.json.encode(corpora).decode(),
        "n_points": len(made.points),
        "array": stem,
        "report": msgspec.json.encode(map_report[0]).decode(),
        "run_id": map_report[1],
    }
    return add_projection(project.store, values)


def _name(project: Project, corpora: list[CorpusRow], params: ProjectMap) -> str:
    shown = ", ".join(
        with_subcorpus_name(project.store, corpus).name for corpus in corpora
    )
    return params.name or f"{METHOD_NAMES[params.method]}: {shown}"[:200]


def _message(n: int, name: str, map_report: MapReport) -> str:
    """Return the message of the result."""
    sentences = "1 sentence" if n == 1 else f"{n:,} sentences"
    return f"The map {name} of {sentences} is ready. {map_report.note}".strip()
