"""Task: import files as corpora: read, clean, write in shards, report."""

import logging
import sqlite3
import time
from contextlib import suppress

import msgspec
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from app.engine.exchange.corpus_import import (
    CorpusImporter,
    check_corpus_name,
    source_path,
    unique_corpus_name,
)
from app.engine.exchange.import_report import (
    ImportReport,
    describe_documents,
    make_import_report,
    shorten_report,
)
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import list_corpora
from app.engine.store.corpus_writes import (
    NewCorpus,
    corpora_of_run,
    create_corpora,
    finish_corpora,
    hold_connection,
    mark_abandoned_corpora,
    mark_corpora_removed,
    purge_removed_corpora,
)
from app.engine.store.subcorpora import list_subcorpora
from app.engine.text.normalisation import clean_text, escape_controls
from app.engine.text.readers import find_format
from app.engine.text.readers.blocks import Reading
from app.engine.text.readers.bounded import open_bounded_reading
from app.errors import Cancelled, ResourceError, UserError
from app.languages import Language, parse_language
from app.params.corpora import ImportCorpus, name_corpora
from app.plurals import count_text

_log = logging.getLogger("engine")

REMOVING_S = 0.4  # per pass, and after Cancel; the next import removes the rest
N_ENTRIES = 10  # lines listed in the result; the corpus stores all of them


class ImportedCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """An imported corpus; `language` is as entered, `code` as stored."""

    id: int
    name: str
    language: str
    code: str
    n_sentences: int
    report: ImportReport


class ImportResult(msgspec.Struct, frozen=True):
    """The imported corpora, one for each side."""

    corpora: tuple[ImportedCorpus, ...]


class ImportProgress:
    """Shows the progress of an import, also while its reader works."""

    def __init__(self, report: Report):
        self.n = self.total = 0
        self._report = report

    def show(self) -> None:
        """Show the progress.

        Raises:
            Cancelled: the run was asked to stop.
        """
        self._report.step("Importing", self.n, self.total)


def import_corpus(
    project: Project, params: ImportCorpus, report: Report
) -> ImportResult:
    """Import files as corpora; the sides of a parallel text are aligned and linked.

    A corpus stays hidden until its report is written. If the import fails or is
    cancelled, its rows are removed; after a kill, the same run resumes where it was.

    Raises:
        UserError: the files can't be imported this way; the message names file and
            line.
        ResourceError: a file is missing, or the disk is full.
    """
    begun = time.monotonic()
    find_format(params)
    mark_abandoned_corpora(project.store)
    _purge(project, report)
    made = corpora_of_run(project.store, report.run)
    if made and all(state == "ready" for _, state, _ in made):
        return _result(project, [id_ for id_, _, _ in made])
    progress = ImportProgress(report)
    reading = open_bounded_reading(params, wait=progress.show)
    corpus_ids = [id_ for id_, _, _ in made]
    is_done = False
    try:
        languages = _check_languages(params, reading)
        if not corpus_ids:
            new = _new_corpora(project, params, languages)
            corpus_ids = create_corpora(project.store, new, report.run)
        n_committed = min((n for _, _, n in made), default=0)
        filler = CorpusImporter(
            project,
            report,
            corpus_ids,
            languages,
            n_committed,
            params,
        )
        for problem in reading.problems:
            filler.documents.add_problem(problem)
        with hold_connection(project.store):
            _fill(filler, reading, params, progress)
        _finish(project, params, reading, filler, begun)
        is_done = True
    finally:
        reading.close()
        if not is_done:
            _give_up(project, corpus_ids, report)
    for corpus_id in corpus_ids:
        report.changed("corpus", corpus_id)
    return _result(project, corpus_ids)


def _fill(
    filler: CorpusImporter,
    reading: Reading,
    params: ImportCorpus,
    progress: ImportProgress,
) -> None:
    for block in reading.blocks:
        filler.add(block)
        n = filler.tally.n_read
        total = round(n / max(1e-6, reading.fraction()))
        progress.n, progress.total = n, max(n + 1, total)
        progress.show()
        if filler.is_full:
            reading.check()
            filler.flush()
    reading.check()
    filler.flush()
    tally = filler.tally
    progress.n = progress.total = tally.n_read
    progress.show()
    if not tally.n_kept:
        first = [f" (line {one.line:,}: {one.reason})" for one in tally.refused[:1]]
        raise UserError(
            f"{params.files[0]} has no sentences to import: of "
            f"{tally.n_read:,} read, {tally.n_empty:,} are empty and "
            f"{tally.refused_reasons.total():,} were rejected{''.join(first)}."
        )


def _finish(
    project: Project,
    params: ImportCorpus,
    reading: Reading,
    filler: CorpusImporter,
    begun: float,
) -> None:
    """Write the reports and show the corpora."""
    reports = {}
    for side, corpus_id in enumerate(filler.corpus_ids):
        path = source_path(params, side)
        facts = {"file": str(path), "format": find_format(params)}
        language = filler.languages[side]
        made = make_import_report(filler.tally, side, reading, language, facts)
        if made.mismatch:
            _log.warning("%s: %s", path, made.mismatch)
        sample = filler.tally.sides[side].sample
        made = msgspec.structs.replace(
            made,
            unknown_share=_unknown_share(project, sample),
            elapsed_s=round(time.monotonic() - begun, 3),
            **describe_documents(filler.documents),
        )
        reports[corpus_id] = msgspec.json.encode(made).decode()
    finish_corpora(project.store, reports)


def _give_up(project: Project, corpus_ids: list[int], report: Report) -> None:
    """Remove the rows of a failed import; after Cancel, stop after a short time.

    If even this fails, as on a full disk, the next import removes the rows.
    """
    with suppress(DBAPIError, sqlite3.Error):
        mark_corpora_removed(project.store, corpus_ids)
        with suppress(Cancelled):
            _purge(project, report)


def _purge(project: Project, report: Report) -> None:
    """Remove the rows of abandoned imports until cancelled."""
    while not purge_removed_corpora(project.store, seconds=REMOVING_S):
        report.step("Cleaning up the cancelled import", 0, 0)


def _check_languages(params: ImportCorpus, reading: Reading) -> list[Language]:
    languages = [parse_language(given) for given in reading.languages]
    if not languages or not all(language.code for language in languages):
        raise UserError(
            f"The language of {params.files[0]} is not set. Set it, for example en, "
            "eng "
            "or zh-Hans."
        )
    if params.language_column and len(languages) > 1:
        raise UserError(
            "A language column needs one text per row. Choose one text column, or set "
            "the language of each text column."
        )
    for language in languages:
        if not language.known:
            _log.warning(
                "%r is not a language code that Isogloss knows", language.given
            )
    return languages


def _new_corpora(
    project: Project, params: ImportCorpus, languages: list[Language]
) -> list[NewCorpus]:
    n = len(languages)
    if len(params.names) not in (0, n):
        raise UserError(
            f"{count_text(len(params.names), 'name')} for {n} "
            f"{'corpus' if n == 1 else 'corpora'}. Set one for each."
        )
    states = ("ready", "importing", "deleted")
    known = {
        row.name: row.language for row in list_corpora(project.store, states=states)
    }
    taken = {*known, *(row.name for row in list_subcorpora(project.store))}
    paths = [source_path(params, side) for side in range(n)]
    names = name_corpora(paths, [language.code for language in languages])
    new = []
    for side, (language, path) in enumerate(zip(languages, paths, strict=True)):
        if params.names:
            name = check_corpus_name(params.names[side], taken)
        else:
            name = escape_controls(clean_text(names[side])[0]) or language.code
            if known.get(name, language.code) != language.code:
                name = f"{name}.{language.code}"
            name = unique_corpus_name(name, taken)
        taken.add(name)
        new.append(NewCorpus(name, language, str(path)))
    return new


def _unknown_share(project: Project, sample: list[str]) -> float | None:
    """Return the share of pieces that the default encoder's vocabulary does not know.

    Only the vocabulary is loaded: the weights would triple the memory.
    """
    from app.engine.encoders.registry import find_encoder
    from app.engine.text.subword_vocabulary import load_vocabulary

    try:
        vocabulary = load_vocabulary(find_encoder("", project.folder))
    except (UserError, ResourceError):
        return None
    return round(vocabulary.count_pieces(sample).unknown_share, 6)


def _result(project: Project, corpus_ids: list[int]) -> ImportResult:
    table = schema.corpus
    query = select(table).where(table.c.id.in_(corpus_ids)).order_by(table.c.id)
    with project.store.connect() as connection:
        rows = connection.execute(query).all()
    return ImportResult(
        tuple(
            ImportedCorpus(
                id=row.id,
                name=row.name,
                language=row.language_given,
                code=row.language,
                n_sentences=row.n_sentences,
                report=shorten_report(
                    msgspec.json.decode(row.report, type=ImportReport), N_ENTRIES
                ),
            )
            for row in rows
        )
    )
