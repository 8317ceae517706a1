"""Write two texts as ParaConc reads them: one `<seg>` a line, aligned by their order.

ParaConc takes what stands in angle brackets for markup and hides it, so brackets and
ampersands of the texts are written as XML entities.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from app.engine.text.writers.names import two_paths
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tally import ExportTally
from app.engine.text.writers.unit import PairHead, PairUnit


class ParaconcWriter:
    """Two files of the same number of segments."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHead, tally: ExportTally
    ):
        self._tally = tally
        paths = two_paths(out, head)
        self._streams = [files.open(path) for path in paths]

    def write(self, units: Sequence[PairUnit]) -> None:
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


__all__ = ["ParaconcWriter"]
