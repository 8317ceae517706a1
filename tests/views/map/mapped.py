"""A project with a map: clouds of points, of any number of sentences."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, insert

from app.engine.project.project import create_project, open_project
from app.engine.store import schema
from app.engine.store.arrays import write_array
from app.engine.store.corpora import first_sentence_id
from app.engine.store.projections import add_projection
from tests.views.stage import copy_built

LANGUAGES = ("en", "de", "ar", "ja")
N_TYPICAL = 3


def build_corpora(
    folder: Path, n_each: int, languages: tuple[str, ...] = LANGUAGES
) -> Path:
    """Make a project with a corpus of numbered sentences for each language."""

    def build(template: Path) -> None:
        _write_corpora(template, n_each, languages)

    return copy_built(folder, build, key=("map", n_each, languages))


def _write_corpora(folder: Path, n_each: int, languages: tuple[str, ...]) -> None:
    with create_project(folder) as project, project.store.begin() as connection:
        for number, language in enumerate(languages, 1):
            row = {
                "id": number,
                "name": f"Corpus {language}",
                "language": language,
                "language_given": language,
                "state": "ready",
                "n_sentences": n_each,
                "created_at": 0.0,
            }
            connection.execute(insert(schema.corpus).values(row))
            rows = [
                {
                    "id": first_sentence_id(number) + index,
                    "text": f"Sentence {index} in {language}",
                    "language": language,
                    "line": index + 1,
                    "length": 10 + index % 90,
                    "hash": index,
                }
                for index in range(n_each)
            ]
            connection.execute(insert(schema.sentence), rows)


@contextmanager
def writing(folder: Path) -> Iterator[Engine]:
    """Open the store of a project for a change."""
    with open_project(folder) as project:
        yield project.store


def all_ids(n_each: int, n_corpora: int = len(LANGUAGES)) -> NDArray[np.int64]:
    """Return the ids of all sentences: int64 (n,), rising."""
    return np.concatenate(
        [first_sentence_id(c) + np.arange(n_each) for c in range(1, n_corpora + 1)]
    )


def clouds(n: int, n_clusters: int = 8, seed: int = 1) -> tuple[Any, Any]:
    """Draw points in clouds: float32 (n, 2), and the cloud of each: int32 (n,)."""
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(n_clusters, 2)) * 4
    of_points = draw.integers(0, n_clusters, n).astype(np.int32)
    spread = draw.uniform(0.2, 1.0, (n_clusters, 1))[of_points]
    xy = centres[of_points] + draw.normal(size=(n, 2)) * spread
    return xy.astype(np.float32), of_points


def add_map(
    folder: Path,
    ids: NDArray[np.int64],
    xy: NDArray[np.float32],
    clusters: NDArray[np.int32],
    **fields: Any,
) -> int:
    """Write a map's arrays and its row; returns its id."""
    stem = f"map-{fields.get('name', 'one')}".replace(" ", "-")
    n_clusters = int(clusters.max(initial=-1)) + 1
    told = [
        {
            "n": int((clusters == k).sum()),
            "sentences": ids[clusters == k][:N_TYPICAL].tolist(),
        }
        for k in range(n_clusters)
    ]
    values = {
        "name": "All sentences",
        "method": "umap",
        "encoder": "isogloss-2",
        "fingerprint": "f" * 64,
        "corpora": json.dumps(sorted(set((ids >> 32).tolist()))),
        "n_points": len(ids),
        "array": stem,
        "report": json.dumps({"clusters": told}),
        **fields,
    }
    with open_project(folder) as project:  # which removes files without a row
        for part, array in (("ids", ids), ("xy", xy), ("clusters", clusters)):
            write_array(folder / "arrays" / f"{stem}.{part}.npy", array)
        return add_projection(project.store, values)
