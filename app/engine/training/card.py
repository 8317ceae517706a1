"""The model card that every trained encoder carries."""

from app.params.training import TrainEncoder

HIDDEN = ("name", "pairs", "corpora", "out", "vocabulary", "checkpoint_every_s")


def write_card(params: TrainEncoder, hashes: dict[str, str], n_pairs: int) -> str:
    """Write a model card: architecture, settings and data with their SHA-256."""
    settings = "\n".join(
        f"| {name} | {getattr(params, name)} |"
        for name in params.__struct_fields__
        if name not in HIDDEN
    )
    files = "\n".join(f"| {name} | `{value}` |" for name, value in hashes.items())
    return f"""# {params.name}

A static sentence encoder made by Isogloss: the vector of a text is the sum of learned
vectors of its subword pieces and of hashed bigrams of neighbouring pieces. Trained by
translation ranking on {n_pairs:,} pairs of sentences.

## Settings

| setting | value |
|---|---|
{settings}

## Data

| file | SHA-256 |
|---|---|
{files}
"""
