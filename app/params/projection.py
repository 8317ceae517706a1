"""Params of the task that makes maps of sentences."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName

MapMethod = Literal["pca", "umap", "tsne"]


class ProjectMap(TaskParams, frozen=True, kw_only=True, tag="project-map"):
    """Make a map of sentences: two coordinates of each, and clusters."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Name or id of a corpus; what is not encoded yet is encoded.",
            extra={"option": "corpus"},
        ),
    ]
    method: Annotated[
        MapMethod,
        Meta(
            description="Principal components (pca), a map that keeps neighbours "
            "(umap), or t-SNE for up to 10,000 sentences (tsne, by openTSNE)."
        ),
    ] = "umap"
    n_neighbours: Annotated[
        int,
        Meta(
            ge=2,
            le=200,
            description="Neighbours that are kept near each other; t-SNE's perplexity. "
            "Few show detail, many the whole.",
        ),
    ] = 15
    min_dist: Annotated[
        float,
        Meta(
            ge=0,
            le=0.99,
            description="How near to each other umap sets neighbours, 0 to 0.99.",
        ),
    ] = 0.1
    n_epochs: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(
            description="Epochs of umap or t-SNE; default: 500 up to 10,000 sentences, "
            "200 above."
        ),
    ] = None
    n_clusters: Annotated[
        Annotated[int, Meta(ge=0, le=200)] | None,
        Meta(
            description="Number of clusters, 0: none; default: the square root of half "
            "the number of sentences, at most 40."
        ),
    ] = None
    name: Annotated[
        str,
        Meta(max_length=200, description="Name of the map; empty: by what it shows."),
    ] = ""
    encoder: EncoderName = ""
    seed: Seed = 1
