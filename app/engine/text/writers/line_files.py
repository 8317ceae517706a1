"""Writers of concordance lines: one for each ending of a file's name."""

from pathlib import Path

from app.engine.text.writers.line_unit import LineHead, LineWriter
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tally import ExportTally
from app.errors import UserError

SUFFIXES = (".tsv", ".xlsx", ".docx")


def check_line_format(out: Path) -> None:
    """Check that a name says how lines are written.

    Raises:
        UserError: it does not.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"The name {out.name} does not say the format: let it end in "
            f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
        )


def open_line_writer(
    files: OutputFiles, out: Path, head: LineHead, tally: ExportTally
) -> LineWriter:
    """Open the writer that a name asks for.

    Raises:
        UserError: a file is there already, or a folder is not.
    """
    if out.suffix.lower() == ".docx":
        from app.engine.text.writers.docx import LineDocumentWriter

        return LineDocumentWriter(files, out, head, tally)
    from app.engine.text.writers.line_tables import LineSheetWriter, LineTableWriter

    is_sheet = out.suffix.lower() == ".xlsx"
    return (LineSheetWriter if is_sheet else LineTableWriter)(files, out, head, tally)


__all__ = ["check_line_format", "open_line_writer"]
