"""Columns of exported predictions, as the file and its preview have them."""

from collections.abc import Sequence

SECOND = "second_text"  # a column of classified pairs, behind the text
SHARE = "probability"  # of the predicted class; of each class: probability:CLASS


def predicted_columns(classes: Sequence[str], *, has_pairs: bool) -> list[str]:
    """Return the columns; `classes`: those whose probabilities are exported too."""
    texts = ["text", SECOND] if has_pairs else ["text"]
    place = ["language", "corpus", "line", "id"]
    shares = [f"{SHARE}:{name}" for name in classes]
    return [*texts, "class", SHARE, "label", *place, *shares]
