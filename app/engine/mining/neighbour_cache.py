"""Store the neighbours of two sides in the project and reuse them."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.engine.mining.approximate_search import (
    IndexSettings,
    MappedSide,
    Recall,
    find_approximate_neighbours,
)
from app.engine.mining.exact_search import Neighbours
from app.engine.mining.neighbours import PassSettings, drop_state, find_neighbours
from app.engine.mining.sides import ProjectSide
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, partial_path, write_array
from app.engine.store.embeddings import unit_file
from app.errors import ResourceError
from app.params.mining import IndexName

FOLDER = "neighbours"  # in a project's arrays/
MAX_CACHED = 4  # newest results
WORK, RECORD = "pass", "found.json"  # in a result's folder
NAMES = ("source-scores", "source-rows", "target-scores", "target-rows")


class CachedNeighbours(NamedTuple):
    """The neighbours of two sides in each other.

    Attributes:
        of_sources, of_targets: the neighbours.
        recall: recall of the neighbours; None: exact.
        is_known: whether an earlier run found them.
    """

    of_sources: Neighbours
    of_targets: Neighbours
    recall: Recall | None
    is_known: bool


def load_or_find_neighbours(
    project: Project,
    source: ProjectSide,
    target: ProjectSide,
    wanted: tuple[int, IndexName],
    report: Report,
) -> CachedNeighbours:
    """Find the k nearest of both sides in each other, or load an earlier result.

    A pass that was killed goes on where it was; it is recorded in the folder of its
    result.

    Args:
        project: the project; if it is read-only, nothing is stored.
        wanted: k, and the index to use.
    """
    key = _key(source, target, wanted)
    folder = project.folder / "arrays" / FOLDER / key[:32]
    known = _read(folder)
    if known is not None:
        folder.touch()
        return known
    k, index = wanted
    if project.is_read_only:
        settings = PassSettings(k, device=preferred_device())
        near = find_neighbours(source.exact, target.exact, settings, report)
        return CachedNeighbours(*near, None, is_known=False)
    if index == "exact":
        settings = PassSettings(
            k, device=preferred_device(), folder=folder / WORK, key=key
        )
        near = find_neighbours(source.exact, target.exact, settings, report)
        found = CachedNeighbours(*near, None, is_known=False)
    else:
        sides = [
            MappedSide(side.exact, unit_file(project.folder, side.embedding.array))
            for side in (source, target)
        ]
        by_index = IndexSettings(index, k, folder / WORK)
        found = CachedNeighbours(
            *find_approximate_neighbours(sides[0], sides[1], by_index, report),
            is_known=False,
        )
    _write(folder, found)
    drop_state(folder / WORK)
    _drop_old(folder.parent)
    return found


def _key(source: ProjectSide, target: ProjectSide, wanted: tuple[int, str]) -> str:
    """Hash everything the neighbours depend on: vectors, participants, k, the index."""
    digest = hashlib.sha256(f"{wanted[0]} {wanted[1]}".encode())
    for side in (source, target):
        digest.update(f"\n{side.embedding.array}\n".encode())
        digest.update(side.participants.rows.tobytes())
    return digest.hexdigest()


def _write(folder: Path, found: CachedNeighbours) -> None:
    """Write a result; its record is written last."""
    sides = found.of_sources, found.of_targets
    arrays = [array for side in sides for array in (side.scores, side.rows)]
    for name, array in zip(NAMES, arrays, strict=True):
        write_array(folder / f"{name}.npy", array)
    file = folder / RECORD
    partial_path(file).write_bytes(msgspec.json.encode(found.recall))
    partial_path(file).replace(file)


def _read(folder: Path) -> CachedNeighbours | None:
    try:
        recall = msgspec.json.decode((folder / RECORD).read_bytes(), type=Recall | None)
        arrays = [map_array(folder / f"{name}.npy") for name in NAMES]
    except (OSError, ResourceError, msgspec.DecodeError):
        return None
    near = Neighbours(arrays[0], arrays[1]), Neighbours(arrays[2], arrays[3])
    return CachedNeighbours(*near, recall, is_known=True)


def _drop_old(parent: Path) -> None:
    """Delete all but the newest results; on Windows, mapped files are deleted later."""
    folders = sorted(parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for folder in folders[:-MAX_CACHED]:
        drop_state(folder)
