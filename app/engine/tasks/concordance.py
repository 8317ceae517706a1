"""Task: find occurrences of words; list, export or save them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from app import VERSION
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import document_field_names, list_documents
from app.engine.store.lookup import find_corpora
from app.engine.store.sentences import has_links
from app.engine.text.normalisation import clean_text
from app.engine.text.writers.concordance_files import (
    check_line_format,
    open_line_writer,
)
from app.engine.text.writers.concordance_lines import LineHeader, LineRecord
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tally import ExportTally, tally_notes
from app.engine.words.cache import SMALL, word_cache
from app.engine.words.concordance import (
    ConcordanceLines,
    ConcordanceOptions,
    find_lines,
    load_hit_list,
    save_hit_list,
)
from app.engine.words.line_details import LineOptions, LineReader
from app.errors import UserError
from app.languages import parse_language
from app.params.words import Concordance
from app.plurals import count_text
from app.results.task import TaskResult

WRITE_STAGE = "Exporting lines"
PAGE = 500  # lines that are described at once


class NearestSentence(msgspec.Struct, frozen=True):
    """The nearest sentence in a language; `score`: cosine, None without vectors."""

    language: str
    text: str
    corpus: str
    sentence: int
    score: float | None
    is_translation: bool


class ConcordanceLine(msgspec.Struct, frozen=True):
    """One hit in its sentence.

    Attributes:
        line: line number in the imported file, from 1.
        sentence: id of the sentence.
        near: the nearest sentence in each language of `Concordance.near`.
    """

    left: str
    hit: str
    right: str
    corpus: str
    document: str
    line: int
    language: str
    sentence: int
    near: list[NearestSentence]


class ConcordanceResult(TaskResult, frozen=True, kw_only=True):
    """Hits of a concordance query.

    Attributes:
        n: number of hits.
        n_sentences: sentences with a hit.
        n_searched: sentences that were searched.
        n_tokens: words in the searched sentences; None for a regular expression.
        lines: the first lines; empty if the hits are exported or saved.
        files: exported files.
        hits: id of the saved list; None if nothing was saved.
        notes: sentences for the user.
    """

    n: int
    n_sentences: int
    n_searched: int
    n_tokens: int | None
    lines: list[ConcordanceLine]
    files: tuple[Path, ...]
    hits: int | None
    notes: tuple[str, ...]


def concordance(
    project: Project, params: Concordance, report: Report
) -> ConcordanceResult:
    """Find concordance lines, and export, save or return them.

    Raises:
        UserError: the query is invalid, a corpus is unknown, or the file or the list
            can't be written.
    """
    name = _check(project, params)
    session, found = SearchSession(project), None
    if params.hits:
        params, found = load_hit_list(project, params)
    corpora = find_corpora(project.store, params.corpora) or session.searched_corpora()
    if not corpora:
        raise UserError("The project has no corpus. Import one first.")
    if found is None:
        found = _find(session, corpora, params, report)
    reader = LineReader(session, corpora, _extras(session, corpora, params))
    lines: list[ConcordanceLine] = []
    files: tuple[Path, ...] = ()
    tally, saved = ExportTally(), None
    if params.out is not None:
        head = _head(session, corpora, params, found)
        pages = _pages(reader, found, report)
        files = _write(params.out, head, pages, tally, replace=params.replace)
    if name:
        saved = save_hit_list(project, params, name, found, report)
    if params.out is None and not name:
        units = [unit for page in _pages(reader, found, report) for unit in page]
        lines = [_plain(unit) for unit in units]
    notes = [*found.notes, *tally_notes(tally), *_left_out(tally)]
    notes += _not_encoded(reader, session) + _not_there(session, params.near)
    return ConcordanceResult(
        n=found.n,
        n_sentences=found.n_sentences,
        n_searched=found.n_searched,
        n_tokens=found.n_tokens,
        lines=lines,
        files=files,
        hits=saved,
        notes=tuple(notes),
        message=" ".join([*_message(found, files, name), *notes]),
    )


def _check(project: Project, params: Concordance) -> str:
    """Check the output before the search, and return the name of the list."""
    if params.out is not None:
        check_line_format(params.out)
    name = clean_text(params.save)[0]
    if params.save and not name:
        raise UserError("The name of the hit list is empty. Enter a name.")
    if name and project.is_read_only:
        raise UserError(
            f"{project.folder.name} is read-only, so hits can't be saved. Omit --save, "
            "or close the program that has the project open."
        )
    return name


def _find(
    session: SearchSession,
    corpora: Sequence[CorpusRow],
    params: Concordance,
    report: Report,
) -> ConcordanceLines:
    slow: list[str] = []
    if params.mode == "words":
        for corpus in corpora:
            is_kept = bool(word_cache(session).open(corpus, report).stem)
            slow += [] if is_kept or corpus.n_sentences <= SMALL else [corpus.name]
    options = ConcordanceOptions(
        params.text,
        params.mode,
        params.case,
        [parse_language(code).code for code in params.languages],
        params.sort,
        params.top,
        params.seed,
        with_words=False,
        seconds=None,
    )
    found = find_lines(word_cache(session), corpora, options, report)
    if params.languages and not found.n_searched:
        raise UserError(
            f"No sentences in {', '.join(params.languages)}. Choose other corpora or "
            "languages."
        )
    if slow:
        found.notes.append(
            f"The word index of {', '.join(slow)} was not saved. Run the command "
            "index-words once to speed up later queries."
        )
    return found


def _extras(
    session: SearchSession, corpora: Sequence[CorpusRow], params: Concordance
) -> LineOptions:
    near = dict.fromkeys(parse_language(code).code for code in params.near)
    is_file = params.out is not None
    return LineOptions(
        tuple(near),
        params.context if is_file else 0,
        session.searched_corpora() if near else (),
        is_file and any(has_links(session.project.store, c.id) for c in corpora),
    )


def _head(
    session: SearchSession,
    corpora: Sequence[CorpusRow],
    params: Concordance,
    found: ConcordanceLines,
) -> LineHeader:
    """Return the header of the exported file."""
    sections = (
        row for c in corpora for row in list_documents(session.project.store, c.id)
    )
    extras = _extras(session, corpora, params)
    shown = len(found.lines)
    facts = [
        f"{count_text(found.n, 'hit')} in {count_text(found.n_sentences, 'sentence')} "
        f"of {found.n_searched:,}"
        + (f"; the first {count_text(shown, 'line')}" if shown < found.n else "")
        + ".",
        f"Corpora: {', '.join(corpus.name for corpus in corpora)}.",
        f"Order: {', '.join(params.sort) or 'position'}. Project "
        f"{session.project.folder.stem}, Isogloss {VERSION}.",
    ]
    return LineHeader(
        params.text,
        tuple(facts),
        tuple(document_field_names(sections)),
        tuple(extras.near),
        params.context > 0,
        extras.with_translations,
    )


def _pages(
    reader: LineReader, found: ConcordanceLines, report: Report
) -> Iterator[list[LineRecord]]:
    n = len(found.lines)
    for start in range(0, n, PAGE):
        report.step(WRITE_STAGE, start, n)
        yield reader.describe(found.lines[start : start + PAGE])
    report.step(WRITE_STAGE, n, n)


def _write(
    out: Path,
    head: LineHeader,
    pages: Iterator[list[LineRecord]],
    tally: ExportTally,
    *,
    replace: bool,
) -> tuple[Path, ...]:
    """Write lines; leave no file after an error."""
    with OutputFiles(replace=replace) as files:
        writer = open_line_writer(files, out, head, tally)
        try:
            for page in pages:
                writer.write(page)
            writer.finish()
        finally:
            writer.close()
        files.commit()
    return files.paths


def _plain(unit: LineRecord) -> ConcordanceLine:
    return ConcordanceLine(
        unit.left,
        unit.hit,
        unit.right,
        unit.corpus,
        unit.document,
        unit.line,
        unit.language,
        unit.sentence,
        [
            NearestSentence(
                near.language,
                near.text,
                near.corpus,
                near.sentence,
                near.score,
                near.is_translation,
            )
            for near in unit.near
        ],
    )


def _message(found: ConcordanceLines, files: Sequence[Path], name: str) -> list[str]:
    shown = len(found.lines)
    sentences = count_text(found.n_sentences, "sentence")
    parts = [f"{count_text(found.n, 'hit')} in {sentences}."]
    some = f"First {shown:,}" if shown < found.n else "All"
    if files:
        parts.append(f"{some} exported to {files[0].name}.")
    if name:
        parts.append(f"{some} saved as {name}.")
    return parts


def _left_out(tally: ExportTally) -> list[str]:
    return [
        f"Skipped: {count_text(n, 'line')} ({reason})."
        for reason, n in tally.left_out.items()
        if n
    ]


def _not_encoded(reader: LineReader, session: SearchSession) -> list[str]:
    names = [c.name for c in session.corpora() if c.id in reader.not_encoded]
    if not names:
        return []
    return [
        "No nearest sentences (not encoded with the current encoder): "
        f"{', '.join(names)}. Run the command encode."
    ]


def _not_there(session: SearchSession, languages: Sequence[str]) -> list[str]:
    codes = dict.fromkeys(parse_language(language).code for language in languages)
    there = {
        code
        for corpus in session.corpora()
        for code in word_cache(session).languages(corpus).codes
    }
    lacking = [
        code
        for code in codes
        if not any(matches_language(one, [code]) for one in there)
    ]
    if not lacking:
        return []
    return [f"No nearest sentences: no corpus is in {', '.join(lacking)}."]
