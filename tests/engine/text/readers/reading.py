"""Read a whole source in a test."""

from pathlib import Path
from typing import Any, NamedTuple

from app.engine.text.readers import open_reading
from app.engine.text.readers.blocks import Block, Reading
from app.params import build_params
from app.params.corpora import ImportCorpus


class Units(NamedTuple):
    """All units of a source, with the reading they came from."""

    lines: list[int]
    sides: list[list[str]]
    labels: list[str]
    refused: list[tuple[int, str]]
    repaired: dict[int, str]
    languages: list[str]
    reading: Reading


def read_units(*files: Path, limit: int | None = None, **fields: Any) -> Units:
    """Read all units of files; fields are those of ImportCorpus."""
    params: ImportCorpus = build_params(ImportCorpus, {"files": files, **fields})
    reading = open_reading(params, limit)
    n_sides = max(1, len(reading.languages))
    total = Block([], [[] for _ in range(n_sides)], [], [], {})
    languages: list[str] = []
    try:
        for block in reading.blocks:
            total.lines.extend(block.lines)
            for side, texts in zip(total.sides, block.sides, strict=True):
                assert len(texts) == len(block.lines)
                side.extend(texts)
            total.labels.extend(block.labels)
            total.refused.extend(block.refused)
            total.repaired.update(block.repaired)
            languages.extend(block.languages)
        reading.check()
    finally:
        reading.close()
    return Units(*total[:5], languages, reading)
