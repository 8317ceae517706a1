"""Read and write word annotations and records of word indexes; list word vectors."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Engine, delete, insert, select, update

from app.engine.store.arrays import check_stem
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.store.schema import analysis, word_index

TABLES, MAPS = "word-vectors", "word-maps"  # folders of a project
TABLE_FILE, MAP_FILE = "table.json", "map.json"  # written last
SOURCE_FOLDER, TARGET_FOLDER = "source", "target"  # word vectors of a map
WordAnnotation = tuple[int, int, str, str, str]  # start, end, form, lemma, pos


class AnalysedWord(NamedTuple):
    """A word with its span (code points of the text), lemma and part of speech.

    Attributes:
        lemma, pos: lemma and part of speech; empty if the source has none.
    """

    start: int
    end: int
    form: str
    lemma: str
    pos: str


_DECODER = msgspec.json.Decoder(list[AnalysedWord])


def has_analyses(store: Engine, corpus_id: int) -> bool:
    """Return whether any sentence of a corpus has word annotations."""
    column = analysis.c.sentence_id
    bounds = (
        column >= first_sentence_id(corpus_id),
        column < first_sentence_id(corpus_id + 1),
    )
    with store.connect() as connection:
        found = connection.scalar(select(column).where(*bounds).limit(1))
    return found is not None


def read_analyses(
    store: Engine, corpus_id: int, start: int, end: int
) -> dict[int, list[AnalysedWord]]:
    """Read the annotated words of the sentences at the positions start … end - 1.

    Returns:
        Words by position.
    """
    base = first_sentence_id(corpus_id)
    column = analysis.c.sentence_id
    query = select(column, analysis.c.words).where(
        column >= base + start, column < base + end
    )
    with store.connect() as connection:
        rows = connection.execute(query)
        return {position_of(id_): _DECODER.decode(words) for id_, words in rows}


def write_analyses(
    raw: sqlite3.Connection, analyses: Iterable[tuple[int, Sequence[WordAnnotation]]]
) -> None:
    """Write the words of sentences, given as (id, words in text order)."""
    encode = msgspec.json.Encoder().encode
    raw.executemany(
        "INSERT INTO analysis (sentence_id, words) VALUES (?, ?)",
        ((id_, encode(words).decode()) for id_, words in analyses),
    )


OUTDATED = ""  # segmenter


class WordIndexRow(NamedTuple):
    """Record of the index of a corpus's words; its arrays are `STEM.….npy`.

    Attributes:
        segmenter: tokenizer (see `app/engine/words/index.py`); empty: outdated.
    """

    corpus_id: int
    segmenter: str
    n_tokens: int
    n_types: int
    has_lemmas: int
    array: str
    run_id: int | None
    created_at: float

    @property
    def is_outdated(self) -> bool:
        """Return whether the texts have changed since the index was written."""
        return self.segmenter == OUTDATED


def read_word_index(store: Engine, corpus_id: int) -> WordIndexRow | None:
    """Read the record of a corpus's index; None if its words are not indexed."""
    query = select(word_index).where(word_index.c.corpus_id == corpus_id)
    with store.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else WordIndexRow(*row)


def mark_word_index_outdated(connection: Connection, corpus_id: int) -> None:
    """Record that the texts of a corpus have changed since its words were indexed."""
    connection.execute(
        update(word_index)
        .where(word_index.c.corpus_id == corpus_id)
        .values(segmenter=OUTDATED)
    )


def word_index_file(folder: Path, stem: str, name: str) -> Path:
    """Return the file of one array of an index."""
    return folder / "arrays" / f"{check_stem(stem)}.{name}.npy"


def write_word_index(store: Engine, values: dict[str, Any]) -> None:
    """Record an index after its arrays are written, in place of an older index."""
    of_corpus = word_index.c.corpus_id == values["corpus_id"]
    with store.begin() as connection:
        connection.execute(delete(word_index).where(of_corpus))
        connection.execute(insert(word_index).values(**values))


def list_table_names(project_folder: Path) -> list[str]:
    """List the names of a project's word vectors."""
    return _folder_names(project_folder / TABLES, TABLE_FILE)


class _TableLanguage(msgspec.Struct):
    language: str = ""


def read_table_language(project_folder: Path, name: str) -> str:
    """Return the language of a project's word vectors; empty if unknown."""
    return _read_language(project_folder / TABLES / name)


def _read_language(folder: Path) -> str:
    file = folder / TABLE_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=_TableLanguage).language
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def list_map_names(project_folder: Path) -> list[str]:
    """List the names of a project's maps between word vectors."""
    return _folder_names(project_folder / MAPS, MAP_FILE)


def read_map_languages(project_folder: Path, name: str) -> tuple[str, str]:
    """Return the source and target language of a map; empty if unknown."""
    folder = project_folder / MAPS / name
    source, target = folder / SOURCE_FOLDER, folder / TARGET_FOLDER
    return _read_language(source), _read_language(target)


def _folder_names(folder: Path, file: str) -> list[str]:
    found = (one.parent.name for one in folder.glob(f"*/{file}"))
    return sorted(name for name in found if not name.startswith("."))
