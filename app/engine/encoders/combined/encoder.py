"""Combined encoders: a base encoder, and an encoder for each added language.

The folder contains the base encoder in `base`, each added encoder in `languages/CODE`,
and the language profiles of the router in `router.safetensors`. The choice of the
encoder depends on the text alone, so equal texts always have equal vectors.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from app.arrays import FloatArray
from app.engine.encoders.combined.language_router import LanguageRouter
from app.engine.encoders.configs import CombinedConfig, EncoderConfig
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import (
    CARD_FILE,
    fingerprint_of,
    new_folder,
    read_config,
    write_config,
)
from app.engine.numeric import normalise_rows
from app.errors import UserError
from app.languages import parse_language
from app.results.alignment import LANGUAGES_FOLDER

BASE_FOLDER = "base"
ROUTER_FILE = "router.safetensors"


class CombinedEncoder:
    """The encoder protocol over a base encoder and the encoders of added languages.

    All vectors have length 1 (or 0), because the encoders share only the direction of
    vectors, not the length.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
        router: chooses the encoder of a text.
    """

    def __init__(
        self,
        base: Encoder,
        added: Mapping[str, Encoder],
        router: LanguageRouter,
        *,
        name: str = "",
        fingerprint: str = "",
    ):
        """Combine encoders.

        Args:
            base: encoder of texts in no added language.
            added: encoders of the router's languages by code.
            router: selects the encoder of a text.
            name: name shown to the user.
        """
        self.name, self.fingerprint = name, fingerprint
        self.dim = base.dim
        self.router = router
        self._base = base
        self._added = [added[code] for code in router.languages]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector per text: float32 (n, d), of length 1 or 0."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for encoder, indices in self._parts(texts):
            vectors[indices] = encoder.encode([texts[i] for i in indices])
        return normalise_rows(vectors)[0]

    def encoder_of(self, text: str) -> Encoder:
        """Return the encoder that reads a text."""
        (route,) = self.router.route([text])
        return self._added[route] if route >= 0 else self._base

    def _parts(self, texts: Sequence[str]) -> list[tuple[Encoder, list[int]]]:
        """Return each encoder with the indices of its texts, always with the base."""
        routes = self.router.route(texts)
        encoders = [self._base, *self._added]
        parts = [
            (encoder, np.flatnonzero(routes == i - 1).tolist())
            for i, encoder in enumerate(encoders)
        ]
        # the base raises its own error if it can't encode text
        return [part for part in parts if part[1] or part[0] is self._base]


def part_folders(folder: Path, config: CombinedConfig) -> list[Path]:
    """Return the folders of the base and of each added language, in order."""
    return [base_folder(folder), *(language_folder(folder, c) for c in config.added)]


def combine(
    folder: Path, config: CombinedConfig, parts: Sequence[Encoder]
) -> CombinedEncoder:
    """Combine the loaded encoders of `part_folders`.

    Raises:
        UserError: the router is missing or damaged, or the dimensions differ.
    """
    if any(part.dim != config.dim for part in parts):
        raise UserError(f"{folder}: the combined encoders differ in dimensions.")
    base, *added = parts
    return CombinedEncoder(
        base,
        dict(zip(config.added, added, strict=True)),
        load_router(folder, config),
        name=config.name,
        fingerprint=fingerprint_of(folder),
    )


def load_router(folder: Path, config: CombinedConfig) -> LanguageRouter:
    """Read the router of a combined encoder's folder.

    Raises:
        UserError: the router is missing or damaged.
    """
    file = folder / ROUTER_FILE
    try:
        return LanguageRouter.from_arrays(
            load_file(file),
            config.added,
            is_base_multilingual=is_multilingual(read_config(base_folder(folder))),
        )
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise UserError(f"{file} is damaged or missing. Copy it again.") from error


def is_multilingual(config: EncoderConfig) -> bool:
    """Return whether an encoder supports languages other than English."""
    return any(parse_language(code).code != "en" for code in config.languages)


def base_folder(folder: Path) -> Path:
    """Return the folder of the base of a combined encoder."""
    return folder / BASE_FOLDER


def language_folder(folder: Path, code: str) -> Path:
    """Return the folder of an added language."""
    return folder / LANGUAGES_FOLDER / code


def save_combined(
    folder: Path,
    config: CombinedConfig,
    router: LanguageRouter,
    *,
    base: Path,
    added: Mapping[str, Path],
    card: str,
) -> None:
    """Write a combined encoder's folder.

    Args:
        folder: must not exist.
        config: content of encoder.json.
        base: folder of the base encoder, which is copied.
        added: folders of the added encoders by language, which are copied.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    with new_folder(folder) as part:
        shutil.copytree(base, base_folder(part))
        for code, source in added.items():
            shutil.copytree(source, language_folder(part, code))
        (part / ROUTER_FILE).write_bytes(save(router.arrays()))
        (part / CARD_FILE).write_text(card, encoding="utf-8", newline="\n")
        write_config(part, config)
