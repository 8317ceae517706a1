"""Tiny translation models and tables for tests; the sentences are our own."""

import itertools
from pathlib import Path
from typing import Any

import torch

from app.engine.encoders.bridge.encoder import make_module
from app.engine.encoders.bridge.module import TranslationModule
from app.engine.encoders.configs import BridgeConfig
from app.engine.runtime.report import Report
from app.engine.tasks.train_translation import train_translation
from app.engine.tasks.translate import translate
from app.params import build_params
from app.params.translation import TrainTranslation, Translate

WORDS = {
    "eng": ("the cat", "the dog", "a bird", "sees", "hears", "the house", "the tree"),
    "deu": ("die katze", "der hund", "ein vogel", "sieht", "hört", "das haus", "baum"),
    "fra": ("le chat", "le chien", "un oiseau", "voit", "entend", "la maison", "arbre"),
}  # fmt: skip
WHEN = {
    "eng": ("today", "now", "again", "often"),
    "deu": ("heute", "jetzt", "wieder", "oft"),
    "fra": ("ce jour", "ici", "encore", "souvent"),
}
SETTINGS: dict[str, Any] = {
    "n_pieces": 100,
    "embed_dim": 16,
    "dim": 16,
    "bridge_dim": 16,
    "n_heads": 3,
    "n_steps": 8,
    "batch_size": 16,
    "n_development": 4,
    "evaluate_every": 4,
    "checkpoint_every_s": 3600,
}


def make_rows() -> list[dict[str, str]]:
    """Return 3 * 2 * 4 * 4 sentences in three languages."""
    rows = []
    choices = itertools.product((0, 1, 2), (3, 4), (0, 1, 5, 6), (0, 1, 2, 3))
    for subject, verb, thing, when in choices:
        rows.append(
            {
                code: " ".join(
                    (words[subject], words[verb], words[thing], WHEN[code][when])
                )
                for code, words in WORDS.items()
            }
        )
    return rows


def write_table(
    file: Path, *, languages: tuple[str, ...] = ("eng", "deu", "fra")
) -> Path:
    """Write the sentences as a table."""
    lines = ["\t".join(languages)]
    lines += ["\t".join(row[code] for code in languages) for row in make_rows()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def tiny_config(**changes: Any) -> BridgeConfig:
    """Return a config of two languages with vocabularies of 7 and 5 pieces."""
    values: dict[str, Any] = {
        "name": "tiny",
        "dim": 6,
        "languages": ("eng", "deu"),
        "n_pieces": (7, 5),
        "embed_dim": 4,
        "hidden_dim": 3,
        "n_heads": 2,
        "bridge_dim": 5,
        "dropout": 0.0,
        "directions": (("eng", "deu"), ("deu", "eng")),
    }
    return BridgeConfig(**(values | changes))


def tiny_module(**changes: Any) -> TranslationModule:
    """Return a model with weights large enough that its choices differ."""
    module = make_module(tiny_config(**changes), seed=3).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(3)
    return module


def train(folder: Path, **changes: Any) -> Path:
    """Train a tiny model on the table."""
    table = write_table(folder / "table.tsv")
    values = {**SETTINGS, "table": str(table), "out": str(folder / "model"), **changes}
    result = train_translation(None, build_params(TrainTranslation, values), Report())
    return Path(result.folder)


def train_to_the_end(folder: Path, **changes: Any) -> Path:
    """Train a small model until it has learned the table."""
    values: dict[str, Any] = {
        "n_steps": 400,
        "batch_size": 32,
        "embed_dim": 32,
        "dim": 64,
        "bridge_dim": 32,
        "n_heads": 5,
        "lr": 0.01,
        "dropout": 0.0,
        "evaluate_every": 250,
    }
    return train(folder, **values, **changes)


def translate_lines(
    model: Path, texts: list[str], source: str, target: str
) -> list[str]:
    """Translate sentences with a model's folder."""
    file = model.with_suffix(".txt")
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    params = Translate(model=str(model), source=source, target=target, file=file)
    return translate(None, params, Report()).translations
