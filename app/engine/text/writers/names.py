"""Name the files of formats that have one for each language."""

import re
from pathlib import Path

from app.engine.text.opening import COMPRESSION_SUFFIXES
from app.engine.text.writers.unit import PairHead

_UNFIT = re.compile(r"[^\w-]+")  # for a part of a file's name


def two_paths(out: Path, head: PairHead, *, strip: str = "") -> tuple[Path, Path]:
    """Put each language into a file's name: letters.txt.gz → letters.de.txt.gz.

    Args:
        out: the name as it was given.
        head: its languages; sides without, or with one language, are called source and
            target.
        strip: an ending that the name loses.
    """
    packing = out.suffix if out.suffix in COMPRESSION_SUFFIXES else ""
    name = out.name.removesuffix(packing)
    stem, ending = name.removesuffix(strip), ""
    if not strip and Path(name).suffix:
        stem, ending = Path(name).stem, Path(name).suffix
    tags = [
        _UNFIT.sub("-", tag) for tag in (head.source_language, head.target_language)
    ]
    if not all(tags) or tags[0].casefold() == tags[1].casefold():
        tags = ["source", "target"]
    first, second = (out.with_name(f"{stem}.{tag}{ending}{packing}") for tag in tags)
    return first, second


__all__ = ["two_paths"]
