"""Compare correlations, maps and imported encoders with other libraries."""

from typing import Any, Literal

import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.evaluation.correlation import pearson, spearman
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.embeddings import list_embeddings, map_embedding
from app.engine.store.projections import projection_file, read_projections
from app.engine.store.sentences import read_texts
from app.engine.tasks.project_map import project_map
from app.params.projection import ProjectMap
from tests.peers.agreement import Agreement, NotInstalledError, Peers, agree

K = 15
NEAR = 0.03  # difference of trustworthiness
N_SENTENCES, MAX_ERROR = 50, 1e-4


def compare_correlations(_peers: Peers) -> Agreement:
    """Compare both correlations, with ties, with scipy's."""
    from scipy import stats

    random = np.random.default_rng(1)
    worst = 0.0
    for n in (5, 50, 5_000):
        gold = np.round(random.uniform(0, 5, n), 1)
        cosines = gold / 5 + random.normal(0, 0.3, n)
        for own, other in (
            (pearson(cosines, gold), stats.pearsonr(cosines, gold)[0]),
            (spearman(cosines, gold), stats.spearmanr(cosines, gold)[0]),
        ):
            worst = max(worst, abs(own - other))
    return agree(worst < 1e-12, f"largest difference {worst:.0e}")


def compare_umap(peers: Peers) -> Agreement:
    """Compare the trustworthiness of our map with that of umap-learn."""
    import umap

    settings: dict[str, Any] = {"n_neighbors": K, "min_dist": 0.1, "init": "pca"}
    peer = umap.UMAP(metric="cosine", random_state=1, **settings)
    return _compare_maps(peers, "umap", peer.fit_transform)


def compare_tsne(peers: Peers) -> Agreement:
    """Compare the trustworthiness of our map with that of openTSNE."""
    import openTSNE

    peer = openTSNE.TSNE(metric="cosine", random_state=1)
    return _compare_maps(peers, "tsne", peer.fit)


def _compare_maps(peers: Peers, method: Literal["umap", "tsne"], fit: Any) -> Agreement:
    from sklearn.manifold import trustworthiness

    names = ("en", "de", "fr")
    project = peers.project
    params = ProjectMap(corpora=names, method=method, name=method)
    project_map(project, params, Report())
    (row,) = [one for one in read_projections(project.store) if one.name == method]
    own = np.load(projection_file(project.folder, row, "xy"))
    kept = [c.id for c in list_corpora(project.store) if c.name in names]
    units = [
        map_embedding(project.folder, one)[0]
        for id_ in kept
        for one in list_embeddings(project.store)
        if one.corpus_id == id_
    ]
    vectors = np.concatenate(units)
    other = np.asarray(fit(vectors))
    ours, theirs = (
        trustworthiness(vectors, xy, n_neighbors=K, metric="cosine")
        for xy in (own, other)
    )
    figures = f"trustworthiness {ours:.3f}, peer {theirs:.3f} ({len(vectors):,} points)"
    return agree(ours > theirs - NEAR, figures)


def compare_model(peers: Peers) -> Agreement:
    """Compare the vectors of an imported folder with those of its own library."""
    if peers.model is None:
        raise NotInstalledError("name a folder with --model")
    from sentence_transformers import SentenceTransformer

    texts = read_texts(peers.project.store, 1, 0, N_SENTENCES)
    own = load_encoder(str(peers.model), device="cpu").encode(texts)
    other = SentenceTransformer(str(peers.model), device="cpu").encode(texts)
    worst = float(np.abs(own - other).max())
    return agree(worst < MAX_ERROR, f"largest difference {worst:.0e}")
