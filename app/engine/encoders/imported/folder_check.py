"""Check and copy a sentence-transformers folder: only data, never code."""

import json
import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError, safe_open

from app.engine.runtime.report import Report
from app.errors import UserError

MODULES_FILE = "modules.json"
MAKER = "sentence_transformers."  # prefix of the types of its own modules
KINDS = (
    "Transformer",
    "StaticEmbedding",
    "Pooling",
    "Dense",
    "LayerNorm",
    "Normalize",
    "Dropout",
)
BODIES = ("Transformer", "StaticEmbedding")
BODY_TYPES = ("bert", "distilbert", "mpnet", "roberta", "xlm-roberta", "camembert")
COPIED = (".json", ".txt", ".model", ".safetensors", ".md")
UNREADABLE = {".onnx": "ONNX", ".gguf": "GGUF", ".h5": "TensorFlow"}
STATES = "last_hidden_state"  # token states of the body
MAX_JSON_BYTES = 100_000_000  # a tokenizer with 250,000 pieces has 17 MB
MAX_SETTING = 10_000_000  # no size in a config.json is larger
MAX_LAYERS = 200


class Module(NamedTuple):
    """One step from text to vector: its kind (`KINDS`), and its subfolder or ""."""

    kind: str
    path: str


def check_folder(folder: Path) -> list[Module]:
    """Check that a folder contains a sentence-transformers encoder without code.

    Returns:
        Its modules, the body first. A folder without modules.json is a body with mean
        pooling, as in sentence-transformers.

    Raises:
        UserError: a file is missing or damaged, or the encoder requires running code.
    """
    modules = _read_modules(folder)
    folders = {folder, *(folder / module.path for module in modules if module.path)}
    for place in sorted(folders):
        _refuse_code(place)
    body = modules[0]
    weights = list((folder / body.path).glob("*.safetensors"))
    if not weights:
        if list((folder / body.path).glob("*.bin")):
            raise UserError(
                f"{folder} has only pickle weights (.bin), which could run "
                "code. Get or convert it to .safetensors."
            )
        raise UserError(
            f"{folder} has no weights (model.safetensors){_other_weights(folder)}."
        )
    if body.kind == "Transformer":
        _check_body(folder / body.path)
    return modules


def _other_weights(folder: Path) -> str:
    """Return the names of unsupported weight files; empty: there are none."""
    for suffix, kind in UNREADABLE.items():
        if next(folder.rglob(f"*{suffix}"), None) is not None:
            return f", only {kind} files, which Isogloss doesn't read"
    return ""


def count_stored(folder: Path) -> int:
    """Count the numbers in a folder's safetensors files, by their headers.

    Raises:
        UserError: a file is damaged.
    """
    n_stored = 0
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(file, "numpy") as arrays:
                names = list(arrays.keys())
                shapes = [arrays.get_slice(name).get_shape() for name in names]
        except (SafetensorError, OSError) as error:
            raise UserError(f"{file} is damaged. Download it again.") from error
        n_stored += sum(math.prod(shape) for shape in shapes)
    return n_stored


def copy_folder(
    source: Path, target: Path, modules: list[Module], report: Report
) -> None:
    """Copy only the files that an encoder needs from a folder.

    Raises:
        UserError: a file is a link outside the folder.
    """
    places = ["", *sorted({module.path for module in modules if module.path})]
    files = [file for place in places for file in _data_files(source / place)]
    home = source.resolve().parent.parent  # target of a download's links: blobs
    for done, file in enumerate(files):
        report.step("Copying", done, len(files), file.name)
        if file.is_symlink() and not file.resolve().is_relative_to(home):
            raise UserError(
                f"{file} is a link to another location. Replace it with the file."
            )
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        with copy.open("rb+") as stream:
            os.fsync(stream.fileno())


def read_settings(file: Path) -> dict[str, Any]:
    """Read a JSON object; return an empty object if the file is missing.

    Raises:
        UserError: the file is damaged, or not an object.
    """
    if not file.is_file():
        return {}
    settings = _read_json(file)
    if not isinstance(settings, dict):
        raise UserError(f"{file} is not a JSON object.")
    return settings


def _read_modules(folder: Path) -> list[Module]:
    """Read modules.json."""
    if not (folder / MODULES_FILE).is_file():
        if not (folder / "config.json").is_file():
            raise UserError(
                f"{folder} is not a sentence-transformers folder: it has "
                f"neither {MODULES_FILE} nor config.json."
            )
        return [Module("Transformer", "")]
    listed = _read_json(folder / MODULES_FILE)
    is_list = isinstance(listed, list) and all(isinstance(one, dict) for one in listed)
    if not is_list or not listed:
        raise UserError(f"{folder / MODULES_FILE} lists no modules.")
    modules = [_read_module(folder, one) for one in listed]
    if modules[0].kind not in BODIES or any(
        module.kind in BODIES for module in modules[1:]
    ):
        raise UserError(
            f"{folder / MODULES_FILE}: the first module, and no other, must be one of "
            f"{', '.join(BODIES)}."
        )
    if any(module.kind == "Pooling" for module in modules[2:]):
        raise UserError(f"{folder / MODULES_FILE}: pooling must come second.")
    return modules


def _read_module(folder: Path, entry: dict[str, Any]) -> Module:
    """Read one entry of modules.json."""
    type_, path = str(entry.get("type", "")), str(entry.get("path", ""))
    kind = type_.rpartition(".")[2]
    if not type_.startswith(MAKER) or kind not in KINDS:
        raise UserError(
            f"{folder / MODULES_FILE} requires {type_!r}, which is custom "
            "code or a module that Isogloss doesn't support "
            f"({', '.join(KINDS)}). No code was run."
        )
    if path == ".":  # model2vec's notation of the folder itself
        path = ""
    if path and (Path(path).name != path or path.startswith(".")):
        raise UserError(
            f"{folder / MODULES_FILE} refers to {path!r}, which is not a folder in it."
        )
    return Module(kind, path)


def _refuse_code(place: Path) -> None:
    """Reject a folder with Python files, or with settings that name such files."""
    code = next(iter(sorted(place.glob("*.py"))), None)
    if code is not None:
        raise UserError(
            f"{place} contains custom code ({code.name}), which Isogloss "
            "doesn't run. The encoder can't be added."
        )
    for file in sorted(place.glob("*.json")):
        if file.stat().st_size > MAX_JSON_BYTES:
            raise UserError(f"{file} is too large (over 100\u00a0MB).")
        is_config = file.name.endswith("config.json")
        if is_config and '"auto_map"' in json.dumps(_read_json(file)):
            raise UserError(
                f"{file} requires custom code (auto_map), which Isogloss "
                "doesn't run. The encoder can't be added."
            )
        if file.name.endswith(".index.json"):
            _check_index(file)


def _check_index(file: Path) -> None:
    """Check that the index of weight files names no file outside the folder."""
    weight_map = read_settings(file).get("weight_map")
    names = weight_map.values() if isinstance(weight_map, dict) else [""]
    for name in names:
        if not isinstance(name, str) or not name or Path(name).name != name:
            raise UserError(
                f"{file} refers to {name!r}, which is not in the same folder."
            )


def _check_body(folder: Path) -> None:
    """Check a transformer's config.json: known type, plausible sizes."""
    file = folder / "config.json"
    if not file.is_file():
        raise UserError(f"{file} is missing. Download the folder again.")
    config = read_settings(file)
    if config.get("model_type") not in BODY_TYPES:
        raise UserError(
            f"{file} describes a {config.get('model_type')!r} model, but "
            f"Isogloss supports {', '.join(BODY_TYPES)}."
        )
    settings = read_settings(folder / "sentence_bert_config.json")
    if "output_name" in json.dumps(settings) and STATES not in json.dumps(settings):
        raise UserError(
            f"{folder} uses other states than {STATES}, which is not supported."
        )
    for name, value in config.items():
        bound = MAX_LAYERS if name in ("num_hidden_layers", "n_layers") else MAX_SETTING
        if isinstance(value, int) and not -MAX_SETTING <= value <= bound:
            raise UserError(f"{file}: {name} is {value}, which is too large.")


def _data_files(place: Path) -> Iterator[Path]:
    """Return the files of a folder that are data."""
    for file in sorted(place.glob("*")):
        is_licence = file.name.upper().startswith(("LICENSE", "LICENCE", "NOTICE"))
        is_hidden = file.name.startswith(".")
        if file.is_file() and not is_hidden and (is_licence or file.suffix in COPIED):
            yield file


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{file} is damaged or missing. Download it again.") from error
