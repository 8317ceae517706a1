"""Encode texts of evaluation files once, and cache their vectors in the project."""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.arrays import FloatArray
from app.engine.encoders.encoder import MultiEncoder, encoder_of_language
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, write_array
from app.errors import ResourceError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

FOLDER = "evaluation"  # in a project's arrays folder
FIRST_BLOCK, LARGEST_BLOCK = 64, 8_192  # texts encoded at once
BLOCK_S = 0.25  # blocks grow while they take less than this time, in seconds


def encode_cached(
    project: "Project | None",
    encoder: "Encoder",
    texts: Sequence[str],
    report: Report,
    *,
    language: str = "",
) -> FloatArray:
    """Return one vector for each text: float32 (n, d), not normalised.

    In a writable project, vectors are cached under a hash of the texts and the
    encoder's fingerprint.

    Args:
        project: stores the vectors; None: no cache.
        encoder: the encoder.
        texts: n texts.
        language: language of all texts, for a translation model; empty: detect it.

    Raises:
        UserError: the encoder has one encoder per language, but none for this language.
    """
    by_language = bool(language) and isinstance(encoder, MultiEncoder)
    if by_language:
        encoder = encoder_of_language(encoder, language)
    if project is None or project.is_read_only:
        return _encode(encoder, texts, report)
    name = _file_name(encoder, texts, language if by_language else "")
    file = project.folder / "arrays" / FOLDER / name
    try:
        return map_array(file)
    except ResourceError:
        write_array(file, _encode(encoder, texts, report))
    return map_array(file)


def _encode(encoder: "Encoder", texts: Sequence[str], report: Report) -> FloatArray:
    """Encode in short blocks, so that cancellation takes effect soon."""
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    start, size = 0, FIRST_BLOCK
    while start < len(texts):
        report.step("Encoding", start, len(texts))
        begun, end = time.monotonic(), start + size
        vectors[start:end] = encoder.encode(texts[start:end])
        start = end
        if time.monotonic() - begun < BLOCK_S:
            size = min(2 * size, LARGEST_BLOCK)
    return vectors


def _file_name(encoder: "Encoder", texts: Sequence[str], language: str) -> Path:
    digest = hashlib.sha256(encoder.fingerprint.encode() + language.encode())
    for text in texts:
        digest.update(b"\n" + text.encode("utf-8", "surrogatepass"))
    return Path(f"{digest.hexdigest()[:32]}.npy")
