"""Task: export pairs as a translation memory, a table or a parallel corpus."""

from collections.abc import Iterator
from pathlib import Path

from app.engine.exchange.pair_export import (
    PairSource,
    add_codes,
    open_pair_source,
)
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.text.writers import find_pair_format, open_writer
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import PairWriter
from app.engine.text.writers.tally import ExportTally, protects_formulas, tally_notes
from app.errors import UserError
from app.params.pairs import ExportPairs, PairFormat
from app.plurals import count_text
from app.results.task import TaskResult

STAGE = "Writing pairs"
SETTLED = 20_000  # pairs after which the files are flushed to the disk


class ExportPairsResult(TaskResult, frozen=True, kw_only=True):
    """The exported files.

    Attributes:
        files: the written files.
        format: format of the files.
        n_written: exported pairs.
        left_out: omitted pairs, by reason.
        n_removed_characters: removed control characters and lone surrogates, which text
            files can't contain.
        n_cleaned_texts: texts and notes with such characters.
        n_replaced_breaks: texts whose line breaks or tabs became spaces.
        notes: sentences for the user.
    """

    files: tuple[Path, ...]
    format: PairFormat
    n_written: int
    left_out: dict[str, int]
    n_removed_characters: int
    n_cleaned_texts: int
    n_replaced_breaks: int
    notes: tuple[str, ...]


def export_pairs(
    project: Project, params: ExportPairs, report: Report
) -> ExportPairsResult:
    """Write pairs; leave no files if interrupted.

    Raises:
        UserError: unknown or no pairs, or the files can't be written in this format.
    """
    kind = find_pair_format(params)
    tally = ExportTally(protects_formulas=protects_formulas(params.formulas, kind))
    source = open_pair_source(project, params, tally, report)
    source = add_codes(project.store, source, kind, tally)
    with OutputFiles(replace=params.replace) as files:
        writer = open_writer(kind, files, params.out, source.header, tally)
        try:
            for n_seen in _write_pages(source, writer, tally, report):
                if n_seen % SETTLED == 0:
                    files.settle()
            if not tally.n_written:
                raise UserError(f"There are no pairs to export.{_left_out_text(tally)}")
            writer.finish()
        finally:
            writer.close()
        report.step(STAGE, source.n, source.n)  # the last chance to cancel
        files.commit()
    return _result(files.paths, kind, tally, source.notice)


def _write_pages(
    source: PairSource, writer: PairWriter, tally: ExportTally, report: Report
) -> Iterator[int]:
    """Write page by page; yield the number of processed pairs."""
    n_seen = 0
    for n_page, records in source.pages:
        report.step(STAGE, n_seen, source.n)
        tally.n_written += len(records)
        writer.write(records)
        n_seen += n_page
        yield n_seen


def _result(
    files: tuple[Path, ...], kind: PairFormat, tally: ExportTally, notice: str
) -> ExportPairsResult:
    notes = tuple(note for note in (notice, *tally_notes(tally)) if note)
    names = ", ".join(path.name for path in files)
    n = tally.n_written
    verb = "is" if n == 1 else "are"
    message = (
        f"{count_text(n, 'pair')} {verb} written to {names}.{_left_out_text(tally)}"
    )
    return ExportPairsResult(
        files=files,
        format=kind,
        n_written=n,
        left_out=dict(+tally.left_out),
        n_removed_characters=tally.n_characters,
        n_cleaned_texts=tally.n_cleaned,
        n_replaced_breaks=tally.n_breaks,
        notes=notes,
        message=" ".join([message, *notes]),
    )


def _left_out_text(tally: ExportTally) -> str:
    """Return sentences on the omitted pairs."""
    parts = [f"{n:,} ({reason})" for reason, n in tally.left_out.items() if n]
    return f" Left out: {', '.join(parts)}." if parts else ""
