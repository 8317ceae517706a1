"""A tiny BERT with random weights in the format of sentence-transformers."""

import json
from pathlib import Path
from typing import Any

import torch

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "an", "ox", "cow", "barn", "sees", "##s", "."]
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
}


def write_bert(folder: Path) -> Path:
    """Write a BERT of 8 dimensions; needs transformers."""
    import transformers

    folder.mkdir()
    torch.manual_seed(1)
    body = transformers.BertModel(
        transformers.BertConfig(**SIZES), add_pooling_layer=False
    )
    body.save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    write(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer"})
    write(folder / "sentence_bert_config.json", {"max_seq_length": 10})
    kinds = ("Transformer", "Pooling", "Normalize")
    names = ("", "1_Pooling", "2_Normalize")
    modules = [
        {"idx": i, "path": name, "type": f"sentence_transformers.models.{kind}"}
        for i, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
    write(folder / "modules.json", modules)
    write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    return folder


def write(file: Path, value: Any) -> None:
    """Write a value as JSON."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")
