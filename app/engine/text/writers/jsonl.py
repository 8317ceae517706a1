"""Write JSON lines: one object a pair."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import make_record
from app.engine.text.writers.unit import PairHead, PairUnit


class JsonLinesWriter:
    """A file of JSON objects, in which tags are a list."""

    def __init__(self, files: OutputFiles, out: Path, head: PairHead):
        self._head = head
        self._stream = files.open(out)
        self._encoder = msgspec.json.Encoder()

    def write(self, units: Sequence[PairUnit]) -> None:
        """Write pairs."""
        records: list[dict[str, object]] = []
        for unit in units:
            record: dict[str, object] = {**make_record(self._head, unit)}
            if self._head.is_scored:
                record["tags"] = unit.tags
            records.append(record)
        self._stream.write(self._encoder.encode_lines(records))

    def finish(self) -> None:
        """Nothing stands at the end."""

    def close(self) -> None:
        """Nothing is open but the streams."""


__all__ = ["JsonLinesWriter"]
