"""Labelled texts and pairs of texts: from a file, or from corpora of the project."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.engine.classify.heads.head import IntArray
from app.engine.store.arrays import FloatArray
from app.engine.store.find import find_corpus
from app.engine.training.files import read_lines
from app.errors import UserError
from app.params.classify import PAIR_SIGN

if TYPE_CHECKING:
    from app.engine.project import Project
    from app.engine.store.rows import CorpusRow

HEADER_LABELS = {"label", "class", "gold_label", "score", "topic", "category"}
HEADER_TEXTS = {"text", "sentence", "premise", "hypothesis", "text1", "text2"}
HEADER_TEXTS |= {"sentence1", "sentence2"}
DISAGREED = "-"  # the label of pairs on which SNLI's annotators did not agree

ROW_FORM = "each line is a label, a tab and a text, and for pairs a tab and another"
COUNTED = {1: "one text", 2: "two texts"}


class Labelled(NamedTuple):
    """Labelled rows.

    Attributes:
        source: names the file or the corpora.
        texts: a column for each text of a row: one, or two for pairs.
        labels: never empty.
        places: int64 (n, t), the line of the file (t = 1) or the sentences' ids.
        corpora: the corpora that the columns are of; empty: a file.
        n_unlabelled: rows that were left out for want of a label.
        n_empty: rows that were left out for want of a text.
        note: what was assumed about them; empty: nothing.
    """

    source: str
    texts: tuple[list[str], ...]
    labels: list[str]
    places: IntArray
    corpora: tuple["CorpusRow", ...] = ()
    n_unlabelled: int = 0
    n_empty: int = 0
    note: str = ""

    def part(self, rows: IntArray) -> "Labelled":
        """Give some of the rows."""
        kept = rows.tolist()
        return self._replace(
            texts=tuple([column[row] for row in kept] for column in self.texts),
            labels=[self.labels[row] for row in kept],
            places=self.places[rows],
        )


def read_labelled(project: "Project | None", named: str) -> Labelled:
    """Read a file, or the labelled sentences of a corpus (of two: A+B, row by row).

    Raises:
        UserError: there is no such file or corpus, or no labelled row in it.
    """
    if Path(named).is_file() or project is None:
        return read_file(Path(named))
    from app.engine.classify.labelled_corpora import read_corpora

    names = named.split(PAIR_SIGN)
    try:
        corpora = [find_corpus(project.store, named)]
    except UserError:
        if len(names) != 2:
            raise
        corpora = [find_corpus(project.store, name) for name in names]
    return read_corpora(project, corpora)


def read_file(file: Path) -> Labelled:
    """Read the lines label⇥text or label⇥text⇥text of a file, also compressed.

    A header is left out, as are rows without a label (or with "-", which stands for
    disagreement about a pair) and rows without a text.

    Raises:
        UserError: a line has another form than the first one, or no row is labelled.
        ResourceError: the file is missing or cannot be read.
    """
    if file.is_file() and not file.stat().st_size:
        raise UserError(f"{file} is empty (0 bytes): {ROW_FORM}.")
    columns: tuple[list[str], ...] = ()
    labels: list[str] = []
    places: list[int] = []
    n_unlabelled = n_empty = 0
    for number, label, texts in _rows(file):
        columns = columns or tuple([] for _ in texts)
        if len(texts) != len(columns):
            raise UserError(
                f"{file}, line {number}: the row has {COUNTED[len(texts)]}, but the "
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
        raise UserError(f"{file} has no labelled row: {ROW_FORM}.")
    lines = np.array(places, np.int64)[:, None]  # (n,) -> (n, 1)
    return Labelled(str(file), columns, labels, lines, (), n_unlabelled, n_empty)


def read_scores(rows: Labelled, lowest: float, highest: float) -> FloatArray:
    """Read the labels as scores: float32 (n,).

    Raises:
        UserError: one is no number, or outside the bounds.
    """
    scores = np.empty(len(rows.labels), np.float32)
    for row, label in enumerate(rows.labels):
        try:
            score = float(label.replace(",", "."))
        except ValueError:
            score = math.nan
        if not lowest <= score <= highest:  # NaN too
            place = int(rows.places[row, 0])
            where = f"sentence {place}" if rows.corpora else f"line {place}"
            raise UserError(
                f"{rows.source}, {where}: {label!r} is no score between {lowest:g} and "
                f"{highest:g}: correct it, or set the lowest and highest score."
            )
        scores[row] = score
    return scores


def _rows(file: Path) -> Iterator[tuple[int, str, list[str]]]:
    for number, line in enumerate(read_lines(file), 1):
        if not line.strip():
            continue
        label, *texts = line.split("\t")
        if number == 1 and _is_header(label, texts):
            continue
        if not 1 <= len(texts) <= 2:
            n = len(texts) + 1
            are = "is one column" if n == 1 else f"are {n} columns"
            raise UserError(
                f"{file}, line {number}: there {are}, but a row is a label, a tab and "
                "a text, and for pairs a tab and a second text."
            )
        yield number, label, texts


def _is_header(label: str, texts: list[str]) -> bool:
    names = {text.strip().lower() for text in texts}
    return label.strip().lower() in HEADER_LABELS and names <= HEADER_TEXTS
