"""What the tests of search are made of: corpora without an import, a plain encoder."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import insert, text

from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.words.keyword_index import keyword_text
from app.languages import parse_language


class WordEncoder:
    """The vector of a text is the sum of fixed random vectors of its words.

    Attributes:
        n_encoded: texts that went through `encode`.
    """

    def __init__(self, dim: int = 256, name: str = "words"):
        self.name, self.dim, self.fingerprint = name, dim, f"{name}-{dim}" * 4
        self.n_encoded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.n_encoded += len(texts)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for vector, line in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", line.casefold()):
                seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
                vector += np.random.default_rng(seed).normal(size=self.dim)
        return vectors


def use_encoder(patch: pytest.MonkeyPatch, encoder: WordEncoder) -> None:
    """Let every encoder that is opened be this one."""
    for place in ("encoders.registry", "tasks.encode"):
        patch.setattr(f"app.engine.{place}.load_encoder", lambda *_, **__: encoder)


def add_corpus(project: Project, name: str, language: str, texts: Sequence[str]) -> int:
    """Put sentences into a project as an import leaves them."""
    code = parse_language(language).code
    with project.store.begin() as connection:
        values = {
            "name": name,
            "language": code,
            "language_given": language,
            "state": "ready",
            "n_sentences": len(texts),
            "created_at": 0.0,
        }
        key = connection.execute(insert(schema.corpus).values(**values))
        corpus_id = int(key.lastrowid)
        rows = [
            {
                "id": first_sentence_id(corpus_id) + i,
                "text": line,
                "language": code,
                "line": i + 1,
                "length": len(line),
                "hash": _hash(line),
            }
            for i, line in enumerate(texts)
        ]
        connection.execute(insert(schema.sentence), rows)
        connection.execute(
            text("INSERT INTO sentence_words(rowid, text) VALUES (:id, :text)"),
            [{"id": row["id"], "text": keyword_text(str(row["text"]))} for row in rows],
        )
    return corpus_id


def _hash(line: str) -> int:
    digest = hashlib.blake2b(line.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
