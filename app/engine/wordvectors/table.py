"""A table of word vectors, and the folder in which it is saved."""

from pathlib import Path

import msgspec
import numpy as np

from app.arrays import BoolArray, FloatArray
from app.engine.store.arrays import map_array, write_array
from app.engine.store.words.indexes import TABLE_FILE
from app.engine.words.tokenizer import fold_word
from app.errors import ResourceError, UserError

WORDS_FILE, VECTORS_FILE = "words.txt", "vectors.npy"


class WordVectors(msgspec.Struct, frozen=True):
    """The vectors of one language's words, the most frequent word first.

    Attributes:
        words: n different words.
        vectors: float32 (n, d), finite, as they were trained; may be mapped.
        language: code of the language; empty if it is unknown.
        space: fingerprint of the encoder that computed them: vectors of one space need
            no mapping. Empty for vectors that were trained.
    """

    words: tuple[str, ...]
    vectors: FloatArray
    language: str = ""
    space: str = ""

    @property
    def dim(self) -> int:
        """Return the number of dimensions."""
        return int(self.vectors.shape[1])

    def first(self, n: int) -> "WordVectors":
        """Return the n most frequent words."""
        return msgspec.structs.replace(
            self, words=self.words[:n], vectors=self.vectors[:n]
        )

    def select(self, is_kept: BoolArray) -> "WordVectors":
        """Return some words: bool (n,)."""
        pairs = zip(self.words, is_kept.tolist(), strict=True)
        words = tuple(word for word, kept in pairs if kept)
        return msgspec.structs.replace(self, words=words, vectors=self.vectors[is_kept])


class WordLookup:
    """Finds the row of a word: as it is written, or else ignoring case."""

    def __init__(self, words: tuple[str, ...]):
        """Index the words; of words that differ in case the most frequent counts."""
        self._exact = {word: row for row, word in enumerate(words)}
        self._folded: dict[str, int] = {}
        for row, word in enumerate(words):
            self._folded.setdefault(fold_word(word), row)

    def find(self, word: str) -> int | None:
        """Return the row of a word; None if the table doesn't contain it."""
        row = self._exact.get(word)
        return self._folded.get(fold_word(word)) if row is None else row

    def row(self, word: str) -> int:
        """Return the row of a word.

        Raises:
            UserError: the table doesn't contain it.
        """
        found = self.find(" ".join(word.split()))
        if found is None:
            raise UserError(
                f"“{word}” has no word vector. Try another form of the word, or "
                "train the vectors on more text."
            )
        return found


class _Description(msgspec.Struct, frozen=True):
    """What is saved of a table besides words and vectors."""

    language: str
    n_words: int
    dim: int
    space: str = ""


def save_table(folder: Path, table: WordVectors) -> None:
    """Save a table in a folder; the description is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    write_array(folder / VECTORS_FILE, np.asarray(table.vectors, np.float32))
    text = "".join(f"{word}\n" for word in table.words)
    (folder / WORDS_FILE).write_text(text, encoding="utf-8", newline="\n")
    description = _Description(table.language, len(table.words), table.dim, table.space)
    (folder / TABLE_FILE).write_bytes(msgspec.json.encode(description))


def set_table_language(folder: Path, language: str) -> str:
    """Change the language of a saved table, and return the old one.

    Raises:
        ResourceError: the file is damaged.
    """
    description = _read_description(folder)
    changed = msgspec.structs.replace(description, language=language)
    part = folder / f"{TABLE_FILE}.part"
    part.write_bytes(msgspec.json.encode(changed))
    part.replace(folder / TABLE_FILE)
    return description.language


def load_table(folder: Path) -> WordVectors:
    """Load a saved table; the vectors are mapped.

    Raises:
        ResourceError: a file is missing or damaged.
    """
    description = _read_description(folder)
    try:
        text = (folder / WORDS_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResourceError(_MISSING.format(folder)) from error
    words = tuple(text.split("\n")[:-1])
    vectors = map_array(folder / VECTORS_FILE)
    shape = (description.n_words, description.dim)
    if len(words) != description.n_words or vectors.shape != shape:
        raise ResourceError(
            f"The word vectors in {folder} are damaged. Import or train them again."
        )
    return WordVectors(words, vectors, description.language, description.space)


_MISSING = "The word vectors in {} are missing or damaged. Import or train them again."


def _read_description(folder: Path) -> _Description:
    try:
        data = (folder / TABLE_FILE).read_bytes()
        return msgspec.json.decode(data, type=_Description)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ResourceError(_MISSING.format(folder)) from error
