"""A project of a million short sentences, made of the words of the samples."""

import csv
import hashlib
import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

from app.engine.project.project import Project, create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.words.keyword_index import keyword_text
from app.paths import resource_dir

LENGTH = 30  # characters of a sentence, about


def make_sentences(
    n: int, seed: int = 1, *, only: str = "??"
) -> Iterator[tuple[str, str]]:
    """Return n pairs of language and sentence: random clauses of the sample texts."""
    generator = random.Random(seed)
    clauses = {
        file.stem: _clauses(file)
        for file in sorted((resource_dir() / "samples").glob(f"{only}.tsv"))
    }
    languages = list(clauses)
    for i in range(n):
        language = languages[i * len(languages) // n]
        text = ""
        while len(text) < LENGTH * 0.8:
            text += generator.choice(clauses[language])
        yield language, text.strip()[: int(LENGTH * 1.3)]


def make_project(folder: Path, n: int, *, only: str = "??") -> Project:
    """Make a project of n sentences as an import leaves it: a corpus per language.

    Args:
        folder: to make.
        n: sentences.
        only: the language, or ?? for all.
    """
    project = create_project(folder)
    pairs = make_sentences(n, only=only)
    corpora = itertools.groupby(pairs, key=lambda pair: pair[0])
    with project.store.begin() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        for corpus_id, (language, group) in enumerate(corpora, start=1):
            rows = [
                (
                    first_sentence_id(corpus_id) + i,
                    text,
                    language,
                    i + 1,
                    len(text),
                    _hash(text),
                )
                for i, (_, text) in enumerate(group)
            ]
            raw.execute(
                "INSERT INTO corpus VALUES (?,?,?,?,'ready',?,'','{}',NULL,0)",
                (corpus_id, language, language, language, len(rows)),
            )
            raw.executemany("INSERT INTO sentence VALUES (?,?,?,?,?,?)", rows)
            raw.executemany(
                "INSERT INTO sentence_words(rowid, text) VALUES (?,?)",
                [(row[0], keyword_text(row[1])) for row in rows],
            )
    return project


def _clauses(file: Path) -> list[str]:
    """Cut sample texts into words with their spaces; unspaced scripts into threes."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [row["text"] for row in rows]
    pattern = ".{1,3}" if file.stem in ("ja", "zh") else r"\S+\s*"
    words = [word for text in texts for word in re.findall(pattern, text)]
    return [f"{word} " if pattern[0] == "\\" else word for word in words]


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
