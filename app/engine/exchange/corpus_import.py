"""Write imported units to new corpora in shards, and choose corpus names."""

from collections.abc import Sequence
from itertools import groupby, repeat
from pathlib import Path

import numpy as np
from sqlalchemy import select

from app.engine.exchange.import_report import ImportTally, SideTally
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.corpus_writes import Shard, ShardSide, write_shard
from app.engine.store.documents import DocumentRow
from app.engine.store.schema import sentence
from app.engine.text.documents import DocumentCheck, SourceDocument
from app.engine.text.normalisation import (
    clean_text,
    clean_texts,
    escape_controls,
    near_hashes,
    text_hashes,
)
from app.engine.text.readers.blocks import Block
from app.engine.text.readers.file_sets import corpus_root, has_many_files
from app.engine.text.token_annotations import LocatedWord, SourceToken, locate_words
from app.errors import UserError
from app.languages import Language, language_name, parse_language
from app.params.corpora import ImportCorpus

SHARD = 20_000  # rows per transaction
SHARD_CHARACTERS = 32_000_000  # characters per transaction


class CorpusImporter:
    """Writes blocks of units to one corpus per side.

    After a kill, the source is read again from the start: committed rows are compared
    with the stored rows and counted, but not written again.

    Attributes:
        corpus_ids: ids of the corpora, one per side.
        languages: languages of the corpora.
        tally: counters for the report.
        documents: documents of the units read so far.
    """

    def __init__(
        self,
        project: Project,
        report: Report,
        corpus_ids: list[int],
        languages: list[Language],
        n_committed: int,
        params: ImportCorpus,
    ):
        self.corpus_ids = corpus_ids
        self.languages = languages
        self.tally = ImportTally([SideTally() for _ in corpus_ids])
        self.documents = DocumentCheck(params.number_fields)
        self._project = project
        self._report = report
        self._n_committed = n_committed
        self._are_linked = params.sides == "translations"
        self._position = 0
        self._code_of = {"": languages[0].code}  # by language in the source
        self._empty_shard()

    @property
    def is_full(self) -> bool:
        """Return whether enough rows are buffered for a shard."""
        return len(self._lines) >= SHARD or self._n_characters >= SHARD_CHARACTERS

    def add(self, block: Block) -> None:
        """Clean and count the units of a block, and buffer them for the next shard."""
        tally = self.tally
        tally.n_read += len(block.lines) + len(block.refused)
        for line, reason in block.refused:
            text = clean_text(block.refused_texts.get(line, ""))[0]
            tally.add_refused(line, reason, block.source, text)
        cleaned = [clean_texts(texts) for texts in block.sides]
        sides = [texts for texts, _ in cleaned]
        codes = self._codes_of(block)
        kept = self._kept_units(sides, block, codes)
        repairs = [_repairs(repaired, block, kept) for _, repaired in cleaned]
        if kept is not None:
            sides = [[texts[index] for index in kept] for texts in sides]
            codes = [codes[index] for index in kept] if codes else []
            block = _pick_units(block, kept)
        self._count_file(block)
        tally.n_kept += len(block.lines)
        if not block.lines:
            return
        tally.lines.append(np.array(block.lines, dtype=np.int64))
        self._lines += block.lines
        self._labels += block.labels
        self._codes += codes
        marks = [self.documents.keep(mark) for mark in block.documents]
        self._marks += marks or [None] * len(block.lines)
        self._words += self._find_words(sides[0], block.words)
        self._add_codes(block)
        for side, texts in enumerate(sides):
            self._count_side(side, texts)
            for line, reason in repairs[side]:
                tally.sides[side].add_repaired(line, reason, block.source)

    def flush(self) -> None:
        """Write the buffered rows as one shard."""
        n = len(self._lines)
        n_known = max(0, min(n, self._n_committed - self._position))
        if n_known:
            self._check_known(n_known)
        if n > n_known:
            write_shard(self._project.store, self._shard(n_known), self._report.run)
            for corpus_id in self.corpus_ids:
                self._report.changed("corpus", corpus_id)
        self._position += n
        self._empty_shard()

    def _empty_shard(self) -> None:
        self._lines: list[int] = []
        self._labels: list[str] = []
        self._codes: list[str] = []  # language codes; empty without a language column
        self._marks: list[SourceDocument | None] = []
        self._words: list[list[LocatedWord] | None] = []
        self._coded: list[list[tuple[str, str] | None]] = [[] for _ in self.corpus_ids]
        self._texts: list[list[str]] = [[] for _ in self.corpus_ids]
        self._n_characters = 0
        self._hashes: list[list[int]] = [[] for _ in self.corpus_ids]

    def _add_codes(self, block: Block) -> None:
        """Buffer the segments with inline codes of each side."""
        for side, coded in enumerate(self._coded):
            if block.coded and block.code_format:
                segments = (segments[side] for segments in block.coded)
                coded += [(block.code_format, xml) if xml else None for xml in segments]
            else:
                coded += [None] * len(block.lines)

    def _codes_of(self, block: Block) -> list[str]:
        """Return the language code of each unit; empty for an unknown language."""
        given = [language.strip() for language in block.languages]
        for one in set(given) - self._code_of.keys():
            language = parse_language(one)
            self._code_of[one] = language.code if language.known else ""
        return [self._code_of[one] for one in given]

    def _find_words(
        self, texts: Sequence[str], words: Sequence[tuple[SourceToken, ...]]
    ) -> list[list[LocatedWord] | None]:
        """Locate the words in texts, and count texts that do not match their words."""
        if not words:
            return [None] * len(texts)
        found = [locate_words(*both) for both in zip(texts, words, strict=True)]
        n_misfits = found.count(None)
        self.tally.n_misfits += n_misfits
        self.tally.n_analysed += len(found) - n_misfits
        return found

    def _kept_units(
        self, sides: Sequence[list[str]], block: Block, codes: Sequence[str]
    ) -> list[int] | None:
        """Return the indices of units with all texts and a language; None: all."""
        if not any("" in texts for texts in (*sides, codes)):
            return None
        kept = []
        for index, line in enumerate(block.lines):
            empty = [side for side, texts in enumerate(sides) if not texts[index]]
            if not empty and codes and not codes[index]:
                given = block.languages[index].strip()
                reason = f"{given!r} is not a language code"
                self.tally.add_refused(line, reason, block.source)
            elif not empty:
                kept.append(index)
            elif len(empty) == len(sides):
                self.tally.n_empty += 1
            else:
                name = language_name(self.languages[empty[0]].code)
                reason = f"no text in {name}"
                text = next(texts[index] for texts in sides if texts[index])
                self.tally.add_refused(line, reason, block.source, text)
        return kept

    def _count_file(self, block: Block) -> None:
        """Record the first kept unit of a new file."""
        files = self.tally.files
        if block.source and (not files or files[-1][1] != block.source):
            files.append((self.tally.n_kept, block.source))

    def _count_side(self, side: int, texts: list[str]) -> None:
        own = self.tally.sides[side]
        hashes = text_hashes(texts)
        own.hashes.append(hashes)
        own.near.append(near_hashes(texts))
        own.lengths.append(np.array([len(text) for text in texts], dtype=np.int64))
        own.add_sample(texts)
        self._texts[side] += texts
        self._n_characters += sum(map(len, texts))
        self._hashes[side] += hashes.tolist()

    def _shard(self, start: int) -> Shard:
        sides = [
            ShardSide(
                corpus_id,
                self._codes[start:] or repeat(language.code),
                texts[start:],
                hashes[start:],
                self._labels[start:],
                self._words[start:] if side == 0 else (),
                self._coded[side][start:],
            )
            for side, (corpus_id, language, texts, hashes) in enumerate(
                zip(
                    self.corpus_ids,
                    self.languages,
                    self._texts,
                    self._hashes,
                    strict=True,
                )
            )
        ]
        first, lines = self._position + start, self._lines[start:]
        documents = _join_documents(self._marks[start:], first)
        return Shard(first, lines, sides, self._are_linked, documents)

    def _check_known(self, n: int) -> None:
        """Check that the rows committed before a kill equal the rows read now."""
        for corpus_id, hashes in zip(self.corpus_ids, self._hashes, strict=True):
            first = first_sentence_id(corpus_id) + self._position
            query = (
                select(sentence.c.hash)
                .where(sentence.c.id >= first, sentence.c.id < first + n)
                .order_by(sentence.c.id)
            )
            with self._project.store.connect() as connection:
                stored = list(connection.scalars(query))
            if stored != hashes[:n]:
                raise UserError(
                    "The file has changed since its import was interrupted, so nothing "
                    "of it was imported. Import it again."
                )


def _join_documents(
    marks: Sequence[SourceDocument | None], first: int
) -> list[DocumentRow]:
    """Join consecutive units of the same document; None: no document."""
    found: list[DocumentRow] = []
    position = first
    for mark, units in groupby(marks):
        n = sum(1 for _ in units)
        if mark is not None:
            found.append(DocumentRow(position, n, mark.name, dict(mark.fields)))
        position += n
    return found


def _pick_units(block: Block, kept: list[int]) -> Block:
    """Return a block with some of its units and without texts."""
    return block._replace(
        lines=[block.lines[index] for index in kept],
        labels=[block.labels[index] for index in kept] if block.labels else [],
        documents=[block.documents[i] for i in kept] if block.documents else (),
        words=[block.words[i] for i in kept] if block.words else (),
        coded=[block.coded[i] for i in kept] if block.coded else (),
        sides=[],
    )


def _repairs(
    repaired: dict[int, str], block: Block, kept: list[int] | None
) -> list[tuple[int, str]]:
    """List lines and reasons of kept units that the reader or the importer repaired."""
    if not repaired and not block.repaired:
        return []
    found = []
    for index in range(len(block.lines)) if kept is None else kept:
        line = block.lines[index]
        reason = repaired.get(index) or block.repaired.get(line)
        if reason:
            found.append((line, reason))
    return found


MAX_CORPUS_NAME = 200  # characters


def source_path(params: ImportCorpus, side: int) -> Path:
    """Return the file of a side, or the folder for many files."""
    if has_many_files(params):
        return corpus_root(params)
    return params.files[side] if len(params.files) > 1 else params.files[0]


def check_corpus_name(given: str, taken: set[str]) -> str:
    """Clean and validate the corpus name entered by the user.

    Raises:
        UserError: the name is empty, too long, or used by another corpus.
    """
    name = escape_controls(clean_text(given)[0])
    if not 0 < len(name) <= MAX_CORPUS_NAME:
        raise UserError(
            f"The name of a corpus has {len(name):,} characters. Enter 1 to "
            f"{MAX_CORPUS_NAME}."
        )
    if name in taken:
        raise UserError(
            f"The name {name!r} is already in use, perhaps by a deleted or incomplete "
            "corpus. Choose another name."
        )
    return name


def unique_corpus_name(name: str, taken: set[str]) -> str:
    """Return an unused corpus name, with a number appended if necessary."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
