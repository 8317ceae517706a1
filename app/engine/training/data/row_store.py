"""Training rows, tokenised once into memory-mapped flat arrays."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.tokens import Tokens
from app.engine.numeric import IdArray, hash_runs
from app.engine.runtime.report import Report
from app.engine.text.line_files import describe_texts
from app.engine.training.data.tokens import RowRange
from app.engine.training.held_out import normal_hashes
from app.plurals import count_text

if TYPE_CHECKING:
    from app.engine.encoders.tokens import Tokeniser
    from app.engine.training.held_out import HeldOutSentences


class Row(NamedTuple):
    """An example, or a sentence of a document.

    Attributes:
        texts: one text for each column.
        tag: further data for the objective, such as the class.
    """

    texts: tuple[str, ...]
    tag: int = 0


class RowGroup(NamedTuple):
    """Rows that are drawn together: rows of a language or of a file.

    Attributes:
        name: name such as eng-deu.
        rows: iterator to read once; its reader counts skipped rows in a `SkippedRows`.
    """

    name: str
    rows: Iterator[Row]


class SkippedRows(Counter[str]):
    """Number of excluded examples by reason."""

    def sentences(self, noun: str) -> tuple[str, ...]:
        """Describe each reason: "Excluded 12 pairs: a sentence is empty."."""
        return tuple(
            f"Excluded {count_text(count, noun)}: {reason}."
            for reason, count in sorted(self.items())
            if count
        )


INDEX_FILE = "rows.json"
BLOCK_ROWS = 20_000
DTYPES: dict[str, type[np.generic]] = {
    "ids": np.int32,
    "ends": np.int64,
    "sub_ids": np.int32,
    "sub_ends": np.int64,
    "hashes": np.uint64,
    "tags": np.int32,
    "texts": np.uint8,
    "text_ends": np.int64,
}
STAGE = "Tokenising text"
KEPT_OUT = "a sentence is in a development or test set"
UNKNOWN = "a sentence has no token in the vocabulary"


class StoreIndex(msgspec.Struct, frozen=True):
    """Metadata of a store.

    Attributes:
        groups: ranges of rows, with the names of the `RowGroup`s.
        n_columns: sentences of a row.
        notes: sentences for the user about omitted rows.
    """

    groups: tuple[RowRange, ...]
    n_columns: int
    notes: tuple[str, ...]


class RowStore:
    """Rows of sentences; sentence r * n_columns + c is in column c of row r.

    Attributes:
        groups, n_columns, notes: see `StoreIndex`.
        n_rows: number of rows.
        tokens: tokens of all sentences, memory-mapped.
        hashes: uint64 (sentences,), hashes of the tokens.
        tags: int32 (rows,).
    """

    def __init__(self, folder: Path):
        index = msgspec.json.decode((folder / INDEX_FILE).read_bytes(), type=StoreIndex)
        self.groups = index.groups
        self.n_columns = index.n_columns
        self.notes = index.notes
        self.n_rows = sum(group.n_pairs for group in index.groups)
        arrays = {name: _map(folder / name, dtype) for name, dtype in DTYPES.items()}
        self.tokens = Tokens(
            arrays["ids"], arrays["ends"], arrays["sub_ids"], arrays["sub_ends"]
        )
        self.hashes: NDArray[np.uint64] = arrays["hashes"]
        self.tags: IdArray = arrays["tags"]
        self._texts, self._text_ends = arrays["texts"], arrays["text_ends"]

    def texts(self, sentence_ids: NDArray[np.int64]) -> list[str]:
        """Return the text of some sentences, if the store contains texts."""
        ends = self._text_ends[sentence_ids]
        starts = np.where(sentence_ids > 0, self._text_ends[sentence_ids - 1], 0)
        return [
            self._texts[start:end].tobytes().decode("utf-8", "surrogatepass")
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def n_tokens(self) -> IdArray:
        """Return the number of tokens of each row, int32 (rows,)."""
        ends = self.tokens.ends[self.n_columns - 1 :: self.n_columns]
        return np.diff(ends, prepend=0).astype(np.int32)


def open_store(folder: Path) -> RowStore | None:
    """Open an existing store; return None if it is incomplete."""
    return RowStore(folder) if (folder / INDEX_FILE).exists() else None


def make_store(
    folder: Path,
    groups: Sequence[RowGroup],
    filler: "StoreFiller",
    report: Report,
) -> RowStore:
    """Tokenise the rows of all groups; groups without rows are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    ranges: list[RowRange] = []
    n_rows = 0
    with _StoreFiles(folder) as files:
        for done, group in enumerate(groups):
            first = n_rows
            while block := list(islice(group.rows, BLOCK_ROWS)):
                report.step(STAGE, done, len(groups), describe_texts(group.name))
                n_rows += filler.write(block, files)
            if n_rows > first:
                ranges.append(RowRange(group.name, first, n_rows - first))
    index = StoreIndex(
        tuple(ranges), filler.n_columns, filler.left_out.sentences(filler.noun)
    )
    part = folder / f"{INDEX_FILE}.part"
    part.write_bytes(msgspec.json.encode(index))
    part.replace(folder / INDEX_FILE)
    return RowStore(folder)


class StoreFiller:
    """Tokenises blocks of rows, without rows that cannot or must not be trained on.

    Attributes:
        n_columns: sentences of a row.
        noun: noun for a row in notes.
        left_out: omitted rows by reason, which the readers of the rows also count.
    """

    def __init__(
        self,
        tokeniser: "Tokeniser",
        kept_out: "HeldOutSentences",
        n_columns: int,
        noun: str,
    ):
        self.n_columns = n_columns
        self.noun = noun
        self.left_out = SkippedRows()
        self.keeps_texts = False
        self._tokeniser = tokeniser
        self._kept_out = kept_out

    def write(self, block: list[Row], files: "_StoreFiles") -> int:
        """Write a block; return the number of its rows that were written."""
        texts = [text for row in block for text in row.texts]
        is_unseen = np.zeros(len(block), np.bool_)
        if len(self._kept_out):
            is_unseen[:] = self._any_column(self._kept_out.marks(normal_hashes(texts)))
        tokens = self._tokeniser.tokenise(texts)
        is_silent = self._any_column(tokens.lengths == 0) & ~is_unseen
        self.left_out[KEPT_OUT] += int(is_unseen.sum())
        self.left_out[UNKNOWN] += int(is_silent.sum())
        is_kept = ~(is_unseen | is_silent)
        kept_sentences = np.repeat(is_kept, self.n_columns)
        files.write_tokens(tokens.take(np.flatnonzero(kept_sentences)))
        tags = np.array([row.tag for row in block], np.int32)
        files.append("tags", tags[is_kept])
        if self.keeps_texts:
            files.write_texts(list(compress(texts, kept_sentences)))
        return int(is_kept.sum())

    def _any_column(self, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each row has a marked column: bool (r * c,) -> (r,)."""
        marked: NDArray[np.bool_] = np.logical_or.reduce(
            marks.reshape(-1, self.n_columns), axis=1
        )
        return marked


class _StoreFiles:
    """The arrays of a store while they are written."""

    def __init__(self, folder: Path):
        self._files = {name: (folder / name).open("wb") for name in DTYPES}
        self._lengths = dict.fromkeys(DTYPES, 0)

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Append to one of the arrays."""
        values.astype(DTYPES[name], copy=False).tofile(self._files[name])
        self._lengths[name] += len(values)

    def write_tokens(self, tokens: Tokens) -> None:
        """Append sentences and their hashes."""
        self.append("ends", tokens.ends + self._lengths["ids"])
        self.append("sub_ends", tokens.sub_ends + self._lengths["sub_ids"])
        self.append("ids", tokens.ids)
        self.append("sub_ids", tokens.sub_ids)
        self.append("hashes", hash_runs(tokens.ids, tokens.lengths))

    def write_texts(self, texts: list[str]) -> None:
        """Append texts."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        self.append("text_ends", np.cumsum(lengths) + self._lengths["texts"])
        self.append("texts", np.frombuffer(b"".join(encoded), np.uint8))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()


def _map(file: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Map a file read-only; an empty file can't be mapped."""
    if not file.stat().st_size:
        return np.empty(0, dtype)
    return np.asarray(np.memmap(file, dtype, mode="r"))
