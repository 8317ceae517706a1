"""LASER 1 and 2 as an encoder of ours: a BiLSTM over LASER's pieces, maximum over time.

Artetxe and Schwenk 2019, section 3.1; the files as facebookresearch/LASER gives them.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec
import torch

from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.imported.laser_file import LaserFile, read_laser
from app.engine.encoders.imported.laser_units import (
    DICTIONARY_FILE,
    LaserUnits,
    check_dictionary,
    read_cvocab,
)
from app.engine.encoders.weights import build_module, save_neural
from app.engine.text.vocabulary import MODEL_FILE, UNKNOWN_ID, Vocabulary
from app.errors import UserError

MAX_TOKENS = 12_000  # of a sentence: LASER's bound of a batch, which nothing exceeds
PIECES_SUFFIXES = (".spm", ".model")
CVOCAB_SUFFIX = ".cvocab"
MIN_KNOWN = 0.5  # share of the model's pieces that the dictionary must name


class LaserSource(NamedTuple):
    """LASER's files.

    Attributes:
        file: its .pt file.
        pieces: its sentencepiece model; None: looked for beside the file.
        dictionary: its vocabulary file; None: the dictionary in the file, else looked
            for beside it.
    """

    file: Path
    pieces: Path | None = None
    dictionary: Path | None = None


def convert_laser(source: LaserSource, folder: Path, name: str) -> None:
    """Write LASER's encoder as a folder of ours; it must not exist.

    Raises:
        UserError: a file is missing, damaged, or does not fit the others.
    """
    model_file = source.pieces or _find_pieces(source.file)
    laser = read_laser(source.file)
    named = _find_dictionary(source, laser)
    model_bytes = _check_pieces(model_file, named)
    config = _config(laser, name)
    with torch.device("meta"):
        module = build_module(config)
    module.load_state_dict(laser.weights, assign=True)
    files = {MODEL_FILE: model_bytes, DICTIONARY_FILE: msgspec.json.encode(named)}
    save_neural(folder, config, module, vocabulary=files, card="")


def _config(laser: LaserFile, name: str) -> BilstmConfig:
    """Describe LASER's encoder; its weights keep the precision that they have."""
    params = laser.params
    kinds = {value.dtype for value in laser.weights.values()}
    return BilstmConfig(
        name=name,
        description=f"LASER: a BiLSTM of {params.num_layers} layers over pieces of 93 "
        "languages (Artetxe and Schwenk 2019).",
        dim=2 * params.hidden_size,
        precision="float16" if kinds == {torch.float16} else "float32",
        n_pieces=params.num_embeddings,
        embed_dim=params.embed_dim,
        hidden_dim=params.hidden_size,
        n_layers=params.num_layers,
        pooling="max",
        dropout=0.0,
        max_tokens=MAX_TOKENS,
        is_laser=True,
    )


def _find_pieces(source: Path) -> Path:
    """Find the sentencepiece model beside the source."""
    for suffix in PIECES_SUFFIXES:
        beside = source.with_suffix(suffix)
        found = (
            [beside] if beside.is_file() else sorted(source.parent.glob(f"*{suffix}"))
        )
        if len(found) == 1:
            return found[0]
    raise UserError(
        f"{source} needs LASER's sentencepiece model: put its .spm file beside it, or "
        "name it (pieces). The fastBPE codes of LASER 1 are not read."
    )


def _find_dictionary(source: LaserSource, laser: LaserFile) -> dict[str, int]:
    """Find the dictionary: named, in the source, or beside it; checked."""
    beside = source.file.with_suffix(CVOCAB_SUFFIX)
    file = source.dictionary or (source.file if laser.dictionary else beside)
    if file == source.file:
        dictionary = laser.dictionary or {}
    elif file.is_file():
        dictionary = read_cvocab(file)
    else:
        raise UserError(
            f"{source.file} holds no dictionary: put LASER's {CVOCAB_SUFFIX} file "
            "beside it, or name it (dictionary)."
        )
    check_dictionary(file, dictionary, laser.params.num_embeddings)
    return dictionary


def _check_pieces(file: Path, dictionary: dict[str, int]) -> bytes:
    """Read a sentencepiece model and check that the dictionary is of its pieces."""
    try:
        model_bytes = file.read_bytes()
        vocabulary = Vocabulary(model_bytes)
    except (OSError, RuntimeError) as error:
        raise UserError(f"{file} can't be read as a sentencepiece model.") from error
    if not vocabulary.n_pieces or vocabulary.processor.unk_id() != UNKNOWN_ID:
        raise UserError(f"{file} is no sentencepiece model as LASER's.")
    known = LaserUnits(vocabulary, dictionary, MAX_TOKENS).known_share
    if known < MIN_KNOWN:
        raise UserError(
            f"{file} is not the model of this encoder, whose dictionary names "
            f"{known:.0%} of its pieces."
        )
    return model_bytes
