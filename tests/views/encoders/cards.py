"""Two encoders as the engine tells of them, and what one covers."""

from pathlib import Path
from typing import Any

from app.engine.store.corpora import first_sentence_id
from app.results.coverage import LanguageCoverage

ISOGLOSS, LASER = "f" * 64, "a" * 64  # the project's vectors are by the first
RUNES = LanguageCoverage(
    language="ja",
    verdict="red",
    n=126,
    why="93 % of the pieces are unknown.",
    unknown=0.93,
    pieces=1.1,
    script=0.02,
    hubs=0.05,
    skewness=3.2,
    hub=first_sentence_id(4) + 1,
)
GERMAN = LanguageCoverage(
    language="de", verdict="green", n=240, unknown=0.0, pieces=1.93, script=1.0
)


def card(name: str, fingerprint: str, folder: Path, **more: Any) -> dict[str, Any]:
    """Return of an encoder as the engine does."""
    values = {"architecture": "static", "dim": 256, "size_bytes": 31_000_000}
    place = {"name": name, "folder": str(folder), "fingerprint": fingerprint}
    return {**values, **place, **more}
