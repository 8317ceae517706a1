"""Coverage of languages by an encoder."""

from typing import Literal

import msgspec

CoverageRating = Literal["green", "amber", "red"]
COVERAGE_RATINGS: tuple[CoverageRating, ...] = (
    "red",
    "amber",
    "green",
)  # worst first


class LanguageCoverage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False
):
    """Coverage of one language by an encoder; shares are 0…1; None: not measurable.

    Attributes:
        language: stored code of the language.
        n: number of measured sentences.
        why: problems in a sentence; empty for green.
        trained: whether the encoder was trained on the language; None: unknown.
        unknown: share of unknown pieces, or of unknown words if the encoder has whole
            words and `pieces` is None.
        pieces: pieces per word, or per character in scripts without spaces.
        per: unit that `pieces` is counted by.
        script: share of the letters that are in the vocabulary as single pieces.
        hubs: share of the sentences that are hubs (see `engine.encoders.coverage`).
        skewness: skewness of the counts of sentences among the 10 nearest of others.
        zero: share of the sentences with a zero vector.
        hub: id of the greatest hub, if it is a sentence of the project.
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
    """The result of measure-coverage.

    Attributes:
        fingerprint: fingerprint of the encoder, to detect whether it is in use.
        has_pieces: whether the encoder returns the pieces of texts.
        sentences_per_s: encoding speed on `device`; 0: nothing was encoded.
        n_left_out: languages omitted from the record, which contains the worst.
        languages: coverage by language, worst first.
    """

    encoder: str
    fingerprint: str
    has_pieces: bool
    sentences_per_s: float
    device: str
    message: str
    n_left_out: int = 0
    languages: tuple[LanguageCoverage, ...]
