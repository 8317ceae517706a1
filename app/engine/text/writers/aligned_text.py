"""Write pairs as two aligned text files, for Moses or ParaConc.

ParaConc treats text in angle brackets as markup and hides it, so brackets and
ampersands in the texts are written as XML entities.
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
    """Writes two files with the same number of lines (or of segments for ParaConc)."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        header: PairHeader,
        tally: ExportTally,
        *,
        kind: Literal["moses", "paraconc"],
    ):
        self._tally, self._kind = tally, kind
        paths = language_paths(out, header.languages, kind)
        self._streams = [files.open(path) for path in paths]

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs; line breaks within texts become spaces."""
        sides = (
            [record.source for record in records],
            [record.target for record in records],
        )
        for stream, texts in zip(self._streams, sides, strict=True):
            lines = (self._tally.on_one_line(text) for text in texts)
            if self._kind == "paraconc":
                lines = (f"<seg>{escape(line)}</seg>" for line in lines)
            stream.write("".join(f"{line}\n" for line in lines).encode())
