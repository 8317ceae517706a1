"""Held-out sentences of development and test sets, matched by their normal form."""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.numeric import hash_runs
from app.engine.runtime.report import Report
from app.engine.text.line_files import read_lines
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.params.training.encoder import TrainEncoder

HashArray = NDArray[np.uint64]

NO_LETTERS = 0  # hash of a text without letters or digits, which is never held out
BLOCK_TEXTS = 20_000
STAGE = "Reading development and test sets"

_DROPPED, _KEPT, _LINE_END = 0, 1, 2


class HeldOutSentences:
    """Sentences excluded from training, as hashes of their normal forms.

    Attributes:
        hashes: uint64 (n,), ascending, distinct.
    """

    def __init__(self, hashes: HashArray):
        self.hashes = np.unique(hashes[hashes != NO_LETTERS])

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def fingerprint(self) -> str:
        """Return a hash of all hashes in hex, for a training's key."""
        return hashlib.sha256(self.hashes.tobytes()).hexdigest()

    def joined(self, other: "HeldOutSentences") -> "HeldOutSentences":
        """Return the sentences of both sets."""
        return HeldOutSentences(np.concatenate([self.hashes, other.hashes]))

    def marks(self, hashes: HashArray) -> NDArray[np.bool_]:
        """Return whether each hash is held out: bool of the same shape."""
        if not len(self.hashes):
            return np.zeros(hashes.shape, np.bool_)
        indices = np.searchsorted(self.hashes, hashes)
        indices[indices == len(self.hashes)] = 0
        found: NDArray[np.bool_] = self.hashes[indices] == hashes
        return found


def read_held_out(
    project: "Project | None", params: "TrainEncoder", report: Report
) -> HeldOutSentences:
    """Read the sentences of the files and corpora that the params hold out.

    Each column of a file's lines counts as a sentence.

    Raises:
        UserError: a file is empty or not UTF-8, or a corpus does not exist.
        ResourceError: a file is missing.
    """
    found = [np.empty(0, np.uint64)]
    for file in params.kept_out:
        cells = (cell for line in read_lines(file) for cell in line.split("\t"))
        found += _hash_all(cells, file.name, report)
    if params.kept_out_corpora:
        if project is None:
            raise UserError("Excluded corpora need a project. Open one.")
        for name, texts in _corpus_texts(project, params.kept_out_corpora):
            found += _hash_all(texts, name, report)
    return HeldOutSentences(np.concatenate(found))


def normal_hashes(texts: Sequence[str]) -> HashArray:
    """Hash texts in normal form: NFKC, lower case, only letters, marks and digits.

    All texts are normalised as one string, which is about twenty times faster than one
    by one.

    Returns:
        uint64 (n,), the same on every machine; `NO_LETTERS` for an empty normal form.
    """
    joined = "\n".join((*texts, ""))
    if joined.count("\n") != len(texts):
        joined = "\n".join((*(text.replace("\n", " ") for text in texts), ""))
    # A line feed combines with no marks and ends each word, so lines stay separate.
    form = unicodedata.normalize("NFKC", joined).lower()
    codes = np.frombuffer(form.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds_of_characters()[codes]
    ends = np.cumsum(kinds == _KEPT)[kinds == _LINE_END]
    lengths = np.diff(ends, prepend=0).astype(np.int32)
    return hash_runs(codes[kinds == _KEPT].astype(np.int32), lengths)


@cache
def _kinds_of_characters() -> NDArray[np.uint8]:
    """Return whether the normal form keeps each code point: uint8 (0x110000,)."""
    kinds = np.fromiter(
        (unicodedata.category(chr(code))[0] in "LMN" for code in range(0x110000)),
        np.uint8,
        0x110000,
    )
    kinds[ord("\n")] = _LINE_END
    return kinds


def _hash_all(texts: Iterable[str], name: str, report: Report) -> Iterator[HashArray]:
    """Hash texts block by block."""
    iterator = iter(texts)
    n_done = 0
    while block := list(islice(iterator, BLOCK_TEXTS)):
        report.step(STAGE, n_done, 0, name)
        yield normal_hashes(block)
        n_done += len(block)


def _corpus_texts(
    project: "Project", names: Sequence[str]
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name and the sentences of each corpus."""
    from app.engine.project.active_sentences import iterate_active_texts
    from app.engine.store.lookup import find_corpora

    for row in find_corpora(project.store, names):
        pages = iterate_active_texts(project, row)
        yield row.name, (text for page in pages for _, text in page)
