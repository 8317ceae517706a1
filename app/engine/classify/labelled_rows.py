"""Labelled texts and pairs of texts, read from files or from corpora of the project."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import FloatArray, IntArray
from app.engine.project.active_sentences import is_active
from app.engine.project.project import Project
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.labels import read_corpus_labels
from app.engine.store.lookup import find_corpus
from app.engine.store.pairs.sets import read_links
from app.engine.store.sentences import iterate_texts
from app.engine.text.line_files import read_lines
from app.errors import UserError
from app.params.classify import PAIR_SIGN

HEADER_LABELS = {"label", "class", "gold_label", "score", "topic", "category"}
HEADER_TEXTS = {"text", "sentence", "premise", "hypothesis", "text1", "text2"}
HEADER_TEXTS |= {"sentence1", "sentence2"}
DISAGREED = "-"  # label of pairs on which SNLI's annotators did not agree

ROW_FORM = "Each line is a label, a tab and a text, and for pairs another tab and text"
COUNTED = {1: "one text", 2: "two texts"}


class LabelledRows(NamedTuple):
    """Labelled rows.

    Attributes:
        source: name of the file or the corpora.
        texts: columns of texts: one, or two for pairs.
        labels: never empty.
        places: int64 (n, t), line of the file (t = 1) or sentence ids.
        corpora: corpora of the columns; empty: a file.
        n_unlabelled: rows that were left out because they have no label.
        n_empty: rows that were left out because they have no text.
        note: assumptions about the rows; empty: none.
        file_language: code of the language of a file's texts; empty: unknown.
    """

    source: str
    texts: tuple[list[str], ...]
    labels: list[str]
    places: IntArray
    corpora: tuple[CorpusRow, ...] = ()
    n_unlabelled: int = 0
    n_empty: int = 0
    note: str = ""
    file_language: str = ""

    def language(self, column: int) -> str:
        """Return the code of the language of a column's texts; empty: unknown."""
        return self.corpora[column].language if self.corpora else self.file_language

    def part(self, rows: IntArray) -> "LabelledRows":
        """Return some of the rows."""
        kept = rows.tolist()
        return self._replace(
            texts=tuple([column[row] for row in kept] for column in self.texts),
            labels=[self.labels[row] for row in kept],
            places=self.places[rows],
        )


def read_labelled(project: Project | None, named: str) -> LabelledRows:
    """Read a file, or the labelled sentences of a corpus (of two: A+B, row by row).

    Raises:
        UserError: the file or corpus does not exist, or has no labelled rows.
    """
    if Path(named).is_file() or project is None:
        return read_file(Path(named))

    names = named.split(PAIR_SIGN)
    try:
        corpora = [find_corpus(project.store, named)]
    except UserError:
        if len(names) != 2:
            raise
        corpora = [find_corpus(project.store, name) for name in names]
    return read_labelled_corpora(project, corpora)


def read_file(file: Path) -> LabelledRows:
    """Read the lines label⇥text or label⇥text⇥text of a file, also compressed.

    A header is left out and may have the label in any column. Rows without a label (or
    with "-", which stands for disagreement about a pair) or a text are left out, too.

    Raises:
        UserError: a line has another format than the first line, or no row is labelled.
        ResourceError: the file is missing or cannot be read.
    """
    if file.is_file() and not file.stat().st_size:
        raise UserError(f"{file} is empty (0 bytes). {ROW_FORM}.")
    columns: tuple[list[str], ...] = ()
    labels: list[str] = []
    places: list[int] = []
    n_unlabelled = n_empty = 0
    for number, label, texts in _rows(file):
        columns = columns or tuple([] for _ in texts)
        if len(texts) != len(columns):
            raise UserError(
                f"{file}, line {number:,}: the row has {COUNTED[len(texts)]}, but the "
                f"first has {COUNTED[len(columns)]}."
            )
        is_unlabelled = not label.strip() or (len(texts) > 1 and label == DISAGREED)
        if is_unlabelled or not all(text.strip() for text in texts):
            n_unlabelled += is_unlabelled
            n_empty += not is_unlabelled
            continue
        labels.append(label)
        places.append(number)
        for column, text in zip(columns, texts, strict=True):
            column.append(text)
    if not labels:
        raise UserError(f"{file} has no labelled rows. {ROW_FORM}.")
    lines = np.array(places, np.int64)[:, None]  # (n,) -> (n, 1)
    return LabelledRows(str(file), columns, labels, lines, (), n_unlabelled, n_empty)


def read_scores(rows: LabelledRows, lowest: float, highest: float) -> FloatArray:
    """Read the labels as scores: float32 (n,).

    Raises:
        UserError: a label is not a number, or out of range.
    """
    scores = np.empty(len(rows.labels), np.float32)
    for row, label in enumerate(rows.labels):
        try:
            score = float(label.replace(",", "."))
        except ValueError:
            score = math.nan
        if not lowest <= score <= highest:  # also rejects NaN
            place = int(rows.places[row, 0])
            where = f"sentence {place:,}" if rows.corpora else f"line {place:,}"
            raise UserError(
                f"{rows.source}, {where}: {label!r} is not a score between {lowest:g} "
                f"and {highest:g}. Correct it, or set the lowest and highest score."
            )
        scores[row] = score
    return scores


def _rows(file: Path) -> Iterator[tuple[int, str, list[str]]]:
    index = 0  # index of the label among the cells
    for number, line in enumerate(read_lines(file), 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if number == 1 and (found := _find_label(cells)) is not None:
            index = found
            continue
        label = cells[index] if index < len(cells) else ""
        texts = cells[:index] + cells[index + 1 :]
        if not 1 <= len(texts) <= 2 or index >= len(cells):
            n = len(cells)
            are = "is one column" if n == 1 else f"are {n} columns"
            raise UserError(
                f"{file}, line {number:,}: there {are}, but a row is a label, a tab "
                "and a text, and for pairs a tab and a second text."
            )
        yield number, label, texts


def _find_label(cells: list[str]) -> int | None:
    """Return the index of the label's column if a row is a header, else None."""
    names = [cell.strip().lower() for cell in cells]
    labels = [index for index, name in enumerate(names) if name in HEADER_LABELS]
    is_header = len(labels) == 1 and {*names} <= HEADER_LABELS | HEADER_TEXTS
    return labels[0] if is_header else None


def read_labelled_corpora(
    project: Project, corpora: Sequence[CorpusRow]
) -> LabelledRows:
    """Read the active, labelled sentences of a corpus, or pairs of two corpora.

    A row of two corpora consists of a sentence of the first, which has the label, and
    the sentence of the second in the same position.

    Raises:
        UserError: no sentence has a label, or the two corpora differ in length.
    """
    names = " + ".join(corpus.name for corpus in corpora)
    if len({corpus.n_sentences for corpus in corpora}) > 1:
        raise UserError(
            f"{names}: they have {corpora[0].n_sentences:,} and "
            f"{corpora[1].n_sentences:,} sentences, but pairs are two corpora that "
            "were imported together, row by row."
        )
    store = project.store
    found = read_corpus_labels(store, corpora[0].id)
    taking = _included_rows(project, corpora)
    found = {index: name for index, name in found.items() if taking[index]}
    if len(corpora) > 1:
        found = {index: name for index, name in found.items() if name != DISAGREED}
    if not found:
        raise UserError(
            f"No active sentence of {names} has a label. Import it with a column of "
            "labels, or label some sentences manually."
        )
    positions = sorted(found)
    firsts = np.array([first_sentence_id(corpus.id) for corpus in corpora], np.int64)
    return LabelledRows(
        names,
        tuple(_texts_at(store, corpus.id, set(positions)) for corpus in corpora),
        [found[position] for position in positions],
        np.array(positions, np.int64)[:, None] + firsts,  # (n, 1) + (t,) -> (n, t)
        tuple(corpora),
        n_unlabelled=int(taking.sum()) - len(found),
        note=pairing_note(store, corpora),
    )


def _included_rows(project: Project, corpora: Sequence[CorpusRow]) -> NDArray[np.bool_]:
    """Return whether all texts of each row are active: bool (n,)."""
    everything = np.arange(corpora[0].n_sentences)
    taking = np.ones(len(everything), bool)
    for corpus in corpora:
        taking &= is_active(project, corpus, everything)
    return taking


def pairing_note(store: Engine, corpora: Sequence[CorpusRow]) -> str:
    """Return a note if two corpora are only assumed to be pairs; empty: known pairs.

    They are known pairs if the same import made both, or links connect most rows with
    equal positions.
    """
    if len(corpora) < 2:
        return ""
    one, other = corpora[:2]
    if one.run_id is not None and one.run_id == other.run_id:
        return ""
    ours, theirs = read_links(store, one.id, other.id)
    if 2 * int((ours == theirs).sum()) > one.n_sentences:
        return ""
    return (
        f"{one.name} and {other.name} were not imported together, and no links join "
        "them row by row. Rows with equal numbers are used as pairs."
    )


def _texts_at(store: Engine, corpus_id: int, positions: set[int]) -> list[str]:
    """Read the texts at some positions, in this order."""
    first = first_sentence_id(corpus_id)
    return [
        text
        for page in iterate_texts(store, corpus_id)
        for id_, text in page
        if id_ - first in positions
    ]


def read_tests(
    project: Project | None, tests: tuple[str, ...]
) -> dict[str, LabelledRows]:
    """Read the rows of LANGUAGE=FILE or LANGUAGE=CORPUS.

    Raises:
        UserError: an item has another form, or a language occurs twice.
    """
    found: dict[str, LabelledRows] = {}
    for test in tests:
        name, sign, place = test.partition("=")
        if not (sign and name and place):
            raise UserError(
                f"The test {test!r} is not LANGUAGE=FILE, such as de=test.tsv."
            )
        if name in found:
            raise UserError(
                f"The language {name} is listed twice as a test. List it once."
            )
        found[name] = read_labelled(project, place)
    return found
