"""Reproducibility record of a training, and the run that owns its work folder."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.engine.runtime import hashing
from app.engine.runtime.report import Report
from app.engine.text.files import check_file
from app.engine.text.line_files import describe_pair_file, file_stem
from app.errors import UserError
from app.params import encode_hook
from app.params.encoders import AlignEncoder
from app.params.flags import command_text
from app.params.training.encoder import TrainEncoder

DATA_FIELDS = ("pairs", "word_lists", "kept_out", "nli", "documents", "conversations")
# Fields without effect on the weights: paths, names and intervals.
# "languages" selects files, which are hashed
PLACES = ("out", "name", "checkpoint_every_s", "languages", *DATA_FIELDS)
STAGE = "Hashing the data"


class TrainingRecord(msgspec.Struct, frozen=True):
    """Settings, data and software that a training depends on.

    Attributes:
        settings: all params, as plain values.
        hashes: SHA-256 in hex of each data file by name, and of the specified encoders
            and vocabulary.
        versions: versions of the relevant packages.
        device, n_threads, precision: device, CPU threads and floating-point format.
        command: reproduces the encoder; files are named without their folders.
    """

    settings: dict[str, Any]
    hashes: dict[str, str]
    versions: dict[str, str]
    device: str
    n_threads: int
    precision: str
    command: str


def hash_data(
    params: TrainEncoder, pairs: Sequence[Path], report: Report
) -> dict[str, str]:
    """Return the SHA-256 of each data file by name.

    Args:
        params: params with the files.
        pairs: files of pairs from the params, and written from corpora.

    Raises:
        UserError: a file is empty, or two files of pairs have the same name.
        ResourceError: a file is missing.
    """
    stems = [file_stem(file) for file in pairs]
    for file in pairs:
        if stems.count(file_stem(file)) > 1:
            raise UserError(f"Two pair files are named {file_stem(file)}. Rename one.")
    others = [f for name in DATA_FIELDS[1:] for f in getattr(params, name)]
    hashes: dict[str, str] = {}
    for done, file in enumerate([*pairs, *others]):
        report.step(STAGE, done, len(pairs) + len(others), describe_pair_file(file))
        name = file.name if file.name not in hashes else str(file)
        hashes[name] = hash_file(file)
    return hashes


def hash_file(file: Path) -> str:
    """Return the SHA-256 of a file that is not empty."""
    check_file(file)
    return hashing.hash_file(file, Report())


def settings_key(params: TrainEncoder, hashes: Mapping[str, str]) -> str:
    """Hash what determines the weights: settings and data, not file paths."""
    settings = msgspec.structs.asdict(params)
    for name in PLACES:
        settings.pop(name)
    settings["hashes"] = hashes
    encoded = msgspec.json.encode(settings, order="deterministic", enc_hook=encode_hook)
    return hashlib.sha256(encoded).hexdigest()[:12]


def make_command(params: TrainEncoder | AlignEncoder) -> str:
    """Return the command that reproduces an encoder, with file names without folders.

    A shared card should not reveal paths on the author's machine.
    """
    values = {
        name: _without_folder(getattr(params, name))
        for name in params.__struct_fields__
    }
    named = type(params)(**values)
    return command_text(named, None if params.out else Path("PROJECT"))


def _without_folder(value: Any) -> Any:
    """Remove the folder from a path or from each of several paths."""
    if isinstance(value, Path):
        return Path(value.name)
    if isinstance(value, tuple):
        return tuple(map(_without_folder, value))
    return value


MARK_FILE = "run"


def mark_run(folder: Path, run: int | None) -> None:
    """Record in a work folder which run of the project uses it."""
    if run is not None:
        mark = folder / MARK_FILE
        mark.write_text(f"{run}\n", encoding="utf-8", newline="\n")


def remove_work_folders(parent: Path, run: int) -> None:
    """Remove the work folders of a run, which are next to its encoder's folder."""
    for mark in parent.glob(f".*.training-*/{MARK_FILE}"):
        if mark.read_text(encoding="utf-8").strip() == str(run):
            shutil.rmtree(mark.parent, ignore_errors=True)
