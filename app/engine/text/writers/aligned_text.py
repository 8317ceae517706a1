"""Write pairs as two aligned text files, for Moses or ParaConc.

ParaConc takes what stands in angle brackets for markup and hides it, so brackets and
ampersands of the texts are written as XML entities.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from app.engine.text.writers.output import OutputFiles, language_paths
from app.engine.text.writers.records import PairHeader, PairRecord
from app.engine.text.writers.tally import ExportTally


class MosesWriter:
    """Two files of the same number of lines."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHeader, tally: ExportTally
    ):
        self._tally = tally
        paths = language_paths(out, head, strip=".moses")
        self._streams = [files.open(path) for path in paths]

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs; a line break within a text becomes a space."""
        sides = [unit.source for unit in units], [unit.target for unit in units]
        for stream, texts in zip(self._streams, sides, strict=True):
            lines = (self._tally.on_one_line(text) for text in texts)
            stream.write("".join(f"{line}\n" for line in lines).encode())

    def finish(self) -> None:
        """Nothing stands at the end."""

    def close(self) -> None:
        """Nothing is open but the streams."""


class ParaconcWriter:
    """Two files of the same number of segments."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHeader, tally: ExportTally
    ):
        self._tally = tally
        paths = language_paths(out, head)
        self._streams = [files.open(path) for path in paths]

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs; a line break within a text becomes a space."""
        sides = [unit.source for unit in units], [unit.target for unit in units]
        for stream, texts in zip(self._streams, sides, strict=True):
            lines = (self._tally.on_one_line(text) for text in texts)
            stream.write(
                "".join(f"<seg>{escape(line)}</seg>\n" for line in lines).encode()
            )

    def finish(self) -> None:
        """Nothing stands at the end."""

    def close(self) -> None:
        """Nothing is open but the streams."""
