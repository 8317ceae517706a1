"""Task: make a map of sentences, and keep it in the project."""

import secrets
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.encoder import Encoder
from app.engine.project import Project
from app.engine.projection.clusters import Clusters, auto_clusters, find_clusters
from app.engine.projection.pca import find_components, project_vectors
from app.engine.projection.points import Points, check_finite, load_points
from app.engine.report import Report
from app.engine.store.arrays import FloatArray, write_array
from app.engine.store.find import find_corpora
from app.engine.store.projection_writes import add_projection
from app.engine.store.rows import CorpusRow
from app.engine.tasks.encode import encode
from app.errors import UserError
from app.params.projection import ProjectMap
from app.params.vectors import Encode

FOLDER = "maps"  # in a project's arrays/: what maps are made of
METHOD_NAMES = {"pca": "PCA", "umap": "UMAP", "tsne": "t-SNE"}


class ClusterReport(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster of a map; its number is its place in the list.

    Attributes:
        n: sentences.
        sentences: ids of the most typical ones, the most typical first.
    """

    n: int
    sentences: list[int]


class MapReport(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept beside a map (see `store/projection_rows.py`)."""

    settings: dict[str, float | int | str]
    clusters: list[ClusterReport]
    n_unknown: int
    variance: list[float]


class ProjectMapResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was made.

    Attributes:
        map: id of the map.
        n: sentences on it.
        n_unknown: sentences left out, since the encoder knows no piece of them.
        clusters: how many.
    """

    map: int
    name: str
    n: int
    n_unknown: int
    method: str
    encoder: str
    clusters: int
    seconds: float
    message: str


class _Map(NamedTuple):
    """A map that is worked out."""

    points: Points
    xy: FloatArray
    clusters: Clusters | None
    variance: list[float]


def project_map(
    project: Project, params: ProjectMap, report: Report
) -> ProjectMapResult:
    """Make a map of the sentences of corpora.

    Raises:
        UserError: an unknown corpus or encoder, or no vector, or one with a value that
            is not a number.
        Cancelled: what was worked out stays, and the next run goes on there.
    """
    begun = time.monotonic()
    corpora = find_corpora(project.store, params.corpora)
    report.step("load encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder)
    names = tuple(str(corpus.id) for corpus in corpora)
    encode(project, Encode(corpora=names, encoder=params.encoder), report)
    folder = project.folder / "arrays" / FOLDER
    points = load_points(project, corpora, encoder, folder, report)
    check_finite(points, corpora, report)
    made = _make(points, params, report)
    id_ = _keep(project, made, (corpora, encoder), params, report)
    report.changed("projection", id_)
    n_clusters = len(made.clusters.typical) if made.clusters else 0
    return ProjectMapResult(
        map=id_,
        name=_name(corpora, params),
        n=len(points),
        n_unknown=points.n_unknown,
        method=params.method,
        encoder=encoder.name,
        clusters=n_clusters,
        seconds=time.monotonic() - begun,
        message=f"{len(points):,} sentences are on the map {_name(corpora, params)}.",
    )


def _make(points: Points, params: ProjectMap, report: Report) -> _Map:
    if params.method != "pca":
        raise UserError(f"The method {params.method} is not built yet: choose pca.")
    components = find_components(points.side, 2, report)
    xy = project_vectors(points.side, components, report)
    if xy.shape[1] < 2:  # vectors of one dimension
        xy = np.concatenate([xy, np.zeros_like(xy)], axis=1)
    n_clusters = params.n_clusters
    wanted = auto_clusters(len(points)) if n_clusters is None else n_clusters
    clusters = None
    if wanted:
        clusters = find_clusters(points.side, wanted, seed=params.seed, report=report)
    return _Map(points, xy, clusters, components.shares.tolist())


def _keep(
    project: Project,
    made: _Map,
    of: tuple[list[CorpusRow], Encoder],
    params: ProjectMap,
    report: Report,
) -> int:
    """Write the arrays, and then the row."""
    corpora, encoder = of
    stem = f"map-{secrets.token_hex(4)}"
    clusters = made.clusters
    in_none: NDArray[np.int32] = np.full(len(made.points), -1, np.int32)
    arrays: dict[str, NDArray[Any]] = {
        "xy": made.xy,
        "ids": made.points.ids,
        "clusters": in_none if clusters is None else clusters.of_points,
    }
    for part, array in arrays.items():
        write_array(_file(project, stem, part), array)
    values = {
        "name": _name(corpora, params),
        "method": params.method,
        "encoder": encoder.name,
        "fingerprint": encoder.fingerprint,
        "corpora": msgspec.json.encode(sorted(one.id for one in corpora)).decode(),
        "n_points": len(made.points),
        "array": stem,
        "report": msgspec.json.encode(_report(made, params)).decode(),
        "run_id": report.run,
    }
    return add_projection(project.store, values)


def _file(project: Project, stem: str, part: str) -> Path:
    return project.folder / "arrays" / f"{stem}.{part}.npy"


def _report(made: _Map, params: ProjectMap) -> MapReport:
    ids, clusters = made.points.ids, made.clusters
    told = []
    if clusters is not None:
        told = [
            ClusterReport(n=n, sentences=ids[places].tolist())
            for n, places in zip(clusters.sizes, clusters.typical, strict=True)
        ]
    return MapReport(
        settings={"method": params.method, "seed": params.seed},
        clusters=told,
        n_unknown=made.points.n_unknown,
        variance=made.variance,
    )


def _name(corpora: list[CorpusRow], params: ProjectMap) -> str:
    shown = ", ".join(corpus.name for corpus in corpora)
    return params.name or f"{METHOD_NAMES[params.method]}: {shown}"[:200]
