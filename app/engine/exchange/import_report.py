"""Report of an import: counts, repairs, rejected lines, duplicates, lengths."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from app.arrays import BoolArray, IntArray
from app.engine.text.documents import DocumentCheck
from app.engine.text.language_detection import (
    describe_language_mismatch,
    guess_language,
)
from app.engine.text.readers.blocks import Reading
from app.languages import Language

MAX_TEXT = 100  # characters of a rejected line
MAX_ENTRIES = 200  # maximum of listed lines; the counts are complete


class Duplicate(msgspec.Struct, frozen=True):
    """A line with the same text as an earlier line."""

    line: int
    first_line: int
    file: str = ""
    first_file: str = ""


class LengthBin(msgspec.Struct, frozen=True):
    """Number of sentences of low … high code points."""

    low: int
    high: int
    n: int


class Lengths(msgspec.Struct, frozen=True):
    """Statistics of sentence lengths in code points."""

    shortest: int
    median: float
    mean: float
    percentile_95: float
    longest: int
    histogram: tuple[LengthBin, ...]


def list_repeated_lines(
    hashes: IntArray,
    lines: IntArray,
    files: Sequence[tuple[int, str]] = (),
    *,
    equal: IntArray | None = None,
) -> tuple[Duplicate, ...]:
    """Return the first repeated texts, each with its line and the earlier line.

    Args:
        hashes: int64 (n,), hashes of the texts in input order.
        lines: int64 (n,), lines of the texts.
        files: index of the first text of each file, and the file.
        equal: int64 (n,), other hashes; leave out texts that repeat one of these.
    """
    if not len(hashes):
        return ()
    order = np.argsort(hashes, kind="stable")
    starts = np.r_[True, hashes[order][1:] != hashes[order][:-1]]
    firsts = order[np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))]
    repeated = np.flatnonzero(~starts)
    if equal is not None:
        repeated = repeated[~_repeats(equal)[order[repeated]]]
    places = np.sort(order[repeated])[:MAX_ENTRIES]
    first_of = dict(
        zip(order[repeated].tolist(), firsts[repeated].tolist(), strict=True)
    )
    both = [(index, first_of[index]) for index in places.tolist()]
    return tuple(
        Duplicate(
            int(lines[index]),
            int(lines[first]),
            _file_at(index, files),
            _file_at(first, files),
        )
        for index, first in both
    )


def describe_lengths(lengths: IntArray) -> Lengths:
    """Compute statistics of lengths; bins double in width (1, 2–3, 4–7, …)."""
    if not len(lengths):
        return Lengths(0, 0.0, 0.0, 0.0, 0, ())
    powers = np.floor(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    counts = np.bincount(powers)
    bins = [
        LengthBin(2**power, 2 ** (power + 1) - 1, int(n))
        for power, n in enumerate(counts)
    ]
    return Lengths(
        int(lengths.min()),
        float(np.median(lengths)),
        round(float(lengths.mean()), 2),
        float(np.percentile(lengths, 95)),
        int(lengths.max()),
        tuple(bins),
    )


def _file_at(place: int, files: Sequence[tuple[int, str]]) -> str:
    index = bisect_right(files, place, key=lambda entry: entry[0])
    return files[index - 1][1] if index else ""


MAX_SAMPLE = 2_000


class LineReason(msgspec.Struct, frozen=True):
    """A changed or rejected line, and its file if there are several.

    Attributes:
        text: beginning of a rejected line, if known.
    """

    line: int
    reason: str
    file: str = ""
    text: str = ""


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report of one corpus; `n_read` = kept + refused + empty.

    Attributes:
        n_repaired: kept sentences that were changed; see `repaired_reasons`.
        n_duplicates: kept sentences equal to an earlier one.
        n_near_duplicates: further sentences that differ from an earlier one only in
            case, punctuation and spaces.
        guessed_language: stored code; confidence 0…1.
        mismatch: message if the guess differs from the declared language; else empty.
        unknown_share: share of pieces unknown to the encoder, 0…1; None if no encoder
            could be loaded.
        notes: messages about reading the file.
        elapsed_s: seconds of this run; for a resumed run, since its resumption.
        n_documents: number of documents; 0: none.
        document_fields: names of fields, and the number of documents with each field.
        document_problems: a message for each omitted field; the first 200.
        n_analysed: sentences imported with lemmas and parts of speech.
        n_misfits: sentences with words that do not match the text; words left out.
    """

    file: str
    format: str
    encoding: str
    encoding_confidence: float
    columns: tuple[str, ...]
    n_read: int
    n_kept: int
    n_repaired: int
    n_refused: int
    n_empty: int
    refused: tuple[LineReason, ...]
    refused_reasons: dict[str, int]
    repaired: tuple[LineReason, ...]
    repaired_reasons: dict[str, int]
    n_duplicates: int
    n_near_duplicates: int
    duplicates: tuple[Duplicate, ...]
    near_duplicates: tuple[Duplicate, ...] = ()
    lengths: Lengths
    language: str
    language_given: str
    guessed_language: str
    guess_confidence: float
    mismatch: str
    unknown_share: float | None
    notes: tuple[str, ...]
    elapsed_s: float
    n_documents: int = 0
    document_fields: dict[str, int] = {}
    document_problems: tuple[str, ...] = ()
    n_document_problems: int = 0
    n_analysed: int = 0
    n_misfits: int = 0


@dataclass
class SideTally:
    """Counters of one side during an import."""

    repaired: list[LineReason] = field(default_factory=list)
    repaired_reasons: Counter[str] = field(default_factory=Counter)
    hashes: list[IntArray] = field(default_factory=list)
    near: list[IntArray] = field(default_factory=list)
    lengths: list[IntArray] = field(default_factory=list)
    sample: list[str] = field(default_factory=list)
    stride: int = 1

    def add_repaired(self, line: int, reason: str, file: str = "") -> None:
        """Count a repair."""
        self.repaired_reasons[reason] += 1
        if len(self.repaired) < MAX_ENTRIES:
            self.repaired.append(LineReason(line, reason, file))

    def add_sample(self, texts: Sequence[str]) -> None:
        """Keep an evenly spaced sample of at most `MAX_SAMPLE` of all texts."""
        self.sample += texts[:: self.stride]
        while len(self.sample) > MAX_SAMPLE:
            self.sample = self.sample[::2]
            self.stride *= 2


@dataclass
class ImportTally:
    """Counters of a source during an import."""

    sides: list[SideTally]
    n_read: int = 0
    n_kept: int = 0
    n_empty: int = 0
    refused: list[LineReason] = field(default_factory=list)
    refused_reasons: Counter[str] = field(default_factory=Counter)
    lines: list[IntArray] = field(default_factory=list)
    files: list[tuple[int, str]] = field(default_factory=list)  # first kept row, file
    n_analysed: int = 0
    n_misfits: int = 0

    def add_refused(
        self, line: int, reason: str, file: str = "", text: str = ""
    ) -> None:
        """Count a rejected line."""
        self.refused_reasons[reason] += 1
        if len(self.refused) < MAX_ENTRIES:
            self.refused.append(LineReason(line, reason, file, text[:MAX_TEXT]))


def make_import_report(
    tally: ImportTally,
    side: int,
    reading: Reading,
    language: Language,
    facts: dict[str, str],
) -> ImportReport:
    """Make the report of a side's corpus without time, pieces and documents.

    Args:
        side: index of the side.
        reading: source, read to its end.
        facts: values of "file" and "format".
    """
    own = tally.sides[side]
    guess = guess_language(own.sample)
    lines, hashes = _joined(tally.lines), _joined(own.hashes)
    duplicates = list_repeated_lines(hashes, lines, tally.files)
    near = _joined(own.near)
    n_alike = _n_repeated(near)
    n_equal = _n_repeated(hashes)
    return ImportReport(
        file=facts["file"],
        format=facts["format"],
        encoding=reading.encoding,
        encoding_confidence=reading.encoding_confidence,
        columns=reading.columns,
        n_read=tally.n_read,
        n_kept=tally.n_kept,
        n_repaired=own.repaired_reasons.total(),
        n_refused=tally.refused_reasons.total(),
        n_empty=tally.n_empty,
        refused=tuple(tally.refused),
        refused_reasons=dict(tally.refused_reasons),
        repaired=tuple(own.repaired),
        repaired_reasons=dict(own.repaired_reasons),
        n_duplicates=n_equal,
        n_near_duplicates=max(0, n_alike - n_equal),
        duplicates=duplicates,
        near_duplicates=list_repeated_lines(near, lines, tally.files, equal=hashes),
        lengths=describe_lengths(_joined(own.lengths)),
        language=language.code,
        language_given=language.given,
        guessed_language=guess.code,
        guess_confidence=guess.confidence,
        mismatch=describe_language_mismatch(guess, language.code),
        unknown_share=None,
        notes=tuple(reading.notes) + _language_notes(language),
        elapsed_s=0.0,
        n_analysed=tally.n_analysed,
        n_misfits=tally.n_misfits,
    )


def describe_documents(check: DocumentCheck) -> dict[str, Any]:
    """Return the report fields about documents."""
    fields = Counter(name for mark in check.known for name, _ in mark.fields)
    return {
        "n_documents": len(check.known),
        "document_fields": dict(fields),
        "document_problems": tuple(check.problems),
        "n_document_problems": check.n_problems,
    }


def shorten_report(report: ImportReport, n_entries: int) -> ImportReport:
    """Return a report with at most `n_entries` listed lines, for messages."""
    return msgspec.structs.replace(
        report,
        refused=report.refused[:n_entries],
        repaired=report.repaired[:n_entries],
        duplicates=report.duplicates[:n_entries],
        near_duplicates=report.near_duplicates[:n_entries],
        document_problems=report.document_problems[:n_entries],
    )


def _language_notes(language: Language) -> tuple[str, ...]:
    if language.known:
        return ()
    return (
        f"{language.given!r} is not an ISO 639 code that Isogloss knows. It was kept "
        "unchanged.",
    )


def _repeats(hashes: IntArray) -> BoolArray:
    """Return a mask of repeated hashes: bool (n,)."""
    order = np.argsort(hashes, kind="stable")
    found = np.zeros(len(hashes), dtype=bool)
    found[order[1:]] = hashes[order][1:] == hashes[order][:-1]
    return found


def _n_repeated(hashes: IntArray) -> int:
    # Sort, because numpy's `unique` is several times slower on a million hashes.
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
