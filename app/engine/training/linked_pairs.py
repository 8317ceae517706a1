"""Write the linked sentences of a project's corpora as files of pairs to train on."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, or_, select

from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.find import find_corpora
from app.engine.store.members import is_member
from app.engine.store.rows import CorpusRow, corpus_of, list_corpora, position_of
from app.engine.store.schema import CORPUS_STRIDE, corpus, link, sentence
from app.errors import UserError

PAGE = 10_000
STAGE = "Reading linked sentences"


def write_linked_pairs(
    project: Project,
    names: Sequence[str],
    folder: Path,
    report: Report,
    *,
    n_most: int | None = None,
) -> tuple[Path, ...]:
    """Write one TSV for each two corpora that are linked.

    Args:
        project: open for reading or writing.
        names: corpora or sub-corpora; their partners are all corpora linked with them.
        folder: where the files go.
        report: shows how many pairs are written.
        n_most: pairs to write at most; None: all.

    Returns:
        The files, named by the languages and ids of the two corpora: en-de.1-2.tsv.

    Raises:
        UserError: there is no such corpus, or none is linked with another.
    """
    store = project.store
    chosen = {row.id: row for row in find_corpora(store, names)}
    listed = {row.id: row for row in list_corpora(store)}
    marks = {id_: _marks(project, row) for id_, row in (listed | chosen).items()}
    statement = _linked_sentences(set(chosen))
    files: dict[str, Path] = {}
    n_pairs = 0
    with ExitStack() as stack, store.connect() as connection:
        streams = {}
        rows = connection.execution_options(yield_per=PAGE).execute(statement)
        for source_id, target_id, source, target in rows:
            if not all(
                marks[corpus_of(id_)][position_of(id_)]
                for id_ in (source_id, target_id)
            ):
                continue
            ids = corpus_of(source_id), corpus_of(target_id)
            codes = "-".join(listed[id_].language for id_ in ids)
            name = f"{codes}.{ids[0]}-{ids[1]}.tsv"
            if name not in streams:
                folder.mkdir(parents=True, exist_ok=True)
                files[name] = folder / name
                stream = files[name].open("w", encoding="utf-8", newline="\n")
                streams[name] = stack.enter_context(stream)
            streams[name].write(f"{_one_cell(source)}\t{_one_cell(target)}\n")
            n_pairs += 1
            report.step(STAGE, n_pairs, 0)
            if n_pairs == n_most:
                break
    if not files:
        raise UserError(
            f"No sentence of {', '.join(names)} is linked with a translation: import "
            "aligned files, or train on --pairs."
        )
    return tuple(files[name] for name in sorted(files))


def _marks(project: Project, corpus: CorpusRow) -> NDArray[np.bool_]:
    """Tell which sentences of a corpus take part: bool (n,)."""
    return is_member(project, corpus, np.arange(corpus.n_sentences))


def _linked_sentences(corpus_ids: set[int]) -> Select[Any]:
    """Select the links that touch any of the corpora, with both texts."""
    source, target = sentence.alias("source"), sentence.alias("target")
    ranges = [
        side.between(i * CORPUS_STRIDE, (i + 1) * CORPUS_STRIDE - 1)
        for i in sorted(corpus_ids)
        for side in (link.c.source_id, link.c.target_id)
    ]
    ready = select(corpus.c.id).where(corpus.c.state == "ready")
    return (
        select(link.c.source_id, link.c.target_id, source.c.text, target.c.text)
        .join(source, source.c.id == link.c.source_id)
        .join(target, target.c.id == link.c.target_id)
        .where(or_(*ranges))
        .where((link.c.source_id // CORPUS_STRIDE).in_(ready))
        .where((link.c.target_id // CORPUS_STRIDE).in_(ready))
        .order_by(link.c.source_id, link.c.target_id)
    )


def _one_cell(text: str) -> str:
    """Keep a sentence in its cell and line."""
    return text.replace("\t", " ").replace("\n", " ")
