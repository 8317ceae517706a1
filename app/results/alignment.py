"""Measurements during the training of an added language, drawn by the window."""

from pathlib import Path

import msgspec

CURVE_FILE = "alignment.json"  # in the folder of an added language
LANGUAGES_FOLDER = "languages"  # in a combined encoder: a folder per language


class AlignmentPoint(msgspec.Struct, frozen=True):
    """The measurements at a step of an alignment.

    Attributes:
        step: training step.
        loss: alignment loss on held-out pairs.
        error: retrieval error against the English vectors, 0…1.
        accuracy: accuracy of the English classifier in the new language, 0…1; None: not
            measured.
    """

    step: int
    loss: float
    error: float
    accuracy: float | None = None


class AlignmentCurve(msgspec.Struct, frozen=True):
    """The measurements of an alignment.

    Attributes:
        kept_step: step of the saved weights.
        english_accuracy: accuracy of the classifier on English pairs, 0…1; None: none.
        points: points in the order of their steps.
    """

    kept_step: int
    english_accuracy: float | None
    points: tuple[AlignmentPoint, ...]


def read_curve(folder: Path) -> AlignmentCurve | None:
    """Read the curve of an added language; None if it is missing or incomplete."""
    try:
        return msgspec.json.decode(
            (folder / CURVE_FILE).read_bytes(), type=AlignmentCurve
        )
    except (OSError, msgspec.MsgspecError):
        return None


def read_curves(folder: Path) -> dict[str, AlignmentCurve]:
    """Read the curves of the languages added to an encoder, by language code.

    A language without measurements has no points.
    """
    found = {}
    for language in sorted((folder / LANGUAGES_FOLDER).glob("*/")):
        curve = read_curve(language)
        if curve is not None:
            found[language.name] = curve
    return found
