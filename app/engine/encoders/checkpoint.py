"""Encoders on disk: list, find, load and save their folders.

No torch until one is loaded. A folder holds encoder.json, weights.safetensors, a
vocabulary and the model card README.md; which weights and which vocabulary is a matter
of the architecture.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.configs import (
    CONFIG_FILE,
    BilstmConfig,
    EncoderConfig,
    SentenceTransformersConfig,
    StaticConfig,
    TransformerConfig,
    VectorsConfig,
    architecture_of,
)
from app.engine.encoders.folder import count_parameters, folder_bytes, read_config
from app.engine.encoders.shelf import read_choice
from app.errors import UserError
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

DEFAULT_ENCODER = "isogloss-2"


class EncoderCard(msgspec.Struct, frozen=True):
    """One encoder of the list that the user chooses from.

    Attributes:
        name: what `load_encoder` takes.
        folder: where it stands.
        dim: dimensions of its vectors.
        size_bytes: of all its files.
        description: one sentence.
        architecture: static, bilstm, transformer, sentence-transformers or vectors.
        bundled: it comes with the program.
        languages: codes of those it was made for; empty: not known.
        licence: of the weights; empty: not known.
        origin: where it came from; empty: trained with Isogloss.
        source_sha256: of what it was made of, in hex; empty: trained with Isogloss.
        sentences_per_s: measured on this machine; 0: not measured.
        n_parameters: weights that it holds.
    """

    name: str
    folder: str
    dim: int
    size_bytes: int
    description: str
    architecture: str
    bundled: bool
    languages: tuple[str, ...] = ()
    licence: str = ""
    origin: str = ""
    source_sha256: str = ""
    sentences_per_s: float = 0.0
    n_parameters: int = 0


def list_encoders(project_folder: Path | None = None) -> list[EncoderCard]:
    """List the bundled encoders and those of a project; damaged ones are left out."""
    cards = []
    for parent in _parents(project_folder):
        for folder in sorted(parent.glob("*/")):
            if folder.name.startswith(".") or not (folder / CONFIG_FILE).is_file():
                continue
            try:
                cards.append(_card(folder, read_config(folder)))
            except (UserError, OSError):
                continue
    return cards


def load_encoder(
    name: str = "", project_folder: Path | None = None, *, device: str = "cpu"
) -> "Encoder":
    """Load an encoder.

    Args:
        name: empty for the project's choice (else the bundled one), a bundled name, a
            name in the project's `encoders/`, or a folder.
        project_folder: the open project's folder.
        device: a torch device that exists (see `app.engine.device`).

    Raises:
        UserError: no such encoder, or its folder is damaged.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    # LSTMs and embedding_bag are not on MPS in every torch
    device = device if device.startswith("cuda") else "cpu"
    match config:
        case StaticConfig():
            from app.engine.encoders import static_folder

            return static_folder.load(folder, config, device=device)
        case BilstmConfig() | TransformerConfig():
            from app.engine.encoders import weights

            return weights.load(folder, config, device=device)
        case SentenceTransformersConfig():
            from app.engine.encoders.imported import sentence_transformers

            return sentence_transformers.load(folder, config, device=device)
        case VectorsConfig():
            from app.engine.encoders.imported import vectors

            return vectors.load(folder, config)


def find_encoder(name: str, project_folder: Path | None = None) -> Path:
    """Find the folder of an encoder; without a name, of the one that is in use.

    Raises:
        UserError: there is none of that name; the message lists those there are.
    """
    wanted = name or read_choice(project_folder) or DEFAULT_ENCODER
    for parent in _parents(project_folder):
        if Path(wanted).name == wanted and (parent / wanted / CONFIG_FILE).is_file():
            return parent / wanted
    if name and (Path(name) / CONFIG_FILE).is_file():
        return Path(name)
    known = ", ".join(card.name for card in list_encoders(project_folder)) or "none"
    raise UserError(f"There is no encoder {wanted!r}; known are: {known}.")


def _parents(project_folder: Path | None) -> list[Path]:
    """Name the folders that hold encoders."""
    parents = [resource_dir() / "encoders"]
    if project_folder is not None:
        parents.append(project_folder / "encoders")
    return [parent for parent in parents if parent.is_dir()]


def _card(folder: Path, config: EncoderConfig) -> EncoderCard:
    """Describe one encoder."""
    return EncoderCard(
        name=folder.name,
        folder=str(folder),
        dim=config.dim,
        size_bytes=folder_bytes(folder),
        description=config.description,
        architecture=architecture_of(config),
        bundled=folder.parent == resource_dir() / "encoders",
        languages=config.languages,
        licence=config.licence,
        origin=config.origin,
        source_sha256=config.source_sha256,
        sentences_per_s=config.sentences_per_s,
        n_parameters=count_parameters(folder),
    )
