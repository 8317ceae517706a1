"""Texts that are aligned line by line, from files, a table or linked corpora."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from app.arrays import IdArray
from app.engine.project.active_sentences import active_links, count_active
from app.engine.store.corpora import CorpusRow
from app.engine.store.lookup import find_corpora
from app.engine.store.pairs.sets import read_links
from app.engine.store.sentences import read_integers, read_texts
from app.engine.text.line_files import read_lines
from app.engine.training.pair_splits import WARNED_COPIES
from app.errors import UserError
from app.params.evaluation import AlignedTexts
from app.paths import strip_compression
from app.plurals import count_text

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_NAME, MIN_WORDS = 40, 4  # limits: characters of a name; words of a sentence
SENTENCE_ENDS = tuple(".!?…。！？؟।")
MIN_ALIGNED_ROWS = 2  # rows for a meaningful retrieval error


def read_linked_corpora(
    project: "Project | None", names: Sequence[str]
) -> "AlignedData":
    """Read the sentences that are linked in all of several corpora.

    A sentence of the first corpus is a row if all other corpora have a linked
    translation; the first one is used, and no sentence is in two rows.

    Args:
        names: names or ids of the corpora; links start at the first corpus.

    Returns:
        All pairs of the corpora, by name.

    Raises:
        UserError: there is no project, there are fewer than two corpora, a corpus does
            not exist, or too few sentences are linked.
    """
    if project is None:
        raise UserError("Corpora need a project. Name a project.")
    corpora = find_corpora(project.store, names)
    if len(corpora) < 2:
        raise UserError("Select at least two corpora.")
    first, *others = corpora
    linked = [
        active_links(
            project, (first, other), read_links(project.store, first.id, other.id)
        )
        for other in others
    ]
    positions = _in_all([_one_to_one(*sides) for sides in linked])
    if len(positions) < MIN_ALIGNED_ROWS:
        raise UserError(
            f"{len(positions):,} sentences of {first.name} are linked in "
            f"{_all(len(corpora))} corpora; at least {MIN_ALIGNED_ROWS} are needed. "
            "Link or align more sentences, or select fewer corpora."
        )
    texts, lines = {}, {}
    for index, corpus in enumerate(corpora):
        whole = read_texts(project.store, corpus.id, 0, corpus.n_sentences)
        rows, name = positions[:, index], _name(corpora, corpus)
        texts[name] = [whole[row] for row in rows.tolist()]
        lines[name] = read_integers(project.store, corpus.id, "line")[rows].tolist()
    origin = (
        f"of {count_active(project, first):,} sentences of {first.name}, those linked "
        f"in {_all(len(corpora))} corpora"
    )
    pairs, is_matrix = list(combinations(texts, 2)), len(texts) > 2
    return AlignedData(texts, pairs, is_matrix, origin, lines=lines)


def _all(n: int) -> str:
    return "both" if n == 2 else f"all {n}"


def _one_to_one(sources: IdArray, targets: IdArray) -> dict[int, int]:
    """Return sources with their first unused targets, int64 (p,) each."""
    found: dict[int, int] = {}
    taken = set()
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        if source not in found and target not in taken:
            found[source] = target
            taken.add(target)
    return found


def _in_all(links: Sequence[dict[int, int]]) -> IdArray:
    """Return the positions of every row in the first corpus and the others: (n, c)."""
    shared = sorted(set.intersection(*(set(one) for one in links)))
    rows = [[source, *(one[source] for one in links)] for source in shared]
    return np.array(rows, np.int64).reshape(-1, len(links) + 1)


def _name(corpora: Sequence[CorpusRow], corpus: CorpusRow) -> str:
    is_one = [one.name for one in corpora].count(corpus.name) == 1
    return corpus.name if is_one else f"{corpus.name} ({corpus.id})"


class AlignedData(NamedTuple):
    """Aligned texts and the pairs of columns to compare.

    Attributes:
        texts: texts of equal number by name of the file or column.
        pairs: names of the first and second side of each comparison.
        is_matrix: all pairs of columns are compared, not one column with the others.
        origin: sentences of the project; empty: the texts are not from the project.
        n_dropped: omitted rows with duplicates; None: duplicates are included.
        lines: line of each text in its corpus or file, by name; empty: the texts are
            consecutive lines from `first_line`.
        first_line: line of the first row; 2 after a header.
    """

    texts: dict[str, list[str]]
    pairs: list[tuple[str, str]]
    is_matrix: bool = False
    origin: str = ""
    n_dropped: int | None = None
    lines: Mapping[str, Sequence[int]] = MappingProxyType({})
    first_line: int = 1

    @property
    def notes(self) -> list[str]:
        """Describe the selection of rows; empty: all rows of the files."""
        dropped = ""
        if self.n_dropped is not None:
            dropped = f"{count_text(self.n_dropped, 'row')} with duplicate sentences"
        if self.origin:
            without = f", without {dropped}" if dropped else ""
            return [f"Measured on {self.n:,} {self.origin}{without}."]
        return [f"{dropped} left out."] if dropped else []

    def line(self, name: str, row: int) -> int:
        """Return the line of a row in a corpus or file, from 1."""
        return self.lines[name][row] if name in self.lines else self.first_line + row

    def keep(self, rows: Sequence[int]) -> Self:
        """Remove all other rows."""
        return self._replace(
            texts={
                name: [one[row] for row in rows] for name, one in self.texts.items()
            },
            n_dropped=self.n - len(rows),
            lines={name: [self.line(name, row) for row in rows] for name in self.texts},
        )

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.texts.values())))


def read_aligned_texts(
    params: AlignedTexts, project: "Project | None" = None
) -> AlignedData:
    """Read two files, selected columns or linked corpora, with the pairs to compare.

    Raises:
        UserError: the texts can't be read or are not aligned, or a column or corpus
            does not exist.
    """
    has_files = params.source is not None or params.target is not None
    if has_files + (params.table is not None) + bool(params.corpora) != 1:
        raise UserError("Choose a source and a target file, a table, or corpora.")
    if params.corpora:
        return _read_corpora(params, project)
    if params.table is not None:
        return _read_table(params.table, params)
    if params.source is None or params.target is None:
        raise UserError("Choose both a source and a target file.")
    if params.matrix or params.columns:
        raise UserError("Columns and a matrix need a table. Choose a table.")
    sides = read_sides(params.source, params.target)
    names = params.source.name, params.target.name
    if names[0] == names[1]:
        names = str(params.source), str(params.target)
    if names[0] == names[1]:
        raise UserError(f"{names[0]} is compared with itself. Choose another target.")
    return AlignedData(dict(zip(names, sides, strict=True)), [names])


def _read_corpora(params: AlignedTexts, project: "Project | None") -> AlignedData:
    """Return all pairs of corpora."""
    if params.columns:
        raise UserError("Columns need a table. Choose a table.")
    aligned = read_linked_corpora(project, params.corpora)
    return aligned._replace(is_matrix=params.matrix or aligned.is_matrix)


def _read_table(table: Path, params: AlignedTexts) -> AlignedData:
    """Return one column with each other column, or all pairs of selected columns."""
    columns = read_columns(table)
    for name in params.columns:
        if name not in columns:
            raise UserError(f"{table} has no column {name!r}.")
    if len(set(params.columns)) < len(params.columns):
        raise UserError("A column is listed twice. List it once.")
    is_matrix = params.matrix or len(params.columns) > 1
    if is_matrix:
        chosen = params.columns or tuple(columns)
        if len(chosen) < 2:
            raise UserError("A matrix needs at least two columns. Add a column.")
        texts = {name: columns[name] for name in chosen}
        return AlignedData(texts, list(combinations(chosen, 2)), True, first_line=2)
    target = params.columns[0] if params.columns else next(iter(columns))
    pairs = [(name, target) for name in columns if name != target]
    return AlignedData(columns, pairs, first_line=2)


def read_sides(source: Path, target: Path) -> tuple[list[str], list[str]]:
    """Read two files with at least two pairs, since a single pair always matches.

    Raises:
        UserError: a file is empty, the line counts differ, or there is only one pair.
    """
    sides = read_aligned(source, target)
    if len(sides[0]) < MIN_ALIGNED_ROWS:
        raise UserError(
            f"{source} and {target} contain {len(sides[0])} pair; retrieval needs at "
            f"least {MIN_ALIGNED_ROWS}."
        )
    return sides


def read_aligned(source: Path, target: Path) -> tuple[list[str], list[str]]:
    """Read two files line by line.

    Raises:
        UserError: a file is empty, or the line counts differ.
    """
    sources, targets = list(read_lines(source)), list(read_lines(target))
    if len(sources) != len(targets):
        raise UserError(
            f"{source} has {len(sources):,} lines, but {target} has {len(targets):,}. "
            "The files must be aligned line by line."
        )
    return sources, targets


def find_sets(directory: Path) -> dict[str, tuple[Path, Path]]:
    """Find the foreign and the English file of each Tatoeba test set of a folder.

    Raises:
        UserError: the folder contains no test set.
    """
    found = sorted(directory.glob("tatoeba.*-eng.*"))
    files = {strip_compression(file).name: file for file in found}
    sets = {}
    for name, english in files.items():
        code = name.removeprefix("tatoeba.").removesuffix("-eng.eng")
        foreign = files.get(f"tatoeba.{code}-eng.{code}")
        if name.endswith("-eng.eng") and foreign is not None:
            sets[code] = (foreign, english)
    if not sets:
        raise UserError(
            f"{directory} contains no test set. A test set is a pair of files "
            "tatoeba.CODE-eng.CODE and tatoeba.CODE-eng.eng (also .gz, .xz, .zst)."
        )
    return sets


def _is_sentence(cell: str) -> bool:
    """Return whether a cell of a header is a sentence, not the name of a column."""
    plain = cell.strip()
    is_long = len(plain) > MAX_NAME or len(plain.split()) >= MIN_WORDS
    return is_long or plain.endswith(SENTENCE_ENDS)


def read_columns(table: Path) -> dict[str, list[str]]:
    """Read the columns of a TSV with a header.

    Raises:
        UserError: there is no header, there are fewer than two columns or rows, or a
            row's number of cells differs from the header's.
    """
    lines = read_lines(table)
    names = next(lines).split("\t")
    sentence = next(filter(_is_sentence, names), "")
    if sentence:
        raise UserError(
            f"{table}: the first row is not a header: {sentence[:MAX_NAME]!r}. Add a "
            "first row with the language of each column, such as en and de."
        )
    if len(set(names)) < max(2, len(names)):
        raise UserError(f"{table}: the header needs at least two different names.")
    rows = []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise UserError(
                f"{table}, line {number:,}: expected {len(names)} cells, found "
                f"{len(cells)}."
            )
        rows.append(cells)
    if len(rows) < MIN_ALIGNED_ROWS:
        raise UserError(
            f"{table}: too few rows ({len(rows)}). Retrieval needs at least "
            f"{MIN_ALIGNED_ROWS}."
        )
    return {
        name: list(column)
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def note_copies(
    name: str, sources: Sequence[str], targets: Sequence[str]
) -> Iterator[str]:
    """Warn about sources that equal their targets."""
    n_equal = sum(map(operator.eq, sources, targets))
    if n_equal >= WARNED_COPIES * len(sources):
        yield (
            f"{name}: {n_equal:,} of {len(sources):,} sentences equal their "
            "translation and may be copies, so the error may be too low."
        )


def note_duplicates(
    name: str, texts: Sequence[str], way: str, n_copies: int, n_wrong: int
) -> Iterator[str]:
    """Warn about duplicate sentences, of which only one counts as right.

    Args:
        way: directions that search the column, such as "de → en".
        n_copies: errors where another copy of the right sentence was found.
        n_wrong: all errors in these directions.
    """
    n_twins = len(texts) - len(set(texts))
    if n_twins:
        note = f"{name}: {n_twins:,} of {len(texts):,} sentences are duplicates."
        if n_copies:
            note += (
                f" {way}: of {count_text(n_wrong, 'error')}, {n_copies:,} found "
                "another copy of the right sentence. You can leave duplicates out."
            )
        yield note
