"""Params of the task that makes maps of sentences."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import CorpusNames, Seed, WritingTask, option
from app.params.vectors import EncoderName

MapMethod = Literal["pca", "umap", "tsne"]


class ProjectMap(WritingTask, frozen=True, kw_only=True, tag="project-map"):
    """Make a map of sentences, with two coordinates each, and clusters."""

    continues: ClassVar[bool] = True

    corpora: Annotated[
        CorpusNames,
        option(
            "Corpora to map. Sentences without vectors are encoded first.", min_length=1
        ),
    ]
    method: Annotated[
        MapMethod,
        option(
            "Principal components (pca), UMAP, which preserves neighbours (umap), or "
            "t-SNE for up to 10,000 sentences (tsne, needs openTSNE)."
        ),
    ] = "umap"
    n_neighbours: Annotated[
        int,
        option(
            "Number of neighbours to keep close together; the perplexity of t-SNE. "
            "Small values show detail, large values the overall structure.",
            ge=2,
            le=200,
        ),
    ] = 15
    min_dist: Annotated[
        float,
        option(
            "Minimum distance between neighbours in a UMAP map, 0 to 0.99.",
            ge=0,
            le=0.99,
        ),
    ] = 0.1
    n_epochs: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        option(
            "Epochs of UMAP or t-SNE. Default: 500 for up to 10,000 sentences, else "
            "200."
        ),
    ] = None
    n_clusters: Annotated[
        Annotated[int, Meta(ge=0, le=200)] | None,
        option(
            "Number of clusters; 0 for none. Default: the square root of half the "
            "number of sentences, at most 40."
        ),
    ] = None
    name: Annotated[
        str, option("Name of the map. Empty: named after its content.", max_length=200)
    ] = ""
    encoder: EncoderName = ""
    seed: Seed = 1
