"""Columns of exported predictions, for the file and its preview."""

from collections.abc import Sequence

SECOND = "second_text"  # a column for classified pairs, after the text
SHARE = "probability"  # of the predicted class; of each class: probability:CLASS


def predicted_columns(classes: Sequence[str], *, has_pairs: bool) -> list[str]:
    """Return the columns; `classes`: those whose probabilities are exported too."""
    texts = ["text", SECOND] if has_pairs else ["text"]
    place = ["language", "corpus", "line", "id"]
    shares = [f"{SHARE}:{name}" for name in classes]
    return [*texts, "class", SHARE, "label", *place, *shares]
