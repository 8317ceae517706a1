"""Write pairs as two aligned text files, for Moses or ParaConc.

ParaConc takes what stands in angle brackets for markup and hides it, so brackets and
ampersands of the texts are written as XML entities.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import FileWriter, PairHeader, PairRecord
from app.engine.text.writers.tally import ExportTally
from app.params.pairs import language_paths


class AlignedTextWriter(FileWriter):
    """Two files of the same number of lines, or for ParaConc of segments."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        head: PairHeader,
        tally: ExportTally,
        *,
        kind: Literal["moses", "paraconc"],
    ):
        self._tally, self._kind = tally, kind
        paths = language_paths(out, head.languages, kind)
        self._streams = [files.open(path) for path in paths]

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs; a line break within a text becomes a space."""
        sides = [unit.source for unit in units], [unit.target for unit in units]
        for stream, texts in zip(self._streams, sides, strict=True):
            lines = (self._tally.on_one_line(text) for text in texts)
            if self._kind == "paraconc":
                lines = (f"<seg>{escape(line)}</seg>" for line in lines)
            stream.write("".join(f"{line}\n" for line in lines).encode())
