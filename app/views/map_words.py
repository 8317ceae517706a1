"""Maps in words."""

from PySide6.QtCore import QCoreApplication

from app.engine.store.projection_rows import ProjectionRow
from app.views.words import format_count


def method_words(method: str) -> str:
    """Name a method as people do."""
    names = {"pca": "PCA", "umap": "UMAP", "tsne": "t-SNE"}
    return names.get(method, method)


def describe_map(row: ProjectionRow) -> str:
    """Say in short what a map is: UMAP · isogloss-2 · 12,000 sentences."""
    words = QCoreApplication.translate("map", "{method} · {n} points · {encoder}")
    return words.format(
        method=method_words(row.method),
        n=format_count(row.n_points),
        encoder=row.encoder,
    )
