"""Task: find occurrences of words; list, export or save them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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

WRITE_STAGE = "write lines"
PAGE = 500  # lines that are described together


class ConcordanceLine(msgspec.Struct, frozen=True):
    """One hit in its sentence.

    Attributes:
        line: of the imported file, from 1.
        sentence: its id.
        near: {"language", "text", "corpus", "sentence", "score" (cosine or null),
            "is_translation"} of each language asked.
    """

    left: str
    hit: str
    right: str
    corpus: str
    document: str
    line: int
    language: str
    sentence: int
    near: list[dict[str, Any]]


class ConcordanceResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        n: all hits.
        n_sentences: that hold one.
        n_searched: sentences that were looked at.
        n_tokens: words in them; none where an expression was looked for.
        lines: the first ones; none where they are written or kept.
        files: that were written.
        hits: id of the kept list; none: nothing is kept.
        notes: sentences on what to mind.
        message: a sentence on all of it.
    """

    n: int
    n_sentences: int
    n_searched: int
    n_tokens: int | None
    lines: list[ConcordanceLine]
    files: tuple[Path, ...]
    hits: int | None
    notes: tuple[str, ...]
    message: str


def concordance(
    project: Project, params: Concordance, report: Report
) -> ConcordanceResult:
    """Find lines; write them to a file, keep them, or give them.

    Raises:
        UserError: what is typed can't be looked for, a corpus is unknown, the file
            can't be written, or hits can't be kept.
    """
    name = _check(project, params)
    desk, found = SearchSession(project), None
    if params.hits:
        params, found = load_hit_list(project, params)
    corpora = find_corpora(project.store, params.corpora) or desk.corpora()
    if not corpora:
        raise UserError("The project has no corpus yet: import one first.")
    if found is None:
        found = _find(desk, corpora, params, report)
    book = LineReader(desk, corpora, _extras(desk, corpora, params))
    lines: list[ConcordanceLine] = []
    files: tuple[Path, ...] = ()
    tally, kept = ExportTally(), None
    if params.out is not None:
        head = _head(desk, corpora, params, found)
        files = _write(params.out, head, _pages(book, found, report), tally)
    if name:
        kept = save_hit_list(project, params, name, found, report)
    if params.out is None and not name:
        units = [unit for page in _pages(book, found, report) for unit in page]
        lines = [_plain(unit) for unit in units]
    notes = [*found.notes, *tally_notes(tally), *_left_out(tally)]
    notes += _not_encoded(book, desk) + _not_there(desk, params.near)
    return ConcordanceResult(
        n=found.n,
        n_sentences=found.n_sentences,
        n_searched=found.n_searched,
        n_tokens=found.n_tokens,
        lines=lines,
        files=files,
        hits=kept,
        notes=tuple(notes),
        message=" ".join([*_message(found, files, name), *notes]),
    )


def _check(project: Project, params: Concordance) -> str:
    """Refuse before the work what can't be done after it; gives the list's name."""
    if params.out is not None:
        check_line_format(params.out)
    name = clean_text(params.save)[0]
    if params.save and not name:
        raise UserError("The name of the list of hits is empty: give it one.")
    if name and project.is_read_only:
        raise UserError(
            f"{project.folder.name} is open for reading only, so its hits can't be "
            "kept: leave out --save, or close what has the project open."
        )
    return name


def _find(
    desk: SearchSession,
    corpora: Sequence[CorpusRow],
    params: Concordance,
    report: Report,
) -> ConcordanceLines:
    slow: list[str] = []
    if params.mode == "words":
        for corpus in corpora:
            is_kept = bool(word_cache(desk).open(corpus, report).stem)
            slow += [] if is_kept or corpus.n_sentences <= SMALL else [corpus.name]
    wish = ConcordanceOptions(
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
    found = find_lines(word_cache(desk), corpora, wish, report)
    if params.languages and not found.n_searched:
        raise UserError(
            f"There is no sentence in {', '.join(params.languages)} to look in: name "
            "other corpora or languages."
        )
    if slow:
        found.notes.append(
            f"The words of {', '.join(slow)} were indexed for this question alone: run "
            "the command index-words once, and the next takes a moment."
        )
    return found


def _extras(
    desk: SearchSession, corpora: Sequence[CorpusRow], params: Concordance
) -> LineOptions:
    near = dict.fromkeys(parse_language(code).code for code in params.near)
    is_file = params.out is not None
    return LineOptions(
        tuple(near),
        params.context if is_file else 0,
        desk.corpora() if near else (),
        is_file and any(has_links(desk.project.store, c.id) for c in corpora),
    )


def _head(
    desk: SearchSession,
    corpora: Sequence[CorpusRow],
    params: Concordance,
    found: ConcordanceLines,
) -> LineHeader:
    """Return what a file is about."""
    stretches = (
        row for c in corpora for row in list_documents(desk.project.store, c.id)
    )
    extras = _extras(desk, corpora, params)
    shown = len(found.lines)
    facts = [
        f"{count_text(found.n, 'hit')} in {count_text(found.n_sentences, 'sentence')} "
        f"of {found.n_searched:,}"
        + (f"; the first {count_text(shown, 'line')}" if shown < found.n else "")
        + ".",
        f"Corpora: {', '.join(corpus.name for corpus in corpora)}.",
        f"Order: {', '.join(params.sort) or 'position'}. Project "
        f"{desk.project.folder.stem}, Isogloss {VERSION}.",
    ]
    return LineHeader(
        params.text,
        tuple(facts),
        tuple(document_field_names(stretches)),
        tuple(extras.near),
        params.context > 0,
        extras.with_translations,
    )


def _pages(
    book: LineReader, found: ConcordanceLines, report: Report
) -> Iterator[list[LineRecord]]:
    n = len(found.lines)
    for start in range(0, n, PAGE):
        report.step(WRITE_STAGE, start, n)
        yield book.describe(found.lines[start : start + PAGE])
    report.step(WRITE_STAGE, n, n)


def _write(
    out: Path, head: LineHeader, pages: Iterator[list[LineRecord]], tally: ExportTally
) -> tuple[Path, ...]:
    """Write lines; whatever ends it early leaves nothing."""
    with OutputFiles(replace=False) as files:
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
            {key: value for key, value in near._asdict().items() if key != "asked"}
            for near in unit.near
        ],
    )


def _message(found: ConcordanceLines, files: Sequence[Path], name: str) -> list[str]:
    shown = len(found.lines)
    sentences = count_text(found.n_sentences, "sentence")
    parts = [f"{count_text(found.n, 'hit')} in {sentences}."]
    some = f"The first {shown:,}" if shown < found.n else "All"
    if files:
        parts.append(f"{some} are written to {files[0].name}.")
    if name:
        parts.append(f"{some} are kept as {name}.")
    return parts


def _left_out(tally: ExportTally) -> list[str]:
    return [
        f"Left out: {count_text(n, 'line')} ({reason})."
        for reason, n in tally.left_out.items()
        if n
    ]


def _not_encoded(book: LineReader, desk: SearchSession) -> list[str]:
    names = [c.name for c in desk.corpora() if c.id in book.not_encoded]
    if not names:
        return []
    return [
        "Without vectors by the encoder in use, and so without nearest sentences: "
        f"{', '.join(names)}. Run the command encode."
    ]


def _not_there(desk: SearchSession, languages: Sequence[str]) -> list[str]:
    codes = dict.fromkeys(parse_language(language).code for language in languages)
    there = {
        code
        for corpus in desk.corpora()
        for code in word_cache(desk).languages(corpus).codes
    }
    lacking = [
        code
        for code in codes
        if not any(matches_language(one, [code]) for one in there)
    ]
    if not lacking:
        return []
    return [f"No corpus is in {', '.join(lacking)}: there are no nearest sentences."]
