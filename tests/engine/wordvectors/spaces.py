"""Word vectors whose translations are known: a rotated copy with noise, and hubs."""

import numpy as np

from app.engine.wordvectors.mapping import prepare_vectors, random_rotation
from app.engine.wordvectors.table import WordVectors


def rotated_tables(
    n: int, dim: int, *, noise: float, seed: int = 0
) -> tuple[WordVectors, WordVectors, list[tuple[str, str]]]:
    """Return two prepared tables, and their pairs of words in the source's order.

    The target is the source, rotated, with Gaussian noise, in another order.
    """
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((n, dim)).astype(np.float32)
    other = vectors @ random_rotation(dim, seed + 1_000).T
    other += noise * random.standard_normal((n, dim)).astype(np.float32)
    order = random.permutation(n)
    source = WordVectors(tuple(f"s{row}" for row in range(n)), vectors, "en")
    target = WordVectors(tuple(f"t{row}" for row in order), other[order], "de")
    pairs = [(f"s{row}", f"t{row}") for row in range(n)]
    return prepare_vectors(source), prepare_vectors(target), pairs


def vec_text(table: WordVectors) -> str:
    """Write a table in the text form."""
    rows = [
        f"{word} {' '.join(f'{value:.6g}' for value in row)}\n"
        for word, row in zip(table.words, table.vectors.tolist(), strict=True)
    ]
    return f"{len(table.words)} {table.dim}\n" + "".join(rows)
