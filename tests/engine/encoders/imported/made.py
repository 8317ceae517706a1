"""LASER files with random weights."""

from pathlib import Path
from typing import Any

import torch

from app.engine.encoders.imported.laser import LaserParams, weight_shapes
from app.engine.text.subword_vocabulary import Vocabulary

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def laser_dictionary(vocabulary: Vocabulary) -> dict[str, int]:
    """Return fairseq's ids: the special pieces first, then all but <unk>, reversed."""
    pieces = map(vocabulary.processor.id_to_piece, range(1, vocabulary.n_pieces))
    names = SPECIAL + list(pieces)[::-1]
    return {name: id_ for id_, name in enumerate(names)}


def laser_content(vocabulary: Vocabulary, **params: Any) -> dict[str, Any]:
    """Return what LASER's .pt holds; sizes are tiny unless given."""
    dictionary = laser_dictionary(vocabulary)
    given = {
        "num_embeddings": len(dictionary),
        "padding_idx": 1,
        "embed_dim": 6,
        "hidden_size": 4,
        "num_layers": 2,
        "bidirectional": True,
        "left_pad": True,
        "padding_value": 0.0,
    } | params
    generator = torch.Generator().manual_seed(3)
    scale = 3 * given["hidden_size"] ** -0.5
    model = {
        name: torch.empty(shape).uniform_(-scale, scale, generator=generator)
        for name, shape in weight_shapes(LaserParams(**given)).items()
    }
    return {"params": given, "model": model, "dictionary": dictionary}


def write_laser(
    folder: Path, vocabulary: Vocabulary, content: dict[str, Any], **options: Any
) -> Path:
    """Write `laser.pt` and its sentencepiece model beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(content, folder / "laser.pt", **options)
    (folder / "laser.spm").write_bytes(vocabulary.model_bytes)
    return folder / "laser.pt"
