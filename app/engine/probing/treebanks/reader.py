"""Reader of treebanks in CoNLL-U or in brackets, which reports rejected sentences.

CoNLL-U as described in https://universaldependencies.org/format.html: ten columns, a
multiword token (3-4) before its words, empty nodes (5.1) of the enhanced graph.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from app.engine.probing.treebanks.brackets import (
    BracketingError,
    Constituent,
    parse_tree,
    split_trees,
)
from app.engine.runtime.report import Report
from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource, check_file
from app.engine.text.lines import UTF8_MARK, read_lines
from app.engine.text.readers.conllu import split_sentences
from app.errors import UserError

N_COLUMNS = 10
ROOT = -1  # the head of the root
_WORD = re.compile(r"[1-9][0-9]*$")
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)$")
_EMPTY = re.compile(r"[0-9]+\.[1-9][0-9]*$")


class Word(NamedTuple):
    """A syntactic word.

    Attributes:
        kind: universal part of speech.
        head: index of the head in the sentence's words; `ROOT` for the root.
        relation: relation to the head, with the subtype.
        unit: index of the word's token in the text.
    """

    form: str
    lemma: str
    kind: str
    feats: Mapping[str, str]
    head: int
    relation: str
    unit: int


class Sentence(NamedTuple):
    """A sentence as a tree.

    Attributes:
        units: tokens of the text; a multiword token is one unit.
        words: words in order; each unit has at least one.
    """

    units: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def root(self) -> int:
        """Return the index of the root."""
        return next(i for i, word in enumerate(self.words) if word.head == ROOT)

    def children(self, head: int) -> list[int]:
        """Return the indices of a word's dependents, in order."""
        return [i for i, word in enumerate(self.words) if word.head == head]

    def below(self, top: int) -> set[int]:
        """Return the indices of a word and all its descendants."""
        found, added = {top}, [top]
        while added:
            added = [child for one in added for child in self.children(one)]
            found.update(added)
        return found


class InvalidTreeError(ValueError):
    """A sentence that is not a tree.

    Attributes:
        kind: reason without numbers, for counting.
        line: line, from 1.
    """

    def __init__(self, kind: str, line: int, what: str = ""):
        super().__init__(what or kind)
        self.kind, self.line = kind, line


def parse_sentence(first: int, lines: Sequence[str]) -> Sentence:
    """Read the lines of one sentence.

    Args:
        first: number of the first line in the file.
        lines: comments and tokens, without empty lines between.

    Raises:
        NoTreeError: a line is not a token, or heads are missing, duplicate or circular.
    """
    units: list[str] = []
    rows: list[tuple[list[str], int, int]] = []  # columns, unit, line
    covered = 0  # last word of the current multiword token
    for number, line in enumerate(lines, first):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != N_COLUMNS:
            raise InvalidTreeError(f"a token does not have {N_COLUMNS} columns", number)
        if _EMPTY.match(columns[0]):
            continue  # not in the text
        if found := _RANGE.match(columns[0]):
            covered = _open_range(found, len(rows), covered, number)
            units.append(columns[1])
            continue
        _check_number(columns, len(rows), number)
        if len(rows) >= covered:
            units.append(columns[1])
        rows.append((columns, len(units) - 1, number))
    if covered > len(rows):
        raise InvalidTreeError("a multiword token's words are missing", first)
    _check_forms(rows, first)
    words = tuple(
        _parse_word(columns, unit, len(rows), line) for columns, unit, line in rows
    )
    _check_tree(words, [line for _, _, line in rows])
    return Sentence(tuple(units), words)


def _open_range(found: re.Match[str], n_words: int, covered: int, line: int) -> int:
    """Check a multiword token, and return its last word's number."""
    first, last = int(found[1]), int(found[2])
    if first != n_words + 1 or last < first or first <= covered:
        raise InvalidTreeError("a multiword token is not before its words", line)
    return last


def _check_number(columns: list[str], n_words: int, line: int) -> None:
    """Check that the words are numbered from 1."""
    if not _WORD.match(columns[0]) or int(columns[0]) != n_words + 1:
        kind = "the words are not numbered 1, 2, 3 …"
        raise InvalidTreeError(kind, line, f"{kind}: {columns[0]!r} follows {n_words}")


def _check_forms(rows: Sequence[tuple[list[str], int, int]], first: int) -> None:
    if not rows:
        raise InvalidTreeError("the sentence has no words", first)
    if len(rows) > 1 and all(columns[1] == "_" for columns, _, _ in rows):
        raise InvalidTreeError("the treebank was published without its words", first)


def _parse_word(columns: list[str], unit: int, n_words: int, line: int) -> Word:
    _, form, lemma, kind, _, feats, head, relation, _, _ = columns
    if not head.isascii() or not head.isdigit():
        named = f"word {columns[0]} ({form}) has no head"
        raise InvalidTreeError("a word has no head", line, named)
    if int(head) > n_words or head == columns[0]:
        named = f"word {columns[0]} ({form}) has the head {head}, which is "
        named += "itself" if head == columns[0] else "not a word of the sentence"
        raise InvalidTreeError(
            "a head is not another word of the sentence", line, named
        )
    return Word(
        form,
        lemma,
        kind,
        _features(feats),
        int(head) - 1,  # 0, the root's, becomes ROOT
        relation,
        unit,
    )


@lru_cache(maxsize=50_000)
def _features(text: str) -> Mapping[str, str]:
    """Parse FEATS; sentences share the few distinct values."""
    pairs = [item.partition("=") for item in text.split("|")]
    return MappingProxyType({key: value for key, sign, value in pairs if sign})


def _check_tree(words: Sequence[Word], lines: Sequence[int]) -> None:
    """Check that there is one root, and that every word is its descendant."""
    roots = [i for i, word in enumerate(words) if word.head == ROOT]
    if not roots:
        raise InvalidTreeError("no word is the root (head 0)", lines[0])
    if len(roots) > 1:
        named = f"words {roots[0] + 1} and {roots[1] + 1} are both the root"
        raise InvalidTreeError("two words are the root", lines[roots[1]], named)
    is_rooted = [False] * len(words)
    is_rooted[roots[0]] = True
    for start in range(len(words)):
        path: list[int] = []
        index = start
        while not is_rooted[index]:
            if index in path:
                circle = sorted(path[path.index(index) :])
                named = ", ".join(str(one + 1) for one in circle)
                what = f"the heads of words {named} form a cycle"
                raise InvalidTreeError("heads form a cycle", lines[circle[0]], what)
            path.append(index)
            index = words[index].head
        for one in path:
            is_rooted[one] = True


HEAD_BYTES = 4_096  # read to detect the format
MARK_AND_SPACES = UTF8_MARK + b" \t\r\n"
N_NAMED = 100  # rejected sentences that are listed
STEP = 500  # sentences


class RejectedSentence(msgspec.Struct, frozen=True):
    """A sentence that could not be read.

    Attributes:
        line: line of the file, from 1.
        reason: reason, with the words' numbers.
    """

    file: Path
    line: int
    reason: str


class Treebank(msgspec.Struct):
    """The sentences of one or several files.

    Attributes:
        sentences: dependency trees.
        constituents: constituency trees.
        n_read: sentences in the files, including rejected sentences.
        refused: the first sentences that could not be read.
        dropped: reason → number of sentences that are not in `sentences`.
    """

    sentences: list[Sentence]
    constituents: list[Constituent]
    n_read: int
    refused: list[RejectedSentence]
    dropped: Counter[str]

    @property
    def n_words(self) -> int:
        """Count the words of the usable sentences."""
        n_in_brackets = sum(len(one.words) for one in self.constituents)
        return n_in_brackets + sum(len(one.words) for one in self.sentences)

    @property
    def n_usable(self) -> int:
        """Count the usable sentences."""
        return len(self.sentences) + len(self.constituents)


class CancellableSentences(Sequence[Sentence]):
    """Sentences whose iteration can be cancelled."""

    def __init__(self, sentences: Sequence[Sentence], step: Callable[[], None]):
        """Wrap sentences with a function to call at each access."""
        self._sentences, self._step = sentences, step

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._sentences)

    def __getitem__(self, place: Any) -> Any:
        """Return one or several sentences."""
        self._step()
        return self._sentences[place]


def read_treebank(
    files: Sequence[Path],
    lengths: tuple[int, int],
    report: Report,
    *,
    limit: int | None = None,
) -> Treebank:
    """Read the distinct sentences of treebanks.

    Args:
        files: CoNLL-U or bracketed trees, compressed or not.
        lengths: minimum and maximum words (between spaces) of a sentence.
        limit: stop after so many usable sentences; None: read all.

    Raises:
        UserError: a file has neither format, or no sentence is usable.
        ResourceError: a file is missing.
    """
    fewest, most = lengths
    treebank = Treebank([], [], 0, [], Counter())
    known: set[tuple[type, str]] = set()
    for file in files:
        for sentence in _read_file(file, treebank, report):
            if limit is not None and treebank.n_usable >= limit:
                break
            text = text_of(_units_of(sentence))
            n_words = text.count(" ") + 1
            if not fewest <= n_words <= most:
                treebank.dropped[f"not {fewest} to {most} words long"] += 1
            elif (type(sentence), text) in known:
                treebank.dropped["the same text as another sentence"] += 1
            else:
                known.add((type(sentence), text))
                if isinstance(sentence, Constituent):
                    treebank.constituents.append(sentence)
                else:
                    treebank.sentences.append(sentence)
    if not treebank.n_usable:
        raise UserError(_nothing_usable(files, treebank))
    return treebank


def text_of(units: Sequence[str]) -> str:
    """Join tokens by single spaces, as in SentEval's files.

    A token that contains spaces counts as several words when the text is split.
    """
    return " ".join(" ".join(units).split())


def _units_of(sentence: Sentence | Constituent) -> Sequence[str]:
    return sentence.words if isinstance(sentence, Constituent) else sentence.units


def is_bracketed(file: Path) -> bool:
    """Return whether a file contains bracketed trees, by its first character."""
    with ByteSource(file, limit=HEAD_BYTES) as source:
        return source.read(HEAD_BYTES).lstrip(MARK_AND_SPACES).startswith(b"(")


def _read_file(
    file: Path, treebank: Treebank, report: Report
) -> Iterator[Sentence | Constituent]:
    check_file(file)
    encoding = find_encoding(file)
    in_brackets = is_bracketed(file)
    with ByteSource(file) as source:
        lines = read_lines(source, encoding.name)
        found: Iterator[tuple[int, Any]] = (
            split_trees(lines) if in_brackets else split_sentences(lines, file)
        )
        for first, text in found:
            if treebank.n_read % STEP == 0:
                done = round(100 * source.fraction())
                report.step("Reading the treebank", done, 100, file.name)
            treebank.n_read += 1
            try:
                yield parse_tree(text) if in_brackets else parse_sentence(first, text)
            except BracketingError as error:
                treebank.dropped[str(error)] += 1
                if len(treebank.refused) < N_NAMED:
                    rejected = RejectedSentence(file, first, str(error))
                    treebank.refused.append(rejected)
            except InvalidTreeError as error:
                treebank.dropped[error.kind] += 1
                if len(treebank.refused) < N_NAMED:
                    refused = RejectedSentence(file, error.line, str(error))
                    treebank.refused.append(refused)


def _nothing_usable(files: Sequence[Path], treebank: Treebank) -> str:
    """Return the most frequent reason why no sentence is usable."""
    names = ", ".join(str(file) for file in files)
    if not treebank.n_read:
        return f"{names} contains no sentences."
    reason, n = treebank.dropped.most_common(1)[0]
    text = f"{names}: none of {treebank.n_read:,} sentences can be used. For {n:,}"
    text += f" the reason is: {reason}"
    if treebank.refused:
        first = treebank.refused[0]
        text += f" (first skipped sentence, line {first.line:,}: {first.reason})"
    return f"{text}."
