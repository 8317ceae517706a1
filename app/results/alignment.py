"""How the training of an added language went: what the window draws of it."""

from pathlib import Path

import msgspec

CURVE_FILE = "alignment.json"  # in the folder of an added language
LANGUAGES_FOLDER = "languages"  # of a combined encoder: a folder for each language


class AlignmentPoint(msgspec.Struct, frozen=True):
    """What was measured at a step of an alignment.

    Attributes:
        step: of the training.
        loss: alignment loss on held-out pairs.
        error: retrieval error against the English vectors, 0…1.
        accuracy: of the English classifier in the new language, 0…1; None: not
            measured.
    """

    step: int
    loss: float
    error: float
    accuracy: float | None = None


class AlignmentCurve(msgspec.Struct, frozen=True):
    """The measurements of an alignment.

    Attributes:
        kept_step: of the saved weights.
        english_accuracy: of the classifier on English pairs, 0…1; None: there is none.
        points: in order of their steps.
    """

    kept_step: int
    english_accuracy: float | None
    points: tuple[AlignmentPoint, ...]


def read_curve(folder: Path) -> AlignmentCurve | None:
    """Read the curve of an added language; None if there is none that is whole."""
    try:
        return msgspec.json.decode(
            (folder / CURVE_FILE).read_bytes(), type=AlignmentCurve
        )
    except (OSError, msgspec.MsgspecError):
        return None


def read_curves(folder: Path) -> dict[str, AlignmentCurve]:
    """Read the curves of the languages that were added to an encoder, by their codes.

    A language that was measured on nothing has no points.
    """
    found = {}
    for language in sorted((folder / LANGUAGES_FOLDER).glob("*/")):
        curve = read_curve(language)
        if curve is not None:
            found[language.name] = curve
    return found
