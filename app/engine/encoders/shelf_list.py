"""The list of encoders as the window shows it: cards, fingerprints, what is damaged."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from app.engine.encoders.checkpoint import find_encoder, list_encoders
from app.engine.encoders.configs import CONFIG_FILE
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.encoders.shelf import FOLDER, TRASH, read_choice
from app.errors import UserError


def list_shelf(project_folder: Path) -> dict[str, Any]:
    """List the encoders that a project can use, as `EncodersQuery` is answered.

    Returns:
        {"encoders": [card with "fingerprint" …], "chosen": name of the one in use,
        "damaged": [{"name", "why"}], "n_removed": encoders in the trash}.
    """
    cards = []
    for card in list_encoders(project_folder):
        folder = Path(card.folder)
        stamp = max(file.stat().st_mtime_ns for file in (folder, *folder.iterdir()))
        fingerprint = _fingerprint(folder, card.size_bytes, stamp)
        cards.append({**msgspec.to_builtins(card), "fingerprint": fingerprint})
    return {
        "encoders": cards,
        "chosen": read_choice(project_folder) or find_encoder("").name,
        "damaged": _list_damaged(project_folder),
        "n_removed": len(list((project_folder / FOLDER / TRASH).glob("*/"))),
    }


def _list_damaged(project_folder: Path) -> list[dict[str, str]]:
    """Name the project's encoders that can't be read, and say why."""
    damaged = []
    for folder in sorted((project_folder / FOLDER).glob("*/")):
        if folder.name.startswith(".") or not (folder / CONFIG_FILE).is_file():
            continue
        try:
            read_config(folder)
        except UserError as error:
            damaged.append({"name": folder.name, "why": str(error)})
    return damaged


@lru_cache(maxsize=64)
def _fingerprint(folder: Path, size_bytes: int, stamp: int) -> str:
    """Hash a folder once; size and time of change tell whether it is another."""
    return fingerprint_of(folder)
