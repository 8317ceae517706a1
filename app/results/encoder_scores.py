"""Retrieval errors per language stored with an encoder, for comparisons."""

import csv
from pathlib import Path

SCORES_FILE = "scores.tsv"  # in the folder of an encoder: test, language, error
Scores = dict[str, dict[str, float]]


def read_scores(folder: Path) -> Scores:
    """Return errors (0…1) by test set and language code; empty without a valid file.

    The error is the share of sentences whose nearest neighbour by cosine is not their
    translation, averaged over both directions with English.
    """
    scores: Scores = {}
    try:
        with (folder / SCORES_FILE).open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                scores.setdefault(row["test"], {})[row["language"]] = float(
                    row["error"]
                )
    except (OSError, KeyError, ValueError, TypeError):
        return {}
    return scores
