"""Task: export an encoder's folder."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.encoders.folder import folder_bytes
from app.engine.encoders.registry import find_encoder
from app.engine.runtime.report import Report
from app.errors import UserError
from app.params.encoders import ExportEncoder
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

STAGE = "Exporting the encoder"
BLOCK_BYTES = 4 << 20


class ExportEncoderResult(TaskResult, frozen=True):
    """The exported folder.

    Attributes:
        size: in bytes.
    """

    path: Path
    size: int


def export_encoder(
    project: "Project | None", params: ExportEncoder, report: Report
) -> ExportEncoderResult:
    """Copy an encoder's folder; leave no files if interrupted.

    Raises:
        UserError: unknown encoder, or the target exists or can't be created.
    """
    source = find_encoder(params.encoder, project.folder if project else None)
    out = params.out
    if out.exists():
        raise UserError(f"{out} already exists. Choose another name.")
    if not out.parent.is_dir():
        raise UserError(f"{out.parent} is not a folder. Choose an existing one.")
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        _copy(source, part, report)
        part.replace(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    size = folder_bytes(out)
    message = f"Exported {source.name} to {out} ({size / 1000000.0:,.1f}\u00a0MB)."
    return ExportEncoderResult(out, size, message=message)


def _copy(source: Path, target: Path, report: Report) -> None:
    """Copy all files in blocks, so that Cancel waits for one block only."""
    files = [file for file in sorted(source.rglob("*")) if file.is_file()]
    total, done = sum(file.stat().st_size for file in files), 0
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        with file.open("rb") as reader, place.open("wb") as writer:
            while block := reader.read(BLOCK_BYTES):
                report.step(STAGE, done, total, file.name)
                writer.write(block)
                done += len(block)
            writer.flush()
            os.fsync(writer.fileno())
    report.step(STAGE, total, total)
