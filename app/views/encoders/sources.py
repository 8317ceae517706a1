"""Detect what a selected or dropped path contains: an encoder or vectors."""

from functools import partial
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QCoreApplication

_tr = partial(QCoreApplication.translate, "encoder_sources")

SourceKind = Literal[
    "laser", "sentence-transformers", "isogloss", "vectors", "word-vectors"
]

VECTOR_FILES = (".npy", ".f32", ".raw", ".emb")
LASER_FILES = (".pt",)
WORD_VECTOR_FILES = (".vec", ".vec.gz", ".vec.xz")
MODEL_FILES, DICTIONARY_FILES = (".spm", ".model"), (".cvocab",)
TRANSFORMER_FILES = ("modules.json", "config_sentence_transformers.json", "config.json")


def guess_kind(path: Path) -> SourceKind | None:
    """Guess the kind of source at a path from file names; None if unknown."""
    if path.is_dir():
        if (path / "encoder.json").is_file():
            return "isogloss"
        if any((path / name).is_file() for name in TRANSFORMER_FILES):
            return "sentence-transformers"
        return None
    if path.suffix in LASER_FILES:
        return "laser"
    if path.name.endswith(WORD_VECTOR_FILES):
        return "word-vectors"
    return "vectors" if path.suffix in VECTOR_FILES else None


def unused_fields(kind: SourceKind | None) -> tuple[str, ...]:
    """Return the fields of the add-encoder form that a kind of source does not use."""
    of_laser = ("pieces", "dictionary")
    of_words = ("weighting", "removes_component", "text", "corpus")
    if kind == "laser":
        return of_words
    return of_laser if kind == "word-vectors" else (*of_laser, *of_words)


def guess_params(path: Path, kind: SourceKind | None = None) -> dict[str, Any]:
    """Return the initial values of the add-encoder form for a path.

    Args:
        path: file or folder.
        kind: kind of source; None to guess it.
    """
    kind = kind or guess_kind(path)
    values: dict[str, Any] = {"source": path, "kind": kind or "auto"}
    values["name"] = (path.name if path.is_dir() else path.stem).lstrip(".")[:100]
    if kind == "word-vectors":
        values["name"] = path.name.partition(".")[0][:100]
    if kind == "laser":
        values["pieces"] = _find_sibling(path, MODEL_FILES)
        values["dictionary"] = _find_sibling(path, DICTIONARY_FILES)
    return {name: value for name, value in values.items() if value is not None}


def describe_source(path: Path, kind: SourceKind | None = None) -> str:
    """Describe the (probable) kind of source at a path, and the files next to it."""
    kind = kind or guess_kind(path)
    values = guess_params(path)
    found = [values[name].name for name in ("pieces", "dictionary") if name in values]
    if kind == "laser":
        words = _tr("{name} looks like a LASER encoder. Also found: {files}.")
        if not found:
            words = _tr(
                "{name} looks like a LASER encoder. Choose its sentencepiece model "
                "below."
            )
        return words.format(name=path.name, files=", ".join(found))
    words = {
        "isogloss": _tr("{name} is an Isogloss encoder."),
        "word-vectors": _tr(
            "{name} contains word vectors. A sentence's vector is their average. To "
            "weight the words, choose a text or a corpus below."
        ),
        "sentence-transformers": _tr("{name} is a sentence-transformers folder."),
    }.get(
        kind or "", _tr("The kind of {name} is not recognised. Choose its kind below.")
    )
    return words.format(name=path.name)


def _find_sibling(path: Path, endings: tuple[str, ...]) -> Path | None:
    """Find the only sibling with a suffix, preferring one with the same stem."""
    try:
        files = sorted(f for f in path.parent.iterdir() if f.suffix in endings)
    except OSError:
        return None
    namesakes = [file for file in files if file.stem == path.stem]
    chosen = namesakes or files
    return chosen[0] if len(chosen) == 1 else None
