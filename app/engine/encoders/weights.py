"""Build the modules of neural encoders, and save and load their weights."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save
from torch import Tensor

from app.engine.encoders.configs import (
    BilstmConfig,
    ContextualConfig,
    EncoderConfig,
    StaticConfig,
    TransformerConfig,
)
from app.engine.encoders.contextual import ContextualModule, attach_base, base_files
from app.engine.encoders.folder import WEIGHTS_FILE, fingerprint_of, save_folder
from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.new_config import vocabulary_files
from app.engine.encoders.quantisation import dequantise_rows, quantise_rows
from app.engine.encoders.static.encoder import save_static
from app.engine.encoders.static.table_rows import make_romaniser
from app.engine.encoders.tokenisers import load_tokeniser
from app.engine.text.subword_vocabulary import load_vocabulary
from app.errors import UserError

TABLES = ("embed.weight", "table")  # name suffixes of weights that are tables
SCALES = ".scales"  # name suffix of a rounded table's scales

Arrays = dict[str, NDArray[Any]]


def save_neural(
    folder: Path,
    config: EncoderConfig,
    module: SentenceModule,
    *,
    vocabulary: Mapping[str, bytes],
    card: str,
) -> None:
    """Write a neural encoder's folder.

    Args:
        folder: must not exist.
        config: config of the module, whose precision specifies the storage.
        vocabulary: files of the vocabulary by their names.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    arrays = pack_weights(module.state_dict(), config.precision)
    save_folder(folder, config, {WEIGHTS_FILE: save(arrays), **vocabulary}, card)


def save_weights(
    folder: Path,
    config: EncoderConfig,
    weights: Mapping[str, Tensor],
    vocabulary: Path,
    card: str,
) -> None:
    """Write the folder of a trained encoder.

    Args:
        folder: must not exist.
        config: config of the module.
        vocabulary: folder of the vocabulary; for a contextual encoder, the folder of
            its static encoder.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    if isinstance(config, StaticConfig):
        save_static(
            folder,
            config,
            table=weights["table"].cpu().numpy(),
            vocabulary=load_vocabulary(vocabulary).model_bytes,
            card=card,
            romaniser=make_romaniser() if config.n_ngrams else None,
        )
        return
    with torch.device("meta"):  # the weights are assigned
        module = build_module(config)
    module.load_state_dict(dict(weights), assign=True)
    if isinstance(config, ContextualConfig):
        files = base_files(vocabulary, config)
    else:
        files = vocabulary_files(vocabulary)
    save_neural(folder, config, module, vocabulary=files, card=card)


def load(folder: Path, config: EncoderConfig, *, device: str) -> NeuralEncoder:
    """Load a neural encoder.

    Raises:
        UserError: weights or vocabulary are missing or damaged, or do not fit.
    """
    return NeuralEncoder(
        load_module(folder, config),
        load_tokeniser(folder, config),
        name=config.name,
        fingerprint=fingerprint_of(folder),
        device=device,
    )


def load_module(folder: Path, config: EncoderConfig) -> SentenceModule:
    """Load an encoder's module on the CPU, for encoding or further training.

    Raises:
        UserError: the weights are missing or damaged, or do not fit the config.
    """
    if isinstance(config, StaticConfig):
        from app.engine.encoders.static.encoder import read_table

        tensors = {"table": torch.from_numpy(read_table(folder, config))}
        return _fill(folder, lambda: build_module(config), tensors)
    module = load_checked(folder, lambda: build_module(config))
    attach_base(module, folder, config)
    return module


def load_checked(folder: Path, build: Callable[[], SentenceModule]) -> SentenceModule:
    """Load the weights of a folder into their module, on the CPU.

    Args:
        folder: folder of an encoder.
        build: makes the module, whose weights are replaced.

    Raises:
        UserError: the weights are missing or damaged, or do not fit the module.
    """
    return _fill(folder, build, _read_weights(folder / WEIGHTS_FILE))


def _fill(
    folder: Path, build: Callable[[], SentenceModule], tensors: dict[str, Tensor]
) -> SentenceModule:
    try:
        with torch.device("meta"):  # sizes only, without allocating memory
            module = build()
    except RuntimeError as error:  # the size overflows an integer
        raise UserError(f"{folder}: encoder.json declares impossible sizes.") from error
    file = folder / WEIGHTS_FILE
    expected = {name: value.shape for name, value in module.state_dict().items()}
    if expected != {name: value.shape for name, value in tensors.items()}:
        raise UserError(
            f"{file} doesn't contain the weights that encoder.json describes."
        )
    if not all(bool(torch.isfinite(value.sum())) for value in tensors.values()):
        raise UserError(f"{file} contains weights that are not finite.")
    module.load_state_dict(tensors, assign=True)
    return module


def pack_weights(weights: Mapping[str, Tensor], precision: str) -> Arrays:
    """Convert weights to their stored form.

    With int8, tables become int8 with a scale per row (`NAME.scales`), and all other
    weights float16; float16 and float32 apply to all weights.
    """
    arrays: Arrays = {}
    for name, value in weights.items():
        array = value.detach().float().cpu().numpy()
        if precision == "int8" and name.endswith(TABLES):
            arrays[name], arrays[name + SCALES] = quantise_rows(array)
        elif precision == "float32":
            arrays[name] = array
        else:
            arrays[name] = array.astype(np.float16)
    return arrays


def unpack_weights(arrays: Arrays) -> dict[str, Tensor]:
    """Convert stored weights to float32.

    Raises:
        ValueError: an array has an unexpected type.
    """
    weights = {}
    for name, array in arrays.items():
        if name.endswith(SCALES):
            continue
        if array.dtype == np.int8:
            scales = arrays.get(name + SCALES)
            if array.ndim != 2 or scales is None or scales.shape != (len(array),):
                raise ValueError(name)
            array = dequantise_rows(array, scales)
        elif array.dtype not in (np.float16, np.float32):
            raise ValueError(name)
        weights[name] = torch.from_numpy(array.astype(np.float32, copy=False))
    return weights


def _read_weights(file: Path) -> dict[str, Tensor]:
    """Read the weights of a folder as float32."""
    try:
        return unpack_weights(load_file(file))
    except (SafetensorError, OSError) as error:
        raise UserError(f"{file} is damaged or missing. Download it again.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{file} contains weights of an unknown type.") from error


def build_module(config: EncoderConfig) -> SentenceModule:
    """Build the module of a config on the CPU, with random weights.

    Weights are drawn from torch's global generator, which the caller seeds.

    Raises:
        UserError: the sizes are inconsistent, or the architecture has no module.
    """
    if isinstance(config, BilstmConfig):
        from app.engine.encoders.bilstm import BilstmModule

        return BilstmModule(config)
    if isinstance(config, TransformerConfig):
        from app.engine.encoders.transformer import TransformerModule

        return TransformerModule(config)
    if isinstance(config, ContextualConfig):
        return ContextualModule(config)
    if isinstance(config, StaticConfig):
        from app.engine.encoders.static.module import StaticModule

        return StaticModule(config)
    raise UserError(f"{config.name} was imported, so its weights can't be trained.")
