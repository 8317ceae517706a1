"""Neighbours in a project: found once, kept, and found again by what they are of."""

import hashlib
from pathlib import Path

from app.engine.device import wanted_device
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.pass_state import drop_state
from app.engine.mining.project_side import ProjectSide
from app.engine.mining.rescoring import Neighbours
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.arrays import map_array, write_array
from app.errors import ResourceError

FOLDER = "neighbours"  # in a project's arrays/
MAX_KEPT = 4  # the newest
NAMES = ("source-scores", "source-rows", "target-scores", "target-rows")


def neighbours_kept(
    project: Project, source: ProjectSide, target: ProjectSide, k: int, report: Report
) -> tuple[Neighbours, Neighbours, bool]:
    """Find the k nearest of both sides in each other, or take what was found before.

    A pass that was killed goes on where it was; it is recorded in the folder of its
    result.

    Returns:
        Those of the sources, those of the targets, and whether they were there.
    """
    key = _key(source, target, k)
    folder = project.folder / "arrays" / FOLDER / key[:32]
    files = [folder / f"{name}.npy" for name in NAMES]
    found = _read(files)
    if found is not None:
        folder.touch()
        return *found, True
    settings = PassSettings(k, device=wanted_device(), folder=folder / "pass", key=key)
    neighbours = find_neighbours(source.exact, target.exact, settings, report)
    arrays = [array for side in neighbours for array in side]
    for file, array in zip(files, arrays, strict=True):
        write_array(file, array)
    drop_state(folder / "pass")
    _drop_old(folder.parent)
    return *neighbours, False


def _key(source: ProjectSide, target: ProjectSide, k: int) -> str:
    """Hash what the neighbours depend on: vectors, who takes part, k."""
    digest = hashlib.sha256(str(k).encode())
    for side in (source, target):
        digest.update(f"\n{side.embedding.array}\n".encode())
        digest.update(side.participants.rows.tobytes())
    return digest.hexdigest()


def _read(files: list[Path]) -> tuple[Neighbours, Neighbours] | None:
    try:
        arrays = [map_array(file) for file in files]
    except ResourceError:
        return None
    return Neighbours(arrays[0], arrays[1]), Neighbours(arrays[2], arrays[3])


def _drop_old(parent: Path) -> None:
    """Delete all but the newest; on Windows what is still mapped goes another time."""
    folders = sorted(parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for folder in folders[:-MAX_KEPT]:
        drop_state(folder)
