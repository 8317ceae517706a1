"""Hash files, to recognize the same data again."""

import hashlib
from pathlib import Path

from app.engine.runtime.report import Report

BLOCK_BYTES = 8 << 20  # some 10 ms: how late a cancel is noticed


def hash_file(file: Path, report: Report) -> str:
    """Return the SHA-256 of a file in hex.

    Raises:
        OSError: it can't be read.
        Cancelled: the run was asked to stop.
    """
    digest = hashlib.sha256()
    n_bytes = file.stat().st_size
    with file.open("rb") as stream:
        while block := stream.read(BLOCK_BYTES):
            report.step("Reading the files", stream.tell(), n_bytes, file.name)
            digest.update(block)
    return digest.hexdigest()
