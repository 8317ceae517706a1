"""Sentences of monolingual data, to train a vocabulary without pairs."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem
from app.engine.training.data.row_store import BLOCK_ROWS, SkippedRows
from app.engine.training.data.tables import (
    read_conversation,
    read_documents,
    read_inference,
)
from app.engine.training.held_out import HeldOutSentences, normal_hashes
from app.params.training.encoder import TrainEncoder

FOLDER = "texts"  # in the work folder
STAGE = "Reading text"


def read_texts(params: TrainEncoder) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name of each file, or column of a table, and its sentences.

    Raises:
        UserError: a file is empty, or a line is invalid.
        ResourceError: a file is missing.
    """
    skipped = SkippedRows()
    groups = [
        *((file_stem(file), read_inference(file, skipped)) for file in params.nli),
        *(
            (file_stem(file), read_conversation(file, skipped))
            for file in params.conversations
        ),
        *((g.name, g.rows) for file in params.documents for g in read_documents(file)),
    ]
    for name, rows in groups:
        yield name, chain.from_iterable(row.texts for row in rows)


def write_texts(
    params: TrainEncoder, kept_out: HeldOutSentences, folder: Path, report: Report
) -> tuple[Path, ...]:
    """Write the sentences of monolingual data as pairs without an English side.

    Args:
        params: params with the files.
        kept_out: sentences of development and test sets, which are excluded.

    Returns:
        One TSV for each file, with an empty first column.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    written = []
    for number, (name, texts) in enumerate(read_texts(params)):
        file = folder / FOLDER / f"{name}.{number}.tsv"
        with file.open("w", encoding="utf-8", newline="\n") as stream:
            while block := list(islice(texts, BLOCK_ROWS)):
                report.step(STAGE, number, 0, name)
                is_kept_out = kept_out.marks(normal_hashes(block)).tolist()
                stream.writelines(
                    f"\t{text}\n"
                    for text, is_unseen in zip(block, is_kept_out, strict=True)
                    if not is_unseen
                )
        written.append(file)
    return tuple(written)
