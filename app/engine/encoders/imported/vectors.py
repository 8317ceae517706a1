"""An encoder of which only vectors are known: corpora have them, new text has none."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from app.engine.encoders.configs import VectorsConfig
from app.engine.encoders.folder import fingerprint_of, read_config, save_folder
from app.engine.encoders.imported.card import write_import_card
from app.engine.store.arrays import FloatArray
from app.errors import UserError

SPACE_FILE = "space.json"  # what the fingerprint is taken of


class VectorsEncoder:
    """Stands for the encoder that made imported vectors (see `Encoder`)."""

    def __init__(self, config: VectorsConfig, fingerprint: str):
        self.name = config.name
        self.dim = config.dim
        self.fingerprint = fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Refuse: there are vectors, and no weights."""
        self._refuse()

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Refuse: there is no vocabulary."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UserError(
            f"{self.name} has only vectors made elsewhere, so it can't encode new "
            "text: search from a sentence of a corpus that has them, or import "
            "vectors for this one."
        )


def load(folder: Path, config: VectorsConfig) -> VectorsEncoder:
    """Load the stand-in of a folder."""
    return VectorsEncoder(config, fingerprint_of(folder))


def find_or_make(folder: Path, config: VectorsConfig) -> tuple[VectorsEncoder, bool]:
    """Find the stand-in in a folder; make it where there is none.

    Returns:
        The stand-in, and whether it was made.

    Raises:
        UserError: an encoder of another kind, or of other dimensions, has that name.
    """
    if is_new := not folder.exists():
        space = {"source_sha256": config.source_sha256, "dim": config.dim}
        card = write_import_card(config, "")
        save_folder(folder, config, {SPACE_FILE: msgspec.json.encode(space)}, card)
    found = read_config(folder)
    if not isinstance(found, VectorsConfig):
        raise UserError(
            f"The encoder {folder.name} makes vectors of its own: give those of the "
            "file another name."
        )
    if found.dim != config.dim:
        raise UserError(
            f"The vectors of {folder.name} have {found.dim} dimensions, but these have "
            f"{config.dim}: one name stands for one space, so give them another."
        )
    return load(folder, found), is_new
