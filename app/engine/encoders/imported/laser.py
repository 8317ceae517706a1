"""Convert LASER 1 and 2 to a BiLSTM encoder; read their files without running code.

The layout is that of LASER's public encoder (facebookresearch/LASER, source/embed.py):
"params", "model" with the names of `torch.nn.LSTM`, and "dictionary".

Artetxe and Schwenk 2019, section 3.1; files as published by facebookresearch/LASER.
"""

import pickle
import struct
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import torch
from msgspec import Meta
from torch import Tensor

from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.tokenisers import (
    DICTIONARY_FILE,
    LaserTokeniser,
    check_dictionary,
    read_cvocab,
)
from app.engine.encoders.weights import build_module, save_neural
from app.engine.text.subword_vocabulary import MODEL_FILE, UNKNOWN_ID, Vocabulary
from app.errors import UserError
from app.number_format import format_percent

# Errors that torch.load raises on damaged files or other formats.
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
)
KEPT_TYPES = (torch.float16, torch.float32)
Size = Annotated[int, Meta(ge=1, le=65_536)]


class LaserParams(msgspec.Struct, frozen=True):
    """Settings in a LASER file, with LASER's defaults."""

    num_embeddings: Annotated[int, Meta(ge=5, le=10_000_000)]
    padding_idx: int
    embed_dim: Size = 320
    hidden_size: Size = 512
    num_layers: Annotated[int, Meta(ge=1, le=64)] = 1
    bidirectional: bool = False
    left_pad: bool = True
    padding_value: float = 0.0


class LaserFile(NamedTuple):
    """Content of a LASER file.

    Attributes:
        params: sizes of the model.
        weights: weights named as in `BilstmModule`, float16 or float32, all finite.
        dictionary: id of each piece; None: the file contains no dictionary.
    """

    params: LaserParams
    weights: dict[str, Tensor]
    dictionary: dict[str, int] | None


def read_laser(file: Path) -> LaserFile:
    """Read LASER's .pt file.

    Raises:
        UserError: the file is damaged, contains more than weights, or is not LASER's
            BiLSTM.
    """
    content = _load(file)
    if "params" not in content and "cfg" in content:
        raise UserError(
            f"{file} is a transformer (LASER 3), which Isogloss doesn't "
            "support. Use LASER 1 or 2."
        )
    if not {"params", "model"} <= content.keys():
        raise UserError(
            f'{file} is not a LASER encoder: it has no "params" and "model".'
        )
    try:
        params = msgspec.convert(content["params"], LaserParams)
        dictionary = msgspec.convert(content.get("dictionary"), dict[str, int] | None)
    except msgspec.ValidationError as error:
        raise UserError(f"{file} is not a LASER encoder: {error}.") from error
    if not params.bidirectional:
        raise UserError(
            f"{file} contains a unidirectional LSTM, but LASER's is bidirectional."
        )
    return LaserFile(params, _check_weights(file, params, content["model"]), dictionary)


def _load(file: Path) -> Mapping[str, Any]:
    """Load a file of weights without running code in it."""
    n_bytes = file.stat().st_size
    try:
        if zipfile.is_zipfile(file):
            _refuse_inflation(file, n_bytes)
        with warnings.catch_warnings():  # about the pickle version, which DAMAGE covers
            warnings.simplefilter("ignore", UserWarning)
            content = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise UserError(
            f"{file} is damaged, or contains program code as well as weights. "
            "No code was run. Download the file again."
        ) from error
    except DAMAGE as error:
        raise UserError(
            f"{file} is an incomplete .pt file. Download it again."
        ) from error
    if not isinstance(content, dict):
        raise UserError(f"{file} is not a LASER encoder: it has no dictionary.")
    return content


def _refuse_inflation(file: Path, n_bytes: int) -> None:
    """Reject a zip file with compressed content, which torch never writes."""
    with zipfile.ZipFile(file) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > n_bytes:
            raise zipfile.BadZipFile("the content is larger than the file")


def _check_weights(file: Path, params: LaserParams, model: object) -> dict[str, Tensor]:
    """Check names, shapes, types and values, and rename the embeddings."""
    wanted = weight_shapes(params)
    if not isinstance(model, dict) or set(model) != set(wanted):
        raise UserError(f"{file} doesn't contain the weights of LASER's BiLSTM.")
    is_tensor = all(isinstance(value, Tensor) for value in model.values())
    if not is_tensor or any(
        tuple(model[name].shape) != shape or model[name].dtype not in KEPT_TYPES
        for name, shape in wanted.items()
    ):
        raise UserError(f"{file} contains weights of other sizes than it declares.")
    # a view may claim more numbers than the file contains
    n_claimed = sum(value.numel() * value.itemsize for value in model.values())
    if n_claimed > file.stat().st_size:
        raise UserError(f"{file} declares more weights than it contains.")
    if not all(bool(torch.isfinite(value.float().sum())) for value in model.values()):
        raise UserError(f"{file} contains weights that are not finite.")
    return {name.replace("embed_tokens", "embed"): model[name] for name in wanted}


def weight_shapes(params: LaserParams) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the weights of LASER's encoder."""
    shapes = {"embed_tokens.weight": (params.num_embeddings, params.embed_dim)}
    n_gates = 4 * params.hidden_size
    named: dict[str, tuple[int, ...]] = dict(shapes)
    for layer in range(params.num_layers):
        n_inputs = 2 * params.hidden_size if layer else params.embed_dim
        for end in (f"l{layer}", f"l{layer}_reverse"):
            named[f"lstm.weight_ih_{end}"] = (n_gates, n_inputs)
            named[f"lstm.weight_hh_{end}"] = (n_gates, params.hidden_size)
            named[f"lstm.bias_ih_{end}"] = (n_gates,)
            named[f"lstm.bias_hh_{end}"] = (n_gates,)
    return named


MAX_TOKENS = 12_000  # per sentence: LASER's limit of a batch
PIECES_SUFFIXES = (".spm", ".model")
CVOCAB_SUFFIX = ".cvocab"
MIN_KNOWN = 0.5  # minimum share of the model's pieces in the dictionary


class LaserSource(NamedTuple):
    """LASER's files.

    Attributes:
        file: the .pt file.
        pieces: sentencepiece model; None: search next to the file.
        dictionary: vocabulary file; None: use the dictionary in the file, or else
            search next to it.
    """

    file: Path
    pieces: Path | None = None
    dictionary: Path | None = None


def convert_laser(source: LaserSource, folder: Path, name: str) -> None:
    """Write LASER's encoder as an Isogloss encoder folder, which must not exist.

    Raises:
        UserError: a file is missing, damaged, or inconsistent with the others.
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
    """Return the config of LASER's encoder, with the precision of its weights."""
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
    """Find the sentencepiece model next to the source."""
    for suffix in PIECES_SUFFIXES:
        beside = source.with_suffix(suffix)
        found = (
            [beside] if beside.is_file() else sorted(source.parent.glob(f"*{suffix}"))
        )
        if len(found) == 1:
            return found[0]
    raise UserError(
        f"{source} needs LASER's sentencepiece model. Put its .spm file in "
        "the same folder, or choose it (pieces). fastBPE codes of LASER 1 "
        "are not supported."
    )


def _find_dictionary(source: LaserSource, laser: LaserFile) -> dict[str, int]:
    """Find and check the dictionary: as specified, in the source, or next to it."""
    beside = source.file.with_suffix(CVOCAB_SUFFIX)
    file = source.dictionary or (source.file if laser.dictionary else beside)
    if file == source.file:
        dictionary = laser.dictionary or {}
    elif file.is_file():
        dictionary = read_cvocab(file)
    else:
        raise UserError(
            f"{source.file} contains no dictionary. Put LASER's "
            f"{CVOCAB_SUFFIX} file in the same folder, or choose it (dictionary)."
        )
    check_dictionary(file, dictionary, laser.params.num_embeddings)
    return dictionary


def _check_pieces(file: Path, dictionary: dict[str, int]) -> bytes:
    """Read a sentencepiece model, and check that the dictionary matches its pieces."""
    try:
        model_bytes = file.read_bytes()
        vocabulary = Vocabulary(model_bytes)
    except (OSError, RuntimeError) as error:
        raise UserError(f"{file} can't be read as a sentencepiece model.") from error
    if not vocabulary.n_pieces or vocabulary.processor.unk_id() != UNKNOWN_ID:
        raise UserError(f"{file} is not a sentencepiece model like LASER's.")
    known = LaserTokeniser(vocabulary, dictionary, MAX_TOKENS).known_share
    if known < MIN_KNOWN:
        raise UserError(
            f"{file} is not the model of this encoder: only {format_percent(known)} of "
            "its pieces are in the dictionary."
        )
    return model_bytes
