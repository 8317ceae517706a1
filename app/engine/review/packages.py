"""Review packages: select the pairs and their context; write and read the file.

The first line is the header; the last line contains the number of lines and their
SHA-256, so that a truncated or changed file is refused before it is used.
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of, first_sentence_id
from app.engine.store.pairs.sets import PairRow, read_current_judgements
from app.engine.store.sentences import read_sentences
from app.errors import UserError
from app.protocol.edits.pairs import PairTag, PairText, Verdict

VERSION = 1
TEXTS_VERSION = 2  # format of an exported package with current texts
MAX_BYTES, MAX_LINES = 1 << 29, 4_000_000
Row = TypeVar("Row", bound=msgspec.Struct)
PackageId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Place = Annotated[int, Meta(ge=0, lt=2**31)]
Line = Annotated[int, Meta(ge=0, lt=2**53)]
Code = Annotated[str, Meta(max_length=100)]


class PairsHead(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="pairs",
):
    """The header of an exported package.

    Attributes:
        version: format version.
        package: random id, the same in both projects.
        name: name of the pair set.
        who: person who exported the package; may be empty.
        source_name, target_name: names of the corpora.
        source_language, target_language: language codes.
        margin: margin of the scores; empty: blind.
        n_sources, n_targets, n_pairs, n_texts: number of lines of each kind, in this
            order.
    """

    version: int
    package: PackageId
    name: PairText
    who: PairText
    source_name: PairText
    target_name: PairText
    source_language: Code
    target_language: Code
    margin: Literal["", "ratio", "distance", "absolute"]
    n_sources: Place
    n_targets: Place
    n_pairs: Place
    n_texts: Place = 0


class PackedSentence(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True
):
    """A sentence of a package; line 0: sentences were omitted here."""

    text: str
    language: Code
    line: Line


class PackedPair(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True
):
    """A pair of a package: positions among its sentences; scores if included."""

    source: Place
    n_source: Place
    target: Place
    n_target: Place
    runner_up: Place | None
    reverse: Place | None
    scores: tuple[float, float, float, float] | None  # score, cosine, means


class PackedTexts(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True
):
    """The current texts of a pair that was changed.

    Attributes:
        place: position of the pair in the package.
        is_source_swapped, is_target_swapped: the runner-up was swapped in.
        source_text, target_text: as edited; None: as imported.
    """

    place: Place
    is_source_swapped: bool
    is_target_swapped: bool
    source_text: PairText | None
    target_text: PairText | None


class JudgementsHead(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="judgements"
):
    """The header of returned judgements.

    Attributes:
        digest: SHA-256 of the exported package.
        who: the annotator.
        n_pairs: number of pairs of the package.
        n: number of judgements, one per line.
    """

    version: int
    package: PackageId
    digest: str
    who: Annotated[str, Meta(min_length=1, max_length=200)]
    n_pairs: Place
    n: Place


class PackedJudgement(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True
):
    """The judgement of a pair, by its position in the package.

    Attributes:
        is_source_swapped, is_target_swapped: the runner-up was swapped in.
        created_at: seconds since 1970.
        as_range: the verdict was set for a range of scores.
    """

    place: Place
    verdict: Verdict
    is_source_swapped: bool
    is_target_swapped: bool
    source_text: PairText | None
    target_text: PairText | None
    note: PairText
    tags: tuple[PairTag, ...]
    created_at: float
    as_range: bool = False


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    lines: int
    sha256: str


Head = PairsHead | JudgementsHead


# raised by lines that are not JSON or UTF-8, or nested too deeply
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class PackageLines:
    """The lines of an intact package.

    Attributes:
        head: first line of the package.
        digest: SHA-256 of the lines.
    """

    def __init__(self, file: Path, head: Head, lines: Sequence[bytes], digest: str):
        self.head, self.digest = head, digest
        self._file, self._lines = file, lines

    def take(self, kind: type[Row], start: int, n: int) -> list[Row]:
        """Read n lines from an offset after the first line.

        Raises:
            UserError: the lines are of another kind.
        """
        if len(self._lines) < start + n:
            raise damaged(self._file)
        decoder = msgspec.json.Decoder(kind)
        try:
            return [decoder.decode(line) for line in self._lines[start : start + n]]
        except _UNREADABLE as error:
            raise damaged(self._file) from error


def write_package(
    file: Path,
    head: Head,
    rows: Iterable[msgspec.Struct],
    record: Callable[[str], None] | None = None,
    *,
    replace: bool = False,
) -> None:
    """Write a package atomically.

    Args:
        head: first line.
        record: called with the SHA-256 of the lines before the file is renamed.

    Raises:
        UserError: the file exists and may not be replaced, or can't be written.
    """
    if file.is_dir() or (file.exists() and not replace):
        raise UserError(f"{file} already exists. Choose another name.")
    if not file.parent.is_dir():
        raise UserError(f"The folder {file.parent} does not exist. Choose another one.")
    encoder, digest, n = msgspec.json.Encoder(), hashlib.sha256(), 0
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as raw:
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                for row in (head, *rows):
                    line = encoder.encode(row) + b"\n"
                    digest.update(line)
                    packed.write(line)
                    n += 1
                packed.write(encoder.encode(_End(n, digest.hexdigest())) + b"\n")
            raw.flush()
            os.fsync(raw.fileno())
        if record is not None:
            record(digest.hexdigest())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def read_package(file: Path) -> PackageLines:
    """Read a package and check that it is intact.

    Raises:
        UserError: the file is not a package, is damaged, or of another version.
    """
    lines = _unpacked(file)
    try:
        end = msgspec.json.decode(lines[-1], type=_End)
    except (*_UNREADABLE, IndexError) as error:
        raise damaged(file) from error
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    if (end.lines, end.sha256) != (len(lines) - 1, digest):
        raise damaged(file)
    _check_version(file, lines[0])
    try:
        head = msgspec.json.decode(lines[0], type=Head)
    except _UNREADABLE as error:
        raise _no_package(file) from error
    return PackageLines(file, head, lines[1:-1], digest)


def damaged(file: Path) -> UserError:
    """Return the error for a file that was truncated or changed."""
    return UserError(
        f"{file.name} is damaged: it was truncated or changed. Ask for it again. "
        "Nothing was imported."
    )


def _unpacked(file: Path) -> list[bytes]:
    if not file.is_file():
        raise UserError(f"The file {file} does not exist. Choose a package.")
    try:
        with gzip.open(file, "rb") as packed:
            data = packed.read(MAX_BYTES + 1)
    except gzip.BadGzipFile as error:
        raise _no_package(file) from error
    except (EOFError, zlib.error) as error:
        raise damaged(file) from error
    if len(data) > MAX_BYTES:
        raise UserError(
            f"{file.name} is larger than {MAX_BYTES >> 20}\u00a0MB, so it is not a "
            "package."
        )
    if data.count(b"\n") + data.count(b"\r") > MAX_LINES:
        raise UserError(
            f"{file.name} has more than {MAX_LINES:,} lines, so it is not a package."
        )
    return data.splitlines(keepends=True)


def _check_version(file: Path, line: bytes) -> None:
    """Check the format version in the first line."""
    try:
        version = msgspec.json.decode(line)["version"]
    except (*_UNREADABLE, KeyError, TypeError) as error:
        raise _no_package(file) from error
    if version in (VERSION, TEXTS_VERSION):
        return
    is_newer = isinstance(version, int) and version > TEXTS_VERSION
    what = "a newer" if is_newer else "an older"
    do = "update Isogloss" if is_newer else "ask for a new export"
    raise UserError(
        f"{file.name} has package format {version}, from {what} version of Isogloss. "
        f"This version reads formats {VERSION} and {TEXTS_VERSION}. To open it, {do}."
    )


def _no_package(file: Path) -> UserError:
    return UserError(f"{file.name} is not a package of pairs. Choose another file.")


N_AROUND = 2  # sentences before and after
GAP = PackedSentence("[…]", "", 0)


class PackedSide(NamedTuple):
    """The sentences of one side, in the order of the corpus.

    Attributes:
        sentences: sentences of the pairs and their context; `GAP` for omitted
            sentences.
        place_of: returns the position of a sentence id; raises UserError if the
            sentence does not exist.
    """

    sentences: list[PackedSentence]
    place_of: Callable[[int], int]


def pack_side(store: Engine, spans: Iterable[tuple[int, int]]) -> PackedSide:
    """Collect the sentences of a side.

    Args:
        spans: id of the first sentence and number of sentences of each span to pack.
    """
    wanted: set[int] = set()
    for first, n in spans:
        low = first_sentence_id(corpus_of(first))
        wanted.update(range(max(low, first - N_AROUND), first + n + N_AROUND))
    listed = read_sentences(store, sorted(wanted))
    rows = [row for row in listed if row is not None]
    ids = np.array([row.id for row in rows], np.int64)
    is_after_gap = np.diff(ids, prepend=ids[:1]) > 1
    indices: NDArray[np.int64] = np.arange(len(ids)) + np.cumsum(is_after_gap)
    sentences: list[PackedSentence] = []
    for row, is_after in zip(rows, is_after_gap, strict=True):
        if is_after:
            sentences.append(GAP)
        sentences.append(PackedSentence(row.text, row.language, row.line))

    def place_of(sentence_id: int) -> int:
        found = int(np.searchsorted(ids, sentence_id))
        if found == len(ids) or ids[found] != sentence_id:
            raise UserError("A sentence of the pairs is not in the project any more.")
        return int(indices[found])

    return PackedSide(sentences, place_of)


def pack_pairs(
    store: Engine, pairs: Sequence[PairRow], *, with_scores: bool
) -> tuple[PackedSide, PackedSide, list[PackedPair]]:
    """Collect pairs as mined, with their sentences and runners-up."""
    source = pack_side(
        store,
        [(pair.source_id, pair.n_source) for pair in pairs]
        + [(pair.reverse_id, 1) for pair in pairs if pair.reverse_id is not None],
    )
    target = pack_side(
        store,
        [(pair.target_id, pair.n_target) for pair in pairs]
        + [(pair.runner_up_id, 1) for pair in pairs if pair.runner_up_id is not None],
    )
    packed = [
        PackedPair(
            source.place_of(pair.source_id),
            pair.n_source,
            target.place_of(pair.target_id),
            pair.n_target,
            _place(target, pair.runner_up_id),
            _place(source, pair.reverse_id),
            (pair.score, pair.cosine, pair.source_mean, pair.target_mean)
            if with_scores
            else None,
        )
        for pair in pairs
    ]
    return source, target, packed


def pack_texts(store: Engine, pairs: Sequence[PairRow]) -> list[PackedTexts]:
    """Collect the current texts of the pairs that were edited or swapped."""
    current = read_current_judgements(store, [pair.id for pair in pairs])
    packed = []
    for index, pair in enumerate(pairs):
        held = current.get(pair.id)
        if held is None:
            continue
        is_swapped = (
            held.source_id != pair.source_id,
            held.target_id != pair.target_id,
        )
        texts = held.source_text, held.target_text
        if any(is_swapped) or texts != (None, None):
            packed.append(PackedTexts(index, *is_swapped, *texts))
    return packed


def _place(side: PackedSide, sentence_id: int | None) -> int | None:
    return None if sentence_id is None else side.place_of(sentence_id)
