"""Writers of pairs: one module per format family, all behind `PairWriter`."""

from pathlib import Path

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import PairHeader, PairWriter
from app.engine.text.writers.tally import ExportTally
from app.errors import UserError
from app.params.pairs import ExportPairs, PairFormat
from app.paths import COMPRESSION_SUFFIXES, strip_compression

_SUFFIXES: dict[str, PairFormat] = {
    ".tmx": "tmx",
    ".tbx": "tbx",
    ".xlf": "xliff-1.2",
    ".xliff": "xliff-1.2",
    ".moses": "moses",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".tei": "tei",
    ".xml": "tei",
}
_PACKED = ("parquet", "xlsx")  # already compressed, and need random access


def find_pair_format(params: ExportPairs) -> PairFormat:
    """Return the format of an export: the user's choice, or by the file name.

    Raises:
        UserError: the name has no known suffix, or the format can't be compressed
            again.
    """
    kind = params.format
    if kind == "auto":
        found = _SUFFIXES.get(strip_compression(params.out).suffix.lower())
        if found is None:
            listed = ", ".join(dict.fromkeys(_SUFFIXES))
            raise UserError(
                f"The name {params.out.name} does not show the format. Use a name that "
                "ends in "
                f"one of {listed}, or name the format."
            )
        kind = found
    if kind in _PACKED and params.out.suffix in COMPRESSION_SUFFIXES:
        raise UserError(
            f"{kind} is already compressed. Remove {params.out.suffix} from the name."
        )
    return kind


def open_writer(
    kind: PairFormat,
    files: OutputFiles,
    out: Path,
    header: PairHeader,
    tally: ExportTally,
) -> PairWriter:
    """Open the writer of a format.

    Raises:
        UserError: a file already exists, or a folder or a package is missing.
    """
    if kind == "tmx":
        from app.engine.text.writers.tmx import TmxWriter

        return TmxWriter(files, out, header)
    if kind == "tbx":
        from app.engine.text.writers.tbx import TbxWriter

        return TbxWriter(files, out, header)
    if kind == "xliff-1.2" or kind == "xliff-2.0":
        from app.engine.text.writers.xliff import XliffWriter

        return XliffWriter(
            files, out, header, version="1.2" if kind == "xliff-1.2" else "2.0"
        )
    if kind == "moses" or kind == "paraconc":
        from app.engine.text.writers.aligned_text import AlignedTextWriter

        return AlignedTextWriter(files, out, header, tally, kind=kind)
    if kind in ("tsv", "csv"):
        from app.engine.text.writers.tables import TableWriter

        delimiter = "\t" if kind == "tsv" else ","
        return TableWriter(files, out, header, tally, delimiter=delimiter)
    if kind == "jsonl":
        from app.engine.text.writers.tables import JsonLinesWriter

        return JsonLinesWriter(files, out, header)
    if kind == "parquet":
        from app.engine.text.writers.tables import ParquetTableWriter

        return ParquetTableWriter(files, out, header)
    if kind == "xlsx":
        from app.engine.text.writers.xlsx import XlsxWriter

        return XlsxWriter(files, out, header, tally)
    from app.engine.text.writers.tei import TeiWriter

    return TeiWriter(files, out, header)
