"""How well an encoder covers each language."""

from typing import Literal

import msgspec

CoverageRating = Literal["green", "amber", "red"]
COVERAGE_RATINGS: tuple[CoverageRating, ...] = (
    "red",
    "amber",
    "green",
)  # the worst first


class LanguageCoverage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False
):
    """How an encoder covers one language; shares are 0…1, None: not measurable.

    Attributes:
        language: its stored code.
        n: sentences measured.
        why: what speaks against it, in a sentence; empty for green.
        trained: the encoder was trained on it; None: its languages are not known.
        unknown: share of the pieces that are unknown; of the words, where an encoder
            has whole words and pieces is None.
        pieces: pieces a word, or a character where words are not spaced.
        per: what `pieces` counts by.
        script: share of the letters that are a piece of their own.
        hubs: share of the sentences that are hubs (see `engine.encoders.coverage`).
        skewness: of how often a sentence is among the 10 nearest of others.
        zero: share of the sentences whose vector is zero.
        hub: id of the greatest hub, where it is a sentence of the project.
    """

    language: str
    verdict: CoverageRating
    n: int
    why: str = ""
    trained: bool | None = None
    unknown: float | None = None
    pieces: float | None = None
    per: Literal["word", "character"] = "word"
    script: float | None = None
    hubs: float | None = None
    skewness: float | None = None
    zero: float = 0.0
    hub: int | None = None


class CoverageResult(msgspec.Struct, frozen=True, kw_only=True):
    """What measure-coverage found.

    Attributes:
        fingerprint: of the encoder; shows whether it is the one in use.
        has_pieces: the encoder says what pieces it cuts texts into.
        sentences_per_s: rate of encoding on `device`; 0: nothing was encoded.
        n_left_out: languages that found no room in the record; the worst are in it.
        languages: the worst first.
    """

    encoder: str
    fingerprint: str
    has_pieces: bool
    sentences_per_s: float
    device: str
    message: str
    n_left_out: int = 0
    languages: tuple[LanguageCoverage, ...]
